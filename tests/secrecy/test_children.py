"""What a process of ours starts is not given the variable that the password came in."""

import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from secrecy.searching import CANARY

from plateau_tui.collector.detach import start_detached
from plateau_tui.collector.probe import run_probe
from plateau_tui.collector.run import Password, ServerAccess
from plateau_tui.console.verdict.apart import Apart
from plateau_tui.runlog.connection import PASSWORD_VARIABLE, ProbeCommand
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.server.transport import Endpoint


class Seen(BaseException):
    """A child would have been started."""


def a_collector(folder: Path) -> None:
    start_detached(RunFolder(folder), ServerAccess(Endpoint("127.0.0.1", 1), Password(CANARY)))


def a_verdict(_folder: Path) -> None:
    Apart(print, lasting=False)


def a_probe(_folder: Path) -> None:
    run_probe(ProbeCommand(("true",), 1.0), [], threading.Event())


@pytest.mark.parametrize("start", [a_collector, a_verdict, a_probe])
def test_no_child_is_given_the_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: Callable[[Path], None]
) -> None:
    given: list[tuple[list[str], dict[str, str]]] = []

    def popen(command: list[str], *, env: dict[str, str], **_options: object) -> None:
        given.append((list(command), env))
        raise Seen

    monkeypatch.setattr(subprocess, "Popen", popen)
    monkeypatch.setenv(PASSWORD_VARIABLE, CANARY)
    with pytest.raises(Seen):
        start(tmp_path)
    ((command, environment),) = given
    assert "PATH" in environment
    assert PASSWORD_VARIABLE not in environment
    assert not any(CANARY in text for text in (*command, *environment.values()))
