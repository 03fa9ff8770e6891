"""Display names lie; no row may."""

from collections.abc import Callable
from pathlib import Path

import pytest
from collector.bench import Bench, Running
from collector.history import History, Mutator, compare
from collector.otherserver import OtherServer
from collector.test_truth import assert_true, other_history, populate_other

from plateau_tui.collector.displays import Displays
from plateau_tui.runlog import events as ev
from plateau_tui.server.replies import ObjectiveList

Change = Callable[[OtherServer], None]


def swap(server: OtherServer) -> None:
    shown = server.displays
    shown["mine_stone"], shown["mine_dirt"] = shown["mine_dirt"], shown["mine_stone"]


def rename(server: OtherServer) -> None:
    server.displays["mine_stone"] = "Stone [2]"


def impostor(server: OtherServer) -> None:
    server.displays["mine_stone"] = "Stones"
    server.displays["foreign"] = "mine_stone"
    server.scores["UNI-10-1", "foreign"] = 500


def doubled(server: OtherServer) -> None:
    server.displays["foreign"] = "mine_stone"
    server.scores["UNI-10-1", "foreign"] = 500


def bracketed(server: OtherServer) -> None:
    server.displays["foreign"] = "a]: 5[mine_stone"
    server.scores["UNI-10-1", "foreign"] = 500


def removed_and_taken(server: OtherServer) -> None:
    del server.displays["mine_stone"]
    server.displays["foreign"] = "mine_stone"
    server.scores["UNI-10-1", "foreign"] = 500


CHANGES = [swap, rename, impostor, doubled, bracketed]


def run(
    tmp_path: Path, other: OtherServer, change: Change, *, after: int, cycles: int = 4
) -> tuple[Bench, History]:
    bench = Bench.make(tmp_path, other.port, "other", interval_s=0.3, cycles=cycles)
    populate_other(other, bench)
    history = other_history(other)

    def act() -> None:
        with other.main:
            change(other)

    if not after:
        act()
    with Mutator(history, bench.units, bench.objectives, every_s=0.01), Running(bench) as running:
        if after:
            running.until(lambda: bench.cycles() >= after)
            act()
        running.ended()
    bench.assert_whole(cycles)
    return bench, history


@pytest.mark.parametrize("sort_by_display", [False, True])
@pytest.mark.parametrize("after", [0, 2])
@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_display_name_makes_no_value_wrong(
    tmp_path: Path, other: OtherServer, change: Change, after: int, sort_by_display: bool
) -> None:
    other.sort_by_display = sort_by_display
    bench, history = run(tmp_path, other, change, after=after, cycles=6)
    assert_true(bench, history, tuple(other.commands))
    # Not each cycle of 0.3 s has its time on a busy machine; one that had it is read whole.
    assert any(
        all(row.mined["stone"] is not None for row in bench.rows() if row.cycle == cycle)
        for cycle in (3, 4, 5)
    )


def test_a_list_that_only_grew_asks_every_objective_for_its_own_name_again() -> None:
    """By display name the impostor stands where the renamed one stood; the rest only grew."""
    displays = Displays.known_before(["mine_dirt", "mine_stone"], ["mine_dirt", "mine_stone"])
    same = ObjectiveList(2, ("mine_dirt", "mine_stone"), complete=True)
    assert not displays.see(same)
    assert displays.own == {"mine_dirt", "mine_stone"}
    grown = ObjectiveList(3, ("Stones", "mine_dirt", "mine_stone"), complete=True)
    assert not displays.see(grown)
    assert not displays.own


def test_names_that_were_shown_under_no_known_list_must_be_shown_again() -> None:
    """Two may have swapped theirs between the registration and the first list."""
    displays = Displays.known_before(["mine_dirt", "mine_stone"], None)
    assert not displays.see(ObjectiveList(2, ("mine_stone", "mine_dirt"), complete=True))
    assert not displays.own
    assert not displays.proven


def test_swapped_names_are_found_while_the_counters_still_stand_at_zero(
    tmp_path: Path, other: OtherServer
) -> None:
    bench = Bench.make(tmp_path, other.port, "other", interval_s=0.5, cycles=5)
    populate_other(other, bench)
    swap(other)
    history = other_history(other)
    with Running(bench) as running:
        running.until(lambda: bench.cycles() >= 2)
        history.change("UNI-11-1", "mine_stone", 7)
        running.until(lambda: bench.cycles() >= 4)
        history.change("UNI-10-2", "mine_dirt", 3)
        running.ended()
    assert_true(bench, history, tuple(other.commands))
    last = {row.uni: row.mined for row in bench.rows() if row.cycle == 4}
    assert (last["UNI-11-1"]["stone"], last["UNI-11-1"]["dirt"]) == (7, 0)


def test_a_dropped_objective_is_null_and_named_whoever_takes_its_name(
    tmp_path: Path, other: OtherServer
) -> None:
    bench, history = run(tmp_path, other, removed_and_taken, after=2)
    rows = [row for row in bench.rows() if row.cycle >= 3]
    assert {row.mined["stone"] for row in rows} == {None}
    assert all("does not know" in row.note and not row.rcon_ok for row in rows)
    missing = [e for e in bench.events() if isinstance(e, ev.ObjectiveMissing)]
    assert [event.objective for event in missing] == ["mine_stone"]
    found = compare(bench.folder, history, bench.names)
    early = [text for text in found.wrong if "mine_stone" in text]
    assert found.wrong == early  # what the mutator wrote of it after the drop was never held
    opened = next(
        place for place, command in enumerate(other.commands) if " players list " in command
    )
    assert not any("objectives add" in command for command in other.commands[opened:])


def test_a_foreign_objective_that_comes_and_goes_is_no_matter(
    tmp_path: Path, other: OtherServer
) -> None:
    def come(server: OtherServer) -> None:
        server.displays["deaths"] = "Deaths"
        server.scores["UNI-10-1", "deaths"] = 3

    bench, history = run(tmp_path, other, come, after=2)
    assert_true(bench, history, tuple(other.commands))
    assert all(row.rcon_ok for row in bench.rows())
    assert not [e for e in bench.events() if isinstance(e, ev.Fault)]
