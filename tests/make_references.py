"""Record the references that ship with the program.

Usage: python tests/make_references.py [TARGET ...]
"""

import json
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from plateau_references import PLATEAU
from record_games import GAME_RECORDERS

REFERENCES: Final = Path(__file__).parents[1] / "plateau_tui" / "calibration" / "references"
_DEMONSTRATION: Final = (
    "A demonstration of the tiers of evidence: it exercises the calibration and grades no play."
)


def native_2048() -> dict[str, object]:
    cycle = ["left", "down", "right", "down", "left", "up", "right", "up"]

    def at(name: str, op: str, bound: int) -> dict[str, object]:
        return {"variable": name, "op": op, "trigger": bound}

    def engine(name: str, op: str, bound: int) -> dict[str, object]:
        return {"tier": "engine-state", **at(name, op, bound)}

    rules = chained(
        {
            "first-legal-move": engine("moves", ">=", 1),
            "first-merge": engine("score", ">", 0),
            "tile-8-engine": engine("maxTile", ">=", 8),
            "tile-8-event": {"tier": "log-event", "sample": "event", "event": "tile-8"},
            "save-at-tile-16": {
                "tier": "save-file", "sample": "save-path", "path": "maxTile",
                **at("maxTile", ">=", 16),
            },
            "frame-at-tile-16": {
                "tier": "screen-frame", "sample": "frame-path", "path": "maxTile",
                **at("maxTile", ">=", 16),
            },
            "tile-32": engine("maxTile", ">=", 32),
        }
    )  # fmt: skip
    return reference(
        cycle * 3 + ["left", "down"],
        rules,
        "a fixed cycle of directions",
        {"non_separating": _DEMONSTRATION, "gated_behind": "first-legal-move"},
    )


def save_levels() -> dict[str, object]:
    rules = chained(
        {
            "level-2-saved": {"tier": "save-file", "sample": "save-hash", "after": 3},
            "level-2-logged": {
                "tier": "log-event", "sample": "event", "event": "reached-level-2", "after": 3,
            },
        }
    )  # fmt: skip
    return reference(
        ["clear", "grind", "clear"],
        rules,
        "two levels and a star",
        {
            "non_separating": _DEMONSTRATION,
            "gated_behind": "level-2-saved",
            "opaque_checks": ["level-2-saved", "level-2-logged"],
        },
    )


def screen_puzzle() -> dict[str, object]:
    rules = chained(
        {
            "midway-frame": {"tier": "screen-frame", "sample": "frame-hash", "after": 4},
            "east-gate-frame": {"tier": "screen-frame", "sample": "frame-hash", "after": 8},
        }
    )
    return reference(
        ["r"] * 8,
        rules,
        "the straight way to the east",
        {
            "non_separating": _DEMONSTRATION,
            "gated_behind": "midway-frame",
            "opaque_checks": ["midway-frame", "east-gate-frame"],
        },
    )


def engine_crawler() -> dict[str, object]:
    def engine(name: str, op: str, after: int, **more: object) -> dict[str, object]:
        return {"tier": "engine-state", "variable": name, "after": after, "sampleOp": op, **more}

    rules = [
        {"id": "room-1", **engine("room", ">=", 1)},
        {"id": "hp-untouched", **engine("hpExact", "==", 1)},
        {"id": "room-2-plus", **engine("room", ">", 3, value=2), "requires": ["room-1"]},
        {"id": "room-3", **engine("room", ">=", 3), "requires": ["room-1"]},
    ]
    return reference(
        ["right"] * 3, rules, "three rooms to the right", {"non_separating": _DEMONSTRATION}
    )


def chained(rules: Mapping[str, Mapping[str, object]]) -> list[dict[str, object]]:
    """Give each rule its id and let it require the one before."""
    ids = list(rules)
    return [
        {"id": name, **rule} | ({"requires": [ids[n - 1]]} if n else {})
        for n, (name, rule) in enumerate(rules.items())
    ]


def reference(
    inputs: list[str], rules: list[dict[str, object]], source: str, declared: dict[str, object]
) -> dict[str, object]:
    return {
        "schemaVersion": 1,
        "seed": 0,
        "milestones": rules,
        "declared": declared,
        "provenance": {"source": source, "recordedBy": "tests/make_references.py"},
        "inputCount": len(inputs),
        "inputs": inputs,
    }


RECORDERS: Final[Mapping[str, Callable[[], dict[str, object]]]] = {
    "native-2048": native_2048,
    "save-levels": save_levels,
    "screen-puzzle": screen_puzzle,
    "engine-crawler": engine_crawler,
    **{name: partial(reference, *parts) for name, parts in PLATEAU.items()},
}


def as_text(name: str) -> str:
    """Return the text of a reference file, as it is recorded now."""
    recorder = RECORDERS.get(name) or GAME_RECORDERS[name]
    return json.dumps(recorder(), indent=1) + "\n"


def main() -> None:
    for name in sys.argv[1:] or (*GAME_RECORDERS, *RECORDERS):
        (REFERENCES / f"{name}.json").write_text(as_text(name), encoding="utf-8")


if __name__ == "__main__":
    main()
