"""Errors as a person and as a script see them: one line, and an exit code."""

import errno
import sys
from typing import Final, TypeGuard

import click

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
}
"""What the machine refuses, and what a person does then; no fault of the program."""


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
    return 1 if isinstance(error, MemoryError) or _is_of_the_machine(error) else None


def _is_of_the_machine(error: Exception) -> TypeGuard[OSError]:
    return isinstance(error, OSError) and error.errno in _REMEDIES


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
    elif _is_of_the_machine(error) and not hasattr(type(error), "exit_code"):
        what = f"{error.filename}: " if error.filename else ""
        remedy = _REMEDIES.get(error.errno or 0, "")
        text = f"{what}{error.strerror}{remedy and '; '}{remedy}"
    else:
        text = str(error)
    return " ".join(printable(text).split())


def printable(text: str) -> str:
    """Return text with control characters shown escaped, in what the terminal can encode."""
    shown = "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)
    encoding = sys.stderr.encoding or "utf-8"
    return shown.encode(encoding, "backslashreplace").decode(encoding)
