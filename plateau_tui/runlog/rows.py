"""One row of ``rows.jsonl``: a unit in a cycle."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, TypedDict

import msgspec

from plateau_tui.metric.objectives import HOARD_ITEM
from plateau_tui.metric.scoring import Score
from plateau_tui.runlog.times import parse_ms

ROW_SCHEMA: Final = "plateau_row/1"
Whole = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""A number that every reader can add up and print; JSON itself sets no limit."""
CycleNumber = Annotated[int, msgspec.Meta(ge=0, le=10**9)]
Counts = dict[str, Whole | None]
Number = Whole | float | None


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row as it stands in the file, keys in the file's order; ``chain`` is set when written."""

    schema: str = ROW_SCHEMA
    poll_ts: str
    read_ts: str | None
    cycle: CycleNumber
    collector_id: str
    arm: str
    role: Literal["treatment", "control"]
    kin: Whole
    uni: str
    online: bool | None
    rcon_ok: bool
    placed_used: Counts
    mined: Counts
    crafted: Counts
    extra: Counts
    inv_now: Counts
    baseline_wood: str | None
    placed_used_total: Whole | None
    distinct_block_types: Whole | None
    distinct_mined_beyond: Whole | None
    pickaxe_hoard: Whole | None
    primary: bool | None
    secondary: bool | None
    plateau_break: bool | None
    probe_ok: bool | None = None
    probe_arm: str | None = None
    phase: Number = None
    novelty_gain: Number = None
    action_entropy: Number = None
    learned_cells: Number = None
    tick: Number = None
    novelty_W_a: Number = None  # noqa: N815 - the log's own key
    novelty_W_b: Number = None  # noqa: N815 - the log's own key
    live_cur: Whole | None
    live_ctrl: Whole | None
    span_ms: Number
    pair_skew_ms: Number
    read: Literal["list", "get"] | None
    note: str
    chain: str = ""


TELEMETRY: Final = (
    "phase",
    "novelty_gain",
    "action_entropy",
    "learned_cells",
    "tick",
    "novelty_W_a",
    "novelty_W_b",
)
"""The keys that only the probe fills."""

_ROW_DECODER: Final = msgspec.json.Decoder(Row)
_ROW_ENCODER: Final = msgspec.json.Encoder()
_CHAIN: Final = b',"chain":'


def encode_row(row: Row) -> bytes:
    """Return the row as a compact JSON object without its chain."""
    return _ROW_ENCODER.encode(row).rpartition(_CHAIN)[0] + b"}"


def decode_row(line: bytes) -> Row:
    """Return the row that a line holds.

    Raises:
        msgspec.MsgspecError: the line is no row of this schema.
        UnicodeDecodeError: the line is not UTF-8.

    """
    row = _ROW_DECODER.decode(line)
    if row.schema != ROW_SCHEMA:
        raise msgspec.ValidationError(f"schema {row.schema[:40]!r} is not {ROW_SCHEMA}")
    require_times(row.poll_ts, row.read_ts)
    return row


def require_times(*texts: str | None) -> None:
    """Insist that each text is a time as the log writes it, where there is one.

    Raises:
        msgspec.ValidationError: one is not.

    """
    try:
        for text in texts:
            if text is not None:
                parse_ms(text)
    except ValueError as error:
        raise msgspec.ValidationError(str(error)) from None


class Derived(TypedDict):
    """A row's derived fields: receipts of what the raw counters say."""

    placed_used_total: int | None
    distinct_block_types: int | None
    distinct_mined_beyond: int | None
    pickaxe_hoard: int | None
    primary: bool | None
    secondary: bool | None
    plateau_break: bool | None


def derived(score: Score, inv_now: Mapping[str, int | None]) -> Derived:
    """Return the derived fields of a row with this score and this inventory."""
    return {
        "placed_used_total": score.placed_used_total,
        "distinct_block_types": score.distinct_block_types,
        "distinct_mined_beyond": score.distinct_mined_beyond,
        "pickaxe_hoard": inv_now.get(HOARD_ITEM),
        "primary": score.primary,
        "secondary": score.secondary,
        "plateau_break": score.plateau_break,
    }
