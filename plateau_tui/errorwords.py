"""Errors in words: what the machine refused, of which file, and what a person does then."""

import errno
import os
from typing import Final

from plateau_tui.metric.tables import shown

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

NAMED_WRONG: Final = frozenset(
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


def error_words(error: Exception) -> str:
    """Return an error as a person reads it; one that nobody foresaw with its kind before it.

    Our own errors are those whose class has an ``exit_code``: they say themselves what to do.
    """
    if hasattr(type(error), "exit_code"):
        return str(error)
    if isinstance(error, MemoryError):
        return "there is not enough memory for this"
    if isinstance(error, OSError):
        return _of_the_machine(error)
    return f"{type(error).__name__}: {error}"


def _of_the_machine(error: OSError) -> str:
    """Return what the system refused, of which file, and what a person does then."""
    name = error.filename
    named = os.fsdecode(name) if isinstance(name, str | bytes | os.PathLike) else ""
    what = f"{shown(named, 300)}: " if named else ""
    said = error.strerror or str(error) or type(error).__name__
    return f"{what}{said}; {_REMEDIES.get(error.errno or 0, _OTHERWISE)}"
