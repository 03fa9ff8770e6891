"""Every fault of files, processes and clocks: what it injects, what is promised, what holds it.

One table; the page on reliability is written from ``name``, ``injects`` and ``promise``.
``FILES`` are played by ``test_files`` against each log; ``ELSEWHERE`` names the test that plays
the fault, and a test sees to it that it is there.
"""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

Act = Callable[[Path], None]


@dataclass(frozen=True, slots=True)
class FileFault:
    """A fault of one log between two cycles.

    ``nothing_lost``: every line that was written is still read, and ``verify`` finds the log
    intact; otherwise it says that a part is missing or was changed. ``told``: the journal's event.
    """

    name: str
    injects: str
    promise: str
    happens: Act
    nothing_lost: bool
    told: str


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that a test elsewhere plays: ``held_by`` is its file below tests/, and its name."""

    name: str
    injects: str
    promise: str
    held_by: str


# -- what happens ---------------------------------------------------------------------------------


def deleted(path: Path) -> None:
    path.unlink()


def rotated(path: Path) -> None:
    path.rename(path.with_name(f"{path.name}.1"))


def moved_elsewhere(path: Path) -> None:
    elsewhere = path.parent.parent / "archive"
    elsewhere.mkdir(exist_ok=True)
    shutil.move(path, elsewhere / path.name)


def truncated(path: Path) -> None:
    os.truncate(path, 0)


def shortened(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 10)


def swapped_for_a_copy(path: Path) -> None:
    copy = path.with_name("copy")
    shutil.copyfile(path, copy)
    copy.replace(path)


def swapped_for_another(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(b'{"foreign":true}\n' * 400)
    other.replace(path)


def overwritten(path: Path, grow: int = 0) -> None:
    """Put other bytes into the same file, as many or more."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.write((b"x" * 99 + b"\n") * (size // 100) + b"y" * (size % 100) + b"z\n" * grow)
    assert path.stat().st_size >= size


def edited_in_place(path: Path) -> None:
    """Change one byte of the third line; the end stays."""
    at = sum(len(line) for line in path.read_bytes().splitlines(keepends=True)[:2]) + 30
    with path.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)
        file.seek(at)
        file.write(b"#" if byte != b"#" else b"+")


def appended(data: bytes) -> Act:
    def act(path: Path) -> None:
        with path.open("ab") as file:
            file.write(data)

    return act


def newline_cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 1)


def made_a_link(path: Path) -> None:
    """Move the file away and leave a link to it, as who saves room on the disk does."""
    elsewhere = path.parent.parent / "archive"
    elsewhere.mkdir(exist_ok=True)
    shutil.move(path, elsewhere / path.name)
    path.symlink_to(elsewhere / path.name)


def linked(path: Path) -> None:
    os.link(path, path.with_name(f"{path.name}.backup"))


_GOES_ON: Final = "journaled; a new file goes on from the last head; "
_KEPT: Final = "the earlier part is kept beside it and read with it; no row is lost"
_ASIDE: Final = "what is left is set aside, the rows that are gone are named by verify"
_TORN: Final = "moved to a side file byte for byte, journaled; no row is lost, the chain goes on"

FILES: Final = (
    FileFault(
        "deleted", "the file is unlinked", _GOES_ON + _KEPT, deleted, True, "log_restarted"
    ),
    FileFault(
        "rotated", "the file is renamed in its folder", _GOES_ON + _KEPT, rotated, True,
        "log_restarted",
    ),
    FileFault(
        "moved elsewhere", "the file is moved to another folder", _GOES_ON + _KEPT,
        moved_elsewhere, True, "log_restarted",
    ),
    FileFault(
        "swapped for a copy", "a copy takes the file's place", _GOES_ON + _KEPT,
        swapped_for_a_copy, True, "log_restarted",
    ),
    FileFault(
        "swapped for another", "another file takes the file's place", _GOES_ON + _KEPT,
        swapped_for_another, True, "log_restarted",
    ),
    FileFault(
        "emptied", "the file is truncated to nothing", _GOES_ON + _ASIDE, truncated, False,
        "log_restarted",
    ),
    FileFault(
        "shortened", "the file loses its last bytes", _GOES_ON + _ASIDE, shortened, False,
        "log_restarted",
    ),
    FileFault(
        "overwritten, same size", "other bytes are written into the same file, as many",
        _GOES_ON + _ASIDE, overwritten, False, "log_restarted",
    ),
    FileFault(
        "overwritten, longer", "other bytes are written into the same file, and more",
        _GOES_ON + _ASIDE, lambda path: overwritten(path, 50), False, "log_restarted",
    ),
    FileFault(
        "edited in place", "one byte before the end is changed",
        "journaled as log_edited; verify names the line and what is trustworthy",
        edited_in_place, False, "fault",
    ),
    FileFault(
        "a torn line", "half a line is left at the end", _TORN,
        appended(b'{"schema":"plateau_row/1","poll'), True, "torn_tail",
    ),
    FileFault("NULs", "512 NUL bytes are left at the end", _TORN, appended(b"\0" * 512), True,
              "torn_tail"),
    FileFault(
        "half a character", "the first byte of a UTF-8 character is left at the end", _TORN,
        appended(b"\xc2"), True, "torn_tail",
    ),
    FileFault(
        "a foreign line", "another program appends a line", _TORN, appended(b"hello\n"), True,
        "torn_tail",
    ),
    FileFault(
        "a backup's link", "a second name is given to the file", "nothing happens", linked, True,
        "",
    ),
    FileFault(
        "newline cut", "the newline behind the last line is cut off",
        "put back and journaled; nothing is lost", newline_cut, True, "fault",
    ),
    FileFault(
        "made a link", "the file is moved away, and a symbolic link to it takes its place",
        "nothing is written through the link; " + _GOES_ON + _KEPT, made_a_link, True,
        "log_restarted",
    ),
)  # fmt: skip

_DIES = "collector/test_death.py::test_death_between_any_two_system_calls_is_made_good"
_KILLED = "logfaults/test_killed.py::test_no_kill_between_two_system_calls_costs_a_row"

ELSEWHERE: Final = (
    Fault(
        "disk full", "a small file system is filled up under the writer",
        "nothing is written in part; cycles wait in memory and are written when there is room",
        "logfaults/test_disk.py::test_a_file_system_that_is_full_costs_no_row",
    ),
    Fault(
        "size limit", "a limit on the size of files, hit at any byte of a cycle",
        "nothing is written in part; cycles wait in memory",
        "runlog/test_writing.py::test_a_full_disk_loses_no_cycle_and_leaves_no_half_one",
    ),
    Fault(
        "disk full, then SIGTERM", "the collector is told to end while it cannot write",
        "it ends in time; what could not be written is a gap",
        "collector/test_weather.py::"
        "test_a_collector_that_is_told_to_end_while_the_disk_is_full_ends",
    ),
    Fault(
        "read-only", "the folder becomes read-only under the writer, and a log is deleted besides",
        "what is open is written; else cycles wait in memory until there is access again",
        "logfaults/test_disk.py::test_a_folder_that_turns_read_only_costs_no_row",
    ),
    Fault(
        "folder moved", "the run's folder is renamed and comes back",
        "the writer waits; nothing is lost",
        "runlog/test_changed_files.py::test_a_vanished_folder_blocks_until_it_is_back",
    ),
    Fault(
        "nobody hears", "stderr is a full disk, a pipe without a reader, or closed, while the log "
        "cannot be written",
        "the collector goes on; the journal has the fault `log_blocked` and its end",
        "logfaults/test_unheard.py::test_a_collector_that_nobody_can_hear_goes_on",
    ),
    Fault(
        "two collectors", "several are started at once",
        "one holds the run, the others exit 4 and write nothing",
        "logfaults/test_processes.py::test_of_collectors_started_at_once_one_writes",
    ),
    Fault(
        "lock removed", "collector.lock is removed, or replaced by a copy, under a collector, and "
        "another one is started",
        "the other one exits 4 and writes nothing; the first takes its lock again and journals it",
        "logfaults/test_processes.py::"
        "test_a_lock_that_is_removed_or_replaced_lets_no_second_collector_in",
    ),
    Fault(
        "lock taken over", "collector.lock is replaced, and another process holds the new one",
        "the collector exits 4 at once and writes nothing more",
        "logfaults/test_processes.py::"
        "test_a_collector_whose_lock_another_process_has_ends_and_writes_nothing_more",
    ),
    Fault(
        "program replaced", "every module of it is another version's while the window is open",
        "the collector goes on to the close and loads none of them",
        "logfaults/test_upgrading.py::"
        "test_a_collector_needs_nothing_of_what_is_replaced_beneath_it",
    ),
    Fault(
        "kill -9", "between any two system calls of a cycle, of a writer alone and of a file "
        "fault's repair",
        "no row lost that was acknowledged, none doubled, the chain whole, cycles complete",
        _KILLED,
    ),
    Fault(
        "kill -9 of a collector", "between any two system calls of a collector's cycle",
        "the next one completes what is missing", _DIES,
    ),
    Fault(
        "kill -9 at random", "thirty times in a run", "no row lost, none doubled",
        "collector/test_death.py::test_thirty_kills_at_random_moments_leave_a_whole_log",
    ),
    Fault(
        "SIGTERM, SIGINT, SIGHUP", "a signal during a hanging question",
        "no further question, what was read is written, exit 128 + n",
        "collector/test_start_and_stop.py::"
        "test_a_signal_during_a_hanging_question_ends_it_and_what_was_read_is_written",
    ),
    Fault(
        "asleep", "SIGSTOP for several slots, then SIGCONT",
        "missed cycles are gap rows, none is read late or twice",
        "collector/test_weather.py::test_a_stopped_process_misses_cycles_and_reads_none_late",
    ),
    Fault(
        "suspended", "the machine sleeps for hours: boot time goes on, nothing runs",
        "missed cycles are gap rows, at most one is read on waking",
        "logfaults/test_clocks.py::test_a_machine_that_slept_has_gaps_and_reads_one_cycle",
    ),
    Fault(
        "clock set", "the wall clock is set back an hour, or forward two",
        "journaled once; no slot moves, is repeated or skipped",
        "collector/test_weather.py::test_a_wall_clock_that_is_set_moves_no_slot_and_no_request",
    ),
    Fault(
        "clock set back, then a start", "a collector starts before the last row",
        "it refuses and writes nothing",
        "collector/test_weather.py::"
        "test_a_clock_before_the_last_row_refuses_the_start_and_writes_nothing",
    ),
    Fault(
        "leap second", "the wall clock repeats a second, or is smeared",
        "no slot moves; nothing is journaled below 2 s",
        "logfaults/test_clocks.py::test_a_leap_second_moves_no_slot",
    ),
    Fault(
        "summer time", "the change of the clocks in any zone, in both directions",
        "rows and journal are the same bytes in every zone",
        "logfaults/test_clocks.py::test_the_log_is_the_same_bytes_in_every_zone",
    ),
    Fault(
        "clock in 1970", "the machine booted without a clock",
        "a collector refuses to go on with a run before its last row",
        "logfaults/test_clocks.py::test_a_clock_in_1970_names_no_cycle",
    ),
    Fault(
        "rotated while nothing runs", "both logs are renamed between two runs of --once",
        "the next writer goes on from their heads; nothing is lost",
        "logfaults/test_files.py::test_logs_that_were_rotated_while_nothing_ran_are_gone_on_from",
    ),
    Fault(
        "lines left while nothing runs", "another program appends lines, or lines of the log "
        "again, while no collector runs",
        "moved to a side file byte for byte at the next start, journaled; the chain goes on",
        "logfaults/test_left_behind.py::"
        "test_lines_left_while_nothing_ran_are_set_aside_at_the_start",
    ),
    Fault(
        "both logs deleted", "rows and journal are deleted between two cycles",
        "both are kept and gone on from; nothing is lost",
        "logfaults/test_files.py::test_both_logs_lost_at_once_are_both_gone_on_from",
    ),
    Fault(
        "journal lost at the opening", "in the moment in which cycle 0 is written",
        "the window is opened once",
        "logfaults/test_files.py::test_a_journal_lost_as_the_window_opens_opens_it_once",
    ),
    Fault(
        "journal lost after the close", "deleted before the verdict is journaled",
        "the window stays closed",
        "logfaults/test_files.py::test_a_journal_lost_after_the_close_stays_closed",
    ),
)  # fmt: skip
