"""Runs on disk for the tests: written by the writer, or line by line as a forger would."""

import json
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path

from metric.texts import VALID, parsed

from plateau_tui.metric.objectives import CRAFT_ITEMS, HOARD_ITEM, MINE_BLOCKS, PLACE_BLOCKS
from plateau_tui.metric.registration import Registration, Unit
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder, create_run
from plateau_tui.runlog.rows import Row, derived
from plateau_tui.runlog.scorer import RowScorer
from plateau_tui.runlog.state import RunState
from plateau_tui.runlog.times import format_ms
from plateau_tui.runlog.verify import verify_run
from plateau_tui.runlog.writer import RunWriter

SLOT0 = 1_767_225_600_000  # 2026-01-01T00:00:00Z
COLLECTOR_ID = "0123abcd"
Json = dict[str, object]
Counts = dict[str, int | None]


def new_folder(path: Path, text: str = VALID, mode: int = 0o700) -> RunFolder:
    folder = RunFolder(path)
    create_run(folder, {"registration.toml": text}, mode)
    return folder


class Clock:
    """Milliseconds that move on by one with every look."""

    def __init__(self, ms: int = SLOT0) -> None:
        self.ms = ms

    def __call__(self) -> int:
        self.ms += 1
        return self.ms


def zeros(blocks: Iterable[str]) -> Counts:
    return dict.fromkeys(blocks, 0)


def a_row(
    registration: Registration,
    state: RunState,
    unit: Unit,
    cycle: int,
    placed: Counts | None = None,
    mined: Counts | None = None,
) -> Row:
    """A row as a collector would build it; counters that are not given are 0."""
    slot = SLOT0 + cycle * registration.window.interval_ms
    used, broken = zeros(PLACE_BLOCKS) | (placed or {}), zeros(MINE_BLOCKS) | (mined or {})
    pin = state.pins.get(unit.name)
    score = RowScorer(registration, state).score(unit.name, used, broken, pin)
    inventory: Counts = {HOARD_ITEM: 3}
    return Row(
        poll_ts=format_ms(slot),
        read_ts=format_ms(slot + 250),
        cycle=cycle,
        collector_id=state.collector_id,
        arm=unit.arm.label,
        role=unit.arm.role,
        kin=unit.arm.kin,
        uni=unit.name,
        online=True,
        rcon_ok=True,
        placed_used=used,
        mined=broken,
        crafted=dict.fromkeys(CRAFT_ITEMS, 0),
        extra={o.name: 0 for o in registration.extensions},
        inv_now=inventory,
        baseline_wood=pin,
        **derived(score, inventory),
        live_cur=len(registration.treatment.units),
        live_ctrl=len(registration.control.units),
        span_ms=12.5,
        pair_skew_ms=0.25,
        read="list",
        note="",
    )


def heartbeat(cycle: int) -> ev.Heartbeat:
    return ev.Heartbeat(
        cycle=cycle,
        poll_ts=format_ms(SLOT0 + cycle * 600_000),
        rcon_ok=True,
        probe_ok=None,
        live_cur=3,
        live_ctrl=3,
        rows=0,
        rows_head="",
    )


def opened() -> ev.WindowOpened:
    return ev.WindowOpened(poll_ts=format_ms(SLOT0), unpinned=[])


def closed(cycles: int, *, early: bool = True) -> ev.WindowClosed:
    return ev.WindowClosed(cycles=cycles, early=early, why="why", rows=0, rows_head="")


def cycle_rows(registration: Registration, state: RunState, cycle: int) -> list[Row]:
    """The rows of one cycle: treatment units build and diversify from cycle 1 on."""
    mined: Counts = {"oak_log": cycle * 4}
    rows = []
    for unit in registration.units:
        moved = unit.arm.role == "treatment" and cycle > 0
        placed: Counts = {"dirt": cycle} if moved else {}
        more: Counts = {"stone": cycle, "sand": 1} if moved else {}
        rows.append(a_row(registration, state, unit, cycle, placed, mined | more))
    return rows


def sealed(text: str = VALID) -> ev.Sealed:
    return ev.Sealed(by="op", sha256=sha256(text.encode()).hexdigest(), text=text)


def begin(folder: RunFolder, text: str = VALID, *, pinned: bool = True) -> RunWriter:
    """A writer of a run that is sealed, registered and pinned, its rows open."""
    writer = RunWriter(folder, Clock(SLOT0 - 60_000))
    registration = parsed(text)
    writer.journal(sealed(text))
    names = [o.name for o in registration.objectives]
    start: dict[str, Counts] = {u.name: dict.fromkeys(names, 0) for u in registration.units}
    writer.journal(
        ev.Registered(created=names, existing=[], start=start, criterion_not_verifiable=[])
    )
    if pinned:
        writer.journal(*(pin(unit.name) for unit in registration.units))
    writer.open_rows(0)
    return writer


def pin(unit: str, species: str = "oak_log") -> ev.Pinned:
    return ev.Pinned(by="op", unit=unit, species=species, evidence={species: 3})


def write_cycle(writer: RunWriter, registration: Registration, cycle: int) -> None:
    rows = cycle_rows(registration, writer.state, cycle)
    events: list[ev.Event] = [heartbeat(cycle)]
    if cycle == 0:
        events.insert(0, opened())
    writer.cycle(rows, *events)


def finished_run(
    path: Path, cycles: int = 4, text: str = VALID, *, close: bool = True
) -> RunFolder:
    """A whole run of some cycles, closed early."""
    folder = new_folder(path, text)
    writer = begin(folder, text)
    registration = parsed(text)
    for cycle in range(cycles):
        write_cycle(writer, registration, cycle)
    if close:
        writer.journal(closed(cycles))
    writer.require_written()
    writer.close()
    return folder


# -- a forger's tools: nothing of the program under test -------------------------------------


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def relink(lines: Iterable[bytes], first: str) -> bytes:
    """Write the chains of these lines anew, as somebody who knows the rule would."""
    previous, out = first, []
    for line in lines:
        body = line.rpartition(b',"chain":')[0]
        previous = sha256(previous.encode("ascii") + body).hexdigest()
        out.append(body + b',"chain":"' + previous.encode("ascii") + b'"}\n')
    return b"".join(out)


def edited(line: bytes, change: Callable[[Json], object]) -> bytes:
    """Change a line's object, keeping its (now wrong) chain and its compact form."""
    value: Json = json.loads(line)
    change(value)
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def events_of(folder: RunFolder) -> list[Json]:
    return [json.loads(line) for line in lines_of(folder.journal)]


def names_of(folder: RunFolder) -> list[str]:
    return [str(event["event"]) for event in events_of(folder)]


def heads_hold(data: bytes, first: str) -> bool:
    """Whether every line's chain follows from the one before, by the rule as written."""
    previous = first
    for line in data.splitlines():
        body, _, end = line.rpartition(b',"chain":')
        chain = sha256(previous.encode("ascii") + body).hexdigest()
        if end != b'"' + chain.encode("ascii") + b'"}':
            return False
        previous = chain
    return data == b"" or data.endswith(b"\n")


def whole_and_intact(folder: RunFolder, cycles: int) -> None:
    result = verify_run(folder)
    assert result.problems == []
    assert (result.rows, result.cycles) == (6 * cycles, cycles)


def input_output_error(*_: object) -> None:
    raise OSError(5, "Input/output error")
