"""What the system refuses is one line, whatever it is, and never a traceback."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from cli.shell import Shell

from plateau_tui.cli.errors import exit_code_of, one_line
from plateau_tui.resources import shipped

SAMPLE = "pass"
PLACES = ["long", "below a file", "of the kernel", "a loop", "a file", "a pipe", "a device"]


def place(name: str, home: Path) -> str:
    file, pipe, loop = home / "afile", home / "apipe", home / "aloop"
    file.write_text("x")
    if not pipe.exists():
        os.mkfifo(pipe)
        loop.symlink_to("aloop")
    return {
        "long": f"./{'x' * 300}",
        "below a file": f"{file}/x",
        "of the kernel": "/proc/x",
        "a loop": str(loop),
        "a file": str(file),
        "a pipe": str(pipe),
        "a device": "/dev/zero",
    }[name]


@pytest.fixture
def sample(shell: Shell) -> Path:
    return Path(shutil.copytree(shipped("sample_runs") / SAMPLE, shell.home / "sample"))


COMMANDS = [
    ("status", "{}"),
    ("seal", "{}/y"),
    ("collect", "{}/y"),
    ("verify", "{}/y"),
    ("export", "sample", "--to", "{}"),
    ("new", "fresh", "--from", "{}"),
    ("verify", "sample", "--repair-copy", "{}"),
    ("verify", "sample", "--earlier", "{}"),
    ("verdict", "sample", "--attest", "{}"),
    ("calibrate", "plateau-break", "--reference", "{}"),
    ("calibrate", "plateau-break", "--contract", "{}"),
    ("calibrate", "--run", "{}/y"),
]


@pytest.mark.parametrize("where", PLACES)
def test_no_name_however_odd_ends_in_more_than_a_line(
    shell: Shell, sample: Path, where: str
) -> None:
    name = place(where, shell.home)
    assert sample.is_dir()
    for words in COMMANDS:
        typed = [word.format(name) for word in words]
        if (words[-2], where) == ("--earlier", "a file"):
            continue  # any file may be one that a log goes on from
        done = shell.run(*typed)
        assert done.returncode in {1, 2}, (typed, done.returncode, done.stderr)
        assert len(done.stderr.splitlines()) == 1, (typed, done.stderr)
        assert len(done.stderr) < 1000, (typed, done.stderr)


@pytest.mark.parametrize("log", ["rows.jsonl", "journal.jsonl"])
def test_an_export_with_a_folder_in_the_place_of_a_log_is_not_intact(
    shell: Shell, sample: Path, log: str
) -> None:
    assert shell.run("export", str(sample), "--to", "out").returncode == 0
    (shell.home / "out" / log).unlink()
    (shell.home / "out" / log).mkdir()
    done = shell.run("verify", "./out")
    assert (done.returncode, done.stderr) == (1, "")
    assert not shell.json("verify", "./out", code=1)["intact"]


@pytest.mark.parametrize("number", [*range(1, 134), 9999])
def test_every_error_of_the_system_has_a_line_and_an_exit_code(number: int) -> None:
    error = OSError(number, os.strerror(number), f"/x/{'y' * 5000}\n\x1b[2J")
    assert exit_code_of(error) in {1, 2}
    line = one_line(error)
    assert "\n" not in line
    assert "\x1b" not in line
    assert len(line) < 600
    assert os.strerror(number) in line
    assert exit_code_of(OSError("of a library")) == 1
    assert one_line(OSError("of a library")).startswith("of a library; ")
    assert one_line(OSError()).startswith("OSError; ")


def test_a_full_output_is_told_by_name(shell: Shell, sample: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    for words in (("status", str(sample)), ("verify", str(sample), "--json"), ("--help",)):
        with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
            done = subprocess.run(
                [sys.executable, "-m", "plateau_tui", *words],
                stdout=full, stderr=subprocess.PIPE, env=shell.environment(), check=False,
            )  # fmt: skip
        assert done.returncode == 1
        assert b"the standard output: No space left on device" in done.stderr
        assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("words", [["--help"], ["status", "--help"], ["status", "{}"]])
def test_a_reader_that_has_gone_ends_every_command_alike(
    shell: Shell, sample: Path, words: list[str]
) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "plateau_tui", *(word.format(sample) for word in words)],
        stdout=write, stderr=subprocess.PIPE, env=shell.environment(), check=False,
    )  # fmt: skip
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_password_file_may_be_a_pipe_that_gives_it(connected: Shell) -> None:
    """As ``--password-file <(pass show rcon)`` is, also where its writer is late."""
    assert connected.password is not None
    secret, connected.password = connected.password, None
    connected.draft("r")
    pipe = connected.home / "pipe"
    os.mkfifo(pipe)
    writer = subprocess.Popen(["/bin/sh", "-c", f"sleep 0.5; echo '{secret}' > '{pipe}'"])
    assert connected.run("check", "r", "--password-file", str(pipe)).returncode == 0
    writer.wait()


def test_one_that_gives_nothing_is_waited_for_only_so_long(shell: Shell) -> None:
    shell.draft("r")
    pipe = shell.home / "pipe"
    os.mkfifo(pipe)
    line = shell.refused("check", "r", "--password-file", str(pipe), code=2)
    assert "the pipe did not give all within 10 s" in line


def test_the_log_of_a_collector_is_open_to_those_that_the_run_is_open_to(shell: Shell) -> None:
    """Else a second account of the group cannot start one: the umask took its right to write."""
    assert shell.run("new", "r", "--mode", "770").returncode == 0
    folder = shell.runs / "r"
    draft = (folder / "registration.toml").read_text(encoding="utf-8")
    text = draft.replace('accept = "" ', 'accept = "three pairs, to try" ')
    (folder / "registration.toml").write_text(text, encoding="utf-8")
    assert shell.run("seal", "r").returncode == 0
    before = os.umask(0o077)
    try:
        shell.refused("collect", "r", "--detach", "--port", "1", code=3)
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert modes.pop("mailbox") == 0o770
    assert modes["collector.log"] == 0o660
    assert set(modes.values()) == {0o660}
