"""A writer that is killed between any two of its system calls; run as a script.

Arguments: a folder to work in, what happened to the logs before, and where the kill falls
("before", "half" or "after" the call). For n = 1, 2, …, on a run folder each: a child goes on with
the run, whose logs something happened to, and sends itself SIGKILL at its n-th call that changes
a file or folder. It says which cycles it was told are written. Then an heir recovers the run and
writes one more cycle. Prints how many were killed, then each thing that does not hold.
"""

import contextlib
import functools
import os
import signal
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from logfaults import matrix
from metric.texts import parsed
from runlog.runs import SLOT0, begin, new_folder, write_cycle

from plateau_tui.collector.recovery import recover
from plateau_tui.collector.run import OpenRun
from plateau_tui.collector.window import WindowLog
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.rows import Row
from plateau_tui.runlog.scan import read_rows
from plateau_tui.runlog.verify import verify_run
from plateau_tui.runlog.writer import RunWriter

CALLS = ("write", "fsync", "ftruncate", "rename", "replace", "link", "unlink", "open", "fchmod")
BEFORE: dict[str, tuple[matrix.Act | None, matrix.Act | None]] = {
    "nothing": (None, None),
    "rows deleted": (matrix.deleted, None),
    "journal deleted": (None, matrix.deleted),
    "both rotated": (matrix.rotated, matrix.rotated),
    "both torn": (matrix.FILES[10].happens, matrix.FILES[11].happens),
    "rows swapped": (matrix.swapped_for_another, None),
    "journal swapped": (None, matrix.swapped_for_a_copy),
}
"""What happens to rows and journal: a fault after which nothing may be lost."""
LOSSY = frozenset({"rows deleted", "journal deleted", "rows swapped"})
LAST = 3


def now() -> int:
    return SLOT0


def kill_at(number: int, where: str) -> None:
    """Let this process kill itself at its n-th call that changes something on the disk."""
    left = [number]

    def die() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def counted(name: str, call: Callable[..., object]) -> Callable[..., object]:
        def wrapper(*arguments: object, **options: object) -> object:
            if name == "open" and not int(str(arguments[1])) & os.O_CREAT:
                return call(*arguments, **options)  # reading
            left[0] -= 1
            if left[0]:
                return call(*arguments, **options)
            if where == "before":
                die()
            if where == "half" and name == "write":
                data = bytes(memoryview(arguments[1]))  # type: ignore[arg-type] # its bytes
                call(arguments[0], data[: len(data) // 2])
            else:
                with contextlib.suppress(OSError):
                    call(*arguments, **options)
            die()
            return None

        return wrapper

    for name in CALLS:
        setattr(os, name, counted(name, getattr(os, name)))


def in_child(work: Callable[[Callable[[int], None]], None]) -> tuple[int, list[int]]:
    """Run work in a child; return how it ended, and the numbers that it said."""
    reader, writer = os.pipe()
    say_write = os.write
    pid = os.fork()
    if not pid:
        status = 1
        try:
            os.close(reader)
            work(lambda cycle: (say_write(writer, bytes([cycle])), None)[1])
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    said = b""
    while data := os.read(reader, 64):
        said += data
    os.close(reader)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), list(said)


def heir_of(folder: RunFolder) -> Callable[[Callable[[int], None]], None]:
    return lambda say: go_on(folder, LAST + 1, say)


def go_on(folder: RunFolder, until: int, say: Callable[[int], None]) -> None:
    """Go on with a run as a collector does, cycle by cycle."""
    writer = RunWriter(folder, now)
    run = OpenRun(folder, writer, parsed())
    window = WindowLog(run, recover(run))
    while window.next_cycle < until:
        cycle = window.next_cycle
        write_cycle(writer, parsed(), cycle)
        if writer.blocked is None:
            say(cycle)
    writer.require_written()
    writer.close()


def in_the_middle(
    folder: RunFolder,
    happened: tuple[matrix.Act | None, matrix.Act | None],
    kill: Callable[[], None],
) -> Callable[[Callable[[int], None]], None]:
    """Return the doomed child's work: a cycle, then the fault, then two cycles under the knife."""

    def work(say: Callable[[int], None]) -> None:
        writer = begin(folder)
        write_cycle(writer, parsed(), 0)
        say(0)
        for act, path in zip(happened, (folder.rows, folder.journal), strict=True):
            if act is not None:
                act(path)
        kill()
        for cycle in (1, 2):
            write_cycle(writer, parsed(), cycle)
            if writer.blocked is None:
                say(cycle)
        writer.close()

    return work


def at_the_start(folder: RunFolder, kill: Callable[[], None]) -> Callable[..., None]:
    """Return the doomed child's work where a collector starts on a run that has two cycles."""

    def work(say: Callable[[int], None]) -> None:
        kill()
        go_on(folder, LAST, say)

    return work


def gone_for_good(folder: RunFolder, before: str) -> bool:
    """Say whether the only copy of a log went with the process that held it open.

    Whoever deletes a file and kills its writer before that has looked leaves nothing to keep.
    """
    name = before.partition(" ")[0]
    if before not in LOSSY:
        return False
    kept = [path.read_bytes() for path in folder.path.glob(f"{name}.kept-*")]
    last = b'"uni":"UNI-11-3"' if name == "rows" else b'"event":"heartbeat"'
    return not any(data.endswith(b"\n") and last in data.splitlines()[-1] for data in kept)


def wrong(folder: RunFolder, acknowledged: Iterable[int], cycles: int) -> list[str]:
    rows: list[Row] = list(read_rows(folder.rows))
    seen = [(row.cycle, row.uni) for row in rows]
    wanted = [(cycle, unit.name) for cycle in range(cycles) for unit in parsed().units]
    found = [] if seen == wanted else [f"rows are {seen[:1]} … {seen[-1:]}, {len(seen)} of them"]
    lost = [row for row in rows if row.cycle in acknowledged and not row.rcon_ok]
    if lost:
        found.append(f"{len(lost)} acknowledged rows became gaps")
    return found + [str(problem) for problem in verify_run(folder).problems]


def main() -> None:
    here, before, where = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    killed = 0
    problems: list[str] = []
    for number in range(1, 200):
        folder = new_folder(here / str(number))
        knife = functools.partial(kill_at, number, where)
        if before.startswith("start: "):
            started(folder, before.removeprefix("start: "))
            doomed = at_the_start(folder, knife)
        else:
            doomed = in_the_middle(folder, BEFORE[before], knife)
        status, said = in_child(doomed)
        if status not in {0, -signal.SIGKILL}:
            problems.append(f"call {number}: the child ended with {status}")
        after, anew = in_child(heir_of(folder))
        if gone_for_good(folder, before) and status:
            if verify_run(folder).condition != "missing":
                problems.append(f"call {number}: what is gone is not named")
            killed += 1
            continue
        if after:
            problems.append(f"call {number}: the heir ended with {after}")
        problems += [f"call {number}: {text}" for text in wrong(folder, said, LAST + 1)]
        if set(said) & set(anew):
            problems.append(f"call {number}: acknowledged cycles were lost and written anew")
        if status == 0:
            break
        killed += 1
    sys.stdout.write("\n".join([str(killed), *problems]) + "\n")


def started(folder: RunFolder, before: str) -> None:
    """Write two cycles, then let something happen to the logs while nothing runs."""
    writer = begin(folder)
    for cycle in range(2):
        write_cycle(writer, parsed(), cycle)
    writer.close()
    for act, path in zip(BEFORE[before], (folder.rows, folder.journal), strict=True):
        if act is not None:
            act(path)


if __name__ == "__main__":
    main()
