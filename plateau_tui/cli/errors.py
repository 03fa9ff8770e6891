"""Errors as a person and as a script see them: one line, and an exit code."""

import sys
from typing import Final

import click

from plateau_tui.errorwords import NAMED_WRONG, error_words

USAGE = 2

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
        return USAGE if error.errno in NAMED_WRONG and error.filename else 1
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
    elif isinstance(error, OSError | MemoryError):
        text = error_words(error)
    else:
        text = str(error)
    return cut(" ".join(printable(text).split()))


def cut(text: str, most: int = _MOST_TOLD) -> str:
    """Return a line of at most ``most`` characters; its end may say what to do, and stays."""
    half = most // 2 - 1
    return text if len(text) <= most else f"{text[:half]} … {text[-half:]}"


def printable(text: str) -> str:
    """Return text with control characters shown escaped, in what the terminal can encode."""
    shown = "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)
    encoding = sys.stderr.encoding or "utf-8"
    return shown.encode(encoding, "backslashreplace").decode(encoding)
