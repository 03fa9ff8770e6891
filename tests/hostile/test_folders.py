"""A run folder from elsewhere: what is a link, a pipe or a lure in it harms nobody."""

import itertools
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from collector.bench import gate

from plateau_tui.cli.commands import group
from plateau_tui.collector import mailbox
from plateau_tui.console.live.model import RunModel
from plateau_tui.console.screens.runs import look_at
from plateau_tui.plainfile import plain_bytes
from plateau_tui.report.export import export_run
from plateau_tui.report.place import PlaceError
from plateau_tui.resources import shipped
from plateau_tui.runlog.layout import RunFolder, RunFolderError, create_run
from plateau_tui.runlog.writer import open_journal

FILES = (
    "registration.toml", "connection.toml", "attestation.toml", "rows.jsonl", "journal.jsonl",
    "collector.lock", "collector.log",
)  # fmt: skip


def finished(tmp_path: Path) -> RunFolder:
    """A finished run that can be written to."""
    folder = RunFolder(tmp_path / "run")
    folder.path.mkdir(mode=0o700)
    for path in (shipped("sample_runs") / "pass").iterdir():
        (folder.path / path.name).write_bytes(path.read_bytes())
    return folder


def draft(tmp_path: Path) -> RunFolder:
    folder = RunFolder(tmp_path / "run")
    create_run(folder, {"registration.toml": gate(2, 0.5, 5)}, 0o700)
    open_journal(folder)
    return folder


def ask(*words: str) -> Result:
    return CliRunner().invoke(group, words)


STRANGE: dict[str, Callable[[Path, Path], None]] = {
    "a link to a secret": lambda path, secret: path.symlink_to(secret),
    "a link to nothing": lambda path, secret: path.symlink_to(secret.with_name("nothing")),
    "a link to an endless device": lambda path, _: path.symlink_to("/dev/zero"),
    "a pipe": lambda path, _: os.mkfifo(path),
    "a folder": lambda path, _: path.mkdir(),
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("make", STRANGE.values(), ids=STRANGE.keys())
def test_no_command_opens_a_file_of_a_run_that_is_none(
    tmp_path: Path, make: Callable[[Path, Path], None]
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("-----BEGIN PRIVATE KEY-----")
    folder = finished(tmp_path)
    commands = itertools.cycle(("status", "verify", "verdict", "export", "seal", "note"))
    for name in FILES:
        path = folder.path / name
        kept = path.read_bytes() if path.exists() else None
        path.unlink(missing_ok=True)
        make(path, secret)
        with pytest.raises(RunFolderError, match=name) as caught:
            folder.require()
        assert "\n" not in str(caught.value)
        command = next(commands)
        done = ask(command, str(folder.path), *(["x"] if command == "note" else []))
        assert isinstance(done.exception, RunFolderError), (name, command)
        assert "PRIVATE KEY" not in done.output
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        else:
            path.unlink()
        if kept is not None:
            path.write_bytes(kept)
    assert folder.require() is folder
    assert secret.read_text() == "-----BEGIN PRIVATE KEY-----"


def test_a_mailbox_that_leads_elsewhere_is_none_and_nothing_there_is_deleted(
    tmp_path: Path,
) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    for name in ("thesis.txt", "note.json"):
        (precious / name).write_text("years of work")
    folder = draft(tmp_path)
    folder.mailbox.rmdir()
    folder.mailbox.symlink_to(precious)
    assert list(mailbox.pending(folder)) == []
    with pytest.raises(RunFolderError, match="mailbox"):
        folder.require()
    assert sorted(path.name for path in precious.iterdir()) == ["note.json", "thesis.txt"]


@pytest.mark.parametrize("make", STRANGE.values(), ids=STRANGE.keys())
def test_a_request_that_is_no_plain_file_is_never_read(
    tmp_path: Path, make: Callable[[Path, Path], None]
) -> None:
    secret = tmp_path / "secret"
    secret.write_text('{"id":"r"}')
    folder = draft(tmp_path)
    make(folder.mailbox / "r.json", secret)
    ((path, found),) = mailbox.pending(folder)
    assert isinstance(found, mailbox.BadRequest)
    assert found.reason.startswith("is no plain file")
    mailbox.remove(path)
    assert secret.read_text() == '{"id":"r"}'
    assert not (folder.mailbox / "r.json").exists()


@pytest.mark.timeout(30)
def test_a_pipe_in_one_run_hides_no_other_run_from_the_console(tmp_path: Path) -> None:
    folder = draft(tmp_path)
    folder.journal.unlink()
    os.mkfifo(folder.journal)
    entry = look_at(RunModel(folder), lambda: False)
    assert (entry.view, entry.error) == (None, "cannot be shown: journal.jsonl is no plain file")


def test_no_more_of_a_file_is_read_than_is_wanted(tmp_path: Path) -> None:
    path = tmp_path / "huge"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # a terabyte of nothing
    assert len(plain_bytes(path, 100)) == 101


@pytest.mark.parametrize("lure", [".export.new", ".export.old", "export"])
def test_an_export_follows_no_link_that_waits_for_it(tmp_path: Path, lure: str) -> None:
    folder = finished(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "precious").write_text("years of work")
    (folder.path / lure).symlink_to(elsewhere)
    with pytest.raises(PlaceError):
        export_run(folder)
    assert [path.name for path in elsewhere.iterdir()] == ["precious"]


def test_an_export_holds_only_its_own_files_whatever_lies_in_the_run(tmp_path: Path) -> None:
    folder = finished(tmp_path)
    for name in (".ssh", "plots", "SHA256SUMS.old", "rows.cut-1", "; rm -rf x"):
        (folder.path / name).write_text("foreign")
    made = export_run(folder, tmp_path / "out").path
    assert {path.name for path in made.iterdir()} == {
        "SHA256SUMS", "attestation.toml", "journal.jsonl", "plots", "registration.toml",
        "rows.jsonl", "verdict.json", "verdict.md",
    }  # fmt: skip
    assert (made / "plots").is_dir()


@pytest.mark.parametrize(
    "name", ["../x", "..", "/x", "a/b", "x\n", ".hidden", "-x", "é", "", "a" * 65, "x\0y", "a b"]
)
def test_the_id_of_a_run_is_no_path(tmp_path: Path, name: str) -> None:
    text = gate(2, 0.5, 5).replace('run_id = "t"', f"run_id = {toml_text(name)}")
    source = tmp_path / "from.toml"
    source.write_text(text, encoding="utf-8")
    done = ask("new", str(tmp_path / "made"), "--from", str(source))
    assert "run_id" in str(done.exception)
    assert not (tmp_path / "made").exists()


def toml_text(text: str) -> str:
    return '"' + "".join(f"\\U{ord(c):08x}" for c in text) + '"'
