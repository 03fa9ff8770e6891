import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    scratch = tmp_path_factory.mktemp("wheel")
    python = [sys.executable, "-m"]
    subprocess.run(
        [*python, "build", "--wheel", "--no-isolation", "--outdir", str(scratch), str(ROOT)],
        check=True,
        capture_output=True,
    )
    (wheel,) = scratch.glob("*.whl")
    target = scratch / "site"
    pip = [*python, "pip", "install", "--quiet", "--no-deps", "--no-index", "--target"]
    subprocess.run([*pip, str(target), str(wheel)], check=True, capture_output=True)
    return target


def run(installed: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=installed.parent,
        env=os.environ | {"PYTHONPATH": str(installed)},
    )


def test_the_wheel_finds_what_it_ships_inside_itself(installed: Path) -> None:
    code = (
        "from plateau_tui.resources import game_ids, shipped\n"
        "print(shipped('sample_runs'), len(game_ids().blocks), len(game_ids().craftable))"
    )
    done = run(installed, "-c", code)
    assert done.stdout.split() == [str(installed / "plateau_tui" / "sample_runs"), "763", "562"]


def test_the_wheel_carries_the_themes(installed: Path) -> None:
    code = (
        "from pathlib import Path\nfrom plateau_tui.console.look.themes import all_themes\n"
        "found = all_themes(Path('nowhere'))\nprint(*found.themes, len(found.told))"
    )
    done = run(installed, "-c", code)
    assert done.stdout.split() == ["dark", "ansi", "high-contrast", "light", "0"]


def test_the_installed_command_verifies_a_shipped_run(installed: Path) -> None:
    sample = installed / "plateau_tui" / "sample_runs" / "builders_vs_hoarders"
    done = run(installed, "-m", "plateau_tui", "verify", str(sample))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("intact; 60 rows in 10 cycles")


def test_the_wheel_carries_no_tests(installed: Path) -> None:
    assert not (installed / "tests").exists()
    assert (installed / "plateau_tui" / "py.typed").exists()
