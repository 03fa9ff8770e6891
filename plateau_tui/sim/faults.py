"""Ways in which the server can be made to misbehave, one command or for ever.

A fault never changes what a command does in the world; it changes what the client gets to see.
It turns the right answer into steps on the socket.
"""

import re
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

from plateau_tui.sim import wire


@dataclass(frozen=True, slots=True)
class Answer:
    """The right answer: to a command (`login` false), or to a login that was accepted."""

    request_id: int
    text: str
    login: bool = False

    def packets(self) -> list[bytes]:
        """Return the packets that an honest server sends."""
        if self.login:
            return [wire.packet(self.request_id, wire.LOGIN_ANSWER)]
        return wire.reply_packets(self.request_id, self.text)


@dataclass(frozen=True, slots=True)
class Send:
    """Send bytes, in one segment as far as the kernel allows."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait so many seconds of real time; ends early, and with it the answer, when the peer goes."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Hang:
    """Send nothing more until the peer goes."""


@dataclass(frozen=True, slots=True)
class Close:
    """End the connection: with a FIN, or with an RST."""

    reset: bool = False


Step = Send | Pause | Hang | Close


@dataclass(frozen=True, slots=True)
class Fault:
    """One misbehaviour: how the answer is given, and what else goes wrong.

    `freeze_s`: the main thread stops for so many seconds before the command runs.
    `error`: running the command throws, with this text.
    """

    name: str
    steps: Callable[[Answer], Iterable[Step]]
    freeze_s: float = 0.0
    error: str | None = None


def _honest(answer: Answer) -> list[Step]:
    return [Send(each) for each in answer.packets()]


HONEST = Fault("honest", _honest)
"""No fault: every packet of the answer, one after the other."""


def hang() -> Fault:
    """Never answer; the connection stays open."""
    return Fault("hang", lambda _answer: [Hang()])


def hang_mid_reply(sent: int | None = None) -> Fault:
    """Send the first `sent` bytes of the answer (half of it by default), then nothing more."""
    return Fault("hang_mid_reply", lambda answer: [Send(_part(answer, sent)), Hang()])


def late(seconds: float) -> Fault:
    """Answer rightly, but so many seconds late."""
    return Fault("late", lambda answer: [Pause(seconds), *_honest(answer)])


def drop() -> Fault:
    """Close the connection instead of answering."""
    return Fault("drop", lambda _answer: [Close()])


def drop_mid_reply(sent: int | None = None) -> Fault:
    """Send the first `sent` bytes of the answer (half of it by default), then close."""
    return Fault("drop_mid_reply", lambda answer: [Send(_part(answer, sent)), Close()])


def reset() -> Fault:
    """End the connection with an RST instead of answering."""
    return Fault("reset", lambda _answer: [Close(reset=True)])


def replaced(text: str) -> Fault:
    """Answer with another text: a plugin's, another player's, a stranger's."""
    return Fault("replaced", lambda answer: _honest(replace(answer, text=text)))


def empty() -> Fault:
    """Answer with one packet without a body."""
    return replace(replaced(""), name="empty")


def glued(text: str) -> Fault:
    """Append another command's reply to the right one."""
    return Fault("glued", lambda answer: _honest(replace(answer, text=answer.text + text)))


def raw_body(body: bytes) -> Fault:
    """Answer with one packet of any bytes, well-formed but perhaps not UTF-8."""
    steps = partial(_raw_body, body=body)
    return Fault("raw_body", steps)


def garbage(data: bytes = b"\xff\xfe\xfd" * 40) -> Fault:
    """Send bytes that are no packet at all instead of the answer."""
    return Fault("garbage", lambda _answer: [Send(data)])


def bad_length(data: bytes = b"HTTP/1.1 400 Bad Request\r\n\r\n") -> Fault:
    """Send what another protocol would: its first four bytes read as a length in the thousands."""
    return replace(garbage(data), name="bad_length")


def wrong_id(offset: int = 1) -> Fault:
    """Answer under another request's id."""

    def steps(answer: Answer) -> list[Step]:
        return _honest(replace(answer, request_id=answer.request_id + offset))

    return Fault("wrong_id", steps)


def wrong_type(kind: int = 2) -> Fault:
    """Answer rightly, in packets of another type than a reply's."""

    def steps(answer: Answer) -> list[Step]:
        return [Send(wire.packet(answer.request_id, kind, answer.text.encode()))]

    return Fault("wrong_type", steps)


def refused() -> Fault:
    """Answer with id -1: the server lost the login, or refuses it."""
    body = wire.packet(wire.REFUSED_ID, wire.LOGIN_ANSWER)
    return Fault("refused", lambda _answer: [Send(body)])


def dribble(pause_s: float = 0.001) -> Fault:
    """Send one byte at a time, with a pause of seconds after each."""
    return replace(segments(1, pause_s), name="dribble")


def segments(size: int, pause_s: float = 0.002) -> Fault:
    """Send the answer in TCP segments of so many bytes, with a pause of seconds after each."""

    def steps(answer: Answer) -> Iterable[Step]:
        data = b"".join(answer.packets())
        for at in range(0, len(data), size):
            yield Send(data[at : at + size])
            yield Pause(pause_s)

    return Fault("segments", steps)


def duplicate() -> Fault:
    """Send the whole answer twice in one go."""
    return Fault("duplicate", lambda answer: [Send(b"".join(answer.packets() * 2))])


def freeze(seconds: float) -> Fault:
    """Stop the server's main thread before the command: every connection waits."""
    return Fault("freeze", _honest, freeze_s=seconds)


def throws(text: str = "null") -> Fault:
    """Let the command throw: `Error executing: <command> (<text>)`."""
    return Fault("throws", _honest, error=text)


def _part(answer: Answer, sent: int | None) -> bytes:
    data = b"".join(answer.packets())
    return data[: len(data) // 2 if sent is None else sent]


def _raw_body(answer: Answer, body: bytes) -> list[Step]:
    return [Send(wire.packet(answer.request_id, wire.REPLY, body))]


Rule = Callable[[str, int], Fault | None]
"""Takes the command's text and the number of its connection; None means no fault."""


@dataclass(slots=True)
class _Queued:
    pattern: re.Pattern[str]
    fault: Fault
    login: bool
    skip: int
    times: int | None


class Faults:
    """A plan of faults. Every method may be called from any thread, also while it is in use.

    `rule`, when set, is asked first, for commands only. `refuse_logins`: every password is
    wrong. `mute`: connections are accepted and read, but nothing is ever answered.
    """

    def __init__(self, rule: Rule | None = None) -> None:
        self._lock = threading.Lock()
        self._queue: list[_Queued] = []
        self.rule = rule
        self.refuse_logins = False
        self.mute = False

    def once(
        self, fault: Fault, pattern: str = "", *, times: int = 1, skip: int = 0, login: bool = False
    ) -> None:
        """Plan a fault for the next `times` commands that the pattern is found in.

        The first `skip` matches go well. With `login` it is for logins and the pattern is unused.
        """
        with self._lock:
            self._queue.append(_Queued(re.compile(pattern), fault, login, skip, times))

    def always(self, fault: Fault, pattern: str = "", *, login: bool = False) -> None:
        """Plan a fault for every command that the pattern is found in, until `clear`."""
        with self._lock:
            self._queue.append(_Queued(re.compile(pattern), fault, login, 0, None))

    def clear(self) -> None:
        """Forget every planned fault, the rule and the switches: the server is honest again."""
        with self._lock:
            self._queue.clear()
            self.rule = None
            self.refuse_logins = self.mute = False

    def pending(self) -> int:
        """Return how many planned one-shot faults have not been used up."""
        with self._lock:
            return sum(each.times is not None for each in self._queue)

    def for_command(self, command: str, connection: int) -> Fault:
        """Return the fault that is due for a command, and use it up."""
        rule = self.rule
        chosen = rule(command, connection) if rule is not None else None
        return chosen or self._due(command, login=False) or HONEST

    def for_login(self) -> Fault:
        """Return the fault that is due for a login, and use it up."""
        return self._due("", login=True) or HONEST

    def _due(self, text: str, *, login: bool) -> Fault | None:
        with self._lock:
            for each in self._queue:
                if each.login != login or not (login or each.pattern.search(text)):
                    continue
                if each.skip:
                    each.skip -= 1
                    continue
                if each.times is not None:
                    each.times -= 1
                    if not each.times:
                        self._queue.remove(each)
                return each.fault
        return None
