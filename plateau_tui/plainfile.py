"""Files that end: what a user or a folder from elsewhere names may be a pipe or a device.

To open a pipe waits for its writer, and a device may give bytes without an end.
"""

import errno
import os
import stat
import time
from pathlib import Path
from typing import Final

_LOOK_S: Final = 0.02
_NO_FILE: Final = "it must be a plain file: no link, pipe, device or folder"
_NO_GIVEN_FILE: Final = "it must be a plain file: no pipe, device or folder"


def plain_bytes(path: Path, limit: int) -> bytes:
    """Return at most ``limit`` bytes of a plain file, and one more where it is longer.

    Raises:
        OSError: it cannot be read, or is a link, a folder, a pipe or a device.

    """
    try:
        return _bytes_of(path, limit, os.O_NOFOLLOW, _NO_FILE)
    except OSError as error:
        if error.errno == errno.ELOOP:  # which is how a link is refused
            raise OSError(errno.EINVAL, _NO_FILE, str(path)) from None
        raise


def given_bytes(path: Path, limit: int) -> bytes:
    """Return the same of a file that the user names, which may be a link to one.

    Raises:
        OSError: it cannot be read, or is a folder, a pipe or a device.

    """
    return _bytes_of(path, limit, 0, _NO_GIVEN_FILE)


def require_plain(path: Path) -> None:
    """Insist that a file that the user names ends; it may be a link to one that does.

    Raises:
        OSError: it is not there, or is a folder, a pipe or a device.

    """
    _require_mode(path.stat().st_mode, path, _NO_GIVEN_FILE)


def bytes_in_time(path: Path, limit: int, seconds: float) -> tuple[int, bytes]:
    """Return a file's mode and its first ``limit`` bytes; of a pipe what it gives in time.

    Raises:
        OSError: it cannot be read, or is a pipe that gives nothing, or does not end, in time.

    """
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        data = b""
        deadline = time.monotonic() + seconds
        while len(data) < limit:
            piece = _piece(fd, limit - len(data))
            if piece:
                data += piece
            elif piece is not None and (data or not stat.S_ISFIFO(os.fstat(fd).st_mode)):
                break  # its end
            elif time.monotonic() >= deadline:
                raise OSError(errno.ETIMEDOUT, f"the pipe did not give all within {seconds:g} s")
            else:
                time.sleep(_LOOK_S)  # a pipe without a writer is at its end at once
        return os.fstat(fd).st_mode, data
    finally:
        os.close(fd)


def _piece(fd: int, most: int) -> bytes | None:
    """Return what can be read now: nothing at the end, None where more may come."""
    try:
        return os.read(fd, most)
    except BlockingIOError:
        return None


def _bytes_of(path: Path, limit: int, flags: int, otherwise: str) -> bytes:
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC | flags)
    try:
        _require_mode(os.fstat(fd).st_mode, path, otherwise)
        with os.fdopen(fd, "rb", closefd=False) as file:
            return file.read(limit + 1)
    finally:
        os.close(fd)


def _require_mode(mode: int, path: Path, otherwise: str) -> None:
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, otherwise, str(path))
