import ast
import importlib.metadata
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import plateau_tui

ROOT = Path(__file__).parent.parent.parent
CORE = ("metric", "server", "runlog", "report", "collector", "sim")
TOP_LEVEL = {
    "pyproject.toml", "plateau_tui", "themes", "tests", "sample_runs", "docs", "benchmarks",
    "README.md", "CHANGELOG.md", "LICENSE", "CONTRIBUTING.md", "Makefile",
}  # fmt: skip


def core_modules() -> list[str]:
    return [
        module.name
        for module in pkgutil.walk_packages(plateau_tui.__path__, "plateau_tui.")
        if module.name.split(".")[1] in CORE and not module.ispkg
    ]


def loaded_after(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(' '.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd="/"
    )
    return {name.split(".")[0] for name in done.stdout.splitlines()[-1].split()}


def test_the_core_loads_without_a_user_interface() -> None:
    modules = core_modules()
    assert len(modules) > 40
    loaded = loaded_after("\n".join(f"import {name}" for name in modules))
    assert not loaded & {"textual", "rich", "click", "scipy", "numpy", "matplotlib"}


def test_the_metric_loads_without_io_libraries() -> None:
    modules = [name for name in core_modules() if name.startswith("plateau_tui.metric.")]
    loaded = loaded_after("\n".join(f"import {name}" for name in modules))
    assert not loaded & {"socket", "subprocess", "mcrcon", "msgspec", "click"}


def test_help_loads_nothing_heavy() -> None:
    statement = (
        "import sys; sys.argv = ['plateau-tui', '--help']\n"
        "from plateau_tui.cli.main import main\n"
        "try: main()\n"
        "except SystemExit as stop: assert stop.code == 0"
    )
    loaded = loaded_after(statement)
    assert not loaded & {
        "msgspec",
        "mcrcon",
        "tomlkit",
        "asyncio",
        "textual",
        "rich",
        "platformdirs",
        "matplotlib",
        "scipy",
    }


@pytest.mark.parametrize("folder", ["plateau_tui", "tests", "benchmarks"])
def test_files_stay_readable_in_one_sitting(folder: str) -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path in (ROOT / folder).rglob("*.py")
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 420
    }
    assert not long


def test_the_top_level_holds_what_the_map_says() -> None:
    made_by_tools = {"demo-runs", "dist", "build", "__pycache__", "snapshot_report.html"}
    there = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert there - made_by_tools <= TOP_LEVEL


def test_the_map_of_the_house_names_every_module() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = {word.strip(",;:()") for word in text.split()}
    rooms = ("server", "runlog", "report", "collector")
    missing = [
        name
        for name in core_modules()
        if name.split(".")[1] in rooms and name.split(".")[2] not in named
    ]
    assert not missing


def imported(folder: str) -> set[str]:
    """The top-level modules that a folder's files import."""
    found: set[str] = set()
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found.update(alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.split(".")[0])
    return found


def declared(*extras: str) -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"]]
    for extra in extras:
        wanted += project["optional-dependencies"][extra]
    return {re.split(r"[^A-Za-z0-9_.-]", each)[0].lower().replace("_", "-") for each in wanted}


@pytest.mark.parametrize(
    ("folder", "extras"),
    [("plateau_tui", ("keyring", "games", "web")), ("tests", ("dev", "games", "web", "web-tests"))],
)
def test_every_package_that_is_imported_is_declared(folder: str, extras: tuple[str, ...]) -> None:
    """One that another package happens to bring is missing on the next machine."""
    packages = importlib.metadata.packages_distributions()
    missing = {
        module
        for module in imported(folder) - {"plateau_tui"}
        if module in packages
        and not {name.lower().replace("_", "-") for name in packages[module]} & declared(*extras)
    }
    assert missing <= {"rich"}  # Textual's own layer beneath, pinned with it
