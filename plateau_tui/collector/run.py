"""A run that this process may write: its lock, its writer, its registration, its server."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Final

from plateau_tui.collector.endpoint_lock import EndpointLock
from plateau_tui.collector.session import Session
from plateau_tui.collector.slots import SystemClock
from plateau_tui.metric.registration import Registration, parse_registration, seal_hash
from plateau_tui.metric.tables import MAX_TOML_BYTES, ConfigError
from plateau_tui.plainfile import plain_bytes
from plateau_tui.report.names import is_export
from plateau_tui.resources import game_ids
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.locks import LockHeldError, RunLock
from plateau_tui.runlog.segments import is_empty, journal_lost
from plateau_tui.runlog.state import RunState
from plateau_tui.runlog.tomlfile import toml_bytes
from plateau_tui.runlog.writer import RunWriter
from plateau_tui.server.console import ReadOnlyConsole
from plateau_tui.server.secret import why_not_hidden
from plateau_tui.server.transport import Endpoint

_HAND_INTERVAL_MS: Final = 20_000
"""The pace of commands by hand: 5 s for an answer, pauses of 0.2, 0.4 … s between tries."""
_HAND_CONNECT_TRIES: Final = 3
_HAND_TRIES: Final = 5
_HAND_THROWN_TRIES: Final = 3
_LOCK_WAIT_S: Final = 1.0

_SHOWN_IN_ANSWERS: Final = (
    "where the server says the RCON password back, the log and the screen will show it"
)
_SET_ANOTHER: Final = "set another, of 16 random letters and digits"


class DeclinedError(RuntimeError):
    """The answer to a command is no; the message says why and what to do."""

    exit_code = 1


class BadRequestError(DeclinedError):
    """What was asked for makes no sense: a usage error."""

    exit_code = 2


class CollectorHoldsRunError(RuntimeError):
    """A collector, or another command, holds the run."""

    exit_code = 4


class ServerUnavailableError(RuntimeError):
    """The server cannot be reached, logged in to or read."""

    exit_code = 3


@dataclass(frozen=True)
class ServerAccess:
    """Where the server is, and the password, which is in no repr."""

    endpoint: Endpoint
    password: "Password"

    def console(self, stop: threading.Event) -> ReadOnlyConsole:
        """Return a console that is not connected yet and that ``stop`` interrupts."""
        return ReadOnlyConsole(self.endpoint, self.password.reveal(), cancelled=stop)

    def session(self, stop: threading.Event, interval_ms: int) -> Session:
        """Return a session for the cycles of a collector."""
        return Session(self.console(stop), interval_ms, stop, EndpointLock(stop))

    @contextlib.contextmanager
    def by_hand(self, stop: threading.Event, limit_s: float) -> Iterator[Session]:
        """Give a session for a command by hand, which ends within ``limit_s`` seconds."""
        session = self.session(stop, _HAND_INTERVAL_MS)
        session.connect_tries = _HAND_CONNECT_TRIES
        session.tries = _HAND_TRIES
        session.thrown_tries = _HAND_THROWN_TRIES
        session.begin(time.monotonic() + limit_s)
        try:
            yield session
        finally:
            session.console.close()
            session.end()


class Password:
    """A password that no repr, traceback or log shows."""

    __slots__ = ("_text",)

    held: ClassVar[list["Password"]] = []
    """All that this process holds: what its crash report must not show."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.held.append(self)

    def __repr__(self) -> str:
        return "<password>"

    def reveal(self) -> str:
        """Return the password itself."""
        return self._text

    def hidden_in(self, text: str) -> str:
        """Return a text, such as the message of an error nobody foresaw, without the password."""
        for form in (self._text, repr(self._text)[1:-1]):
            text = text.replace(form, "<password>")
        return text


def shown_in_answers(password: str, registration: Registration) -> str | None:
    """Return what to say where a password cannot be hidden in what the server says, or None."""
    names = [unit.name for unit in registration.units]
    names += [objective.name for objective in registration.objectives]
    why = why_not_hidden(password, names)
    return None if why is None else f"{_SHOWN_IN_ANSWERS}: {why}; {_SET_ANOTHER}"


@dataclass
class OpenRun:
    """A run whose lock this process holds."""

    folder: RunFolder
    writer: RunWriter
    registration: Registration

    @property
    def state(self) -> RunState:
        """What the journal says."""
        return self.writer.state


def wall_ms() -> int:
    """Return the wall clock: milliseconds since 1970 in UTC."""
    return SystemClock().wall_ms()


def registration_of(folder: RunFolder, state: RunState) -> Registration:
    """Return what was sealed; before the seal, what the file says.

    Raises:
        ConfigError: the file cannot be read or used.

    """
    if state.sealed is not None:
        return parse_registration(state.sealed.text.encode("utf-8"), game_ids(), "sealed text")
    return parse_registration(registration_bytes(folder), game_ids())


def registration_bytes(folder: RunFolder) -> bytes:
    """Return the bytes of registration.toml.

    Raises:
        ConfigError: it cannot be read.

    """
    try:
        return toml_bytes(folder.registration)
    except OSError as error:
        raise ConfigError("registration.toml", [f"cannot be read: {error.strerror}"]) from None


def seal_now(folder: RunFolder) -> str | None:
    """Return the SHA-256 of registration.toml as it is now; None when it cannot be read."""
    try:
        # A pipe in its place would keep a collector waiting for ever.
        return seal_hash(plain_bytes(folder.registration, MAX_TOML_BYTES))
    except OSError:
        return None


def journal_lost_text(folder: RunFolder) -> str | None:
    """Return what to say of a run whose rows stand there without a journal; None of another."""
    if not journal_lost(folder.journal, folder.rows):
        return None
    what, mend = "is gone", "put the journal back (a backup; any name does)"
    if not is_empty(folder.journal):
        what, mend = "has no seal", "move it away and put the journal of those rows in its place"
    return (
        f"journal.jsonl {what}, and rows of this run stand here: do NOT seal it again, for those "
        f"rows would be of no run; {mend}, or begin another run with plateau-tui new and leave "
        "this folder as it is"
    )


def require_no_export(folder: RunFolder) -> None:
    """Insist that a folder is a run: what would be written into an export changes the record.

    Raises:
        DeclinedError: it is an export.

    """
    if is_export(folder.path):
        raise DeclinedError("this is an export, and an export is never changed: give the run")


def require_journal(folder: RunFolder) -> None:
    """Insist that rows which stand in the folder have their journal.

    Raises:
        DeclinedError: they have none; a new one would disown them.

    """
    text = journal_lost_text(folder)
    if text is not None:
        raise DeclinedError(text)


def held_text(folder: RunFolder, pid: int | None) -> str:
    """Return who holds a run, and what to do."""
    return (
        f"process {pid or '(unknown)'} holds the run {folder.path.name}; "
        "wait for it, or use the commands that ask it: pin, note, close, status"
    )


@contextlib.contextmanager
def open_run(
    folder: RunFolder, now_ms: Callable[[], int] = wall_ms, *, wait_s: float = _LOCK_WAIT_S
) -> Iterator[OpenRun]:
    """Hold a run's lock and give what is needed to write it.

    What is written later raises ``RunTakenError`` where the lock was lost to another process.

    Raises:
        ConfigError: the registration cannot be used.
        CollectorHoldsRunError, LogWriteError, LockUnavailableError: as ``held_writer``.

    """
    with held_writer(folder, now_ms, wait_s=wait_s) as writer:
        yield OpenRun(folder, writer, registration_of(folder, writer.state))


@contextlib.contextmanager
def held_writer(
    folder: RunFolder, now_ms: Callable[[], int] = wall_ms, *, wait_s: float = _LOCK_WAIT_S
) -> Iterator[RunWriter]:
    """Hold a run's lock and give its writer; the registration may be as wrong as a draft can be.

    Raises:
        CollectorHoldsRunError: another process holds it.
        DeclinedError: it is an export; or rows stand there, and their journal is gone.
        LogWriteError: the journal cannot be written.
        LockUnavailableError: the file system gives no locks.

    """
    require_no_export(folder.require())
    require_journal(folder)
    lock = RunLock(folder.lock, wait_s, folder.file_mode)
    try:
        lock.acquire()
    except LockHeldError as error:
        raise CollectorHoldsRunError(held_text(folder, error.pid)) from None
    try:
        writer = RunWriter(folder, now_ms, lock)
        try:
            yield writer
        finally:
            writer.close()
    finally:
        lock.release()
