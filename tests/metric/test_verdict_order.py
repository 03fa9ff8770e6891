"""The order of claims, over every state of three pairs and samples above: nothing raises a word.

A state says of each unit where it stands in each half: r(eached), n(ot reached), u(nknown).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from random import Random

import pytest
from metric.cases import GATE, narrow

from plateau_tui.metric.decision import decide
from plateau_tui.metric.outcome import Standing
from plateau_tui.metric.registration import ArmRole, Gate
from plateau_tui.metric.standing import Halves, UnitStanding

WORDS: dict[str, Standing] = {"r": "reached", "n": "not reached", "u": "unknown"}
RANK = {6: 0, 7: 0, 8: 0, 9: 0, 10: 2, 11: 1, 12: 1, 13: 1}

Half = tuple[str, str]
"""PRIMARY and SECONDARY of one unit."""
Pair = tuple[Half, Half]
State = tuple[Pair, ...]

HALVES: list[Half] = [(p, s) for p in "rnu" for s in "rnu"]
PAIRS: list[Pair] = [(t, c) for t in HALVES for c in HALVES]


@cache
def halves(state: Half, *, apart: bool = False) -> Halves:
    """The standings; ``apart``: no row showed both, although some row showed each."""
    both = "n" if "n" in state or apart else "u" if "u" in state else "r"
    return Halves(WORDS[state[0]], WORDS[state[1]], WORDS[both])


@cache
def unit(role: ArmRole, pair: int, state: Half, where: str = "live") -> UnitStanding:
    found = halves(state)
    return UnitStanding(
        name=f"{role}{pair}",
        arm=role,
        role=role,
        pair=pair,
        pin="oak_log",
        pin_confirmed=True,
        seen=where != "never",
        live=where == "live",
        registered=found,
        as_written=found,
    )


def units(state: State) -> list[UnitStanding]:
    return [unit("treatment", i, t) for i, (t, _) in enumerate(state)] + [
        unit("control", i, c) for i, (_, c) in enumerate(state)
    ]


def row_of(state: State, gate: Gate = GATE) -> int:
    return decide(gate, units(state), narrow).row


def by_hand(state: State) -> int:
    """Rows 7 to 13 once more, told in the words of the table for K = 2 and margin 0."""
    n = len(state)
    treatment, control = [t for t, _ in state], [c for _, c in state]
    known = [sum(t[i] == "r" for t in treatment) for i in (0, 1)]
    possible = [sum(t[i] != "n" for t in treatment) for i in (0, 1)]
    if possible[0] < 2 and possible[1] < 2:
        return 7
    if known[0] < 2 and known[1] < 2:
        return 8
    if all(sum(c[i] != "n" for c in control) >= known[i] for i in (0, 1)):
        return 9
    same = sum(t == ("r", "r") for t in treatment) >= 2
    hits = [(t == ("r", "r"), "n" not in c) for t, c in state]
    difference = Fraction(sum(t for t, _ in hits) - sum(c for _, c in hits), n)
    limits = narrow(
        hits.count((True, True)),
        hits.count((True, False)),
        hits.count((False, True)),
        hits.count((False, False)),
        confidence=0.95,
        method="",
    )
    contrast = difference > 0 and limits is not None and limits[0] > 0
    if known[0] >= 2 and same and contrast:
        return 10
    if known[0] >= 2 and known[1] >= 2:
        return 11
    return 12 if known[0] >= 2 else 13


def changed(half: Half, moves: str) -> Iterator[Half]:
    """Every state that one of the moves (like "rn") makes of one half."""
    for move in moves.split():
        if half[0] == move[0]:
            yield move[1], half[1]
        if half[1] == move[0]:
            yield half[0], move[1]


def moved(state: State, treatment: str, control: str) -> Iterator[State]:
    """Every state that one move of one unit makes, its pairs in order."""
    for i, (t, c) in enumerate(state):
        rest = state[:i] + state[i + 1 :]
        for after in changed(t, treatment):
            yield tuple(sorted((*rest, (after, c))))
        for after in changed(c, control):
            yield tuple(sorted((*rest, (t, after))))


@pytest.fixture(scope="module")
def rows() -> dict[State, int]:
    """The row that decides, for every state of three live pairs; the pairs' order is nothing."""
    return {state: row_of(state) for state in combinations_with_replacement(sorted(PAIRS), 3)}


def test_every_state_of_three_pairs_has_the_row_of_the_table(rows: dict[State, int]) -> None:
    assert len(rows) == 91_881
    wrong = [state for state, row in rows.items() if by_hand(state) != row]
    assert wrong == []
    assert set(rows.values()) == {7, 8, 9, 10, 11, 12, 13}


LINES = {
    "a treatment unit that loses a half": ("rn ru", ""),
    "a control unit that gains one": ("", "nr ur"),
    "an unread counter": ("ru nu", "ru nu"),
}


@pytest.mark.parametrize("line", LINES)
def test_no_state_of_three_pairs_is_raised_by(line: str, rows: dict[State, int]) -> None:
    raised = [
        (state, after)
        for state, row in rows.items()
        if RANK[row] < 2
        for after in moved(state, *LINES[line])
        if RANK[rows[after]] > RANK[row]
    ]
    assert raised == []


def test_fail_stays_fail_however_the_unknowns_are_completed(rows: dict[State, int]) -> None:
    """One by one; so all of them together."""
    completed = "ur un"
    lost = [
        state
        for state, row in rows.items()
        if row == 7 and any(rows[after] != 7 for after in moved(state, completed, completed))
    ]
    assert lost == []


def test_what_is_not_fail_before_row_9_could_still_be_met(rows: dict[State, int]) -> None:
    """Row 8 is no FAIL in hiding: some completion of its unknowns is another row."""
    for state, row in rows.items():
        if row == 8:
            best = tuple(
                sorted(((t[0].replace("u", "r"), t[1].replace("u", "r")), c) for t, c in state)
            )
            assert rows[best] not in {7, 8}


# -- deaths: every state of two pairs ------------------------------------------------------------

FEW: list[Half] = [("r", "r"), ("r", "n"), ("n", "n"), ("u", "u")]
PLACES = ("live", "lost", "never")
ONE = replace(GATE, k_primary=1, k_secondary=1)


def test_no_set_of_deaths_raises_a_word_of_two_pairs() -> None:
    ranks: dict[tuple[tuple[Half, str], ...], int] = {}
    members = [(half, where) for half in FEW for where in PLACES]
    for state in product(members, repeat=4):
        # The pairs' order is nothing.
        if state[:2] > state[2:]:
            continue
        found = [
            unit("control" if i % 2 else "treatment", i // 2, half, where)
            for i, (half, where) in enumerate(state)
        ]
        ranks[state] = RANK[decide(ONE, found, narrow).row]
    assert set(ranks.values()) == {0, 1, 2}
    for state, rank in ranks.items():
        alive = tuple((half, where.replace("lost", "live")) for half, where in state)
        alive = alive if alive[:2] <= alive[2:] else alive[2:] + alive[:2]
        assert rank <= ranks[alive]


# -- samples above three pairs -------------------------------------------------------------------

SAMPLES = 400


def sampled_gate(random: Random, pairs: int) -> Gate:
    return replace(
        GATE,
        k_primary=random.randint(1, pairs),
        k_secondary=random.randint(1, pairs),
        margin=random.choice([0.0, 0.1, 0.2, 0.5]),
        confidence=random.choice([0.6, 0.8, 0.95]),
        contrast_on=random.choice(["plateau_break", "primary"]),
    )


def sampled(random: Random, pairs: int) -> list[UnitStanding]:
    found = []
    roles: tuple[ArmRole, ...] = ("treatment", "control")
    for role in roles:
        good = "rrrrn" if role == "treatment" else "nnnnr"
        for pair in range(pairs):
            letters = good + "u" * random.randint(0, 1)
            state = (random.choice(letters), random.choice(letters))
            where = random.choice(["live"] * 8 + ["lost", "never"])
            one = unit(role, pair, state, where)
            apart = halves(state, apart=random.random() < 0.1)
            found.append(replace(one, registered=apart, as_written=apart))
    return found


def pair_of(random: Random) -> tuple[Gate, list[UnitStanding]]:
    pairs = random.randint(4, 8)
    return sampled_gate(random, pairs), sampled(random, pairs)


def rank(gate: Gate, found: Sequence[UnitStanding]) -> int:
    return RANK[decide(gate, found, narrow).row]


def with_half(one: UnitStanding, half: str, standing: Standing) -> UnitStanding:
    """One half changed in both readings, and both halves after it."""
    if half == "primary":
        found = replace(one.registered, primary=standing)
    else:
        found = replace(one.registered, secondary=standing)
    if "not reached" in (found.primary, found.secondary):
        both: Standing = "not reached"
    elif "unknown" in (found.primary, found.secondary):
        both = "unknown"
    else:
        both = found.both
    found = replace(found, both=both)
    return replace(one, registered=found, as_written=found)


def test_samples_reach_every_row() -> None:
    random = Random(1)
    rows = {decide(*pair_of(random), narrow).row for _ in range(SAMPLES)}
    assert rows == {6, 7, 8, 9, 10, 11, 12, 13}


@pytest.mark.parametrize(
    ("role", "before", "after"),
    [
        ("treatment", "reached", "not reached"),
        ("treatment", "reached", "unknown"),
        ("treatment", "not reached", "unknown"),
        ("control", "not reached", "reached"),
        ("control", "not reached", "unknown"),
    ],
)
def test_no_sample_is_raised_by_a_half_lost_gained_or_unread(
    role: ArmRole, before: Standing, after: Standing
) -> None:
    random = Random(2)
    tried = 0
    for _ in range(SAMPLES):
        gate, found = pair_of(random)
        half = random.choice(["primary", "secondary"])
        fitting = [
            i
            for i, one in enumerate(found)
            if one.role == role and getattr(one.registered, half) == before
        ]
        if not fitting:
            continue
        i = random.choice(fitting)
        new = with_half(found[i], half, after)
        if role == "control" and after == "reached" and new.registered.secondary == "reached":
            both = new.registered.primary
            new = replace(new, registered=replace(new.registered, both=both))
            new = replace(new, as_written=new.registered)
        tried += 1
        assert rank(gate, [*found[:i], new, *found[i + 1 :]]) <= rank(gate, found)
    assert tried > SAMPLES // 4


def test_no_sample_is_raised_by_deaths() -> None:
    random = Random(3)
    for _ in range(SAMPLES):
        gate, found = pair_of(random)
        alive = [replace(one, live=one.seen) for one in found]
        lost = [replace(one, live=one.live and random.random() < 0.7) for one in alive]
        assert rank(gate, lost) <= rank(gate, alive)


@pytest.mark.parametrize("which", ["k_primary", "k_secondary", "margin", "confidence"])
def test_no_sample_is_raised_by_a_larger(which: str) -> None:
    random = Random(4)
    for _ in range(SAMPLES):
        gate, found = pair_of(random)
        larger = {
            "k_primary": replace(gate, k_primary=gate.k_primary + 1),
            "k_secondary": replace(gate, k_secondary=gate.k_secondary + 1),
            "margin": replace(gate, margin=gate.margin + 0.15),
            "confidence": replace(gate, confidence=gate.confidence + 0.04),
        }[which]
        assert rank(larger, found) <= rank(gate, found)


STRICTER: dict[Standing, tuple[Standing, ...]] = {
    "reached": ("reached", "reached", "not reached", "unknown"),
    "unknown": ("unknown", "not reached"),
    "not reached": ("not reached",),
}


def test_no_sample_is_raised_by_a_stricter_reading() -> None:
    random = Random(5)
    for _ in range(SAMPLES):
        gate, found = pair_of(random)
        strict = [
            replace(
                with_half(
                    with_half(one, "primary", random.choice(STRICTER[one.as_written.primary])),
                    "secondary",
                    random.choice(STRICTER[one.as_written.secondary]),
                ),
                as_written=one.as_written,
            )
            for one in found
        ]
        assert rank(replace(gate, place="beyond_table"), strict) <= rank(gate, found)


def test_no_sample_is_raised_by_asking_primary_of_the_contrast_as_well() -> None:
    random = Random(6)
    for _ in range(SAMPLES):
        gate, found = pair_of(random)
        plain = replace(gate, contrast_on="plateau_break")
        assert rank(replace(gate, contrast_on="primary"), found) <= rank(plain, found)


def test_every_sample_puts_each_condition_in_one_list_and_row_9_holds_no_contrast() -> None:
    random = Random(7)
    for _ in range(SAMPLES):
        gate, found = pair_of(random)
        decision = decide(gate, found, narrow)
        assert sorted(decision.held + decision.not_held) == [
            "PRIMARY",
            "SECONDARY",
            "contrast",
            "same units",
        ]
        assert set(decision.not_measured) <= set(decision.not_held)
        assert ("same units" in decision.held) <= ({"PRIMARY", "SECONDARY"} <= set(decision.held))
        if decision.row == 9:
            assert "contrast" in decision.not_held
