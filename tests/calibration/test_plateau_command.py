"""``plateau-tui calibrate`` on the plateau's targets and on recorded runs, as a child process."""

import shutil
from pathlib import Path

import pytest
from cli.shell import Shell
from runlog.runs import finished_run, new_folder

from plateau_tui.metric.fence import CLAIM_FENCE
from plateau_tui.resources import shipped

KEYS = {
    "reference", "achievements", "best_baseline", "separating", "attrition", "separates",
    "collapse", "declared", "refused",
}  # fmt: skip


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_the_old_gate_is_refused_with_exit_code_1(shell: Shell) -> None:
    found = shell.json("calibrate", "phase-goal-3", "--walks", "0", code=1)
    gate = found["targets"]["phase-goal-3"]
    assert set(gate) >= KEYS
    assert gate["separates"] is False
    assert gate["best_baseline"]["count"] == 3
    assert "hoarder-own-table" in gate["best_baseline"]["ids"]
    assert len(gate["refused"]) == 1


def test_which_hoarder_reaches_which_half_is_printed(shell: Shell) -> None:
    found = shell.json("calibrate", "plateau-break", "--walks", "0")
    baselines = found["targets"]["plateau-break"]["baselines"]
    earned = {name: baselines[name]["earned"] for name in baselines if "hoarder" in name}
    assert earned == {
        "hoarder-own-table": ["primary"],
        "hoarder-standing-table": [],
        "mixed-forest-hoarder": ["primary", "secondary", "plateau-break"],
        "mixed-forest-hoarder-standing-table": ["secondary"],
    }


def test_a_recorded_run_is_measured_under_its_own_id(shell: Shell) -> None:
    sample = shipped("sample_runs") / "builders_vs_hoarders"
    found = shell.json("calibrate", "--run", str(sample))
    assert set(found["targets"]) == {"builders_vs_hoarders"}
    run = found["targets"]["builders_vs_hoarders"]
    assert set(run) >= KEYS
    assert (run["reference"], run["achievements"]) == ("3 of 3", "3 of 3")
    assert run["best_baseline"] == {"count": 1, "ids": ["UNI-11-1", "UNI-11-2", "UNI-11-3"]}
    assert run["earned"]["primary"] == {"treatment": "3 of 3", "control": "3 of 3"}
    assert run["earned"]["secondary"] == {"treatment": "3 of 3", "control": "0 of 3"}
    assert run["separating"] == ["secondary", "plateau-break"]
    assert (run["separates"], run["declared"], run["refused"]) == (True, {}, [])
    assert run["run"] == {"rows": 60, "cycles": 10, "of": 10, "closed": True}
    assert run["claim_fence"] == CLAIM_FENCE


def test_a_run_that_does_not_separate_is_an_answer_and_no_refusal(shell: Shell) -> None:
    done = shell.run("calibrate", "--run", str(shipped("sample_runs") / "hoarders_vs_hoarders"))
    assert (done.returncode, done.stderr) == (0, "")
    assert "the contract did not separate the arms" in done.stdout
    assert "won by attrition: nothing" in done.stdout


def test_an_export_an_open_run_and_a_name_in_the_runs_folder(shell: Shell) -> None:
    folder = finished_run(shell.runs / "open", close=False)
    run = shell.json("calibrate", "--run", "open")["targets"]["p1-curiosity"]
    assert run["run"] == {"rows": 24, "cycles": 4, "of": 66, "closed": False}
    assert run["earned"]["plateau-break"] == {"treatment": "3 of 3", "control": "0 of 3"}
    export = shell.home / "export"
    export.mkdir()
    for name in ("registration.toml", "rows.jsonl", "journal.jsonl"):
        shutil.copyfile(folder.path / name, export / name)
    assert shell.json("calibrate", "--run", str(export))["targets"]["p1-curiosity"] == run


def test_targets_and_a_run_stand_side_by_side(shell: Shell) -> None:
    sample = str(shipped("sample_runs") / "p1_inventory")
    found = shell.json("calibrate", "save-levels", "--walks", "0", "--run", sample)
    assert set(found["targets"]) == {"save-levels", "p1_inventory"}


def test_a_run_without_rows_has_no_answer(shell: Shell) -> None:
    new_folder(shell.runs / "fresh")
    line = shell.refused("calibrate", "--run", "fresh", code=1)
    assert "p1-curiosity has no row of its window, and no journal that can be read" in line
    assert "yet" not in line
    assert shell.json("calibrate", "--run", "fresh", code=1)["targets"] == {}
    assert "there is no run" in shell.refused("calibrate", "--run", "nowhere", code=2)


def test_a_closed_run_without_rows_is_not_told_to_go_on(shell: Shell) -> None:
    folder = finished_run(shell.runs / "closed")
    folder.rows.write_bytes(b"")
    line = shell.refused("calibrate", "--run", "closed", code=1)
    assert "the window of the run p1-curiosity is closed and holds no row" in line
    assert "yet" not in line
    assert "ask again" not in line


def test_an_open_run_without_rows_says_when_to_ask_again(shell: Shell) -> None:
    folder = finished_run(shell.runs / "open", close=False)
    folder.rows.unlink()
    line = shell.refused("calibrate", "--run", "open", code=1)
    assert "holds no row of its window so far" in line
    assert "after its first cycle" in line


def test_rows_that_cannot_be_read_are_told_where_nothing_else_is_left(shell: Shell) -> None:
    folder = finished_run(shell.runs / "broken")
    folder.rows.write_bytes(b"no row\n")
    line = shell.refused("calibrate", "--run", "broken", code=1)
    assert "1 line of rows.jsonl cannot be read and is left out" in line


@pytest.mark.parametrize("journal", [None, b"", b"no event\n"])
def test_rows_without_a_journal_are_measured_and_not_called_open(
    shell: Shell, journal: bytes | None
) -> None:
    folder = finished_run(shell.runs / "rows")
    folder.journal.unlink()
    if journal is not None:
        folder.journal.write_bytes(journal)
    done = shell.run("calibrate", "--run", "rows")
    assert done.returncode == 0
    assert "4 of 66 cycles, and no journal that says whether there are more" in done.stdout
    assert "OPEN" not in done.stdout
    assert shell.json("calibrate", "--run", "rows")["targets"]["p1-curiosity"]["run"] == {
        "rows": 24, "cycles": 4, "of": 66, "closed": None,
    }  # fmt: skip


def test_words_that_are_left_out_are_told_with_the_reason(shell: Shell) -> None:
    told = "2 of 18 words are left out of the trivial policies and the walks: mine_sand, mine_"
    for target in ("plateau-break-strict", "phase-goal-3"):
        done = shell.run("calibrate", target, "--walks", "0")
        (line,) = [line for line in done.stdout.splitlines() if "words are left out" in line]
        assert f"{told}gravel; " in line
    found = shell.json("calibrate", "plateau-break-strict", "save-levels", "--walks", "0")
    left_out = found["targets"]["plateau-break-strict"]["words_left_out"]
    assert (left_out["words"], left_out["of"]) == (["mine_sand", "mine_gravel"], 18)
    assert "count by hand" in left_out["why"]
    assert found["targets"]["save-levels"]["words_left_out"] is None


def test_lines_that_cannot_be_read_are_left_out_and_said_so(shell: Shell) -> None:
    folder = finished_run(shell.runs / "damaged")
    lines = folder.rows.read_bytes().splitlines(keepends=True)
    folder.rows.write_bytes(b"".join([*lines[:-1], b"{}\n", b"no row\n"]))
    done = shell.run("calibrate", "--run", "damaged", "--json")
    assert done.returncode == 0
    assert "2 lines of rows.jsonl cannot be read and are left out" in done.stderr
    assert '"rows":23' in done.stdout
