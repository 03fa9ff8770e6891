"""``verify`` names every kind of tampering: code, file, line and byte."""

import json
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metric.texts import EXTENSION, VALID, parsed
from runlog.runs import (
    Clock,
    a_row,
    begin,
    closed,
    cycle_rows,
    finished_run,
    heartbeat,
    lines_of,
    new_folder,
    opened,
    pin,
    relink,
    sealed,
    write_cycle,
)
from runlog.tampering import CASES, JOURNAL, ROWS, Case, more, on_journal, on_rows, setting, without

from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.locks import FileLock
from plateau_tui.runlog.verify import Problem, verify_run
from plateau_tui.runlog.writer import RunWriter


def byte_of(path: Path, line: int) -> int:
    return sum(len(data) for data in lines_of(path)[: line - 1])


def problems(folder: RunFolder) -> list[Problem]:
    found = verify_run(folder).problems
    for problem in found:
        assert problem.text.isprintable()
        if problem.line is not None:
            assert problem.byte == byte_of(folder.path / problem.file, problem.line)
    return found


def codes(folder: RunFolder) -> set[tuple[str, str, int | None]]:
    return {(p.code, p.file, p.line) for p in problems(folder)}


def line_of(folder: RunFolder, event: str, nth: int = 1) -> int:
    found = [
        number
        for number, line in enumerate(lines_of(folder.journal), start=1)
        if json.loads(line)["event"] == event
    ]
    return found[nth - 1]


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    """Four cycles of six rows; cycle c has the lines 6c + 1 … 6c + 6."""
    return finished_run(tmp_path / "run")


def test_what_the_writer_wrote_is_intact(run: RunFolder) -> None:
    result = verify_run(run)
    assert result.problems == []
    assert result.intact
    assert (result.rows, result.cycles) == (24, 4)
    assert result.rows_head == json.loads(lines_of(run.rows)[-1])["chain"]
    assert result.journal_head == json.loads(lines_of(run.journal)[-1])["chain"]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_tampering_is_named_with_its_place(run: RunFolder, case: Case) -> None:
    assert line_of(run, "window_opened") == 10
    assert [line_of(run, "heartbeat", n) for n in (1, 2, 3, 4)] == [11, 12, 13, 14]
    case.tamper(run)
    found = codes(run)
    assert found == case.expected if case.exactly else found >= case.expected


def test_adjudicated_alone_may_follow_the_close(run: RunFolder) -> None:
    data = b'{"ts":"2026-01-01T00:00:00.000Z","event":"adjudicated","verdict":"PASS","chain":"0"}\n'
    on_journal(more(data), chained=True)(run)
    assert codes(run) == set()


def test_one_deleted_row_is_not_told_again_at_every_later_heartbeat(tmp_path: Path) -> None:
    run = finished_run(tmp_path / "run", 40)
    on_rows(without(8, 8))(run)
    assert len(problems(run)) == 3


def test_a_file_that_is_wrong_throughout_is_told_in_bounds(tmp_path: Path) -> None:
    run = finished_run(tmp_path / "run", 1)
    run.rows.write_bytes(b"nonsense\n" * 5000)
    found = [problem.code for problem in verify_run(run).problems]
    assert found[:1000] == ["unreadable_line"] * 1000
    # What comes after the bound and is of another kind is never lost: a verdict may hang on it.
    assert sorted(found[1000:]) == ["cross_check", "cycle_incomplete"]


@given(st.integers(0, 10**9), st.integers(1, 255))
@settings(max_examples=60)
def test_no_changed_byte_of_either_log_stays_unseen(
    shared: RunFolder, where: int, flip: int
) -> None:
    for path in (shared.rows, shared.journal):
        whole = path.read_bytes()
        at = where % len(whole)
        path.write_bytes(whole[:at] + bytes([whole[at] ^ flip]) + whole[at + 1 :])
        try:
            assert not verify_run(shared).intact
        finally:
            path.write_bytes(whole)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return finished_run(tmp_path_factory.mktemp("shared") / "run", 2)


# -- a collector at work ---------------------------------------------------------------------


@pytest.mark.parametrize("tail", [b'{"schema"', b"\xc2"])
def test_an_unterminated_line_is_left_alone_while_the_lock_is_held(
    run: RunFolder, tail: bytes
) -> None:
    for path in (run.rows, run.journal):
        path.write_bytes(path.read_bytes() + tail)
    with FileLock(run.lock):
        assert codes(run) == set()
    assert codes(run) == {("torn_tail", ROWS, 25), ("torn_tail", JOURNAL, 16)}


def test_a_cycle_without_its_heartbeat_is_fine_only_while_the_lock_is_held(tmp_path: Path) -> None:
    run = finished_run(tmp_path / "run", 2, close=False)
    on_journal(without(12, 12))(run)
    with FileLock(run.lock):
        assert codes(run) == set()
    assert codes(run) == {("heartbeat_missing", ROWS, 7)}
    on_rows(without(10, 12))(run)
    with FileLock(run.lock):
        assert codes(run) == set()
    assert codes(run) == {("cycle_incomplete", ROWS, 7)}


def test_verify_changes_no_byte_and_makes_no_file(run: RunFolder) -> None:
    run.rows.write_bytes(run.rows.read_bytes() + b"torn")
    before = {path: path.read_bytes() for path in run.path.iterdir() if path.is_file()}
    verify_run(run)
    assert {path: path.read_bytes() for path in run.path.iterdir() if path.is_file()} == before


# -- runs that are in order, though unusual --------------------------------------------------


def test_a_draft_and_a_sealed_run_without_rows_are_intact(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    writer = RunWriter(folder, Clock())
    assert codes(folder) == set()
    writer.journal(sealed())
    assert codes(folder) == set()
    writer.close()


def test_a_null_written_before_the_pin_is_no_difference(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    writer, registration = begin(folder, pinned=False), parsed()
    write_cycle(writer, registration, 0)
    writer.journal(pin("UNI-10-1", "oak_log"))
    write_cycle(writer, registration, 1)
    writer.journal(pin("UNI-10-1", "birch_log"), pin("UNI-10-2", "oak_log"))
    write_cycle(writer, registration, 2)
    writer.close()
    assert codes(folder) == set()


def test_a_late_heartbeat_may_follow_a_newer_pin(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    writer, registration = begin(folder, pinned=False), parsed()
    rows = cycle_rows(registration, writer.state, 0)
    writer.journal(pin("UNI-10-1"))
    late = msgspec.structs.replace(heartbeat(0), late=True)
    writer.cycle(rows, opened(), late)
    writer.close()
    assert codes(folder) == set()


def test_offset_rows_are_re_derived_less_their_start(tmp_path: Path) -> None:
    text = VALID.replace('"zero"', '"offset"') + EXTENSION
    folder = new_folder(tmp_path / "run", text)
    writer, registration = RunWriter(folder, Clock()), parsed(text)
    writer.journal(sealed(text))
    names = [o.name for o in registration.objectives]
    start: ev.UnitCounts = {u.name: dict.fromkeys(names, 5) for u in registration.units}
    writer.journal(
        ev.Registered(created=[], existing=names, start=start, criterion_not_verifiable=names)
    )
    writer.open_rows(0)
    rows = [
        a_row(registration, writer.state, unit, 0, dict.fromkeys(("dirt",), 6))
        for unit in registration.units
    ]
    assert rows[0].primary is True
    assert rows[0].placed_used_total == 6
    writer.cycle(rows, opened(), heartbeat(0))
    writer.journal(closed(1))
    writer.close()
    assert codes(folder) == set()
    genesis = sha256(text.encode()).hexdigest()
    folder.rows.write_bytes(relink(setting(1, primary=False)(lines_of(folder.rows)), genesis))
    assert ("derived_differs", ROWS, 1) in codes(folder)
