"""The question for a pin: who lacks one, what is suggested, and what would be refused."""

from dataclasses import replace

import pytest
from console.views import view

from plateau_tui.console.live.view import RunView
from plateau_tui.console.pinning import (
    pin_case,
    pin_meaning,
    pin_problem,
    pin_request,
    suggestion,
)
from plateau_tui.runlog.state import RunStage

OAK, BIRCH, SPRUCE = "oak_log", "birch_log", "spruce_log"


def run_of(
    pins: dict[str, str | None], woods: dict[str, dict[str, int]], stage: RunStage = "open"
) -> RunView:
    """A run of the units that ``pins`` names; ``woods`` is what rows, or a watch, say of each."""
    made = view(stage=stage, rows=30 if stage == "open" else 0, logs=(OAK, BIRCH, SPRUCE))
    units = tuple(
        replace(made.units[0], name=name, baseline=pin, woods=woods.get(name, {}))
        for name, pin in pins.items()
    )
    return replace(made, units=units, watched_growth=woods)


def meaning(run: RunView) -> str:
    return " ".join(pin_meaning(run, suggestion(run), pin_case(run)))


def problem(run: RunView, text: str) -> str:
    return pin_problem(text, suggestion(run), pin_case(run))


@pytest.mark.parametrize("stage", ["open", "sealed"])
def test_only_who_lacks_a_pin_or_whose_pin_is_contradicted_is_suggested_for(
    stage: RunStage,
) -> None:
    run = run_of(
        {"A": OAK, "B": None, "C": BIRCH, "D": None, "E": SPRUCE},
        {"A": {OAK: 3}, "B": {BIRCH: 1, OAK: 0}, "C": {OAK: 5, BIRCH: 4}, "D": {}},
        stage,
    )
    assert suggestion(run) == {"B": BIRCH, "C": OAK}
    told = meaning(run)
    assert told.startswith(
        "Enter alone pins birch_log for B; oak_log for C. Not pinned: 2 of 5 units."
    )
    assert "Nothing is suggested for D, where no log grew." in told
    assert "Pinned now, though another log grew more: birch_log for C." in told
    assert ("That is disclosed and voids nothing" in told) == (stage == "open")


def test_who_is_live_and_unpinned_is_named_first_once_the_window_is_open() -> None:
    run = run_of({"A": OAK, "B": None, "C": None}, {"A": {OAK: 3}})
    units = (*run.units[:2], replace(run.units[2], seen=False))
    told = meaning(replace(run, units=units))
    assert told.startswith(
        "Not pinned: 2 of 3 units. Whoever is live without a pin makes the verdict WITHHELD: B. "
        "Nothing is suggested for B, C, where no log grew."
    )
    assert "WITHHELD. " in meaning(run_of({"B": None}, {"B": {OAK: 3}}, "sealed"))


def test_a_watch_s_suggestion_that_the_rows_contradict_is_none() -> None:
    tie = {OAK: 2, BIRCH: 2, SPRUCE: 0}
    run = replace(run_of({"A": None, "B": None}, {"A": tie}), watched={"A": SPRUCE, "B": SPRUCE})
    assert suggestion(run) == {"B": SPRUCE}
    assert "A, where birch_log and oak_log grew alike" in meaning(run)


def test_every_unit_pinned_and_a_closed_window_say_so() -> None:
    run = run_of({"A": OAK}, {"A": {OAK: 1}})
    assert meaning(run).startswith("Every unit is pinned. Type one species")
    assert meaning(replace(run, stage="closed")) == (
        "The window is closed: a pin can no longer be made."
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("oak_log", "B grew birch_log +4; only the log that grew most"),
        ("A=birch_log anyway: I saw it", "A grew oak_log +3; only the log that grew most"),
        ("A=oak_log X=oak_log", "'X' is no unit of this run"),
        ("A=oak", "'oak' is no log of 1.16.5"),
        ("jungle_log", "no objective of this run counts mined jungle_log"),
        ("oak_log birch_log", "'oak_log birch_log' is no log of 1.16.5"),
    ],
)
def test_what_the_collector_would_refuse_is_said_before_it_is_sent(text: str, why: str) -> None:
    run = run_of({"A": None, "B": None}, {"A": {OAK: 3}, "B": {BIRCH: 4}})
    assert why in problem(run, text)


def test_what_would_be_taken_is_not_called_refused() -> None:
    run = run_of({"A": None, "B": None, "C": None}, {"A": {OAK: 3, BIRCH: 3}, "B": {BIRCH: 4}})
    for text in ("A=oak_log", "A=birch_log B=birch_log", "birch_log", "C=spruce_log", ""):
        assert not problem(run, text)


def test_before_the_window_a_reason_lets_a_pin_stand_against_the_watch() -> None:
    run = run_of({"A": None}, {"A": {OAK: 3}}, "sealed")
    assert "behind the species anyway: and why" in problem(run, "A=birch_log")
    assert not problem(run, "A=birch_log anyway: I saw it chop")


def test_nothing_suggested_and_nothing_typed_says_what_to_type() -> None:
    run = run_of({"A": None}, {}, "sealed")
    assert "Nothing moved yet." in meaning(run)
    assert problem(run, "") == "type a species, or UNI=SPECIES"


def test_a_line_means_a_species_words_or_both() -> None:
    assert pin_request("", {"A": OAK}, "me").by_unit == {"A": OAK}
    both = pin_request("oak_log A=birch_log anyway: seen", {"B": OAK}, "me")
    assert (both.species, both.by_unit, both.anyway) == (OAK, {"A": BIRCH}, "seen")


def test_what_enter_alone_pins_is_told_first_and_in_one_line_however_many_units() -> None:
    many = {f"UNI-10-{number:02}": None for number in range(40)}
    woods = {name: {OAK: 3} for name in many} | {"UNI-10-07": {BIRCH: 2}}
    first, *rest = pin_meaning(run := run_of(dict(many), woods), suggestion(run), pin_case(run))
    assert first == "Enter alone pins oak_log for 39 units; birch_log for UNI-10-07."
    assert f"Suggested: oak_log for {', '.join(n for n in many if n != 'UNI-10-07')}" in " ".join(
        rest
    )


def test_a_pin_that_is_in_doubt_is_not_called_harmless() -> None:
    run = run_of({"A": BIRCH}, {"A": {OAK: 3, BIRCH: 1}})
    assert "voids nothing" in meaning(run)
    units = tuple(replace(unit, pin_confirmed=False) for unit in run.units)
    assert "voids nothing" not in meaning(replace(run, units=units))
