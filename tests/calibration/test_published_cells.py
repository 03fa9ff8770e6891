import json
from pathlib import Path

import pytest
from calibration.published import OFFLINE, SHARED, assert_cells, needs_published, published

from plateau_tui.calibration.calibrate import calibrate
from plateau_tui.calibration.catalog import load_target
from plateau_tui.calibration.declare import NOTHING_DECLARED
from plateau_tui.calibration.policies import UNKNOWN_WORD, pinned_walk
from plateau_tui.calibration.reference import read_reference
from plateau_tui.calibration.tables import Measured, collapse_row, verdict_row

SEED_VERDICTS = {
    "native-2048": "native-2048	7 of 7	7 of 7	7 (pseudo-random)	nothing	none	"
    "does not separate; collapses",
    "save-levels": "save-levels	2 of 2	2 of 2	2 (round-robin, pseudo-random)	nothing	none	"
    "does not separate; collapses",
    "screen-puzzle": "screen-puzzle	2 of 2	2 of 2	2 (constant:r)	nothing	none	"
    "does not separate; collapses",
    "engine-crawler": "engine-crawler	4 of 4	4 of 4	4 (constant:right)	nothing	none	"
    "does not separate; does not collapse",
}
"""The offline rows of the seed's first table; the second has a row for one of them."""

SEED_COLLAPSE = "native-2048	first-legal-move	7 of 7	yes, 6 of 7	2 of 7, after 4 inputs"


@needs_published
@pytest.mark.parametrize("name", OFFLINE)
def test_every_published_cell_of_an_offline_target_is_reproduced(name: str) -> None:
    assert_cells(calibrate(load_target(name)), published()[name])


@pytest.mark.parametrize("name", OFFLINE)
def test_the_rows_of_the_seeds_tables_are_printed_as_they_stand_there(name: str) -> None:
    measured = Measured(name, calibrate(load_target(name)), NOTHING_DECLARED)
    assert "\t".join(verdict_row(measured)) == SEED_VERDICTS[name]
    if name == "native-2048":
        assert "\t".join(collapse_row(measured)) == SEED_COLLAPSE


@needs_published
def test_the_published_walk_and_unknown_word_are_ours() -> None:
    walk = json.loads((SHARED / "expected.json").read_text("utf-8"))["walk"]
    assert walk["state"] == "(seed xor 0x9e3779b9) mod 2^32"
    assert walk["next"] == "state = (state*1664525 + 1013904223) mod 2^32"
    state = 7 ^ 0x9E3779B9
    words = []
    for _ in range(50):
        state = (state * 1664525 + 1013904223) % 2**32
        words.append("abc"[state % 3])
    assert pinned_walk("abc", 50, 7) == tuple(words)
    assert f"constant:{UNKNOWN_WORD}" in published()["engine-crawler"]["earnedByBaseline"]


@needs_published
@pytest.mark.parametrize("path", sorted(SHARED.glob("reference-*.json")), ids=lambda p: p.stem)
def test_a_published_reference_is_read_as_it_stands(path: Path) -> None:
    raw = json.loads(path.read_text("utf-8"))
    reference = read_reference(path)
    assert list(reference.inputs) == raw["inputs"]
    assert [rule.id for rule in reference.rules] == [rule["id"] for rule in raw["milestones"]]
    assert reference.seed == raw["seed"]
    assert reference.declared == NOTHING_DECLARED
    assert reference.settings["provenance"] == raw["provenance"]
