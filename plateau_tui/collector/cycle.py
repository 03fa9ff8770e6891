"""One lock-step cycle: who is online, every counter of both arms, the hoards; one at a time."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from plateau_tui.collector.counters import CounterReader, CounterReading
from plateau_tui.collector.displays import Displays
from plateau_tui.collector.fallen import NOTHING_KNOWN, Known, SecondLook
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
from plateau_tui.server.roster import Roster
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
        self._odd: frozenset[str] = frozenset()
        """What stood in two lists in a row: a plugin's way to write names."""

    def read(
        self,
        cycle: int,
        deadline: float,
        *,
        inventory: bool,
        known: Known = NOTHING_KNOWN,
        over: Callable[[], bool] | None = None,
    ) -> CycleReading:
        """Read one cycle until ``deadline``, a second of ``time.monotonic()``.

        Args:
            cycle: its number; decides the order.
            deadline: when the last answer must be in.
            inventory: whether the hoard is counted; never again once a probe removed items.
            known: what the counters stood at before; what reads lower is asked again.
            over: says that the time is over whatever the deadline says.

        """
        session = self._session
        session.begin(deadline, over)
        units = [unit.name for unit in reading_order(self._registration, cycle)]
        reader = CounterReader(session, self._registration.objectives, self._displays, self._now_ms)
        online, others, roster_note = self._roster(units)
        counters = reader.read(units)
        second = SecondLook(reader, counters, known)
        second.look(_proof_end(deadline))
        prover = Prover(reader, counters, known)
        prover.prove_new(_proof_end(deadline))
        stock = self._inventory(units, online) if inventory else _not_counted(units)
        prover.prove_all(_proof_end(deadline))
        second.look(deadline)  # what the proof read anew
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
            roster = self._list(units)
        except (ReplyError, LinkError, SessionOverError) as error:
            return dict.fromkeys(units), (), f"list: {error}"
        online = {unit: roster.seen(unit) for unit in units}
        unknown = [unit for unit in units if online[unit] is None]
        if unknown:
            more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
            self._session.note(
                "list_unclear",
                f"list leaves open whether {unknown[0]}{more} is online ({roster.note}): look for "
                "a plugin that hides players, or another RCON client",
            )
        return online, roster.others, roster.note

    def _list(self, units: list[str]) -> Roster:
        """Ask who is online; once more where the answer has something odd that is new.

        Raises:
            SessionOverError, ReplyError, LinkError: as ``Session.ask``.

        """
        first = self._session.ask(lambda console, deadline: console.online(units, deadline))
        if first.odd <= self._odd:
            return first
        self._session.console.drop()
        again = self._session.ask(lambda console, deadline: console.online(units, deadline))
        self._odd |= first.odd & again.odd
        return first.agreed(again)

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
