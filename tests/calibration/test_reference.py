import json
import re
from pathlib import Path
from typing import Any

import make_references
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.calibration.catalog import load_target, target_ids
from plateau_tui.calibration.contract import (
    Check,
    EventCheck,
    FrameCheck,
    NumberCheck,
    SaveCheck,
)
from plateau_tui.calibration.declare import Declarations
from plateau_tui.calibration.derive import derive_contract
from plateau_tui.calibration.errors import ContractError, TargetError
from plateau_tui.calibration.evidence import snapshot, trajectory
from plateau_tui.calibration.reference import parse_reference, read_reference

RUN = trajectory(
    [
        snapshot(
            {"score": score, "lives": 3 - (score > 20)},
            save={"level": score // 10},
            screen={"cells": score + 1},
            events=["began"] if score else [],
            screen_hash=f"{score:064x}",
            save_hash=f"{score + 1:064x}",
        )
        for score in (0, 0, 20, 40)
    ]
)


def reference(*rules: dict[str, Any], **more: object) -> bytes:
    value = {"schemaVersion": 1, "seed": 0, "inputs": ["a", "b", "c"], "milestones": rules}
    return json.dumps(value | more).encode()


def rule(**keys: object) -> dict[str, Any]:
    return {"id": "m", "tier": "engine-state", "variable": "score", "op": ">", "trigger": 0} | keys


def derived(**keys: object) -> object:
    rules = parse_reference(reference(rule(**keys)), "test").rules
    return derive_contract("game", rules, RUN).milestones[0].check


SAMPLED: dict[str, tuple[dict[str, Any], Check]] = {
    "the value where it opens, not the trigger": ({}, NumberCheck("engine.score", ">=", 20)),
    "with the operator of the sample": (
        {"variable": "lives", "op": "<", "trigger": 3, "sampleOp": "=="},
        NumberCheck("engine.lives", "==", 2),
    ),
    "a number of the screen": (
        {"tier": "screen-frame", "sample": "frame-path", "path": "cells"},
        NumberCheck("screen.cells", ">=", 21),
    ),
    "a number of the saved state": (
        {"tier": "save-file", "sample": "save-path", "path": "level"},
        NumberCheck("save.level", ">=", 2),
    ),
    "the screen": ({"tier": "screen-frame", "sample": "frame-hash"}, FrameCheck(f"{20:064x}")),
    "the saved state": ({"tier": "save-file", "sample": "save-hash"}, SaveCheck(f"{21:064x}")),
    "another number than the trigger's": (
        {"path": "lives", "sampleOp": "=="}, NumberCheck("engine.lives", "==", 3),
    ),
    "a literal": ({"value": 7, "sampleOp": ">"}, NumberCheck("engine.score", ">", 7)),
}  # fmt: skip


@pytest.mark.parametrize("name", SAMPLED)
def test_what_is_sampled_at_the_trigger(name: str) -> None:
    keys, check = SAMPLED[name]
    assert derived(**keys) == check


def test_a_rule_may_open_after_a_number_of_inputs() -> None:
    rules = [{"id": "m", "tier": "engine-state", "variable": "score", "after": after}
             for after in (0, 3)]  # fmt: skip
    found = [
        derive_contract("game", parse_reference(reference(r), "test").rules, RUN) for r in rules
    ]
    assert [c.milestones[0].check for c in found] == [
        NumberCheck("engine.score", ">=", 0), NumberCheck("engine.score", ">=", 40),
    ]  # fmt: skip


def test_an_event_opens_where_it_is_first_logged_or_where_the_rule_says() -> None:
    plain = {"id": "m", "tier": "log-event", "sample": "event", "event": "began"}
    for r in (plain, plain | {"after": 3}):
        contract = derive_contract("game", parse_reference(reference(r), "test").rules, RUN)
        assert contract.milestones[0].check == EventCheck("began")


UNSAMPLED: dict[str, tuple[dict[str, Any], str]] = {
    "never": ({"trigger": 99}, "m: the reference never reaches score > 99"),
    "a channel that is gone": (
        {"variable": "scores", "after": 1, "trigger": None}, "engine.scores is not published",
    ),
    "a trigger on a channel that is gone": ({"variable": "scores"}, "never reaches scores > 0"),
    "a literal that does not hold": ({"value": 21}, "engine.score is 20 after 2 inputs, where >="),
    "after the end": ({"after": 4, "trigger": None}, "the reference has only 3"),
    "an event not logged there": (
        {"tier": "log-event", "sample": "event", "event": "began", "after": 1, "trigger": None},
        "the log has no event 'began' after 1 inputs",
    ),
    "an event never logged": (
        {"tier": "log-event", "sample": "event", "event": "ended", "trigger": None},
        "never logs the event 'ended'",
    ),
    "a hash of the wrong tier": (
        {"sample": "frame-hash"}, "evidence of tier screen-frame, not engine-state",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNSAMPLED)
def test_a_rule_that_nothing_can_be_sampled_for_is_refused(name: str) -> None:
    keys, text = UNSAMPLED[name]
    kept = {key: value for key, value in rule(**keys).items() if value is not None}
    rules = parse_reference(reference(kept), "test").rules
    with pytest.raises(ContractError, match=re.escape(text)):
        derive_contract("game", rules, RUN)


UNREADABLE = {
    "not JSON": (b"{", "is not JSON"),
    "no object": (b"[]", "must be one JSON object"),
    "no rules": (reference(), "milestones: must hold at least one rule"),
    "another count": (reference(rule(), inputCount=4), "inputCount: does not agree with the 3"),
    "no inputs": (reference(rule(), inputs=[]), "inputs: must hold 1 to"),
    "another schema": (reference(rule(), schemaVersion=2), "schemaVersion: is 2"),
    "an unknown key": (reference(rule(triger=1)), "unknown key; the nearest is 'trigger'"),
    "two places": (reference(rule(after=1)), "after: cannot stand beside a trigger"),
    "no place": (
        reference({"id": "m", "tier": "engine-state", "variable": "x"}), "trigger: is missing",
    ),
    "no tier": (
        reference({key: value for key, value in rule().items() if key != "tier"}), "tier: ",
    ),
    "a tier that is no text": (reference(rule(tier=5)), "tier: "),
    "an unknown declaration": (
        reference(rule(), declared={"non_seperating": "x"}), "the nearest is 'non_separating'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_reference_that_says_nothing_sound_is_refused_by_its_key(name: str) -> None:
    text, message = UNREADABLE[name]
    with pytest.raises(ContractError, match=re.escape(message)):
        parse_reference(text, "test.json")


@given(st.binary(max_size=300))
def test_bytes_that_are_no_reference_are_a_contract_error(text: bytes) -> None:
    with pytest.raises(ContractError):
        parse_reference(text, "test")


def test_a_key_that_stands_twice_in_a_reference_is_one_line() -> None:
    ours = make_references.as_text("save-levels")
    text = ours.replace('"declared": {', '"declared": {}, "declared": {', 1)
    with pytest.raises(ContractError) as refused:
        parse_reference(text.encode(), "mine.json")
    assert str(refused.value) == (
        "mine.json: the key 'declared' stands more than once in one object; leave one of them"
    )


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ContractError, match="No such file"):
        read_reference(tmp_path / "nothing.json")


def test_declarations_are_read_as_they_stand() -> None:
    declared = {
        "non_separating": "Because.", "attrition_checks": ["a"], "gated_behind": "b",
        "opaque_checks": ["c", "d"], "weak_checks": ["e"],
    }  # fmt: skip
    found = parse_reference(reference(rule(), declared=declared), "test").declared
    assert found == Declarations("Because.", ("a",), "b", ("c", "d"), ("e",))
    assert found.as_dict() == declared


def test_keys_of_the_target_are_kept_as_settings() -> None:
    found = parse_reference(reference(rule(), frames=4, kwargs={"a": [1]}), "test")
    assert found.settings == {"frames": 4, "kwargs": {"a": [1]}}


@pytest.mark.parametrize("name", ["native-2048", "save-levels", "screen-puzzle", "engine-crawler"])
def test_what_ships_is_what_the_script_records(name: str) -> None:
    file = make_references.REFERENCES / f"{name}.json"
    assert file.read_text("utf-8") == make_references.as_text(name)


@pytest.mark.parametrize("name", target_ids())
def test_every_target_ships_a_reference_under_its_name(name: str) -> None:
    target = load_target(name)
    assert target.id == name
    assert target.reference().inputs


def test_an_unknown_target_names_the_nearest() -> None:
    with pytest.raises(TargetError, match="there is no target 'native2048'; the nearest is 'nat"):
        load_target("native2048")
