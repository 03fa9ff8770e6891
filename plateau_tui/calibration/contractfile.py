"""A contract as TOML and as JSON, and the hash that is the same for both.

The hash is the SHA-256 of the canonical form: JSON with sorted keys, no spaces, ASCII only.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Final, cast

from plateau_tui.calibration.contract import (
    OPS,
    Check,
    Contract,
    EventCheck,
    FrameCheck,
    Milestone,
    NumberCheck,
    Op,
    SaveCheck,
    Tier,
)
from plateau_tui.calibration.errors import ContractError
from plateau_tui.calibration.jsontext import json_object
from plateau_tui.metric.tables import ConfigError, Problems, Table, parse_toml

CONTRACT_SCHEMA: Final = "plateau_contract/1"
_KINDS: Final = ("number", "event", "frame", "save")
_INT_LIMIT: Final = 2**63
_MAX_BYTES: Final = 262_144


def contract_to_dict(contract: Contract) -> dict[str, object]:
    """Return a contract as plain data."""
    return {
        "schema": CONTRACT_SCHEMA,
        "target": contract.target,
        "milestones": [
            {
                "id": m.id,
                "tier": m.tier.value,
                "requires": list(m.requires),
                "check": check_to_dict(m.check),
            }
            for m in contract.milestones
        ],
    }


def check_to_dict(check: Check) -> dict[str, object]:
    """Return a check as plain data."""
    match check:
        case NumberCheck(channel, op, value):
            return {"kind": "number", "channel": channel, "op": op, "value": value}
        case EventCheck(event):
            return {"kind": "event", "contains": event}
        case FrameCheck(sha256):
            return {"kind": "frame", "sha256": sha256}
        case SaveCheck(sha256):
            return {"kind": "save", "sha256": sha256}


def contract_hash(contract: Contract) -> str:
    """Return the hex SHA-256 of the canonical form."""
    return hashlib.sha256(canonical(contract_to_dict(contract))).hexdigest()


def canonical(value: Mapping[str, object]) -> bytes:
    """Return plain data as JSON with sorted keys, without spaces, in ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")


def contract_to_json(contract: Contract) -> str:
    """Return a contract as JSON for people, with a newline at the end."""
    return json.dumps(contract_to_dict(contract), indent=2) + "\n"


def contract_to_toml(contract: Contract) -> str:
    """Return a contract as TOML."""
    import tomlkit  # noqa: PLC0415 - only where a contract is written

    return tomlkit.dumps(contract_to_dict(contract))


def contract_from_json(text: bytes, source: str = "contract.json") -> Contract:
    """Read a contract from JSON.

    Raises:
        ContractError: names everything that is wrong.

    """
    return _contract(json_object(text, source, _MAX_BYTES), source)


def contract_from_toml(text: bytes, source: str = "contract.toml") -> Contract:
    """Read a contract from TOML.

    Raises:
        ContractError: names everything that is wrong.

    """
    try:
        top = parse_toml(text, source)
    except ConfigError as error:
        raise ContractError(source, error.problems) from None
    return _contract(top, source)


def _contract(values: Mapping[str, object], source: str) -> Contract:
    problems = Problems(source)
    top = Table(values, "", problems)
    top.known("schema", "target", "milestones")
    top.choice("schema", (CONTRACT_SCHEMA,))
    target = top.text("target")
    milestones = tuple(_milestone(table) for table in top.tables("milestones"))
    try:
        problems.raise_if_any()
    except ConfigError as error:
        raise ContractError(source, error.problems) from None
    try:
        return Contract(target, milestones)
    except ContractError as error:
        raise ContractError(source, error.problems) from None


def _milestone(table: Table) -> Milestone:
    table.known("id", "tier", "requires", "check")
    return Milestone(
        table.text("id"),
        # Where there is none, that is among the problems, and nothing is returned.
        Tier(table.choice("tier", tuple(Tier)) or Tier.ENGINE),
        _check(table.table("check")),
        table.texts("requires"),
    )


def _check(table: Table) -> Check:
    match table.choice("kind", _KINDS):
        case "number":
            table.known("kind", "channel", "op", "value")
            op = cast("Op", table.choice("op", OPS))
            value = table.integer("value", low=-_INT_LIMIT, high=_INT_LIMIT - 1)
            return NumberCheck(table.text("channel"), op, value)
        case "event":
            table.known("kind", "contains")
            return EventCheck(table.text("contains", empty=True))
        case kind:
            table.known("kind", "sha256")
            digest = table.text("sha256")
            return FrameCheck(digest) if kind == "frame" else SaveCheck(digest)
