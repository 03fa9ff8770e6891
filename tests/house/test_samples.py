import csv
from pathlib import Path

import pytest

from plateau_tui.collector.run import registration_of
from plateau_tui.resources import shipped
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.progress import RunProgress
from plateau_tui.runlog.scan import read_rows
from plateau_tui.runlog.state import read_state
from plateau_tui.runlog.times import parse_ms
from plateau_tui.runlog.verify import verify_run

P1_CSV = Path(__file__).parent.parent / "data" / "p1_inventory.csv"
SAMPLES = ("builders_vs_hoarders", "hoarders_vs_hoarders", "p1_inventory")


def progress_of(name: str) -> RunProgress:
    folder = RunFolder(shipped("sample_runs") / name)
    state, unreadable = read_state(folder.journal)
    assert not unreadable
    return RunProgress(registration_of(folder, state), state).take_all(read_rows(folder.rows))


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_whole_and_closed(name: str) -> None:
    result = verify_run(RunFolder(shipped("sample_runs") / name))
    assert result.problems == []
    assert result.rows == result.cycles * 6 > 0


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
    rows = list(read_rows(shipped("sample_runs") / "p1_inventory" / "rows.jsonl"))
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
    rows = list(read_rows(shipped("sample_runs") / "p1_inventory" / "rows.jsonl"))
    slots = sorted({parse_ms(row.poll_ts) for row in rows})
    assert slots == [60_000_000 + 600_000 * cycle for cycle in range(11)]
