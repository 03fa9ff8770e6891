"""Questions to one server with retries, within one deadline.

A session decides when to connect, when to ask again and when to give up; what is asked is the
caller's. It lives in one thread and is stopped from another through its event.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NoReturn, TypeVar

from plateau_tui.collector.endpoint_lock import EndpointBusyError, EndpointLock
from plateau_tui.collector.slots import command_seconds, retry_pause_s
from plateau_tui.server.console import ReadOnlyConsole
from plateau_tui.server.errors import (
    CancelledError,
    ClosedError,
    CommandFailedError,
    LinkError,
    NoPlayerError,
    PasswordError,
    ProtocolError,
    ReplyError,
    ServerError,
    TimedOutError,
    UnknownObjectiveError,
    WrongServerError,
)
from plateau_tui.server.lost import Outcome
from plateau_tui.server.resolver import addresses_of

Answer = TypeVar("Answer")
_TOO_LATE: Final = "the time was over before it was answered"
_STILL_UNDER_WAY: Final = (
    "a question that got no answer in time may still be under way on the server, and none is asked "
    "beside it: look at the server's load and at the link"
)
Question = Callable[[ReadOnlyConsole, float], Answer]
"""Asks a console one thing before a deadline (a second of ``time.monotonic()``)."""

MAX_TRIES: Final = 3
"""How often one question is asked while the server takes connections at all."""

_LATE_SHARE: Final = 0.75
"""Part of a command's deadline that is waited after a time-out whatever is heard of its end."""

_PATIENCE_S: Final = 90.0
"""How long a question that was given up keeps the next one waiting, at most: longer than a server
of this kind may stand still before its watchdog ends it (60 s)."""

_PATIENCE_SHARE: Final = 0.5
"""The same as a part of the interval; twice as much for each question lost in a row."""
_MOST_DOUBLINGS: Final = 4
_LISTEN_S: Final = 0.5

_KEPT_CONNECTION_MS: Final = 60_000
"""From this interval on, every cycle has a connection of its own."""


class SessionOverError(Exception):
    """No further question can be asked in this session; ``code`` and ``text`` say why."""

    def __init__(self, code: str, text: str) -> None:
        self.code = code
        self.text = text
        super().__init__(text)


@dataclass
class FaultCount:
    """A kind of fault within one session: its first text, and how often it came."""

    text: str
    times: int = 1


@dataclass
class Session:
    """Asks questions of one server until its deadline.

    ``connect_tries`` bounds how often a server that cannot be had is tried, None being until the
    deadline; ``tries`` how often one question is asked, ``thrown_tries`` how often one that throws
    inside the server: in a cycle once, as the next one asks it anyhow. ``final`` holds the error
    after which asking again is pointless for now: a refused password, a server of another kind,
    the last try.
    """

    console: ReadOnlyConsole
    interval_ms: int
    stop: threading.Event
    lock: EndpointLock
    connect_tries: int | None = None
    tries: int = MAX_TRIES
    thrown_tries: int = 1
    deadline: float = 0.0
    over: Callable[[], bool] | None = None
    """Says that the time is over whatever the deadline says: the machine slept."""
    faults: dict[str, FaultCount] = field(default_factory=dict)
    final: ServerError | None = None
    _failures: int = 0
    _losses: int = 0
    _thrown: int = 0
    _over: SessionOverError | None = None

    def begin(self, deadline: float, over: Callable[[], bool] | None = None) -> None:
        """Start anew, until ``deadline``, a second of ``time.monotonic()``, or until ``over``."""
        self.deadline = deadline
        self.over = over
        self.faults = {}
        self.final = None
        self._failures = self._thrown = 0
        self._over = None

    def end(self) -> None:
        """Give the server to others; keep a healthy connection where cycles are short."""
        if self.faults or self.interval_ms >= _KEPT_CONNECTION_MS:
            self.console.drop()
        self.lock.release()

    def ask(self, question: Question[Answer]) -> Answer:
        """Put one question, connecting and asking again as needed.

        Raises:
            SessionOverError: the deadline, a stop, or a fault that ends the session.
            ReplyError: the server answers, but not with a value.
            LinkError: the server takes connections, but loses this question every time.

        """
        tries = 0
        while True:
            self._connect()
            try:
                answer = question(self.console, self._command_deadline())
            except ReplyError as error:
                self._note(error)
                tries += 1
                if isinstance(error, CommandFailedError):
                    self._pause_after_throw(error)
                    continue
                self._thrown = 0
                if not error.ask_again or tries >= self.tries:
                    raise
                if tries > 1:
                    self._pause()
            except CancelledError as error:
                self._finish(error.code, str(error))
            except LinkError as error:
                self._note(error)
                tries += 1
                if tries >= self.tries:
                    raise
                self._pause(after=error)
            else:
                self._failures = self._losses = self._thrown = 0
                return answer

    def _connect(self) -> None:
        """Connect if need be; a server that cannot be had is tried again, with pauses."""
        tries = 0
        while True:
            self._check_time()
            if self.console.connected and self.lock.settled:
                return
            try:
                self._take_lock()
                self._await_lost()
                if not self.console.connected:
                    self.console.connect(self._command_deadline())
            except (PasswordError, WrongServerError) as error:
                self._note(error)
                self.final = error
                self._finish(error.code, str(error))
            except CancelledError as error:
                self._finish(error.code, str(error))
            except (LinkError, ReplyError) as error:
                self._note(error)
                tries += 1
                if self._gives_up(error, tries):
                    self.final = error
                    self._finish(error.code, str(error))
                self._pause(after=error)
            else:
                return

    def _await_lost(self) -> None:
        """Ask nothing while the server may still be at a question that was given up.

        Waits for its end, until patience or the session's time is over (see ``server.lost``).
        """
        lost_at = self.console.lost_at
        if lost_at is None:
            return
        doublings = min(self._losses, _MOST_DOUBLINGS)
        share = _PATIENCE_SHARE * (1 << doublings) * self.interval_ms / 1000
        patient_until = lost_at + min(_PATIENCE_S, share)
        outcome = Outcome.UNDER_WAY
        while outcome is Outcome.UNDER_WAY:
            now = time.monotonic()
            if now >= patient_until:
                self._losses += 1
                self.console.close()
                return
            if now >= self.deadline or (self.over is not None and self.over()):
                self.note(TimedOutError.code, _STILL_UNDER_WAY)
                self._finish("deadline", _STILL_UNDER_WAY)
            until = min(now + _LISTEN_S, patient_until, self.deadline)
            outcome = self.console.lost_outcome(until)
        if outcome is Outcome.ENDED:
            # A tunnel may have ended it in the server's place, which may still be at work.
            self._wait(lost_at + _LATE_SHARE * command_seconds(self.interval_ms) - time.monotonic())

    def _gives_up(self, error: ServerError, tries: int) -> bool:
        """Say whether a server that cannot be had is not tried again; by hand nobody waits."""
        if self.connect_tries is None:
            return False
        lost = isinstance(error, ClosedError | ProtocolError | ReplyError)
        return not lost or tries >= self.connect_tries

    def _take_lock(self) -> None:
        if self.lock.settled:
            return
        found = addresses_of(self.console.endpoint, self._command_deadline(), self._check_stop)
        try:
            unavailable = self.lock.acquire(*found[0].peer, self.deadline)
        except EndpointBusyError as error:
            self.note("endpoint_busy", str(error))
            self._finish("endpoint_busy", str(error))
        if unavailable:
            self.note("endpoint_lock_unavailable", unavailable)

    def _check_stop(self) -> None:
        if self.stop.is_set():
            raise CancelledError("stopped on request")

    def _command_deadline(self) -> float:
        return min(self.deadline, time.monotonic() + command_seconds(self.interval_ms))

    def _finish(self, code: str, text: str) -> NoReturn:
        """End the session: whatever is asked from now on is answered by the same error."""
        self._over = SessionOverError(code, text)
        raise self._over from None

    def _check_time(self) -> None:
        if self._over is not None:
            raise self._over
        if self.stop.is_set():
            self._finish("stopped", "stopped before this was asked")
        if time.monotonic() >= self.deadline or (self.over is not None and self.over()):
            self._finish("deadline", _TOO_LATE)

    def _pause(self, after: ServerError | None = None) -> None:
        """Wait before the next try; longer after a time-out of which nothing more will be heard."""
        self._failures += 1
        pause = retry_pause_s(self._failures, self.interval_ms)
        if isinstance(after, TimedOutError) and self.console.lost_at is None:
            pause = max(pause, _LATE_SHARE * command_seconds(self.interval_ms))
        self._wait(pause)

    def _pause_after_throw(self, error: CommandFailedError) -> None:
        """Wait before a question is asked again that threw, if it is to be.

        Where one threw every time, the next that throws as well is not insisted on either.
        """
        self._thrown += 1
        if self._thrown >= self.thrown_tries:
            raise error
        self._wait(retry_pause_s(self._thrown, self.interval_ms))

    def _wait(self, pause: float) -> None:
        if time.monotonic() + pause >= self.deadline:
            self._finish("deadline", _TOO_LATE)
        self.stop.wait(max(0.0, pause))

    def _note(self, error: ServerError) -> None:
        if isinstance(error, UnknownObjectiveError | NoPlayerError):
            return  # answers, not faults: the caller knows what they mean
        if isinstance(error, TimedOutError) and time.monotonic() >= self.deadline:
            # The limit that cut this question off was ours, not the server's.
            self.note("out_of_time", "the time was over before everything was answered")
        else:
            self.note(error.code, str(error))

    def note(self, code: str, text: str) -> None:
        """Count a fault; each kind is told once a session, with its first text."""
        if code in self.faults:
            self.faults[code].times += 1
        else:
            self.faults[code] = FaultCount(text)
