import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from cli.shell import Shell

from plateau_tui.resources import shipped

COMMANDS = (
    "new", "seal", "check", "register", "watch-wood", "pin", "collect", "attach", "status", "note",
    "close", "verdict", "export", "verify", "demo", "sim", "calibrate", "replay",
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(shell: Shell, command: str) -> None:
    done = shell.run(command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Example:" in done.stdout
    assert f"plateau-tui {command}" in done.stdout


def test_the_console_without_a_terminal_is_one_line_that_names_the_headless_way(
    shell: Shell,
) -> None:
    shell.draft("r")
    for words in ((), ("attach", "r")):
        line = shell.refused(*words, code=2)
        assert "terminal" in line
        assert "plateau-tui status RUN" in line


@pytest.mark.parametrize("unbuilt", ["web"])
def test_a_command_that_is_not_built_is_not_registered(shell: Shell, unbuilt: str) -> None:
    assert f"there is no command '{unbuilt}'" in shell.refused(unbuilt, "r", code=2)


def test_a_mistyped_command_names_the_nearest(shell: Shell) -> None:
    assert "the nearest is 'collect'" in shell.refused("colect", "r", code=2)


@pytest.mark.parametrize(
    "words",
    [
        ("status", "nothing"),
        ("check", "nothing"),
        ("collect", "nothing"),
        ("verify", "nothing"),
        ("verdict", "nothing"),
        ("export", "nothing"),
        ("seal", "nothing"),
        ("close", "nothing"),
        ("note", "nothing", "text"),
        ("pin", "nothing", "oak_log"),
        ("new", "r", "--units-per-arm", "0"),
        ("new", "r", "--mode", "644"),
        ("new", "r", "--from", "nowhere.toml"),
        ("collect", "nothing", "--port", "70000"),
        ("status",),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(shell: Shell, words: tuple[str, ...]) -> None:
    shell.refused(*words, code=2)


def test_usage_errors_print_nothing_where_json_is_expected(shell: Shell) -> None:
    done = shell.run("status", "nothing", "--json")
    assert (done.returncode, done.stdout) == (2, "")


def test_a_run_is_private_unless_a_mode_says_otherwise(shell: Shell) -> None:
    def modes(folder: Path) -> set[str]:
        return {oct(stat.S_IMODE(path.stat().st_mode)) for path in folder.iterdir()}

    shell.run("new", "mine")
    assert stat.S_IMODE((shell.runs / "mine").stat().st_mode) == 0o700
    assert modes(shell.runs / "mine") == {"0o600", "0o700"}  # files, and the mailbox
    shell.run("new", "ours", "--mode", "750")
    assert modes(shell.runs / "ours") == {"0o640", "0o750"}


def test_new_never_overwrites_a_run(shell: Shell) -> None:
    folder = shell.draft("once", cycles="7")
    before = folder.joinpath("registration.toml").read_bytes()
    assert "exists already" in shell.refused("new", "once", code=2)
    assert folder.joinpath("registration.toml").read_bytes() == before


def test_new_from_a_file_keeps_its_bytes_and_refuses_a_bad_one(shell: Shell) -> None:
    good = shell.draft("first", cycles="7") / "registration.toml"
    assert shell.run("new", "second", "--from", str(good)).returncode == 0
    assert (shell.runs / "second" / "registration.toml").read_bytes() == good.read_bytes()
    bad = shell.home / "bad.toml"
    bad.write_text(good.read_text(encoding="utf-8").replace("margin", "magrin"), encoding="utf-8")
    line = shell.refused("new", "third", "--from", str(bad), code=2)
    assert "gate.magrin: unknown key; the nearest is 'margin'" in line
    assert not (shell.runs / "third").exists()


def test_seal_prints_every_problem_and_seals_nothing(shell: Shell) -> None:
    folder = shell.draft("r", cycles="0", margin="1.5")
    refused = shell.json("seal", "r", code=1)
    assert refused["sha256"] is None
    assert any(reason.startswith("window.cycles") for reason in refused["reasons"])
    assert any(reason.startswith("gate.margin") for reason in refused["reasons"])
    assert '"event":"sealed"' not in folder.joinpath("journal.jsonl").read_text(encoding="utf-8")


def test_seal_changes_no_byte_and_is_the_hash_of_the_file(shell: Shell) -> None:
    folder = shell.draft("r")
    before = folder.joinpath("registration.toml").read_bytes()
    sealed = shell.json("seal", "r")
    assert folder.joinpath("registration.toml").read_bytes() == before
    assert shell.json("seal", "r") == sealed  # again: the same answer, no second seal
    events = folder.joinpath("journal.jsonl").read_text(encoding="utf-8")
    assert events.count('"event":"sealed"') == 1
    folder.joinpath("registration.toml").write_bytes(before + b"# later\n")
    assert shell.json("seal", "r", code=1)["sha256"] is None


def test_hostile_text_reaches_the_terminal_escaped(shell: Shell) -> None:
    line = shell.refused("status", "\x1b[31mred\x07", code=2)
    assert "\x1b" not in line
    assert "\x07" not in line
    assert "\\x1b[31mred" in line


def test_words_that_are_no_text_are_kept_as_far_as_a_log_can_hold_them(shell: Shell) -> None:
    folder = shell.draft("r")
    assert shell.run("note", "r", os.fsdecode(b"half \xff a word")).returncode == 0
    assert "half \ufffd a word" in folder.joinpath("journal.jsonl").read_text(encoding="utf-8")


def test_json_is_one_object_even_where_the_server_cannot_be_had(shell: Shell) -> None:
    shell.draft("r")
    port = ("--port", "1")
    seen = shell.json("check", "r", *port, code=3)
    assert seen["connected"] is False
    assert "refused" in seen["error"]
    assert shell.json("register", "r", *port, code=3)["created"] == []
    assert shell.json("watch-wood", "r", *port, code=3)["units"] == {}


def test_a_reader_that_has_seen_enough_gets_no_traceback(shell: Shell) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    child = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "plateau_tui",
            "verify",
            str(shipped("sample_runs") / "p1_inventory"),
        ],
        stdout=writing,
        stderr=subprocess.PIPE,
        env=shell.environment(),
        text=True,
    )
    os.close(writing)
    _, stderr = child.communicate(timeout=30)
    assert (child.returncode, stderr) == (141, "")
