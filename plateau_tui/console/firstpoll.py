"""The steps of the first poll as jobs in a thread: check, register, watch. They touch no widget."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from plateau_tui.collector import hand
from plateau_tui.collector.extend import add_species
from plateau_tui.collector.hand import roster_lines
from plateau_tui.collector.operate import collector_pid
from plateau_tui.collector.register import RegisterResult, register
from plateau_tui.collector.run import (
    DeclinedError,
    OpenRun,
    ServerAccess,
    open_run,
    registration_of,
    wall_ms,
)
from plateau_tui.collector.session import Session, SessionOverError
from plateau_tui.console.keys import PLAIN_KEYS, KeyNames
from plateau_tui.console.live.model import RunModel
from plateau_tui.console.messages import WatchView
from plateau_tui.metric.objectives import HOARD_ITEM, LOG_SPECIES
from plateau_tui.metric.plain import counted, out_of
from plateau_tui.metric.registration import Registration
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.state import read_state
from plateau_tui.server.errors import ServerError

WATCH_EVERY_S: Final = 3.0
_WATCH_POLLS: Final = 100_000
_CHECK_S: Final = 60.0
_REGISTER_S: Final = 120.0


@dataclass(frozen=True)
class FirstPoll:
    """The first poll of one run.

    ``stop`` ends what is under way, ``tell`` gets its lines, ``show`` each look of the watch.
    """

    folder: RunFolder
    access: ServerAccess
    stop: threading.Event
    tell: Callable[[str], None]
    show: Callable[[WatchView], None]
    keys: KeyNames = PLAIN_KEYS

    def check(self) -> str:
        """Look at the server, and try the count probe, which removes nothing."""
        state, _ = read_state(self.folder.journal)
        registration = registration_of(self.folder, state)
        with open_run(self.folder), self.access.by_hand(self.stop, _CHECK_S) as session:
            seen = hand.check(registration, session)
            there = [unit for unit, online in seen.online.items() if online]
            for unit, online in seen.online.items():
                self.tell(f"  {unit:16} {'online' if online else 'OFFLINE'}")
            for line in roster_lines(seen):
                self.tell(f"  {line}")
            if there:
                self._try_probe(session, there[0])
            else:
                self.tell("  count probe: not tried, nobody is online")
        missing = [name for name, known in seen.objectives.items() if not known]
        prefix = "minecraft: prefix known" if seen.namespaced else "pure vanilla"
        return (
            f"connected to {self.access.endpoint}, {prefix}; {len(there)} of {len(seen.online)} "
            f"online; {out_of(len(missing), len(seen.objectives), 'objective')} to register"
        )

    def _try_probe(self, session: Session, unit: str) -> None:
        try:
            held = session.ask(lambda console, d: console.count_item(unit, HOARD_ITEM, d))
        except (ServerError, SessionOverError) as error:
            self.tell(f"  count probe: {error}")
        else:
            self.tell(f"  count probe: {unit} holds {held} {HOARD_ITEM}; it counts, removes none")

    def register(self) -> str:
        """Add the missing objectives and take the start reading, telling each."""
        with open_run(self.folder) as run:
            if run.state.window is not None:
                raise DeclinedError("the window is open: no objective is ever added again")
            result = self._register(run)
            foreign = [name for name in result.existing if name not in run.state.created]
            offset = run.registration.gate.start_counts == "offset"
        if foreign:
            self.tell(
                f"  existed before, what they count cannot be read back: {', '.join(foreign)}"
            )
        for unit, counts in result.nonzero.items():
            told = ", ".join(f"{k} {'unknown' if n is None else n}" for k, n in counts.items())
            self.tell(f"  NOT AT ZERO: {unit}: {told}")
        if result.nonzero:
            self.tell(
                '  start_counts = "offset": these counts are subtracted'
                if offset
                else '  start_counts = "zero": collect will refuse; "offset" would subtract them'
            )
        if result.failed:
            raise DeclinedError(f"{len(result.failed)} failed: {', '.join(result.failed)}")
        own = len(result.existing) - len(foreign)
        again = f", {own} made by this run earlier" if own else ""
        return f"{len(result.created)} created, {len(foreign)} existed before{again}"

    def _register(self, run: OpenRun) -> RegisterResult:
        total, told = len(run.registration.objectives), 0

        def tell(text: str) -> None:
            nonlocal told
            told += 1
            self.tell(f"{told:>4} of {total} {text.strip()}")

        with self.access.by_hand(self.stop, _REGISTER_S) as session:
            result = register(run, session, told=tell)
        run.writer.require_written()
        return result

    def watch(self) -> str:
        """Watch the log counters until stopped; while a collector runs, look at its rows."""
        if collector_pid(self.folder) is not None:
            return self._watch_rows()
        polls = -1

        with (
            open_run(self.folder) as run,
            self.access.by_hand(self.stop, WATCH_EVERY_S * _WATCH_POLLS) as session,
        ):
            registration = run.registration

            def told(watch: hand.WoodWatch) -> None:
                nonlocal polls
                polls += 1
                self.show(_watch_view(registration, watch, polls, from_rows=False))

            hand.watch_wood(run, session, polls=_WATCH_POLLS, every_s=WATCH_EVERY_S, told=told)
        if polls < 1:
            return "ended before its first poll; the start reading alone shows no rise"
        return f"watched for {counted(polls, 'poll')}; what was seen is in the journal"

    def _watch_rows(self) -> str:
        model, polls = RunModel(self.folder), 0
        registration = registration_of(self.folder, read_state(self.folder.journal)[0])
        while True:
            view, more = model.look()
            if more:
                continue
            if view is not None:
                seen = hand.WoodWatch({unit.name: unit.grown for unit in view.units})
                self.show(_watch_view(registration, seen, polls, from_rows=True))
                polls += 1
            if self.stop.wait(WATCH_EVERY_S):
                return "the collector goes on reading"
            if collector_pid(self.folder) is None:
                return f"the collector has ended; {self.keys['wizard.watch']} watches by hand"

    def also(self, species: str) -> str:
        """Add another species to the draft and register it."""
        with open_run(self.folder) as run:
            add_species(run, species)
            self._register(run)
        watch = self.keys["wizard.watch"]
        return f"{species} is in the draft and registered; {watch} watches it too"


def _watch_view(
    registration: Registration, seen: hand.WoodWatch, polls: int, *, from_rows: bool
) -> WatchView:
    watched = watched_species(registration)
    return WatchView(
        grown={unit: dict(grown) for unit, grown in seen.units.items()},
        suggestion=seen.suggestion,
        polls=polls,
        read_ms=wall_ms(),
        watched=tuple(watched),
        others=tuple(species for species in LOG_SPECIES if species not in watched),
        from_rows=from_rows,
    )


def last_watch(folder: RunFolder) -> WatchView | None:
    """Return what the run's last watch saw, as the journal keeps it; None where there was none.

    Raises:
        ConfigError: the run has no registration that can be used.
        OSError: a file cannot be read.

    """
    state, _ = read_state(folder.journal)
    if state.watch is None:
        return None
    seen = _watch_view(
        registration_of(folder, state),
        hand.WoodWatch({unit: dict(grown) for unit, grown in state.watch.grown.items()}),
        state.watch.polls,
        from_rows=False,
    )
    return replace(seen, from_journal=True)


def with_species(folder: RunFolder, watch: WatchView) -> WatchView:
    """Return a watch with the species that the run's objectives count now.

    Raises:
        ConfigError: the run has no registration that can be used.
        OSError: a file cannot be read.

    """
    watched = watched_species(registration_of(folder, read_state(folder.journal)[0]))
    others = tuple(species for species in LOG_SPECIES if species not in watched)
    return replace(watch, watched=tuple(watched), others=others)


def watched_species(registration: Registration) -> list[str]:
    """Return the log species that an objective of the run counts when mined."""
    return [
        o.block
        for o in registration.objectives
        if o.block in LOG_SPECIES and o.criterion.startswith("minecraft.mined:")
    ]
