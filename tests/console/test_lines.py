from dataclasses import replace

import pytest
from console.views import NOW, unit, view, with_units
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from plateau_tui.console.lines.grid import (
    ROOMY,
    Answer,
    Columns,
    answers_text,
    arm_line,
    chosen_line,
    columns_line,
    fitted_tail,
    header_lines,
    tail_lines,
    unit_line,
)
from plateau_tui.console.lines.text import pad_name
from plateau_tui.console.lines.unit import reading_lines
from plateau_tui.console.live.view import Entry, Reading, RunView, Said, UnitView
from plateau_tui.runlog.state import RunStage

WIDTHS = [60, 69, 70, 74, 80, 99, 120, 200]
NAMES = ["UNI-10-1", "a", "sixteen_letters_", "UNI-curious-0001"]


def read_at(one: UnitView, ms: int) -> UnitView:
    """A unit with all that is known of it read at one time."""
    return replace(one, read_ms=ms, online_ms=ms, placed_ms=ms, mined_ms=ms, hoard_ms=ms)


def line_of(one: UnitView, run: RunView, width: int) -> str:
    return unit_line(one, run, Columns.fit(width, run), NOW)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", NAMES)
def test_a_unit_s_line_fits_and_stands_under_its_heading(width: int, name: str) -> None:
    one = replace(
        unit(name), placed=12_345_678, hoard=99_999, gaps=1234, whole=False, table_only=True,
        beyond=9, beyond_blocks=("stone", "cobblestone", "dirt", "sand", "gravel"), pair=11,
        online=False,
    )  # fmt: skip
    one = read_at(one, NOW - 90 * 86_400_000)
    run = view(units=(one, unit("UNI-11-1", "control")))
    line = line_of(one, run, width)
    heading = columns_line(Columns.fit(width, run))
    assert cell_len(line) <= width
    assert cell_len(heading) <= width
    assert line.index("(tbl)") == heading.index("PRIM")
    assert line.index("(off)") == heading.index("live")
    hoard, shown = ("pick", "(9)(99k)") if width < ROOMY else ("hoard", " (99k)")
    ends = {word: heading.index(word) + len(word) for word in (hoard, "age", "gaps")}
    assert line[: ends[hoard]].endswith(shown)
    assert line[: ends["age"]].endswith(" 90d!")
    assert line[: ends["gaps"]].endswith(" 1k!")
    assert "(12M)" in line
    assert "(9" in line


@pytest.mark.parametrize("width", WIDTHS)
@given(name=st.text(max_size=90), label=st.text(max_size=90), wood=st.text(max_size=90))
def test_hostile_words_never_break_the_header(width: int, name: str, label: str, wood: str) -> None:
    run = with_units(baseline=wood)
    run = replace(run, name=name, arms={"treatment": label, "control": label})
    lines = [*header_lines(run, NOW, width), arm_line(run, "treatment", width, NOW)]
    assert all(cell_len(line) <= width for line in lines)
    assert all(line.isprintable() or "\n" not in line for line in lines)


@pytest.mark.parametrize("width", [60, 80])
def test_the_header_says_all_of_it(width: int) -> None:
    text = " ".join(header_lines(view(), NOW, width))
    collector = "collector 4242" if width >= ROOMY else "pid 4242"
    for word in ("run", "OPEN", "cycle 5 of 66", "next", collector, "4", "RCON ok",
                 "b9648cb1", "oak_log", "gaps 0"):  # fmt: skip
        assert word in text
    assert len(header_lines(view(), NOW, width)) == 2


@pytest.mark.parametrize("wood", ["oak_log", "birch_log", "spruce_log", None])
@pytest.mark.parametrize("stage", ["open", "closed", "adjudicated"])
@pytest.mark.parametrize("broken", [True, False])
def test_a_narrow_header_takes_two_lines_and_none_from_the_units(
    wood: str | None, stage: RunStage, broken: bool
) -> None:
    run = with_units(baseline=wood)
    run = replace(
        run, name="builders_vs_hoarders", stage=stage, seal_broken=broken, rcon_ok=False,
        gaps=66, cycle=65, collector_pid=65535, since_start=True,
    )  # fmt: skip
    assert len(header_lines(run, NOW, 60)) == 2


def test_states_look_different_without_colour() -> None:
    run = view()
    old = NOW - 2 * run.interval_ms - 60_000
    looks = {
        line_of(replace(unit(), **changes), run, 80)
        for changes in (
            {"primary": None}, {"primary": True}, {"primary": False}, {"table_only": True},
            {"primary": True, "read_ms": old}, {"primary": None, "read_ms": old},
            {"secondary": True}, {"secondary": True, "other_log": True},
            {"whole": False, "gaps": 1}, {"gaps": 1}, {"online": None}, {"online": False},
            {"placed": None}, {"placed": 0}, {"hoard": None}, {"beyond": None},
            {"online_ms": old}, {"placed_ms": old}, {"mined_ms": old}, {"hoard_ms": old},
            {"primary": None, "placed_ms": old},
        )
    }  # fmt: skip
    assert len(looks) == 21


def test_only_what_is_old_looks_old() -> None:
    run = view()
    old = NOW - 2 * run.interval_ms - 60_000
    assert "(" not in line_of(unit(), run, 80)
    hoard = line_of(replace(unit(), hoard_ms=old), run, 80)
    assert "(3)" in hoard
    assert hoard.count("(") == 1
    everything = line_of(read_at(unit(), old), run, 80)
    for shown in ("(on)", "(YES)", "(no)", "(12)", "(2 stone,coal)", "(3)", "21m!"):
        assert shown in everything


def test_a_count_over_an_arm_looks_old_when_a_unit_s_reading_is() -> None:
    run = view()
    old = read_at(run.units[1], NOW - 3 * run.interval_ms)
    aged = replace(run, units=(run.units[0], old, *run.units[2:]))
    assert "(3 of 3) PRIMARY" in arm_line(aged, "treatment", 80, NOW)
    assert " 3 of 3 PRIMARY" in arm_line(aged, "control", 80, NOW)


@pytest.mark.parametrize(("cycle", "old"), [(6, False), (9, True)])
def test_after_the_close_what_was_not_read_towards_the_end_stays_old(cycle: int, old: bool) -> None:
    run = view(stage="closed", cycle=cycle)
    read = (run.slot0_ms or 0) + 4 * run.interval_ms
    shown = line_of(read_at(unit(), read), run, 80)
    assert ("(YES)" in shown) is old


def test_an_answer_stands_in_the_tail_at_its_time_and_what_is_under_way_last() -> None:
    journal = [Entry("2026-01-01T00:00:01.000Z", "note", "one"), Entry("", "unreadable", "?")]
    journal.append(Entry("2026-01-01T00:00:03.000Z", "note", "three"))
    said = [Said("2026-01-01T00:00:02.000Z", "two"), Said("2026-01-01T00:00:04.000Z", "four")]
    assert tail_lines(journal, said, ["pin", "pin", "note"], "2026-01-01") == [
        "00:00:01 one", "?", "00:00:02 > two", "00:00:03 three", "00:00:04 > four",
        "> pin ...", "> note ...",
    ]  # fmt: skip


def test_a_line_of_another_day_than_today_has_its_date() -> None:
    journal = [Entry("2026-01-01T23:59:59.000Z", "fault", "old")]
    journal.append(Entry("2026-01-02T00:00:03.000Z", "note", "new"))
    said = [Said("2026-01-01T23:59:59.500Z", "an answer")]
    assert tail_lines(journal, said, [], "2026-01-02") == [
        "01-01 23:59:59 old", "01-01 23:59:59 > an answer", "00:00:03 new",
    ]  # fmt: skip


def test_rcon_of_a_silent_collector_looks_old() -> None:
    silent = view(heartbeat_ms=NOW - 3 * view().interval_ms)
    assert "(RCON ok)" in " ".join(header_lines(silent, NOW, 80))


def test_an_arm_counts_what_is_known_and_what_is_not() -> None:
    run = view()
    units = (replace(run.units[0], primary=None), *run.units[1:])
    assert "2 of 3 PRIMARY, 1 ?" in arm_line(replace(run, units=units), "treatment", 80, NOW)


def test_no_percentages() -> None:
    run = view()
    lines = [
        *header_lines(run, NOW, 80),
        arm_line(run, "control", 80, NOW),
        line_of(unit(), run, 80),
    ]
    assert "%" not in "".join(lines)


def test_the_chosen_unit_is_told_in_full() -> None:
    one = replace(unit(), table_only=True, other_log=True, whole=False, gaps=2)
    assert chosen_line(one, view(), NOW) == (
        "UNI-10-1: beyond stone, coal_ore; PRIMARY by the table alone; "
        "SECONDARY by another log; gap in its last reading"
    )


@pytest.mark.parametrize("width", WIDTHS)
def test_the_unit_s_table_fits_and_marks_gaps(width: int) -> None:
    lines = reading_lines(unit(), view(), width, NOW)
    assert all(cell_len(line) <= width for line in lines[:-1])
    stone = next(line for line in lines if line.startswith("mine_stone"))
    assert "3!" in stone
    assert stone.rstrip().endswith("--")
    assert "never" in stone


def test_an_old_counter_of_the_unit_s_table_looks_old() -> None:
    run = view()
    old = NOW - 3 * run.interval_ms
    one = replace(unit(), counts_ms={"place_dirt": old, "mine_stone": NOW}, hoard_ms=old)
    lines = reading_lines(one, run, 80, NOW)
    assert next(line for line in lines if line.startswith("place_dirt")).split()[1] == "(12)"
    assert next(line for line in lines if line.startswith("mine_stone")).split()[1] == "3!"
    assert "hoard (3)" in " ".join(lines)


@pytest.mark.parametrize(
    ("changes", "left"),
    [
        ({}, 0), ({"collector_pid": None}, None), ({"stage": "closed"}, None),
        ({"cycle": 65}, None), ({"cycle": 5}, 600_000), ({"slot0_ms": None, "cycle": None}, 0),
    ],
)  # fmt: skip
def test_the_next_poll(changes: dict[str, object], left: int | None) -> None:
    slot = view(**changes).next_slot_ms(NOW)
    assert (None if slot is None else slot - NOW) == left


def test_unknown_kinds_are_not_called_nothing() -> None:
    one = replace(unit(), beyond_blocks=())
    assert "beyond nothing" in chosen_line(replace(one, beyond=0), view(), NOW)
    assert "beyond ?" in chosen_line(replace(one, beyond=None), view(), NOW)


# -- many units, short names, long answers --------------------------------------------------------


def pairs_of(*pairs: int, name: str = "UNI-30-16") -> RunView:
    return view(units=tuple(unit(name, pair=pair) for pair in pairs))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", [*NAMES, "UNI-30-16"])
def test_the_number_of_a_pair_never_touches_its_unit_s_name(width: int, name: str) -> None:
    for run, numbers in (
        (pairs_of(8, name=name), ["9"]),
        (pairs_of(8, 15, name=name), [" 9", "16"]),
    ):
        columns = Columns.fit(width, run)
        for one, number in zip(run.units, numbers, strict=True):
            line = unit_line(one, run, columns, NOW)
            assert line.startswith(f"{number} ")
            start = len(number) + 1
            assert line[start : start + columns.name] == pad_name(name, columns.name)
            assert cell_len(line) <= width


@pytest.mark.parametrize("width", WIDTHS)
def test_short_names_leave_their_heading_whole(width: int) -> None:
    run = pairs_of(0, name="a")
    columns = Columns.fit(width, run)
    assert columns_line(columns).split()[:2] == ["unit", "live"]
    assert columns_line(columns).index("live") == line_of(run.units[0], run, width).index("on")


@pytest.mark.parametrize("width", WIDTHS)
def test_an_arm_s_heading_says_which_pairs_are_in_view(width: int) -> None:
    line = arm_line(view(), "treatment", width, NOW, (7, 12))
    assert line.endswith(("  7-12", " 7-12 shown", " pairs 7-12 shown"))
    assert " curiosity " in line  # the label stays whole: "shown" goes before it
    assert line.endswith("pairs 7-12 shown") == (width >= 99)
    assert cell_len(line) <= width
    assert "3 of 3 PRIM" in line
    assert "shown" not in arm_line(view(), "treatment", width, NOW)


def test_an_answer_is_folded_into_the_room_there_is_and_says_where_the_rest_stands() -> None:
    answer = Answer("00:00:02 > note: NO: one two three four five six")
    lines = ["00:00:01 an event that no line of this width holds", answer]
    assert fitted_tail(lines, 24, 4) == [
        "00:00:01 an event that ~", "00:00:02 > note: NO: one", "two three four five six",
    ]  # fmt: skip
    assert fitted_tail(lines, 24, 2) == ["00:00:02 > note: NO: one", "two three four five six"]
    assert fitted_tail(lines, 24, 1, " (i)") == ["00:00:02 > note: NO~ (i)"]
    assert fitted_tail([answer, lines[0]], 24, 2, " (i)")[0] == "00:00:02 > note: NO~ (i)"
    assert fitted_tail(lines, 24, 0) == []


@given(
    texts=st.lists(st.tuples(st.text(max_size=90), st.booleans()), max_size=9),
    width=st.integers(20, 120),
    height=st.integers(0, 9),
)
def test_the_tail_never_takes_more_than_its_room(
    texts: list[tuple[str, bool]], width: int, height: int
) -> None:
    lines = [Answer(text) if answers else text for text, answers in texts]
    shown = fitted_tail(lines, width, height, " (i)")
    assert len(shown) <= height
    assert all(cell_len(line) <= width and "\n" not in line for line in shown)
    assert (shown != []) == bool(lines and height)


def test_the_page_of_answers_has_each_in_full_the_newest_first() -> None:
    said = [
        Said("2026-01-01T00:00:02.000Z", "two " * 60),
        Said("2026-01-01T00:00:04.000Z", "x\x1b"),
    ]
    assert answers_text(said).split("\n") == [
        "01-01 00:00:04 > x·",
        f"01-01 00:00:02 > {'two ' * 60}",
    ]
    assert "no key" in answers_text([])


@pytest.mark.parametrize("width", [59, 60, 79, 80, 119])
@pytest.mark.parametrize("cycles", [0, 1, 5, 6, 40])
def test_the_heading_over_a_unit_s_readings_is_never_cut(width: int, cycles: int) -> None:
    readings = tuple(Reading(n, 0, {"place_dirt": n}, "") for n in range(cycles))
    lines = reading_lines(replace(unit(), readings=readings), view(), width, NOW)
    heading = next(line for line in lines if line.startswith("objective"))
    above = lines[lines.index(heading) - 1]
    assert cell_len(heading) <= width
    assert above.strip() == ("in cycle" if cycles else "")
    if cycles:
        first = heading.partition("(UTC)")[2].split()[0]
        assert above.index("in cycle") <= heading.index(f" {first}") + 1
        assert heading.endswith(str(cycles))
