"""Scoring the rows of a run under its registration: the one way from row to flags."""

from dataclasses import dataclass, field

from plateau_tui.metric.gatescore import NO_START, score_under
from plateau_tui.metric.registration import Registration
from plateau_tui.metric.scoring import Score
from plateau_tui.runlog.rows import Counts
from plateau_tui.runlog.state import RunState


@dataclass(frozen=True)
class RowScorer:
    """Scores raw counters by the gate's readings and, under ``offset``, the start reading."""

    registration: Registration
    state: RunState
    _last: dict[str, tuple[tuple[object, ...], Score]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """By unit what was scored last, and its score: most rows repeat the row before."""

    def score(self, unit: str, placed: Counts, mined: Counts, baseline_wood: str | None) -> Score:
        """Score one row's raw counters for a unit whose pin is ``baseline_wood``.

        What a log names as a pin and is no wood is no pin.
        """
        gate = self.registration.gate
        start = self.state.start_of(unit) if gate.start_counts == "offset" else NO_START
        scored = (placed, mined, baseline_wood, start)
        last = self._last.get(unit)
        if last is not None and last[0] == scored:
            return last[1]
        found = score_under(gate, placed, mined, baseline_wood, start=start)
        self._last[unit] = (scored, found)
        return found
