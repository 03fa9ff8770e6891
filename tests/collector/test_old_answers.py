"""An old answer to the same question, under the right id, is not taken for a fallen counter."""

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from collector.bench import Bench, Running
from collector.history import counters_of
from collector.test_truth import populate

from plateau_tui.collector.fallen import OLD_ANSWER
from plateau_tui.runlog import events as ev
from plateau_tui.sim import faults as sf
from plateau_tui.sim.server import SimServer

OLD, NOW = 7, 40
UNIT = re.compile(r"players (list|get) (UNI-\d+-\d+)(?: (\S+))?$")


class Proxy:
    """Stands between us and the server, and gives answers of its own for some questions.

    ``instead`` is asked, with a unit and its objectives that were asked for, for the value of each
    of its counters (None: the right answer).
    """

    def __init__(self, bench: Bench, instead: Callable[[str, list[str]], int | None]) -> None:
        self._bench = bench
        self._instead = instead

    def __call__(self, command: str, _connection: int) -> sf.Fault | None:
        asked = UNIT.search(command)
        if asked is None:
            return None
        names = [asked[3]] if asked[1] == "get" else self._bench.objectives
        value = self._instead(asked[2], names)
        if value is None:
            return None
        if asked[1] == "get":
            return sf.replaced(f"{asked[2]} has {value} [{asked[3]}]")
        scores = "".join(f"[{name}]: {value}" for name in names)
        return sf.replaced(f"{asked[2]} has {len(names)} scores:{scores}")


@pytest.fixture
def bench(tmp_path: Path, sim_server: SimServer) -> Bench:
    made = Bench.make(tmp_path, sim_server.port, "simulated", interval_s=0.5, cycles=8)
    populate(sim_server, made)
    stand_at(sim_server, made, NOW)
    return made


def stand_at(server: SimServer, bench: Bench, value: int) -> None:
    def put() -> None:
        for unit in bench.units:
            for name in bench.objectives:
                server.scoreboard.set_score(unit, name, value)

    server.run_locked(put)


def values(bench: Bench) -> set[int | None]:
    return {count for row in bench.rows() for count in counters_of(row, bench.names).values()}


def fell(bench: Bench) -> list[ev.CounterFell]:
    return [event for event in bench.events() if isinstance(event, ev.CounterFell)]


def faults(bench: Bench) -> set[str]:
    return {event.code for event in bench.events() if isinstance(event, ev.Fault)}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_an_old_answer_is_asked_again_and_no_counter_fell(
    bench: Bench, sim_server: SimServer, seed: int
) -> None:
    rng, old = random.Random(seed), dict[tuple[str, str], int]()

    def now_and_then(unit: str, names: list[str]) -> int | None:
        pairs = {(unit, name) for name in names}
        if pairs & old.keys() or rng.random() > 0.3:
            # Never two of one counter by the same form in a row: nothing could tell them.
            for pair in [pair for pair in pairs if old.get(pair) == len(names)]:
                del old[pair]
            return None
        old.update(dict.fromkeys(pairs, len(names)))
        return OLD

    with Running(bench) as running:
        running.until(bench.rows)
        sim_server.faults.rule = Proxy(bench, now_and_then)
        running.ended()
    bench.assert_whole(8)
    assert values(bench) <= {NOW, None}
    assert fell(bench) == []
    assert OLD_ANSWER in faults(bench)
    assert any("the first answer was old" in row.note for row in bench.rows())


def test_a_connection_that_goes_on_giving_old_answers_is_not_asked_again(
    bench: Bench, sim_server: SimServer
) -> None:
    """As where one answer too many came, and each is the one before from then on."""
    spoiled: set[int] = set()
    old = Proxy(bench, lambda _unit, _names: OLD)

    def rule(command: str, connection: int) -> sf.Fault | None:
        if not spoiled:
            spoiled.add(connection)  # the one that is kept open at this pace
        return old(command, connection) if connection in spoiled else None

    with Running(bench) as running:
        running.until(lambda: bench.cycles() >= 3)
        sim_server.faults.rule = rule
        running.ended()
    bench.assert_whole(8)
    assert values(bench) <= {NOW, None}
    assert fell(bench) == []
    assert OLD_ANSWER in faults(bench)


def test_a_counter_that_really_fell_costs_one_question_more_a_unit_and_is_told(
    bench: Bench, sim_server: SimServer
) -> None:
    with Running(bench) as running:
        running.until(lambda: bench.cycles() >= 3)  # all was compared by then
        asked = len(sim_server.commands)
        stand_at(sim_server, bench, OLD)
        running.until(lambda: fell(bench))
        running.ended()
    bench.assert_whole(8)
    assert values(bench) - {None} == {NOW, OLD}
    assert {(event.before, event.after) for event in fell(bench)} == {(NOW, OLD)}
    assert OLD_ANSWER not in faults(bench)
    cycles = 8 - min(event.cycle for event in fell(bench))
    lists = [command for command in sim_server.commands[asked:] if "players list" in command]
    assert len(lists) <= len(bench.units) * (cycles + 2)  # one cycle may have been under way


@pytest.mark.parametrize("second", [OLD - 1, None], ids=["lower still", "none"])
def test_a_first_answer_that_no_second_bears_out_is_unknown(
    bench: Bench, sim_server: SimServer, second: int | None
) -> None:
    asked = dict.fromkeys(bench.units, 0)

    def odd(unit: str, names: list[str]) -> int | None:
        asked[unit] += 1
        # A session asks three times where it is dropped.
        return OLD if asked[unit] % (4 if second is None else 2) == 1 else second

    def rule(command: str, connection: int) -> sf.Fault | None:
        found = Proxy(bench, odd)(command, connection)
        return sf.drop() if found is None and "players" in command else found

    with Running(bench) as running:
        running.until(bench.rows)
        sim_server.faults.rule = rule
        running.ended()
    bench.assert_whole(8)
    assert values(bench) == {NOW, None}
    assert fell(bench) == []


def test_a_counter_that_goes_on_after_its_fall_is_read(bench: Bench, sim_server: SimServer) -> None:
    risen = dict.fromkeys(bench.units, OLD)

    def rising(unit: str, names: list[str]) -> int:
        risen[unit] += 1
        return risen[unit]

    with Running(bench) as running:
        running.until(lambda: bench.cycles() >= 3)
        sim_server.faults.rule = Proxy(bench, rising)
        running.until(lambda: fell(bench))
    after = [event.after for event in fell(bench)]
    assert all(OLD < value < NOW for value in after)
    assert OLD_ANSWER not in faults(bench)
