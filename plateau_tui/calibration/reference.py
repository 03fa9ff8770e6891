"""A reference: the inputs that were played, the rules of its milestones, what is declared.

The format is that of the published ``reference-*.json``. A rule says where a milestone opens on
the reference, and what of the evidence is sampled there (fixtures, "Common rules"). Beyond the
published keys: a rule may open ``after`` a fixed number of inputs, sample a ``save-path`` or an
``event``, or give a literal ``value``; ``declared`` holds the declarations of the contract.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, cast, get_args

from plateau_tui.calibration.contract import OPS, Op, Tier
from plateau_tui.calibration.declare import NOTHING_DECLARED, Declarations, read_declarations
from plateau_tui.calibration.errors import ContractError
from plateau_tui.calibration.jsontext import json_object
from plateau_tui.metric.tables import ConfigError, Problems, Table
from plateau_tui.plainfile import given_bytes

Sample = Literal["number", "frame-path", "save-path", "frame-hash", "save-hash", "event"]
SAMPLES: Final[tuple[Sample, ...]] = get_args(Sample)
_MAX_BYTES: Final = 4_194_304
_MAX_INPUTS: Final = 1_000_000
_INT_LIMIT: Final = 2**63 - 1
_OWN_KEYS: Final = frozenset({"schemaVersion", "seed", "inputs", "inputCount", "milestones",
                              "declared"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Trigger:
    """The first snapshot at which a number of the engine group compares so."""

    variable: str
    op: Op
    bound: int


@dataclass(frozen=True, slots=True)
class Rule:
    """Where a milestone opens (``after`` inputs, or at ``trigger``) and what is sampled there.

    ``path`` is the number's name, without its group; ``value`` a literal instead of the sample.
    An event may do without a place: it opens where it is first seen.
    """

    id: str
    tier: Tier
    sample: Sample
    path: str | None
    event: str | None
    trigger: Trigger | None
    after: int | None
    op: Op
    value: int | None
    requires: tuple[str, ...]


@dataclass(frozen=True)
class Reference:
    """What was played: the replay seed, the inputs, the rules; ``settings`` are the target's own.

    ``settings`` holds every key of the file that is not common to all references (``frames``,
    ``kwargs``, ``channels``, …), as decoded from JSON.
    """

    source: str
    seed: int
    inputs: tuple[str, ...]
    rules: tuple[Rule, ...]
    declared: Declarations
    settings: Mapping[str, Any]


def read_reference(path: Path) -> Reference:
    """Read a reference file.

    Raises:
        ContractError: it cannot be read or says something that cannot be used.

    """
    try:
        text = given_bytes(path, _MAX_BYTES)
    except OSError as error:
        raise ContractError(str(path), (error.strerror or "cannot be read",)) from None
    return parse_reference(text, str(path))


def parse_reference(text: bytes, source: str) -> Reference:
    """Read a reference; ``source`` names it in messages.

    Raises:
        ContractError: names every problem by its key's path.

    """
    problems = Problems(source)
    reference = _reference(Table(json_object(text, source, _MAX_BYTES), "", problems), source)
    try:
        problems.raise_if_any()
    except ConfigError as error:
        raise ContractError(source, error.problems) from None
    return reference


def _reference(top: Table, source: str) -> Reference:
    top.integer("schemaVersion", 1, low=1, high=1)
    inputs = top.texts("inputs", required=True)
    if not 0 < len(inputs) <= _MAX_INPUTS:
        top.wrong("inputs", f"must hold 1 to {_MAX_INPUTS} words")
    if top.integer("inputCount", len(inputs), low=0, high=_MAX_INPUTS) != len(inputs):
        top.wrong("inputCount", f"does not agree with the {len(inputs)} inputs")
    rules = tuple(_rule(table) for table in top.tables("milestones"))
    if not rules:
        top.wrong("milestones", "must hold at least one rule")
    return Reference(
        source=source,
        seed=top.integer("seed", low=-_INT_LIMIT, high=_INT_LIMIT),
        inputs=inputs,
        rules=rules,
        declared=read_declarations(top.table("declared")) if "declared" in top.values
        else NOTHING_DECLARED,
        settings={key: value for key, value in top.values.items() if key not in _OWN_KEYS},
    )  # fmt: skip


def _rule(table: Table) -> Rule:
    table.known("id", "tier", "sample", "path", "event", "variable", "op", "trigger", "after",
                "sampleOp", "value", "requires")  # fmt: skip
    sample = cast("Sample", table.choice("sample", SAMPLES, "number"))
    trigger = _trigger(table)
    after = _integer(table, "after", low=0, high=_MAX_INPUTS)
    if trigger is not None and after is not None:
        table.wrong("after", "cannot stand beside a trigger; leave one of them out")
    if trigger is None and after is None and sample != "event":
        table.wrong("trigger", "is missing; say where it opens: variable, op and trigger, or after")
    path: str | None = None
    if sample == "number":
        path = table.text("path", cast("str | None", table.values.get("variable")))
    elif sample in {"frame-path", "save-path"}:
        path = table.text("path")
    return Rule(
        id=table.text("id"),
        # Where there is none, that is among the problems, and nothing is returned.
        tier=Tier(table.choice("tier", tuple(Tier)) or Tier.ENGINE),
        sample=sample,
        path=path,
        event=table.text("event") if sample == "event" else None,
        trigger=trigger,
        after=after,
        op=cast("Op", table.choice("sampleOp", OPS, ">=")),
        value=_integer(table, "value", low=-_INT_LIMIT, high=_INT_LIMIT),
        requires=table.texts("requires"),
    )


def _trigger(table: Table) -> Trigger | None:
    bound = _integer(table, "trigger", low=-_INT_LIMIT, high=_INT_LIMIT)
    if bound is None:
        return None
    op = cast("Op", table.choice("op", OPS, ">="))
    return Trigger(table.text("variable"), op, bound)


def _integer(table: Table, key: str, *, low: int, high: int) -> int | None:
    return table.integer(key, low=low, high=high) if key in table.values else None
