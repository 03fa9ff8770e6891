"""A folder on a disk that loses its power: what may be found when the power is back.

Sure are the bytes that a file had when it was last synced, and the names that stood in the folder
when the folder was. Of what happened since, any part may have reached the disk and any other part
not. While the writer works, each such folder is noted after each of its system calls.
"""

import itertools
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

CALLS: Final = (
    "write", "fsync", "ftruncate", "rename", "replace", "link", "unlink", "open", "fchmod",
)  # fmt: skip
Left = tuple[tuple[str, bytes], ...]
"""The files of a folder, by name."""


class Disk:
    """The disk below one folder, watched from now on.

    What stands there now is sure, but for ``unsynced``. ``left`` holds every folder that a power
    cut could have left, and how many cycles had been acknowledged by then, at most.
    """

    def __init__(self, folder: Path, unsynced: Mapping[str, bytes] | None = None) -> None:
        """Begin; ``unsynced`` says what is sure of a file of which not all is."""
        self.folder = folder
        self.acknowledged = 0
        self.left: dict[Left, int] = {}
        self._names = self._current()
        self._seen = {inode: self._path(name).read_bytes() for name, inode in self._names.items()}
        self._synced = dict(self._seen)
        for name, data in (unsynced or {}).items():
            self._synced[self._names[name]] = data

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Look at the folder after each call that changes it."""
        for name in CALLS:
            monkeypatch.setattr(os, name, self._watched(name, getattr(os, name)))

    def acknowledge(self, cycle: int) -> None:
        """A cycle was called written: from now on it must be found."""
        self.acknowledged = max(self.acknowledged, cycle + 1)
        self._note()

    def _watched(self, name: str, call: Callable[..., object]) -> Callable[..., object]:
        def wrapper(*arguments: object, **options: object) -> object:
            result = call(*arguments, **options)
            self._look()
            if name == "fsync":
                self._sync(os.fstat(int(str(arguments[0]))))
            self._note()
            return result

        return wrapper

    def _path(self, name: str) -> Path:
        return self.folder / name

    def _current(self) -> dict[str, int]:
        entries = [entry for entry in os.scandir(self.folder) if entry.is_file()]
        return {entry.name: entry.inode() for entry in entries}

    def _look(self) -> None:
        """Read what stands there; of a file that is new nothing is sure."""
        for name, inode in self._current().items():
            if inode not in self._seen:
                self._synced[inode] = b""
            self._seen[inode] = self._path(name).read_bytes()

    def _sync(self, what: os.stat_result) -> None:
        if what.st_ino == self.folder.stat().st_ino:
            self._names = self._current()
        elif what.st_ino in self._seen:
            self._synced[what.st_ino] = self._seen[what.st_ino]

    def _note(self) -> None:
        for names in (self._names, self._current()):
            for files in self._contents(names):
                self.left[files] = max(self.acknowledged, self.left.get(files, 0))

    def _contents(self, names: dict[str, int]) -> Iterator[Left]:
        """Yield a folder with these names for each choice of what of its files was lost."""
        choices = [{self._synced[inode], self._seen[inode]} for inode in names.values()]
        for chosen in itertools.product(*choices):
            yield tuple(zip(names, chosen, strict=True))


def put_back(left: Left, folder: Path) -> None:
    """Make the folder that was left."""
    folder.mkdir(mode=0o700)
    for name, data in left:
        (folder / name).write_bytes(data)
