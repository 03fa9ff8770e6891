import hashlib
import json
import re

import pytest
from calibration.games import at_least, contract_of, patient
from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.calibration.contract import (
    OPS,
    Check,
    Contract,
    EventCheck,
    FrameCheck,
    Milestone,
    NumberCheck,
    SaveCheck,
    Tier,
)
from plateau_tui.calibration.contractfile import (
    contract_from_json,
    contract_from_toml,
    contract_hash,
    contract_to_json,
    contract_to_toml,
)
from plateau_tui.calibration.errors import ContractError
from plateau_tui.calibration.evidence import GROUPS

HASH = "0123456789abcdef" * 4
OF_GROUP = {"engine": Tier.ENGINE, "save": Tier.SAVE, "screen": Tier.SCREEN}
names = st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{0,20}", fullmatch=True)
hashes = st.text("0123456789abcdef", min_size=64, max_size=64)
events = st.text(min_size=1, max_size=40).filter(lambda text: text.isprintable())


@st.composite
def tiers_and_checks(draw: st.DrawFn) -> tuple[Tier, Check]:
    kind = draw(st.sampled_from(["number", "event", "frame", "save"]))
    if kind == "event":
        return Tier.LOG, EventCheck(draw(events))
    if kind == "frame":
        return Tier.SCREEN, FrameCheck(draw(hashes))
    if kind == "save":
        return Tier.SAVE, SaveCheck(draw(hashes))
    group = draw(st.sampled_from(GROUPS))
    value = draw(st.integers(-(2**63), 2**63 - 1))
    channel = f"{group}.{draw(names)}"
    return OF_GROUP[group], NumberCheck(channel, draw(st.sampled_from(OPS)), value)


@st.composite
def contracts(draw: st.DrawFn) -> Contract:
    ids = draw(
        st.lists(
            st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,20}", fullmatch=True),
            min_size=1, max_size=8, unique=True,
        )
    )  # fmt: skip
    milestones = []
    for place, name in enumerate(ids):
        tier, check = draw(tiers_and_checks())
        before = st.lists(st.sampled_from(ids[:place]), unique=True, max_size=3)
        requires = tuple(draw(before)) if place else ()
        milestones.append(Milestone(name, tier, check, requires))
    return Contract(draw(st.sampled_from(["breakout", "plateau-break"])), tuple(milestones))


@given(contracts())
@patient
def test_a_contract_survives_toml_and_json_and_keeps_its_hash(contract: Contract) -> None:
    from_toml = contract_from_toml(contract_to_toml(contract).encode("utf-8"))
    from_json = contract_from_json(contract_to_json(contract).encode("utf-8"))
    assert from_toml == from_json == contract
    assert contract_hash(from_toml) == contract_hash(from_json) == contract_hash(contract)


@given(contracts(), contracts())
@patient
def test_two_contracts_have_one_hash_only_when_they_are_the_same(
    one: Contract, other: Contract
) -> None:
    assert (contract_hash(one) == contract_hash(other)) is (one == other)


def test_the_hash_is_that_of_sorted_json_without_spaces() -> None:
    contract = contract_of(at_least("depth", 2))
    canonical = (
        b'{"milestones":[{"check":{"channel":"engine.depth","kind":"number","op":">=","value":2},'
        b'"id":"depth-2","requires":[],"tier":"engine-state"}],'
        b'"schema":"plateau_contract/1","target":"counters"}'
    )
    assert contract_hash(contract) == hashlib.sha256(canonical).hexdigest()


@given(contracts())
@patient
def test_opaque_is_a_hash_and_all_that_requires_one(contract: Contract) -> None:
    opaque: set[str] = set()
    for m in contract.milestones:
        if isinstance(m.check, FrameCheck | SaveCheck) or opaque & set(m.requires):
            opaque.add(m.id)
    assert set(contract.opaque) == opaque
    assert set(contract.legible) == set(contract.ids) - opaque


def milestone(name: str, *requires: str) -> Milestone:
    return Milestone(name, Tier.ENGINE, NumberCheck("engine.x", ">=", 1), requires)


INVALID = {
    "no milestone": ((), "there is no milestone"),
    "a duplicate": ((milestone("a"), milestone("a")), "a: the id stands 2 times"),
    "an unknown requirement": ((milestone("a", "b"),), "a: requires 'b', which is no milestone"),
    "itself": ((milestone("a", "a"),), "requires is cyclic: a -> a"),
    "a cycle": (
        (milestone("a", "c"), milestone("b", "a"), milestone("c", "b")),
        "requires is cyclic: ",
    ),
    "the wrong order": ((milestone("a", "b"), milestone("b")), "a: requires b, which must stand"),
    "a requirement twice": (
        (milestone("a"), milestone("b", "a", "a")), "b: requires names a milestone twice",
    ),
    "an id of two words": ((milestone("a b"),), "'a b' is not an id"),
    "a number of another tier": (
        (Milestone("a", Tier.SCREEN, NumberCheck("engine.x", ">=", 1)),),
        "channel engine.x is evidence of tier engine-state, not screen-frame",
    ),
    "an event of another tier": (
        (Milestone("a", Tier.ENGINE, EventCheck("x")),), "an event is evidence of tier log-event",
    ),
    "a frame of another tier": (
        (Milestone("a", Tier.SAVE, FrameCheck(HASH)),), "evidence of tier screen-frame, not save",
    ),
    "a save of another tier": (
        (Milestone("a", Tier.SCREEN, SaveCheck(HASH)),), "evidence of tier save-file, not screen",
    ),
    "a short hash": ((Milestone("a", Tier.SAVE, SaveCheck("00")),), "a hash is 64 hex digits"),
    "no channel": (
        (Milestone("a", Tier.ENGINE, NumberCheck("score", ">=", 1)),), "'score' is not a channel",
    ),
    "a number too large": (
        (Milestone("a", Tier.ENGINE, NumberCheck("engine.x", ">=", 2**63)),), "64 bits",
    ),
    "an empty event": ((Milestone("a", Tier.LOG, EventCheck("")),), "one printable line"),
}  # fmt: skip


@pytest.mark.parametrize("case", INVALID)
def test_a_contract_that_says_nothing_sound_is_refused_by_name(case: str) -> None:
    milestones, text = INVALID[case]
    with pytest.raises(ContractError, match=re.escape(text)):
        Contract("game", milestones)


@given(st.permutations(range(7)), st.data())
def test_any_cycle_is_found(order: list[int], data: st.DataObject) -> None:
    length = data.draw(st.integers(1, 7))
    ring = [f"m{n}" for n in order[:length]]
    requires = {ring[n]: ring[(n + 1) % length] for n in range(length)}
    milestones = tuple(
        milestone(f"m{n}", *([requires[f"m{n}"]] if f"m{n}" in requires else [])) for n in range(7)
    )
    with pytest.raises(ContractError, match="requires is cyclic"):
        Contract("game", milestones)


def test_a_file_names_every_problem_by_its_key() -> None:
    text = json.dumps(
        {
            "schema": "plateau_contract/1",
            "target": "game",
            "milestone": [],
            "milestones": [
                {"id": "a", "tier": "engine", "check": {"kind": "number", "op": "=>"}},
            ],
        }
    )
    with pytest.raises(ContractError) as refused:
        contract_from_json(text.encode())
    for part in ("milestone: unknown key; the nearest is 'milestones'", "milestones[0].tier",
                 "milestones[0].check.op", "milestones[0].check.channel: is missing"):  # fmt: skip
        assert part in str(refused.value)


TWICE = {
    "target": ('"target": "game",', '"target": "game", "target": "other",'),
    "id": ('"id": "x-1",', '"id": "x-1", "id": "x-2",'),
    "value": ('"value": 1', '"value": 1, "value": 9'),
    "check": ('"check": {', '"check": {}, "check": {'),
}


@pytest.mark.parametrize("key", TWICE)
def test_a_key_that_stands_twice_in_a_contract_is_one_line(key: str) -> None:
    """Python takes the last of two, and says nothing of the first."""
    text = contract_to_json(Contract("game", (at_least("x", 1),)))
    once, twice = TWICE[key]
    assert text.count(once) == 1
    with pytest.raises(ContractError) as refused:
        contract_from_json(text.replace(once, twice).encode())
    assert str(refused.value) == (
        f"contract.json: the key {key!r} stands more than once in one object; leave one of them"
    )


@pytest.mark.parametrize("line", ['target = "game"', 'schema = "plateau_contract/1"'])
def test_a_key_that_stands_twice_in_toml_is_one_line(line: str) -> None:
    text = contract_to_toml(Contract("game", (at_least("x", 1),)))
    assert line in text
    with pytest.raises(ContractError, match="is not valid TOML: Cannot overwrite a value") as no:
        contract_from_toml(text.replace(line, f"{line}\n{line}").encode())
    assert "\n" not in str(no.value)


@given(st.binary(max_size=200))
def test_bytes_that_are_no_contract_are_a_contract_error(text: bytes) -> None:
    for read in (contract_from_json, contract_from_toml):
        with pytest.raises(ContractError):
            read(text)


@pytest.mark.parametrize("text", ["[" * 100_000, "1" * 5_000, "null", "[]"])
def test_a_file_made_to_keep_a_parser_busy_is_refused(text: str) -> None:
    with pytest.raises(ContractError):
        contract_from_json(text.encode())
