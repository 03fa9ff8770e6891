"""Errors as a person and as a script see them: one line, and an exit code."""

import errno
import os
import sys
from typing import Final

import click

from plateau_tui.metric.tables import shown

USAGE = 2

_REMEDIES: Final = {
    errno.ENOSPC: "make room there, then ask again",
    errno.EDQUOT: "make room there, then ask again",
    errno.EFBIG: "raise the limit of a file's size (ulimit -f)",
    errno.EROFS: "mount it writable, then ask again",
    errno.EACCES: "it belongs to another account, or its mode shuts you out",
    errno.EPERM: "it belongs to another account, or its mode shuts you out",
    errno.EMFILE: "raise the limit of open files (ulimit -n)",
    errno.ENFILE: "the machine has too many files open",
    errno.EIO: "the disk, or what it hangs on, fails",
    errno.ENAMETOOLONG: "give a shorter name",
    errno.ENOENT: "look for a mistyped name",
    errno.ENOTDIR: "what stands before the last / is a file: look for a mistyped name",
    errno.EISDIR: "name a file in it",
    errno.EEXIST: "name another, or move that one away",
    errno.ELOOP: "the link leads to itself: remove it",
    errno.EINVAL: "name another",
}
"""What the machine refuses, and what a person does then; no fault of the program."""

_NAMED_WRONG: Final = frozenset(
    {
        errno.ENAMETOOLONG,
        errno.ENOENT,
        errno.ENOTDIR,
        errno.EISDIR,
        errno.EEXIST,
        errno.ELOOP,
        errno.EINVAL,
    }
)
"""What is refused for the name that was given: a usage error."""

_OTHERWISE: Final = "look at that file, and at the disk it is on"
_MOST_TOLD: Final = 4000
"""Characters of an error's line: no more fits a screen."""


def exit_code_of(error: Exception) -> int | None:
    """Return the exit code of an error that we know; None for a fault of the program itself.

    Our own errors carry theirs as ``exit_code``.
    """
    if isinstance(error, click.Abort):
        return 130
    if isinstance(error, click.exceptions.Exit):
        return None  # it has said what there is to say
    if isinstance(error, click.ClickException):
        return USAGE
    code = getattr(type(error), "exit_code", None)
    if isinstance(code, int):
        return code
    if isinstance(error, OSError):
        return USAGE if error.errno in _NAMED_WRONG and error.filename else 1
    return 1 if isinstance(error, MemoryError) else None


def one_line(error: Exception) -> str:
    """Return an error as one printable line."""
    if isinstance(error, click.UsageError):
        hint = f" (see: {error.ctx.command_path} --help)" if error.ctx else ""
        text = f"{error.format_message()}{hint}"
    elif isinstance(error, click.ClickException):
        text = error.format_message()
    elif isinstance(error, click.Abort):
        text = "ended"
    elif isinstance(error, MemoryError):
        text = "there is not enough memory for this"
    elif isinstance(error, OSError) and not hasattr(type(error), "exit_code"):
        text = _of_the_machine(error)
    else:
        text = str(error)
    return cut(" ".join(printable(text).split()))


def cut(text: str, most: int = _MOST_TOLD) -> str:
    """Return a line of at most ``most`` characters; its end may say what to do, and stays."""
    half = most // 2 - 1
    return text if len(text) <= most else f"{text[:half]} … {text[-half:]}"


def _of_the_machine(error: OSError) -> str:
    """Return what the system refused, of which file, and what a person does then."""
    name = error.filename
    named = os.fsdecode(name) if isinstance(name, str | bytes | os.PathLike) else ""
    what = f"{shown(named, 300)}: " if named else ""
    said = error.strerror or str(error) or type(error).__name__
    return f"{what}{said}; {_REMEDIES.get(error.errno or 0, _OTHERWISE)}"


def printable(text: str) -> str:
    """Return text with control characters shown escaped, in what the terminal can encode."""
    shown = "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)
    encoding = sys.stderr.encoding or "utf-8"
    return shown.encode(encoding, "backslashreplace").decode(encoding)
