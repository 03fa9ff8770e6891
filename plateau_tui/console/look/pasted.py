"""What a terminal sends, with what is pasted kept apart from what is typed, byte by byte.

A terminal puts two marks around what is pasted (xterm's control sequences, "Bracketed Paste
Mode"). Textual 8.2.8 looks for them among its keys: an escape character in the text is played back
as keys there, and a read that is no UTF-8 ends its reading, so that the rest of a paste is typed.
Here nothing in a paste is looked at but its end, and that may itself be forged: of what comes in
one burst, all from the first mark to the last is pasted. Only a pause makes keys of what follows.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from textual.constants import ESCAPE_DELAY

BEGINS: Final = b"\x1b[200~"
ENDS: Final = b"\x1b[201~"
MOST_PASTED: Final = 1 << 16
"""So many bytes may be pasted at once: more than any field of the console has use for."""
_LONE_ESCAPE: Final = ENDS[:1]
_HALF_MARK_S: Final = 1.0
"""So long the rest of a mark may be on its way; nobody types its first two characters."""
_BREATH_S: Final = 0.05
"""Nobody presses a key this soon behind a paste: what comes sooner came with it."""
_QUIET_S: Final = 0.5
"""A line may stand still for so long in the midst of one burst."""
_HANGS_S: Final = 2.0
"""A paste of which nothing more has come for so long is told of."""
_STILL_S: Final = 1.0
_INTERRUPTS: Final = re.compile(rb"(?:\x03|\x1b\[99;5u)+")
"""Ctrl+c, also as the keyboard protocol of Kitty writes it."""
_MOVES: Final = re.compile(rb"(?:\x1b\[<35;-?\d+;-?\d+M)+")
"""A mouse that is only moved; it would keep the line from ever being quiet."""


@dataclass(frozen=True, slots=True)
class Typed:
    """Keys, and what else a terminal says of itself."""

    sent: bytes
    is_whole: bool = False
    """Whether what comes next does not belong to it."""


@dataclass(frozen=True, slots=True)
class Pasted:
    """What was pasted; of more than may be there is only its size in bytes."""

    text: bytes
    size: int

    @property
    def is_whole(self) -> bool:
        """Whether all of it is here."""
        return len(self.text) == self.size


class Trouble(Enum):
    """What is wrong with a paste under way."""

    HANGS = auto()
    """Nothing more of it comes, nor its end."""
    GIVEN_UP = auto()
    """The keyboard's ctrl+c has ended it; its text is left out."""


Part = Typed | Pasted | Trouble


class _At(Enum):
    KEYS = auto()
    PASTE = auto()
    BEHIND = auto()


class PastesApart:
    """Takes what is read, and how long nothing was to read; tells keys and pastes, in order.

    No clock is read: of a process that was held up, what had come meanwhile is there at once, and
    was no pause.
    """

    def __init__(self) -> None:
        self._at = _At.KEYS
        self._held = b""
        """What can only be told with what comes next."""
        self._text = bytearray()
        self._size = 0
        self._quiet_s = 0.0
        self._is_told = False
        self._interrupted = False

    @property
    def waits(self) -> bool:
        """Whether a pause would tell something."""
        return bool(self._held) or self._at is not _At.KEYS

    def feed(self, sent: bytes) -> Iterator[Part]:
        """Take what was read."""
        if self._at is _At.BEHIND and _MOVES.fullmatch(sent):
            return
        quiet_s, self._quiet_s = self._quiet_s, 0.0
        if self._at is _At.PASTE:
            still = quiet_s >= _STILL_S or self._interrupted
            self._interrupted = still and _INTERRUPTS.fullmatch(sent) is not None
            yield from self._in_paste(sent)
        elif self._at is _At.BEHIND:
            yield from self._behind(sent)
        else:
            yield from self._in_keys(sent)

    def wait(self, seconds: float) -> Iterator[Part]:
        """Take that for so many seconds nothing was there to read."""
        self._quiet_s += seconds
        if self._at is _At.PASTE:
            yield from self._hang()
        elif self._at is _At.BEHIND:
            if self._quiet_s >= (_QUIET_S if self._held else _BREATH_S):
                held, self._held, self._at = self._held, b"", _At.KEYS
                if held:
                    yield from self._in_keys(held)
        elif self._held and self._quiet_s >= (
            ESCAPE_DELAY if self._held == _LONE_ESCAPE else _HALF_MARK_S
        ):
            held, self._held = self._held, b""
            yield Typed(held, is_whole=True)

    def _in_keys(self, sent: bytes) -> Iterator[Part]:
        typed, begins, rest = (self._held + sent).partition(BEGINS)
        if begins:
            yield Typed(typed, is_whole=True)
            self._open(b"")
            yield from self._in_paste(rest)
            return
        typed, self._held = _but_half(typed, BEGINS)
        if typed:
            yield Typed(typed)

    def _open(self, held: bytes) -> None:
        self._at, self._held = _At.PASTE, held
        self._is_told = self._interrupted = False

    def _in_paste(self, sent: bytes) -> Iterator[Part]:
        text, ends, rest = (self._held + sent).partition(ENDS)
        if ends:
            self._take(text)
            yield self._pasted()
            self._at, self._held = _At.BEHIND, b""
            yield from self._behind(rest)
            return
        text, self._held = _but_half(text, ENDS)
        self._take(text)

    def _behind(self, sent: bytes) -> Iterator[Part]:
        """Look behind an end for another one, which makes all up to it pasted text."""
        text, ends, rest = (self._held + sent).rpartition(ENDS)
        if ends:
            self._take(text)
            yield self._pasted()
        self._held = rest
        if BEGINS in rest or len(rest) > MOST_PASTED:
            text, held = _but_half(rest.replace(BEGINS, b"", 1), ENDS)
            self._take(text)
            self._open(held)

    def _hang(self) -> Iterator[Part]:
        if self._interrupted and self._quiet_s >= _QUIET_S:
            self._at, self._held = _At.KEYS, b""
            self._pasted()
            yield Trouble.GIVEN_UP
        elif self._quiet_s >= _HANGS_S and not self._is_told:
            self._is_told = True
            yield Trouble.HANGS

    def _take(self, text: bytes) -> None:
        self._size += len(text)
        self._text += text[: MOST_PASTED + 1 - len(self._text)]

    def _pasted(self) -> Pasted:
        size, fits = self._size, self._size <= MOST_PASTED
        pasted = Pasted(bytes(self._text) if fits else b"", size)
        self._text, self._size = bytearray(), 0
        return pasted


def _but_half(sent: bytes, mark: bytes) -> tuple[bytes, bytes]:
    """Return what was sent without what may be the beginning of a mark at its end, and that."""
    for length in range(min(len(mark) - 1, len(sent)), 0, -1):
        if sent.endswith(mark[:length]):
            return sent[:-length], sent[-length:]
    return sent, b""
