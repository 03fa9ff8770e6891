"""One call in a process of its own, so that the screen stays alive however long it counts.

A thread would share the interpreter with the screen, and one that draws plots must not be broken
off when the console leaves. What a call takes and gives is pickled.
"""

import contextlib
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Final, Generic, TypeVar

from plateau_tui.errorwords import error_words
from plateau_tui.process import environment_without_password

T = TypeVar("T")

_START: Final = "from plateau_tui.console.verdict.apart import child; child()"


class ApartError(RuntimeError):
    """The call came to nothing; the text says why, in one line."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class _Failed:
    text: str


class Apart(Generic[T]):
    """A call under way, from its construction on.

    Args:
        call: a module's function or a partial of one; its module loads no screen.
        lasting: whether it goes on to its end when the console leaves: what writes does.

    Raises:
        OSError: no process can be started.

    """

    def __init__(self, call: Callable[[], T], *, lasting: bool) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment_without_password(),
            start_new_session=True,  # Ctrl-C at the console's terminal is the console's business
        )
        with contextlib.suppress(OSError):  # it is gone already, which ``result`` will say
            pickle.dump((call, lasting), self._stdin)
            self._stdin.flush()
            if lasting:
                self._stdin.close()

    @property
    def _stdin(self) -> IO[bytes]:
        assert self._process.stdin is not None  # noqa: S101 - a pipe
        return self._process.stdin

    def result(self) -> T:
        """Wait for the end and return what the call gave.

        Raises:
            ApartError: it raised, or its process died.

        """
        assert self._process.stdout is not None  # noqa: S101 - a pipe
        with self._process.stdout as answer:
            data = answer.read()
        with contextlib.suppress(OSError):
            self._stdin.close()
        self._process.wait()
        if not data:
            raise ApartError("the process that worked on it died; try the command itself")
        found = pickle.loads(data)  # noqa: S301 - our own child wrote it
        if isinstance(found, _Failed):
            raise ApartError(found.text)
        given: T = found
        return given

    def stop(self) -> None:
        """End the process, in the middle of whatever it does; may be called from any thread."""
        self._process.kill()


def child() -> None:
    """Do the call that comes over the standard input, write what it gives, and end."""
    answer = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    try:
        call, lasting = pickle.load(sys.stdin.buffer)  # noqa: S301 - our own parent wrote it
        if not lasting:
            threading.Thread(target=_end_with_parent, daemon=True).start()
        data = pickle.dumps(call())
    except Exception as error:  # noqa: BLE001 - whatever it meets, the parent is told
        data = pickle.dumps(_Failed(error_words(error)))
    with contextlib.suppress(BrokenPipeError), answer:
        answer.write(data)
    sys.stdout.flush()
    os._exit(0)  # the thread that waits for the parent holds the input


def _end_with_parent() -> None:
    with contextlib.suppress(OSError):
        os.read(0, 1)
    os._exit(1)
