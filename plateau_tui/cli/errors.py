"""Errors as a person and as a script see them: one line, and an exit code."""

import sys

import click

USAGE = 2


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
    return code if isinstance(code, int) else None


def one_line(error: Exception) -> str:
    """Return an error as one printable line."""
    if isinstance(error, click.UsageError):
        hint = f" (see: {error.ctx.command_path} --help)" if error.ctx else ""
        text = f"{error.format_message()}{hint}"
    elif isinstance(error, click.ClickException):
        text = error.format_message()
    elif isinstance(error, click.Abort):
        text = "ended"
    else:
        text = str(error)
    return " ".join(printable(text).split())


def printable(text: str) -> str:
    """Return text with control characters shown escaped, in what the terminal can encode."""
    shown = "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)
    encoding = sys.stderr.encoding or "utf-8"
    return shown.encode(encoding, "backslashreplace").decode(encoding)
