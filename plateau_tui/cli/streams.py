"""The three standard streams, of which any may be closed, full, or gone while we run."""

import contextlib
import os
import sys
from typing import Final, TextIO, cast

import click

_STREAMS: Final = (
    ("stdin", os.O_RDONLY, "r"),
    ("stdout", os.O_WRONLY, "w"),
    ("stderr", os.O_WRONLY, "w"),
)


def open_missing_streams() -> None:
    """Open what was closed before we began (``2>&-``) on nothing.

    Else the next file that is opened, perhaps a log, gets the number of stderr, and whatever
    writes there, a child for one, writes into it.
    """
    for number, (name, flags, mode) in enumerate(_STREAMS):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, flags)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
        if getattr(sys, name) is None:
            stream = cast("TextIO", os.fdopen(number, mode, closefd=False))
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)


def complain(text: str, *, newline: bool = True) -> None:
    """Print on stderr, or nowhere: that nobody hears us is no reason to end a collection."""
    with contextlib.suppress(OSError, ValueError):
        click.echo(text, err=True, nl=newline)
