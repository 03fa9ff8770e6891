"""Names that turn among objectives of ours, where the server's list of them stays as it was."""

import contextlib
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from collector.bench import Bench
from collector.otherserver import OtherServer
from collector.test_names_in_between import LISTING, LISTS, STONE, bench_of, cycled

from plateau_tui.collector.counters import CounterReader, CounterReading
from plateau_tui.collector.displays import Displays
from plateau_tui.collector.proof import Prover
from plateau_tui.collector.run import wall_ms
from plateau_tui.metric.registration import parse_registration
from plateau_tui.resources import game_ids
from plateau_tui.server.errors import ReplyError

CYCLED_ONE_WAY = {"mine_stone": 10, "mine_iron": 20, "mine_sand": 30}


def read_after_a_turn(
    tmp_path: Path, other: OtherServer, known: dict[str, int]
) -> tuple[Bench, CounterReader, CounterReading, Prover]:
    """Read the lists of three objectives whose names rotated after all had shown their own.

    The server lists by display name, so that its list of objectives tells nothing. ``known`` is
    what their counters stood at before.
    """
    other.sort_by_display = True
    bench = bench_of(tmp_path, other, stone=STONE)
    for unit in bench.units:
        other.scores.update({(unit, name): count for name, count in CYCLED_ONE_WAY.items()})
    registration = parse_registration(bench.folder.registration.read_bytes(), game_ids())
    session = bench.access().session(threading.Event(), 60_000)
    displays = Displays.known_before(bench.objectives, sorted(bench.objectives, reverse=True))
    displays.compared.update((unit, name) for unit in bench.units for name in bench.objectives)
    reader = CounterReader(session, registration.objectives, displays, wall_ms)
    session.begin(time.monotonic() + 20)
    cycled(other)
    reading = reader.read(bench.units)
    counts = dict.fromkeys(bench.units, known)
    return bench, reader, reading, Prover(reader, reading, counts)


def told_wrong(bench: Bench, other: OtherServer, reading: CounterReading) -> list[str]:
    return [
        f"{unit} {name} = {count}"
        for unit in bench.units
        for name, count in reading.units[unit].counts.items()
        if count not in {other.scores.get((unit, name), 0), None}
    ]


def test_where_a_fall_was_not_confirmed_what_rose_with_it_is_unknown_as_well(
    tmp_path: Path, other: OtherServer
) -> None:
    bench, reader, reading, prover = read_after_a_turn(tmp_path, other, dict(CYCLED_ONE_WAY))
    assert told_wrong(bench, other, reading)
    prover.prove_all(time.monotonic())  # no time is left
    assert told_wrong(bench, other, reading) == []
    assert all(
        counters.counts[name] is None
        for counters in reading.units.values()
        for name in CYCLED_ONE_WAY
    )
    reader.session.end()
    reader.session.console.close()


@pytest.mark.parametrize("asked", CYCLED_ONE_WAY)
def test_one_objective_that_shows_another_name_than_it_did_makes_every_one_show_its_own(
    tmp_path: Path, other: OtherServer, asked: str
) -> None:
    """Nothing was known of the counters, so that none of them fell."""
    bench, reader, reading, prover = read_after_a_turn(tmp_path, other, {})
    with contextlib.suppress(ReplyError):
        reader.literal_answer(bench.units[0], asked)
    prover.prove_all(time.monotonic())
    assert told_wrong(bench, other, reading) == []
    reader.session.end()
    reader.session.console.close()


def test_lists_that_were_read_anew_count_once_each_name_has_shown_itself_after_them(
    tmp_path: Path, other: OtherServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A counter rises, names turn, the answers do not fit; then the time is over."""
    other.sort_by_display = True
    bench = bench_of(tmp_path, other, stone=STONE)
    registration = parse_registration(bench.folder.registration.read_bytes(), game_ids())
    session = bench.access().session(threading.Event(), 60_000)
    displays = Displays.known_before(bench.objectives, sorted(bench.objectives, reverse=True))
    reader = CounterReader(session, registration.objectives, displays, wall_ms)
    session.begin(time.monotonic() + 20)
    reading = reader.read(bench.units)
    now, turned = [0.0], threading.Event()

    def instead(command: str) -> str:
        words = command.removeprefix("minecraft:").split()
        with other.main:
            if words[1:3] == ["players", "get"] and not turned.is_set():
                other.scores[words[3], words[4]] += 1
            elif LISTS in command and not turned.is_set():
                cycled(other)
                turned.set()
            elif LISTING in command and turned.is_set():
                now[0] = 9.0
        return command

    other.instead = instead
    monkeypatch.setattr(
        "plateau_tui.collector.proof.time", SimpleNamespace(monotonic=lambda: now[0])
    )
    Prover(reader, reading).prove_all(1.0)
    assert turned.is_set()
    assert now == [9.0]
    assert told_wrong(bench, other, reading) == []
    session.end()
    session.console.close()


def test_with_time_every_objective_of_a_turn_is_read_rightly(
    tmp_path: Path, other: OtherServer
) -> None:
    bench, reader, reading, prover = read_after_a_turn(tmp_path, other, dict(CYCLED_ONE_WAY))
    prover.prove_all(reader.session.deadline)
    true = {
        (unit, name): other.scores.get((unit, name), 0)
        for unit in bench.units
        for name in bench.objectives
    }
    read = {(unit, name): reading.units[unit].counts[name] for unit, name in true}
    assert read == true
    reader.session.end()
    reader.session.console.close()
