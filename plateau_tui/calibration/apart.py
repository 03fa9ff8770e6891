"""A job in a process of its own, for a caller that must be able to end it at once.

A game's packages load into that process and not into ours, what an emulator prints goes nowhere,
and one that crashes takes nobody with it. The process ends with its parent, however that ends,
and its own workers end with it (``replay``).
"""

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

from plateau_tui.calibration.catalog import load_target
from plateau_tui.calibration.controls import Ranked, ranked
from plateau_tui.calibration.errors import MissingExtraError
from plateau_tui.calibration.outcome import Outcome, outcome_of
from plateau_tui.calibration.reference import Reference, read_reference
from plateau_tui.calibration.replay import Progress
from plateau_tui.calibration.report import Report
from plateau_tui.calibration.target import Target


@dataclass(frozen=True, slots=True)
class Told:
    """``done`` of ``total`` runs have been played; ``what`` says of which kind."""

    done: int
    total: int
    what: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The job came to nothing; ``text`` says why and what to do, in one line."""

    text: str


@dataclass(frozen=True, slots=True)
class Missing:
    """What a target needs that is not installed, and how to install it; "" where nothing is."""

    target: str
    text: str


Message = Told | Failed | Missing | Outcome | Ranked
Send = Callable[[Message], None]
Job = Callable[[Send], None]
"""Does something and sends what comes of it. It is pickled: a module's function, or a partial."""

_START: Final = "from plateau_tui.calibration.apart import child; child()"


def measuring(target: Target, walks: int, reference: Path | None = None) -> Job:
    """Return the job that calibrates a target: it sends ``Told`` as it goes, then the outcome.

    ``reference`` is the file that is replayed; the one that ships where None.
    """
    return partial(_measure, target, walks, reference)


def ranking(target: Target, report: Report, reference: Path | None = None) -> Job:
    """Return the job that plays a target's controls: ``Told`` as it goes, then ``Ranked``.

    ``report`` is what was measured on the same reference.
    """
    return partial(_rank, target, report, reference)


def looking(names: tuple[str, ...]) -> Job:
    """Return the job that says of each target what it needs: a ``Missing`` for each."""
    return partial(_look, names)


def _measure(target: Target, walks: int, file: Path | None, send: Send) -> None:
    send(outcome_of(target, _reference(target, file), walks=walks, progress=_telling(send)))


def _rank(target: Target, report: Report, file: Path | None, send: Send) -> None:
    found = ranked(target, _reference(target, file), report, _telling(send))
    send(Failed(f"{target.id} has no controls") if found is None else found)


def _reference(target: Target, file: Path | None) -> Reference:
    return target.reference() if file is None else read_reference(file)


def _telling(send: Send) -> Progress:
    def told(done: int, total: int, what: str) -> None:
        send(Told(done, total, what))

    return told


def _look(names: tuple[str, ...], send: Send) -> None:
    for name in names:
        try:
            load_target(name).require()
        except MissingExtraError as error:
            send(Missing(name, str(error)))
        else:
            send(Missing(name, ""))


class Apart:
    """One job in a process of its own, from its construction to ``stop``."""

    def __init__(self, job: Job) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # A game needs none of our settings, the password least of all.
            env={k: v for k, v in os.environ.items() if not k.startswith("PLATEAU_TUI_")},
            start_new_session=True,  # Ctrl-C at the parent's terminal is the parent's business
        )
        assert self._process.stdin is not None  # noqa: S101 - both are pipes
        assert self._process.stdout is not None  # noqa: S101
        # The child lives while this end of its input is open.
        self._to: Connection[Any, Any] = Connection(os.dup(self._process.stdin.fileno()))
        self._from: Connection[Any, Any] = Connection(os.dup(self._process.stdout.fileno()))
        self._process.stdin.close()
        self._process.stdout.close()
        with contextlib.suppress(OSError):  # it is gone already, which ``messages`` will say
            self._to.send(job)

    def messages(self) -> Iterator[Message]:
        """Yield what the job sends, until its end; a process that died tells as ``Failed``."""
        with contextlib.suppress(EOFError, OSError):
            while True:
                message = self._from.recv()
                if message is None:
                    return
                yield message
        yield Failed("the process that played it died; try plateau-tui calibrate to see why")

    def stop(self) -> None:
        """End the process, in the middle of whatever it does; may be called from any thread."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End the process and give its pipes back; called by the thread that reads."""
        self.stop()
        self._to.close()
        self._from.close()


def child() -> None:
    """Do the job that comes over the standard input, and send what comes of it; then end."""
    to_parent: Connection[Any, Any] = Connection(os.dup(1), readable=False)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    from_parent: Connection[Any, Any] = Connection(os.dup(0), writable=False)
    os.dup2(nowhere, 0)
    job: Job = from_parent.recv()
    threading.Thread(target=_end_with, args=(from_parent,), daemon=True).start()
    try:
        job(to_parent.send)
    except Exception as error:  # noqa: BLE001 - whatever it meets, the parent is told
        known = getattr(type(error), "exit_code", None) is not None
        to_parent.send(Failed(str(error) if known else f"{type(error).__name__}: {error}"))
    to_parent.send(None)


def _end_with(parent: "Connection[Any, Any]") -> None:
    """End this process when its parent is gone or has had enough."""
    with contextlib.suppress(EOFError, OSError):
        parent.recv_bytes()
    os._exit(1)
