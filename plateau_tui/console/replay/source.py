"""What a log is replayed under: its gate and units, its pins, and what must be said of it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from plateau_tui.collector.run import registration_of
from plateau_tui.console.replay.journal import JournalBook, JournalRecord
from plateau_tui.console.replay.rules import Pin, Rules
from plateau_tui.metric.objectives import METRIC_OBJECTIVES, SCORED, Objective, Role
from plateau_tui.metric.plain import counted, is_are
from plateau_tui.metric.registration import Arm, Gate, Registration, Window
from plateau_tui.runlog.archive import Archive
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.rows import Row
from plateau_tui.runlog.state import RunState

_MAX_UNITS: Final = 400
_MAX_EXTRAS: Final = 64
_MAX_NAME: Final = 64
_AS_WRITTEN: Final = Gate(
    k_primary=1,
    k_secondary=1,
    margin=0.0,
    confidence=0.95,
    interval_method="exact_unconditional",
    contrast_on="plateau_break",
    max_absent_polls=3,
    wood="baseline_only",
    place="any",
    start_counts="zero",
    accept="",
)
"""§2c as written; its thresholds decide nothing on the screen."""

ZERO_MEANS: Final = "a 0 here may be a counter that was not read, so a 'no' may be a '?'"
"""In a line of 80 cells: it stands under the units of any such file."""
_WHY_ZERO: Final = "the lab's earlier collector wrote 0 for what it could not read, too"


class Roster:
    """The units and extra counters of rows without a registration, as they come."""

    def __init__(self) -> None:
        self._units: dict[str, tuple[Literal["treatment", "control"], str, int]] = {}
        self._extras: dict[str, None] = {}
        self._tracked: set[str] = set()
        self._read: set[str] = set()
        self.left_out = 0
        self.grew = True
        self._counters = Rules(self.registration("", Window(1, 1)), RunState())

    def take(self, row: Row) -> bool:
        """Note a row's unit, and its counters once they were read; say whether its row counts."""
        if row.uni not in self._units:
            if len(self._units) >= _MAX_UNITS or len(row.uni) > _MAX_NAME:
                self.left_out += 1
                return False
            self._units[row.uni] = (row.role, row.arm, row.kin)
            self.grew = True
        if row.rcon_ok and row.uni not in self._read:
            self._read.add(row.uni)
            self._take_counters(self._counters.raw_counts(row))
        return True

    def _take_counters(self, counts: Mapping[str, object]) -> None:
        known = {o.name for o in METRIC_OBJECTIVES}
        for name in counts.keys() - known - self._extras.keys():
            if len(self._extras) < _MAX_EXTRAS:
                self._extras[name] = None
                self.grew = True
        self._tracked.update(counts.keys() & known)

    @property
    def counters(self) -> tuple[str, ...]:
        """The names of all counters so far, as the registration has them."""
        return (*(o.name for o in METRIC_OBJECTIVES), *self._extras)

    def strangers(self, names: Iterable[str]) -> list[str]:
        """Return those of some names that no unit has; the empty one stands for all units."""
        return [name for name in names if name and name not in self._units]

    @property
    def untracked(self) -> tuple[str, ...]:
        """The scored counters that no row has."""
        return tuple(name for name in SCORED if name not in self._tracked)

    def registration(self, name: str, window: Window) -> Registration:
        """Return a gate that says no more than the rows do."""
        self.grew = False
        return Registration(
            run_id=name,
            variable="",
            later_gates=(),
            treatment=self._arm("treatment"),
            control=self._arm("control"),
            window=window,
            gate=_AS_WRITTEN,
            arm_values={},
            extensions=tuple(Objective(n, "", Role.EXTRA, n) for n in self._extras),
        )

    def _arm(self, role: Literal["treatment", "control"]) -> Arm:
        own = {name: rest for name, rest in self._units.items() if rest[0] == role}
        _, label, kin = next(iter(own.values()), (role, role, 0))
        return Arm(role, label, kin, tuple(sorted(own, key=_by_number)))


def _by_number(name: str) -> list[tuple[int, str]]:
    """Return a key that puts UNI-10-2 before UNI-10-10."""
    parts = re.split(r"([0-9]{1,9})", name)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


@dataclass(frozen=True, slots=True)
class ReplaySource:
    """A log with what it is replayed under."""

    archive: Archive
    registration: Registration
    rules: Rules
    journal: JournalRecord = field(default_factory=JournalRecord)
    notices: tuple[str, ...] = ()
    """What must be said of this log, whatever is shown of it; the weightiest comes first."""

    @property
    def bare(self) -> bool:
        """Whether there are rows and nothing else."""
        return self.archive.run is None


Pins = Mapping[str, tuple[Pin, ...]]
"""Unit -> the species that its rows were found to be pinned to."""


def run_source(archive: Archive, run: RunFolder, book: JournalBook, pins: Pins) -> ReplaySource:
    """Return what a run or an export is replayed under, by its journal as far as it was read.

    ``pins`` are those of the rows; they count where there is no journal.

    Raises:
        ConfigError: its registration cannot be used.

    """
    registration = registration_of(run, book.state)
    record = book.record(registration)
    notices = []
    if record.left_out:
        lines = counted(record.left_out, "line")
        notices.append(f"{lines} of the journal {is_are(record.left_out)} too many to show")
    in_rows = not record.entries
    return ReplaySource(
        archive=archive,
        registration=registration,
        rules=Rules(
            registration,
            book.state,
            pins if in_rows else record.pins,
            pins_in_rows=in_rows,
            cycles=registration.window.cycles,
            gone=record.gone,
        ),
        journal=record,
        notices=tuple(notices),
    )


def bare_source(
    archive: Archive, roster: Roster, window: Window, wood: Mapping[str, str], pins: Pins
) -> ReplaySource:
    """Return what the rows of a bare file are replayed under.

    Args:
        archive: the file.
        roster: its units and counters so far.
        window: its interval and cycles so far.
        wood: pins that an operator named; then the rows' own count for nothing.
        pins: those of the rows.

    """
    earlier = archive.kind == "earlier"
    registration = roster.registration(archive.name, window)
    rules = Rules(
        registration,
        RunState(),
        pins,
        pins_in_rows=not wood and not earlier,
        wood=wood,
        zero_may_be_unread=earlier,
        no_lists=earlier,
    )
    return ReplaySource(archive, registration, rules, notices=_bare_notices(archive, roster, wood))


def _bare_notices(archive: Archive, roster: Roster, wood: Mapping[str, str]) -> tuple[str, ...]:
    """Return what must be said of a bare file of rows."""
    earlier = archive.kind == "earlier"
    told = [ZERO_MEANS, _WHY_ZERO] if earlier else []
    if earlier and roster.untracked:
        told.append(f"never counted here, so unknown: {', '.join(roster.untracked)}")
    if earlier and not wood:
        told.append(
            "this file names no BASELINE_WOOD: SECONDARY stays '?'; name it with --wood oak_log"
        )
    strangers = roster.strangers(wood)
    if strangers:
        told.append(f"--wood names no unit of this file: {', '.join(strangers)}")
    if wood:
        told.append("BASELINE_WOOD is what --wood says, not what a run was pinned to")
    if archive.roles_assumed:
        told.append("its arms have no roles: the first one is taken for the treatment")
    told.append("rows alone: scored as the metric is written, units paired by their names' numbers")
    if roster.left_out:
        rows = counted(roster.left_out, "row")
        told.append(f"{rows} of more units than can be shown: left out")
    return tuple(told)
