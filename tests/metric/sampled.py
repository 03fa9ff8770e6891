"""Runs drawn at random, told row by row: counters only rise, some are unread, some lists fail."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random

from metric.cases import (
    ANSWERED,
    GATE,
    Row,
    Story,
    case_of,
    facts_of,
    names,
    narrow,
    registration,
)

from plateau_tui.metric.attestation import Attestation
from plateau_tui.metric.casefile import JournalFacts, PinFact
from plateau_tui.metric.objectives import LOG_SPECIES, MINE_BLOCKS, PLACE_BLOCKS
from plateau_tui.metric.outcome import Verdict
from plateau_tui.metric.registration import Registration
from plateau_tui.metric.verdict import adjudicate

RUNS = 120
Counts = dict[str, int | None]


@dataclass(frozen=True)
class Run:
    sealed: Registration
    stories: Mapping[str, Story]
    facts: JournalFacts
    attestation: Attestation

    def verdict(self) -> Verdict:
        case = case_of(self.sealed, self.stories, self.attestation, self.facts)
        return adjudicate(case, narrow)

    def with_story(self, name: str, story: Story) -> "Run":
        return replace(self, stories={**self.stories, name: story})

    def with_gate(self, **changes: object) -> "Run":
        gate = replace(self.sealed.gate, **changes)  # type: ignore[arg-type] # fields of it
        return replace(self, sealed=replace(self.sealed, gate=gate))


def rising(random: Random, blocks: tuple[str, ...], chance: float, cycles: int) -> list[Counts]:
    """Counters that only rise: each block begins to move in some cycle, or never."""
    starts = {
        block: random.randrange(cycles) if random.random() < chance else cycles for block in blocks
    }
    return [
        {block: max(0, cycle - start + 1) for block, start in starts.items()}
        for cycle in range(cycles)
    ]


def a_story(random: Random, ability: float, cycles: int, unread: float) -> Story:
    able = random.random() < ability
    placed = rising(random, PLACE_BLOCKS, 0.4 if able else 0.02, cycles)
    mined = rising(random, MINE_BLOCKS, 0.4 if able else 0.06, cycles)
    chops = random.random() < 0.8
    rows: list[Row] = []
    for cycle in range(cycles):
        if chops:
            mined[cycle]["oak_log"] = cycle + 1
        row = Row(placed[cycle], mined[cycle], online=random.random() < 0.95 or None)
        rows.append(unread_somewhere(random, row, unread))
    return rows


def unread_somewhere(random: Random, row: Row, chance: float) -> Row:
    def some(counts: Mapping[str, int | None]) -> Counts:
        whole = random.random() < chance / 2
        return {
            block: None if whole or random.random() < chance / 4 else count
            for block, count in counts.items()
        }

    return replace(row, placed=some(row.placed), mined=some(row.mined))


def a_run(random: Random, *, tolerance: int | None = None) -> Run:
    pairs, cycles = random.randint(1, 4), random.randint(1, 4)
    gate = replace(
        GATE,
        k_primary=random.randint(1, max(1, pairs - 1)),
        k_secondary=random.randint(1, max(1, pairs - 1)),
        margin=random.choice([0.0, 0.2]),
        max_absent_polls=random.randint(0, 2) if tolerance is None else tolerance,
        wood="all_logs" if random.random() < 0.25 else "baseline_only",
        place="beyond_table" if random.random() < 0.25 else "any",
        contrast_on=random.choice(["plateau_break", "primary"]),
    )
    sealed = registration(pairs, cycles, gate)
    unread = random.choice([0.0, 0.0, 0.3])
    able = {"T": random.choice([0.05, 0.8, 0.95]), "C": 0.2}
    stories = {name: a_story(random, able[name[0]], cycles, unread) for name in names(sealed)}
    pins = {
        name: PinFact("oak_log" if random.random() < 0.9 else random.choice(LOG_SPECIES))
        for name in names(sealed)
    }
    return Run(sealed, stories, facts_of(sealed, pins=pins), ANSWERED)


def runs(
    seed: int, *, tolerance: int | None = None, count: int = RUNS
) -> Iterator[tuple[Random, Run]]:
    random = Random(seed)
    for _ in range(count):
        yield random, a_run(random, tolerance=tolerance)
