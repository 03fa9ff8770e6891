"""Whatever the journal tells as still going on stands among the problems, in words."""

import ast
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from console.apps import app_on, draft, read_all, sample, tell_in_journal, until_text
from console.views import NOW, view

import plateau_tui.collector
import plateau_tui.runlog
from plateau_tui.cli.wrong import wrong_lines
from plateau_tui.collector.loop import INTERNAL
from plateau_tui.console.lines import faultproblems
from plateau_tui.console.lines.problems import problems, standing_line
from plateau_tui.console.live.faults import FOR_GOOD, NO_LINK
from plateau_tui.console.live.model import RunModel
from plateau_tui.console.live.view import RunView
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.state import ITEMS_REMOVED, OTHER_ARM
from plateau_tui.server.errors import NoPlayerError, ServerError, UnknownObjectiveError

TEXT = "something happened: do this"
NAMED = {"INTERNAL": INTERNAL, "ITEMS_REMOVED": ITEMS_REMOVED, "OTHER_ARM": OTHER_ARM}


def told(run: RunView) -> list[str]:
    return [problem.line for problem in problems(run, run.heartbeat_ms or NOW)]


def opened(folder: RunFolder) -> RunFolder:
    """Take the end of a sample's window away."""
    lines = folder.journal.read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if b"window_closed" not in line and b"adjudicated" not in line]
    folder.journal.write_bytes(b"".join(kept))
    return folder


def in_window(folder: RunFolder, model: RunModel | None = None) -> RunView:
    """The run's view as in its window, a collector running; a ``model`` reads on."""
    return replace(read_all(model or RunModel(folder)), collector_pid=7, cycles=99)


def unread(folder: RunFolder) -> None:
    """Add a cycle in which nothing was read."""
    rows = [json.loads(line) for line in folder.rows.read_bytes().splitlines()]
    last = max(row["cycle"] for row in rows)
    with folder.rows.open("a") as file:
        for row in rows:
            if row["cycle"] == last:
                silent = {"cycle": last + 1, "rcon_ok": False, "online": None, "read_ts": None}
                file.write(json.dumps(row | silent) + "\n")


# -- every kind of fault --------------------------------------------------------------------------


def kinds_of(error: type[ServerError]) -> Iterator[str]:
    yield error.code
    for kind in error.__subclasses__():
        yield from kinds_of(kind)


def code_of(node: ast.expr) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return NAMED.get(node.id) if isinstance(node, ast.Name) else None


def codes_in(tree: ast.AST) -> Iterator[str | None]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "Fault":
                yield from (code_of(word.value) for word in node.keywords if word.arg == "code")
            elif node.func.attr == "note" and node.args:
                yield code_of(node.args[0])
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            found = isinstance(node.value, ast.Name) and node.value.id == "faults"
            yield code_of(node.slice) if found else None


def codes_written() -> set[str]:
    """Every code of a fault that a collector can write, as its source has them."""
    found: set[str | None] = set(kinds_of(ServerError))
    for package in (plateau_tui.collector, plateau_tui.runlog):
        for file in sorted(Path(package.__path__[0]).glob("*.py")):
            found.update(codes_in(ast.parse(file.read_text(encoding="utf-8"))))
    return {code for code in found if code is not None}


CODES = sorted(codes_written())
WORDS = {
    "probe_gap": "the probe has told nothing since cycle 6: ",
    OTHER_ARM: "a probe's tag of the other arm in cycle 6: this run ends WITHHELD",
    ITEMS_REMOVED: "a count probe REMOVED items",
    "rows_cut": "something happened: do this since cycle 6: without them this run ends WITHHELD",
    "log_edited": "something happened: do this: this run ends WITHHELD; touch nothing",
    "internal": "something happened: do this in cycle 6: that cycle is a gap; report it",
    "endpoint_lock_unavailable": "something happened: do this since cycle 6: see that no other run",
}
ANSWERS = {UnknownObjectiveError.code, NoPlayerError.code}
"""Errors that the collector takes for answers and never writes as faults (``Session._note``)."""
OF_THE_LINK = [code for code in CODES if code.isidentifier() and code not in NO_LINK | ANSWERS]
NEVER_OVER = FOR_GOOD | {OTHER_ARM, ITEMS_REMOVED}


def test_the_codes_that_need_words_of_their_own_are_ones_that_are_written() -> None:
    assert set(WORDS) | {"refused", "out_of_time", "endpoint_busy", "mismatch"} <= set(CODES)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("code", CODES)
def test_every_fault_that_lasts_is_told_and_none_that_is_over(
    tmp_path: Path, code: str, whole: bool
) -> None:
    folder = opened(sample(tmp_path, "pass"))
    if not whole:
        unread(folder)
    model = RunModel(folder)
    before = told(in_window(folder, model))
    text = TEXT if code != OTHER_ARM else "a tag"
    tell_in_journal(folder, ev.Fault(code=code, text=text, cycle=5))
    started = "RCON since cycle 6"
    words = WORDS.get(code, f"{started}{', got past by asking again' * whole}: something happened")
    new = [line for line in told(in_window(folder, model)) if line not in before]
    assert [line for line in new if line.startswith(words)], new
    tell_in_journal(folder, ev.Recovered(code=code, text="", cycle=6, since=5))
    left = [line for line in told(in_window(folder, model)) if line.startswith(words)]
    assert bool(left) is (code in NEVER_OVER)


@pytest.mark.parametrize("code", OF_THE_LINK)
def test_every_fault_of_the_link_has_a_remedy_of_its_own_in_a_line_of_60_columns(code: str) -> None:
    remedy, brief = faultproblems._BRIEF_TODO[code]
    run = view(rcon_ok=False, fault=TEXT, fault_code=code, fault_since_cycle=30)
    [problem] = [each for each in problems(run, NOW) if each.line.startswith("RCON")]
    [line] = problem.fold(60, 1, "! (+2 more: l p) ")
    assert f"RCON {code.replace('_', ' ')}" in line
    assert "~" not in line
    if code != "password":  # its remedy names the process that has the old one
        assert brief in line or remedy in line


def test_each_fault_of_the_link_is_told_and_the_newest_first(tmp_path: Path) -> None:
    folder = opened(sample(tmp_path, "pass"))
    unread(folder)
    tell_in_journal(
        folder,
        ev.Fault(code="closed", text="it hung up: look there", cycle=3),
        ev.Fault(code="probe_gap", text="probe: silent (1 of 6 units)", cycle=3),
        ev.Fault(code="refused", text="it refused: start it", cycle=4),
    )
    assert told(in_window(folder))[:2] == [
        "RCON since cycle 5: it refused: start it", "RCON since cycle 4: it hung up: look there",
    ]  # fmt: skip


@pytest.mark.parametrize("cost_a_cycle", [True, False])
def test_an_error_of_the_collector_itself_is_over_with_the_next_cycle(
    tmp_path: Path, cost_a_cycle: bool
) -> None:
    folder = opened(sample(tmp_path, "pass"))
    last = read_all(RunModel(folder)).cycle or 0
    cycle = last if cost_a_cycle else None
    tell_in_journal(folder, ev.Fault(code="internal", text="an error", cycle=cycle))
    cost = f" in cycle {last + 1}: that cycle is a gap" if cost_a_cycle else ": it cost no cycle"
    assert told(in_window(folder)) == [f"an error{cost}; report it, with collector.log"]
    beat = ev.Heartbeat(
        cycle=last + 1, poll_ts="2026-01-05T01:00:00.000Z", rcon_ok=True, probe_ok=None,
        live_cur=3, live_ctrl=3, rows=0, rows_head="0",
    )  # fmt: skip
    tell_in_journal(folder, beat)
    assert told(in_window(folder)) == []


# -- every other event that tells of trouble ------------------------------------------------------

LASTING: list[tuple[ev.Event, str]] = [
    (ev.ObjectiveMissing(objective="mine_sand", cycle=2), "mine_sand gone in cycle 3: this run"),
    (
        ev.CounterFell(cycle=2, unit="UNI-10-1", objective="mine_dirt", before=9, after=1),
        "counters that fell: 1 (UNI-10-1 mine_dirt): a rollback",
    ),
    (
        ev.LogRestarted(file="rows.jsonl", reason="gone", head="h", kept="rows.kept-1"),
        "rows.jsonl had to begin anew (gone): leave rows.kept-1 beside it",
    ),
    (
        ev.LogRestarted(file="rows.jsonl", reason="cut", head="h"),
        "rows.jsonl had to begin anew (cut): leave the earlier file beside it",
    ),
    (
        ev.LogRestarted(file="journal.jsonl", reason="cut", head="h"),
        "journal.jsonl had to begin anew (cut): without its earlier part this run ends WITHHELD",
    ),
    (ev.ClockMoved(offset_s=3600.0), "the wall clock was found +3600 s off; slots stay: set it"),
    (
        ev.PollNow(id="1", online={}, counts={}, hoard={}, note="no answer"),
        "RCON, read by hand: no answer",
    ),
]
PAST = {
    ev.RunOpened, ev.Sealed, ev.Registered, ev.NamesShown, ev.Watch, ev.Pinned, ev.WindowOpened,
    ev.CollectorStarted, ev.Heartbeat, ev.Recovered, ev.CyclesMissed, ev.TornTail, ev.SealRestored,
    ev.Connection, ev.Request, ev.Answer, ev.Note, ev.Adjudicated,
}  # fmt: skip
"""What is over once it is told, or was never trouble: gap rows stand, torn bytes stand aside."""
ELSEWHERE = {ev.Fault, ev.ObjectiveEvent, ev.CollectorStopped, ev.SealBroken, ev.Strangers,
             ev.WindowClosed}  # fmt: skip
"""What a test of its own tells: here, in ``test_problems`` and in ``test_following``."""


@pytest.mark.parametrize(("event", "words"), LASTING)
def test_what_else_the_journal_tells_and_lasts_is_told(
    tmp_path: Path, event: ev.Event, words: str
) -> None:
    folder = opened(sample(tmp_path, "pass"))
    assert told(in_window(folder)) == []
    tell_in_journal(folder, event)
    assert [line for line in told(in_window(folder)) if line.startswith(words)]


def test_of_every_event_it_is_settled_whether_it_is_trouble_that_lasts() -> None:
    assert {type(event) for event, _ in LASTING} | PAST | ELSEWHERE == set(ev._EVENT_TYPES)


def test_a_clock_that_is_set_right_is_no_trouble_any_more(tmp_path: Path) -> None:
    folder = opened(sample(tmp_path, "pass"))
    tell_in_journal(folder, ev.ClockMoved(offset_s=3600.0), ev.ClockMoved(offset_s=0.1))
    assert told(in_window(folder)) == []


def test_objectives_that_cannot_be_had_are_told_until_they_can(tmp_path: Path) -> None:
    folder = draft(tmp_path, 1)
    failed = ev.ObjectiveEvent(name="mine_x", criterion="c", status="failed", reason="too long")
    tell_in_journal(folder, failed)
    [line] = told(read_all(RunModel(folder)))
    assert line.startswith("not to be had from the server: mine_x (too long): ")
    assert "register with w" in line
    tell_in_journal(folder, ev.ObjectiveEvent(name="mine_x", criterion="c", status="created"))
    assert told(read_all(RunModel(folder))) == []


# -- the log itself -------------------------------------------------------------------------------


def test_rows_that_were_counted_and_are_gone_are_told_until_they_are_back(tmp_path: Path) -> None:
    folder = sample(tmp_path, "pass")
    whole = folder.rows.read_bytes()
    model = RunModel(folder)
    assert read_all(model).lost_rows == 0
    folder.rows.write_bytes(b"".join(whole.splitlines(keepends=True)[:-2]))
    run = read_all(model)
    assert told(run)[0].startswith(
        "rows.jsonl holds fewer rows than were counted: 2 are gone: put the earlier file back "
        "beside it, or this run ends WITHHELD; plateau-tui verify names the cycles"
    )
    tell_in_journal(folder, ev.LogRestarted(file="rows.jsonl", reason="cut", head="h"))
    assert sum("rows.jsonl" in line for line in told(read_all(model))) == 1
    folder.rows.write_bytes(whole)
    assert read_all(model).lost_rows == 0


# -- the probe ------------------------------------------------------------------------------------


def probed(silent: int, *, armed: bool = True) -> RunView:
    run = view(probe_armed=armed)
    units = tuple(replace(u, probe_ok=n >= silent) for n, u in enumerate(run.units))
    text = f"probe: 3 lines could not be used ({silent} of 6 units)"
    return replace(run, units=units, faults=(ev.Fault(code="probe_gap", text=text, cycle=0),))


def test_a_probe_that_tells_nothing_is_told_with_what_it_proves_and_where_it_stands() -> None:
    [line] = told(probed(6))
    assert line == (
        "the probe has told nothing since cycle 1: no arm is proven; see [probe] in "
        "connection.toml (3 lines could not be used)"
    )
    assert "since cycle 1: its telemetry is missing; see" in told(probed(6, armed=False))[0]


def test_units_that_the_probe_says_nothing_of_are_named() -> None:
    [problem] = problems(probed(3), NOW)
    assert problem.line.startswith(
        "the probe tells nothing of UNI-10-1, UNI-10-2, UNI-10-3 since cycle 1: no arm is proven"
    )
    [line] = problem.fold(80, 1)
    assert line == "! the probe tells nothing of 3 of 6 units since cycle 1: no arm is proven"


def test_a_tag_that_is_asked_for_while_no_probe_runs_proves_no_arm() -> None:
    run = view(probe_armed=True)
    assert "asks for the probe's tags and no probe runs: no arm is proven" in told(run)[0]
    assert not [line for line in told(replace(run, cycle=None)) if "probe" in line]


def test_the_rows_tell_of_tags_of_the_other_arm_that_the_journal_lost(tmp_path: Path) -> None:
    folder = opened(sample(tmp_path, "pass"))
    run = read_all(RunModel(folder))
    control = run.arms["control"]
    rows = [json.loads(line) for line in folder.rows.read_bytes().splitlines()]
    tags = {"UNI-10-1": "", "UNI-10-2": control, "UNI-10-3": control}
    for row in rows:
        row["probe_ok"] = row["cycle"] > 0 or None
        row["probe_arm"] = tags.get(row["uni"]) if row["cycle"] == 1 else None
    folder.rows.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert read_all(RunModel(folder)).voided == (
        "a probe's tag of the other arm in cycle 2 (UNI-10-2, UNI-10-3)",
    )


# -- where it is told -----------------------------------------------------------------------------


def test_the_status_tells_the_same_with_commands_for_keys(tmp_path: Path) -> None:
    folder = opened(sample(tmp_path, "withheld_5_not_pinned"))
    found = wrong_lines(folder)
    unpinned = [unit.name for unit in read_all(RunModel(folder)).units if unit.baseline is None]
    assert any(line.startswith(f"! {', '.join(unpinned)} ") for line in found), found
    assert "the verdict will be WITHHELD; pin with plateau-tui pin" in " ".join(found)


@pytest.mark.asyncio
async def test_an_invalid_draft_says_what_mends_it_and_the_journal_who_says_why(
    tmp_path: Path,
) -> None:
    folder = draft(tmp_path, 1)
    text = folder.registration.read_text()
    folder.registration.write_text(text.replace('label = "', 'label = "\u202e', 1))
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        await until_text(pilot, "invalid draft (Gate mends it): registration.toml: arms[0].label")
        await pilot.press("l")
        await until_text(pilot, "this run cannot be shown: its own screen says why")
        await pilot.press("escape", "g")
        await until_text(pilot, "Registration of first: the gate")
        assert app.is_running


def test_a_window_that_was_closed_early_is_withheld_before_it_is_judged() -> None:
    run = view(stage="closed", closed_early=True)
    assert standing_line(run).startswith("closed early, which is WITHHELD: next v")
