"""The lines of the replay's screen. Pure functions of a view, a moment and a width.

Nothing here speaks of a collector or of a next poll: what is shown has been.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from plateau_tui.console.lines.grid import ROOMY, run_gaps
from plateau_tui.console.lines.text import fold, fold_words, harmless
from plateau_tui.console.lines.text import moment as moment_of
from plateau_tui.console.live import faults
from plateau_tui.console.live.view import RunView
from plateau_tui.console.live.windowreadings import SILENT, WHOLE
from plateau_tui.console.replay.onepass import named
from plateau_tui.console.replay.timeline import MomentOfRun
from plateau_tui.metric.plain import counted
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.state import ITEMS_REMOVED, OTHER_ARM
from plateau_tui.runlog.times import format_ms

SPEEDS: Final = (1, 10, 60, 600, 3600, 36_000, 360_000)
"""Seconds of the log that pass in one of ours."""
BAR_MEANS: Final = (
    "The bar is the window: # here, = read, - read later, ~ a counter was not read, + so in a few "
    "of its cycles, x nothing was read or no rows, . not recorded. A click goes there."
)
_NAME: Final = "REPLAY"
_NAMED: Final = 3
_TOLD: Final = faults.FOR_GOOD | {OTHER_ARM, ITEMS_REMOVED}
"""Faults that are told by what they came to."""
_MOST_TAIL: Final = 2
_RCON: Final = {True: "RCON was ok", False: "RCON FAULT then", None: "RCON ?"}


@dataclass(frozen=True, slots=True)
class Playing:
    """Whether the replay plays, how fast, and how far the log is read."""

    plays: bool
    speed: int
    told: str
    done: bool

    @property
    def words(self) -> str:
        """What the header says of it."""
        return f"{'playing' if self.plays else 'paused'} {self.speed}x"

    @property
    def brief(self) -> str:
        """The same where there is little room."""
        return f"{self.speed}x" if self.plays else "paused"


def usual_speed(interval_ms: int) -> int:
    """Return the least speed of ``SPEEDS`` that shows a cycle a second or more."""
    return next((speed for speed in SPEEDS if speed * 1000 >= interval_ms), SPEEDS[-1])


def title_line(name: str, told: str, width: int) -> str:
    """Return the header while there is no moment to show yet."""
    return harmless(f"{_NAME}  {harmless(name, 40)}  {told}", width)


def replay_header(
    view: RunView, moment: MomentOfRun, playing: Playing | None, width: int
) -> list[str]:
    """Return the header: that this is a replay, of what and when; then how it was read then."""
    roomy = width >= ROOMY
    when = format_ms(moment.slot_ms)[: 19 if roomy else 16].replace("T", " ")
    first = [
        _NAME,
        harmless(view.name, 24 if roomy else 12),
        f"cycle {moment.cycle + 1} of {view.cycles}",
        f"{when} UTC" if roomy else when,
        *([playing.words if roomy else playing.brief] if playing is not None else []),
    ]
    broken = "BROKEN then " if view.seal_broken else ""
    second = [
        f"was {view.stage.upper()}" if view.seal or view.journal else "rows alone",
        _RCON[view.rcon_ok],
        f"gaps {'so far ' if roomy else ''}{run_gaps(view)}",
        f"wood {_wood(view)}",
        *([f"seal {broken}{view.seal if roomy else view.seal[:8]}"] if view.seal else []),
        *([counted(view.unreadable, "unreadable line")] if view.unreadable else []),
        *([playing.told] if playing is not None and playing.told else []),
    ]
    return [*fold(first, width), *fold(second, width)]


def _wood(view: RunView) -> str:
    pinned = {unit.baseline for unit in view.units}
    if pinned <= {None}:
        return "not pinned"
    if None in pinned:
        return f"not pinned for {len(view.unpinned)}"
    return " ".join(sorted(wood for wood in pinned if wood))


def here_line(moment: MomentOfRun, view: RunView, unread: str, width: int) -> str:
    """Return what changed in the cursor's cycle; where nothing did, what was wrong by then.

    ``unread`` is the timeline's.
    """
    wrong = wrong_then(view, moment, unread, _NAMED)
    if moment.changed:
        void = "! can only end WITHHELD; " if view.voided else ""
        changes = "; ".join(harmless(text) for text in moment.changed)
        return harmless(f"{void}> {changes}", width)
    if wrong:
        more = f"! (+{len(wrong) - 1}) " if len(wrong) > 1 else "! "
        return harmless(more + wrong[0], width)
    return "nothing changed in this cycle"


def wrong_then(view: RunView, moment: MomentOfRun, unread: str, most: int) -> list[str]:
    """Return what was wrong with the run by that moment, worst first.

    Of so many units at the ``most`` the names are told.
    """
    told = []
    reading = moment.state.reading
    if view.seal_broken:
        told.append("registration.toml was not what had been sealed")
    told += [f"{fact}: from then on the run could only end WITHHELD" for fact in view.voided]
    if view.items_removed:
        told.append("a count probe had removed items; no inventory was asked any more")
    if view.missing:
        told.append(f"gone from the server: {', '.join(view.missing)}")
    if view.rcon_ok is False or reading != WHOLE:
        told.append(_unread_here(moment, most) + f"{': ' if view.fault else ''}{view.fault}")
    told += _of_faults(view)
    if view.fell:
        told.append(f"counters that had fallen by then: {view.fell}")
    doubtful = [u for u in view.units if not u.pin_confirmed and u.secondary is None]
    if doubtful:
        woods = " ".join(sorted({unit.baseline for unit in doubtful if unit.baseline}))
        names = named([unit.name for unit in doubtful], most)
        told.append(f"SECONDARY may stay ? for {names}: another log was mined, {woods} never")
    return [*told, unread] if unread else told


def _of_faults(view: RunView) -> Iterator[str]:
    """Yield what else the journal had told by then and had not ended."""
    for fault in view.log_faults:
        cause = fault.text.partition("; ")[0]
        end = ": from then on the run could only end WITHHELD"
        yield f"{cause}{_since(fault)}{end if fault.code == faults.LOG_EDITED else ''}"
    for restart in view.restarted:
        yield f"{restart.file} had begun anew ({restart.reason})"
    for fault in view.faults:
        if fault.code not in _TOLD and not (view.fault and fault.code == view.fault_code):
            yield f"{fault.text}{_since(fault)}"
    if view.clock_off_s:
        yield f"the wall clock was {view.clock_off_s:+.0f} s off"


def _since(fault: ev.Fault) -> str:
    return "" if fault.cycle is None else f" since cycle {fault.cycle + 1}"


def _unread_here(moment: MomentOfRun, most: int) -> str:
    if moment.state.reading == SILENT:
        return "no counter was read in this cycle"
    names = moment.state.unread_in(moment.cycle)
    of_whom = f" of {named(names, most)}" if names else ""
    return f"not everything was read in this cycle{of_whom}"


def replay_tail(
    view: RunView, moment: MomentOfRun, notices: Sequence[str], width: int
) -> list[str]:
    """Return the journal up to the cursor; where there is none, what must be said of the log.

    A line of another day than the cursor's has its date.
    """
    if view.journal:
        today = format_ms(moment.slot_ms)[:10]
        return [f"{moment_of(entry.ts, today)} {entry.text}" for entry in view.journal]
    weightiest_last = reversed(notices)  # of what has no room the end is shown
    return [line for notice in weightiest_last for line in fold_words(f"- {notice}", width)]


def tail_lines_wanted(view: RunView, notices: Sequence[str], width: int) -> int:
    """Return how many lines the units leave: the journal's last, or the weightiest notice."""
    if view.journal or not notices:
        return 1
    return min(_MOST_TAIL, len(fold_words(f"- {notices[0]}", width)))


def out_of_view(units: int, find: str) -> str:
    """Return how many units no line shows, and the key that finds one; nothing without any."""
    return f"{counted(units, 'unit')} out of view ({find}); " if units else ""


def page_text(view: RunView, moment: MomentOfRun, unread: str, notices: Sequence[str]) -> str:
    """Return all that is to be said of a moment and its log: notices, what was wrong."""
    found = wrong_then(view, moment, unread, len(view.units))
    wrong = [f"! {text}" for text in found] or ["nothing was wrong by then"]
    notes = [f"note: {notice}" for notice in notices]
    here = [f"> {text}" for text in moment.changed]
    return "\n".join([*notes, *here, *wrong, "", BAR_MEANS])


def unit_title(moment: MomentOfRun, view: RunView, width: int) -> str:
    """Return the heading of what another screen shows as of the cursor: the log, and when."""
    when = format_ms(moment.slot_ms)[: 19 if width >= ROOMY else 16].replace("T", " ")
    when += " UTC" if width >= ROOMY else ""
    words = [_NAME, harmless(view.name, 24), f"cycle {moment.cycle + 1} of {view.cycles}", when]
    return harmless("  ".join(words), width)
