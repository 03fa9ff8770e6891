"""Every problem tells cause, consequence and what to do, at 80x24 and 60x20; the verdict first."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from subprocess import Popen

import pytest
from collector.bench import Bench, finish, wait_for
from console.apps import (
    app_on,
    read_all,
    sample,
    tell_in_journal,
    text_of,
    type_in,
    until,
    until_read,
    until_text,
)
from console.terminal import Terminal
from console.views import NOW, view, with_some, with_units

from plateau_tui.console.attention.bell import Alarm
from plateau_tui.console.keys import PLAIN_KEYS
from plateau_tui.console.lines.faultproblems import NO_READING
from plateau_tui.console.lines.grid import arm_line, header_lines
from plateau_tui.console.lines.problem import Problem, folded_together
from plateau_tui.console.lines.problems import next_step, problems
from plateau_tui.console.live.journaltext import entry_text, told_elsewhere
from plateau_tui.console.live.model import RunModel
from plateau_tui.console.live.view import RunView
from plateau_tui.console.live.windowreadings import PARTIAL, SILENT, WHOLE
from plateau_tui.console.starting import is_password_refused, why_not_collect
from plateau_tui.metric.reach import smallest_pairs
from plateau_tui.runlog import events as ev
from plateau_tui.sim.server import DEFAULT_PASSWORD, SimServer

MORE, REST = "(+{} more: l p) ", " (l p)"
SIZES = [(80, 2), (60, 3)]
"""Columns, and how many lines the worst problem has there."""
REFUSED = "127.0.0.1:25575 refused the connection: start the server, or check enable-rcon"
PASSWORD = "127.0.0.1:25575 refused the RCON password: compare it with rcon.password"
GARBLED = (
    "the answer is none that we know: 'hello'; look for a plugin or another RCON client that "
    "answers in between"
)


def shown(problem: Problem, width: int, most: int, more: int = 0) -> str:
    start = f"! {MORE.format(more)}" if more else "! "
    return " ".join(problem.fold(width, most, start, "" if more else REST))


def down(**changes: object) -> RunView:
    """A run of which the last cycle read nothing."""
    faulty = {"fault": REFUSED, "fault_code": "refused", "fault_since_cycle": 4}
    made = view(rcon_ok=False, window=bytes([WHOLE, SILENT]), **faulty)
    return replace(made, **changes)  # type: ignore[arg-type]


# -- a server that is down rings (once an outage) -------------------------------------------------


def test_a_cycle_without_any_counter_is_grave_and_rings_once_however_its_cause_changes() -> None:
    alarm, well = Alarm(), view(window=bytes([WHOLE]))
    assert alarm.take(well, NOW) == []
    [rung] = alarm.take(down(), NOW)
    assert rung.startswith("RCON since cycle 5: 127.0.0.1:25575 refused")
    for later in (
        down(fault="it did not answer in time: see", fault_code="timed_out"),
        down(fault=PASSWORD, fault_code="password"),
        down(by_hand="nothing could be read"),
        down(fault="", fault_code=""),
        down(faults=(ev.Fault(code="closed", text="it hung up: see", cycle=4),)),
    ):
        assert alarm.take(later, NOW) == []
        assert {p.kind for p in problems(later, NOW)} == {NO_READING}
    assert alarm.take(well, NOW) == ["the server is read again"]
    assert len(alarm.take(down(), NOW)) == 1


def test_a_cycle_that_read_something_and_a_window_that_is_over_ring_for_no_outage() -> None:
    alarm = Alarm()
    alarm.take(view(), NOW)
    assert alarm.take(down(window=bytes([PARTIAL])), NOW) == []
    assert alarm.take(down(stage="pinned", slot0_ms=None), NOW) == []
    assert not any(p.grave for p in problems(down(window=bytes([SILENT, PARTIAL])), NOW))
    alarm.take(down(), NOW)
    closed = down(stage="closed", window=bytes([SILENT, WHOLE]))
    assert alarm.take(closed, NOW) == []  # nobody waits for it any more


@pytest.fixture
def collecting(tmp_path: Path, server: SimServer) -> Iterator[tuple[Bench, Popen[str]]]:
    """A run in its window, and its collector; a test may have ended that."""
    made = Bench.make(tmp_path, server.port, DEFAULT_PASSWORD, interval_s=0.5, cycles=2000)
    process = made.start()
    wait_for(made.rows)
    yield made, process
    if process.returncode is None:
        finish(process, signal.SIGTERM)


def test_a_real_server_that_goes_down_rings_in_a_real_terminal(
    collecting: tuple[Bench, Popen[str]], server: SimServer
) -> None:
    bench, _ = collecting

    def notified() -> list[bytes]:
        return [part.partition(b"\x07")[0] for part in terminal.raw.split(b"\x1b]9;")[1:]]

    def rung(words: bytes) -> Callable[[], bool]:
        return lambda: any(words in text for text in notified())

    with Terminal("attach", str(bench.folder.path), cwd=bench.folder.path.parent) as terminal:
        terminal.until_words("RCON ok")
        server.go_down()
        terminal.until(rung(b": RCON since cycle "))
        first = len(bench.rows())
        terminal.until(lambda: len(bench.rows()) >= first + 5 * len(bench.units))
        server.come_up()
        terminal.until(rung(b"the server is read again"))
        assert sum(b"RCON since cycle" in text for text in notified()) == 1
        terminal.send("q")
        assert terminal.ended() == 0


# -- units that are away cost the verdict ---------------------------------------------------------


def six_pairs(tmp_path: Path, away: int, polls: int = 4) -> RunView:
    """A run of six pairs in its window of which so many treatment units left, then a control."""
    folder = sample(tmp_path, "pass")
    lines = folder.journal.read_bytes().splitlines(keepends=True)
    ended = (b"window_closed", b"adjudicated")
    folder.journal.write_bytes(b"".join(n for n in lines if not any(e in n for e in ended)))
    run = replace(read_all(RunModel(folder)), collector_pid=7, cycles=99)
    gone = {unit.name for unit in run.of("treatment")[:away]}
    return with_some(gone, run, absent_polls=polls, online=False)


def test_a_run_that_cannot_pass_any_more_while_units_are_away_says_so_gravely(
    tmp_path: Path,
) -> None:
    run = replace(six_pairs(tmp_path, 2), fell=1, fallen=("UNI-10-5 mine_dirt",))
    assert run.paired is not None
    gate = run.paired.gate
    least = smallest_pairs(gate.margin, gate.confidence, gate.interval_method)
    now = run.heartbeat_ms or 0
    first, *_ = problems(run, now)
    assert first.grave
    assert first.remedy.startswith(f"4 of 6 pairs live, and this gate cannot PASS below {least}; ")
    assert "bring them back before the close" in first.remedy
    assert problems(run, now)[-1].text.startswith("counters that fell")
    alarm = Alarm()
    alarm.take(six_pairs(tmp_path / "b", 0), now)
    assert len(alarm.take(run, now)) == 1
    for width, most in [*SIZES, (60, 1), (80, 1)]:
        for more in (0, 2):
            told = shown(first, width, most, more)
            assert "cannot PASS" in told
            assert "bring" in told
            assert "l p)" in told or first.remedy in told or width == 60


def test_the_unit_that_is_away_is_named_however_little_room_there_is(tmp_path: Path) -> None:
    run = six_pairs(tmp_path, 1)
    first, *_ = problems(run, run.heartbeat_ms or 0)
    for width, most in [*SIZES, (60, 1), (80, 1)]:
        for more in (0, 2):
            told = shown(first, width, most, more)
            assert "UNI-10-1" in told
            assert "cannot PASS" in told
            assert "bring it back" in told


def test_pairs_that_are_away_are_no_matter_where_the_gate_passes_without_or_never_does(
    tmp_path: Path,
) -> None:
    run = six_pairs(tmp_path, 1)
    assert run.paired is not None
    now = run.heartbeat_ms or 0

    def under(**gate: object) -> Problem:
        assert run.paired is not None
        changed = replace(run.paired.gate, **gate)  # type: ignore[arg-type]
        return problems(replace(run, paired=replace(run.paired, gate=changed)), now)[0]

    assert "cannot PASS below 6" in under(confidence=0.95, margin=0.0).remedy
    assert not under(confidence=0.9, margin=0.0).grave  # five pairs do
    assert not under(confidence=0.99, margin=0.0).grave  # six never did, as its seal says
    assert not problems(six_pairs(tmp_path / "b", 1, polls=3), now)[0].grave  # still live


@pytest.mark.parametrize(("width", "most"), [*SIZES, (80, 1), (60, 1)])
def test_the_short_form_keeps_what_absence_does_to_the_verdict(width: int, most: int) -> None:
    for run in (with_units(absent_polls=9), with_units(absent_polls=9, seen=False)):
        [problem] = problems(run, NOW)
        assert "WITHHELD" in shown(problem, width, most)
        assert "WITHHELD" in shown(problem, width, most, more=9)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_an_arm_s_line_tells_live_from_lost_where_some_are_lost(width: int) -> None:
    run = with_some({"UNI-10-1"}, absent_polls=9)
    assert "  2 live  " in arm_line(run, "treatment", width, NOW)
    assert " live" not in arm_line(run, "control", width, NOW)
    before = with_units(seen=False, absent_polls=0, online=None)
    assert " live" not in arm_line(before, "treatment", width, NOW)


# -- what cannot be told whole says so ------------------------------------------------------------


def test_what_is_not_told_whole_says_where_the_rest_stands_and_what_is_whole_does_not() -> None:
    long = Problem("what " * 9 + "end", "do it", grave=True, briefs=(("what", "do it"),))
    assert long.fold(50, 2, rest=REST) == [f"! {'what ' * 9}".rstrip(), "end: do it"]
    assert long.fold(50, 1, rest=REST) == ["! what: do it (l p)"]
    assert long.fold(13, 1, rest=REST) == ["! what: do it"]
    cut = Problem("what " * 40, "do it", grave=True)
    assert cut.fold(60, 1, rest=REST)[0].endswith("~: do it (l p)")
    lines, count = folded_together([long, long, long], 50, 1, 2, MORE, REST)
    assert count == 2
    assert lines == ["! what: do it (l p)", "! (+1 more: l p) what: do it"]


@pytest.mark.parametrize(("width", "most"), SIZES)
def test_every_form_of_what_is_withheld_says_withheld(width: int, most: int) -> None:
    edited = ev.Fault(code="log_edited", text="journal.jsonl was edited; see verify")
    restarted = ev.LogRestarted(file="journal.jsonl", reason="x" * 90, head="h")
    run = view(seal_broken=True, unreadable=3, log_faults=(edited,), restarted=(restarted,))
    for problem in [*problems(run, NOW), *problems(with_units(baseline=None), NOW)]:
        for lines in range(1, most + 1):
            assert "WITHHELD" in shown(problem, width, lines), problem


@pytest.mark.parametrize("width", [60, 80])
def test_a_counter_that_fell_keeps_its_unit_in_one_line(width: int) -> None:
    names = tuple(f"UNI-10-{n} mine_cobblestone" for n in range(1, 5))
    [one] = problems(view(fell=1, fallen=names[:1]), NOW)
    [four] = problems(view(fell=4, fallen=names), NOW)
    assert "UNI-10-1 mine_cobblestone fell: a rollback" in shown(one, width, 1)
    assert "UNI-10-1 mine_cobblestone, +3 fell: a rollback" in shown(four, width, 1)


# -- an answer that is none -----------------------------------------------------------------------


def garbled(note: str, *lost: str) -> RunView:
    run = view(
        rcon_ok=False, fault=GARBLED, fault_code="garbled_reply", fault_since_cycle=102,
        window=bytes([PARTIAL]),
    )  # fmt: skip
    first = run.units[0]
    read = {"place_dirt": 12, "mine_stone": 3, **dict.fromkeys(lost)}
    units = [replace(u, readings=(replace(u.readings[-1], counts=read),)) for u in run.units]
    reading = replace(units[0].readings[-1], note=note)
    return replace(run, units=(replace(first, whole=False, readings=(reading,)), *units[1:]))


@pytest.mark.parametrize(
    ("note", "words"),
    [
        (f"mine_stone: {GARBLED}", "mine_stone of UNI-10-1"),
        (GARBLED, "UNI-10-1"),
        (f"list: {GARBLED}", "the players' list"),
        (f"place_dirt: {GARBLED}; mine_stone: {GARBLED}", "UNI-10-1"),
    ],
)
def test_a_garbled_reply_names_what_was_asked_and_what_to_look_for(note: str, words: str) -> None:
    [problem] = problems(garbled(note, "mine_stone"), NOW)
    assert words in problem.remedy
    assert "look for a plugin or another RCON client" in problem.remedy
    for width, most in SIZES:
        told = shown(problem, width, most)
        assert words in told
        assert "plugin" in told


def test_what_was_not_read_for_another_reason_was_not_asked() -> None:
    later = f"not read: the time was over before it was answered; before that: {GARBLED}"
    [problem] = problems(garbled(later, "mine_stone"), NOW)
    assert "asked for" not in problem.remedy
    assert problem.remedy.startswith("not read: mine_stone of UNI-10-1; ")


def test_where_nothing_was_read_it_is_not_told_of_whom_was_asked() -> None:
    run = down(fault=PASSWORD, fault_code="password")
    noted = [
        replace(unit, readings=(replace(unit.readings[-1], note=f"inventory: {PASSWORD}"),))
        for unit in run.units
    ]
    [problem] = problems(replace(run, units=tuple(noted)), NOW)
    assert "inventory" not in problem.line
    assert "asked" not in problem.line


# -- a password that was changed ------------------------------------------------------------------


def test_a_refused_password_is_told_with_the_way_to_another_one() -> None:
    run = down(fault=PASSWORD, fault_code="password")
    [problem] = problems(run, NOW)
    assert "compare it with rcon.password; kill 4242, then c takes a new one" in problem.remedy
    for width, most in [*SIZES, (80, 1), (60, 1)]:
        assert "kill 4242, then c" in shown(problem, width, most, more=2)
    assert why_not_collect(run, "", NOW, PLAIN_KEYS).endswith("kill 4242, then c")
    assert why_not_collect(view(), "", NOW, PLAIN_KEYS) == "collector 4242 runs already"
    stopped = replace(run, collector_pid=None)
    assert any("c takes a new one" in problem.remedy for problem in problems(stopped, NOW))
    assert is_password_refused(stopped)
    assert not is_password_refused(replace(stopped, fault_code="refused"))
    assert not is_password_refused(replace(stopped, rcon_ok=True))


@pytest.mark.asyncio
async def test_where_the_password_was_refused_the_console_asks_for_another_and_starts_with_it(
    collecting: tuple[Bench, Popen[str]], server: SimServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLATEAU_TUI_RCON_PASSWORD", DEFAULT_PASSWORD)
    bench, process = collecting
    server.change_password("another")
    server.drop_connections()
    app = app_on(bench.folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await until_text(pilot, f"kill {process.pid}, then c")
        await asyncio.to_thread(finish, process, signal.SIGTERM)
        await until_text(pilot, "NO COLLECTOR")
        await pilot.press("c")
        await until_text(pilot, "Start a collector?")
        await pilot.press("y")
        await until_text(pilot, "The server refused the last one")
        await type_in(pilot, "another")
        await until(pilot, lambda: "RCON ok" in text_of(app))
    stop_collector(bench)


def stop_collector(bench: Bench) -> None:
    """End the collector that the console started."""
    started = [event for event in bench.events() if isinstance(event, ev.CollectorStarted)]
    os.kill(started[-1].pid, signal.SIGTERM)
    wait_for(lambda: isinstance(bench.events()[-1], ev.CollectorStopped))


# -- the next step of a closed run ----------------------------------------------------------------


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40)])
async def test_the_next_step_after_the_close_stands_there_whatever_is_wrong(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    folder = sample(tmp_path)
    fell = ev.CounterFell(cycle=2, unit="UNI-10-1", objective="mine_dirt", before=9, after=1)
    tell_in_journal(folder, fell)
    folder.registration.write_text("changed")
    async with (app := app_on(folder)).run_test(size=size) as pilot:
        await until_read(pilot)
        await until_text(pilot, "mine_dirt")
        text = " ".join(text_of(app).split())
        assert "closed: next v, the verdict" in text or "(next: v) " in text
        assert "WITHHELD" in text


def test_the_next_step_fits_its_line_and_an_open_run_has_none() -> None:
    assert next_step(view(), PLAIN_KEYS, 80) == ("", "")
    for changes in (
        {}, {"closed_early": True}, {"verdict": "WITHHELD"},
        {"verdict": "WITHHELD", "exported": True, "export_is_old": True},
    ):  # fmt: skip
        line, brief = next_step(view(stage="closed", **changes), PLAIN_KEYS, 60)
        assert len(line) <= 60
        assert "~" not in line
        assert " v" in line
        assert brief == "(next: v) "


# -- the newest event -----------------------------------------------------------------------------


def test_the_tail_ends_with_what_came_of_a_request_and_not_with_its_answer() -> None:
    assert told_elsewhere(ev.Answer(id="1", ok=True, text="done"))
    assert not told_elsewhere(ev.Answer(id="1", ok=False, text="why"))
    assert not told_elsewhere(ev.Note(text="words"))


def test_the_end_of_one_fault_among_others_is_told_in_words() -> None:
    over = ev.Recovered(code="out_of_time", text="", cycle=108, since=102)
    assert entry_text(over, over.NAME, ("garbled_reply", "out_of_time")) == (
        "STILL ON: garbled reply; over in cycle 109: out of time (began in cycle 103)"
    )


def test_the_header_does_not_say_ok_where_status_says_that_no_cycle_is_read_whole() -> None:
    run = view(missing=("mine_sand",))
    header = " ".join(header_lines(run, NOW, 80))
    assert "RCON up" in header
    assert "RCON ok" not in header
    assert "RCON ok" in " ".join(header_lines(view(), NOW, 80))
