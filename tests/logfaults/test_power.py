"""No power cut costs a row that was called written, nor a byte that was moved aside."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from logfaults import killed, matrix
from logfaults.power import Disk, put_back
from metric.texts import parsed
from runlog.runs import begin, new_folder, write_cycle

from plateau_tui.runlog.chainedfile import ChainedFile
from plateau_tui.runlog.layout import RunFolder, write_new
from plateau_tui.runlog.writer import RunWriter

CYCLES = 4
FOREIGN = b'{"foreign": "half a li'


def both(act: matrix.Act) -> Callable[[RunFolder], None]:
    def happens(folder: RunFolder) -> None:
        act(folder.rows)
        act(folder.journal)

    return happens


LIVING: dict[str, Callable[[RunFolder], None]] = {
    "nothing": lambda _: None,
    "both torn": both(matrix.appended(FOREIGN)),
    "both rotated": both(matrix.rotated),
    "journal swapped": lambda folder: matrix.swapped_for_a_copy(folder.journal),
}
"""What happens to the logs of a writer that lives."""
DEAD = {
    "nothing": LIVING["nothing"],
    "both torn": LIVING["both torn"],
    "both rotated": LIVING["both rotated"],
}
"""What happens to them while nothing runs."""


def assert_recovered(disk: Disk, here: Path, kept: bytes) -> None:
    """An heir goes on in each folder that may be left; of the acknowledged nothing is missing."""
    assert len(disk.left) >= 3
    problems = []
    for number, (left, acknowledged) in enumerate(disk.left.items()):
        folder = RunFolder(here / str(number))
        put_back(left, folder.path)
        anew: list[int] = []
        killed.go_on(folder, CYCLES, anew.append)
        found = killed.wrong(folder, range(acknowledged), CYCLES)
        found += [
            f"cycle {cycle} was lost and written anew" for cycle in anew if cycle < acknowledged
        ]
        if not any(kept in path.read_bytes() for path in folder.path.iterdir()):
            found.append("what was moved aside is gone")
        problems += [f"{[(name, len(data)) for name, data in left]}: {text}" for text in found]
    assert problems == []


def new_run(path: Path) -> tuple[RunFolder, RunWriter]:
    """A run with its first cycle, and its writer."""
    folder = new_folder(path)
    writer = begin(folder)
    write_cycle(writer, parsed(), 0)
    return folder, writer


@pytest.mark.parametrize("before", LIVING)
def test_under_a_writer_whatever_befell_its_files_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    folder, writer = new_run(tmp_path / "run")
    LIVING[before](folder)
    disk = Disk(folder.path)
    disk.acknowledge(0)
    with monkeypatch.context() as watched:
        disk.watch(watched)
        for cycle in (1, 2):
            write_cycle(writer, parsed(), cycle)
            assert writer.blocked is None
            disk.acknowledge(cycle)
    writer.close()
    assert_recovered(disk, tmp_path, FOREIGN if before == "both torn" else b"")


@pytest.mark.parametrize("before", DEAD)
def test_while_a_collector_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    folder, writer = new_run(tmp_path / "run")
    writer.close()
    DEAD[before](folder)
    disk = Disk(folder.path)
    disk.acknowledge(0)
    with monkeypatch.context() as watched:
        disk.watch(watched)
        killed.go_on(folder, 3, disk.acknowledge)
    assert_recovered(disk, tmp_path, FOREIGN if before == "both torn" else b"")


def test_while_a_collector_completes_the_last_line_that_its_forerunner_did_not_sync(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the journal counts from then on must be as sure as the journal is."""
    folder, writer = new_run(tmp_path / "run")
    sure, heartbeats = folder.rows.read_bytes(), folder.journal.read_bytes()
    write_cycle(writer, parsed(), 1)
    writer.close()
    os.truncate(folder.rows, folder.rows.stat().st_size - 1)
    folder.journal.write_bytes(heartbeats)
    disk = Disk(folder.path, {folder.rows.name: sure})
    disk.acknowledge(0)
    with monkeypatch.context() as watched:
        disk.watch(watched)
        killed.go_on(folder, 3, disk.acknowledge)
    assert_recovered(disk, tmp_path, b"")


def test_while_the_first_files_of_a_run_come_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = new_folder(tmp_path / "run")
    disk = Disk(folder.path)
    with monkeypatch.context() as watched:
        disk.watch(watched)
        writer = begin(folder)
        for cycle in (0, 1):
            write_cycle(writer, parsed(), cycle)
            disk.acknowledge(cycle)
    writer.close()
    disk.left = {left: done for left, done in disk.left.items() if done}
    assert_recovered(disk, tmp_path, b"")


def test_a_file_that_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Requests, gates, answers: never a part of one under its name, and once written it stands."""
    path = tmp_path / "request.json"
    path.write_bytes(b"before")
    disk = Disk(tmp_path)
    with monkeypatch.context() as watched:
        disk.watch(watched)
        write_new(path, b"after", 0o600)
        disk.acknowledge(0)
    states = [(dict(left).get(path.name), done) for left, done in disk.left.items()]
    assert {data for data, _ in states} == {b"before", b"after"}
    assert {data for data, done in states if done} == {b"after"}


def test_a_log_that_begins_anew_is_whole_or_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal.jsonl"
    file = ChainedFile(path, "ab" * 32)
    file.append([b'{"a":1}'])
    before = path.read_bytes()
    path.rename(tmp_path / "journal.jsonl.1")
    disk = Disk(tmp_path)
    with monkeypatch.context() as watched:
        disk.watch(watched)
        file.set_aside()
        file.begin_anew([b'{"b":2}', b'{"c":3}'])
        disk.acknowledge(0)
    file.close()
    found = [(dict(left), done) for left, done in disk.left.items()]
    assert {files.get(path.name) for files, _ in found} == {None, path.read_bytes()}
    assert all(files.get(path.name) for files, done in found if done)
    assert all(files["journal.jsonl.1"] == before for files, _ in found)


class KilledError(Exception):
    """A writer that is killed."""


def test_rows_of_a_writer_that_died_before_it_synced_them_are_surer_than_what_cites_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between write and fsync; the power goes after the next writer's heartbeat."""
    folder, writer = new_run(tmp_path / "run")
    before = folder.rows.read_bytes()

    def die(fd: int) -> None:
        del fd
        raise KilledError

    with monkeypatch.context() as dying:
        dying.setattr(os, "fsync", die)
        with pytest.raises(KilledError):
            write_cycle(writer, parsed(), 1)
    assert len(folder.rows.read_bytes()) > len(before)
    disk = Disk(folder.path)
    disk._synced[folder.rows.stat().st_ino] = before
    disk.acknowledge(0)
    with monkeypatch.context() as watched:
        disk.watch(watched)
        killed.go_on(folder, 2, disk.acknowledge)
        disk.acknowledge(1)
    assert_recovered(disk, tmp_path, b"")
