"""A run folder: where its files are, how one is made, how it is read without writing."""

import os
import re
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from plateau_tui.runlog.chainedfile import fsync_folder

_FILES: Final = (
    "registration.toml",
    "connection.toml",
    "attestation.toml",
    "rows.jsonl",
    "journal.jsonl",
    "collector.lock",
    "collector.log",
)
_ARCHIVE: Final = re.compile(r"\.(?:tar|tar\.[a-z0-9]+|tgz|tbz2?|txz|zip|7z|rar)$", re.IGNORECASE)
_RUN_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


class RunFolderError(ValueError):
    """A run folder that does not exist, or that cannot be made."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The paths of one run."""

    path: Path

    @property
    def registration(self) -> Path:
        """The gate's text."""
        return self.path / "registration.toml"

    @property
    def connection(self) -> Path:
        """Where RCON listens, and the probe."""
        return self.path / "connection.toml"

    @property
    def rows(self) -> Path:
        """The readings."""
        return self.path / "rows.jsonl"

    @property
    def has_rows(self) -> bool:
        """Whether a row was ever written."""
        return self.rows.exists() and self.rows.stat().st_size > 0

    @property
    def journal(self) -> Path:
        """Everything else that happened."""
        return self.path / "journal.jsonl"

    @property
    def mailbox(self) -> Path:
        """Requests to the running collector."""
        return self.path / "mailbox"

    @property
    def lock(self) -> Path:
        """Held by whoever writes."""
        return self.path / "collector.lock"

    @property
    def collector_log(self) -> Path:
        """What a detached collector says."""
        return self.path / "collector.log"

    @property
    def file_mode(self) -> int:
        """The permissions of the run's files: its folder's, without the execute bits."""
        return self.path.stat().st_mode & 0o666

    def strange_file(self) -> str | None:
        """Return the name of a file of the run that is a link or no file at all, or None.

        A folder from elsewhere may hold a link to a secret, which an export would copy, a pipe,
        whose reader waits for ever, or a mailbox elsewhere, whose files would be deleted.
        """
        for name in (*_FILES, self.mailbox.name):
            try:
                mode = (self.path / name).lstat().st_mode
            except OSError:
                continue
            wanted = stat.S_ISDIR if name == self.mailbox.name else stat.S_ISREG
            if not wanted(mode):
                return name
        return None

    def require(self) -> "RunFolder":
        """Return the folder itself if it is one.

        Raises:
            RunFolderError: it does not exist, holds no run, or a file of it is no plain file.

        """
        if self.path.is_file():
            raise RunFolderError(_file_text(self.path))
        if not self.path.is_dir():
            raise RunFolderError(f"there is no run {self.path}; make one with: plateau-tui new RUN")
        strange = self.strange_file()
        if strange is not None:
            raise RunFolderError(
                f"{self.path / strange} is a link or no plain file: a run's files stand in its "
                "folder themselves; put a copy there"
            )
        if not (self.registration.exists() or self.journal.exists()):
            raise RunFolderError(_no_run_text(self.path))
        return self


def _file_text(path: Path) -> str:
    """Return what to do with a file that was named where a run, a folder, is wanted."""
    if path.name in _FILES:
        return f"{path} is a file of a run: give its folder, {path.parent}"
    if _ARCHIVE.search(path.name):
        return f"{path} is an archive: unpack it, then give the folder of the run in it"
    return f"{path} is a file, and a run is a folder; of rows alone: plateau-tui replay {path}"


def _no_run_text(path: Path) -> str:
    """Return what to say of a folder that is no run; one of runs is told as that."""
    runs = sorted(child.parent.name for child in path.glob("*/registration.toml"))
    if not runs:
        return f"{path} holds no registration.toml; is it a run folder?"
    more = f" ({len(runs)} runs)" if len(runs) > 1 else ""
    return f"{path} is a folder of runs: give one of them, such as {path / runs[0]}{more}"


def find_run(name: str, runs: Path) -> RunFolder:
    """Return the folder that RUN means: a path, or a name in the runs folder.

    A file of that name beside is what is meant where no run has it: it is told what it is.
    """
    path = Path(name)
    if path.is_dir() or os.sep in name or not _RUN_NAME.fullmatch(name):
        return RunFolder(path)
    if path.is_file() and not (runs / name).is_dir():
        return RunFolder(path)
    return RunFolder(runs / name)


def create_run(folder: RunFolder, texts: dict[str, str], mode: int) -> None:
    """Make a run folder with its first files.

    Args:
        folder: where; it must not exist.
        texts: file name -> text.
        mode: the folder's permissions; the files get them without the execute bits.

    Raises:
        RunFolderError: it exists already, or cannot be made.

    """
    try:
        folder.path.parent.mkdir(parents=True, exist_ok=True)
        folder.path.mkdir(mode=mode)
        try:
            _fill(folder, texts, mode)
        except BaseException:
            shutil.rmtree(folder.path, ignore_errors=True)  # so that it can be tried again
            raise
        fsync_folder(folder.path.parent)
    except FileExistsError:
        raise RunFolderError(f"{folder.path} exists already; choose another name") from None
    except OSError as error:
        raise RunFolderError(f"{folder.path} cannot be made: {error.strerror}") from None


def _fill(folder: RunFolder, texts: dict[str, str], mode: int) -> None:
    folder.path.chmod(mode)
    folder.mailbox.mkdir(mode=mode)
    folder.mailbox.chmod(mode)
    for name, text in texts.items():
        write_new(folder.path / name, text.encode("utf-8"), mode & 0o666)


def write_new(path: Path, data: bytes, mode: int) -> None:
    """Write a file whole or not at all: a hidden name first, then a rename."""
    hidden = path.with_name(f".{path.name}.{os.getpid()}")
    fd = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(fd, "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        hidden.replace(path)
    except OSError as error:
        hidden.unlink(missing_ok=True)
        error.filename = error.filename or str(path)
        raise
    fsync_folder(path.parent)
