"""The units, the crontab and the pages tell commands that exist, with options that they have."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import click
import pytest
from operating.unitfiles import DOCS, UNITS, crontab, resolved, settings, shown_commands

from plateau_tui.cli.commands import group

SERVICES = sorted(UNITS.glob("*.service"))
TIMERS = sorted(UNITS.glob("*.timer"))
CRON = UNITS / "plateau-tui.cron"
PAGES = [DOCS / "operating.md", DOCS / "reliability.md"]


def parsed(words: Sequence[str]) -> str:
    """Parse a command line as ``plateau-tui`` does, without running it; return the command."""
    with group.make_context("plateau-tui", list(words)) as context:
        name, command, rest = group.resolve_command(context, list(words))
        assert command is not None
        command.make_context(name, rest, parent=context).close()
        return str(name)


def test_a_command_line_that_is_wrong_would_be_noticed() -> None:
    for words in (
        ["colect", "p1-curiosity"],
        ["collect", "p1-curiosity", "--onec"],
        ["collect"],
        ["watchdog", "p1-curiosity"],
    ):
        with pytest.raises(click.ClickException):
            parsed(words)


def test_there_is_a_unit_for_each_job() -> None:
    names = {path.name for path in (*SERVICES, *TIMERS)}
    assert names == {
        "plateau-tui-collect@.service",
        "plateau-tui-once@.service",
        "plateau-tui-once@.timer",
        "plateau-tui-tunnel.service",
        "plateau-tui-watchdog@.service",
        "plateau-tui-watchdog@.timer",
    }


@pytest.mark.parametrize("path", SERVICES, ids=lambda path: path.name)
def test_what_a_service_starts_is_a_command_of_ours_or_ssh(path: Path) -> None:
    (start,) = settings(path)["Service.ExecStart"]
    words = shlex.split(resolved(start))
    if Path(words[0]).name == "ssh":
        assert {"ExitOnForwardFailure=yes", "ServerAliveInterval=15"} <= set(words)
        return
    assert words[0] == "/usr/local/bin/plateau-tui"
    assert parsed(words[1:]) in {"collect", "watchdog"}


@pytest.mark.parametrize("path", SERVICES, ids=lambda path: path.name)
def test_no_service_holds_a_secret_or_runs_as_root(path: Path) -> None:
    found = settings(path)
    assert found["Service.User"] == ["plateau"]
    assert found["Service.NoNewPrivileges"] == ["yes"]
    text = path.read_text(encoding="utf-8")
    assert "RCON_PASSWORD" not in text
    if "--password-file" in text:
        assert found["Service.LoadCredential"] == ["rcon:/etc/plateau-tui/rcon-password"]
        assert found["Service.LimitCORE"] == ["0"]


def test_a_collector_that_needs_a_person_is_not_started_for_ever() -> None:
    found = settings(UNITS / "plateau-tui-collect@.service")
    assert found["Service.Restart"] == ["on-failure"]
    assert found["Service.RestartPreventExitStatus"] == ["1 2 4"]


@pytest.mark.parametrize("path", TIMERS, ids=lambda path: path.name)
def test_a_timer_has_a_service_and_tells_utc(path: Path) -> None:
    assert path.with_suffix(".service") in SERVICES
    assert all(each.endswith(" UTC") for each in settings(path)["Timer.OnCalendar"])


def test_the_lines_of_the_crontab_are_commands_of_ours() -> None:
    lines = list(crontab(CRON))
    assert {parsed([word for word in words[1:] if word != ">/dev/null"]) for _, words in lines} == {
        "collect",
        "watchdog",
    }
    for fields, words in lines:
        assert words[0] == "plateau-tui"
        assert all(re.fullmatch(r"[0-9*/,-]+", each) for each in fields)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_command_of_a_page_is_one_that_can_be_typed(page: Path) -> None:
    lines = shown_commands(page)
    for line in lines:
        words = shlex.split(line, comments=True)
        while "=" in words[0]:
            del words[0]
        ended = next((n for n, word in enumerate(words) if word in {"|", "&&", ">", "<"}), None)
        if words[1:ended]:
            parsed(words[1:ended])
    assert lines or page.name != "operating.md"


def test_systemd_itself_finds_nothing_wrong(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("left out: systemd-analyze verify of docs/systemd (systemd is not here)")
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    units = tmp_path / "units"
    units.mkdir()
    for path in (*SERVICES, *TIMERS):
        text = path.read_text(encoding="utf-8")
        text = re.sub(r"^ExecStart=\S+", f"ExecStart={program}", text, flags=re.MULTILINE)
        (units / path.name.replace("@.", "@p1.")).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [analyze, "verify", "--man=no", *sorted(map(str, units.iterdir()))],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=os.environ | {"SYSTEMD_UNIT_PATH": f"{units}:"},
    )
    assert done.returncode == 0, done.stderr
    assert "plateau-tui" not in done.stderr, done.stderr
    assert sys.platform == "linux"
