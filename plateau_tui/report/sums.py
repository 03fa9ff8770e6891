"""``SHA256SUMS``: what ``sha256sum -c`` reads, written and checked."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from plateau_tui.metric.plain import counted, digits_apart, is_are
from plateau_tui.report.names import SUMS

_LINE: Final = re.compile(r"([0-9a-f]{64})  (\S.*)")
_PIECE: Final = 1 << 20
_MAX_SUMS: Final = 1 << 20


def sha256_of(path: Path) -> str:
    """Return the hex SHA-256 of a file, read in pieces.

    Raises:
        OSError: it cannot be read.

    """
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


def files_below(folder: Path) -> list[str]:
    """Return every file below a folder but ``SHA256SUMS``, by its path with slashes, sorted.

    A link is a file here, whatever it points to.
    """
    found = (
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_symlink() or not path.is_dir()
    )
    return sorted(name for name in found if name != SUMS)


def sums_text(folder: Path) -> str:
    """Return the lines of ``SHA256SUMS`` for all files below a folder.

    Raises:
        OSError: a file cannot be read.

    """
    return "".join(f"{sha256_of(folder / name)}  {name}\n" for name in files_below(folder))


SumProblem = tuple[str, str, str]
"""A code, the file, and a sentence."""


def check_sums(folder: Path, required: tuple[str, ...]) -> Iterator[SumProblem]:
    """Yield what does not agree with ``SHA256SUMS``.

    Args:
        folder: the export.
        required: names that must be listed.

    """
    try:
        with (folder / SUMS).open("rb") as file:
            text = file.read(_MAX_SUMS).decode("utf-8")
    except FileNotFoundError:
        yield "file_missing", SUMS, "the checksums are missing"
        return
    except (OSError, UnicodeDecodeError):
        yield "unreadable_line", SUMS, "the checksums cannot be read as text"
        return
    listed: dict[str, str] = {}
    yield from _take_lines(text, listed)
    there = set(files_below(folder))
    yield from _check_listed(folder, listed, there)
    for name in sorted(there - set(listed)) if text else ():
        yield "file_unlisted", name, "is not among the checksums"
    for name in sorted({*required} - set(listed) - there):
        yield "file_missing", name, "belongs to an export and is missing"


def _take_lines(text: str, listed: dict[str, str]) -> Iterator[SumProblem]:
    """Fill ``listed``, name -> SHA-256; yield the lines that cannot be taken."""
    if not text:
        yield "unreadable_line", SUMS, "is empty: it lists no file"
    for number, line in enumerate(text.splitlines(), start=1):
        match = _LINE.fullmatch(line)
        if match is None or not _is_inside(match[2]):
            yield "unreadable_line", SUMS, f"line {number} is no checksum of a file here"
        elif match[2] in listed:
            yield "file_doubled", SUMS, f"line {number} names {match[2]} again"
        else:
            listed[match[2]] = match[1]


def _check_listed(folder: Path, listed: dict[str, str], there: set[str]) -> Iterator[SumProblem]:
    gone = {name: top for name in listed if (top := _missing_folder(folder, name))}
    for top in sorted(set(gone.values())):
        count = sum(found == top for found in gone.values())
        listed_there = f"{counted(count, 'file')} that {is_are(count)} listed"
        yield "file_missing", top, f"the folder is missing, with {listed_there}"
    for name in sorted(set(listed) - set(gone)):
        yield from _check_file(folder, name, listed[name], there=name in there)


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and path.as_posix() == name


def _missing_folder(folder: Path, name: str) -> str:
    """Return the folder that a file should be in where there is none; else nothing."""
    top, slash, _ = name.partition("/")
    return top if slash and not (folder / top).exists() else ""


def _check_file(folder: Path, name: str, wanted: str, *, there: bool) -> Iterator[SumProblem]:
    path = folder / name
    if not there:
        yield "file_missing", name, "is listed among the checksums and missing"
    elif path.is_symlink():
        yield "checksum_differs", name, "is a link, and no file of this export"
    else:
        try:
            found = sha256_of(path)
        except OSError as error:
            yield "checksum_differs", name, f"cannot be read: {error.strerror}"
            return
        if found != wanted:
            has, listed = digits_apart(found, wanted)
            yield "checksum_differs", name, f"has the SHA-256 {has}, listed is {listed}"
