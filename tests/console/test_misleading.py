"""What the run's screen must not make its operator believe."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from collector.bench import Bench
from console.apps import (
    app_on,
    draft,
    read_all,
    sample,
    tell_in_journal,
    text_of,
    until,
    until_read,
)
from console.views import NOW, unit, view, with_units

from plateau_tui.collector import operate
from plateau_tui.collector.pins import PinRequest
from plateau_tui.collector.run import registration_of
from plateau_tui.console import clock
from plateau_tui.console.attention.seen import UnitSeen, news_of
from plateau_tui.console.lines.grid import Columns, arm_line, header_lines, unit_line
from plateau_tui.console.lines.problems import problems
from plateau_tui.console.live.model import RunModel
from plateau_tui.console.live.view import RunView
from plateau_tui.console.screens import run as run_screen
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.console.screens.runs import RunEntry, run_line
from plateau_tui.metric.outcome import Standing
from plateau_tui.report.gather import judge
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.sofar import known_of
from plateau_tui.runlog.state import read_state
from plateau_tui.runlog.status import run_status
from plateau_tui.sim.server import DEFAULT_PASSWORD, SimServer

REFUSED = (
    "127.0.0.1:25575 (127.0.0.1) refused the connection: start the server, or check enable-rcon "
    "and rcon.port (25575 by default) in server.properties"
)


def header(run: RunView, now: int = NOW) -> str:
    return " ".join(header_lines(run, now, 80))


def told(run: RunView, now: int = NOW) -> list[str]:
    return [problem.line for problem in problems(run, now)]


# -- a poll that does not come --------------------------------------------------------------------


@pytest.mark.parametrize(("interval_s", "late_s"), [(5, 4), (30, 4), (120, 13), (600, 16)])
def test_a_poll_that_is_overdue_is_told_and_nothing_is_well_meanwhile(
    interval_s: int, late_s: int
) -> None:
    interval = interval_s * 1000
    run = view(interval_ms=interval)
    due = (run.slot0_ms or 0) + 5 * interval
    run = replace(run, heartbeat_ms=due - interval)
    well, late = due + late_s * 500, due + late_s * 1000
    assert told(run, well) == []
    assert "  RCON ok  gaps 0" in header(run, well)
    [problem, *_] = told(run, late)
    assert problem.startswith(f"poll overdue {late_s // 10 * 10 if interval_s > 59 else late_s} s")
    assert "the collector is asking, the server has not answered yet" in problem
    assert "(RCON ok)  gaps (0)" in header(run, late)


def test_a_known_fault_is_not_hidden_by_the_poll_that_tries_again() -> None:
    run = view(rcon_ok=False, fault=REFUSED, fault_code="refused", fault_since_cycle=3)
    [problem] = told(run, NOW + 60_000)
    assert "start the server" in problem
    assert "(RCON FAULT)" in header(run, NOW + 60_000)


def test_a_poll_is_not_overdue_once_its_rows_are_there_nor_when_none_is_to_come() -> None:
    late = NOW + 60_000
    assert view().overdue_ms(late) == 60_000
    assert view(cycle=5).overdue_ms(late) == 0
    assert view(cycle=5, cycles=6).overdue_ms(late) == 0
    assert view(stage="closed").overdue_ms(late) == 0
    assert view(slot0_ms=None).overdue_ms(late) == 0


def test_without_a_collector_the_polls_that_were_missed_are_counted() -> None:
    run = view(collector_pid=None)
    after = NOW + 2 * run.interval_ms + 13_000
    assert "NO COLLECTOR runs and the window is open; 2 polls missed so far" in told(run, after)[0]
    assert "gaps (0)" in header(run, after)
    assert "missed" not in told(run, NOW + 1000)[0]
    # A slot is read late while a fifth of it is left (design.md, Slots and time).
    assert run.missed_polls(NOW + run.interval_ms * 4 // 5 - 1) == 0
    assert run.missed_polls(NOW + run.interval_ms * 4 // 5) == 1
    assert run.missed_polls(NOW + 10**12) == run.cycles - 5


def polled(note: str, count: int | None) -> ev.PollNow:
    counts = {"UNI-10-1": {"mine_dirt": count}}
    return ev.PollNow(id="1", online={}, counts=counts, hoard={}, note=note)


BEAT = ev.Heartbeat(
    cycle=9, poll_ts="2026-01-05T01:00:00.000Z", rcon_ok=True, probe_ok=None, live_cur=3,
    live_ctrl=3, rows=60, rows_head="0",
)  # fmt: skip


def test_a_reading_by_hand_that_failed_is_what_is_known_of_rcon(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    model = RunModel(folder)
    tell_in_journal(folder, polled("no answer in time", None))
    run = replace(read_all(model), stage="open", collector_pid=7, slot0_ms=NOW, cycle=0)
    assert "RCON FAULT" in header(run)
    assert "RCON, read by hand: no answer in time: it is tried again" in " ".join(told(run))
    tell_in_journal(folder, polled("", 3))
    assert read_all(model).by_hand == ""
    tell_in_journal(folder, polled("", None))
    assert read_all(model).by_hand == "nothing could be read"
    tell_in_journal(folder, BEAT)
    assert read_all(model).by_hand == ""


# -- what nobody knows any more -------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["withheld_8_not_read", "withheld_4_objective_lost", "pass", "withheld_2_closed_early"]
)
def test_the_grid_stands_where_the_pairs_and_the_verdict_stand(tmp_path: Path, name: str) -> None:
    folder = sample(tmp_path, name)
    grid = {unit.name: unit for unit in read_all(RunModel(folder)).units}
    pairs = judge(folder).verdict.pairs
    found = [unit for pair in pairs for unit in (pair.treatment, pair.control)]
    for one in found:
        shown, stand = grid[one.name], (one.primary, one.secondary, one.both)
        assert (shown.primary, shown.secondary, shown.plateau_break) == flags(stand)


def flags(standings: tuple[Standing, ...]) -> tuple[bool | None, ...]:
    return tuple(known_of(standing) for standing in standings)


def test_a_no_that_no_row_decides_any_more_is_unknown_in_grid_and_status(tmp_path: Path) -> None:
    folder = sample(tmp_path, "withheld_8_not_read")
    run = read_all(RunModel(folder))
    line = arm_line(run, "treatment", 120, NOW)
    assert "0 of 6 PRIMARY, 6 ?  0 of 6 SECONDARY, 6 ?  0 of 6 both, 6 ?" in line
    state, _ = read_state(folder.journal)
    status = run_status(folder, state, registration_of(folder, state), NOW)
    assert {status.units[u.name].primary for u in run.of("treatment")} == {None}
    assert {status.units[u.name].primary for u in run.of("control")} == {False}


def unread(line: bytes, cycle: int) -> bytes:
    """A row of another cycle in which no counter was read."""
    row = json.loads(line) | {"cycle": cycle}
    for name in ("placed_used", "mined"):
        row[name] = dict.fromkeys(row[name])
    return json.dumps(row, separators=(",", ":")).encode() + b"\n"


def test_a_yes_is_latched_through_the_silence_that_makes_a_no_unknown(tmp_path: Path) -> None:
    folder = sample(tmp_path, "pass")
    state = replace(read_state(folder.journal)[0], closed=None)
    registration = registration_of(folder, state)
    tolerance = registration.gate.max_absent_polls
    rows = folder.rows.read_bytes().splitlines(keepends=True)
    last = json.loads(rows[-1])["cycle"]
    window = replace(registration.window, cycles=last + 10)
    registration = replace(registration, window=window)
    of_last = [row for row in rows if json.loads(row)["cycle"] == last]
    found = []
    for silent in (0, tolerance, tolerance + 1):
        more = [unread(row, last + n) for n in range(1, silent + 1) for row in of_last]
        folder.rows.write_bytes(b"".join([*rows, *more]))
        units = run_status(folder, state, registration, NOW).units
        found.append([one.primary for one in units.values()])
    read, tolerated, unknown = found
    assert set(read) == {True, False}
    assert tolerated == read
    assert unknown == [True if flag else None for flag in read]


# -- a fault with what to do ----------------------------------------------------------------------


@pytest.mark.parametrize(("width", "more"), [(60, 0), (60, 9), (80, 0), (80, 9)])
def test_a_server_that_is_down_is_told_with_its_cause_and_what_to_do(width: int, more: int) -> None:
    run = view(rcon_ok=False, fault=REFUSED, fault_code="refused", fault_since_cycle=30)
    [problem] = problems(run, NOW)
    shown = " ".join(problem.fold(width, 2, f"! (+{more} more: l p) " if more else "! "))
    assert "refused" in shown
    assert "since cycle 31" in shown
    assert "start the server, or check enable-rcon" in shown
    assert "rcon.port" in shown
    assert "~" not in shown


@pytest.mark.parametrize("code", ["refused", "timed_out", "password", "out_of_time", "closed"])
def test_one_line_of_60_columns_holds_what_is_wrong_with_the_link_and_what_to_do(code: str) -> None:
    run = view(rcon_ok=False, fault=REFUSED, fault_code=code, fault_since_cycle=30)
    [line] = problems(run, NOW)[0].fold(60, 1, "! (+2 more: l p) ")
    assert f"RCON {code.replace('_', ' ')}: " in line
    assert "~" not in line
    late = NOW + 3 * run.interval_ms // 2
    [line] = problems(view(), late)[0].fold(60, 1, "! (+2 more: l p) ")
    assert line.endswith("poll overdue 900 s: no answer yet")


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_the_next_step_of_a_draft_stands_whole(tmp_path: Path, size: tuple[int, int]) -> None:
    app = app_on(draft(tmp_path, 1))
    async with app.run_test(size=size) as pilot:
        await until_read(pilot)
        whole = "then seal; w is the first-poll wizard"
        await until(pilot, lambda: whole in " ".join(text_of(app).split()))


def gone_only(folder: RunFolder) -> RunView:
    """The run's view as in its window: connected, its list answered, one objective gone."""
    lines = folder.journal.read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if b"window_closed" not in line and b"adjudicated" not in line]
    folder.journal.write_bytes(b"".join(kept))
    return replace(read_all(RunModel(folder)), collector_pid=7, cycles=99)


def test_an_objective_that_is_gone_is_no_fault_of_rcon(tmp_path: Path) -> None:
    folder = sample(tmp_path, "withheld_4_objective_lost")
    run = gone_only(folder)
    now = run.heartbeat_ms or 0
    assert "RCON up" in header(run, now)  # and status says that no cycle is read whole
    assert not [line for line in told(run, now) if "RCON" in line]
    assert [line for line in told(run, now) if line.startswith("mine_sand gone in cycle 4")]
    tell_in_journal(folder, ev.Fault(code="timed_out", text="no answer", cycle=5))
    run = replace(read_all(RunModel(folder)), collector_pid=7, cycles=99)
    assert "RCON FAULT" in header(run, now)


def test_what_is_over_is_not_told_as_the_end_of_what_lasts(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    over = ev.Recovered(code="closed", text="no 'closed' any more", cycle=31, since=30)
    tell_in_journal(
        folder,
        ev.Fault(code="closed", text="it hung up", cycle=30),
        ev.Fault(code="refused", text=REFUSED, cycle=31),
        over,
        ev.Recovered(code="refused", text="", cycle=33, since=31),
    )
    *_, first, last = read_all(RunModel(folder)).journal
    closed = "over in cycle 32: connection closed (began in cycle 31)"
    assert first.text == f"STILL ON: connection refused; {closed}"
    assert last.text == "over in cycle 34: connection refused (began in cycle 32)"


# -- a roster that never came ---------------------------------------------------------------------


def test_a_roster_that_was_never_online_is_told_after_one_poll_and_first() -> None:
    run = with_units(online=False, seen=False, absent_polls=1, baseline=None)
    [first, second] = told(run)
    assert first.startswith("never seen online: 6 of 6 units: with 0 of 3 curiosity units live")
    assert "the verdict will be WITHHELD; check the names; the roster is sealed" in first
    assert second.startswith("no BASELINE_WOOD")


def test_a_unit_that_never_came_is_not_new_as_gone() -> None:
    never = replace(unit(), online=False, seen=False)
    flags_seen = UnitSeen(flags=["primary"])
    assert news_of(never, flags_seen) == ("never seen online",)
    assert news_of(replace(never, seen=True), flags_seen) == ("gone from the players' list",)


def test_one_unit_that_missed_one_list_is_no_trouble_and_all_of_them_are() -> None:
    run = view()
    missed = replace(run.units[0], online=False, absent_polls=1)
    assert told(replace(run, units=(missed, *run.units[1:]))) == []
    assert (
        "not in the players' list: 6 of 6 units"
        in told(with_units(online=False, absent_polls=1))[0]
    )


# -- a refusal that is over -----------------------------------------------------------------------


@pytest.mark.asyncio
async def test_a_refused_password_is_over_once_the_server_has_answered_anyone(
    tmp_path: Path, server: SimServer
) -> None:
    bench = Bench.make(tmp_path, server.port, DEFAULT_PASSWORD, units=3)
    tell_in_journal(
        bench.folder,
        ev.CollectorStarted(pid=7, tool="t", once=False),
        ev.CollectorStopped(pid=7, reason="it refused the RCON password: compare it"),
    )
    app = app_on(bench.folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await until_read(pilot)
        assert isinstance(screen, RunScreen)
        screen.hear("collect: NO: it refused the RCON password: compare it", "collect")
        await until(pilot, lambda: "no collector was started" in text_of(app))
        bench.cli("register")
        await until(pilot, lambda: "no collector was started" not in text_of(app))


def test_a_refusal_after_the_server_had_answered_outlasts_its_answers(tmp_path: Path) -> None:
    folder = draft(tmp_path, 1)
    answered = ev.Connection(host="127.0.0.1", port=1, namespaced=True)
    tell_in_journal(
        folder,
        ev.CollectorStarted(pid=7, tool="t", once=False),
        answered,
        ev.CollectorStopped(pid=7, reason="a start count is above 0"),
        answered,
    )
    assert read_all(RunModel(folder)).refusal == "a start count is above 0"


@pytest.mark.parametrize("grave", [True, False])
def test_the_list_marks_a_run_only_for_a_grave_trouble(
    grave: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now_ms", lambda: NOW)
    run = view(seal_broken=True) if grave else view(rcon_ok=False)
    assert problems(run, NOW)[0].grave is grave
    line = run_line(RunEntry(RunFolder(Path("run")), run, ""), 8, 80)
    assert line.startswith("run     !" if grave else "run      ")


# -- ages and numbers -----------------------------------------------------------------------------


def test_an_arm_s_count_is_as_old_as_the_half_it_counts() -> None:
    old = NOW - 3 * view().interval_ms
    line = arm_line(with_units(mined_ms=old), "treatment", 80, NOW)
    assert "  3 of 3 PRIMARY  (0 of 3) SECONDARY  (0 of 3) both" in line


def test_counts_that_nobody_dated_look_old(tmp_path: Path) -> None:
    run = read_all(RunModel(sample(tmp_path, "p2_final_counts")))
    first = unit_line(run.units[0], run, Columns.fit(80, run), NOW)
    assert "(YES)" in first
    assert "(8)" in first
    assert "(6 of 6) PRIMARY" in arm_line(run, "treatment", 80, NOW)


def test_a_time_that_no_clock_has_shown_is_no_age(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now_ms", lambda: NOW)
    for name in ("p1_inventory", "p2_final_counts"):
        folder = sample(tmp_path, name)
        run = read_all(RunModel(folder))
        assert "heartbeat -  " in header(run)
        assert run_line(RunEntry(folder, run, ""), 20, 80).split()[-3:] == ["-", "-", "-"]


def test_an_old_hoard_of_three_digits_stands_whole_in_a_narrow_line() -> None:
    run = view()
    old = replace(unit(), hoard=468, hoard_ms=NOW - 3 * run.interval_ms)
    assert "(468)" in unit_line(old, run, Columns.fit(60, run), NOW)


def test_the_arm_s_line_keeps_all_its_numbers_at_60_columns() -> None:
    run = view()
    unknown = replace(run.units[0], primary=None, secondary=None, plateau_break=None)
    units = tuple(replace(unknown, name=f"UNI-10-{n}", pair=n) for n in range(5))
    aged = replace(run, units=(replace(run.units[1], read_ms=1, placed_ms=1, mined_ms=1), *units))
    line = arm_line(aged, "treatment", 60, NOW)
    assert line.endswith("(1 of 6) PRIM, 5 ?  (0 of 6) SEC, 5 ?  (0 of 6) both, 5 ?")
    assert len(line) <= 60


@pytest.mark.asyncio
async def test_a_pin_s_answer_keeps_no_padding_of_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ["UNI-10-1         oak_log (on oak_log +3)", "UNI-10-2         oak_log"]

    async def asked(*_: object) -> PinRequest:
        return PinRequest("oak_log", {}, "", "me")

    monkeypatch.setattr(run_screen, "ask_pin", asked)
    monkeypatch.setattr(operate, "pin", lambda *_: lines)
    app = app_on(draft(tmp_path, 1))
    async with app.run_test(size=(120, 36)) as pilot:
        await until_read(pilot)
        await pilot.press("p")
        whole = "> pin: UNI-10-1 oak_log (on oak_log +3); UNI-10-2 oak_log"
        await until(pilot, lambda: whole in text_of(app))


def test_one_cycle_is_a_cycle(tmp_path: Path) -> None:
    run = read_all(RunModel(sample(tmp_path, "p2_final_counts")))
    assert "the window closed after 1 cycle the published" in " ".join(e.text for e in run.journal)
