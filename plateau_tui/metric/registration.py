"""The pre-registered gate as a value (seed §3): parsing, validation, the seal's hash.

The text of ``registration.toml`` is what is sealed; a ``Registration`` is what it says.
"""

import hashlib
import math
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, cast

from plateau_tui.metric.objectives import (
    METRIC_OBJECTIVES,
    GameIds,
    Objective,
    ObjectiveError,
    check_distinct,
    extension,
)
from plateau_tui.metric.scoring import PlaceReading, WoodReading
from plateau_tui.metric.tables import Problems, Table, parse_toml

REGISTRATION_SCHEMA: Final = "plateau_registration/1"
UNIT_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,16}")
_RUN_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_INTERVAL_METHODS: Final = (
    "exact_unconditional",
    "exact_melded",
    "tango",
    "bonett_price",
    "agresti_min",
    "newcombe10",
)
_MAX_CYCLES: Final = 10_000_000
_MIN_INTERVAL_S: Final = 0.2
_MAX_INTERVAL_S: Final = 7 * 24 * 3600
_MAX_WINDOW_MS: Final = 100 * 366 * 24 * 3600 * 1000
"""A hundred years: every slot of every window is then a time that can be written."""
_CHANCE: Final = 0.5

MOST_SEALED_PAIRS: Final = 100
"""A gate of more is not sealed: each look at its interval would take seconds, then minutes."""
MOST_UNITS: Final = 500
"""Units of one arm that are read at all."""

ArmRole = Literal["treatment", "control"]
StartCounts = Literal["zero", "offset"]
ContrastOn = Literal["plateau_break", "primary"]


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm; its i-th unit is paired with the i-th of the other arm, for good."""

    role: ArmRole
    label: str
    kin: int
    units: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """``cycles`` slots (N), ``interval_ms`` milliseconds apart."""

    interval_ms: int
    cycles: int

    @property
    def length_ms(self) -> int:
        """The window's length in milliseconds."""
        return self.interval_ms * self.cycles


@dataclass(frozen=True, slots=True)
class Gate:
    """The thresholds of §3: K_p, K_s, the margin on Δ's scale, the interval, the readings."""

    k_primary: int
    k_secondary: int
    margin: float
    confidence: float
    interval_method: str
    contrast_on: ContrastOn
    max_absent_polls: int
    wood: WoodReading
    place: PlaceReading
    start_counts: StartCounts
    accept: str


@dataclass(frozen=True)
class Unit:
    """A registered player: its arm and its pair's number, from 0."""

    name: str
    arm: Arm
    pair: int


@dataclass(frozen=True)
class Registration:
    """What a valid ``registration.toml`` says."""

    run_id: str
    variable: str
    later_gates: tuple[str, ...]
    treatment: Arm
    control: Arm
    window: Window
    gate: Gate
    arm_values: dict[str, str]
    extensions: tuple[Objective, ...]

    @cached_property
    def objectives(self) -> tuple[Objective, ...]:
        """All objectives of the run: the 19 of §2a, then the extensions."""
        return METRIC_OBJECTIVES + self.extensions

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """All units: the treatment arm in its order, then the control arm."""
        return tuple(
            Unit(name, arm, pair)
            for arm in (self.treatment, self.control)
            for pair, name in enumerate(arm.units)
        )

    @cached_property
    def pairs(self) -> tuple[tuple[Unit, Unit], ...]:
        """The pairs as (treatment unit, control unit)."""
        half = len(self.treatment.units)
        return tuple(zip(self.units[:half], self.units[half:], strict=True))


def seal_hash(text: bytes) -> str:
    """Return the seal: the hex SHA-256 of the registration's bytes."""
    return hashlib.sha256(text).hexdigest()


def parse_registration(
    text: bytes, ids: GameIds, source: str = "registration.toml"
) -> Registration:
    """Read and validate a registration.

    Args:
        text: the file's bytes.
        ids: the game's ids, for the extensions.
        source: the file's name for messages.

    Raises:
        ConfigError: names every problem by its key's path; a syntax error by its line.

    """
    problems = Problems(source)
    registration = _registration(Table(parse_toml(text, source), "", problems), ids)
    problems.raise_if_any()
    return registration


def _registration(top: Table, ids: GameIds) -> Registration:
    top.known(
        "schema", "run_id", "variable", "later_gates", "arms", "window", "gate", "probe",
        "objectives",
    )  # fmt: skip
    top.choice("schema", (REGISTRATION_SCHEMA,))
    run_id = top.text("run_id")
    if run_id and not _RUN_ID.fullmatch(run_id):
        top.wrong("run_id", "must be 1 to 64 of A-Z a-z 0-9 _ . - and begin with a letter or digit")
    treatment, control = _arms(top)
    window = _window(top.table("window"))
    probe = top.table("probe")
    probe.known("arm_values")
    return Registration(
        run_id=run_id,
        variable=top.text("variable"),
        later_gates=top.texts("later_gates"),
        treatment=treatment,
        control=control,
        window=window,
        gate=_gate(top.table("gate"), len(treatment.units), window.cycles),
        arm_values=_arm_values(probe),
        extensions=_extensions(top, ids),
    )


def _arms(top: Table) -> tuple[Arm, Arm]:
    arms = [_arm(table) for table in top.tables("arms")]
    by_role = {arm.role: arm for arm in arms}
    empty = Arm("treatment", "", 0, ())
    if len(arms) != 2 or set(by_role) != {"treatment", "control"}:  # noqa: PLR2004 - a pair
        top.wrong("arms", "must be exactly one treatment and one control arm")
        return by_role.get("treatment", empty), by_role.get("control", empty)
    treatment, control = by_role["treatment"], by_role["control"]
    if len(treatment.units) != len(control.units):
        top.wrong(
            "arms",
            f"the arms are paired, but treatment has {len(treatment.units)} units and control "
            f"{len(control.units)}",
        )
    if treatment.label == control.label:
        top.wrong("arms", f"both arms have the label '{control.label}'")
    seen: dict[str, str] = {}
    for name in treatment.units + control.units:
        if name.lower() in seen:
            top.wrong("arms", f"'{name}' and '{seen[name.lower()]}' are the same unit")
        seen.setdefault(name.lower(), name)
    return treatment, control


def _arm(table: Table) -> Arm:
    table.known("role", "label", "kin", "units")
    units = table.texts("units", required=True)
    if not units:
        table.wrong("units", "must name at least one unit")
    if len(units) > MOST_UNITS:
        table.wrong("units", f"are {len(units)}; at most {MOST_SEALED_PAIRS} can be sealed")
        units = units[:MOST_UNITS]
    for name in units:
        if not UNIT_NAME.fullmatch(name):
            table.wrong("units", f"{name!r} is not a player name: 1 to 16 of A-Z a-z 0-9 _ . -")
    label = table.text("label")
    if not label.isprintable() or len(label) > 32:  # noqa: PLR2004 - what a header can hold
        table.wrong("label", "must be at most 32 printable characters")
    return Arm(
        role=cast("ArmRole", table.choice("role", ("treatment", "control"))),
        label=label,
        kin=table.integer("kin", low=0, high=1_000_000),
        units=units,
    )


def _whole_milliseconds(seconds: float) -> bool:
    return round(seconds, 3) == seconds


def _window(table: Table) -> Window:
    table.known("interval_s", "cycles")
    seconds = table.number(
        "interval_s",
        f"from 0.2 to {_MAX_INTERVAL_S}, in whole milliseconds",
        lambda s: _MIN_INTERVAL_S <= s <= _MAX_INTERVAL_S and _whole_milliseconds(s),
    )
    interval_ms = 0 if math.isnan(seconds) else round(seconds * 1000)
    window = Window(interval_ms, table.integer("cycles", low=1, high=_MAX_CYCLES))
    if window.length_ms > _MAX_WINDOW_MS:
        table.wrong("cycles", f"is {window.cycles}: such a window exceeds 100 years")
    return window


def _gate(table: Table, units: int, cycles: int) -> Gate:
    table.known(
        "k_primary", "k_secondary", "margin", "confidence", "interval_method", "contrast_on",
        "max_absent_polls", "wood", "place", "start_counts", "accept",
    )  # fmt: skip
    margin = table.number("margin", "of at least 0 and below 1", lambda m: 0 <= m < 1)
    confidence = table.number(
        "confidence",
        "above 0.5 and below 1, like 0.95",
        lambda c: _CHANCE < c < 1,
    )
    return Gate(
        k_primary=table.integer("k_primary", low=1, high=max(units, 1)),
        k_secondary=table.integer("k_secondary", low=1, high=max(units, 1)),
        margin=margin,
        confidence=confidence,
        interval_method=table.choice("interval_method", _INTERVAL_METHODS, _INTERVAL_METHODS[0]),
        contrast_on=cast(
            "ContrastOn",
            table.choice("contrast_on", ("plateau_break", "primary"), "plateau_break"),
        ),
        max_absent_polls=table.integer("max_absent_polls", 3, low=0, high=max(3, cycles // 10)),
        wood=cast(
            "WoodReading", table.choice("wood", ("baseline_only", "all_logs"), "baseline_only")
        ),
        place=cast("PlaceReading", table.choice("place", ("any", "beyond_table"), "any")),
        start_counts=cast("StartCounts", table.choice("start_counts", ("zero", "offset"), "zero")),
        accept=table.text("accept", "", empty=True),
    )


def _arm_values(probe: Table) -> dict[str, str]:
    if "arm_values" not in probe.values:
        return {}
    table = probe.table("arm_values")
    table.known("treatment", "control")
    values = {role: table.text(role) for role in ("treatment", "control")}
    if values["treatment"] and values["treatment"] == values["control"]:
        table.wrong(
            "control", "is the same tag as the treatment's: it could not tell the arms apart"
        )
    return values


def _extensions(top: Table, ids: GameIds) -> tuple[Objective, ...]:
    section = top.table("objectives")
    section.known("extend")
    added: list[Objective] = []
    for table in section.tables("extend"):
        if section.problems.is_full:
            break  # each would be held against all that the game has
        table.known("name", "criterion")
        name, criterion = table.text("name"), table.text("criterion")
        if not (name and criterion):
            continue
        try:
            objective = extension(name, criterion, ids)
            check_distinct((*METRIC_OBJECTIVES, *added, objective))
        except ObjectiveError as error:
            section.problems.add(table.path, str(error))
        else:
            added.append(objective)
    return tuple(added)
