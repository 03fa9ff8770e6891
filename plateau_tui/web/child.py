"""A console in a process of its own, spoken to in the packets of Textual's driver for the web.

A packet is a letter, four bytes with the length of what follows (the highest first), and that:
``D`` for what a terminal would be sent, ``M`` for a word between driver and server, as JSON. The
driver's first line says that packets follow (``textual/drivers/web_driver.py``).
"""

import asyncio
import contextlib
import json
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

from plateau_tui.runlog.connection import PASSWORD_VARIABLE

WEB_DRIVER: Final = "textual.drivers.web_driver:WebDriver"
DRIVER_VARIABLE: Final = "TEXTUAL_DRIVER"
_BEGINS: Final = b"__GANGLION__\n"
_MOST_BYTES: Final = 1 << 24
_FRAME: Final = 512
"""A frame has more bytes than what is sent to set up a terminal."""
_DRAINED: Final = 1 << 16
_WIDTH, _HEIGHT = 80, 24
_LEAST_SIDE: Final = 2
_MOST_SIDE: Final = 600
_QUIT_S: Final = 3.0
_TERM_S: Final = 2.0
_NO_PACKETS: Final = (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError)
_OF_A_TERMINAL: Final = frozenset(
    {"NO_COLOR", "FORCE_COLOR", "COLORFGBG", "TMUX", "STY", "LINES", "LC_CTYPE", "TEXTUAL"}
)
"""What describes the terminal that the server was started in, where no console is drawn."""


@dataclass(frozen=True, slots=True)
class Size:
    """A terminal's size in cells, within what a screen can have."""

    width: int
    height: int

    @classmethod
    def of(cls, width: object, height: object) -> Self:
        """Return the size that a page tells; what is no number, or none of a screen, is mended."""
        return cls(_side(width, _WIDTH), _side(height, _HEIGHT))


def _side(value: object, otherwise: int) -> int:
    try:
        number = int(value) if isinstance(value, int | str) else otherwise
    except ValueError:
        number = otherwise
    return max(_LEAST_SIDE, min(number, _MOST_SIDE))


def child_environment(
    environment: Mapping[str, str], size: Size, *, writable: bool
) -> dict[str, str]:
    """Return the variables of a console in a browser; the password only where it may write.

    What the page draws is neither the server's terminal nor its locale: it is always UTF-8, and
    has all colours.
    """
    gone = _OF_A_TERMINAL if writable else _OF_A_TERMINAL | {PASSWORD_VARIABLE}
    kept = {name: value for name, value in environment.items() if name not in gone}
    return kept | {
        DRIVER_VARIABLE: WEB_DRIVER,
        "TEXTUAL_COLOR_SYSTEM": "truecolor",
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LC_ALL": "C.UTF-8",
        "PYTHONUTF8": "1",
        "COLUMNS": str(size.width),
        "ROWS": str(size.height),
    }


class Child:
    """A console's process; whoever has started it ends it."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._draining: asyncio.Task[None] | None = None
        self._has_focus = False

    @classmethod
    async def start(cls, argv: Sequence[str], environment: Mapping[str, str]) -> Self:
        """Start it: no shell reads its words. The keyboard's Ctrl-C reaches the server alone.

        Raises:
            OSError: no process can be started.

        """
        process = await asyncio.create_subprocess_exec(
            *argv, stdin=PIPE, stdout=PIPE, stderr=None, env=dict(environment),
            start_new_session=True,
        )  # fmt: skip
        return cls(process)

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    async def drawn(self) -> AsyncIterator[bytes]:
        """Yield what the console draws, until it ends.

        The driver begins by telling the console that it has no focus, perhaps after the page has
        told that it has: once a frame is drawn that is told again.
        """
        framed = False
        out = self._process.stdout
        if out is None:
            return
        with contextlib.suppress(*_NO_PACKETS):
            while await out.readuntil() != _BEGINS:
                pass
            while True:
                kind = await out.readexactly(1)
                length = int.from_bytes(await out.readexactly(4), "big")
                if length > _MOST_BYTES:
                    return  # this is no packet
                payload = await out.readexactly(length)
                if kind == b"D":
                    yield payload
                    if not framed and len(payload) >= _FRAME:
                        framed = True
                        await self.focus(has=self._has_focus)
                elif kind == b"M" and _is_exit(payload):
                    return

    async def type(self, text: str) -> None:
        """Send keys and what else a terminal sends."""
        await self._send(b"D", text.encode("utf-8", "replace"))

    async def resize(self, size: Size) -> None:
        """Tell the terminal's size."""
        await self._tell({"type": "resize", "width": size.width, "height": size.height})

    async def focus(self, *, has: bool) -> None:
        """Tell whether the page has the keyboard."""
        self._has_focus = has
        await self._tell({"type": "focus" if has else "blur"})

    async def end(self) -> None:
        """End it, kindly at first; return when it is gone."""
        process = self._process
        self._draining = asyncio.create_task(self._drain())  # a full pipe would hold it up
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._tell({"type": "quit"}), _TERM_S)
        if process.stdin is not None:
            process.stdin.close()  # a console whose terminal has gone leaves by itself
        for patience_s, harder in ((_QUIT_S, process.terminate), (_TERM_S, process.kill)):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), patience_s)
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    harder()
        await process.wait()
        await self._draining

    async def _drain(self) -> None:
        out = self._process.stdout
        with contextlib.suppress(ConnectionError):
            while out is not None and await out.read(_DRAINED):
                pass

    async def _tell(self, word: Mapping[str, object]) -> None:
        await self._send(b"M", json.dumps(word).encode("utf-8"))

    async def _send(self, kind: bytes, payload: bytes) -> None:
        into = self._process.stdin
        if into is None or into.is_closing():
            return
        with contextlib.suppress(ConnectionError, RuntimeError):
            into.write(kind + len(payload).to_bytes(4, "big") + payload)
            await into.drain()


def _is_exit(payload: bytes) -> bool:
    try:
        word = json.loads(payload)
    except ValueError:
        return False
    return isinstance(word, dict) and word.get("type") == "exit"
