"""The console in a real terminal: a pty, and pyte as the screen that a person sees."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import pexpect
import pyte

from plateau_tui.runlog.layout import RunFolder

LEAVES_SCREEN: Final = b"\x1b[?1049l"
ENTERS_SCREEN: Final = b"\x1b[?1049h"
LIMIT_S: Final = 40.0


class Terminal:
    """A program in a terminal of so many columns and rows; killed at the end if it lives."""

    def __init__(
        self,
        *words: str,
        cwd: Path,
        environment: Mapping[str, str] | None = None,
        size: tuple[int, int] = (80, 24),
        program: tuple[str, ...] = ("-m", "plateau_tui"),
    ) -> None:
        own = {"TERM": "xterm-256color", "PYTHONWARNINGS": "error"}
        self.size = size
        self.raw = b""
        self._screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._screen)
        self.child = pexpect.spawn(
            sys.executable,
            [*program, *words],
            cwd=str(cwd),
            env=os.environ | own | dict(environment or {}),
            dimensions=(size[1], size[0]),
            timeout=LIMIT_S,
        )
        self.child.delaybeforesend = None  # a console is not slow to switch off the echo

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        if self.child.isalive():
            self.child.kill(signal.SIGKILL)
        self.child.close(force=True)

    @property
    def pid(self) -> int:
        assert self.child.pid is not None
        return int(self.child.pid)

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display)

    @property
    def words(self) -> str:
        return " ".join(self.text.split())

    def send(self, keys: str) -> None:
        self.child.send(keys)

    def read(self, wait_s: float = 0.05) -> bool:
        """Take in what the program wrote; False when it has closed its terminal."""
        try:
            data: bytes = self.child.read_nonblocking(65536, wait_s)  # type: ignore[assignment]
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += data
        # pyte knows no private sequences with > or <: Kitty's keys and the like
        self._stream.feed(re.sub(rb"\x1b\[[<>=][0-9;]*[a-zA-Z]", b"", data))
        return True

    def until(self, what: Callable[[], object], limit_s: float = LIMIT_S) -> None:
        deadline = time.monotonic() + limit_s
        while not what():
            assert time.monotonic() < deadline, self.text.strip() or self.raw[-3000:]
            assert self.read() or what(), self.raw[-3000:]

    def settle(self, quiet_s: float = 0.3) -> None:
        """Take in what is written until nothing comes for a moment: an escape is a key alone."""
        while True:
            before = len(self.raw)
            if not self.read(quiet_s) or len(self.raw) == before:
                return

    def until_words(self, words: str, limit_s: float = LIMIT_S) -> None:
        self.until(lambda: words in self.words, limit_s)

    def resize(self, columns: int, rows: int) -> None:
        if columns and rows:
            self._screen = pyte.Screen(columns, rows)  # all of it is drawn anew
            self._stream = pyte.ByteStream(self._screen)
        self.child.setwinsize(rows, columns)

    def ended(self, limit_s: float = LIMIT_S) -> int:
        """Wait for the end and return the exit code, or minus the signal."""
        deadline = time.monotonic() + limit_s
        while self.read():
            assert time.monotonic() < deadline, self.text.strip() or self.raw[-3000:]
        while self.child.isalive():
            assert time.monotonic() < deadline, self.text.strip() or self.raw[-3000:]
            time.sleep(0.01)
        if self.child.signalstatus is not None:
            return -int(self.child.signalstatus)
        assert self.child.exitstatus is not None
        return int(self.child.exitstatus)


def cpu_s(pid: int) -> float:
    """The processor seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def attached(folder: RunFolder, **environment: str) -> Terminal:
    return Terminal("attach", str(folder.path), cwd=folder.path.parent, environment=environment)


def within_a_second() -> float:
    """Two seconds, or as much more as this machine is slower now than one that does nothing.

    Loading Textual takes a third of a second where nothing else runs.
    """
    started = time.monotonic()
    subprocess.run([sys.executable, "-c", "import textual.app"], check=True)
    return max(2.0, 6.0 * (time.monotonic() - started))
