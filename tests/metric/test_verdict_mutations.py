"""The order of claims from the rows up: runs are changed reading by reading, and none is raised.

Counters only rise here, as the seed has it (§2c); what a rollback does is told at the end.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random

import pytest
from metric.cases import (
    GATE,
    NOTHING,
    RANK,
    UNREAD,
    Row,
    Story,
    arms,
    case_of,
    judged,
    names,
    registration,
    told,
)
from metric.sampled import RUNS, Counts, Run, runs, unread_somewhere

from plateau_tui.metric.attestation import Attestation
from plateau_tui.metric.casefile import JournalFacts, LogProblem, PinFact
from plateau_tui.metric.verdict import adjudicate


def none_is_raised(
    seed: int, change: Callable[[Random, Run], Run], *, tolerance: int | None = None
) -> None:
    lowered = 0
    for random, run in runs(seed, tolerance=tolerance):
        before, after = run.verdict(), change(random, run).verdict()
        assert RANK[after.word] <= RANK[before.word], (run, before.reasons, after.reasons)
        lowered += RANK[after.word] < RANK[before.word]
    assert lowered > 0, "no change ever lowered a word: nothing was tested"


def test_the_runs_reach_every_word() -> None:
    words = [run.verdict().word for _, run in runs(0)]
    assert all(words.count(word) >= 5 for word in ("PASS", "PARTIAL", "FAIL", "WITHHELD"))


def a_unit(random: Random, run: Run, arm: str) -> str:
    return random.choice([name for name in names(run.sealed) if name.startswith(arm)])


def test_a_treatment_unit_that_loses_a_half_raises_nothing() -> None:
    def change(random: Random, run: Run) -> Run:
        name = a_unit(random, run, "T")
        none: Counts = {}
        if random.random() < 0.5:
            return run.with_story(name, [replace(row, placed=none) for row in run.stories[name]])
        return run.with_story(name, [replace(row, mined=none) for row in run.stories[name]])

    none_is_raised(1, change)


def test_a_control_unit_that_gains_a_half_raises_nothing() -> None:
    def change(random: Random, run: Run) -> Run:
        name = a_unit(random, run, "C")
        story, since = list(run.stories[name]), random.randrange(run.sealed.window.cycles)
        placed: Counts = {"dirt": 1}
        mined: Counts = {"stone": 1, "sand": 1}
        for cycle in range(since, len(story)):
            row = story[cycle]
            story[cycle] = (
                replace(row, placed={**row.placed, **placed})
                if since % 2
                else replace(row, mined={**row.mined, **mined})
            )
        return run.with_story(name, story)

    none_is_raised(2, change)


def test_unread_counters_raise_nothing() -> None:
    """Any of them, of any unit: with no tolerance at the window's end (see the last test)."""

    def change(random: Random, run: Run) -> Run:
        for name, story in run.stories.items():
            lost = [unread_somewhere(random, row, 0.5) for row in story]
            run = run.with_story(name, lost)
        return run

    none_is_raised(3, change, tolerance=0)


def test_unread_counters_of_the_treatment_raise_nothing_under_any_tolerance() -> None:
    def change(random: Random, run: Run) -> Run:
        name = a_unit(random, run, "T")
        lost = [unread_somewhere(random, row, 1.0) for row in run.stories[name]]
        return run.with_story(name, lost)

    none_is_raised(4, change)


def test_deaths_raise_nothing_against_the_same_run_with_none() -> None:
    for random, run in runs(5):
        cycles = run.sealed.window.cycles
        alive, dying = run, run
        for name, story in run.stories.items():
            present = [replace(row, online=True) for row in story]
            last = random.randint(1, 2 * cycles)
            gone = [
                row if cycle < last else replace(row, online=False)
                for cycle, row in enumerate(present)
            ]
            alive, dying = alive.with_story(name, present), dying.with_story(name, gone)
        assert RANK[dying.verdict().word] <= RANK[alive.verdict().word]


@pytest.mark.parametrize(
    ("name", "larger"),
    [
        ("k_primary", lambda gate: gate.k_primary + 1),
        ("k_secondary", lambda gate: gate.k_secondary + 1),
        ("margin", lambda gate: gate.margin + 0.3),
        ("confidence", lambda _: 0.999),
    ],
)
def test_a_larger_threshold_raises_nothing(name: str, larger: Callable[[object], object]) -> None:
    for _, run in runs(6):
        after = run.with_gate(**{name: larger(run.sealed.gate)}).verdict()
        assert RANK[after.word] <= RANK[run.verdict().word]


@pytest.mark.parametrize("stricter", [{"wood": "all_logs"}, {"place": "beyond_table"}])
def test_a_stricter_reading_raises_nothing(stricter: Mapping[str, str]) -> None:
    def change(_: Random, run: Run) -> Run:
        return run.with_gate(**stricter)

    none_is_raised(7, change)


ATTESTATIONS = [
    Attestation(
        adjudicator="ab",
        single_variable=single,
        other_differences=other,
        case=case,
        evidence=evidence,
    )
    for single in (None, True, False)
    for other in ((), ("the control ran on another day",))
    for case in (None, "a", "b")
    for evidence in ("", "receipts")
]


def test_no_attestation_raises_a_verdict_and_b_is_never_a_pass() -> None:
    for random, run in runs(8):
        unanswered = replace(run, attestation=Attestation()).verdict()
        for attestation in random.sample(ATTESTATIONS, 5):
            found = replace(run, attestation=attestation).verdict()
            assert found.word in {unanswered.word, "WITHHELD"}
            if found.word != unanswered.word:
                assert 3 in found.rows_that_apply
            if attestation.case == "b" and attestation.evidence:
                assert found.word == unanswered.word or found.row == 3
                assert (found.classification is None) or found.word != "PASS"


def test_an_early_close_raises_nothing() -> None:
    for _, run in runs(9):
        early = replace(run.facts, closed_early=True, close_why="power")
        assert replace(run, facts=early).verdict().word == "WITHHELD"


def test_a_broken_log_or_seal_raises_nothing() -> None:
    broken = {"problems": (LogProblem("chain_broken", ""),)}
    for _, run in runs(10):
        for changes in (broken, {"sealed_sha256": None}, {"registration_sha256_now": None}):
            facts = replace(run.facts, **changes)
            assert replace(run, facts=facts).verdict().word == "WITHHELD"


def completed(random: Random, story: Story) -> Story:
    """What was not read, as it may have been: counters that only rise."""
    rows: list[Row] = []
    for cycle, row in enumerate(story):
        filled = []
        for group in ("placed", "mined"):
            counts: Counts = {}
            for block, count in getattr(row, group).items():
                low = getattr(rows[-1], group)[block] if rows else 0
                later = [
                    known
                    for after in story[cycle + 1 :]
                    if (known := getattr(after, group)[block]) is not None
                ]
                top = min(later, default=low + 2)
                counts[block] = random.randint(low, max(low, top)) if count is None else count
            filled.append(counts)
        rows.append(replace(row, placed=filled[0], mined=filled[1]))
    return rows


def test_fail_stays_fail_however_the_unread_counters_are_completed() -> None:
    tried = 0
    for random, run in runs(11, tolerance=0, count=3 * RUNS):
        if run.verdict().word != "FAIL":
            continue
        for _ in range(3):
            whole = {name: completed(random, story) for name, story in run.stories.items()}
            assert replace(run, stories=whole).verdict().word == "FAIL"
        tried += any(None in row.placed.values() for s in run.stories.values() for row in s)
    assert tried > 3


# -- totality ------------------------------------------------------------------------------------


def test_there_is_an_answer_whatever_is_null_or_missing() -> None:
    for random, run in runs(12):
        sealed = run.sealed
        facts = random.choice(
            [
                JournalFacts(),
                JournalFacts(closed=True, sealed_sha256=""),
                replace(run.facts, pins={}, start={}),
                replace(run.facts, pins={"nobody": PinFact("\ud800")}),
            ]
        )
        odd = run.with_gate(
            margin=random.choice([0.0, float("nan"), float("inf"), -1.0]),
            confidence=random.choice([0.95, 2.0, float("nan")]),
            interval_method=random.choice(["tango", "no such method"]),
            k_primary=random.choice([0, 1, 99]),
            start_counts=random.choice(["zero", "offset"]),
            max_absent_polls=random.choice([-1, 0, 10**9]),
        )
        strange: Story = [
            random.choice([UNREAD, NOTHING, Row({"dirt": -5}, {}, None, phase=float("inf"))])
        ] * random.randint(0, 6)
        for stories in ({}, {names(sealed)[0]: strange, "somebody": told(NOTHING)}):
            found = adjudicate(case_of(odd.sealed, stories, run.attestation, facts))
            assert found.word in RANK
            assert found.reasons
            assert found.codes


def test_nothing_at_all_was_recorded() -> None:
    empty: dict[str, Story] = {name: [] for name in names(registration())}
    found = judged(empty, facts=JournalFacts(), attestation=Attestation())
    assert (found.word, found.rows_that_apply, found.final) == ("WITHHELD", (1, 2, 6), False)


# -- where the definition of "not reached" leaves the order of claims -----------------------------


def test_a_last_row_within_the_tolerance_counts_by_the_row_before_it() -> None:
    """As written, a unit that last said no may be unread for ``max_absent_polls`` cycles.

    So an unread last row can hide that a control reached it in the very end: the definition is
    followed, and the gap is disclosed with its unit and cycle. Nothing hides under a tolerance
    of 0.
    """
    sealed = registration(gate=replace(GATE, max_absent_polls=1))
    shown = arms([Row({"dirt": 1}, {"stone": 1, "sand": 1})] * 3, [NOTHING] * 3)
    late = [NOTHING, NOTHING, Row({"dirt": 1}, {"stone": 1, "sand": 1})]
    read = judged({**shown, "C1": late, "C2": late}, sealed)
    hidden = judged({**shown, "C1": [*late[:2], UNREAD], "C2": [*late[:2], UNREAD]}, sealed)
    assert (read.word, hidden.word) == ("PARTIAL", "PASS")
    said = [(d.unit, d.cycle) for d in hidden.disclosures if d.code == "gap_complete"]
    assert said == [("C1", 2), ("C2", 2)]
    none = registration(gate=replace(GATE, max_absent_polls=0))
    assert judged({**shown, "C1": [*late[:2], UNREAD], "C2": [*late[:2], UNREAD]}, none).word == (
        "PARTIAL"
    )
