"""Cycles in what commands print count from 1; what cites the files from 0 says so."""

import json
import shutil
from pathlib import Path

from cli.shell import Shell

from plateau_tui.resources import shipped

SAMPLE = "withheld_4_objective_lost"
NOTE = "(cycles are named here as the rows number them, from 0; on screen they count from 1)"


def sample(shell: Shell) -> Path:
    return Path(shutil.copytree(shipped("sample_runs") / SAMPLE, shell.runs / "r"))


def test_verify_says_that_it_names_cycles_as_the_rows_do(shell: Shell) -> None:
    rows = sample(shell) / "rows.jsonl"
    assert NOTE not in shell.run("verify", "r").stdout
    lines = rows.read_text().splitlines()
    changed = json.loads(lines[-1])
    rows.write_text("\n".join([*lines[:-1], json.dumps(changed | {"primary": None})]) + "\n")
    told = shell.run("verify", "r")
    assert told.returncode == 1
    assert f"cycle {changed['cycle']}" in told.stdout
    assert NOTE in told.stdout.splitlines()
    assert NOTE not in shell.run("verify", "r", "--json").stdout


def test_status_counts_cycles_from_1_and_its_json_from_0(shell: Shell) -> None:
    sample(shell)
    last = shell.json("status", "r")["cycle"]
    assert f"cycle {last + 1} of 6" in shell.run("status", "r").stdout


def test_verdict_says_where_its_cycles_begin(shell: Shell) -> None:
    sample(shell)
    assert "the first cycle that showed it, from 0:" in shell.run("verdict", "r").stdout


def test_status_says_that_counts_are_raw_where_a_start_is_subtracted(shell: Shell) -> None:
    shell.draft("r", start_counts='"offset"')
    shell.draft("zero")
    raw = 'start_counts = "offset": placed and beyond are the raw counts'
    assert raw in shell.run("status", "r").stdout
    assert raw not in shell.run("status", "zero").stdout
