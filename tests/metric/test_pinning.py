"""Which log is BASELINE_WOOD: the one that grew most, and nothing is taken back."""

import pytest

from plateau_tui.metric.pinning import (
    WoodGrowth,
    evidence_against,
    leading_wood,
    suggested_wood,
)


def grown(*readings: dict[str, int | None]) -> dict[str, int]:
    growth = WoodGrowth.empty()
    for reading in readings:
        growth.add(reading)
    return growth.evidence()


def test_growth_counts_from_the_first_reading_not_from_zero() -> None:
    evidence = grown({"oak_log": 90, "birch_log": 0}, {"oak_log": 90, "birch_log": 3})
    assert suggested_wood(evidence) == "birch_log"


def test_where_nothing_grew_the_standing_counts_are_the_evidence() -> None:
    assert suggested_wood(grown({"oak_log": 9, "birch_log": 2})) == "oak_log"


def test_a_rollback_takes_no_growth_back() -> None:
    evidence = grown({"oak_log": 0, "birch_log": 0}, {"oak_log": 9}, {"oak_log": 1, "birch_log": 4})
    assert evidence == {"oak_log": 9, "birch_log": 4}


def test_an_unread_or_negative_reading_is_no_growth() -> None:
    assert grown({"oak_log": 1}, {"oak_log": None}, {"oak_log": -4}, {"oak_log": 3}) == {
        "oak_log": 2
    }


@pytest.mark.parametrize(
    ("evidence", "leading", "suggested"),
    [
        ({}, (), None),
        ({"oak_log": 0}, (), None),
        ({"oak_log": 3, "birch_log": 3}, ("birch_log", "oak_log"), None),
        ({"oak_log": 3, "birch_log": 2}, ("oak_log",), "oak_log"),
    ],
)
def test_a_tie_suggests_none_and_accepts_either(
    evidence: dict[str, int], leading: tuple[str, ...], suggested: str | None
) -> None:
    assert leading_wood(evidence) == leading
    assert suggested_wood(evidence) == suggested
    for species in leading:
        assert evidence_against(species, evidence) == ()
    if leading:
        assert evidence_against("jungle_log", evidence) == leading


def test_what_is_no_log_is_no_evidence() -> None:
    assert grown({"stone": 0, "oak_wood": 0}, {"stone": 64, "oak_wood": 3}) == {}
