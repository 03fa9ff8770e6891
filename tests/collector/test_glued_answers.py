"""Another client's answer glued behind ours: no unit is absent for it, no number is longer."""

from pathlib import Path

import pytest
from collector.bench import Bench, Running
from collector.test_truth import populate

from plateau_tui.runlog import events as ev
from plateau_tui.sim import faults as sf
from plateau_tui.sim.server import SimServer

CYCLES = 8
VALUE = 300


@pytest.fixture
def bench(tmp_path: Path, sim_server: SimServer) -> Bench:
    made = Bench.make(tmp_path, sim_server.port, "simulated", interval_s=0.3, cycles=CYCLES)
    populate(sim_server, made)

    def put() -> None:
        for unit in made.units:
            for name in made.objectives:
                sim_server.scoreboard.set_score(unit, name, VALUE)

    sim_server.run_locked(put)
    return made


def faults(bench: Bench) -> set[str]:
    return {event.code for event in bench.events() if isinstance(event, ev.Fault)}


@pytest.mark.parametrize("tail", ["Saved the game", "12", "Seed: [-12345]"])
@pytest.mark.parametrize("every", [1, 3])
def test_a_tail_behind_the_players_list_makes_nobody_absent(
    bench: Bench, sim_server: SimServer, tail: str, every: int
) -> None:
    asked = 0  # a new connection asks it as well

    def rule(command: str, _connection: int) -> sf.Fault | None:
        nonlocal asked
        if not command.endswith("list") or "scoreboard" in command:
            return None
        asked += 1
        return sf.glued(tail) if asked % every == 1 % every else None

    with Running(bench) as running:
        running.until(lambda: bench.cycles() >= 2)
        sim_server.faults.rule = rule
        running.ended()
    bench.assert_whole(CYCLES)
    rows = bench.rows()
    assert False not in {row.online for row in rows}
    lost = [row for row in rows if row.online is None]
    assert bool(lost) is (every == 1)
    assert all("list" in row.note and not row.rcon_ok for row in lost)
    assert ("list_unclear" in faults(bench)) is (every == 1)


def test_a_number_behind_the_short_form_makes_no_count_longer(
    bench: Bench, sim_server: SimServer
) -> None:
    def rule(command: str, _connection: int) -> sf.Fault | None:
        return sf.glued("12") if "scoreboard players list" in command else None

    with Running(bench) as running:
        running.until(lambda: bench.cycles() >= 2)
        sim_server.faults.rule = rule
        running.ended()
    bench.assert_whole(CYCLES)
    rows = bench.rows()
    found = {
        count
        for row in rows
        for count in (*row.placed_used.values(), *row.mined.values(), *row.crafted.values())
    }
    assert found == {VALUE}
    assert any("was listed as 30012 and answered with 300" in row.note for row in rows)


def test_a_list_that_names_fewer_than_it_announces_makes_nobody_absent(
    bench: Bench, sim_server: SimServer
) -> None:
    named = bench.units[0]

    def rule(command: str, _connection: int) -> sf.Fault | None:
        if not command.endswith("list") or "scoreboard" in command:
            return None
        return sf.replaced(f"There are 4 of a max of 20 players online: {named}")

    with Running(bench) as running:
        running.until(lambda: bench.cycles() >= 1)
        sim_server.faults.rule = rule
        seen = bench.cycles()
        running.until(lambda: bench.cycles() > seen + 1)
        asked = [command for command in sim_server.commands if command.endswith(":list")]
        running.ended()
    more = [c for c in sim_server.commands if c.endswith(":list")][len(asked) :]
    rows = [row for row in bench.rows() if row.cycle > seen]
    assert {row.online for row in rows if row.uni == named} == {True}
    assert {row.online for row in rows if row.uni != named} == {None}
    assert all("announces 4 players and names 1" in row.note for row in rows)
    assert "list_unclear" in faults(bench)
    # Asked again once: after that it is how this server lists. A new connection asks as well.
    assert len(more) <= 2 * (CYCLES - seen)
