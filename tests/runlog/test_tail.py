"""Following a log that another process writes: whole lines once each, and restarts told."""

import os
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plateau_tui.runlog import tail
from plateau_tui.runlog.tail import FileTail, NewLines

NOTHING = NewLines((), restarted=False, more=False)


def grow(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def test_an_unterminated_line_is_left_until_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    follower = FileTail(path)
    assert follower.read() == NOTHING
    grow(path, b"one\ntw")
    assert follower.read() == NewLines((b"one",), restarted=False, more=False)
    assert follower.read().lines == ()
    grow(path, b"o\n\n\xc2")
    assert follower.read().lines == (b"two", b"")
    grow(path, b"\xa7\n")
    assert follower.read().lines == ("§".encode(),)


def test_a_file_that_shrank_was_replaced_or_came_back_begins_anew(tmp_path: Path) -> None:
    path, other = tmp_path / "rows.jsonl", tmp_path / "other"
    follower = FileTail(path)
    grow(path, b"one\ntwo\n")
    follower.read()
    os.truncate(path, 4)
    assert follower.read() == NewLines((b"one",), restarted=True, more=False)
    grow(other, b"x\ny\nz\n")
    other.replace(path)
    assert follower.read() == NewLines((b"x", b"y", b"z"), restarted=True, more=False)
    path.unlink()
    assert follower.read() == NewLines((), restarted=True, more=False)
    assert follower.read() == NOTHING
    grow(path, b"new\n")
    assert follower.read() == NewLines((b"new",), restarted=False, more=False)


@given(
    st.lists(st.binary(max_size=12).map(lambda data: data.replace(b"\n", b"")), max_size=12),
    st.integers(1, 16),
    st.lists(st.integers(0, 40), max_size=5),
)
@settings(max_examples=60)
def test_every_line_comes_once_however_the_file_grows(
    folder: Path, lines: list[bytes], piece: int, cuts: list[int]
) -> None:
    path = folder / "rows.jsonl"
    path.unlink(missing_ok=True)
    whole = b"".join(line + b"\n" for line in lines)
    points = sorted({0, len(whole), *(min(cut, len(whole)) for cut in cuts)})
    follower, seen = FileTail(path), list[bytes]()
    with pytest.MonkeyPatch.context() as small:
        small.setattr(tail, "_PIECE", piece)
        for start, end in pairwise(points):
            grow(path, whole[start:end])
            while True:
                found = follower.read()
                assert not found.restarted
                seen.extend(found.lines)
                if not found.lines:
                    break
    assert seen == [line if len(line) < piece else b"" for line in lines]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tail")
