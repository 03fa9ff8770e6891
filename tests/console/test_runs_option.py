"""``--runs`` names the folder of runs, for the bare command as for one with a run's name."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from console.apps import BUILDERS, SAMPLES
from console.terminal import Terminal


@pytest.mark.parametrize(
    ("words", "shown"),
    [((), "in-elsewhere"), (("attach", "in-elsewhere"), "TREATMENT curiosity")],
)
def test_the_folder_that_runs_names_is_the_one_that_is_shown(
    tmp_path: Path, words: tuple[str, ...], shown: str
) -> None:
    shutil.copytree(SAMPLES / BUILDERS, tmp_path / "elsewhere" / "in-elsewhere")
    shutil.copytree(SAMPLES / BUILDERS, tmp_path / "set" / "in-set")
    environment = {"PLATEAU_TUI_RUNS": str(tmp_path / "set")}
    given = (*words, "--runs", "elsewhere")
    with Terminal(*given, cwd=tmp_path, environment=environment) as terminal:
        terminal.until_words(shown)
        assert "in-set" not in terminal.words
        terminal.send("q")
        assert terminal.ended() == 0


def test_runs_before_a_command_is_refused_with_where_it_belongs(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "plateau_tui", "--runs", str(tmp_path), "status", "r"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=os.environ)
    assert done.returncode == 2
    assert "--runs belongs behind a command: plateau-tui attach RUN --runs DIR" in done.stderr
