"""A collector that dies between any two of its system calls; run as a script.

Arguments: run folder, port, password, how it dies ("before", "half", "all but one", "after" a
call), and a limit. For n = 1, 2, …, on a copy of the folder each: a child runs one cycle and dies
at its n-th call of ``os.write``, ``os.fsync``, ``os.ftruncate`` or ``os.rename``; then an
undisturbed child goes on. Ends when a child lives to its end. Prints how many died, then each
problem that a verification found.
"""

import contextlib
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from plateau_tui.collector.halt import Halt
from plateau_tui.collector.loop import Collector
from plateau_tui.collector.run import Password, ServerAccess, ServerUnavailableError, open_run
from plateau_tui.collector.slots import SystemClock
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.verify import verify_run
from plateau_tui.server.transport import Endpoint

DEAD = 9


class SameMoment(SystemClock):
    """A wall clock that stands at one moment whenever it is made, and goes on from there.

    So each pair of children lives through the same time, however slow the machine is.
    """

    MOMENT_MS = SystemClock().wall_ms()

    def __init__(self) -> None:
        super().__init__()
        self._began = self.elapsed_ms()

    def wall_ms(self) -> int:
        return self.MOMENT_MS + self.elapsed_ms() - self._began


def collect_once(folder: RunFolder, port: int, password: str, clock: SameMoment) -> None:
    access = ServerAccess(Endpoint("127.0.0.1", port), Password(password))
    with open_run(folder) as run:
        collector = Collector(run, access, None, Halt(), clock, lambda _: None)
        with contextlib.suppress(ServerUnavailableError):  # the slot was nearly over
            collector.collect(once=True, started=lambda: None)


def die_at(number: int, how: str) -> None:
    """Let this process die at its n-th system call that changes a file."""
    left = [number]

    def counted(call: Callable[..., object]) -> Callable[..., object]:
        def wrapper(*arguments: object) -> object:
            left[0] -= 1
            if left[0]:
                return call(*arguments)
            if call is write and how in {"half", "all but one"}:
                fd, data = arguments
                assert isinstance(fd, int)
                assert isinstance(data, bytes)
                write(fd, data[: len(data) // 2 if how == "half" else -1])
            elif how == "after":
                call(*arguments)
            os._exit(DEAD)

        return wrapper

    write = os.write
    for name in ("write", "fsync", "ftruncate", "rename"):
        setattr(os, name, counted(getattr(os, name)))


def in_child(work: Callable[[], None]) -> int:
    pid = os.fork()
    if not pid:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def main() -> None:
    original, port, password = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    how, limit = sys.argv[4], int(sys.argv[5])
    died = 0
    problems: list[str] = []
    for number in range(1, limit):
        folder = RunFolder(Path(shutil.copytree(original, f"{original}-{number}")))

        clock = SameMoment()

        def doomed(
            number: int = number, folder: RunFolder = folder, clock: SameMoment = clock
        ) -> None:
            die_at(number, how)
            collect_once(folder, port, password, clock)

        def heir(folder: RunFolder = folder, clock: SameMoment = clock) -> None:
            collect_once(folder, port, password, clock)

        status = in_child(doomed)
        if status not in {0, DEAD}:
            problems.append(f"call {number}: the child ended with {status}")
        after = in_child(heir)
        if after:
            problems.append(f"call {number}: the next collector ended with {after}")
        problems += [f"call {number}: {each}" for each in verify_run(folder).problems]
        if status == 0:
            break
        died += 1
    sys.stdout.write("\n".join([str(died), *problems]) + "\n")


if __name__ == "__main__":
    main()
