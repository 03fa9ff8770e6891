"""The wizard's lines, as pure text: its steps, what is next, the units that are watched."""

from dataclasses import replace

import pytest
from console.views import NOW, view

from plateau_tui.console.lines.text import cells
from plateau_tui.console.lines.watch import (
    next_line,
    register_meaning,
    step_line,
    watch_head,
    watch_lines,
)
from plateau_tui.console.live.view import RunView
from plateau_tui.console.messages import WatchView
from plateau_tui.server.resolver import Endpoint

OAK, BIRCH = "oak_log", "birch_log"


def watched(suggestion: dict[str, str | None], *, polls: int = 3) -> WatchView:
    """A watch of units whose suggested log moved, and of others whose logs did not."""
    grown = {unit: {species: 2} if species else {} for unit, species in suggestion.items()}
    return WatchView(
        grown=grown, suggestion=suggestion, polls=polls, read_ms=NOW, watched=(OAK, BIRCH),
        others=(), from_rows=False,
    )  # fmt: skip


def forty() -> dict[str, str | None]:
    names = [f"UNI-{kin}-{n}" for kin in (30, 31) for n in range(1, 21)]
    return {name: None if name.endswith("20") else OAK for name in names}


def unpinned(run: RunView, *names: str) -> RunView:
    units = (replace(u, baseline=None if u.name in names else u.baseline) for u in run.units)
    return replace(run, units=tuple(units), seal="")


def test_who_waits_for_something_stands_first() -> None:
    watch = watched({"A": OAK, "B": OAK, "C": None, "D": BIRCH, "E": None})
    pins = {"A": OAK, "B": None, "C": None, "D": OAK, "E": OAK}
    assert [line.split() for line in watch_lines(watch, pins, 80)] == [
        ["C", "-", "?", "-"],
        ["D", "birch_log", "+2", "birch_log", "oak_log"],
        ["B", "oak_log", "+2", "oak_log", "-"],
        ["A", "oak_log", "+2", "oak_log", "oak_log"],
        ["E", "-", "?", "oak_log"],
    ]


@pytest.mark.parametrize("width", [59, 79])
def test_forty_units_stand_in_columns_that_fit(width: int) -> None:
    suggestion = forty()
    pins = dict.fromkeys(suggestion, "dark_oak_log")
    told, columns = watch_head(watched(suggestion), pins, NOW, width)
    assert "40 units: 40 pinned, 2 without a suggestion" in told
    lines = watch_lines(watched(suggestion), pins, width)
    assert len(lines) == 40
    assert all(cells(line) <= width for line in (columns, *lines))
    assert {line.index("dark_oak_log") for line in lines} == {columns.index("pinned")}


def test_one_of_a_thing_is_told_as_one() -> None:
    told, _ = watch_head(watched({"A": OAK}, polls=1), {}, NOW, 80)
    assert "1 unit: 0 pinned, 0 without a suggestion" in told
    ended = replace(watched({"A": OAK}, polls=1), from_journal=True)
    assert "ended: 1 poll;" in watch_head(ended, {}, NOW, 80)[0]
    run = unpinned(view(), "UNI-10-1", "UNI-10-2")
    line = next_line(run, checked=True, under_way="", suggested={"UNI-10-1": OAK})
    assert line == "a log is suggested for 1 unit, not yet for UNI-10-2: p pins, after asking"


def test_a_step_under_way_is_neither_done_nor_to_do() -> None:
    run = unpinned(view(), "UNI-10-1")
    assert step_line(run, checked=True, watched=True) == (
        "done: check, register, watch; to do: pin, seal"
    )
    assert step_line(run, checked=True, watched=True, under_way="watch") == (
        "done: check, register; to do: pin, seal"
    )


def test_who_still_lacks_a_suggestion_is_named() -> None:
    names = [unit.name for unit in view().units]
    run = unpinned(view(), *names)
    line = next_line(run, checked=True, under_way="watch", suggested={names[0]: OAK})
    assert f"not yet for {names[1]}, {names[2]}, {names[3]} and 2 more: p pins" in line
    left = unpinned(view(), names[5])
    line = next_line(left, checked=True, under_way="", suggested={})
    assert line == f"next: w watches which log counter moves for {names[5]}"


def test_a_registration_s_question_names_the_server_and_where_its_address_is_from() -> None:
    text = register_meaning(view(), Endpoint("mc.example", 25575, "connection.toml"))
    assert "on mc.example:25575 those of the run's 2 objectives" in text
    assert text.endswith("the address is from connection.toml.")
