"""A line without end in a run's files costs time, never memory."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from plateau_tui.metric.tables import MAX_TOML_BYTES
from plateau_tui.resources import shipped
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.lines import MAX_LINE_BYTES, whole_lines
from plateau_tui.runlog.tomlfile import toml_bytes

_LENGTH = 150 << 20
_MEMORY = 130 << 20
"""Less than the line, and twice what the commands need."""

_FOLLOW = """
import sys
from pathlib import Path
from plateau_tui.console.live.model import RunModel
from plateau_tui.runlog.layout import RunFolder
model, more = RunModel(RunFolder(Path(sys.argv[1]))), True
while more:
    view, more = model.look()
print(view.stage)
"""

_OPEN = """
import sys
from pathlib import Path
from plateau_tui.runlog.chainedfile import ChainedFile
print(ChainedFile(Path(sys.argv[1]), "ab" * 32).torn.count)
"""


def run_with(tmp_path: Path, name: str, *, ended: bool) -> RunFolder:
    """A finished run with a hole of a line in one log: behind its end, or before its last line."""
    folder = RunFolder(tmp_path / "run")
    folder.path.mkdir(mode=0o700)
    for path in (shipped("sample_runs") / "pass").iterdir():
        (folder.path / path.name).write_bytes(path.read_bytes())
    log = folder.path / name
    whole = log.read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    before, after = (whole[:last], whole[last:]) if ended else (whole, b"")
    log.write_bytes(before)
    os.truncate(log, len(before) + _LENGTH)
    if ended:
        with log.open("ab") as file:
            file.write(b"\n" + after)
    return folder


def little_memory() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))


def ask(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *words],
        capture_output=True, text=True, check=False, preexec_fn=little_memory, timeout=100,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip


def command(*words: str) -> "subprocess.CompletedProcess[str]":
    return ask("-m", "plateau_tui", *words)


def test_the_limit_is_one_that_a_reader_of_whole_lines_would_break(tmp_path: Path) -> None:
    folder = run_with(tmp_path, "rows.jsonl", ended=True)
    done = ask("-c", "import sys; list(open(sys.argv[1], 'rb'))", str(folder.rows))
    assert "MemoryError" in done.stderr


@pytest.mark.parametrize("name", ["rows.jsonl", "journal.jsonl"])
@pytest.mark.parametrize("ended", [True, False])
def test_no_command_holds_a_line_without_end(tmp_path: Path, name: str, ended: bool) -> None:
    folder = run_with(tmp_path, name, ended=ended)
    done = command("verify", "--json", str(folder.path))
    assert done.returncode == 1, done.stderr
    first = json.loads(done.stdout)["problems"][0]
    assert first["file"] == name
    assert f"{MAX_LINE_BYTES} bytes" in first["text"] if ended else "torn" in first["code"]
    for words in (["status", str(folder.path)], ["watchdog", str(folder.path), "--max-age", "9"]):
        done = command(*words)
        assert "MemoryError" not in done.stderr
        assert done.returncode in {0, 1}
    copy = tmp_path / "copy"
    done = command("verify", str(folder.path), "--repair-copy", str(copy))
    assert done.returncode == 1, done.stderr
    assert (copy / name).stat().st_size < MAX_LINE_BYTES
    for side in copy.glob(f"{name}.*-*"):
        side.unlink()
    done = ask("-c", _FOLLOW, str(folder.path))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "adjudicated\n"


def test_a_line_that_is_too_long_is_passed_over_and_the_next_has_its_place(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    parts = [b"a", b"b" * MAX_LINE_BYTES, b"c" * (MAX_LINE_BYTES + 1), b"d" * 3_000_000, b"e"]
    path.write_bytes(b"\n".join(parts) + b"\nno end")
    lines = list(whole_lines(path))
    assert [line.number for line in lines] == [1, 2, 3, 4, 5]
    assert [line.data for line in lines] == [parts[0], parts[1], b"", b"", parts[4]]
    assert [line.end - line.byte - 1 for line in lines] == [len(part) for part in parts]
    assert [path.read_bytes()[line.byte : line.end - 1] for line in lines] == parts


def test_a_writer_moves_a_tail_without_end_aside_and_does_not_hold_it(tmp_path: Path) -> None:
    folder = run_with(tmp_path, "rows.jsonl", ended=False)
    whole = folder.rows.stat().st_size - _LENGTH
    done = ask("-c", _OPEN, str(folder.rows))
    assert (done.stdout, done.stderr) == (f"{_LENGTH}\n", "")
    assert folder.rows.stat().st_size == whole
    (side,) = folder.path.glob("rows.torn-*")
    assert side.stat().st_size == _LENGTH
    side.unlink()


def test_no_more_of_a_toml_file_is_read_than_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "registration.toml"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # a terabyte of nothing
    assert len(toml_bytes(path)) == MAX_TOML_BYTES + 1
