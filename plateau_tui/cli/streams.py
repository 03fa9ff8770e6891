"""The three standard streams, of which any may be closed, full, or gone while we run."""

import contextlib
import errno
import os
import signal
import sys
from collections.abc import Iterator
from typing import Final, TextIO, cast

import click

_STREAMS: Final = (
    ("stdin", os.O_RDONLY, "r"),
    ("stdout", os.O_WRONLY, "w"),
    ("stderr", os.O_WRONLY, "w"),
)

_OF_A_STREAM: Final = (errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT)


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


@contextlib.contextmanager
def written() -> Iterator[None]:
    """Write on stdout, and nowhere else, inside.

    Whoever reads it may have seen enough, which ends us as SIGPIPE would. An error that names no
    file is stdout's own: it is named.
    """
    try:
        yield
    except BrokenPipeError:
        raise click.exceptions.Exit(128 + signal.SIGPIPE) from None
    except OSError as error:
        if error.filename is None and error.errno in _OF_A_STREAM:
            error.filename = "the standard output"
        raise
