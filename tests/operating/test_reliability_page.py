"""docs/reliability.md is what its text and the tests' fault matrices make it."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest
from faults.matrix import SERVER_FAULTS
from logfaults.matrix import ELSEWHERE, FILES
from operating.unitfiles import DOCS

PAGE = (DOCS / "reliability.md").read_text(encoding="utf-8")
ROOT = DOCS.parent


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("page", DOCS / "make_reliability_page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_made_of_the_matrices_as_they_are(maker: ModuleType) -> None:
    assert maker.page() == PAGE, "make it anew: .venv/bin/python docs/make_reliability_page.py"


def test_every_fault_stands_on_the_page() -> None:
    rows = {line.split(" | ")[0].removeprefix("| ") for line in PAGE.splitlines()}
    faults = (*SERVER_FAULTS, *FILES, *ELSEWHERE)
    assert {fault.name for fault in faults} <= rows


def test_the_files_that_the_page_names_are_there() -> None:
    named = re.findall(r"\b((?:tests|benchmarks|docs)/[A-Za-z0-9_./]+)", PAGE)
    assert len(named) > 5
    assert [name for name in named if not Path(ROOT / name.rstrip(".")).exists()] == []
