"""Writing a story down as a run folder, the same bytes every time."""

import hashlib
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from unittest import mock

from plateau_tui.collector.counters import CounterReading, UnitCounters
from plateau_tui.collector.cycle import CycleReading
from plateau_tui.collector.probe import UnitProbe
from plateau_tui.collector.recovery import opening
from plateau_tui.collector.rowbuild import Slot
from plateau_tui.collector.run import OpenRun
from plateau_tui.collector.window import WindowLog
from plateau_tui.metric.registration import Registration, parse_registration, seal_hash
from plateau_tui.report.gather import judge
from plateau_tui.report.names import ATTESTATION
from plateau_tui.resources import game_ids
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder, create_run
from plateau_tui.runlog.progress import RunProgress
from plateau_tui.runlog.template import draft_text
from plateau_tui.runlog.writer import RunWriter
from plateau_tui.server.transport import Endpoint
from samples.story import BUILD_FROM, Deed, Story

INTERVAL_MS: Final = 600_000
START_MS: Final = 1_767_571_200_000
"""2026-01-05T00:00:00Z, the slot of cycle 0 of every story."""
_ASKED_AFTER_MS: Final = 400
_PER_UNIT_MS: Final = 60
_WOOD: Final = "oak_log"


def counters(deed: Deed, cycle: int) -> dict[str, int]:
    """Return what the server's counters of §2a stand at after ``cycle`` cycles of a deed."""
    tools = cycle + 1
    counts = {
        "mine_oak_log": 4 * tools,
        "craft_planks": 16 * tools,
        "craft_stick": 4 * tools,
        "craft_table": 1,
        "craft_wpick": tools,
    }
    since = max(0, cycle - BUILD_FROM + 1)
    if deed in {"digs", "builds"}:
        counts |= {"mine_stone": 3 * since, "mine_dirt": 2 * since}
    if deed == "builds":
        counts["place_cobble"] = 2 * since
    if deed == "places":
        counts["place_plank"] = since
    return counts


def story_text(story: Story) -> str:
    """Return the gate under which a story stands."""
    text = draft_text(story.name, story.pairs)
    lines = {"cycles": str(story.cycles), **story.gate}
    for key, value in lines.items():
        start = text.index(f"\n{key} = ") + 1
        end = text.index("\n", start)
        comment = text[start:end].partition("#")[2]
        text = text[:start] + f"{key} = {value}" + f"   #{comment}" * bool(comment) + text[end:]
    return text


@dataclass
class Clock:
    """The time at which the next line is written, in milliseconds since 1970."""

    now_ms: int

    def __call__(self) -> int:
        """Return it."""
        return self.now_ms


def open_story(
    path: Path, name: str, text: str, clock: Callable[[], int]
) -> tuple[RunWriter, Registration]:
    """Make a run folder for a gate whose collector id follows from its name."""
    folder = RunFolder(path)
    create_run(folder, {"registration.toml": text}, 0o755)
    shutil.rmtree(folder.mailbox)
    collector_id = hashlib.sha256(name.encode()).hexdigest()[:8]
    with mock.patch("secrets.token_hex", return_value=collector_id):
        writer = RunWriter(folder, clock)
    return writer, parse_registration(text.encode(), game_ids())


def register(writer: RunWriter, registration: Registration, unpinned: tuple[str, ...] = ()) -> None:
    """Write what comes before the window: objectives, start reading, pins."""
    names = [o.name for o in registration.objectives]
    for objective in registration.objectives:
        writer.journal(
            ev.ObjectiveEvent(name=objective.name, criterion=objective.criterion, status="created")
        )
    start: ev.UnitCounts = {unit.name: dict.fromkeys(names, 0) for unit in registration.units}
    writer.journal(
        ev.Registered(
            created=names, existing=[], start=start, criterion_not_verifiable=[], own_names=names
        )
    )
    for unit in registration.units:
        if unit.name not in unpinned:
            evidence = {_WOOD: 4}
            writer.journal(
                ev.Pinned(by="operator", unit=unit.name, species=_WOOD, evidence=evidence)
            )


def open_window(
    writer: RunWriter, registration: Registration, text: str, by: str, note: str = ""
) -> WindowLog:
    """Journal the seal, and a note where there is one; return the window, ready for cycle 0."""
    writer.journal(ev.Sealed(by=by, sha256=seal_hash(text.encode()), text=text))
    if note:
        writer.journal(ev.Note(by=by, text=note))
    writer.open_rows(0)
    run = OpenRun(writer.folder, writer, registration)
    return WindowLog(run, RunProgress(registration, writer.state))


def reading_of(
    registration: Registration,
    slot: Slot,
    counts: Mapping[str, Mapping[str, int | None] | None],
    online: Mapping[str, bool | None],
    hoard: Mapping[str, int | None],
) -> CycleReading:
    """Return the reading of a cycle from unit -> objective -> count; None: nothing was read.

    An objective that is not named stood at 0.
    """
    units: dict[str, UnitCounters] = {}
    for place, unit in enumerate(registration.units):
        stood = counts[unit.name]
        asked_s = (_ASKED_AFTER_MS + place * _PER_UNIT_MS) / 1000
        read = UnitCounters(
            counts={
                o.name: None if stood is None else stood.get(o.name, 0)
                for o in registration.objectives
            }
        )
        if stood is None:
            read.note("rcon timeout")
        else:
            read.asked_at, read.asked_ms = asked_s, slot.ms + round(asked_s * 1000)
            read.form, read.ok = "list", None not in read.counts.values()
        units[unit.name] = read
    asked = [u.asked_at for u in units.values() if u.asked_at is not None]
    return CycleReading(
        counters=CounterReading(units, answered_at=max(asked) + 0.05 if asked else None),
        online=dict(online),
        hoard=dict(hoard),
        hoard_failed=frozenset(),
        hoard_notes={},
        roster_note="",
        faults={},
        items_removed=False,
        final=None,
        own_names=frozenset(),
        listing=None,
        endpoint=Endpoint("127.0.0.1", 25575),
        namespaced=True,
        stopped=False,
    )


def _story_reading(story: Story, registration: Registration, slot: Slot) -> CycleReading:
    cycle = slot.cycle
    counts: dict[str, dict[str, int | None] | None] = {}
    online: dict[str, bool | None] = {}
    for unit in registration.units:
        name = unit.name
        stood: dict[str, int | None] = dict(counters(story.deeds.get(name, "hoards"), cycle))
        if story.missing is not None and cycle >= story.missing[1]:
            stood[story.missing[0]] = None
        counts[name] = None if cycle in story.unread.get(name, ()) else stood
        online[name] = cycle not in story.absent.get(name, ())
    hoard = {name: cycle + 1 if here else None for name, here in online.items()}
    return reading_of(registration, slot, counts, online, hoard)


def write_story(story: Story, path: Path) -> None:
    """Write a story as a run folder."""
    text = story_text(story)
    clock = Clock(START_MS - 2 * INTERVAL_MS)
    writer, registration = open_story(path, story.name, text, clock)
    register(writer, registration, story.unpinned)
    window = open_window(writer, registration, text, "operator")
    clock.now_ms = START_MS - 1_000
    writer.journal(ev.CollectorStarted(pid=1, tool="sample", once=False))
    for cycle in range(story.closed_after or story.cycles):
        _write_cycle(story, window, registration, writer, clock, cycle)
    clock.now_ms += 1_000
    writer.journal(ev.CollectorStopped(pid=1, reason="the window closed"))
    early = story.closed_after is not None
    why = "the server was needed elsewhere" if early else ""
    writer.journal(window.closing(early=early, why=why, by="operator" if early else None))
    attest(writer, story.attestation)
    writer.close()
    if story.edited is not None:
        old, new = story.edited
        if old not in text:
            raise ValueError(f"{story.name}: {old!r} is not in its gate")
        (path / "registration.toml").write_text(text.replace(old, new), encoding="utf-8")
    tidy(path)


def attest(writer: RunWriter, text: str) -> None:
    """Keep an adjudicator's answers, as ``verdict --attest`` does."""
    writer.require_written()
    verdict = judge(writer.folder, text.encode()).verdict
    writer.journal(
        ev.Adjudicated(
            by="adjudicator",
            sha256=seal_hash(text.encode()),
            text=text,
            verdict=verdict.word,
            final=verdict.final,
        )
    )
    writer.require_written()
    (writer.folder.path / ATTESTATION).write_text(text, encoding="utf-8")


def tidy(path: Path) -> None:
    """Leave the files that make a run readable, with permissions for everybody."""
    for file in path.iterdir():
        file.chmod(0o644)


def _write_cycle(
    story: Story,
    window: WindowLog,
    registration: Registration,
    writer: RunWriter,
    clock: Clock,
    cycle: int,
) -> None:
    slot = Slot(cycle, START_MS + cycle * INTERVAL_MS)
    clock.now_ms = slot.ms + 3_000
    reading = _story_reading(story, registration, slot)
    probed = None
    if story.phase:
        probed = {
            unit.name: UnitProbe(ok=True, telemetry={"phase": 1 + cycle // 2})
            for unit in registration.units
        }
    rows = window.builder.rows(slot, reading, probed)
    if cycle:
        window.write(slot, rows)
    else:
        window.open(slot, rows, opening(START_MS, registration, writer.state))
    if story.missing is not None and story.missing[1] == cycle:
        writer.journal(ev.ObjectiveMissing(objective=story.missing[0], cycle=cycle))
