"""The page and the terminal say the same, name unit and cycle, and do not contradict themselves."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from report.cases import ANSWERS, closed_run

from plateau_tui.metric.outcome import Disclosure
from plateau_tui.report.gather import Judged, judge
from plateau_tui.report.page import page
from plateau_tui.report.screen import screen_lines
from plateau_tui.report.words import disclosure_groups
from plateau_tui.runlog import events as ev

BESIDE = ANSWERS.replace(b"other_differences = []", b'other_differences = ["the host"]')


def on_screen(judged: Judged) -> str:
    return " ".join(" ".join(screen_lines(judged, "r")).split())


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (Disclosure("c", "UNI-10-1", 3, "UNI-10-1: it fell"), "c, UNI-10-1, cycle 3: it fell"),
        (Disclosure("c", "UNI-10-1", None, "UNI-10-1: it fell"), "c, UNI-10-1: it fell"),
        (Disclosure("c", None, 3, "it fell"), "c, cycle 3: it fell"),
        (Disclosure("c", None, None, "it fell"), "c: it fell"),
        (Disclosure("c", None, 3, "cycle 3 was not read"), "c: cycle 3 was not read"),
        (Disclosure("c", None, 3, "cycle 30 was not read"), "c, cycle 3: cycle 30 was not read"),
        (Disclosure("c", None, 0, "from cycle 0, it fell"), "c: from cycle 0, it fell"),
        (
            Disclosure("c", "A", 1, "the pins differ: A has x"),
            "c, cycle 1: the pins differ: A has x",
        ),
        (Disclosure("c", "A.1", 1, "AB1 has x in cycle 1"), "c, A.1: AB1 has x in cycle 1"),
        (Disclosure("c", "UNI-1", 1, "UNI-1: as UNI-10"), "c, UNI-1, cycle 1: as UNI-10"),
    ],
)
def test_a_disclosure_names_its_unit_and_cycle_once(found: Disclosure, told: str) -> None:
    assert list(disclosure_groups([found])) == [(told, ())]


NAMED = st.builds(
    Disclosure,
    st.sampled_from(["one", "two", "three"]),
    st.none() | st.sampled_from(["UNI-10-1", "UNI-11-1"]),
    st.none() | st.integers(0, 12),
    st.sampled_from(["it fell", "in cycle 1", "UNI-10-1: it fell", "UNI-11-1 fell in cycle 11"]),
)


@given(st.lists(NAMED, max_size=12))
def test_no_disclosure_is_lost_and_each_names_its_unit_and_cycle(found: list[Disclosure]) -> None:
    groups = list(disclosure_groups(found))
    told = [line for head, below in groups for line in (below or (head,))]
    ordered = sorted(found, key=lambda one: [other.code for other in found].index(one.code))
    assert len(told) == len(found)
    for disclosure, line in zip(ordered, told, strict=True):
        assert disclosure.text.removeprefix(f"{disclosure.unit}: ") in line
        assert disclosure.unit is None or disclosure.unit in line
        assert disclosure.cycle is None or f"cycle {disclosure.cycle}" in line
    assert len({head for head, _ in groups}) == len({one.code for one in found})


def test_disclosures_of_one_code_stand_below_it_in_the_order_in_which_each_code_comes() -> None:
    found = [
        Disclosure("fell", "A", 3, "A: it fell"),
        Disclosure("counts_before_window", "A", 0, "A: moved"),
        Disclosure("fell", "B", 4, "B: it fell"),
    ]
    assert list(disclosure_groups(found)) == [
        ("fell, 2 times:", ("A, cycle 3: it fell", "B, cycle 4: it fell")),
        ("counts_before_window, A, cycle 0: moved", ()),
    ]


def test_page_and_screen_name_unit_and_cycle_of_every_disclosure(tmp_path: Path) -> None:
    events = [ev.ClockMoved(offset_s=3.0, cycle=2), ev.ClockMoved(offset_s=4.0, cycle=3)]
    judged = judge(closed_run(tmp_path / "run", *events), ANSWERS)
    assert "- clock_moved, 2 times:\n  - cycle 2: the wall" in page(judged)
    assert "- clock_moved, 2 times: - cycle 2: the wall" in on_screen(judged)
    lines = list(screen_lines(judged, "r"))
    assert any(line.startswith("  - cycle 3: the wall") for line in lines)
    assert max(map(len, lines)) <= 80
    flat = on_screen(judged)
    for line, below in disclosure_groups(judged.verdict.disclosures):
        assert all(text in flat for text in (line, *below))


def test_grouped_disclosures_are_a_list_in_a_list(tmp_path: Path) -> None:
    events = [ev.ClockMoved(offset_s=3.0, cycle=2), ev.ClockMoved(offset_s=4.0, cycle=3)]
    judged = judge(closed_run(tmp_path / "run", *events))
    tokens = MarkdownIt("gfm-like").parse(page(judged))
    items = [t for t in tokens if t.type == "list_item_open" and t.level > 1]
    below = [text for _, texts in disclosure_groups(judged.verdict.disclosures) for text in texts]
    assert len(items) == len(below) > 1


@pytest.mark.parametrize("answer", [b"true", b"false"])
def test_a_named_difference_is_not_called_none_in_the_same_breath(
    tmp_path: Path, answer: bytes
) -> None:
    answers = BESIDE.replace(b"single_variable = true", b"single_variable = " + answer)
    judged = judge(closed_run(tmp_path / "run"), answers)
    assert judged.verdict.word == "WITHHELD"
    for text in (" ".join(page(judged).replace("\\", "").split()), on_screen(judged)):
        assert "the arms differed in the one registered variable alone" not in text
        assert "Another difference: the host" in text
    plain = judge(closed_run(tmp_path / "b"), ANSWERS)
    assert "attested by K. T.: the arms differed in the one registered" in page(plain)
