"""``replay --at``: a log is opened at a moment of it, wherever key ``g`` would lead."""

import threading
from pathlib import Path

import pytest
from cli.shell import Shell
from console.apps import SAMPLES
from console.terminal import Terminal
from hypothesis import given, settings
from hypothesis import strategies as st
from replay.reading import read

from plateau_tui.console.replay.cursor import Cursor
from plateau_tui.console.replay.goto import leads, wanted_step
from plateau_tui.console.replay.reader import ReplayPart, ReplayReader
from plateau_tui.console.replay.timeline import Timeline
from plateau_tui.runlog.archive import open_archive

RUN = SAMPLES / "builders_vs_hoarders"
WHOLE = read(RUN)


@pytest.mark.parametrize(
    "text", ["7", "2026-01-18", "02-29", "03:00", "+5", "-90m", "01-18 03:00Z"]
)
def test_what_key_g_takes_is_taken(text: str) -> None:
    assert leads(text)


@pytest.mark.parametrize("text", ["x", "2026-02-30", "25:00", "1.5", "cycle 7", "9" * 40])
def test_what_leads_nowhere_in_any_log_is_a_usage_error(tmp_path: Path, text: str) -> None:
    assert not leads(text)
    done = Shell(tmp_path).run("replay", str(RUN), "--at", text)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"--at: '{text}' is no cycle (5), no time in UTC" in done.stderr
    assert done.stderr.count("\n") == 1


@given(st.one_of(st.text(max_size=20), st.from_regex(r"[0-9 :+mhdTZ-]{1,12}", fullmatch=True)))
@settings(deadline=None)
def test_no_text_that_key_g_would_follow_is_refused(text: str) -> None:
    if wanted_step(text, WHOLE, 0, 1000).step is not None:
        assert leads(text)


def in_parts(path: Path, text: str, move: int = 0) -> tuple[list[bool], Cursor]:
    """Read a log part by part, and ask after each; ``move`` so many steps after the first."""
    timeline, stop, settled = Timeline(), threading.Event(), list[bool]()
    cursor = Cursor(timeline)

    def tell(part: ReplayPart) -> None:
        timeline.add(part)
        if move and not settled:
            cursor.go(move)
        settled.append(cursor.go_once_read(text))
        if part.done:
            stop.set()

    ReplayReader(open_archive(path)).read(stop, tell)
    return settled, cursor


@pytest.mark.parametrize(
    ("text", "cycle", "told"),
    [
        ("4", 4, ""),
        ("10", 10, ""),
        ("99", 1, "99 is no cycle of this log: 1 to 10"),
        ("+3", 4, ""),
        ("-3", 7, ""),
    ],
)
def test_the_cursor_goes_there_once_it_is_read(text: str, cycle: int, told: str) -> None:
    settled, cursor = in_parts(RUN, text)
    assert settled[-1]
    assert (cursor.cycle + 1, cursor.said) == (cycle, told)


def test_whoever_has_moved_meanwhile_stays_where_they_are() -> None:
    _, cursor = in_parts(RUN, "9", move=2)
    assert (cursor.cycle + 1, cursor.said) == (3, "")


@pytest.mark.parametrize(("at", "words"), [("7", "cycle 7 of 10"), ("77", "is no cycle of this")])
def test_a_log_opens_at_a_moment_at_a_terminal(tmp_path: Path, at: str, words: str) -> None:
    with Terminal("replay", str(RUN), "--at", at, cwd=tmp_path) as terminal:
        terminal.until_words(words)
        terminal.until_words("UNI-11-3")
        terminal.send(",")
        terminal.until_words("cycle 6 of 10" if at == "7" else "cycle 1 of 10")
        terminal.send("q")
        assert terminal.ended() == 0
