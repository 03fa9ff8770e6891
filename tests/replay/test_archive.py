"""Every kind of log is opened, and what is none is one line that says so."""

import bz2
import gzip
import lzma
import os
import random
import shutil
import tarfile
import tempfile
import threading
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from cli.shell import Shell
from console.apps import SAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st
from replay import earlier
from replay.reading import last, read, shown
from runlog.runs import finished_run

from plateau_tui.console.replay import source as replaysource
from plateau_tui.console.replay.reader import ReplayPart, ReplayReader
from plateau_tui.console.replay.timeline import Timeline
from plateau_tui.report.export import export_run
from plateau_tui.runlog import archive, archivebytes, archivescan
from plateau_tui.runlog.archive import ArchiveError, open_archive
from plateau_tui.runlog.archivebytes import GzipBytes, PlainBytes
from plateau_tui.runlog.archivepacked import packed_words
from plateau_tui.runlog.layout import RunFolder, RunFolderError

RUN: Final = SAMPLES / "builders_vs_hoarders"
ROWS: Final = RUN / "rows.jsonl"


def gzipped(path: Path, data: bytes) -> Path:
    path.write_bytes(gzip.compress(data))
    return path


# -- what is opened -------------------------------------------------------------------------------


def test_a_run_its_export_its_rows_and_the_same_gzipped_show_the_same(tmp_path: Path) -> None:
    run = RunFolder(Path(shutil.copytree(RUN, tmp_path / "run")))
    export = export_run(run).path
    bare = tmp_path / "bare.jsonl"
    shutil.copy(ROWS, bare)
    packed = gzipped(tmp_path / "bare.jsonl.gz", ROWS.read_bytes())
    views = [last(read(path)) for path in (run.path, export, run.rows, bare, packed)]
    assert [view.cycle for view in views] == [9] * 5
    units = [[replace(unit, pinned_ms=None) for unit in view.units] for view in views]
    assert units[1:] == [units[0]] * 4  # when it was pinned only a journal tells
    assert views[0].seal == views[2].seal != ""
    assert views[3].seal == ""


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzipped"])
def test_the_last_line_may_lack_its_newline(tmp_path: Path, packed: bool) -> None:
    data = ROWS.read_bytes()[:-1]
    path = tmp_path / "rows.x"
    path.write_bytes(gzip.compress(data) if packed else data)
    timeline = read(path)
    assert (last(timeline).rows, timeline.unreadable) == (60, 0)


def test_a_file_of_several_gzip_members_is_one_log(tmp_path: Path) -> None:
    lines = ROWS.read_bytes().splitlines(keepends=True)
    path = tmp_path / "two.jsonl.gz"
    path.write_bytes(
        gzip.compress(b"".join(lines[:31])) + gzip.compress(b"".join(lines[31:])) + b"\0" * 512
    )
    timeline = read(path)
    assert (last(timeline).rows, timeline.told) == (60, "")


# -- what is not ----------------------------------------------------------------------------------


def refused(path: Path) -> str:
    kinds: tuple[type[ArchiveError | RunFolderError], ...] = (ArchiveError, RunFolderError)
    with pytest.raises(kinds) as caught:
        open_archive(path)
    assert type(caught.value).exit_code == 2
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_what_is_no_log_is_one_line_that_says_what_it_is(tmp_path: Path) -> None:
    assert "there is no" in refused(tmp_path / "nothing.jsonl")
    (tmp_path / "folder").mkdir()
    assert "is it a run folder?" in refused(tmp_path / "folder")
    (tmp_path / "empty.jsonl").touch()
    assert "is empty" in refused(tmp_path / "empty.jsonl")
    assert "an entry of a journal" in refused(RUN / "journal.jsonl")
    (tmp_path / "words").write_text("once upon a time\n")
    assert "no JSON object" in refused(tmp_path / "words")
    (tmp_path / "other").write_text('{"schema":"phase2_heartbeat/1"}\n')
    assert "of schema 'phase2_heartbeat/1'" in refused(tmp_path / "other")
    (tmp_path / "broken").write_text('{"schema":"plateau_row/1","cycle":"x"}\n')
    assert "a row that cannot be read" in refused(tmp_path / "broken")
    os.mkfifo(tmp_path / "fifo")
    assert "is no file" in refused(tmp_path / "fifo")
    gzipped(tmp_path / "nothing.gz", b"")
    assert "is empty" in refused(tmp_path / "nothing.gz")


@pytest.mark.parametrize(
    ("name", "mode"),
    [("exp.tar.gz", "w:gz"), ("exp.tar", "w:"), ("exp.tgz", "w:gz"), ("rows.jsonl.gz", "w:gz")],
)
@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_a_folder_in_a_tar_archive_is_no_log_of_its_bytes(
    tmp_path: Path, name: str, mode: str, form: int
) -> None:
    with tarfile.open(tmp_path / name, mode, format=form) as packed:  # type: ignore[call-overload]
        packed.add(ROWS, "exp/rows.jsonl")  # the rows come first: as lines they could be read
        packed.add(RUN, "exp")
    told = refused(tmp_path / name)
    assert f"{name} is an archive of several files (tar): unpack it (tar -xf)" in told
    assert told.endswith("then replay the folder")


def test_other_archives_are_named_with_what_to_do(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "exp.zip", "w") as packed:
        packed.write(ROWS, "exp/rows.jsonl")  # stored: its lines stand in the file as they are
    assert "several files (zip): unpack it, then replay the folder" in refused(tmp_path / "exp.zip")
    (tmp_path / "exp.7z").write_bytes(b"7z\xbc\xaf\x27\x1c\x00\x04" + ROWS.read_bytes())
    assert "several files (7z): unpack it, then replay the folder" in refused(tmp_path / "exp.7z")
    for name, data in (
        ("xz", lzma.compress(ROWS.read_bytes())),
        ("bzip2", bz2.compress(ROWS.read_bytes())),
        ("zstd", b"\x28\xb5\x2f\xfd" + ROWS.read_bytes()),
    ):
        (tmp_path / name).write_bytes(data)
        assert f"is packed with {name}: unpack it, then replay what" in refused(tmp_path / name)


@given(st.binary(max_size=600))
def test_no_log_of_lines_is_taken_for_an_archive(rest: bytes) -> None:
    with tempfile.TemporaryFile() as file:
        file.write(ROWS.read_bytes()[:200] + rest)
        file.flush()
        assert packed_words(PlainBytes(file.fileno())) == ""


def test_a_run_without_rows_names_the_command_that_shows_it(tmp_path: Path) -> None:
    run = Path(shutil.copytree(RUN, tmp_path / "run"))
    (run / "rows.jsonl").unlink()
    assert "plateau-tui attach RUN" in refused(run)


def test_a_bomb_is_refused_and_one_behind_rows_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "_SEARCHED", 4 << 20)
    monkeypatch.setattr(archivescan, "_BARREN", 2 << 20)
    zeros = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join(zeros.compress(b"\0" * (1 << 20)) for _ in range(10)) + zeros.flush()
    (tmp_path / "bomb.gz").write_bytes(bomb)
    assert "holds no row" in refused(tmp_path / "bomb.gz")
    (tmp_path / "behind.gz").write_bytes(gzip.compress(ROWS.read_bytes()) + bomb)
    timeline = read(tmp_path / "behind.gz")
    assert last(timeline).rows == 60
    assert timeline.told == "no row in the next 2 MB: what follows was not read"
    many_lines = gzip.compress(ROWS.read_bytes() + (b"x" * 1023 + b"\n") * 4096)
    (tmp_path / "lines.gz").write_bytes(many_lines)
    timeline = read(tmp_path / "lines.gz")
    assert last(timeline).rows == 60
    assert timeline.told == "no row in the next 2 MB: what follows was not read"


@pytest.mark.parametrize(
    ("spoil", "told", "least"),
    [
        (lambda data: data[: len(data) // 2], "the compressed data ends in its middle", 150),
        (lambda data: data[:-4], "the compressed data ends in its middle", 480),
        (lambda data: data[:-8] + bytes(4) + data[-4:], "the compressed data is damaged", 480),
        (
            lambda data: data[:9000] + b"\xff" * 64 + data[9064:],
            "the compressed data is damaged",
            50,
        ),
    ],
    ids=["half", "no-trailer", "wrong-checksum", "garbled"],
)
def test_a_damaged_gzip_file_is_shown_as_far_as_it_goes_and_says_so(
    tmp_path: Path, spoil: Callable[[bytes], bytes], told: str, least: int
) -> None:
    data = gzip.compress(earlier.lines(earlier.rows(40, counters=noisy)))
    path = tmp_path / "damaged.gz"
    path.write_bytes(spoil(data))
    timeline = read(path)
    assert timeline.told == told
    assert least <= last(timeline).rows <= 480
    assert shown(timeline, 0).cycle == 0


def noisy(unit: str, cycle: int) -> tuple[earlier.Counts, earlier.Counts]:
    """Counters that do not compress to nothing."""
    placed, mined = earlier.frozen(unit, cycle)
    return placed, mined | {"dirt": random.Random(f"{unit} {cycle}").randrange(10**9)}


def test_lines_that_are_no_rows_are_counted_and_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archivescan, "PIECE", 1000)
    lines = ROWS.read_bytes().splitlines(keepends=True)
    long_line = b'{"schema":"' + b"x" * (2 << 20) + b'"}\n'
    deep = b"[" * 100_000 + b"\n"
    hostile = [b"\n", b"\0" * 512 + b"\n", b'{"a":1}\n', b"\xc2\n", long_line, deep, lines[0][:50]]
    (tmp_path / "rows.jsonl").write_bytes(
        b"".join([*lines[:7], hostile[0], hostile[1], *lines[7:20], *hostile[2:6], *lines[20:]])
        + hostile[6]
    )
    timeline = read(tmp_path / "rows.jsonl")
    view = last(timeline)
    assert (view.rows, timeline.unreadable, view.unreadable) == (60, 7, 7)
    assert timeline.first_unreadable == 8
    bare = tmp_path / "clean.jsonl"
    shutil.copy(ROWS, bare)
    assert view.units == last(read(bare)).units
    assert shown(timeline, 1).units == shown(read(bare), 1).units


def test_rows_behind_a_line_without_end_are_read_and_the_line_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archivescan, "_BARREN", 1 << 20)
    lines = ROWS.read_bytes().splitlines(keepends=True)
    (tmp_path / "rows.jsonl").write_bytes(
        b"".join([*lines[:12], b"x" * (6 << 20), b"\n", *lines[12:], b"{}\n"])
    )
    timeline = read(tmp_path / "rows.jsonl")
    assert (last(timeline).rows, timeline.unreadable, timeline.told) == (60, 2, "")
    assert timeline.first_unreadable == 13


@pytest.mark.parametrize("kind", ["ours", "earlier"])
def test_a_byte_order_mark_costs_no_row(tmp_path: Path, kind: str) -> None:
    rows = ROWS.read_bytes() if kind == "ours" else earlier.lines(earlier.rows(10))
    (tmp_path / "plain.jsonl").write_bytes(rows)
    (tmp_path / "marked.jsonl").write_bytes(b"\xef\xbb\xbf" + rows)
    plain, marked = read(tmp_path / "plain.jsonl"), read(tmp_path / "marked.jsonl")
    assert (marked.unreadable, last(marked).rows) == (0, last(plain).rows)
    assert shown(marked, 0).units == shown(plain, 0).units


def test_a_bare_file_names_its_unreadable_line_and_only_a_run_is_sent_to_verify(
    tmp_path: Path,
) -> None:
    run = Path(shutil.copytree(RUN, tmp_path / "run"))
    told = []
    for spoilt in (b"{}\n", b"{}\n{}\n"):
        (run / "rows.jsonl").write_bytes(ROWS.read_bytes() + spoilt)
        shutil.copy(run / "rows.jsonl", tmp_path / "bare.jsonl")
        for path in (tmp_path / "bare.jsonl", run):
            timeline = read(path)
            told.append(timeline.unread)
    assert told == [
        "1 unreadable line in the file, left out here: line 61",
        "1 unreadable line in the log, left out here; plateau-tui verify RUN says where",
        "2 unreadable lines in the file, left out here: the first is line 61",
        "2 unreadable lines in the log, left out here; plateau-tui verify RUN says where",
    ]
    assert read(ROWS).unread == ""


def test_a_cycle_of_endless_rows_and_endless_units_have_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archivescan, "MAX_CYCLE_ROWS", 50)
    monkeypatch.setattr("plateau_tui.console.replay.onepass.MAX_CYCLE_ROWS", 50)
    monkeypatch.setattr(replaysource, "_MAX_UNITS", 20)
    row = earlier.UNITS[0]
    made = [
        earlier.a_row((row[0], row[1], f"U{number}"), earlier.T0, "L1", earlier.rcon({}, {}))
        for number in range(500)
    ]
    same = [earlier.a_row(row, earlier.T0 + 600, "L1", earlier.rcon({}, {}))] * 500
    timeline = read(earlier.write(tmp_path / "many.jsonl", [*made, *same]))
    view = last(timeline)
    assert len(view.units) == 20
    assert view.rows <= 100
    source = timeline.source
    assert source is not None
    assert any("more units than can be shown" in notice for notice in source.notices)


# -- any place of the bytes -----------------------------------------------------------------------

TEXT: Final = b"".join(b"%d,%d\n" % (n, n * n % 97) for n in range(20_000))


@settings(max_examples=30)
@given(
    places=st.lists(
        st.tuples(st.integers(0, len(TEXT) + 100), st.integers(0, 9000)), min_size=1, max_size=12
    ),
    members=st.integers(1, 3),
)
def test_gzipped_bytes_are_those_of_the_plain_file_at_any_place_in_any_order(
    places: list[tuple[int, int]], members: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    third = len(TEXT) // members + 1
    parts = [TEXT[at : at + third] for at in range(0, len(TEXT), third)]
    (folder / "x.gz").write_bytes(b"".join(map(gzip.compress, parts)))
    (folder / "x").write_bytes(TEXT)
    with (folder / "x.gz").open("rb") as packed, (folder / "x").open("rb") as plain:
        unpacked, straight = GzipBytes(packed.fileno()), PlainBytes(plain.fileno())
        for offset, size in places:
            assert unpacked.read(offset, size) == straight.read(offset, size)
        assert unpacked.problem == ""


def test_the_marks_of_a_gzipped_log_are_bounded_and_lead_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archivebytes, "_MARK_STRIDE", 1000)
    monkeypatch.setattr(archivebytes, "_MAX_MARKS", 16)
    path = gzipped(tmp_path / "x.gz", TEXT)
    with path.open("rb") as file:
        data = GzipBytes(file.fileno())
        data._stride = 1000
        whole = b""
        while piece := data.read(len(whole), 5000):
            whole += piece
        assert whole == TEXT
        assert len(data._marks) <= 16
        for offset in (len(TEXT) - 10, 5, len(TEXT) // 2):
            assert data.read(offset, 10) == TEXT[offset : offset + 10]


# -- a log that is still written ------------------------------------------------------------------


def test_a_running_log_is_followed_and_its_cursor_s_past_stays(tmp_path: Path) -> None:
    whole = finished_run(tmp_path / "whole", cycles=6)
    run = RunFolder(Path(shutil.copytree(whole.path, tmp_path / "run")))
    rows = whole.rows.read_bytes().splitlines(keepends=True)
    journal = whole.journal.read_bytes().splitlines(keepends=True)
    beats = [n for n, line in enumerate(journal) if b'"heartbeat"' in line]
    run.rows.write_bytes(b"".join(rows[:12]))
    run.journal.write_bytes(b"".join(journal[: beats[1] + 1]))
    timeline, stop = Timeline(), threading.Event()
    seen: list[tuple[int, int | None]] = []

    def tell(part: ReplayPart) -> None:
        timeline.add(part)
        if not part.done:
            return
        cycles = len(timeline)
        seen.append((cycles, shown(timeline, 1).cycle))
        if cycles == 2:
            with run.rows.open("ab") as file:
                file.write(b"".join(rows[12:]))
            with run.journal.open("ab") as file:
                file.write(b"".join(journal[beats[1] + 1 :]))
        if cycles == 6 and shown(timeline, 5).stage == "closed":
            stop.set()

    ReplayReader(open_archive(run.path)).read(stop, tell)
    assert stop.is_set()
    assert seen[0] == (2, 1)
    assert seen[-1] == (6, 1)
    assert last(timeline).units == last(read(whole.path)).units


def test_a_log_that_is_replaced_while_it_is_followed_is_not_mixed_with_the_new_one(
    tmp_path: Path,
) -> None:
    run = finished_run(tmp_path / "run", cycles=3, close=False)
    timeline, stop = Timeline(), threading.Event()

    def tell(part: ReplayPart) -> None:
        timeline.add(part)
        if part.done and not part.told:
            data = run.rows.read_bytes()
            run.rows.rename(run.path / "old")
            run.rows.write_bytes(data + data)

    ReplayReader(open_archive(run.path)).read(stop, tell)
    assert timeline.told == "the file was replaced or cut meanwhile: open it anew"
    assert (len(timeline), last(timeline).rows) == (3, 18)


# -- the command line -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("replay", "nowhere"), "there is no nowhere; replay opens"),
        (("replay", str(RUN / "journal.jsonl")), "an entry of a journal"),
        (("replay", str(RUN), "--wood", "oak_log"), "--wood is for bare files of rows"),
        (("replay", str(ROWS), "--wood", "oak"), "is no wood of 1.16.5"),
        (("replay", str(RUN)), "headless: plateau-tui status RUN"),
        (("replay",), "Missing argument"),
    ],
)
def test_what_cannot_be_replayed_is_one_line_and_exit_2(
    tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    done = Shell(tmp_path).run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
