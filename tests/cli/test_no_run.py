"""What is named where a run is wanted and is none: each kind is told, with what opens it."""

import shutil
import tarfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from plateau_tui.cli.commands import group
from plateau_tui.report.export import export_run
from plateau_tui.resources import shipped
from plateau_tui.runlog.layout import RunFolder

COMMANDS = [
    ("seal",), ("check",), ("register",), ("watch-wood",), ("pin", "oak_log"), ("collect",),
    ("status",), ("watchdog", "--max-age", "60"), ("note", "words"), ("close",), ("verdict",),
    ("export",), ("verify",), ("attach",),
]  # fmt: skip
READS = {"status", "watchdog", "verdict", "verify", "attach"}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PLATEAU_TUI_RUNS", str(tmp_path / "runs"))
    (tmp_path / "runs").mkdir()
    return tmp_path


def ask(command: tuple[str, ...], named: str) -> Result:
    return CliRunner().invoke(group, [command[0], named, *command[1:]])


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_each_kind_of_what_is_no_run_is_told_with_what_opens_it(
    place: Path, command: tuple[str, ...]
) -> None:
    run = Path(shutil.copytree(shipped("sample_runs") / "pass", place / "folder" / "run"))
    shutil.copy(run / "rows.jsonl", place / "alone.jsonl")
    with tarfile.open(place / "run.tar.gz", "w:gz") as archive:
        archive.add(run, "run")
    (place / "empty").mkdir()
    told = {
        "run.tar.gz": "is an archive: unpack it",
        "alone.jsonl": "plateau-tui replay alone.jsonl",
        "folder/run/rows.jsonl": "give its folder, folder/run",
        "folder": "is a folder of runs: give one of them, such as folder/run",
        "empty": "holds no registration.toml",
        "nothing": "there is no run",
    }
    for named, words in told.items():
        done = ask(command, named)
        assert words in str(done.exception or done.output), named
        assert done.exit_code != 0


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_an_export_is_never_changed_nor_is_a_server_asked_for_it(
    place: Path, command: tuple[str, ...]
) -> None:
    source = RunFolder(shipped("sample_runs") / "pass")
    exported = export_run(source, place / "exported").path
    before = {path: path.read_bytes() for path in exported.rglob("*") if path.is_file()}
    done = ask(command, "exported")
    assert {path: path.read_bytes() for path in exported.rglob("*") if path.is_file()} == before
    if command[0] not in READS:
        assert "is an export" in f"{done.exception} {done.output}"


def test_a_run_of_the_name_goes_before_a_file_of_the_name(place: Path) -> None:
    shutil.copytree(shipped("sample_runs") / "pass", place / "runs" / "mine")
    (place / "mine").write_text("notes of mine")
    assert ask(("status",), "mine").exit_code == 0
