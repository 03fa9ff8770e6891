"""What is wrong with a run now, worst first, each with what to do about it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from plateau_tui.console.text import cells, harmless
from plateau_tui.console.view import RunView

_SILENT_INTERVALS: Final = 2
_SILENT_MS: Final = 5000


@dataclass(frozen=True, slots=True)
class Problem:
    """One line: what is wrong, and what to do. ``grave`` ones threaten the run's claim."""

    text: str
    remedy: str
    grave: bool

    @property
    def line(self) -> str:
        """The whole line."""
        return harmless(f"{self.text}: {self.remedy}")

    def fit(self, width: int) -> str:
        """Return the line in ``width`` cells; what to do stays whole as long as it can."""
        room = width - cells(self.remedy) - 2
        return harmless(f"{harmless(self.text, max(room, width // 3))}: {self.remedy}", width)


def problems(view: RunView, now_ms: int) -> list[Problem]:
    """Return all problems of a run at ``now_ms``, worst first."""
    return [*_of_the_claim(view), *_of_the_collector(view, now_ms), *_of_the_readings(view)]


def _of_the_claim(view: RunView) -> Iterator[Problem]:
    if view.error:
        yield Problem("the run cannot be read", view.error, grave=True)
    if view.seal_broken:
        yield Problem(
            "registration.toml was changed",
            "put the sealed text back",
            grave=True,
        )
    for fact in view.voided:
        yield Problem(fact, "this run ends WITHHELD; l says more", grave=True)
    if view.items_removed:
        yield Problem(
            "a count probe REMOVED items",
            "no inventory is asked any more; tell whoever runs the server's plugins",
            grave=True,
        )
    if view.missing:
        yield Problem(
            f"gone from the server: {_some(view.missing, 'objectives')}",
            "do not add them again; ask who removed them",
            grave=True,
        )

    if view.unreadable:
        yield Problem(
            f"unreadable lines in the log: {view.unreadable}",
            "touch nothing; plateau-tui verify",
            grave=True,
        )


def _of_the_collector(view: RunView, now_ms: int) -> Iterator[Problem]:
    if view.stage == "open" and view.collector_pid is None:
        if view.is_over(now_ms):
            text = "the window's time is over, and no collector closed it"
            yield Problem(text, "close it with x", grave=True)
        else:
            text = "NO COLLECTOR runs and the window is open"
            yield Problem(text, "start one with c", grave=True)
    if view.collector_pid is None or view.heartbeat_ms is None or view.stage != "open":
        return
    age = now_ms - view.heartbeat_ms
    if age > _SILENT_INTERVALS * view.interval_ms + _SILENT_MS:
        yield Problem(
            f"the collector has been silent for {age // 1000} s",
            f"look at collector.log; process {view.collector_pid}",
            grave=True,
        )


def _of_the_readings(view: RunView) -> Iterator[Problem]:
    before = view.slot0_ms is None and view.collector_pid is not None and bool(view.fault)
    if before or (view.stage == "open" and view.rcon_ok is False):
        since = view.fault_since_cycle
        when = "" if since is None else f" since cycle {since + 1}"
        text = view.fault or "not everything could be read"
        yield Problem(f"RCON{when}: {text}", "it is tried again at the next poll", grave=False)
    if view.fell:
        yield Problem(
            f"counters that fell: {view.fell}",
            "a rollback or an edit; the verdict names them",
            grave=False,
        )
    if view.stage != "open":
        return
    if view.unpinned:
        yield Problem(
            f"no BASELINE_WOOD for {_some(view.unpinned)}",
            "SECONDARY stays unknown; pin with p",
            grave=False,
        )
    absent = [unit.name for unit in view.units if unit.absent_polls > 1]
    if absent:
        yield Problem(
            f"not in the players' list: {_some(absent)}",
            "ask whether it left; offline is not dead",
            grave=False,
        )


def _some(names: Sequence[str], what: str = "units") -> str:
    """Return up to two names, or how many there are."""
    return ", ".join(names) if len(names) <= 2 else f"{len(names)} {what}"  # noqa: PLR2004
