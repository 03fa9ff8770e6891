"""What ``verify`` finds: problems with their place, and what they make of the log."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from plateau_tui.metric.tables import shown
from plateau_tui.runlog.lines import Place
from plateau_tui.runlog.trust import Condition, Stretch
from plateau_tui.runlog.unbeaten import CUT_OFF

MENDED_BY_ITSELF: Final = (
    "this is what a collector leaves that died while it wrote: the next collect, or close, "
    "makes it whole"
)
"""Ends the text of what needs no repair but the collector's own."""
_MAX_PROBLEMS: Final = 1000
"""Problems listed at most; a file that is wrong from its start would fill the disk with them."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that does not hold; ``line`` counts from 1, ``byte`` from 0."""

    code: str
    file: str
    line: int | None
    byte: int | None
    text: str


_TORN: Final = frozenset({"torn_tail", "cycle_incomplete", "heartbeat_missing"})
"""Codes of what a dead collector leaves at the end of a log."""

COPIED_TAIL: Final = "copied_tail"
"""Copies of earlier lines behind a log's end."""

_MISSING: Final = frozenset({"rows_cut", "journal_missing", "part_missing", CUT_OFF})

_LEFT_BY_A_CUT: Final = frozenset({"not_sealed", "outside_window", "pin_differs"})
"""What follows where the seal, the pins or the window's opening were cut off the journal."""

_LEFT_BY_A_PART: Final = frozenset(
    {"cycle_skipped", "cycle_incomplete", "row_missing", "cross_check", "heartbeat_order"}
)
"""What follows where an earlier file of a log is not here."""

REPAIRED: Final = "repaired.json"
"""The file that a repaired copy is known by; it says what was done."""


@dataclass
class VerifyResult:
    """What was checked and what does not hold; ``intact`` when nothing is amiss.

    ``trustworthy`` are the lines that can be relied on, by log; ``files`` those that each log is
    in, in order, where it is in several.
    """

    rows: int = 0
    cycles: int = 0
    rows_head: str = ""
    journal_head: str = ""
    problems: list[Problem] = field(default_factory=list)
    trustworthy: dict[str, tuple[Stretch, ...]] = field(default_factory=dict)
    files: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _codes: set[str] = field(default_factory=set)

    @property
    def intact(self) -> bool:
        """Whether everything holds."""
        return not self.problems

    @property
    def condition(self) -> Condition:
        """What the log is: the worst of what was found."""
        kinds = {kind_of(problem) for problem in self._causes()}
        worst: tuple[Condition, ...] = (
            "repaired copy",
            "changed",
            "missing",
            "appended to",
            "torn",
        )
        return next((kind for kind in worst if kind in kinds), "intact")

    @property
    def first(self) -> Problem | None:
        """The problem that the others follow from: where the first line stands that is amiss.

        Of what makes the log what it is; a break of a chain before what merely follows from one.
        """
        condition = self.condition
        found = [problem for problem in self._causes() if kind_of(problem) == condition]
        return min(found, key=_rank, default=None)

    def _causes(self) -> list[Problem]:
        """Return the problems less those that follow from a part that is not here."""
        codes = {problem.code for problem in self.problems}
        if "part_missing" in codes:
            return [problem for problem in self.problems if problem.code not in _LEFT_BY_A_PART]
        if CUT_OFF in codes:
            return [problem for problem in self.problems if problem.code not in _LEFT_BY_A_CUT]
        if "journal_missing" in codes:
            return [problem for problem in self.problems if problem.code != "not_sealed"]
        return self.problems

    def add(self, code: str, path: Path, place: Place | None, text: str) -> None:
        """Note a problem, at a line where there is one; the first of its kind in any case."""
        if len(self.problems) < _MAX_PROBLEMS or code not in self._codes:
            self._codes.add(code)
            number = None if place is None else place.number
            byte = None if place is None else place.byte
            name = path.name if place is None else place.file or path.name
            self.problems.append(Problem(code, name, number, byte, shown(text)))


def kind_of(problem: Problem) -> Condition:
    """Return what a problem makes of its log."""
    if problem.code == "repaired_copy":
        return "repaired copy"
    if problem.code in _TORN and problem.text.endswith(MENDED_BY_ITSELF):
        return "torn"
    if problem.code == COPIED_TAIL:
        return "appended to"
    if problem.code == "not_sealed" and not problem.file.startswith("journal"):
        return "missing"  # rows without the journal that held their gate
    return "missing" if problem.code in _MISSING else "changed"


def _rank(problem: Problem) -> tuple[bool, bool, int]:
    broken = problem.code in {"chain_broken", "unreadable_line", "part_missing"}
    return not broken, problem.file.startswith("journal"), problem.byte or 0
