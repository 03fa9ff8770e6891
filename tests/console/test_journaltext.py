"""The journal in words: every event has its own, and a person's cycles count from 1."""

import re
from pathlib import Path

import pytest
from console.apps import read_all, sample, tell_in_journal

from plateau_tui.console.live.journaltext import entry_text, told_elsewhere
from plateau_tui.console.live.model import RunModel
from plateau_tui.runlog import events as ev

TOLD: list[tuple[ev.Event, str]] = [
    (
        ev.RunOpened(claim_fence="f", tool="plateau-tui 1", collector_id="0badcafe"),
        "the journal begins, by plateau-tui 1, run 0badcafe",
    ),
    (ev.Sealed(by="me", sha256="0123456789abcdef", text="t"), "me: sealed 0123456789ab"),
    (
        ev.ObjectiveEvent(name="mine_dirt", criterion="c", status="failed", reason="why"),
        "objective mine_dirt: failed why",
    ),
    (
        ev.Registered(created=["a"], existing=["b"], start={}, criterion_not_verifiable=[]),
        "registered: 1 created, 1 there already",
    ),
    (ev.NamesShown(own=["a"], listing=["a"]), "1 objective has shown its own name"),
    (ev.NamesShown(own=["a", "b"], listing=[]), "2 objectives have shown their own names"),
    (ev.NamesShown(own=[], listing=["a"]), "no objective has shown its own name yet"),
    (ev.Watch(polls=3, grown={}, suggestion={}), "watched the logs for 3 polls"),
    (ev.Pinned(unit="UNI-1", species="oak_log", evidence={}), "pinned oak_log for UNI-1"),
    (ev.CollectorStarted(pid=7, tool="t", once=False), "collector 7 started"),
    (ev.CollectorStopped(pid=7, reason="signal 15"), "collector 7 stopped: signal 15"),
    (ev.WindowOpened(poll_ts="2026-01-01T00:00:00.000Z", unpinned=[]), "the window opened"),
    (
        ev.Heartbeat(
            cycle=4, poll_ts="2026-01-01T00:00:00.000Z", rcon_ok=False, probe_ok=None,
            live_cur=1, live_ctrl=1, rows=30, rows_head="h",
        ),
        "cycle 5: not read whole",
    ),
    (ev.Fault(code="timeout", text="too late", cycle=4), "FAULT timeout in cycle 5: too late"),
    (ev.Fault(code="timeout", text="too late"), "FAULT timeout: too late"),
    (
        ev.Recovered(code="timeout", text="no 'timeout' any more", cycle=6, since=4),
        "over in cycle 7: timeout (began in cycle 5)",
    ),
    (
        ev.Recovered(code="timeout", text="no 'timeout' in cycle 6; it began in cycle 4", cycle=6),
        "over in cycle 7: timeout",
    ),
    (
        ev.Recovered(code="objective_missing", text="mine_dirt is known again", cycle=6),
        "over in cycle 7: mine_dirt is known again",
    ),
    (
        ev.ObjectiveMissing(objective="mine_dirt", cycle=0),
        "OBJECTIVE MISSING in cycle 1: mine_dirt",
    ),
    (
        ev.CounterFell(cycle=2, unit="UNI-1", objective="mine_dirt", before=9, after=1),
        "UNI-1 mine_dirt fell from 9 to 1 in cycle 3",
    ),
    (
        ev.Strangers(cycle=2, unseen=["UNI-1"], names=["uni-1", "Steve"]),
        "not listed: UNI-1; online and no unit: uni-1, Steve",
    ),
    (ev.ClockMoved(offset_s=-3.0), "the wall clock moved by -3.0 s; slots stay"),
    (
        ev.CyclesMissed(first=2, last=4, reason="missed: no collector was running"),
        "cycles 3 to 5 missed: no collector was running",
    ),
    (
        ev.CyclesMissed(first=2, last=2, reason="missed: no collector was running"),
        "cycle 3 missed: no collector was running",
    ),
    (
        ev.TornTail(file="rows.jsonl", bytes=9, moved_to="rows.torn-1"),
        "9 bytes of rows.jsonl moved to rows.torn-1",
    ),
    (
        ev.LogRestarted(file="rows.jsonl", reason="it vanished", head="h"),
        "rows.jsonl: it vanished; a new one goes on",
    ),
    (ev.SealBroken(sha256=None), "SEAL BROKEN: registration.toml is not what was sealed"),
    (ev.SealRestored(sha256="h"), "registration.toml is again what was sealed"),
    (ev.Connection(host="h", port=25575, namespaced=True), "server h port 25575"),
    (ev.Request(by="me", id="1", op="close", args={}), "me: asked for close"),
    (ev.Answer(id="1", ok=False, text="why"), "answer: no, why"),
    (ev.PollNow(id="1", online={}, counts={}, hoard={}, note="late"), "read by hand: late"),
    (ev.Note(by="me", text="words"), "me: note: words"),
    (
        ev.WindowClosed(by="me", cycles=5, early=True, why="rain", rows=30, rows_head="h"),
        "me: the window closed after 5 cycles rain",
    ),
    (ev.Adjudicated(by="me", verdict="PASS"), "me: adjudicated: PASS"),
    (ev.Adjudicated(verdict="PASS", final=False), "adjudicated: PASS (not final)"),
]  # fmt: skip


@pytest.mark.parametrize(("event", "words"), TOLD, ids=[event.NAME for event, _ in TOLD])
def test_an_event_in_words(event: ev.Event, words: str) -> None:
    assert entry_text(event, event.NAME) == words


def test_every_event_of_the_journal_has_words_of_its_own() -> None:
    assert {type(event) for event, _ in TOLD} == set(ev._EVENT_TYPES)
    assert all(words != event.NAME.replace("_", " ") for event, words in TOLD)


def test_an_event_of_a_later_version_is_told_by_its_name() -> None:
    assert entry_text(None, "moon_phase") == "moon phase"


def test_heartbeats_and_objectives_that_are_well_are_told_elsewhere() -> None:
    quiet = {event.NAME for event, _ in TOLD if told_elsewhere(event)}
    assert quiet == {"heartbeat"}
    made = ev.ObjectiveEvent(name="a", criterion="c", status="created")
    assert told_elsewhere(made)


def test_no_cycle_that_counts_from_0_reaches_the_tail(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    tell_in_journal(folder, *(event for event, _ in TOLD if hasattr(event, "cycle")))
    tail = [entry.text for entry in read_all(RunModel(folder)).journal]
    told = {int(n) for text in tail for n in re.findall(r"cycle (\d+)", text)}
    assert told == {1, 3, 5, 7}
