"""The lines of the first-poll wizard. Pure functions of what is known and a width."""

from collections.abc import Mapping, Sequence
from typing import Final

from plateau_tui.console.keys import PLAIN_KEYS, KeyNames
from plateau_tui.console.lines.text import UNKNOWN, age, cells, pad, pad_name
from plateau_tui.console.live.view import RunView
from plateau_tui.console.messages import WatchView
from plateau_tui.metric.plain import counted
from plateau_tui.server.resolver import Endpoint

_NAME_CELLS: Final = 16
_WOOD_CELLS: Final = 12
"""As many as the longest log species takes."""
_NO_PIN: Final = "-"
_NAMED: Final = 3
"""So many units are named in a line; the table has them all."""

Pins = Mapping[str, str | None]
"""Unit -> the species it is pinned to, None while it is not."""


def watch_head(watch: WatchView, pins: Pins, now_ms: int, width: int) -> list[str]:
    """Return what stands over the watched units: when they were read, how many wait, columns."""
    by_hand = f"poll {watch.polls}" if watch.polls else "start reading"
    source = "the collector's rows" if watch.from_rows else by_hand
    told = f"{source}, read {age(now_ms - watch.read_ms)} ago"
    if watch.from_journal:
        told = f"the last watch, which has ended: {counted(watch.polls, 'poll')}; from the journal"
    pinned = sum(pins.get(unit) is not None for unit in watch.grown)
    silent = sum(watch.suggestion[unit] is None for unit in watch.grown)
    units = f"{counted(len(watch.grown), 'unit')}: {pinned} pinned, {silent} without a suggestion"
    moved = "moved since the watch began"
    return [f"({told}; {units})", _row("unit", moved, "suggested", "pinned", watch, width)]


def watch_lines(watch: WatchView, pins: Pins, width: int, keys: KeyNames = PLAIN_KEYS) -> list[str]:
    """Return which log counter moves for which unit, what that suggests, and what is pinned.

    Whoever waits for something to be done about it stands first: neither pinned nor suggested,
    pinned to another log than is suggested, not pinned yet.
    """
    lines = [
        _row(
            unit,
            _moved(watch.grown[unit]),
            watch.suggestion[unit] or UNKNOWN,
            pins.get(unit) or _NO_PIN,
            watch,
            width,
        )
        for unit in sorted(watch.grown, key=lambda unit: _rank(watch.suggestion[unit], pins, unit))
    ]
    if not has_moved(watch.grown):
        calm = "nothing moved" if watch.from_journal else "nothing moves yet"
        lines += [
            f"{calm}: is a body chopping at all?",
            f"Watched: {', '.join(watch.watched)}.",
            f"Another wood? {keys['wizard.also']} adds one to the draft: {', '.join(watch.others)}",
        ]
    return lines


def has_moved(grown: Mapping[str, Mapping[str, int]]) -> bool:
    """Say whether a watch saw the counter of any log rise."""
    return any(any(by_species.values()) for by_species in grown.values())


def _rank(suggested: str | None, pins: Pins, unit: str) -> int:
    pin = pins.get(unit)
    if pin is None:
        return 0 if suggested is None else 2
    return 3 if suggested in {None, pin} else 1


def _row(unit: str, moved: str, suggested: str, pin: str, watch: WatchView, width: int) -> str:
    name = min(_NAME_CELLS, max(cells(each) for each in ("unit", *watch.grown)))
    room = width - name - 2 * _WOOD_CELLS - 3
    wood = pad(suggested, _WOOD_CELLS)
    return f"{pad_name(unit, name)} {pad(moved, room)} {wood} {pad(pin, _WOOD_CELLS)}".rstrip()


def _moved(grown: Mapping[str, int]) -> str:
    return ", ".join(f"{species} +{n}" for species, n in grown.items() if n) or "-"


def step_line(view: RunView, *, checked: bool, watched: bool, under_way: str = "") -> str:
    """Return which steps are done and which are to do, in words; one under way is neither.

    A check leaves no mark in the journal: after the registration another console's is not asked
    for again.
    """
    steps = {
        "check": checked or view.registered,
        "register": view.registered,
        "watch": watched or not view.unpinned,
        "pin": not view.unpinned,
        "seal": bool(view.seal),
    }
    steps.pop(under_way, None)
    done = [step for step, is_done in steps.items() if is_done]
    left = [step for step, is_done in steps.items() if not is_done]
    told = (("done", done), ("to do", left))
    return "; ".join(f"{word}: {', '.join(found)}" for word, found in told if found)


def next_line(
    view: RunView,
    *,
    checked: bool,
    under_way: str,
    suggested: Mapping[str, str],
    keys: KeyNames = PLAIN_KEYS,
) -> str:
    """Return what to do next; ``keys`` are named as they are mapped."""
    watch = keys["wizard.watch"]
    if under_way == "watch":
        asked = _ask(view, suggested, keys)
        return f"under way: watch: {watch} ends it and keeps what was seen{asked}"
    if under_way:
        return f"under way: {under_way} ..."
    if view.stage in {"closed", "adjudicated"}:
        return "the window is closed: nothing is left to do here"
    if not view.registered:
        return (
            f"next: {keys['wizard.register']} registers the objectives, each told; sealing may "
            "come before or after"
            if checked
            else f"next: {keys['wizard.check']} looks at the server; it reads only and changes "
            "nothing"
        )
    if view.unpinned:
        asked = _ask(view, suggested, keys).lstrip("; ")
        whose = f" for {_some(view.unpinned)}" if len(view.unpinned) < len(view.units) else ""
        return asked or f"next: {watch} watches which log counter moves{whose}"
    if not view.seal:
        once_more = "read registration.toml once more: no change after that"
        return f"next: {keys['wizard.seal']} seals the gate ({once_more})"
    back = keys["back"]
    if view.stage == "open":
        return f"all is done; {back} goes back to the grid"
    start = f"{keys['run.collect']} on the run's screen starts the collector"
    return f"next: {back}, then {start}, which opens the window"


def _ask(view: RunView, suggested: Mapping[str, str], keys: KeyNames) -> str:
    ready = [unit for unit in view.unpinned if unit in suggested]
    if not ready:
        return ""
    silent = [unit for unit in view.unpinned if unit not in suggested]
    whom = "every unit" if len(ready) == len(view.units) else counted(len(ready), "unit")
    but = f", not yet for {_some(silent)}" if silent else ""
    return f"; a log is suggested for {whom}{but}: {keys['wizard.pin']} pins, after asking"


def _some(units: Sequence[str]) -> str:
    """Return the first of some units by name, and how many more there are."""
    more = len(units) - _NAMED
    return ", ".join(units[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def register_meaning(view: RunView, endpoint: Endpoint) -> str:
    """Return what a registration changes, and on which server."""
    return (
        f"It creates on {endpoint} those of the run's "
        f"{counted(len(view.objectives), 'objective')} that are not there yet, and reads the start "
        "counts. What exists stays as it is. Nothing here ever takes an objective away "
        f"again{endpoint.set_by}."
    )
