"""A copy of a run that is not intact, with what can be relied on, and nothing else in its log.

The copy is for reading and for going on with the rest of the evidence; it is never a run that
argues anything. What was taken out lies beside it, byte for byte. No row is made up, and no chain
is computed anew: where a line was taken out, ``verify`` of the copy names the break. The copy is
marked as one besides, so that also a run with nothing but a foreign line in it stays WITHHELD.
"""

import os
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from plateau_tui.runlog.durable import free_name, fsync_folder
from plateau_tui.runlog.findings import REPAIRED, Problem, VerifyResult
from plateau_tui.runlog.layout import RunFolder, RunFolderError
from plateau_tui.runlog.leftover import CUT
from plateau_tui.runlog.lines import whole_lines
from plateau_tui.runlog.locks import LockUnavailableError, holder_of
from plateau_tui.runlog.scan import Unreadable, scan_journal, unfinished
from plateau_tui.runlog.state import read_state
from plateau_tui.runlog.tomlfile import toml_bytes
from plateau_tui.runlog.trust import CONDITIONS, Stretch
from plateau_tui.runlog.verify import verify_run

_COPY_BYTES: Final = 1 << 20
README: Final = "REPAIRED.txt"
SEALED: Final = "registration.sealed.toml"
_LEFT_OUT: Final = frozenset({"collector.lock", "mailbox", "export"})
_BEHIND: Final = "bytes behind the last whole line: a torn tail"
_UNSURE: Final = "nothing vouches for these lines, or they were changed"
_UNREADABLE: Final = "no record of this log"


class SetAside(msgspec.Struct, frozen=True):
    """A part of a log that was taken out; lines from 1, ``byte`` and ``end`` in the original."""

    file: str
    moved_to: str
    byte: int
    end: int
    first: int | None
    last: int | None
    sha256: str
    why: str


@dataclass(frozen=True, slots=True)
class Repair:
    """What was done: what the original was found to be, what was kept, what was set aside."""

    found: VerifyResult
    set_aside: tuple[SetAside, ...]
    left_out: tuple[str, ...]
    held: bool


@dataclass(frozen=True, slots=True)
class _Part:
    """A range of a file's bytes that is taken out."""

    byte: int
    end: int
    first: int | None
    last: int | None
    why: str


def repair_copy(folder: RunFolder, target: Path) -> Repair:
    """Write a repaired copy of a run into a folder that is not there yet, or is empty.

    The original is read only; it may be held by a collector that goes on writing. The copy is
    made whole beside its place and then renamed. Of a run that is intact it is a plain copy.

    Raises:
        RunFolderError: the target is in use, or lies inside the run.
        OSError: something cannot be read or written; nothing of the copy is left.

    """
    _require_free(folder, target)
    target.parent.mkdir(parents=True, exist_ok=True)
    staged = target.with_name(f".{target.name}.{os.getpid()}")
    staged.mkdir(mode=0o700)
    try:
        repair = _fill(folder, RunFolder(staged))
        staged.chmod(stat.S_IMODE(folder.path.stat().st_mode) | stat.S_IRWXU)
        staged.replace(target)
        fsync_folder(target.parent)
    except BaseException:
        shutil.rmtree(staged, ignore_errors=True)
        raise
    return repair


def _require_free(folder: RunFolder, target: Path) -> None:
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise RunFolderError(f"{target} is no folder; choose another name for the copy")
    if target.is_dir() and any(target.iterdir()):
        raise RunFolderError(f"{target} is not empty; choose another folder for the copy")
    if target.resolve().is_relative_to(folder.path.resolve()):
        raise RunFolderError(f"{target} lies inside the run; a repair touches nothing there")


def _fill(source: RunFolder, copy: RunFolder) -> Repair:
    held = _held(source)
    left_out = tuple(_copy_files(source, copy))
    copy.mailbox.mkdir(mode=stat.S_IMODE(copy.path.stat().st_mode))
    found = verify_run(copy)
    if found.intact:
        return Repair(found, (), left_out, held)
    aside = [*_sort_rows(copy, found), *_sort_journal(copy)]
    _put_sealed_text(copy)
    repair = Repair(found, tuple(aside), left_out, held)
    _write(copy.path / REPAIRED, _record(repair))
    _write(copy.path / README, _readme(repair).encode("utf-8"))
    return repair


def _held(folder: RunFolder) -> bool:
    try:
        return holder_of(folder.lock) is not None
    except (LockUnavailableError, OSError):
        return False


def _copy_files(source: RunFolder, copy: RunFolder) -> Iterator[str]:
    """Copy the run's own files; yield the names of what is left out.

    The journal first: what a collector adds to the rows after that is only not counted yet.
    """
    names = sorted(path.name for path in source.path.iterdir())
    first = [name for name in (source.journal.name,) if name in names]
    for name in (*first, *(name for name in names if name not in first)):
        path = source.path / name
        if name in _LEFT_OUT or not stat.S_ISREG(path.lstat().st_mode):
            yield name
            continue
        shutil.copyfile(path, copy.path / name)
        (copy.path / name).chmod(stat.S_IMODE(path.stat().st_mode))


def _sort_rows(copy: RunFolder, found: VerifyResult) -> list[SetAside]:
    """Leave the rows that can be relied on in their file; set the others aside."""
    name = copy.rows.name
    sure = [part for part in found.trustworthy.get(name, ()) if part.file == name]
    taken = _take_out(copy.rows, list(_others(copy.rows, sure)))
    _put_before(copy.rows, [part for part in found.trustworthy.get(name, ()) if CUT in part.file])
    return taken


def _put_before(path: Path, parts: list[Stretch]) -> None:
    """Put stretches of a file that was cut before what stands in a log's own; it stays beside."""
    if not parts:
        return
    whole = path.with_name(f".{path.name}.whole")
    with whole.open("wb") as out:
        for part in parts:
            with path.with_name(part.file).open("rb") as source:
                source.seek(part.byte)
                _copy(source, out, part.end - part.byte)
        with path.open("rb") as source:
            shutil.copyfileobj(source, out)
        out.flush()
        os.fsync(out.fileno())
    whole.chmod(stat.S_IMODE(path.stat().st_mode))
    whole.replace(path)


def _others(path: Path, sure: list[Stretch]) -> Iterator[_Part]:
    """Yield what stands between the stretches, and what stands behind the last line."""
    lines, end = 0, 0
    for line in whole_lines(path):
        lines, end = line.number, line.end
    at, number = 0, 1
    for stretch in sure:
        if stretch.byte > at:
            yield _Part(at, stretch.byte, number, stretch.first - 1, _UNSURE)
        at, number = stretch.end, stretch.last + 1
    if end > at:
        yield _Part(at, end, number, lines, _UNSURE)
    yield from _tail(path)


def _tail(path: Path) -> Iterator[_Part]:
    rest = unfinished(path)
    if rest is not None:
        place, count = rest
        yield _Part(place.byte, place.byte + count, None, None, _BEHIND)


def _sort_journal(copy: RunFolder) -> list[SetAside]:
    """Set aside what is no line of the journal.

    Everything that can be read stays, believed or not: bad news must not be lost with a line
    that stands before it.
    """
    parts = [
        _Part(item.line.byte, item.line.end, item.line.number, item.line.number, _UNREADABLE)
        for item in scan_journal(copy.journal)
        if isinstance(item, Unreadable) and not item.line.file
    ]
    return _take_out(copy.journal, [*parts, *_tail(copy.journal)])


def _take_out(path: Path, parts: list[_Part]) -> list[SetAside]:
    """Move parts of a file to side files, in order; the rest stays byte for byte."""
    if not parts:
        return []
    mode = stat.S_IMODE(path.stat().st_mode)
    rest = path.with_name(f".{path.name}.kept")
    found, at = [], 0
    with path.open("rb") as source, rest.open("wb") as kept:
        for part in parts:
            _copy(source, kept, part.byte - at)
            at = part.end
            side = free_name(path, "torn" if part.why == _BEHIND else "broken")
            with side.open("wb") as moved:
                digest = _copy(source, moved, part.end - part.byte)
                os.fsync(moved.fileno())
            side.chmod(mode)
            place = (part.byte, part.end, part.first, part.last)
            found.append(SetAside(path.name, side.name, *place, digest, part.why))
        _copy(source, kept, path.stat().st_size - at)
        os.fsync(kept.fileno())
    rest.chmod(mode)
    rest.replace(path)
    return found


def _copy(source: BinaryIO, target: BinaryIO, count: int) -> str:
    """Copy so many bytes from where a file is, by pieces; return their SHA-256."""
    digest = sha256()
    while count > 0 and (piece := source.read(min(count, _COPY_BYTES))):
        target.write(piece)
        digest.update(piece)
        count -= len(piece)
    target.flush()
    return digest.hexdigest()


def _put_sealed_text(copy: RunFolder) -> None:
    """Put the sealed text beside a registration that is another; never in its place."""
    sealed = read_state(copy.journal)[0].sealed
    if sealed is None:
        return
    text = sealed.text.encode("utf-8")
    if not copy.registration.exists() or toml_bytes(copy.registration) != text:
        _write(copy.path / SEALED, text)


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


class _Done(msgspec.Struct, frozen=True):
    """The record of a repair, as it stands in the copy."""

    schema: str
    condition: str
    collector_at_work: bool
    problems: list[Problem]
    trustworthy: dict[str, tuple[Stretch, ...]]
    set_aside: tuple[SetAside, ...]
    left_out: tuple[str, ...]


def _record(repair: Repair) -> bytes:
    found = repair.found
    done = _Done(
        "plateau_repair/1",
        found.condition,
        repair.held,
        found.problems,
        found.trustworthy,
        repair.set_aside,
        repair.left_out,
    )
    return msgspec.json.format(msgspec.json.encode(done), indent=2) + b"\n"


def _readme(repair: Repair) -> str:
    found, first = repair.found, repair.found.first
    where = "" if first is None or first.line is None else f" line {first.line}, byte {first.byte}"
    lines = [
        "This is a repaired copy of a run that was not intact. It argues nothing: its verdict is",
        "WITHHELD, whatever its rows say. The original was not touched. No row was made up, and no",
        "chain was computed anew. All that was taken out lies beside, byte for byte.",
        "",
        f"What the original was: {CONDITIONS[found.condition]}.",
        *([] if first is None else [f"First: {first.file}{where}: {first.code}: {first.text}"]),
        "",
        "What can be relied on, by line and byte of the original:",
        *(f"  {part.words()}" for parts in found.trustworthy.values() for part in parts),
        "",
        "What was set aside:",
        *(_aside_words(part) for part in repair.set_aside),
        "",
        f"Not copied: {', '.join(repair.left_out) or 'nothing'}.",
        f"All of it, for a program: {REPAIRED}.",
    ]
    if repair.held:
        lines.insert(5, "A collector was at work: its last line may only not have been whole yet.")
    return "\n".join(lines) + "\n"


def _aside_words(part: SetAside) -> str:
    lines = "" if part.first is None else f" (lines {part.first}-{part.last})"
    return f"  {part.file} bytes {part.byte} to {part.end}{lines} -> {part.moved_to}: {part.why}"
