"""What this process keeps to itself: its memory, and the password that its environment gave it.

Loaded before anything else, ours or the standard library's, for until ``shut`` has run a crash
would write the memory to the disk. So what it imports is in the interpreter already.
"""

from __future__ import annotations

import os
import resource
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # the real one would load ``typing``, which takes as long as all of this
    from collections.abc import Mapping
    from typing import Final

PASSWORD_VARIABLE: Final = "PLATEAU_TUI_RCON_PASSWORD"  # noqa: S105 - the variable's name
"""Holds the RCON password; nothing that we start is given it, but a collector over its pipe."""

_LOCALE_VARIABLES: Final = ("LC_ALL", "LC_CTYPE", "LANG")
_PR_SET_DUMPABLE: Final = 4


class _Given:
    """The password that the environment gave, which no repr shows."""

    __slots__ = ("first_locale", "password")

    def __init__(self) -> None:
        self.password: str | None = None
        self.first_locale: dict[str, str] | None = None

    def __repr__(self) -> str:
        return "<given>"


_given = _Given()


def shut() -> None:
    """Keep this process's memory from the disk and from other processes, as far as can be.

    No core file, neither here nor in what is started from here; and where Linux has it, none for
    a handler that is not held to that limit, and no look into the memory by other processes of
    the same user. A profiler or debugger then needs root. What the kernel told of the locale at
    the start is read before, because from then on it is root's to read.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
    _given.first_locale = _first_locale()
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415 - on Linux alone, and none of the lightest

        try:
            ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
        except (OSError, AttributeError):  # a system library without it: the limit stands
            return


def hold_interrupts() -> None:
    """Hold Ctrl-C back: in the middle of the loading of a module it would be told as its bug."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def let_interrupts_in() -> None:
    """Take what was held back, and what comes from now on, as ``KeyboardInterrupt``."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def take_password() -> None:
    """Take the password out of the environment, so that no child can inherit it."""
    password = os.environ.pop(PASSWORD_VARIABLE, None)
    if password is not None:
        _given.password = password


def given_password() -> str | None:
    """Return the password that the environment gives, or gave until it was taken out."""
    return os.environ.get(PASSWORD_VARIABLE, _given.password)


def environment_with_password() -> dict[str, str]:
    """Return this process's environment as it was given, for a child that is to ask the server."""
    password = given_password()
    return dict(os.environ) | ({} if password is None else {PASSWORD_VARIABLE: password})


def environment_without_password() -> dict[str, str]:
    """Return this process's environment for a child, which never needs the password in it."""
    return {key: value for key, value in os.environ.items() if key != PASSWORD_VARIABLE}


def first_locale() -> Mapping[str, str] | None:
    """Return the locale's variables with which this process began; None where nobody tells.

    Python turns a C locale into one of UTF-8 by setting ``LC_CTYPE`` (PEP 538).
    """
    return _first_locale() if _given.first_locale is None else _given.first_locale


def _first_locale() -> dict[str, str] | None:
    try:
        with open("/proc/self/environ", "rb") as file:  # noqa: PTH123 - pathlib loads much
            data = file.read()
    except OSError:
        return None
    first = dict(pair.split("=", 1) for pair in os.fsdecode(data).split("\0") if "=" in pair)
    return {name: first[name] for name in _LOCALE_VARIABLES if name in first}
