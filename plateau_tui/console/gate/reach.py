"""What a draft's gate can come to, computed beside the screen: it may take seconds."""

import threading
from collections.abc import Callable
from functools import partial

from textual.message import Message

from plateau_tui.collector import hand
from plateau_tui.metric.feasibility import Feasibility
from plateau_tui.metric.registration import Registration


class Assessed(Message):
    """What a gate can come to; ``found`` is None where that cannot be computed, for ``why``."""

    def __init__(self, asked: Registration, found: Feasibility | None, why: str) -> None:
        self.asked = asked
        self.found = found
        self.why = why
        super().__init__()


def _in_a_thread(job: Callable[[], None]) -> None:
    threading.Thread(target=job, daemon=True).start()


class Reach:
    """Computes for the newest gate that was asked for; one at a time, in a thread of its own.

    What it knows is for the screen's thread alone; ``post`` carries a message there, and
    ``start`` begins a computation.
    """

    def __init__(
        self,
        post: Callable[[Assessed], object],
        start: Callable[[Callable[[], None]], object] = _in_a_thread,
    ) -> None:
        self._post = post
        self._start = start
        self._wanted: Registration | None = None
        self._under_way: Registration | None = None
        self.found: Feasibility | None = None
        """What the newest gate can come to; None while that is not known."""
        self.why_not = ""
        """Why it is not known."""

    def want(self, registration: Registration | None) -> None:
        """Ask for a gate; None is a draft that is not valid."""
        if registration is None:
            self._wanted, self.found = None, None
            self.why_not = "not known while something is wrong above"
        elif self._wanted is None or not _same(registration, self._wanted):
            self._wanted, self.found, self.why_not = registration, None, "computing ..."
            self._begin()

    def _begin(self) -> None:
        if self._under_way is None and self._wanted is not None:
            self._under_way = self._wanted
            self._start(partial(self._compute, self._wanted))

    def _compute(self, registration: Registration) -> None:
        try:
            assessed = Assessed(registration, hand.feasibility(registration), "")
        except (ValueError, ArithmeticError) as error:
            assessed = Assessed(registration, None, f"it cannot be computed: {error}")
        self._post(assessed)

    def take(self, message: Assessed) -> None:
        """Take what was computed; begin anew where another gate was asked for meanwhile."""
        self._under_way = None
        if self._wanted is not None and _same(message.asked, self._wanted):
            self.found, self.why_not = message.found, message.why
        elif self._wanted is not None:
            self._begin()


def _same(one: Registration, other: Registration) -> bool:
    """Say whether two registrations ask the same of the same number of pairs."""
    return one.gate == other.gate and len(one.pairs) == len(other.pairs)
