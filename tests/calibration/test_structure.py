import pkgutil
import subprocess
import sys
from pathlib import Path

import plateau_tui.calibration


def core_modules() -> list[str]:
    return [
        module.name
        for module in pkgutil.walk_packages(
            plateau_tui.calibration.__path__, "plateau_tui.calibration."
        )
        if not module.ispkg
    ]


def loaded_after(names: list[str]) -> set[str]:
    code = "\n".join(f"import {name}" for name in names) + "\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd="/"
    )
    return set(done.stdout.split())


def test_the_calibration_loads_without_a_screen_and_without_any_game() -> None:
    modules = core_modules()
    assert len(modules) > 20
    loaded = {name.split(".")[0] for name in loaded_after(modules)}
    assert not loaded & {
        "textual", "rich", "click", "numpy", "scipy", "gymnasium", "ale_py", "stable_retro",
        "mcrcon", "tomlkit",
    }  # fmt: skip


def test_the_core_of_the_calibration_knows_nothing_of_ours_but_itself_and_the_metric() -> None:
    core = [name for name in core_modules() if ".targets." not in name]
    ours = {name.split(".")[1] for name in loaded_after(core) if name.startswith("plateau_tui.")}
    assert ours <= {"calibration", "metric", "plainfile", "resources"}


def test_every_module_of_the_core_stands_on_the_map_of_the_house() -> None:
    text = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = {word.strip(",;:()/") for word in text.split()}
    assert {name.split(".")[2] for name in core_modules()} <= named
