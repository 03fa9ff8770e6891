"""``plateau-tui demo``: the operator's whole job against the embedded server, over real TCP."""

import contextlib
import secrets
import shlex
import signal
import subprocess
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Final

import click

from plateau_tui.cli.common import has_screen, tell
from plateau_tui.collector.detach import Lifeline
from plateau_tui.collector.run import Password, ServerAccess
from plateau_tui.config import runs_folder
from plateau_tui.metric.fence import CLAIM_FENCE
from plateau_tui.report.names import EXPORT
from plateau_tui.runlog.connection import PASSWORD_VARIABLE, environment_without_password
from plateau_tui.runlog.layout import RunFolder, write_new
from plateau_tui.runlog.locks import LockUnavailableError, holder_of
from plateau_tui.runlog.state import read_state
from plateau_tui.runlog.template import draft_text
from plateau_tui.server.transport import Endpoint
from plateau_tui.sim.run import make_server
from plateau_tui.sim.scenarios import SCENARIOS
from plateau_tui.sim.server import SimServer

_INTERVAL_S: Final = 1
_SPEED: Final = 8.0
_PATIENCE_S: Final = 60
_LOOK_S: Final = 0.2
_END_S: Final = 6.0
"""A collector that is told to end does so within 5 s."""
_TEXT_CELLS: Final = 80
_ACCEPT: Final = (
    "A demonstration with three pairs: it shows the work and can carry no claim at 0.95."
)
_DEMO_SCENARIOS: Final = ("builders_vs_hoarders", "hoarders_vs_hoarders")


@click.command()
@click.option("--headless", is_flag=True, help="Plain lines, no screen.")
@click.option("--seed", type=int, default=1, show_default=True, help="The world's seed.")
@click.option("--cycles", type=click.IntRange(1, 10_000), default=12, show_default=True)
@click.option("--to", "target", metavar="DIR", help="The run's folder; must not exist.")
@click.option(
    "--scenario", type=click.Choice(_DEMO_SCENARIOS), default=_DEMO_SCENARIOS[0], show_default=True
)
def demo(headless: bool, seed: int, cycles: int, target: str | None, scenario: str) -> None:
    """Do the whole job against the embedded server, from the draft to the verdict's export.

    Every step is a command of this program, run as an operator would run it.

    Example: plateau-tui demo --headless --cycles 20
    """
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    path = Path(target) if target else runs_folder(None) / f"demo-{stamp}"
    password = secrets.token_urlsafe(16)
    server = make_server(SCENARIOS[scenario], seed=seed, speed=0.0, password=password)
    on_screen = not headless and has_screen()
    with server:
        tell(f"An embedded server stands in for Paper 1.16.5 at {server.host}:{server.port}.")
        tell(SCENARIOS[scenario].description)
        lifeline = Lifeline()
        steps = _Steps(path.absolute(), server.host, server.port, password, lifeline)
        steps.run("new", server=False)
        _fill_in_draft(steps.folder, cycles)
        try:
            if on_screen:
                _on_screen(steps.folder, server, password, lifeline)
            else:
                with _ended_by_signals():
                    _headless(steps, server, cycles)
        finally:
            _end_collector(steps.folder, lifeline)
        if on_screen and read_state(steps.folder.journal)[0].closed is None:
            tell(
                "The demonstration was left early: the window is not closed, its log breaks off. "
                f"The run stands in {steps.path}."
            )
            return
        steps.run("status", server=False)
        steps.run("verify", server=False)
        if read_state(steps.folder.journal)[0].closed is not None:
            steps.run("verdict", server=False)
            steps.run("export", server=False)
            steps.run("verify", server=False, below=EXPORT)
    # Byte for byte where a program reads it; in lines of the terminal where a person does.
    fence = textwrap.fill(CLAIM_FENCE, _TEXT_CELLS) if on_screen else CLAIM_FENCE
    tell(f"\n{fence}\n\nThe run stands in {steps.path}.")


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """End in order after SIGTERM and SIGHUP, as after Ctrl-C; the step under way is ended too."""

    def handler(signum: int, frame: FrameType | None) -> None:
        del frame
        for number in before:
            signal.signal(number, signal.SIG_IGN)  # what follows is the end already
        raise click.exceptions.Exit(128 + signum)

    heard = [n for n in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) != signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in heard}
    yield
    for number, old in before.items():
        signal.signal(number, old)


def _on_screen(folder: RunFolder, server: SimServer, password: str, lifeline: Lifeline) -> None:
    from plateau_tui.console.demo import run_demo  # noqa: PLC0415 - Textual loads only here

    access = ServerAccess(Endpoint(server.host, server.port), Password(password))
    code = run_demo(folder, access, lambda: server.set_speed(_SPEED), lifeline.fd)
    if code:
        raise click.exceptions.Exit(code)


def _headless(steps: "_Steps", server: SimServer, cycles: int) -> None:
    steps.run("check")
    steps.run("register")
    server.set_speed(_SPEED)  # the bodies begin to act: everything they do is counted
    steps.run("watch-wood", "--polls", "4", "--every", "0.5")
    steps.run("pin", *_pins(steps.folder), server=False)
    steps.run("seal", server=False)
    steps.run("collect", "--detach")
    _note_while_open(steps)
    _await_close(steps.folder, cycles)


def _note_while_open(steps: "_Steps") -> None:
    """Show how a note reaches the collector; a window of one cycle may be over before it."""
    try:
        steps.run("note", "a word in the journal while the window is open", server=False)
    except click.exceptions.Exit:
        if read_state(steps.folder.journal)[0].closed is None:
            raise
        tell("  the window was over before the note came; the demonstration goes on")


def _fill_in_draft(folder: RunFolder, cycles: int) -> None:
    text = draft_text(folder.path.name, 3)
    for old, new in (
        ("interval_s = 600 ", f"interval_s = {_INTERVAL_S} "),
        ("cycles = 66 ", f"cycles = {cycles} "),
        ('accept = "" ', f'accept = "{_ACCEPT}" '),
    ):
        text = text.replace(old, new, 1)
    tell(f"  (filled in: interval_s = {_INTERVAL_S}, cycles = {cycles}, accept)")
    write_new(folder.registration, text.encode("utf-8"), folder.file_mode)


def _pins(folder: RunFolder) -> list[str]:
    """Return the words of ``pin`` that follow the watch's suggestions."""
    watch = read_state(folder.journal)[0].watch
    suggested = {} if watch is None else {u: s for u, s in watch.suggestion.items() if s}
    if not suggested:
        raise click.ClickException("the watch saw no log counter move; try more cycles")
    common = Counter(suggested.values()).most_common(1)[0][0]
    single = [f"{unit}={species}" for unit, species in suggested.items() if species != common]
    return [common, *(word for pair in single for word in ("--unit", pair))]


def _await_close(folder: RunFolder, cycles: int) -> None:
    """Wait for the collector to close the window by itself, telling each cycle."""
    deadline = time.monotonic() + cycles * _INTERVAL_S + _PATIENCE_S
    told = -1
    while time.monotonic() < deadline:
        state, _ = read_state(folder.journal)
        beat = state.heartbeat
        if beat is not None and beat.cycle != told:
            told = beat.cycle
            whole = "yes" if beat.rcon_ok else "no"
            tell(f"  cycle {told + 1} of {cycles}: {beat.rows} rows, read whole: {whole}")
        if state.closed is not None:
            tell("  the window is closed")
            return
        time.sleep(_LOOK_S)
    raise click.ClickException(f"the window did not close in time; see {folder.collector_log}")


def _end_collector(folder: RunFolder, lifeline: Lifeline) -> None:
    """End the collector, if it has not ended by itself, and wait a moment until it has."""
    lifeline.cut()
    deadline = time.monotonic() + _END_S
    with contextlib.suppress(OSError, LockUnavailableError):
        while holder_of(folder.lock) is not None and time.monotonic() < deadline:
            time.sleep(_LOOK_S)


class _Steps:
    """Runs commands of this program as child processes, shown as an operator would type them."""

    def __init__(self, path: Path, host: str, port: int, password: str, lifeline: Lifeline) -> None:
        self.path = path
        self.folder = RunFolder(path)
        self._server = ["--host", host, "--port", str(port)]
        self._lifeline = lifeline
        self._environment = environment_without_password() | {"LOGNAME": "operator"}
        self._with_password = self._environment | {PASSWORD_VARIABLE: password}

    def run(self, command: str, *words: str, server: bool = True, below: str = "") -> None:
        """Run one command on the run, or on a folder ``below`` it.

        A failure ends the demo with the same exit code.
        """
        # A run's name is enough; what lies below it needs its path, typed from anywhere.
        typed = str(self.path / below) if below else self.path.name
        tell(f"\n$ plateau-tui {shlex.join([command, typed, *words])}")
        sys.stdout.flush()
        path = str(self.path / below)
        arguments = [command, path, *words, *(self._server if server else [])]
        kept = [self._lifeline.fd] if command == "collect" else []
        arguments += [word for fd in kept for word in ("--lifeline-fd", str(fd))]
        done = subprocess.run(
            [sys.executable, "-m", "plateau_tui", *arguments],
            env=self._with_password if server else self._environment,
            check=False,
            pass_fds=kept,
        )
        if done.returncode:
            raise click.exceptions.Exit(done.returncode)
