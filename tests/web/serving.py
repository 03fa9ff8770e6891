"""What the tests of the console in a browser share: whether they can run, and a server."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from http.client import HTTPConnection
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import pytest

PASSWORD: Final = "canary-9d2e-secret"
ENDS_S: Final = 30.0
BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
HAS_EXTRA: Final = all(find_spec(name) for name in ("aiohttp", "textual_serve"))
needs_web = pytest.mark.skipif(
    not (HAS_EXTRA and os.environ.get("PLATEAU_TUI_TEST_WEB")),
    reason="left out: the console in a browser, for which the extra web is needed: make test-web",
)


def browser() -> str | None:
    """Where a browser is that can be driven; None where there is none, or nothing to drive it."""
    found = (shutil.which(name) for name in BROWSERS)
    return next((path for path in found if path), None) if find_spec("playwright") else None


needs_browser = pytest.mark.skipif(
    browser() is None,
    reason="left out: the console in a real browser: chromium (on Debian: apt install chromium) "
    "or playwright (make test-web) is not installed",
)


class Server:
    """``plateau-tui ... --web`` as a process, at a port that was free."""

    def __init__(
        self, *words: str, cwd: Path, environment: Mapping[str, str] | None = None
    ) -> None:
        secret = {"PLATEAU_TUI_RCON_PASSWORD": PASSWORD}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "plateau_tui", *words, "--web", "--port", "0"],
            cwd=cwd,
            env=os.environ | secret | dict(environment or {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.said = self.process.stdout.readline()
        found = re.match(r"http://(\[?[^/]*?\]?):(\d+)/\?token=([\w-]{43}) ", self.said)
        if found is None:
            self.stop()
            raise AssertionError(self.said)
        self.host, self.port, self.token = found[1], int(found[2]), found[3]

    @property
    def root(self) -> str:
        """The address without the token."""
        return f"http://{self.host}:{self.port}/"

    @property
    def url(self) -> str:
        """The address that was printed."""
        return f"{self.root}?token={self.token}"

    def cookie(self) -> str:
        """What a browser that was shown the token sends from then on."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=ENDS_S)
        with contextlib.closing(connection):
            connection.request("GET", f"/?token={self.token}")
            answer = connection.getresponse()
            return str(answer.headers["Set-Cookie"]).partition(";")[0]

    def children(self) -> list[int]:
        """The processes that the server has started and that live."""
        pid = self.process.pid
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
        return [int(word) for word in text.split()]

    def stop(self, number: signal.Signals = signal.SIGINT) -> tuple[int, str]:
        """End it; return its exit code and what it said on stderr."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            _, told = self.process.communicate(timeout=ENDS_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise
        return self.process.returncode, told

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.stop()


def is_gone(pid: int) -> bool:
    """Whether a process has ended; one that nobody has waited for yet has."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"
