"""What an operator has seen of a run, kept in their state folder so that it outlasts a console.

A unit carries a mark from the moment something turned, or was lost, until its operator says that
it was seen. What was never acknowledged counts as never seen.
"""

import contextlib
import fcntl
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

import msgspec
import platformdirs

from plateau_tui.console.live.view import RunView, UnitView
from plateau_tui.runlog.layout import RunFolder

TURNED: Final = "*"
"""The mark of a unit of which a flag became true."""
LOST: Final = "!"
"""The mark of a unit that only lost something: a reading, its place in the players' list."""
_LOST_READING: Final = "a reading lost"
_AWAY: Final = "gone from the players' list"
_NEVER: Final = "never seen online"
_FLAGS: Final = {"primary": "PRIMARY", "secondary": "SECONDARY", "plateau_break": "both"}
_MAX_BYTES: Final = 1 << 20


class SeenError(OSError):
    """What was seen cannot be kept, or what was kept cannot be read."""


class UnitSeen(msgspec.Struct, frozen=True, kw_only=True):
    """One unit as it stood when its operator last said that it was seen."""

    flags: list[str] = []
    gaps: int = 0
    away: bool = False


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """One operator's file on one run; ``slot0_ms`` tells the run from another in its place.

    ``bell`` and ``sparks`` are None where the operator never chose.
    """

    slot0_ms: int | None = None
    units: dict[str, UnitSeen] = {}
    bell: bool | None = None
    sparks: bool | None = None
    """Whether sparklines stand in the place of the kinds of block."""
    problems: list[str] = []
    """The keys of the problems that were acknowledged as they stood."""


def unit_now(unit: UnitView) -> UnitSeen:
    """Return what there is to see of a unit."""
    flags = [name for name in _FLAGS if getattr(unit, name) is True]
    return UnitSeen(flags=flags, gaps=unit.gaps, away=unit.online is False)


def news_of(unit: UnitView, seen: UnitSeen) -> tuple[str, ...]:
    """Return in words what is new of a unit since it was seen: what turned, then what was lost."""
    now = unit_now(unit)
    words = [_FLAGS[name] for name in now.flags if name not in seen.flags]
    if now.gaps > seen.gaps:
        words.append(_LOST_READING)
    if now.away and not seen.away:
        words.append(_AWAY if unit.seen else _NEVER)
    return tuple(words)


def mark_of(news: tuple[str, ...]) -> str:
    """Return one character that needs no colour: what the unit's line carries."""
    if not news:
        return " "
    return TURNED if any(word in _FLAGS.values() for word in news) else LOST


def marked_first(marks: Mapping[str, str], names: Iterable[str]) -> list[str]:
    """Return which of some units to look at: those that turned; where none did, what was lost."""
    known = list(names)
    turned = [name for name in known if marks.get(name) == TURNED]
    return turned or [name for name in known if marks.get(name) == LOST]


def turned_words(found: Mapping[str, tuple[str, ...]], names: Iterable[str], most: int = 1) -> str:
    """Return which of some units turned, and how: at most so many names, then how many more."""
    flags = {name: [w for w in found.get(name, ()) if w in _FLAGS.values()] for name in names}
    told = [
        f"{name} {'both' if 'both' in words else ' and '.join(words)}"
        for name, words in flags.items()
        if words
    ]
    more = [f"+{len(told) - most}"] if len(told) > most else []
    return ", ".join([*told[:most], *more])


@dataclass
class News:
    """What is new of each unit of one run; ``take`` is told every view while the console is open.

    What was lost and came back between two looks of the operator stays new until it is seen.
    """

    kept: Kept = field(default_factory=Kept)
    found: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def take(self, view: RunView) -> None:
        """Take in how the run stands now."""
        seen = self._seen(view)
        for unit in view.units:
            words = news_of(unit, seen.get(unit.name, UnitSeen()))
            # A count of gaps tells what was lost, also what came back meanwhile.
            before = (w for w in self.found.get(unit.name, ()) if w != _LOST_READING)
            self.found[unit.name] = tuple(dict.fromkeys((*before, *words)))

    def reset(self, kept: Kept, view: RunView | None) -> None:
        """Begin anew from what is kept: it was acknowledged here, or in another console."""
        self.kept, self.found = kept, {}
        if view is not None:
            self.take(view)

    def of(self, name: str) -> tuple[str, ...]:
        """Return what is new of one unit, in words."""
        return self.found.get(name, ())

    @property
    def marks(self) -> Mapping[str, str]:
        """Return unit -> its mark."""
        return {name: mark_of(news) for name, news in self.found.items()}

    def problems_seen(self, view: RunView) -> frozenset[str]:
        """Return the keys of the problems that were acknowledged."""
        return frozenset(self.kept.problems if self._is_same(view) else ())

    def _seen(self, view: RunView) -> Mapping[str, UnitSeen]:
        return self.kept.units if self._is_same(view) else {}

    def _is_same(self, view: RunView) -> bool:
        return self.kept.slot0_ms in {None, view.slot0_ms}


def acknowledged(kept: Kept, view: RunView, problems: Iterable[str] = ()) -> Kept:
    """Return what is kept once the units of ``view``, and problems of these keys, were seen."""
    units = {unit.name: unit_now(unit) for unit in view.units}
    return msgspec.structs.replace(
        kept, slot0_ms=view.slot0_ms, units=units, problems=sorted(problems)
    )


def with_bell(kept: Kept, *, bell: bool) -> Kept:
    """Return what is kept once the bell was chosen."""
    return msgspec.structs.replace(kept, bell=bell)


def with_sparks(kept: Kept, *, sparks: bool) -> Kept:
    """Return what is kept once sparklines were chosen, or left."""
    return msgspec.structs.replace(kept, sparks=sparks)


class SeenStore(Protocol):
    """Where it is kept what an operator has seen of a run."""

    def has_changed(self) -> bool:
        """Say whether somebody else has changed it."""

    def load(self) -> Kept:
        """Return what is kept."""

    def change(self, how: Callable[[Kept], Kept]) -> Kept:
        """Change what is kept, and return it."""


class SeenHere:
    """What is seen in a read-only console: it begins with the file's, and stays in memory.

    Whoever only looks changes neither the marks nor the bell of a console that may do more.
    """

    def __init__(self, file: SeenStore) -> None:
        self._file = file
        self._kept: Kept | None = None

    def has_changed(self) -> bool:
        """Say no: nobody else can change it."""
        return False

    def load(self) -> Kept:
        """Return what is kept here, to begin with the file's.

        Raises:
            SeenError: the file is damaged, or cannot be read.

        """
        if self._kept is None:
            self._kept = Kept()
            self._kept = self._file.load()
        return self._kept

    def change(self, how: Callable[[Kept], Kept]) -> Kept:
        """Change what is kept here, and return it."""
        self._kept = how(self._kept or Kept())
        return self._kept


class SeenFile:
    """One operator's file on one run. It is replaced whole, so that no reader meets half of it."""

    def __init__(self, folder: RunFolder, operator: str) -> None:
        whose = f"{operator}\0{folder.path.resolve()}".encode("utf-8", "surrogateescape")
        name = hashlib.sha256(whose).hexdigest()[:32]
        self.path = platformdirs.user_state_path("plateau-tui") / "seen" / f"{name}.json"
        self._stamp: tuple[int, int, int] | None = None

    def has_changed(self) -> bool:
        """Say whether it is another one than was last read or written: another console did it."""
        return self._look() != self._stamp

    def load(self) -> Kept:
        """Return what is kept; nothing was seen where there is no file.

        Raises:
            SeenError: it is damaged, or cannot be read.

        """
        self._stamp = self._look()
        try:
            with self.path.open("rb") as file:
                return msgspec.json.decode(file.read(_MAX_BYTES), type=Kept)
        except (FileNotFoundError, NotADirectoryError):
            return Kept()
        except OSError as error:
            why = f"cannot be read ({error.strerror})"
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            why = "is damaged"
        raise SeenError(f"what you had seen {why}, and is kept anew: {self.path}")

    def change(self, how: Callable[[Kept], Kept]) -> Kept:
        """Change what is kept now, whoever wrote it last, and return it.

        Raises:
            SeenError: it cannot be written.

        """
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._alone():
                try:
                    before = self.load()
                except SeenError:
                    before = Kept()
                kept = how(before)
                self._replace(msgspec.json.encode(kept))
                self._stamp = self._look()
            return kept
        except OSError as error:
            reason = error.strerror or str(error)
            told = f"what you have seen cannot be kept ({reason}), and holds until you leave"
            raise SeenError(f"{told}: {self.path}") from None

    def _look(self) -> tuple[int, int, int] | None:
        try:
            stat = self.path.stat()
        except OSError:
            return None
        return stat.st_ino, stat.st_size, stat.st_mtime_ns

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Let no other console change the file meanwhile, where its file system has locks."""
        fd = os.open(self.path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            with contextlib.suppress(OSError):
                fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)

    def _replace(self, data: bytes) -> None:
        fd, name = tempfile.mkstemp(prefix=".", suffix=".new", dir=self.path.parent)
        try:
            with os.fdopen(fd, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self.path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
