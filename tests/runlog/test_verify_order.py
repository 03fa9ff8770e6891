"""What no collector writes at a place of the journal is named, however well it is chained."""

import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
from metric.texts import VALID, parsed
from runlog.runs import (
    Json,
    begin,
    closed,
    edited,
    finished_run,
    lines_of,
    names_of,
    new_folder,
    opened,
    pin,
    relink,
    sealed,
    write_cycle,
    zeros,
)

from plateau_tui.metric.fence import CLAIM_FENCE
from plateau_tui.metric.plain import digits_apart
from plateau_tui.report.gather import judge
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.chain import JOURNAL_GENESIS
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.verify import verify_run

OPENED, BEAT, CLOSED = 10, 11, 15
"""Lines of the journal: the window's opening, the first heartbeat, the close."""
TS = "2026-01-01T00:00:00.000Z"
OPENING = ev.RunOpened(claim_fence=CLAIM_FENCE, tool="plateau-tui 9", collector_id="ffffffff")


def registered(created: list[str], start: ev.UnitCounts) -> ev.Registered:
    return ev.Registered(created=created, existing=[], start=start, criterion_not_verifiable=[])


def objective(status: str) -> ev.ObjectiveEvent:
    fields = {"name": "place_dirt", "criterion": "minecraft.used:minecraft.dirt"}
    return msgspec.convert(fields | {"status": status}, ev.ObjectiveEvent)


MOVED = registered([], {"UNI-10-1": {"place_dirt": 90}})
PUT_IN = {
    "a start reading in the window": (BEAT, MOVED, "registered_late"),
    "a start reading before the last heartbeat": (CLOSED - 1, MOVED, "registered_late"),
    "an objective made in the window": (BEAT, objective("created"), "objective_late"),
    "an objective found in the window": (BEAT, objective("existing"), "objective_late"),
    "an objective refused in the window": (BEAT, objective("failed"), "objective_late"),
    "a second seal": (BEAT, sealed(), "sealed_again"),
    "a second seal before the window": (3, sealed(), "sealed_again"),
    "a second opening of the window": (BEAT + 1, opened(), "opened_again"),
    "a second opening of the run": (BEAT, OPENING, "journal_cut"),
    "a verdict in the window": (BEAT, ev.Adjudicated(verdict="PASS"), "adjudicated_early"),
    "a close before the window": (OPENED, closed(0), "not_opened"),
    "a pin after the close": (CLOSED + 1, pin("UNI-10-1", "birch_log"), "after_close"),
    "a start reading after the close": (CLOSED + 1, MOVED, "after_close"),
    "a second close": (CLOSED + 1, closed(4), "after_close"),
    "a note after the close": (CLOSED + 1, ev.Note(text="x"), "after_close"),
    "a start above 0 of what this run made": (
        4, registered(["place_dirt"], {"UNI-10-1": {"place_dirt": 9}}), "start_reading"
    ),
    "an unknown start of what this run made": (
        4, registered(["place_dirt"], {"UNI-10-1": {"place_dirt": None}}), "start_reading"
    ),
}  # fmt: skip


def forge(folder: RunFolder, change: Callable[[list[bytes]], list[bytes]]) -> None:
    folder.journal.write_bytes(relink(change(lines_of(folder.journal)), JOURNAL_GENESIS))


def put_in(folder: RunFolder, number: int, event: ev.Event) -> None:
    line = ev.encode_event(TS, event)[:-1] + b',"chain":"0"}\n'
    forge(folder, lambda lines: [*lines[: number - 1], line, *lines[number - 1 :]])


def found(folder: RunFolder) -> set[tuple[str, int | None]]:
    return {(problem.code, problem.line) for problem in verify_run(folder).problems}


@pytest.mark.parametrize(("number", "event", "code"), PUT_IN.values(), ids=PUT_IN.keys())
def test_an_event_out_of_its_place_is_named_and_voids_the_run(
    tmp_path: Path, number: int, event: ev.Event, code: str
) -> None:
    run = finished_run(tmp_path / "run")
    assert names_of(run)[OPENED - 1 : BEAT] == ["window_opened", "heartbeat"]
    assert names_of(run)[CLOSED - 1 :] == ["window_closed"]
    put_in(run, number, event)
    assert (code, number) in found(run)
    assert judge(run).verdict.rows_that_apply[0] == 1


def test_a_heartbeat_before_the_window_is_named(tmp_path: Path) -> None:
    run = finished_run(tmp_path / "run")
    forge(run, lambda lines: [*lines[:9], lines[10], lines[9], *lines[11:]])
    assert found(run) == {("not_opened", OPENED)}


@pytest.mark.parametrize("fence", ["", CLAIM_FENCE + " ", CLAIM_FENCE.replace("never", "ever", 1)])
def test_another_fence_in_the_first_event_voids_the_run(tmp_path: Path, fence: str) -> None:
    run = finished_run(tmp_path / "run")

    def put(value: Json) -> None:
        value["claim_fence"] = fence

    forge(run, lambda lines: [edited(lines[0], put), *lines[1:]])
    assert found(run) == {("fence_differs", 1)}
    assert judge(run).verdict.rows_that_apply[0] == 1


def test_objectives_may_be_registered_again_and_again_before_the_window(tmp_path: Path) -> None:
    run = finished_run(tmp_path / "run")
    for event in (
        registered([], {}),
        objective("created"),
        registered(["place_dirt"], {"UNI-10-1": {"place_dirt": 0}}),
        objective("failed"),
        objective("existing"),
    ):
        put_in(run, 4, event)
    assert found(run) == set()


def test_a_moved_start_reading_moves_no_verdict_unnamed(tmp_path: Path) -> None:
    """The forgery that made a PASS of a PARTIAL: under ``offset`` a control loses its counts."""
    text = VALID.replace('start_counts = "zero"', 'start_counts = "offset"')
    run = finished_run(tmp_path / "run", text=text)
    start: ev.UnitCounts = {"UNI-11-1": dict.fromkeys(zeros(("place_dirt", "mine_stone")), 99)}
    put_in(run, CLOSED, registered(["place_dirt", "mine_stone"], start))
    assert ("registered_late", CLOSED) in found(run)
    assert judge(run).verdict.rows_that_apply[0] == 1


@pytest.mark.parametrize("cycles", [1, 3])
def test_a_journal_that_was_lost_and_goes_on_has_its_chain_alone_against_it(
    tmp_path: Path, cycles: int
) -> None:
    folder = new_folder(tmp_path / "run")
    writer = begin(folder)
    for cycle in range(cycles):
        write_cycle(writer, parsed(), cycle)
    os.truncate(folder.journal, 0)
    write_cycle(writer, parsed(), cycles)
    writer.journal(closed(cycles + 1))
    writer.close()
    names = names_of(folder)
    assert names.index("registered") < names.index("window_opened")
    forge(folder, list)
    # What the rows say of the pins is checked against the pins that were named again.
    assert found(folder) <= {("heartbeat_order", names.index("heartbeat") + 1)}


@pytest.mark.parametrize("digit", [0, 12, 63])
def test_two_seals_are_told_far_enough_to_differ(tmp_path: Path, digit: int) -> None:
    run = finished_run(tmp_path / "run", 1)
    seal = sha256(VALID.encode()).hexdigest()
    other = seal[:digit] + ("0" if seal[digit] != "0" else "1") + seal[digit + 1 :]

    def put(value: Json) -> None:
        value["sha256"] = other

    forge(run, lambda lines: [lines[0], edited(lines[1], put), *lines[2:]])
    told = next(p.text for p in verify_run(run).problems if p.code == "seal_broken")
    one, two = digits_apart(seal, other)
    assert f"({one} instead of {two})" in told
    assert one != two
    assert seal.startswith(one.rstrip("…"))
    assert len(one.rstrip("…")) == max(12, digit + 1)


def test_a_pin_that_is_moved_before_the_window_is_named_though_heartbeats_are_called_late(
    tmp_path: Path,
) -> None:
    folder = new_folder(tmp_path / "run")
    writer = begin(folder, pinned=False)
    for cycle in range(3):
        write_cycle(writer, parsed(), cycle)
    writer.journal(pin("UNI-10-1"))
    write_cycle(writer, parsed(), 3)
    writer.journal(closed(4))
    writer.close()
    assert found(folder) == set()
    pinned = names_of(folder).index("pinned")

    def late(value: Json) -> None:
        value["late"] = True

    def move(lines: list[bytes]) -> list[bytes]:
        moved = lines.pop(pinned)
        lines = [edited(li, late) if b'"heartbeat"' in li else li for li in lines]
        return [*lines[:3], moved, *lines[3:]]

    forge(folder, move)
    assert found(folder) == {("pin_differs", 7), ("pin_differs", 13)}
