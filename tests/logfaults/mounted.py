"""A writer without room, or without access; run as a script.

Arguments: a folder to work in, and what happens: "full" (as root of a mount namespace; prints
"unmountable" where the machine mounts no tmpfs) or "read-only". Prints what does not hold.
"""

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from metric.texts import parsed
from runlog.runs import begin, closed, finished_run, new_folder, write_cycle

from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.scan import read_rows
from plateau_tui.runlog.verify import verify_run
from plateau_tui.runlog.writer import RunWriter

CYCLES = 6
NOBODY = 65534


def mount(*arguments: str) -> bool:
    program = shutil.which("mount")
    if program is None:
        return False
    done = subprocess.run([program, *arguments], capture_output=True, check=False)
    return done.returncode == 0


def fill(path: Path) -> None:
    """Take all room that is left, to the last byte."""
    with path.open("wb", buffering=0) as file:
        for size in (4096, 64, 1):
            with contextlib.suppress(OSError):
                while file.write(b"x" * size):
                    pass


def wrong(folder: RunFolder) -> list[str]:
    seen = [(row.cycle, row.uni) for row in read_rows(folder.rows)]
    wanted = [(cycle, unit.name) for cycle in range(CYCLES) for unit in parsed().units]
    found = [] if seen == wanted else [f"{len(seen)} rows of {len(wanted)}"]
    return found + [str(problem) for problem in verify_run(folder).problems]


def full(room: Path) -> list[str]:
    """Fill a file system of 128 KiB up under the writer, then make room."""
    if not mount("-t", "tmpfs", "-o", "size=128k", "tmpfs", str(room)):
        return ["unmountable"]
    folder = new_folder(room / "run")
    writer = begin(folder)
    write_cycle(writer, parsed(), 0)
    before = folder.rows.read_bytes(), folder.journal.read_bytes()
    fill(room / "filler")
    found = more_cycles(writer, blocked=True)
    for path, old in zip((folder.rows, folder.journal), before, strict=True):
        data = path.read_bytes()
        if not data.startswith(old) or not data.endswith(b"\n"):
            found.append(f"{path.name} was written in part")
    (room / "filler").unlink()
    finish(writer)
    return found + wrong(folder)


def read_only(room: Path) -> list[str]:
    """Take the right to make files in the folder away, twice: once with the rows deleted."""
    if os.geteuid() == 0:
        wrong(finished_run(room / "warm"))  # loads what another account may not be able to
        os.chown(room, NOBODY, NOBODY)
        os.setuid(NOBODY)
    folder = new_folder(room / "run")
    writer = begin(folder)
    write_cycle(writer, parsed(), 0)
    folder.path.chmod(0o500)
    write_cycle(writer, parsed(), 1)  # what is open can be written all the same
    found = [] if writer.blocked is None else [f"blocked at once: {writer.blocked}"]
    folder.path.chmod(0o700)
    folder.rows.unlink()
    folder.path.chmod(0o500)
    found += more_cycles(writer, blocked=True, first=2)
    folder.path.chmod(0o700)
    finish(writer)
    return found + wrong(folder)


def more_cycles(writer: RunWriter, *, blocked: bool, first: int = 1) -> list[str]:
    for cycle in range(first, CYCLES):
        write_cycle(writer, parsed(), cycle)
    for _ in range(3):  # tried again and again
        writer.flush()
    return [] if (writer.blocked is not None) is blocked else [f"blocked is {writer.blocked}"]


def finish(writer: RunWriter) -> None:
    writer.require_written()
    writer.journal(closed(CYCLES))
    writer.require_written()
    writer.close()


def main() -> None:
    play = full if sys.argv[2] == "full" else read_only
    sys.stdout.write("".join(f"{text}\n" for text in play(Path(sys.argv[1]))))


if __name__ == "__main__":
    main()
