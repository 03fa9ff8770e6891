"""A file that ends anywhere: whole rows stay, the rest moves aside, the chain goes on."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metric.texts import parsed
from runlog.runs import (
    begin,
    events_of,
    finished_run,
    heads_hold,
    names_of,
    new_folder,
    write_cycle,
)

from plateau_tui.runlog.chain import JOURNAL_GENESIS, seal_line
from plateau_tui.runlog.chainedfile import ChainedFile
from plateau_tui.runlog.writer import RunWriter

GENESIS = "ab" * 32
OBJECTS = (b'{"a":1}', b'{"text":"caf\xc3\xa9 \\n ,\\"chain\\":\\"x\\""}', b'{"b":{"chain":2}}')


def written() -> bytes:
    head, data = GENESIS, b""
    for item in OBJECTS:
        line, head = seal_line(head, item)
        data += line
    return data


WHOLE = written()
ENDS = [n for n, byte in enumerate(WHOLE, start=1) if byte == ord("\n")]


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def opened_again(folder: Path, content: bytes) -> tuple[bytes, bytes | None, bytes]:
    """Open a file with this content; return it, its side file, and it after one more append."""
    path, side = folder / "rows.jsonl", folder / "rows.torn-1"
    path.write_bytes(content)
    side.unlink(missing_ok=True)
    file = ChainedFile(path, GENESIS)
    kept = path.read_bytes()
    moved = side.read_bytes() if side.exists() else None
    assert (file.torn is None) == (moved is None)
    if file.torn is not None:
        assert (file.torn.count, file.torn.moved_to) == (len(moved or b""), "rows.torn-1")
    file.append([b'{"next":1}'])
    file.close()
    return kept, moved, path.read_bytes()


@pytest.mark.parametrize("cut", range(len(WHOLE) + 1))
def test_a_cut_at_any_byte_keeps_whole_rows_and_loses_nothing(folder: Path, cut: int) -> None:
    kept, moved, after = opened_again(folder, WHOLE[:cut])
    whole = max([0, *(end for end in ENDS if end <= cut)])
    if cut + 1 in ENDS:  # a whole row that only lacks its newline
        assert (kept, moved) == (WHOLE[: cut + 1], None)
    else:
        assert kept == WHOLE[:whole]
        assert moved == (WHOLE[whole:cut] or None)
    assert after.startswith(kept)
    assert after.endswith(b"\n")
    assert heads_hold(after, GENESIS)


TAILS = {
    "half a row": b'{"ts":"2026-01-01T00:10:00Z","player":"UNI-1',
    "half a character": b"\xc2",
    "NULs": b"\0" * 512,
    "blanks": b"   ",
    "a row that does not follow": seal_line("00" * 32, b'{"a":1}')[0][:-1],
    "a row without a chain": b'{"a":1}',
    "a megabyte": b"x" * 1_000_000,
}


@pytest.mark.parametrize("tail", TAILS.values(), ids=TAILS.keys())
def test_any_other_tail_moves_aside_byte_for_byte(folder: Path, tail: bytes) -> None:
    kept, moved, after = opened_again(folder, WHOLE + tail)
    assert (kept, moved) == (WHOLE, tail)
    assert heads_hold(after, GENESIS)


@given(st.binary(max_size=60))
def test_no_bytes_behind_the_last_row_stop_the_writer(folder: Path, tail: bytes) -> None:
    kept, moved, after = opened_again(folder, WHOLE + tail)
    assert kept + (moved or b"") in {WHOLE + tail, WHOLE + tail + b"\n"}
    assert after.startswith(kept)


def test_a_second_torn_tail_gets_its_own_side_file(tmp_path: Path) -> None:
    for number, tail in enumerate((b"one", b"two"), start=1):
        with (tmp_path / "rows.jsonl").open("ab") as file:
            file.write(tail)
        ChainedFile(tmp_path / "rows.jsonl", GENESIS).close()
        assert (tmp_path / f"rows.torn-{number}").read_bytes() == tail


def test_a_torn_tail_of_either_file_is_journaled_once(tmp_path: Path) -> None:
    folder = finished_run(tmp_path / "run", 2, close=False)
    whole_rows, whole_journal = folder.rows.read_bytes(), folder.journal.read_bytes()
    folder.rows.write_bytes(whole_rows + b'{"schema"')
    folder.journal.write_bytes(whole_journal + b"\0\0\0")
    for _ in range(2):
        writer = RunWriter(folder, lambda: 0)
        writer.open_rows(12)
        writer.require_written()
        writer.close()
    told = [
        (event["file"], event["bytes"], event["moved_to"])
        for event in events_of(folder)
        if event["event"] == "torn_tail"
    ]
    assert told == [("journal.jsonl", 3, "journal.torn-1"), ("rows.jsonl", 9, "rows.torn-1")]
    assert folder.rows.read_bytes() == whole_rows
    assert heads_hold(folder.journal.read_bytes(), JOURNAL_GENESIS)


def test_a_journal_whose_first_line_is_torn_begins_with_the_opening(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    folder.journal.write_bytes(b'{"ts":"20')
    writer = RunWriter(folder, lambda: 0)
    writer.close()
    assert names_of(folder) == ["run_opened", "torn_tail"]


def test_rows_that_are_gone_at_the_start_go_on_from_the_last_counted_head(tmp_path: Path) -> None:
    folder = finished_run(tmp_path / "run", 2, close=False)
    head = str(events_of(folder)[-1]["rows_head"])
    folder.rows.unlink()
    writer = RunWriter(folder, lambda: 0)
    writer.open_rows(12)
    write_cycle(writer, parsed(), 2)
    writer.close()
    assert heads_hold(folder.rows.read_bytes(), head)
    told = [event for event in events_of(folder) if event["event"] == "log_restarted"]
    assert [(event["file"], event["head"]) for event in told] == [("rows.jsonl", head)]


def test_a_journal_that_is_gone_at_the_start_is_missed_aloud(tmp_path: Path) -> None:
    folder = finished_run(tmp_path / "run", 1, close=False)
    folder.journal.unlink()
    RunWriter(folder, lambda: 0).close()
    assert names_of(folder) == ["run_opened", "log_restarted"]


def test_the_pins_and_the_seal_are_read_back_by_the_next_writer(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    first = begin(folder)
    write_cycle(first, parsed(), 0)
    first.close()
    second = RunWriter(folder, lambda: 0)
    assert second.state == first.state
    second.close()
