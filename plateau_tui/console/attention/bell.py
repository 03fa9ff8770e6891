"""The bell and the terminal's notification: when they ring, and the bytes that ring them.

BEL is known to every terminal. OSC 9 (iTerm2's, and by now that of kitty, WezTerm, Ghostty and
others) shows a line of text; a terminal that does not know it drops it. tmux hands it on only from
within its passthrough, and drops it silently where that is switched off; GNU screen and the Linux
console get the bell alone.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from plateau_tui.console.lines.faultproblems import NO_READING
from plateau_tui.console.lines.problems import Problem, problems
from plateau_tui.console.lines.text import harmless
from plateau_tui.console.live.view import RunView, UnitView
from plateau_tui.console.live.windowreadings import SILENT
from plateau_tui.console.look.multiplexer import innermost

BEL: Final = "\x07"
LEAST_S: Final = 1.0
"""Never more than one ring in so many seconds."""
_LONGEST: Final = 120
_TOLD: Final = 3
_PLAIN_TERMINALS: Final = ("linux", "dumb", "vt", "screen")
_HALVES: Final = {"primary": "PRIMARY", "secondary": "SECONDARY", "plateau_break": "both"}


@dataclass
class Alarm:
    """What is worth a ring: flags that become true, grave problems that come up.

    What was so at the first view is not: the operator sees it. That a server is read again, of
    which nothing was, rings as well: whoever was woken by the one waits for the other.
    """

    _told: set[tuple[str, str]] = field(default_factory=set)
    _grave: set[str] = field(default_factory=set)
    _begun: bool = False

    def take(self, view: RunView, now_ms: int) -> list[str]:
        """Take in how the run stands now; return what is new, as a person reads it."""
        new = [text for unit in view.units if (text := self._turned(unit))]
        grave = {_kind(p): p.text for p in problems(view, now_ms) if p.grave}
        new += [text for kind, text in grave.items() if kind not in self._grave]
        if NO_READING in self._grave - grave.keys() and _is_read(view):
            new.append("the server is read again")
        self._grave = set(grave)
        begun, self._begun = self._begun, True
        return new if begun else []

    def _turned(self, unit: UnitView) -> str:
        """Return which flags of a unit became true that were never told, in words."""
        now = [half for half in _HALVES if getattr(unit, half) is True]
        new = [half for half in now if (unit.name, half) not in self._told]
        self._told.update((unit.name, half) for half in new)
        return f"{unit.name} reached {', '.join(_HALVES[half] for half in new)}" if new else ""


def _is_read(view: RunView) -> bool:
    """Say whether the last cycle of an open window read a counter."""
    return view.stage == "open" and view.window[-1:] not in {b"", bytes([SILENT])}


def _kind(problem: Problem) -> str:
    """Return what a problem is, whomever it is about: a count that goes on is no new problem."""
    return problem.kind or re.sub(r"\d+", "#", problem.text)


@dataclass
class Ringer:
    """Holds back what comes within a second of the last ring, and then tells it in one."""

    _last_s: float | None = None
    _waiting: list[str] = field(default_factory=list)

    def take(self, texts: Iterable[str]) -> None:
        """Take in what is to be told."""
        self._waiting += texts

    def forget(self) -> None:
        """Drop what waits: the bell was switched off."""
        self._waiting.clear()

    def due(self, now_s: float) -> str | None:
        """Return what is to be told now, in one line; None while there is nothing, or too soon."""
        soon = self._last_s is not None and now_s - self._last_s < LEAST_S
        if soon or not self._waiting:
            return None
        self._last_s = now_s
        texts, self._waiting = list(dict.fromkeys(self._waiting)), []
        return _in_one(texts)


def _in_one(texts: Sequence[str]) -> str:
    more = f"; and {len(texts) - _TOLD} more" if len(texts) > _TOLD else ""
    return "; ".join(texts[:_TOLD]) + more


def ring(text: str, environment: Mapping[str, str]) -> str:
    """Return what to write to the terminal: the bell, and the text where it can be shown.

    The text has no control character, and no letter that a terminal's encoding could lack.
    """
    inner = innermost(environment)
    plain = environment.get("TERM", "").startswith(_PLAIN_TERMINALS)
    if inner == "screen" or (plain and inner is None):
        return BEL
    line = harmless(text, _LONGEST).encode("ascii", "replace").decode("ascii")
    notification = f"\x1b]9;{line}{BEL}"
    if inner == "tmux":
        doubled = notification.replace("\x1b", "\x1b\x1b")
        notification = f"\x1bPtmux;{doubled}\x1b\\"
    return BEL + notification
