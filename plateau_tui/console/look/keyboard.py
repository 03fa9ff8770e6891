"""Reading the keyboard: whatever bytes come, what is pasted is no key, and the reading goes on."""

import errno
import os
import selectors
from codecs import getincrementaldecoder
from collections.abc import Iterator
from typing import Any, Final, NoReturn

from textual._xterm_parser import XTermParser
from textual.driver import Driver
from textual.events import Paste
from textual.message import Message

from plateau_tui.console.look.pasted import Part, Pasted, PastesApart, Trouble

NOT_UTF8: Final = (
    "the terminal sent bytes that are not UTF-8; what came with them was left out: "
    "set the terminal, or LANG, to UTF-8"
)
_TROUBLES: Final = {
    Trouble.HANGS: "a paste has begun and does not end: ctrl+c gives it up; no key acts until then",
    Trouble.GIVEN_UP: "the paste was given up; its text was left out",
}
_OF_A_PAGE: Final = "textual.drivers.web_driver"
_READ: Final = 1 << 12
_LOOK_S: Final = 0.1
_SHORT_LOOK_S: Final = 0.05
"""How long to wait for a key where nothing, and where something, waits for a pause."""

Heard = Message | str
"""What a terminal says, or a word for the operator about it."""


def _raised(error: Exception) -> NoReturn:
    raise error


class _Sequences(XTermParser):
    """Takes keys, mouse and the terminal's answers out of text."""

    def let_go(self) -> Iterator[Message]:
        """Take what waits for more as it stands: nothing more of it comes."""
        if self._timeout_time is not None:
            self._timeout_time = 0.0
        yield from self.tick()

    def anew(self) -> "_Sequences":
        """Return one that knows of the terminal what this one does, and waits for nothing."""
        new = _Sequences()
        new.mouse_pixels = self.mouse_pixels
        new.terminal_size, new.terminal_pixel_size = self.terminal_size, self.terminal_pixel_size
        return new


class Keyboard:
    """Makes messages of the bytes that a terminal sends.

    A letter of a terminal that is set to Latin-1, or a mouse report of the old kind past column
    95, ends the reading of Textual 8.2.8, and so the application (Textual#6668).
    """

    def __init__(self) -> None:
        self._apart = PastesApart()
        self._sequences = _Sequences()
        self._decoder = getincrementaldecoder("utf-8")()
        self._is_told = False

    @property
    def look_s(self) -> float:
        """How long to wait, in seconds, before ``wait`` is told so."""
        return _SHORT_LOOK_S if self._apart.waits else _LOOK_S

    def feed(self, sent: bytes) -> Iterator[Heard]:
        """Take what was read."""
        yield from self._heard(self._apart.feed(sent))
        yield from self._sequences.tick()

    def wait(self, seconds: float) -> Iterator[Heard]:
        """Take that for so many seconds nothing was there to read."""
        yield from self._heard(self._apart.wait(seconds))
        yield from self._sequences.tick()

    def _heard(self, parts: Iterator[Part]) -> Iterator[Heard]:
        for part in parts:
            if isinstance(part, Trouble):
                yield _TROUBLES[part]
            elif isinstance(part, Pasted):
                yield from _paste(part)
            else:
                yield from self._typed(part.sent)
                if part.is_whole:
                    yield from self._sequences.let_go()

    def _typed(self, sent: bytes) -> Iterator[Heard]:
        try:
            text = self._decoder.decode(sent)
        except UnicodeDecodeError:
            self._decoder.reset()
            self._sequences = self._sequences.anew()
            if not self._is_told:
                yield NOT_UTF8
            self._is_told = True
            return
        if text:
            yield from self._sequences.feed(text)


def _paste(pasted: Pasted) -> Iterator[Heard]:
    if pasted.is_whole:
        yield Paste(pasted.text.decode("utf-8", "replace").replace("\0", ""))
    else:
        yield f"a paste of {pasted.size:,} bytes was left out: it is more than any field takes"


def forgiving(driver: type[Driver]) -> type[Driver]:
    """Return a driver that reads the keyboard as ``Keyboard`` does; elsewhere the same driver."""
    if driver.__module__ == _OF_A_PAGE:
        return _behind_a_page(driver)
    try:
        from textual.drivers.linux_driver import LinuxDriver  # noqa: PLC0415 - Unix only
    except ImportError:
        return driver
    return _at_a_terminal(driver) if issubclass(driver, LinuxDriver) else driver


def _at_a_terminal(driver: type[Driver]) -> type[Driver]:
    class AtATerminal(driver):  # type: ignore[misc, valid-type]
        """The driver of this platform."""

        def run_input_thread(self) -> None:
            """Read until the application ends, whatever comes."""
            try:
                self._read_on()
            except Exception as error:  # noqa: BLE001 - it ends the application as one of ours
                self._app.call_later(_raised, error)

        def _read_on(self) -> None:
            keyboard = Keyboard()
            with selectors.SelectSelector() as selector:
                selector.register(self.fileno, selectors.EVENT_READ)
                while not self.exit_event.is_set():
                    look_s = keyboard.look_s
                    if not selector.select(look_s):
                        _tell(self, keyboard.wait(look_s))
                    elif sent := _read(self.fileno):
                        _tell(self, keyboard.feed(sent))
                    else:  # the terminal has gone; the application finds that out by itself
                        self.exit_event.wait(_LOOK_S)
                if selector.select(_LOOK_S):  # what the mouse did last is not for the shell
                    _read(self.fileno)

    return AtATerminal


def _behind_a_page(driver: type[Driver]) -> type[Driver]:
    from textual.drivers._byte_stream import ByteStream  # noqa: PLC0415 - only behind a page
    from textual.drivers.web_driver import _ExitInput  # noqa: PLC0415 - likewise

    class BehindAPage(driver):  # type: ignore[misc, valid-type]
        """The driver of a console that is shown in a browser."""

        def run_input_thread(self) -> None:
            """Read until the application or the server ends."""
            try:
                self._read_on()
            except _ExitInput:
                pass
            except Exception as error:  # noqa: BLE001 - it ends the application as one of ours
                self._app.call_later(_raised, error)
            finally:
                self._input_reader.close()

        def _read_on(self) -> None:
            """Take packets; behind each look the reader yields nothing, also when it has read."""
            keyboard, packets, was_quiet = Keyboard(), ByteStream(), True
            for sent in self._input_reader:
                if sent:
                    for kind, payload in packets.feed(sent):
                        if kind == "D":
                            _tell(self, keyboard.feed(payload))
                        else:
                            self._on_meta(kind, payload)
                elif was_quiet:
                    _tell(self, keyboard.wait(self._input_reader.timeout))
                was_quiet = not sent
                self._input_reader.timeout = keyboard.look_s

    return BehindAPage


def _read(fileno: int) -> bytes:
    """Read what is there; nothing once the terminal has gone."""
    try:
        return os.read(fileno, _READ)
    except OSError as error:
        if error.errno == errno.EIO:
            return b""
        raise


def _tell(driver: Any, heard: Iterator[Heard]) -> None:  # noqa: ANN401 - of classes made here
    for each in heard:
        if isinstance(each, str):
            driver._app.call_later(driver._app.notify, each)  # noqa: SLF001 - a driver's own
        else:
            driver.process_message(each)
