"""Counters that were above 0 before the run: the console shows what is scored, and says so."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from console.apps import app_on, read_all, sample, until_read, until_text
from console.views import NOW, SLOT0, unit, view

from plateau_tui.console.lines.grid import chosen_line, header_lines
from plateau_tui.console.lines.unit import reading_lines
from plateau_tui.console.live.model import RunModel
from plateau_tui.metric.objectives import MINE_OBJECTIVES, PLACE_OBJECTIVES
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.scan import read_rows
from plateau_tui.runlog.times import format_ms, parse_ms

UNIT = "UNI-10-1"


def with_start(
    tmp_path: Path, start: Callable[[dict[str, int]], dict[str, int | None]]
) -> RunFolder:
    """A finished run under ``offset``, whose unit started with what ``start`` makes of its end."""
    folder = sample(tmp_path)
    end = {
        name: count
        for row in read_rows(folder.rows)
        if row.uni == UNIT
        for name, count in (
            *((o.name, row.placed_used[o.block]) for o in PLACE_OBJECTIVES),
            *((o.name, row.mined[o.block]) for o in MINE_OBJECTIVES),
        )
        if count is not None
    }
    lines = []
    for line in folder.journal.read_text().splitlines():
        event = json.loads(line)
        if event["event"] == "sealed":
            event["text"] = event["text"].replace(
                'start_counts = "zero"', 'start_counts = "offset"'
            )
        if event["event"] == "registered" and UNIT in event["start"]:
            event["start"][UNIT] |= start(end)
        lines.append(json.dumps(event))
    folder.journal.write_text("\n".join(lines) + "\n")
    return folder


def test_under_offset_the_grid_and_the_unit_show_what_rose_since_the_start(tmp_path: Path) -> None:
    raw = read_all(RunModel(sample(tmp_path / "raw"))).unit(UNIT)
    folder = with_start(tmp_path, lambda end: {"place_dirt": end["place_dirt"] - 1})
    run = read_all(RunModel(folder))
    shown = run.unit(UNIT)
    assert raw is not None
    assert shown is not None
    assert run.since_start
    before = raw.counts["place_dirt"] - 1
    assert before > 0
    assert shown.counts["place_dirt"] == 1
    assert raw.placed is not None
    assert shown.placed == raw.placed - before
    assert shown.beyond == raw.beyond
    assert shown.readings[-1].counts["place_dirt"] == 1


def test_under_offset_a_counter_first_moved_when_it_rose_above_its_start(tmp_path: Path) -> None:
    rows = [row for row in read_rows(sample(tmp_path / "raw").rows) if row.uni == UNIT]
    last = rows[-1].placed_used["dirt"]
    assert last is not None
    above = next(row for row in rows if row.placed_used["dirt"] == last)
    shown = read_all(RunModel(with_start(tmp_path, lambda _: {"place_dirt": last - 1}))).unit(UNIT)
    assert shown is not None
    assert shown.first_moved["place_dirt"] == parse_ms(above.poll_ts)


def test_under_offset_what_was_there_before_is_neither_moved_nor_a_kind_beyond(
    tmp_path: Path,
) -> None:
    shown = read_all(RunModel(with_start(tmp_path, lambda end: {**end}))).unit(UNIT)
    assert shown is not None
    assert (shown.placed, shown.beyond, shown.beyond_blocks) == (0, 0, ())
    assert not any(name.startswith(("place_", "mine_")) for name in shown.first_moved)
    unread = read_all(
        RunModel(with_start(tmp_path / "unread", lambda _: {"mine_stone": None}))
    ).unit(UNIT)
    assert unread is not None
    assert "mine_stone" not in unread.counts


def test_that_counts_are_since_the_start_is_said_in_grid_and_unit() -> None:
    run = replace(view(), since_start=True)
    assert "counts since start" in " ".join(header_lines(run, NOW, 80))
    assert chosen_line(unit(), run, NOW, roomy=False).startswith("counts since start; UNI-10-1")
    assert "since start" not in chosen_line(unit(), run, NOW)
    assert len(header_lines(run, NOW, 60)) == 2
    table = " ".join(reading_lines(unit(), run, 80, NOW))
    assert "Counts are since the start reading" in table
    assert "since first moved" in " ".join(table.split())
    assert format_ms(SLOT0)[:10] in table
    assert "since start" not in " ".join([*header_lines(view(), NOW, 80)])


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_the_run_s_screen_says_that_counts_are_since_the_start(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    app = app_on(with_start(tmp_path, lambda end: {"place_dirt": end["place_dirt"] - 1}))
    async with app.run_test(size=size) as pilot:
        await until_read(pilot)
        await until_text(pilot, "counts since start")
        await pilot.press("o")
        await until_text(pilot, "Counts are since the start reading")
