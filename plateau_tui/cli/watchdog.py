"""``plateau-tui watchdog``: is a run's collector alive? For cron and systemd.

Reads the end of the journal only, and loads nothing of the metric, the server or the screen.
"""

import math
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click
import msgspec

from plateau_tui.cli.streams import complain, written
from plateau_tui.plainfile import plain_bytes
from plateau_tui.runlog.layout import RunFolder, RunFolderError, find_run
from plateau_tui.runlog.lines import MAX_LINE_BYTES
from plateau_tui.runlog.locks import LockUnavailableError, holder_of
from plateau_tui.runlog.times import parse_ms

_RUNS_VARIABLE: Final = "PLATEAU_TUI_RUNS"
_PIECE: Final = 1 << 16
_CLOCK_MS: Final = 2000
"""A heartbeat that is ahead by more than this was written under another clock."""

_LATE: Final = 2
"""After so many intervals a heartbeat is overdue: the cycle before it may have taken its time."""

_BEGINNING: Final = 1 << 20
_SEALED_INTERVAL: Final = re.compile(
    rb'"event":"sealed".*?\\ninterval_s *= *([0-9]{1,7}(?:\.[0-9]{1,3})?)[ \\#]'
)

_NO_HEARTBEAT_DUE: Final = ("window_closed", "adjudicated")
_STAGES: Final = {"registered": "registered", "sealed": "sealed"}


class _Said(msgspec.Struct, frozen=True):
    """What of an event tells how a run is; the rest of its line is not looked at."""

    ts: str
    event: str
    cycle: int | None = None
    final: bool = True


_DECODER: Final = msgspec.json.Decoder(_Said)


@dataclass(frozen=True, slots=True)
class Watched:
    """How a run's heart beats. ``age_s`` is None where there is no heartbeat to be had."""

    ok: bool
    state: str
    age_s: float | None
    max_age_s: float
    cycle: int | None
    running: bool
    pid: int | None
    text: str


@dataclass(frozen=True, slots=True)
class _Last:
    """What the journal says last: a stage, and the heartbeat where there is one."""

    state: str
    ts: str | None = None
    cycle: int | None = None
    begun_ts: str | None = None
    """Before the window: when a collector was first started to open it."""


class _Age(click.ParamType[float]):
    """Seconds, more than none."""

    name = "S"

    def convert(
        self, value: str | float, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the seconds."""
        try:
            seconds = float(value)
        except ValueError:
            seconds = math.nan
        if not 0 < seconds < math.inf:
            self.fail(f"{value!r} is no number of seconds above 0", param, ctx)
        return seconds


@click.command()
@click.argument("run")
@click.option("--runs", metavar="DIR", help="The folder of runs (or PLATEAU_TUI_RUNS).")
@click.option("--max-age", type=_Age(), required=True, help="Seconds a heartbeat may be old.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def watchdog(run: str, runs: str | None, max_age: float, as_json: bool) -> None:
    """Exit 1 when the last heartbeat is stale; for cron and systemd.

    1 also when a collector was first started longer ago than that and the window is not open yet;
    0 before any was, and after the close. What is well is said on stdout, what is not on stderr, so
    that cron writes a mail for the latter alone:
    plateau-tui watchdog RUN --max-age 1500 >/dev/null

    Example: plateau-tui watchdog p1-curiosity --max-age 1500
    """
    folder = find_run(run, _runs(runs)).require()
    found = look(folder, max_age, time.time_ns() // 1_000_000)
    if as_json:
        _print(msgspec.json.encode(record(found)).decode("utf-8"))
    elif found.ok:
        _print(found.text)
    else:
        complain(f"plateau-tui: {found.text}")
    if not found.ok:
        raise click.exceptions.Exit(1)


def _print(text: str) -> None:
    with written():
        click.echo(text)


def _runs(given: str | None) -> Path:
    where = given or os.environ.get(_RUNS_VARIABLE)
    if where:
        return Path(where)
    import platformdirs  # noqa: PLC0415 - asked only where nothing else says it

    return platformdirs.user_data_path("plateau-tui") / "runs"


def record(found: Watched) -> dict[str, object]:
    """Return the answer for a program."""
    return {
        "ok": found.ok,
        "state": found.state,
        "heartbeat_age_s": found.age_s,
        "max_age_s": found.max_age_s,
        "cycle": found.cycle,
        "collector": {"running": found.running, "pid": found.pid},
        "text": found.text,
    }


def look(folder: RunFolder, max_age_s: float, now_ms: int) -> Watched:
    """Return how a run's heart beats at ``now_ms``, milliseconds since 1970.

    Raises:
        RunFolderError: the journal cannot be read.

    """
    try:
        last = _last(folder.journal)
    except OSError as error:
        raise RunFolderError(f"{folder.journal} cannot be read: {error.strerror}") from None
    running, pid, holder = _holder(folder)
    ok, state, age, text = _judged(folder.path.name, last, holder, max_age_s, now_ms)
    if not ok and age is not None and age > 0:
        every_s = _interval_s(folder.journal) if running else None
        text += f"; {_advice(folder.path.name, age, every_s, running=running)}"
    cycle = None if last is None else last.cycle
    return Watched(ok, state, age, max_age_s, cycle, running, pid, text)


def _judged(
    name: str, last: _Last | None, holder: str, max_age_s: float, now_ms: int
) -> tuple[bool, str, float | None, str]:
    """Return whether all is well, the run's state, the heartbeat's age in s, and the words."""
    if last is None:
        text = f"{name}: there is no journal to tell from; look with: plateau-tui verify {name}"
        return False, "unknown", None, text
    if last.ts is None:
        if last.begun_ts is not None:
            waited_s = (now_ms - parse_ms(last.begun_ts)) / 1000
            if waited_s > max_age_s:
                return False, last.state, None, _unopened(name, last.state, waited_s, holder)
        closed = last.state in {"closed", "adjudicated"}
        why = "the window is closed" if closed else "the window is not open yet"
        return True, last.state, None, f"{name}: {last.state}; {why}, no heartbeat is due"
    age_ms = now_ms - parse_ms(last.ts)
    beat = f"{name}: the last heartbeat, of cycle {last.cycle},"
    if age_ms < -_CLOCK_MS:
        text = (
            f"{beat} lies {-age_ms // 1000} s in the future: the clock was set back, so its age "
            f"is not known; {holder}; set the clock, or wait for the next heartbeat"
        )
        return False, "open", age_ms / 1000, text
    age = max(age_ms, 0) / 1000
    if age > max_age_s:
        return False, "open", age, f"{beat} is {age:.0f} s old, more than {max_age_s:g} s; {holder}"
    return True, "open", age, f"{beat} is {age:.0f} s old; {holder}"


def _unopened(name: str, state: str, waited_s: float, holder: str) -> str:
    return (
        f"{name}: {state}; a collector was first started {waited_s:.0f} s ago, and the window is "
        f"not open yet: it opens once a counter is read in each arm; {holder}; see why not: "
        f"plateau-tui check {name}"
    )


def _advice(name: str, age_s: float, every_s: float | None, *, running: bool) -> str:
    if running and every_s is not None and age_s <= _LATE * every_s:
        return f"one comes every {every_s:g} s: give --max-age more than {_LATE * every_s:g}"
    if running:
        return (
            "it writes nothing: make room on its disk (collector.log says what is wrong) and do "
            "NOT restart it: it holds in memory what it has read, and writes that by itself"
        )
    return f"start one: plateau-tui collect {name} --detach"


def _holder(folder: RunFolder) -> tuple[bool, int | None, str]:
    """Return whether a process holds the run, which, and that in words."""
    try:
        holder = holder_of(folder.lock)
    except (LockUnavailableError, OSError):
        return False, None, "whether a collector holds the run cannot be seen"
    if holder is None:
        return False, None, "no collector holds the run"
    who = "a process" if holder.pid is None else f"process {holder.pid}"
    return True, holder.pid, f"{who} holds the run"


def _last(journal: Path) -> _Last | None:
    """Return what the journal says last of the run; None where it says nothing."""
    stage, sealed, anything, begun = "", False, False, None
    for line in _backwards(journal):
        try:
            said = _DECODER.decode(line)
            parse_ms(said.ts)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError):
            continue  # what cannot be read is verify's to tell
        anything = True
        if said.event in _NO_HEARTBEAT_DUE:
            return _Last("adjudicated" if said.event == "adjudicated" and said.final else "closed")
        if said.event in {"heartbeat", "window_opened"}:
            return _Last("open", said.ts, said.cycle or 0)
        if said.event == "collector_started" and not sealed:
            begun = said.ts
        sealed = sealed or said.event == "sealed"
        stage = stage or _STAGES.get(said.event, "")
    if not anything:
        return None
    return _Last((stage if sealed else "") or "draft", begun_ts=begun if sealed else None)


def _interval_s(journal: Path) -> float | None:
    """Return how far apart heartbeats are, in s, by the sealed text near the journal's beginning.

    None where it does not stand there; only words depend on it.
    """
    try:
        found = _SEALED_INTERVAL.search(plain_bytes(journal, _BEGINNING))
    except OSError:
        return None
    return None if found is None else float(found[1])


def _backwards(path: Path) -> Iterator[bytes]:
    """Yield the whole lines of a file from its end; what is being written there is left alone.

    A line that is longer than any of a log is left out, and no more of it than that is held.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        yield from _from_its_end(fd)
    finally:
        os.close(fd)


def _from_its_end(fd: int) -> Iterator[bytes]:
    end = os.fstat(fd).st_size
    behind: list[bytes] = []  # the pieces of the line that we are in, its last one first
    length, is_whole = 0, False
    while end > 0:
        start = max(0, end - _PIECE)
        head, *others = os.pread(fd, end - start, start).split(b"\n")
        end = start
        if others:
            if is_whole and length <= MAX_LINE_BYTES:
                yield b"".join([others[-1], *reversed(behind)])
            yield from reversed(others[:-1])
            behind, length, is_whole = [], 0, True
        length += len(head)
        if length <= MAX_LINE_BYTES:
            behind.append(head)
        else:
            behind.clear()
    if is_whole and length <= MAX_LINE_BYTES:
        yield b"".join(reversed(behind))
