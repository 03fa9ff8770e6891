"""One lock-step cycle: who is online, every counter of both arms, the hoards; one at a time."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from plateau_tui.collector.counters import CounterReader, CounterReading
from plateau_tui.collector.displays import Displays
from plateau_tui.collector.proof import Prover
from plateau_tui.collector.session import Session, SessionOverError
from plateau_tui.metric.objectives import HOARD_ITEM
from plateau_tui.metric.registration import Registration, Unit
from plateau_tui.server.errors import (
    ItemsRemovedError,
    LinkError,
    NoPlayerError,
    ReplyError,
    ServerError,
)
from plateau_tui.server.transport import Endpoint

_PROOF_SHARE: Final = 0.6
"""Part of the time left that the proof of the short form may take."""

REMOVED_ITEMS: Final = "inventory: ALARM"
"""Begins the note of a row whose probe may have removed items."""

_NO_INVENTORY: Final = "inventory not counted: a probe removed items"


@dataclass(frozen=True)
class CycleReading:
    """What one cycle read. Nothing in it is guessed: what was not read is None.

    ``online`` and ``hoard`` are by unit; ``others`` are the players online who are no units.
    ``hoard_failed`` names the units whose hoard was due and not read. ``faults`` are code -> text.
    ``own_names`` are the objectives that showed their own name, ``listing`` the server's list of
    display names where it was read whole. ``final`` is set where asking on is pointless: a
    refused password, a server of another kind.
    """

    counters: CounterReading
    online: dict[str, bool | None]
    hoard: dict[str, int | None]
    hoard_failed: frozenset[str]
    hoard_notes: dict[str, str]
    roster_note: str
    faults: dict[str, str]
    items_removed: bool
    final: ServerError | None
    own_names: frozenset[str]
    listing: tuple[str, ...] | None
    endpoint: Endpoint
    namespaced: bool | None
    stopped: bool
    others: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether at least one counter was read."""
        return any(map(self.has_counter, self.counters.units))

    def has_counter(self, unit: str) -> bool:
        """Say whether at least one counter of a unit was read."""
        return any(count is not None for count in self.counters.units[unit].counts.values())

    @property
    def anything(self) -> bool:
        """Whether anything at all was read."""
        return self.usable or any(seen is not None for seen in self.online.values())


def reading_order(registration: Registration, cycle: int) -> list[Unit]:
    """Return the units in the order of one cycle.

    The two of a pair stand next to each other; the arm that goes first alternates from pair to
    pair and from cycle to cycle, and the pair that goes first moves on every other cycle, so that
    neither an arm nor a pair is always the one that a deadline cuts off.
    """
    pairs = registration.pairs
    order: list[Unit] = []
    for place in range(len(pairs)):
        treatment, control = pairs[(place + cycle // 2) % len(pairs)]
        first = (place + cycle) % 2 == 0
        order += [treatment, control] if first else [control, treatment]
    return order


@dataclass
class _Inventory:
    hoard: dict[str, int | None] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)
    notes: dict[str, str] = field(default_factory=dict)
    items_removed: bool = False


def _proof_end(deadline: float) -> float:
    now = time.monotonic()
    return now + (deadline - now) * _PROOF_SHARE


def _not_counted(units: list[str]) -> _Inventory:
    return _Inventory(notes=dict.fromkeys(units, _NO_INVENTORY))


class CycleReader:
    """Reads cycles of one run. Lives in the collector's reading thread."""

    def __init__(
        self,
        session: Session,
        registration: Registration,
        now_ms: Callable[[], int],
        displays: Displays | None = None,
    ) -> None:
        self._session = session
        self._registration = registration
        self._displays = displays or Displays()
        self._now_ms = now_ms

    def read(
        self,
        cycle: int,
        deadline: float,
        *,
        inventory: bool,
        over: Callable[[], bool] | None = None,
    ) -> CycleReading:
        """Read one cycle until ``deadline``, a second of ``time.monotonic()``.

        Args:
            cycle: its number; decides the order.
            deadline: when the last answer must be in.
            inventory: whether the hoard is counted; never again once a probe removed items.
            over: says that the time is over whatever the deadline says.

        """
        session = self._session
        session.begin(deadline, over)
        units = [unit.name for unit in reading_order(self._registration, cycle)]
        reader = CounterReader(session, self._registration.objectives, self._displays, self._now_ms)
        online, others, roster_note = self._roster(units)
        counters = reader.read(units)
        prover = Prover(reader, counters)
        prover.prove_new(_proof_end(deadline))
        stock = self._inventory(units, online) if inventory else _not_counted(units)
        prover.prove_all(_proof_end(deadline))
        namespaced = session.console.namespaced
        session.end()
        return CycleReading(
            counters=counters,
            online=online,
            others=others,
            hoard={unit: stock.hoard.get(unit) for unit in units},
            hoard_failed=frozenset(stock.failed),
            hoard_notes=stock.notes,
            roster_note=roster_note,
            faults={
                code: f"{fault.text} ({fault.times} times)" if fault.times > 1 else fault.text
                for code, fault in session.faults.items()
            },
            items_removed=stock.items_removed,
            final=session.final,
            own_names=frozenset(self._displays.own),
            listing=self._displays.whole_listing,
            endpoint=session.console.endpoint,
            namespaced=namespaced,
            stopped=session.stop.is_set(),
        )

    def _roster(self, units: list[str]) -> tuple[dict[str, bool | None], tuple[str, ...], str]:
        try:
            roster = self._session.ask(lambda console, deadline: console.online(units, deadline))
        except (ReplyError, LinkError, SessionOverError) as error:
            return dict.fromkeys(units), (), f"list: {error}"
        return {unit: unit in roster.online for unit in units}, roster.others, roster.note

    def _inventory(self, units: list[str], online: dict[str, bool | None]) -> _Inventory:
        """Count the hoard of every unit that may be online; the probe ends in 0, always."""
        stock = _Inventory()
        for unit in units:
            if online[unit] is not False:
                self._count(unit, stock)
        return stock

    def _count(self, unit: str, stock: _Inventory) -> None:
        if stock.items_removed:
            stock.notes[unit] = _NO_INVENTORY
            return
        try:
            stock.hoard[unit] = self._session.ask(
                lambda console, deadline: console.count_item(unit, HOARD_ITEM, deadline)
            )
        except NoPlayerError:
            stock.notes[unit] = "not online when its inventory was asked"
        except (ReplyError, LinkError, SessionOverError) as error:
            stock.items_removed = isinstance(error, ItemsRemovedError)
            stock.failed.add(unit)
            stock.notes[unit] = f"inventory: {error}"
