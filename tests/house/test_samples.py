"""Every sample run is what its story says, and has the answer that was worked out for it."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from samples.published import P1_CSV, p2_placed, write_p1, write_p2
from samples.readme import readme_text
from samples.story import ANSWERS, STORIES, Answer, Story
from samples.writing import write_story

from plateau_tui.collector.run import registration_of
from plateau_tui.metric.outcome import Verdict
from plateau_tui.report.gather import judge
from plateau_tui.resources import shipped
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.progress import RunProgress
from plateau_tui.runlog.scan import read_rows
from plateau_tui.runlog.state import read_state
from plateau_tui.runlog.times import parse_ms
from plateau_tui.runlog.verify import verify_run

NAMES = [answer.name for answer in ANSWERS]
EDITED = "withheld_1_gate_edited"


def folder_of(name: str) -> RunFolder:
    return RunFolder(shipped("sample_runs") / name)


def verdict_of(name: str) -> Verdict:
    return judge(folder_of(name)).verdict


def progress_of(name: str) -> RunProgress:
    folder = folder_of(name)
    state, unreadable = read_state(folder.journal)
    assert not unreadable
    return RunProgress(registration_of(folder, state), state).take_all(read_rows(folder.rows))


def test_there_is_an_answer_for_every_sample_and_a_page_that_lists_them() -> None:
    samples = shipped("sample_runs")
    assert sorted(path.name for path in samples.iterdir() if path.is_dir()) == sorted(NAMES)
    assert (samples / "README.md").read_text(encoding="utf-8") == readme_text()


@pytest.mark.parametrize("name", NAMES)
def test_samples_are_whole_and_closed(name: str) -> None:
    result = verify_run(folder_of(name))
    expected = ["seal_broken"] if name == EDITED else []
    assert [problem.code for problem in result.problems] == expected
    units = len(progress_of(name).units)
    assert result.rows == result.cycles * units > 0


@pytest.mark.parametrize("answer", ANSWERS, ids=NAMES)
def test_a_sample_has_the_answer_that_was_worked_out_for_it(answer: Answer) -> None:
    verdict = verdict_of(answer.name)
    assert (verdict.word, verdict.row) == (answer.answer, answer.row)


def test_every_row_of_the_table_has_its_sample() -> None:
    assert {answer.row for answer in ANSWERS} == set(range(1, 14))


@pytest.mark.parametrize("story", STORIES, ids=[story.name for story in STORIES])
def test_a_sample_is_its_story_to_the_byte(tmp_path: Path, story: Story) -> None:
    assert_same(story.name, lambda path: write_story(story, path), tmp_path)


@pytest.mark.parametrize(
    ("name", "write"), [("p1_inventory", write_p1), ("p2_final_counts", write_p2)]
)
def test_a_published_run_is_its_figures_to_the_byte(
    tmp_path: Path, name: str, write: Callable[[Path], None]
) -> None:
    assert_same(name, write, tmp_path)


def assert_same(name: str, write: Callable[[Path], None], tmp_path: Path) -> None:
    made, shipped_ = tmp_path / name, folder_of(name).path
    write(made)
    assert sorted(p.name for p in made.iterdir()) == sorted(p.name for p in shipped_.iterdir())
    for file in made.iterdir():
        assert file.read_bytes() == (shipped_ / file.name).read_bytes(), file.name


def test_a_partial_names_the_half_that_held_in_the_form_of_the_seed() -> None:
    first = {name: verdict_of(name).reasons[0] for name in ("partial_primary", "partial_secondary")}
    assert "PRIMARY PASS (" in first["partial_primary"]
    assert "; SECONDARY FAIL (" in first["partial_primary"]
    assert "SECONDARY PASS (" in first["partial_secondary"]
    assert "PRIMARY FAIL (" in first["partial_secondary"]


def test_a_clean_fail_falsifies_and_asks_nothing_while_another_asks_why() -> None:
    clean, other = verdict_of("fail_clean"), verdict_of("fail_not_clean")
    assert (clean.falsified, clean.classification, clean.final) == ("yes", None, True)
    assert other.falsified == "no"
    assert other.classification not in {None, "unclassified"}
    assert other.word == "FAIL"


def test_builders_reach_both_halves_and_hoarders_only_place_their_table() -> None:
    units = progress_of("builders_vs_hoarders").units
    for name, unit in units.items():
        assert unit.primary.value is True
        assert unit.secondary.value is name.startswith("UNI-10-")
        assert unit.plateau_break.value is name.startswith("UNI-10-")


def test_hoarders_never_reach_the_second_half() -> None:
    units = progress_of("hoarders_vs_hoarders").units
    assert [unit.secondary.value for unit in units.values()] == [False] * 6
    assert all(unit.pickaxe_hoard for unit in units.values())


def test_p1_rows_are_the_published_inventories_and_nothing_else() -> None:
    rows = list(read_rows(folder_of("p1_inventory").rows))
    with P1_CSV.open(encoding="utf-8", newline="") as file:
        published = {(int(line["cycle"]) - 1, line["uni"]): line for line in csv.DictReader(file)}
    assert len(rows) == len(published) == 66
    for row in rows:
        line = published[row.cycle, row.uni]
        assert row.inv_now == {
            "wooden_pickaxe": int(line["wooden_pickaxe"]),
            "cobblestone": int(line["cobblestone"]),
        }
        assert f"logs {line['logs']}" in row.note
        counters = row.placed_used | row.mined | row.crafted
        assert set(counters.values()) == {None}
        assert (row.primary, row.secondary, row.plateau_break) == (None, None, None)
        assert not row.rcon_ok


def test_p1_slots_are_multiples_of_the_interval() -> None:
    rows = list(read_rows(folder_of("p1_inventory").rows))
    slots = sorted({parse_ms(row.poll_ts) for row in rows})
    assert slots == [60_000_000 + 600_000 * cycle for cycle in range(11)]


def test_p2_is_the_published_totals_and_no_unit_is_given_kinds_that_were_not_published() -> None:
    rows = list(read_rows(folder_of("p2_final_counts").rows))
    assert {row.uni: row.placed_used_total for row in rows} == p2_placed()
    assert sum(p2_placed()[f"UNI-12-{n}"] for n in range(1, 7)) == 72
    assert sum(p2_placed()[f"UNI-13-{n}"] for n in range(1, 7)) == 83
    assert {value for row in rows for value in row.mined.values()} == {None}
    verdict = verdict_of("p2_final_counts")
    assert (verdict.counts_treatment.primary, verdict.counts_control.primary) == (6, 6)
    assert verdict.falsified == "not evaluable"
