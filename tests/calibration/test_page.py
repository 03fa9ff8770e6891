"""docs/calibration.md says what the code measures; the games' rows are held by their own cells."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from plateau_tui.calibration.outcome import seed_tables

pytestmark = pytest.mark.timeout(600)  # the plateau is calibrated here, on a busy machine too

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "calibration.md").read_text(encoding="utf-8")
AGAIN = "docs/calibration.md is out of date; make it anew: make calibration-page"


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("page", DOCS / "make_calibration_page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def missing(made: str) -> list[str]:
    """Return the lines of something made that the page does not hold."""
    lines = set(PAGE.splitlines())
    return [line for line in made.splitlines() if line and line not in lines]


@pytest.mark.parametrize("group", ["OFFLINE", "PLATEAU"])
def test_every_row_of_what_is_played_offline_stands_on_the_page(
    maker: ModuleType, group: str
) -> None:
    outcomes = [maker.measured(name) for name in getattr(maker, group)]
    for table in seed_tables([outcome.measured for outcome in outcomes]):
        assert not missing(maker.table(*table)), AGAIN
    assert not missing(maker.standing(outcomes)), AGAIN
    assert not missing(maker.falling(outcomes)), AGAIN


def test_who_reaches_which_half_under_which_reading_stands_on_the_page(maker: ModuleType) -> None:
    outcomes = [maker.measured(name) for name in maker.PLATEAU]
    assert not missing(maker.reach(outcomes)), AGAIN
    assert not missing(maker.moved(outcomes[0])), AGAIN


def test_the_counters_only_rise_and_the_hoard_rises_and_falls(maker: ModuleType) -> None:
    motion = maker.measured("plateau-break").measured.report.motion
    counters = [
        m for name, m in motion.items() if name.startswith(("engine.place_", "engine.mine_"))
    ]
    assert counters
    assert not any(m.falls for m in counters)
    assert motion["engine.pickaxe_hoard"].rises
    assert motion["engine.pickaxe_hoard"].falls


def test_the_recorded_runs_stand_on_the_page(maker: ModuleType) -> None:
    for name in maker.SAMPLES:
        assert maker.recorded(name) in PAGE, AGAIN


def test_the_page_has_every_part_and_every_target(maker: ModuleType) -> None:
    assert not re.findall(r"\{[a-z_0-9]+\}", PAGE)
    assert "Left out when this page was made" not in PAGE
    for name in (*maker.SEED, *maker.PLATEAU):
        assert f"| {maker.load_target(name).title} |" in PAGE, AGAIN


def test_the_text_around_the_figures_is_the_text_that_is_written(maker: ModuleType) -> None:
    written = (DOCS / "calibration.in.md").read_text(encoding="utf-8")
    plain = [line for line in written.splitlines() if "{" not in line]
    assert not missing("\n".join(plain).replace("{", "")), AGAIN
    assert not re.search(r"\d+ (of|percent)|\d%", "".join(plain))  # figures are measured
