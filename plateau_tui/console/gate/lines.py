"""The lines of the registration's form. Pure functions of a draft and a width."""

from collections.abc import Mapping, Sequence
from typing import Final

from plateau_tui.console.gate.form import Checked, Field, hides, shown_value, value_of
from plateau_tui.console.lines.text import fold_words, harmless, pad
from plateau_tui.console.look.plainchars import REPLACED
from plateau_tui.metric.feasibility import Feasibility, accept_problem
from plateau_tui.metric.registration import Gate

WRONG: Final = "! "
_PATH_CELLS: Final = 22
_HIDDEN: Final = f"; its {REPLACED} cannot be shown: kept as it is until this is typed over"


def field_line(field: Field, values: Mapping[str, object], checked: Checked, width: int) -> str:
    """Return a field's line: path, value, and what is wrong with it or what it means."""
    value_cells = max(12, (width - _PATH_CELLS) * 2 // 5)
    wrong = checked.by_path.get(field.path)
    what = f"{WRONG}{wrong}" if wrong else field.meaning
    path = field.path.removeprefix("objectives.").replace("arm_values.", "")
    line = f"{pad(path, _PATH_CELLS)} {pad(value_shown(field, values), value_cells)} {what}"
    return harmless(line, width)


def value_shown(field: Field, values: Mapping[str, object]) -> str:
    """Return a value for its line; where nothing stands there, - or what then holds."""
    if value_of(values, field) is None:
        default = f"({field.choices[0]})" if field.choices else "-"
        return default if field.keys[0] == "gate" else "-"
    return shown_value(values, field) or ("(none)" if field.kind == "list" else '""')


def told_of(field: Field, values: Mapping[str, object], checked: Checked) -> str:
    """Return all that is to be said of the chosen field."""
    wrong = checked.by_path.get(field.path)
    choices = f" [{', '.join(field.choices)}]" if len(field.choices) > 1 else ""
    said = f"{WRONG}{wrong}" if wrong else f"{field.meaning}{choices}"
    return f"{field.path}: {said}{_HIDDEN if hides(values, field) else ''}"


TYPING: Final = "enter keeps what is typed, esc gives it up"


def state_line(checked: Checked, *, changed: bool, stale: bool, read: str) -> str:
    """Return how the draft stands: whether it is valid, written, and what the file is."""
    if stale:
        return f"! registration.toml CHANGED ON DISK: no writing; {read} reads it anew"
    wrong = "valid" if not checked.count else f"{checked.count} wrong"
    first = f": {checked.others[0]}" if checked.others else ""
    return f"draft, {wrong}, {'NOT WRITTEN yet' if changed else 'as on disk'}{first}"


def feasibility_lines(
    found: Feasibility | None, gate: Gate | None, why_not: str, width: int
) -> list[str]:
    """Return what a gate can come to, folded; what matters most comes first."""
    if found is None or gate is None:
        return fold_words(f"What this gate can come to: {why_not}", width)
    refused = accept_problem(gate, found)
    can = {
        (True, True): "it can pass, and it can fail",
        (True, False): "it CANNOT FAIL",
        (False, True): "it CANNOT PASS",
        (False, False): "it can NEITHER PASS NOR FAIL",
    }[found.can_pass, found.can_fail]
    head = f"What this gate can come to: {can}" + ("; the seal refuses it" if refused else "")
    told: Sequence[str] = (*((refused,) if refused else ()), *found.reasons, *found.lines)
    return [line for part in (head, *told) for line in _hanging(part, width)]


def _hanging(text: str, width: int) -> list[str]:
    first, *more = fold_words(text, max(1, width - 2))
    return [first, *(f"  {line}" for line in more)]
