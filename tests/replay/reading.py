"""What the tests of the replay share: a log read to its end, without a screen."""

import threading
from collections.abc import Mapping
from pathlib import Path

from plateau_tui.console.live.view import RunView
from plateau_tui.console.replay.reader import ReplayPart, ReplayReader
from plateau_tui.console.replay.timeline import Timeline
from plateau_tui.console.replay.view import view_at
from plateau_tui.runlog.archive import open_archive


def read(path: Path, wood: Mapping[str, str] | None = None) -> Timeline:
    """Read a log to its end, as it now is."""
    timeline, stop = Timeline(), threading.Event()

    def tell(part: ReplayPart) -> None:
        timeline.add(part)
        if part.done:
            stop.set()

    ReplayReader(open_archive(path), wood or {}).read(stop, tell)
    return timeline


def shown(timeline: Timeline, step: int) -> RunView:
    """What a step shows."""
    source = timeline.source
    assert source is not None
    return view_at(timeline.moment(step), timeline, source)


def last(timeline: Timeline) -> RunView:
    return shown(timeline, len(timeline) - 1)
