"""A console behind a page: its process, its variables, its end."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest
from console.apps import sample
from hypothesis import given
from hypothesis import strategies as st
from secrecy.home import living
from web.looking import held
from web.serving import PASSWORD, is_gone

from plateau_tui.runlog.layout import RunFolder
from plateau_tui.web import child as module
from plateau_tui.web.child import Child, Size, child_environment

SIZE: Final = Size(100, 30)
LIMIT_S: Final = 40.0
DEAF: Final = """
import signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
sys.stdout.write("__GANGLION__\\n")
while True:
    sys.stdout.write("D\\0\\0\\0\\1x")
    sys.stdout.flush()
"""


def odd_run(tmp_path: Path) -> RunFolder:
    """A run whose name no shell would take as it is."""
    folder = sample(tmp_path).path
    return RunFolder(folder.rename(folder.parent / 'it\'s "1" $(id) & run'))


def console_of(folder: RunFolder) -> list[str]:
    words = ["-m", "plateau_tui", "attach", "--read-only", "--", str(folder.path)]
    return [sys.executable, *words]


async def until_drawn(drawing: AsyncIterator[bytes], *texts: str) -> bytes:
    seen = b""
    async with asyncio.timeout(LIMIT_S):
        async for drawn in drawing:
            seen += drawn
            if all(text.encode() in seen for text in texts):
                return seen
    raise AssertionError(seen)


@pytest.mark.asyncio
async def test_a_console_is_drawn_takes_keys_and_ends(tmp_path: Path) -> None:
    folder = odd_run(tmp_path)
    before = held(folder.path)
    given = os.environ | {"PLATEAU_TUI_RCON_PASSWORD": PASSWORD}
    child = await Child.start(console_of(folder), child_environment(given, SIZE, writable=False))
    try:
        await child.focus(has=True)
        drawing = child.drawn()
        await until_drawn(drawing, "UNI-11-3", "READ-ONLY", "UNI-10-1: beyond")  # it is chosen
        assert PASSWORD.encode() not in living(child.pid)
        await child.type("n")
        await child.resize(Size(120, 40))
        await child.type("\r")
        seen = await until_drawn(drawing, "first moved")
        assert b"A note for the journal" not in seen
    finally:
        await child.end()
    assert is_gone(child.pid)
    assert held(folder.path) == before


@pytest.mark.asyncio
async def test_one_that_hears_nothing_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_QUIT_S", 0.1)
    monkeypatch.setattr(module, "_TERM_S", 0.1)
    child = await Child.start([sys.executable, "-c", DEAF], os.environ)
    async with asyncio.timeout(LIMIT_S):
        async for drawn in child.drawn():
            assert drawn == b"x"
            break
        await child.end()
    assert is_gone(child.pid)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "said",
    [
        "b''",
        "b'no packets'",
        "b'__GANGLION__\\nX'",
        "b'__GANGLION__\\nD' + b'\\xff' * 4 + b'x'",
        "b'x' * 200_000",
    ],
)
async def test_one_that_does_not_speak_is_over(said: str) -> None:
    words = [sys.executable, "-c", f"import os; os.write(1, {said})"]
    child = await Child.start(words, os.environ)
    async with asyncio.timeout(LIMIT_S):
        assert [drawn async for drawn in child.drawn()] == []
        await child.type("x")
        await child.end()
    assert is_gone(child.pid)


@pytest.mark.asyncio
async def test_one_whose_server_was_killed_ends_by_itself(tmp_path: Path) -> None:
    folder = odd_run(tmp_path)
    child = await Child.start(
        console_of(folder), child_environment(os.environ, SIZE, writable=False)
    )
    try:
        await until_drawn(child.drawn(), "UNI-11-3")
        process = child._process
        assert process.stdin is not None
        process.stdin.close()
        async with asyncio.timeout(LIMIT_S):
            await process.wait()
    finally:
        await child.end()


def test_the_password_goes_only_where_it_may_be_used() -> None:
    given = {"PLATEAU_TUI_RCON_PASSWORD": PASSWORD, "HOME": "/h", "NO_COLOR": "1", "TMUX": "x"}
    reads = child_environment(given, SIZE, writable=False)
    assert PASSWORD not in reads.values()
    assert reads["HOME"] == "/h"
    assert not {"NO_COLOR", "TMUX"} & set(reads)
    assert (reads["COLUMNS"], reads["ROWS"]) == ("100", "30")
    writes = child_environment(given, SIZE, writable=True)
    assert writes["PLATEAU_TUI_RCON_PASSWORD"] == PASSWORD


@given(st.one_of(st.none(), st.integers(), st.text(), st.floats()), st.text())
def test_a_size_is_one_that_a_screen_can_have(width: object, height: object) -> None:
    size = Size.of(width, height)
    assert 2 <= size.width <= 600
    assert 2 <= size.height <= 600
