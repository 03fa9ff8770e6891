"""A folder that appears whole or not at all, and replaces an earlier one as a whole.

It is built under a hidden name beside its place, made durable, and put there by a rename. An
earlier folder is first renamed aside; a program that dies between the two renames leaves both
whole, and the next one puts the earlier one back before it does anything else. The lock is a
hidden file beside them, which goes with its holder. It is not the folder around them: a run's own
folder is what its collector holds, and neither may keep the other waiting.
"""

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from plateau_tui.runlog.chainedfile import fsync_folder
from plateau_tui.runlog.locks import FileLock, LockHeldError, LockUnavailableError


class PlaceError(ValueError):
    """A folder that cannot be put where it was wanted; nothing was changed."""

    exit_code = 1


class PlaceTakenError(PlaceError):
    """Something else stands there: choose another place."""

    exit_code = 2


def _new(target: Path) -> Path:
    return target.with_name(f".{target.name}.new")


def _old(target: Path) -> Path:
    return target.with_name(f".{target.name}.old")


def put_folder(
    target: Path, mode: int, build: Callable[[Path], None], replaceable: Callable[[Path], bool]
) -> None:
    """Build a folder and put it at ``target``.

    Args:
        target: where; its parent must exist.
        mode: the permissions of the folders; files get them without the execute bits.
        build: fills the folder that it is given.
        replaceable: says whether what stands at ``target`` may be replaced.

    Raises:
        PlaceTakenError: something stands there that may not be replaced.
        PlaceError: it could not be built or put there; what stood there stands there still.

    """
    try:
        with _alone_at(target):
            _recover(target)
            if _taken(target) and (target.is_symlink() or not replaceable(target)):
                raise PlaceTakenError(
                    f"{target} exists and is no earlier export of this run; name another folder"
                )
            _build(_new(target), mode, build)
            _swap(target)
    except OSError as error:
        reason = error.strerror or str(error)
        where = f" ({error.filename})" if error.filename else ""
        raise PlaceError(f"{target} cannot be written: {reason}{where}") from None


@contextlib.contextmanager
def _alone_at(target: Path) -> Iterator[None]:
    lock = FileLock(target.with_name(f".{target.name}.lock"), wait_s=0)
    try:
        lock.acquire()
    except LockHeldError:
        raise PlaceError(
            f"another export is being written to {target}; try again when it is done"
        ) from None
    except LockUnavailableError:
        pass  # a file system without locks: two exports at once are then the user's care
    try:
        yield
    finally:
        # While it is still held: who waits for this very file sees that it has no name any more.
        lock.path.unlink(missing_ok=True)
        lock.release()


def _taken(path: Path) -> bool:
    return path.is_symlink() or path.exists()


def _recover(target: Path) -> None:
    """Clear what a program left that died here; the earlier folder comes back where it is gone."""
    if _taken(_old(target)):
        if _taken(target):
            shutil.rmtree(_old(target))
        else:
            _old(target).rename(target)
            fsync_folder(target.parent)
    if _taken(_new(target)):
        shutil.rmtree(_new(target))


def _build(folder: Path, mode: int, build: Callable[[Path], None]) -> None:
    folder.mkdir(mode=0o700)
    try:
        build(folder)
        _settle(folder, mode)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _settle(folder: Path, mode: int) -> None:
    """Give everything its permissions and make it durable, the folders last."""
    folders = [folder]
    for path in sorted(folder.rglob("*")):
        if path.is_dir():
            folders.append(path)
            continue
        with path.open("rb") as file:
            os.fchmod(file.fileno(), mode & 0o666)
            os.fsync(file.fileno())
    for path in reversed(folders):
        path.chmod(mode)
        fsync_folder(path)


def _swap(target: Path) -> None:
    replaced = _taken(target)
    if replaced:
        target.rename(_old(target))
    try:
        _new(target).rename(target)
        fsync_folder(target.parent)
    except BaseException:
        if replaced and not _taken(target):
            _old(target).rename(target)
        shutil.rmtree(_new(target), ignore_errors=True)
        raise
    if replaced:
        shutil.rmtree(_old(target), ignore_errors=True)
