"""What a copy of a replay holds: the facts of one moment of a log as plain text."""

from collections.abc import Sequence
from typing import Final

from plateau_tui.console.lines.grid import Columns, arm_line, columns_line, unit_line
from plateau_tui.console.lines.text import harmless
from plateau_tui.console.lines.unit import reading_lines
from plateau_tui.console.live.view import Role, RunView, UnitView
from plateau_tui.console.replay.lines import replay_header, wrong_then
from plateau_tui.console.replay.timeline import MomentOfRun
from plateau_tui.metric.fence import CLAIM_FENCE_SHORT
from plateau_tui.runlog.times import format_ms

_WIDTH: Final = 120
_ROLES: Final[tuple[Role, ...]] = ("treatment", "control")


def moment_text(view: RunView, moment: MomentOfRun, unread: str, notices: Sequence[str]) -> str:
    """Return what the replay's screen says of a moment, in full; ``unread`` is the timeline's."""
    lines = [
        f"plateau-tui: {as_it_stood(f'log {view.name}', moment, view)}",
        f"run_id: {view.run_id}",
        *replay_header(view, moment, None, _WIDTH),
        *(f"> {text}" for text in moment.changed),
        *(f"! {text}" for text in wrong_then(view, moment, unread, len(view.units))),
        *(f"note: {notice}" for notice in notices),
    ]
    for role in _ROLES:
        columns = Columns.fit(_WIDTH, view)
        lines += ["", arm_line(view, role, _WIDTH, moment.now_ms), columns_line(columns)]
        lines += [unit_line(unit, view, columns, moment.now_ms) for unit in view.of(role)]
    return _plain([*lines, "", CLAIM_FENCE_SHORT])


def unit_moment_text(unit: UnitView, view: RunView, moment: MomentOfRun) -> str:
    """Return what the screen of a replayed unit says."""
    title = f"plateau-tui: {as_it_stood(f'unit {unit.name} of log {view.name}', moment, view)}"
    return _plain([title, *reading_lines(unit, view, _WIDTH, moment.now_ms), CLAIM_FENCE_SHORT])


def as_it_stood(what: str, moment: MomentOfRun, view: RunView) -> str:
    """Return of what a copy is, and of when."""
    when = format_ms(moment.slot_ms)[:19].replace("T", " ")
    cycle = f"cycle {moment.cycle + 1} of {view.cycles}"
    return f"REPLAY of {what}, as it stood in {cycle}, {when} UTC"


def _plain(lines: list[str]) -> str:
    return "\n".join(harmless(line).rstrip() for line in lines) + "\n"
