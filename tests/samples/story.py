"""A run whose right answer is known, told as a story: who does what in which cycle."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

Deed = Literal["hoards", "places", "digs", "builds"]
"""What a unit does: it hoards; it also places planks; it also digs two kinds of block; or it digs
and places (both halves)."""

BUILD_FROM: Final = 2
"""The cycle in which a unit that does more than hoard begins with it."""
TREATMENT: Final = tuple(f"UNI-10-{number}" for number in range(1, 7))
CONTROL: Final = tuple(f"UNI-11-{number}" for number in range(1, 7))

ONE_VARIABLE: Final = """\
adjudicator = "sample"

[attribution]
single_variable = true
other_differences = []
"""
CURE_INEFFECTIVE: Final = (
    ONE_VARIABLE
    + """
[classification]
case = "a"
evidence = "The action words for placing and digging were present in every probe reading."
"""
)
STRUCTURE_DEFICIENT: Final = (
    ONE_VARIABLE
    + """
[classification]
case = "b"
evidence = "The probe shows no factor whose free energy a placed block would minimise."
"""
)
SECOND_VARIABLE: Final = """\
adjudicator = "sample"

[attribution]
single_variable = true
other_differences = ["control ran with a view distance of 4 chunks, treatment with 10"]
"""
ACCEPT: Final = "Three pairs cannot pass at 0.95; the run is made for its counts alone."


@dataclass(frozen=True)
class Story:
    """One sample run and its answer.

    ``gate`` replaces lines of the draft: key -> TOML value. ``absent`` and ``unread`` are by
    unit: the cycles in which it is not in ``list``, or in which nothing of it could be read.
    ``missing`` is an objective that the server forgets, and from which cycle on. ``edited`` is
    done to registration.toml after the close: old text, new text. ``phase`` gives every unit a
    rising phase from a probe.
    """

    name: str
    tells: str
    answer: str
    row: int
    deeds: Mapping[str, Deed] = field(default_factory=dict)
    attestation: str = ONE_VARIABLE
    pairs: int = 6
    cycles: int = 6
    gate: Mapping[str, str] = field(default_factory=dict)
    absent: Mapping[str, range] = field(default_factory=dict)
    unread: Mapping[str, range] = field(default_factory=dict)
    missing: tuple[str, int] | None = None
    unpinned: tuple[str, ...] = ()
    closed_after: int | None = None
    edited: tuple[str, str] | None = None
    phase: bool = False


def all_do(units: tuple[str, ...], deed: Deed) -> dict[str, Deed]:
    """Return the deeds of units that all do the same."""
    return dict.fromkeys(units, deed)


_CURED: Final = all_do(TREATMENT[:5], "builds") | all_do(CONTROL[:1], "places")
_THREE: Final = {"k_primary": "2", "k_secondary": "2", "accept": f'"{ACCEPT}"'}

STORIES: Final = (
    Story(
        "pass",
        "Five of six treatment units build; one control unit places planks and no more.",
        "PASS",
        10,
        _CURED,
    ),
    Story(
        "partial_primary",
        "All treatment units place planks, one of them digs as well: PRIMARY holds alone.",
        "PARTIAL",
        12,
        all_do(TREATMENT[:5], "places") | all_do(TREATMENT[5:], "builds"),
        CURE_INEFFECTIVE,
    ),
    Story(
        "partial_secondary",
        "Five treatment units dig two kinds of block and place none: SECONDARY holds alone.",
        "PARTIAL",
        13,
        all_do(TREATMENT[:5], "digs"),
        CURE_INEFFECTIVE,
    ),
    Story(
        "partial_other_units",
        "Three treatment units place, three others dig: both halves hold, on different units.",
        "PARTIAL",
        11,
        all_do(TREATMENT[:3], "places") | all_do(TREATMENT[3:], "digs"),
        CURE_INEFFECTIVE,
        gate={"k_primary": "3", "k_secondary": "3"},
    ),
    Story(
        "partial_three_pairs",
        "All three treatment units build and no control unit does; three pairs carry no interval.",
        "PARTIAL",
        11,
        all_do(TREATMENT[:3], "builds"),
        CURE_INEFFECTIVE,
        pairs=3,
        gate=_THREE,
    ),
    Story(
        "fail_clean",
        "Everybody hoards while the phase advances: the perverse path is all that happens.",
        "FAIL",
        7,
        phase=True,
    ),
    Story(
        "fail_not_clean",
        "Two of six treatment units place where four were asked: FAIL, and SR-2 asks why.",
        "FAIL",
        7,
        all_do(TREATMENT[:2], "places"),
        STRUCTURE_DEFICIENT,
    ),
    Story(
        "withheld_1_gate_edited",
        "The run of `pass`, with the margin edited after its close.",
        "WITHHELD",
        1,
        _CURED,
        edited=("margin = 0.0 ", "margin = 0.1 "),
    ),
    Story(
        "withheld_2_closed_early",
        "The run of `pass`, closed after four of six cycles.",
        "WITHHELD",
        2,
        _CURED,
        closed_after=4,
    ),
    Story(
        "withheld_3_second_variable",
        "The run of `pass`, whose adjudicator names a second difference between the arms.",
        "WITHHELD",
        3,
        _CURED,
        SECOND_VARIABLE,
    ),
    Story(
        "withheld_4_objective_lost",
        "The run of `pass`; the server forgot mine_sand from cycle 3 on.",
        "WITHHELD",
        4,
        _CURED,
        missing=("mine_sand", 3),
    ),
    Story(
        "withheld_5_not_pinned",
        "The run of `pass`; BASELINE_WOOD of one live unit was never pinned.",
        "WITHHELD",
        5,
        _CURED,
        unpinned=TREATMENT[1:2],
    ),
    Story(
        "withheld_6_no_live_pair",
        "Every pair lost a unit before the close, on one side or the other.",
        "WITHHELD",
        6,
        all_do(TREATMENT[:3], "builds"),
        pairs=3,
        gate=_THREE,
        absent={"UNI-10-1": range(1, 6), "UNI-11-2": range(2, 6), "UNI-11-3": range(2, 6)},
    ),
    Story(
        "withheld_8_not_read",
        "No counter of a treatment unit could be read after they began to build.",
        "WITHHELD",
        8,
        all_do(TREATMENT, "builds"),
        unread=dict.fromkeys(TREATMENT, range(BUILD_FROM, 6)),
        gate={"max_absent_polls": "2"},
    ),
    Story(
        "withheld_9_control_matches",
        "Everybody builds, in both arms: the cure is not the cause.",
        "WITHHELD",
        9,
        all_do(TREATMENT, "builds") | all_do(CONTROL, "builds"),
        CURE_INEFFECTIVE,
    ),
)


@dataclass(frozen=True)
class Answer:
    """The known answer of a sample run: the verdict, the row of the table that gives it, why."""

    name: str
    answer: str
    row: int
    tells: str


ANSWERS: Final = (
    *(Answer(story.name, story.answer, story.row, story.tells) for story in STORIES),
    Answer(
        "builders_vs_hoarders",
        "PARTIAL",
        11,
        "A demo: three builders against three hoarders at their own tables. Both halves hold; "
        "three pairs carry no interval at 0.95. SR-2 and SR-4 are unanswered: it is not final.",
    ),
    Answer(
        "hoarders_vs_hoarders",
        "WITHHELD",
        9,
        "A demo: everybody hoards, and places the crafting table that a pickaxe needs: PRIMARY in "
        "both arms, so the control matches.",
    ),
    Answer(
        "p1_inventory",
        "WITHHELD",
        6,
        "The published inventories of P1: no counter was read, and no `list` was published.",
    ),
    Answer("p2_final_counts", "WITHHELD", 9, "The published final counts of P2; worked out below."),
)
