"""The bell: what rings, how often, and the bytes that a terminal gets."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest
from console.apps import app_on, text_of, until, until_read, until_text
from console.terminal import Terminal
from console.views import NOW, view
from hypothesis import given
from hypothesis import strategies as st
from metric.texts import parsed
from runlog.runs import begin, new_folder, write_cycle

from plateau_tui.config import ConsoleConfig, config_file, console_config, operator_name
from plateau_tui.console.attention.bell import BEL, LEAST_S, Alarm, Ringer, ring
from plateau_tui.console.attention.seen import SeenFile, with_bell
from plateau_tui.metric.tables import ConfigError
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.writer import RunWriter

NAME: Final = "evil [b] run"


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[RunWriter]:
    """An open run after one cycle in which nobody had reached anything."""
    made = begin(new_folder(tmp_path / "runs" / NAME))
    write_cycle(made, parsed(), 0)
    yield made
    made.close()


@pytest.fixture
def folder(writer: RunWriter, tmp_path: Path) -> RunFolder:
    del writer
    return RunFolder(tmp_path / "runs" / NAME)


def test_what_was_so_at_the_first_view_never_rings_and_what_turns_rings_once() -> None:
    alarm, made = Alarm(), replace(view(), units=view().units[:2])
    assert alarm.take(made, NOW) == []
    turned = replace(made, units=(replace(made.units[0], secondary=True), made.units[1]))
    assert alarm.take(turned, NOW) == ["UNI-10-1 reached SECONDARY"]
    assert alarm.take(turned, NOW) == []
    # A pin that is changed takes it back for a moment: it was told.
    assert alarm.take(made, NOW) == []
    assert alarm.take(turned, NOW) == []


def test_a_grave_problem_rings_when_it_comes_and_not_as_its_numbers_go_on() -> None:
    alarm, made = Alarm(), view()
    assert alarm.take(made, NOW) == []
    silent = replace(made, heartbeat_ms=NOW - 10_000_000)
    first = alarm.take(silent, NOW)
    assert len(first) == 1
    assert "silent for 10000 s" in first[0]
    assert alarm.take(silent, NOW + 60_000) == []
    assert alarm.take(made, NOW) == []
    assert len(alarm.take(silent, NOW)) == 1
    assert alarm.take(replace(made, rcon_ok=False, fault="a fault"), NOW) == []


@given(st.lists(st.tuples(st.floats(0, 0.4), st.integers(0, 4)), max_size=60))
def test_it_rings_at_most_once_a_second_and_nothing_is_lost(
    steps: list[tuple[float, int]],
) -> None:
    ringer, now, rang, told, made = Ringer(), 0.0, list[float](), 0, 0
    for wait, news in [*steps, (2 * LEAST_S, 0)]:
        now += wait
        ringer.take(f"text {made + n}" for n in range(news))
        made += news
        text = ringer.due(now)
        if text is not None:
            rang.append(now)
            parts = text.split("; ")
            more = parts[-1].startswith("and ")
            told += len(parts) - more + (int(parts[-1].split()[1]) if more else 0)
    assert all(later - earlier >= LEAST_S for earlier, later in pairwise(rang))
    assert told == made


@given(st.text())
def test_no_text_gets_a_control_character_into_the_terminal(text: str) -> None:
    assert ring(text, {"TERM": "linux"}) == BEL
    assert ring(text, {"TERM": "xterm", "STY": "1.pts"}) == BEL
    plain = ring(text, {"TERM": "xterm-256color"})
    start = f"{BEL}\x1b]9;"
    assert plain.startswith(start)
    assert plain.endswith(BEL)
    inner = plain[len(start) : -1]
    assert inner.isascii()
    assert inner.isprintable()
    in_tmux = ring(text, {"TERM": "screen-256color", "TMUX": "socket,1,0"})
    assert in_tmux == f"{BEL}\x1bPtmux;\x1b\x1b]9;{inner}{BEL}\x1b\\"


@pytest.mark.asyncio
async def test_the_bell_is_switched_by_a_key_and_stays_as_it_was_put(folder: RunFolder) -> None:
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        screen = await until_read(pilot)
        assert screen.bell_is_on
        await pilot.press("b")
        await until_text(pilot, "the bell is off")
    for rings in (True, False):
        app = app_on(folder)
        app.bell_rings = rings
        async with app.run_test(size=(80, 24)) as pilot:
            screen = await until_read(pilot)
            assert not screen.bell_is_on
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("b")
        await until_text(pilot, "the bell is on")
    kept = SeenFile(folder, operator_name()).load()
    assert kept.bell is True
    assert json.loads(SeenFile(folder, operator_name()).path.read_text())["bell"] is True


@pytest.mark.asyncio
async def test_sparklines_stay_as_they_were_put_and_nothing_else_changes_them(
    folder: RunFolder,
) -> None:
    async def shown(*keys: str) -> bool:
        async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
            screen = await until_read(pilot)
            for key in keys:
                before = SeenFile(folder, operator_name())
                before.load()
                await pilot.press(key)
                await until(pilot, before.has_changed)
            found = "placed byd hoard" in text_of(app)
            assert screen.has_sparks is found
            return found

    assert not await shown()
    assert await shown("s")
    assert await shown()
    assert await shown("b", "space")
    assert not await shown("s")
    assert not await shown()


def test_config_toml_switches_the_bell_off_where_no_key_has_chosen() -> None:
    assert console_config().bell
    config_file().parent.mkdir(parents=True)
    config_file().write_text("bell = false\n")
    assert console_config() == ConsoleConfig({}, bell=False)
    config_file().write_text('bell = "no"\n')
    with pytest.raises(ConfigError, match="bell: must be true or false"):
        console_config()


def rings(raw: bytes) -> int:
    """How often the bell rang: a BEL that ends no sequence."""
    return re.sub(rb"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)", b"", raw).count(b"\x07")


def test_a_real_terminal_gets_bell_and_notification_for_what_turns_and_for_nothing_before(
    folder: RunFolder, writer: RunWriter
) -> None:
    with Terminal("attach", str(folder.path), cwd=folder.path.parent) as terminal:
        terminal.until_words("UNI-11-3")
        terminal.until_words("no collector closed it")
        terminal.settle()
        assert (rings(terminal.raw), b"\x1b]9;" in terminal.raw) == (0, False)
        write_cycle(writer, parsed(), 1)
        terminal.until(lambda: b"\x1b]9;" in terminal.raw)
        terminal.settle()
        assert rings(terminal.raw) == 1
        told = terminal.raw.partition(b"\x1b]9;")[2].partition(b"\x07")[0]
        assert told.startswith(
            b"plateau-tui evil [b] run: UNI-10-1 reached PRIMARY, SECONDARY, both; UNI-10-2 reached"
        )
        terminal.send("b")
        terminal.until_words("the bell is off")
        folder.registration.write_text("changed")
        terminal.until_words("registration.toml was changed")
        terminal.settle()
        assert rings(terminal.raw) == 1
        terminal.send("q")
        assert terminal.ended() == 0


def test_a_list_of_runs_in_a_real_terminal_rings_for_what_is_new_in_any_of_them(
    folder: RunFolder, writer: RunWriter
) -> None:
    quiet = begin(new_folder(folder.path.with_name("quiet")))
    write_cycle(quiet, parsed(), 0)
    SeenFile(RunFolder(folder.path.with_name("quiet")), operator_name()).change(
        lambda kept: with_bell(kept, bell=False)
    )
    with Terminal("--runs", str(folder.path.parent), cwd=folder.path.parent) as terminal:
        terminal.until_words("no collector closed it")
        terminal.settle()
        assert rings(terminal.raw) == 0
        write_cycle(quiet, parsed(), 1)
        quiet.close()
        write_cycle(writer, parsed(), 1)
        terminal.until(lambda: b"\x1b]9;" in terminal.raw)
        terminal.settle()
        assert rings(terminal.raw) == 1
        told = terminal.raw.partition(b"\x1b]9;")[2].partition(b"\x07")[0]
        assert told.startswith(b"plateau-tui evil [b] run: UNI-10-1 reached PRIMARY")
        # What a run's own screen showed meanwhile does not ring again.
        terminal.send("o")
        terminal.until_words("UNI-11-3")
        folder.registration.write_text("changed")
        terminal.until_words("registration.toml was changed")
        terminal.until(lambda: rings(terminal.raw) == 2)
        terminal.send("\x1b")
        terminal.until_words("Runs in")
        terminal.until_words("no collector closed it: close it with enter")  # looked at anew
        later = begin(new_folder(folder.path.with_name("later")))
        write_cycle(later, parsed(), 0)
        terminal.until_words("later !open 1 of 66")
        write_cycle(later, parsed(), 1)
        later.close()
        terminal.until(lambda: b"plateau-tui later: " in terminal.raw)
        every = re.findall(rb"\x1b\]9;([^\x07]*)\x07", terminal.raw)
        assert sum(b"registration.toml" in text for text in every) == 1
        terminal.send("q")
        assert terminal.ended() == 0
