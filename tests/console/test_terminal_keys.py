"""A real terminal: keys in any order, and many of them, break nothing."""

import random
import time

import pytest
from console.terminal import attached

from plateau_tui.runlog.layout import RunFolder

ANY_KEYS = [
    *"wrnpcxlojkfmghas?ydvtb\r\t 0\x7féß你\x1b",
    *"\x1b[A\x1b[B\x1b[C\x1b[D\x1b0\x7f\x1b[5~\x1b[6~",
]
MENU_KEYS = ["m", "m", "e", "r", "o", "a", "\x7f", "\x1b[6~", "\x1b[6~", "\x1b[5~", "\x1b[B", "\r"]
"""They crashed the framework's own palette within seconds."""

BURSTS = 80
PAUSE_S = 0.05
"""Between bursts: keys come at what is under way, and not all of them at its beginning."""


@pytest.mark.parametrize(
    ("keys", "seed"),
    [(ANY_KEYS, 0), (ANY_KEYS, 3), (MENU_KEYS, 1), (MENU_KEYS, 2)],
    ids=["any-0", "any-3", "menu-1", "menu-2"],
)
def test_keys_mashed_by_the_hundred_break_nothing(
    folder: RunFolder, keys: list[str], seed: int
) -> None:
    chosen = random.Random(seed)
    with attached(folder) as terminal:
        terminal.until_words("UNI-11-3")
        terminal.child.delaybeforesend = PAUSE_S
        for _ in range(BURSTS):
            terminal.send("".join(chosen.choice(keys) for _ in range(8)))
            if not terminal.read(0.05):
                raise AssertionError((terminal.ended(), terminal.raw[-2000:]))
        deadline = time.monotonic() + 20
        while terminal.child.isalive():
            assert time.monotonic() < deadline, terminal.text
            terminal.send("\x1b")
            terminal.read(0.3)
            terminal.send("q")
            if not terminal.read(0.3):
                break
        assert terminal.ended() == 0
