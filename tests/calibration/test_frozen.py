"""A report that was packaged stays as it was measured, and goes between processes as it is."""

import copy
import pickle
from collections.abc import Mapping, MutableMapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.calibration.catalog import load_target
from plateau_tui.calibration.frozenmap import FrozenMap
from plateau_tui.calibration.packaged import PackagedContract
from plateau_tui.calibration.report import Report

items = st.dictionaries(st.text(max_size=3), st.integers())


@given(items, items)
def test_a_frozen_map_is_its_items_in_their_order_whatever_becomes_of_the_source(
    values: dict[str, int], more: dict[str, int]
) -> None:
    source = dict(values)
    frozen = FrozenMap(source)
    source.update(more)
    source["new"] = 1
    for same in (frozen, copy.copy(frozen), copy.deepcopy(frozen), pickle.loads(  # noqa: S301 - our own bytes
            pickle.dumps(frozen))):  # fmt: skip
        assert same == values
        assert values == same
        assert list(same.items()) == list(values.items())
        assert repr(same) == repr(values)
        assert ("new" in same) is ("new" in values)


def test_a_frozen_map_takes_no_change() -> None:
    frozen: Any = FrozenMap({"a": 1})
    assert not isinstance(frozen, MutableMapping)
    with pytest.raises(TypeError):
        frozen["a"] = 2
    with pytest.raises(TypeError):
        del frozen["a"]
    with pytest.raises(AttributeError):
        frozen._items = {}
    with pytest.raises(AttributeError):
        del frozen._items
    with pytest.raises(TypeError):
        frozen._items["a"] = 2
    assert frozen == {"a": 1}


def mappings(report: Report) -> list[Mapping[Any, Any]]:
    runs = (*report.references, *report.baselines, *report.walks)
    return [
        *(mapping for run in runs for mapping in (run.first_pass, run.motion)),
        *(found.survivors for found in report.collisions),
        report.motion,
        report.contract.closure,
    ]


@pytest.mark.parametrize("target", ["save-levels", "screen-puzzle"])
def test_nothing_of_a_packaged_report_can_be_changed(target: str) -> None:
    report = PackagedContract.calibrate(load_target(target), walks=2).report
    again = pickle.loads(pickle.dumps(report))  # noqa: S301 - our own bytes
    assert again == report
    found = mappings(report)
    assert all(isinstance(mapping, FrozenMap) for mapping in found)
    assert mappings(again) == found
    earned: Any = report.references[0].first_pass
    with pytest.raises(TypeError):
        earned["level-9"] = 0
