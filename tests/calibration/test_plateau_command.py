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
    assert "no row of the run p1-curiosity was recorded yet" in line
    assert shell.json("calibrate", "--run", "fresh", code=1)["targets"] == {}
    assert "there is no run" in shell.refused("calibrate", "--run", "nowhere", code=2)


def test_lines_that_cannot_be_read_are_left_out_and_said_so(shell: Shell) -> None:
    folder = finished_run(shell.runs / "damaged")
    lines = folder.rows.read_bytes().splitlines(keepends=True)
    folder.rows.write_bytes(b"".join([*lines[:-1], b"{}\n", b"no row\n"]))
    done = shell.run("calibrate", "--run", "damaged", "--json")
    assert done.returncode == 0
    assert "2 lines of rows.jsonl cannot be read and are left out" in done.stderr
    assert '"rows":23' in done.stdout
