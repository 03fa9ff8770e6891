"""Display names that change while a cycle is read: no row has another's count, nor a 0."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from collector.bench import Bench, Running
from collector.otherserver import OtherServer
from collector.test_truth import populate_other

from plateau_tui.collector.counters import CounterReader
from plateau_tui.collector.displays import Displays
from plateau_tui.collector.proof import Prover
from plateau_tui.collector.run import wall_ms
from plateau_tui.metric.registration import parse_registration
from plateau_tui.resources import game_ids
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.rows import Row

Change = Callable[[OtherServer], None]
CYCLES = 7
IRON, STONE = 5900, 70
UNITS = 3


def names(**shown: str) -> Change:
    """Give objectives other display names, all others their own."""

    def change(server: OtherServer) -> None:
        server.displays.update({name: shown.get(name, name) for name in server.displays})

    return change


own = names()
swapped = names(mine_stone="mine_iron", mine_iron="mine_stone")
doubled = names(mine_iron="mine_stone")
third = names(mine_stone="mine_sand", mine_sand="mine_stone")
cycled = names(mine_stone="mine_iron", mine_iron="mine_sand", mine_sand="mine_stone")


class At:
    """Changes names where a certain command comes in: the ``nth`` from when it was armed."""

    def __init__(self, server: OtherServer, what: str, nth: int, *changes: Change) -> None:
        self._server = server
        self._what = what
        self._left = nth
        self._changes = list(changes)
        self.asked = 0
        """How many commands the server had heard when names changed last."""

    def __call__(self, command: str) -> str:
        if self._what in command:
            self._left -= 1
            if self._left <= 0 and self._changes:
                with self._server.main:
                    self._changes.pop(0)(self._server)
                    self.asked = len(self._server.commands)
        return command


LISTS, LISTING = "scoreboard players list", "scoreboard objectives list"


def bench_of(tmp_path: Path, other: OtherServer, *, stone: int | None) -> Bench:
    """Return a run whose counters stand still: each value says whose it is."""
    bench = Bench.make(tmp_path, other.port, "other", units=UNITS, interval_s=0.3, cycles=CYCLES)
    populate_other(other, bench)
    for place, unit in enumerate(bench.units):
        for number, name in enumerate(bench.objectives):
            other.scores[unit, name] = 1000 * (number + 1) + place
        other.scores[unit, "mine_iron"] = IRON + place
        if stone is None:
            del other.scores[unit, "mine_stone"]
        else:
            other.scores[unit, "mine_stone"] = stone + place
    return bench


def wrong(bench: Bench, other: OtherServer) -> list[str]:
    """Return the counts that the server never held, and nulls without a note or an open fault."""
    told: list[str] = []
    for row in bench.rows():
        counts = {
            name: held(row, key) for key, name in bench.names.items() if not key.startswith("extra")
        }
        for name, count in counts.items():
            true = other.scores.get((row.uni, name), 0)
            if count not in {true, None}:
                told.append(f"cycle {row.cycle} {row.uni} {name} = {count}, not {true}")
            if count is None and (not row.note or row.rcon_ok):
                told.append(f"cycle {row.cycle} {row.uni} {name} is null without a word")
    return told


def held(row: Row, key: str) -> int | None:
    role, _, block = key.partition("/")
    return {"place": row.placed_used, "mine": row.mined, "craft": row.crafted}[role][block]


def nulls(bench: Bench) -> set[int]:
    """Return the cycles in which some counter is unknown and some is not.

    One in which nothing was read is a gap, which a busy machine may leave and the log tells.
    """
    known, unknown = set[int](), set[int]()
    for row in bench.rows():
        counts = [*row.placed_used.values(), *row.mined.values(), *row.crafted.values()]
        if None in counts:
            unknown.add(row.cycle)
        if any(count is not None for count in counts):
            known.add(row.cycle)
    return known & unknown


def silent(bench: Bench) -> set[int]:
    """Return the cycles with unknown counters at whose end no fault stands open."""
    at, open_at = -1, dict[int, set[str]]()
    lasting = set[str]()
    for event in bench.events():
        if isinstance(event, ev.Heartbeat):
            at = event.cycle
        elif isinstance(event, ev.Fault):
            lasting.add(event.code)
        elif isinstance(event, ev.Recovered):
            lasting.discard(event.code)
        open_at[at] = set(lasting)
    return {cycle for cycle in nulls(bench) if not open_at.get(cycle)}


MOMENTS = {
    "put right before the list of objectives": (swapped, LISTING, 1, [own]),
    "put right before the first list": (swapped, LISTS, 1, [own]),
    "put right among the lists": (swapped, LISTS, 4, [own]),
    "a doubled name put right among the lists": (doubled, LISTS, 4, [own]),
    "swapped among the lists": (own, LISTS, 4, [swapped]),
    "swapped for one list": (own, LISTS, 1, [swapped, own]),
    "swapped for a list among others": (own, LISTS, 3, [swapped, own]),
    "swapped before the list of objectives": (own, LISTING, 1, [swapped]),
    "three in another order among the lists": (third, LISTS, 4, [cycled]),
    "swapped for one literal answer": (own, "players get", 1, [swapped, own]),
    "put right before a literal answer": (swapped, "players get", 4, [own]),
}
"""How names stand before, and what becomes of them where which question comes in."""


@pytest.mark.parametrize(
    ("stone", "sort_by_display"),
    [(None, False), (STONE, False), (STONE, True)],
    ids=["unset", "set", "set, listed by display name"],
)
@pytest.mark.parametrize("moment", MOMENTS.values(), ids=list(MOMENTS))
def test_names_that_change_in_a_cycle_make_no_value_wrong(
    tmp_path: Path,
    other: OtherServer,
    moment: tuple[Change, str, int, list[Change]],
    stone: int | None,
    sort_by_display: bool,
) -> None:
    before, what, nth, changes = moment
    other.sort_by_display = sort_by_display
    bench = bench_of(tmp_path, other, stone=stone)
    with Running(bench) as running:
        running.until(lambda: bench.cycles() >= 1)
        with other.main:
            before(other)
        seen = bench.cycles()
        running.until(lambda: bench.cycles() > seen + 1)
        other.instead = At(other, what, nth, *changes)
        running.ended()
    bench.assert_whole(CYCLES)
    assert wrong(bench, other) == []
    assert silent(bench) == set()


@pytest.mark.parametrize("slow_s", [0.0, 0.004, 0.01])
@pytest.mark.parametrize("sort_by_display", [False, True])
def test_names_that_change_between_the_registration_and_the_first_list_make_no_value_wrong(
    tmp_path: Path, other: OtherServer, sort_by_display: bool, slow_s: float
) -> None:
    other.sort_by_display, other.slow_s = sort_by_display, slow_s
    bench = bench_of(tmp_path, other, stone=STONE)
    other.instead = At(other, LISTING, 1, swapped)
    with Running(bench) as running:
        running.ended()
    bench.assert_whole(CYCLES)
    assert wrong(bench, other) == []


@pytest.mark.parametrize("before", [doubled, swapped])
def test_lists_among_which_the_names_changed_are_all_asked_again(
    tmp_path: Path, other: OtherServer, before: Change
) -> None:
    bench = bench_of(tmp_path, other, stone=None)
    with Running(bench) as running:
        running.until(lambda: bench.cycles() >= 1)
        with other.main:
            before(other)
        seen = bench.cycles()
        running.until(lambda: bench.cycles() > seen + 1)
        other.instead = at = At(other, LISTS, 4, own)
        running.until(lambda: at.asked)
        seen = bench.cycles()
        running.until(lambda: bench.cycles() > seen)
    after = [LISTS in command for command in other.commands[at.asked :] if "scoreboard" in command]
    rest = [True] * (2 * UNITS - 4) + [False]
    if after[: len(rest)] == rest:  # it was the fourth of one cycle, not of two
        assert after[len(rest) :][: 2 * UNITS + 1] == [True] * 2 * UNITS + [False]
    assert wrong(bench, other) == []


@pytest.mark.parametrize("change", [swapped, cycled, third])
def test_swapped_names_of_which_one_is_set_for_nobody_are_read_by_the_literal_form(
    tmp_path: Path, other: OtherServer, change: Change
) -> None:
    bench = bench_of(tmp_path, other, stone=None)
    with Running(bench) as running:
        running.until(lambda: bench.cycles() >= 1)
        with other.main:
            change(other)
        running.ended()
    bench.assert_whole(CYCLES)
    assert wrong(bench, other) == []
    assert nulls(bench) <= {1, 2, 3}
    last = {row.uni: row.mined for row in bench.rows() if row.cycle == CYCLES - 1}
    assert [last[unit]["iron_ore"] for unit in bench.units] == [
        other.scores[unit, "mine_iron"] for unit in bench.units
    ]
    assert {mined["stone"] for mined in last.values()} == {0}


def test_a_name_that_two_objectives_show_keeps_a_fault_open_that_says_so(
    tmp_path: Path, other: OtherServer
) -> None:
    bench = bench_of(tmp_path, other, stone=None)
    with Running(bench) as running:
        running.until(lambda: bench.cycles() >= 1)
        with other.main:
            doubled(other)
        running.ended()
    assert wrong(bench, other) == []
    assert nulls(bench) >= {CYCLES - 2, CYCLES - 1}
    assert silent(bench) == set()
    unclear = [
        event.text
        for event in bench.events()
        if isinstance(event, ev.Fault) and event.code == "names_unclear"
    ]
    assert "mine_iron, the server shows the name 'mine_stone'" in unclear[0]


@pytest.mark.parametrize("stone", [None, STONE])
def test_names_put_right_between_the_lists_and_their_proof_void_the_lists(
    tmp_path: Path, other: OtherServer, stone: int | None
) -> None:
    """Nothing but the numbers tells: the list of objectives is the same, no count is known."""
    other.sort_by_display = True
    bench = bench_of(tmp_path, other, stone=stone)
    registration = parse_registration(bench.folder.registration.read_bytes(), game_ids())
    session = bench.access().session(threading.Event(), 60_000)
    displays = Displays.known_before(bench.objectives, sorted(bench.objectives, reverse=True))
    displays.compared.update((unit, name) for unit in bench.units for name in bench.objectives)
    reader = CounterReader(session, registration.objectives, displays, wall_ms)
    session.begin(time.monotonic() + 20)
    swapped(other)
    reading = reader.read(bench.units)
    own(other)
    Prover(reader, reading).prove_all(session.deadline)
    session.end()
    session.console.close()
    true = {
        unit: {name: other.scores.get((unit, name), 0) for name in bench.objectives}
        for unit in bench.units
    }
    assert {unit: counters.counts for unit, counters in reading.units.items()} == true


@pytest.mark.parametrize("slow_s", [0.0, 0.01])
def test_an_undisturbed_cycle_asks_no_more_than_it_must(
    tmp_path: Path, other: OtherServer, slow_s: float
) -> None:
    bench = bench_of(tmp_path, other, stone=STONE)
    with Running(bench) as running:
        running.until(lambda: bench.cycles() >= 3)
        other.commands.clear()
        other.slow_s = slow_s
        running.until(lambda: bench.cycles() >= 5)
    asked = [command.removeprefix("minecraft:") for command in other.commands]
    starts = [place for place, command in enumerate(asked) if command == "list"]
    one = asked[starts[-2] : starts[-1]] if len(starts) > 1 else asked
    units = 2 * UNITS
    assert sum(LISTS in command for command in one) <= units
    assert sum(LISTING in command for command in one) <= 1
    assert sum("players get" in command for command in one) <= len(bench.objectives)
    assert len(one) <= 1 + units + 1 + units + len(bench.objectives)
