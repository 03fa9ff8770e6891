"""Random bytes at any place of a log: no reader raises, no change is unseen, no row is lost."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from logfaults.test_repair import put_together_again
from metric.texts import parsed
from runlog.runs import SLOT0, finished_run, lines_of, write_cycle

from plateau_tui.cli.watchdog import look
from plateau_tui.collector.recovery import recover
from plateau_tui.collector.run import OpenRun
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.lines import whole_lines
from plateau_tui.runlog.repair import repair_copy
from plateau_tui.runlog.rows import decode_row
from plateau_tui.runlog.tail import FileTail
from plateau_tui.runlog.verify import verify_run
from plateau_tui.runlog.writer import RunWriter

MEMORY: Final = Path("/dev/shm")  # noqa: S108 - a folder of our own is made in it
SEEDS: Final = 60


@dataclass(frozen=True, slots=True)
class Change:
    """What is done to a file: at a place, so many bytes go and others come."""

    where: float
    gone: int
    come: bytes

    def of(self, data: bytes) -> bytes:
        at = int(self.where * len(data))
        return data[:at] + self.come + data[at + self.gone :]


CHANGES = st.builds(
    Change,
    st.floats(0, 1),
    st.one_of(st.integers(0, 4), st.integers(0, 3000), st.just(10**9)),
    st.one_of(
        st.binary(max_size=8),
        st.sampled_from([b"\n", b"\0" * 512, b"\xc2", b"{}\n", b'{"a":1,"chain":"', b"\r\n"]),
    ),
)


@pytest.fixture(scope="module")
def room() -> Iterator[Path]:
    here = MEMORY if os.access(MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=here) as name:
        finished_run(Path(name) / "closed", 3)
        finished_run(Path(name) / "open", 3, close=False)
        yield Path(name)


@contextlib.contextmanager
def copy_of(room: Path, name: str) -> Iterator[RunFolder]:
    with tempfile.TemporaryDirectory(dir=room) as place:
        yield RunFolder(Path(shutil.copytree(room / name, Path(place) / "run")))


def undetectable(whole: bytes, changed: bytes) -> bool:
    """Say whether a journal only lost whole lines behind its last heartbeat.

    No file can show that by itself: it is what the run looked like a moment before.
    """
    lost = whole[len(changed) :]
    return whole.startswith(changed) and changed.endswith(b"\n") and b'"heartbeat"' not in lost


@given(CHANGES, st.sampled_from(["rows", "journal"]), st.booleans())
@settings(max_examples=SEEDS)
def test_verify_names_a_problem_if_and_only_if_a_byte_differs_and_never_raises(
    room: Path, change: Change, name: str, is_closed: bool
) -> None:
    with copy_of(room, "closed" if is_closed else "open") as run:
        path = run.path / f"{name}.jsonl"
        whole = path.read_bytes()
        changed = change.of(whole)
        assume(name == "rows" or changed == whole or not undetectable(whole, changed))
        path.write_bytes(changed)
        result = verify_run(run)
        assert result.intact == (changed == whole), result.problems
        assert (result.first is None) == result.intact
        assert (result.condition == "intact") == result.intact


@given(CHANGES)
@settings(max_examples=SEEDS)
def test_what_is_called_trustworthy_is_what_was_written_and_no_whole_cycle_before_is_missed(
    room: Path, change: Change
) -> None:
    with copy_of(room, "closed") as run:
        original, whole = lines_of(run.rows), run.rows.read_bytes()
        changed = change.of(whole)
        run.rows.write_bytes(changed)
        stretches = verify_run(run).trustworthy["rows.jsonl"]
        numbers = {n for part in stretches for n in range(part.first, part.last + 1)}
        there = {line.number: line.data + b"\n" for line in whole_lines(run.rows)}
        for number in numbers:
            assert there[number] in original
        for part in stretches:
            assert changed[part.byte : part.end].count(b"\n") == part.last - part.first + 1
        same = next(
            (n for n, pair in enumerate(zip(whole, changed, strict=False)) if pair[0] != pair[1]),
            min(len(whole), len(changed)),
        )
        ends = [n for n, byte in enumerate(whole, start=1) if byte == ord("\n")]
        untouched = sum(end <= same for end in ends) // 6 * 6
        assert set(range(1, untouched + 1)) <= numbers


@given(CHANGES, CHANGES)
@settings(max_examples=SEEDS)
def test_a_repair_of_anything_keeps_every_byte_and_is_named_as_one(
    room: Path, rows: Change, journal: Change
) -> None:
    with copy_of(room, "closed") as run, tempfile.TemporaryDirectory(dir=room) as place:
        run.rows.write_bytes(rows.of(run.rows.read_bytes()))
        run.journal.write_bytes(journal.of(run.journal.read_bytes()))
        before = run.rows.read_bytes(), run.journal.read_bytes()
        copy = RunFolder(Path(place) / "copy")
        done = repair_copy(run, copy.path)
        assert (run.rows.read_bytes(), run.journal.read_bytes()) == before
        assert verify_run(copy).intact == done.found.intact
        if not done.found.intact:
            for path in (run.rows, run.journal):
                put_together_again(path, copy.path)


def is_kept(line: bytes, kept: set[bytes]) -> bool:
    """Say whether a line stands somewhere, or what is one and what was glued to it, each alone."""
    return line in kept or any(line[:at] in kept and line[at:] in kept for at in range(len(line)))


@given(CHANGES)
@settings(max_examples=SEEDS)
def test_recovery_loses_no_row_that_still_stood(room: Path, change: Change) -> None:
    with copy_of(room, "open") as run:
        changed = change.of(run.rows.read_bytes())
        run.rows.write_bytes(changed)
        stood = {line.data for line in whole_lines(run.rows)}
        writer = RunWriter(run, lambda: SLOT0)
        progress = recover(OpenRun(run, writer, parsed()))
        assert progress.last_cycle is None or progress.last_cycle <= 2
        write_cycle(writer, parsed(), 3)
        writer.require_written()
        writer.close()
        files = [path.read_bytes() for path in run.path.glob("rows*")]
        kept = set(b"\n".join(files).split(b"\n"))
        assert [line for line in stood if not is_kept(line, kept)] == []
        assert sum(map(len, files)) >= len(changed)
        ours = [line.data for line in whole_lines(run.rows)][-6:]
        assert [decode_row(line).cycle for line in ours] == [3] * 6


@given(CHANGES)
@settings(max_examples=SEEDS)
def test_recovery_of_any_journal_ends_in_a_run_or_in_a_plain_no(room: Path, change: Change) -> None:
    with copy_of(room, "open") as run:
        run.journal.write_bytes(change.of(run.journal.read_bytes()))
        stood = {line.data for line in whole_lines(run.journal)}
        writer = RunWriter(run, lambda: SLOT0)
        if writer.state.sealed is not None:
            recover(OpenRun(run, writer, parsed()))
        writer.require_written()
        writer.close()
        verify_run(run)
        look(run, 60, SLOT0)
        files = [path.read_bytes() for path in run.path.glob("journal*")]
        kept = set(b"\n".join(files).split(b"\n"))
        assert [line for line in stood if not is_kept(line, kept)] == []


@given(st.data())
@settings(max_examples=100)
def test_no_bytes_make_the_row_reader_raise_what_is_not_told(
    room: Path, data: st.DataObject
) -> None:
    line = lines_of(room / "closed" / "rows.jsonl")[7][:-1]
    changed = data.draw(CHANGES).of(line)
    try:
        row = decode_row(changed)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return
    assert row.cycle >= 0


@given(st.lists(st.tuples(st.sampled_from("aort"), st.binary(max_size=30)), max_size=12))
@settings(max_examples=SEEDS)
def test_a_follower_always_holds_what_the_file_holds(
    room: Path, steps: list[tuple[str, bytes]]
) -> None:
    """Appended, overwritten in its place, replaced, truncated: its lines are the file's."""
    with tempfile.TemporaryDirectory(dir=room) as place:
        path = Path(place) / "x.jsonl"
        path.write_bytes(b"first\n")
        follower, seen = FileTail(path), list[bytes]()
        for kind, data in [("a", b""), *steps]:
            whole = path.read_bytes()
            match kind:
                case "a":
                    with path.open("ab") as file:
                        file.write(data)
                case "o":
                    with path.open("r+b") as file:
                        file.seek(len(whole) // 3)
                        file.write(data + b"\n")
                case "r":
                    path.unlink()
                    path.write_bytes(data + whole)
                case _:
                    os.truncate(path, len(whole) // 2)
            os.utime(path)  # so that a clock of coarse steps hides no change from the test
            while True:
                new = follower.read()
                seen = list(new.lines) if new.restarted else [*seen, *new.lines]
                if not new.more:
                    break
            assert seen == [line.data for line in whole_lines(path)]
