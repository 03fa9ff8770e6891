"""Where in a log its reader stands, how that moves, and how fast by itself."""

from typing import Final

from plateau_tui.console.replay.goto import wanted_step
from plateau_tui.console.replay.lines import SPEEDS, usual_speed
from plateau_tui.console.replay.timeline import Timeline

_PAGES: Final = 20
"""So many screenfuls of cycles are the window."""


class Cursor:
    """The cycle that is shown of a timeline, which may still grow or begin anew.

    Moves are by steps, the cycles that have rows. ``said`` is the answer to the last key.
    ``at_end`` says that the cursor goes along with the last cycle as it is read.
    """

    def __init__(self, timeline: Timeline, *, at_end: bool = False) -> None:
        self.timeline = timeline
        self.cycle = 0
        self.at_end = at_end
        self.plays = False
        self.interval_ms = 0
        """The log's, once it is known."""
        self.cycles = 0
        """The window's, once they are known."""
        self.said = ""
        self._speed: int | None = None
        self._play_ms = 0.0

    @property
    def step(self) -> int:
        """The step of the cycle, or of the last one before it that has rows."""
        return self.timeline.step_of(self.cycle) if len(self.timeline) else 0

    @property
    def speed(self) -> int:
        """Seconds of the log that pass in one of ours."""
        if self._speed is None and self.interval_ms:
            return usual_speed(self.interval_ms)
        return self._speed or SPEEDS[0]

    # -- by a key -----------------------------------------------------------------------------

    def go(self, step: int) -> None:
        """Go to a step, or to the end that lies nearest."""
        self.said, self.at_end = "", False
        if len(self.timeline):
            step = max(0, min(step, len(self.timeline) - 1))
            self.cycle = self.timeline.cycle_of(step)
            self._play_ms = float(self.timeline.slot_of(step))

    def go_to_cycle(self, cycle: int) -> None:
        """Go to a cycle, or to the last one before it that has rows."""
        if len(self.timeline):
            self.go(self.timeline.step_of(cycle))

    def page(self, way: int) -> None:
        """Go on, or back, by a screenful of cycles."""
        if not len(self.timeline):
            return
        found = self.timeline.step_of(max(0, self.cycle + way * max(1, self.cycles // _PAGES)))
        self.go(found if found != self.step else self.step + way)

    def change(self, way: int) -> None:
        """Go to the next change, or the one before."""
        found = self.timeline.next_change if way > 0 else self.timeline.change_before
        self._go_to_found(found(self.step), "change", way)

    def flag(self, way: int) -> tuple[str, ...]:
        """Go to where a flag turned next, or before; return the units of which it did."""
        find = self.timeline.next_flag if way > 0 else self.timeline.flag_before
        found = find(self.step)
        self._go_to_found(found, "turn of a flag", way)
        return () if found is None else self.timeline.turned_in(found)

    def _go_to_found(self, found: int | None, what: str, way: int) -> None:
        if found is not None:
            self.go(found)
            return
        reading = "" if self.timeline.done else " as far as it is read"
        self.said = f"no {what} {'after' if way > 0 else 'before'} this cycle{reading}"

    def last(self) -> None:
        """Go to the last cycle, also when it is still to be read."""
        self.go(len(self.timeline) - 1)
        self.at_end = True

    def go_where(self, text: str) -> None:
        """Go where a text leads: to a cycle, a time, or by a step."""
        wanted = wanted_step(text, self.timeline, self.cycle, self.interval_ms)
        if wanted.step is not None:
            self.go(wanted.step)
        self.said = wanted.told

    def go_once_read(self, text: str) -> bool:
        """Go where a text leads, as soon as so much is read; say whether that is settled.

        Whoever has moved on meanwhile stays where they are. A step back is one from the last cycle.
        """
        if self.step or self.plays or self.at_end:
            return True
        if not len(self.timeline):
            return self.timeline.done
        if text.strip().startswith("-"):
            if self.timeline.done:
                self.go(len(self.timeline) - 1)
                self.go_where(text)
            return self.timeline.done
        wanted = wanted_step(text, self.timeline, self.cycle, self.interval_ms)
        is_read = wanted.step is not None and wanted.step < len(self.timeline) - 1
        if is_read or self.timeline.done:
            self.go_where(text)
            return True
        return False

    # -- by itself ----------------------------------------------------------------------------

    def play(self) -> None:
        """Play, or pause; from the end, play from the start."""
        if not len(self.timeline):
            return
        self.plays = not self.plays
        if self.plays and self.step == len(self.timeline) - 1 and self.timeline.done:
            self.go(0)
        self.said, self.at_end = "", False
        self._play_ms = float(self.timeline.slot_of(self.step))

    def faster(self, step: int) -> None:
        """Play faster or slower, from one of the speeds to the next."""
        place = SPEEDS.index(self.speed) + step
        self._speed = SPEEDS[max(0, min(place, len(SPEEDS) - 1))]

    def tick(self, seconds: float) -> bool:
        """Move on if it plays, after so many seconds of ours; say whether anything changed."""
        if not self.plays or not len(self.timeline):
            return False
        self._play_ms += self.speed * seconds * 1000
        step, changed = self.timeline.step_at(int(self._play_ms)), False
        if step == len(self.timeline) - 1 and self.timeline.done:
            self.plays, changed = False, True
        if self.timeline.cycle_of(step) != self.cycle:
            self.cycle, changed = self.timeline.cycle_of(step), True
        return changed

    def settle(self) -> int | None:
        """Return the step to show; None while what is there does not reach to the cursor."""
        if not len(self.timeline):
            return None
        if self.at_end:
            self.cycle = self.timeline.last_cycle
        if self.cycle > self.timeline.last_cycle and not self.timeline.done:
            return None  # it is read anew, and not up to the cursor yet
        return self.step
