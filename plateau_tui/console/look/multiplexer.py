"""Which terminal multiplexer a program sits in: tmux and GNU screen hand different things through.

Each leaves its variable to all that is started in it, so a ``screen`` in a pane of tmux has both.
What one takes as wrapped the other writes over the screen, or takes for half of it.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Literal

Multiplexer = Literal["tmux", "screen"]
_MOST_PARENTS: Final = 64
_SERVERS: Final[dict[str, Multiplexer]] = {
    "tmux: server": "tmux",
    "tmux": "tmux",
    "screen": "screen",
    "SCREEN": "screen",
}
"""What the process is called of which all that runs in a multiplexer is a child."""


def innermost(environment: Mapping[str, str], pid: int | None = None) -> Multiplexer | None:
    """Return the multiplexer that reads what this program writes; None where there is none.

    Where the variables name both, the nearest parent of ``pid`` decides (this process, unless
    another is given), or what ``TERM`` was set to where no parents can be seen.
    """
    term = environment.get("TERM", "")
    in_tmux = bool(environment.get("TMUX")) or term.startswith("tmux")
    if not environment.get("STY"):
        return "tmux" if in_tmux else None
    if not in_tmux:
        return "screen"
    found = (_SERVERS.get(name) for name in _parents(os.getpid() if pid is None else pid))
    told: Multiplexer = "screen" if term.startswith("screen.") else "tmux"
    return next(filter(None, found), told)


def _parents(pid: int) -> Iterator[str]:
    """Yield the names of a process's parents, the nearest first, where the system tells them."""
    for _ in range(_MOST_PARENTS):
        try:
            stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
            name = stat[stat.index("(") + 1 : stat.rindex(")")]
            parent = int(stat[stat.rindex(")") + 1 :].split()[1])
        except (OSError, ValueError, IndexError):
            return
        yield name
        if parent <= 1:
            return
        pid = parent
