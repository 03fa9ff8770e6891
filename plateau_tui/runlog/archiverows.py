"""One line of a finished log as a row, ours or the lab's earlier collector's.

Sources: run-log.md, "A row" and "Files from the lab's earlier collector".
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Annotated, Final, Literal

import msgspec

from plateau_tui.metric.objectives import HOARD_ITEM, MINE_BLOCKS, PLACE_BLOCKS
from plateau_tui.runlog.rows import ROW_SCHEMA, Counts, Row, Whole, decode_row
from plateau_tui.runlog.times import format_ms

EARLIER_SCHEMA: Final = "phase2_red/1"
ArchiveKind = Literal["rows", "earlier"]
DecodeRow = Callable[[bytes], Row]
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
"""What some editors put before the first line of UTF-8; it is no part of a row."""
UNREADABLE: Final = (msgspec.MsgspecError, ValueError, RecursionError)

_CONTROL: Final = "control"
_TREATMENT: Final = "treatment"
_NOTE_CELLS: Final = 400


class _Rcon(msgspec.Struct):
    placed_used: Counts = {}
    mined: Counts = {}
    crafted: Counts = {}
    inv_now: Counts = {}
    rcon_ok: bool | None = None
    error: str | None = None


class _EarlierRow(msgspec.Struct):
    schema: str
    cycle: Annotated[int, msgspec.Meta(ge=0, lt=32_503_680_000)]
    arm: str
    uni: str
    kin: Whole = 0
    collector_id: str = ""
    rcon: _Rcon | None = None


class _Head(msgspec.Struct):
    schema: str | None = None
    event: str | None = None


_EARLIER_DECODER: Final = msgspec.json.Decoder(_EarlierRow)
_HEAD_DECODER: Final = msgspec.json.Decoder(_Head)
_UNREAD: Final[Mapping[str, Counts]] = {
    "placed": dict.fromkeys(PLACE_BLOCKS),
    "mined": dict.fromkeys(MINE_BLOCKS),
}


class EarlierRows:
    """Decodes ``phase2_red/1``: counters under ``rcon``, ``cycle`` in seconds since 1970.

    Its rows name an arm and no role. ``control`` is the control arm and ``treatment`` the other;
    where a file has other labels, the first that it has is the treatment, and ``assumed`` says so.
    """

    def __init__(self) -> None:
        self.roles: dict[str, Literal["treatment", "control"]] = {}

    @property
    def assumed(self) -> bool:
        """Whether the roles of the arms were not what the file says."""
        return any(label not in {_CONTROL, _TREATMENT} for label in self.roles)

    def _role(self, arm: str) -> Literal["treatment", "control"]:
        role = self.roles.get(arm)
        if role is None:
            taken = set(self.roles.values())
            wanted: Literal["treatment", "control"] = "treatment"
            if arm == _CONTROL or (arm != _TREATMENT and "treatment" in taken):
                wanted = "control"
            if wanted in taken:
                raise msgspec.ValidationError(f"arm {arm[:40]!r} is a third one")
            role = self.roles[arm] = wanted
        return role

    def __call__(self, line: bytes) -> Row:
        """Return the row that a line holds; what was not read is None.

        Raises:
            msgspec.MsgspecError: the line is no row of this schema.
            UnicodeDecodeError: the line is not UTF-8.

        """
        found = _EARLIER_DECODER.decode(line.removeprefix(BYTE_ORDER_MARK))
        if found.schema != EARLIER_SCHEMA:
            raise msgspec.ValidationError(f"schema {found.schema[:40]!r} is not {EARLIER_SCHEMA}")
        rcon = found.rcon
        read = rcon is not None and rcon.rcon_ok is not False
        placed = rcon.placed_used if rcon and read else _UNREAD["placed"]
        mined = rcon.mined if rcon and read else _UNREAD["mined"]
        poll_ts = _time_text(found.cycle)
        held = rcon.inv_now if rcon and read else {}
        return Row(
            schema=EARLIER_SCHEMA,
            poll_ts=poll_ts,
            read_ts=poll_ts,
            cycle=found.cycle,
            collector_id=found.collector_id,
            arm=found.arm,
            role=self._role(found.arm),
            kin=found.kin,
            uni=found.uni,
            online=None,
            rcon_ok=read,
            placed_used=placed,
            mined=mined,
            crafted=rcon.crafted if rcon and read else {},
            extra={},
            inv_now=held,
            baseline_wood=None,
            placed_used_total=None,
            distinct_block_types=None,
            distinct_mined_beyond=None,
            pickaxe_hoard=held.get(HOARD_ITEM),
            primary=None,
            secondary=None,
            plateau_break=None,
            live_cur=None,
            live_ctrl=None,
            span_ms=None,
            pair_skew_ms=None,
            read=None,
            note=((rcon.error if rcon else None) or "")[:_NOTE_CELLS],
        )


@lru_cache(maxsize=16)  # the rows of a cycle share their second
def _time_text(second: int) -> str:
    return format_ms(second * 1000)


def kind_of_line(line: bytes) -> tuple[ArchiveKind | None, str]:
    """Return what kind of log a line is of, or None and what it is instead."""
    try:
        head = _HEAD_DECODER.decode(line.removeprefix(BYTE_ORDER_MARK))
    except UNREADABLE:
        return None, "no JSON object"
    if head.schema == ROW_SCHEMA:
        return "rows", ""
    if head.schema == EARLIER_SCHEMA:
        return "earlier", ""
    if head.event is not None:
        return None, "an entry of a journal"
    return None, f"of schema {head.schema[:40]!r}" if head.schema else "no row"


def decoder_of(kind: ArchiveKind) -> DecodeRow:
    """Return what turns a line of this kind into a row."""
    return _decode_ours if kind == "rows" else EarlierRows()


def _decode_ours(line: bytes) -> Row:
    return decode_row(line.removeprefix(BYTE_ORDER_MARK))
