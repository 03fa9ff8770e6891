"""What the screens of a replay are made of: their keys, the bar, the thread that reads."""

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from textual.binding import Binding, BindingType
from textual.events import Click
from textual.message import Message

from plateau_tui.console.lines.grid import ROOMY
from plateau_tui.console.replay.reader import ReplayPart, ReplayReader
from plateau_tui.console.screens.base import BACK, Line
from plateau_tui.errorwords import error_words
from plateau_tui.runlog.archive import Archive, open_archive

PLAY: Final = Binding("space", "play", "Play", id="replay.play", tooltip="Play, or pause")
_FLAGS: Final[list[BindingType]] = [
    Binding(
        "left_curly_bracket", "flag(-1)", "Flag-", id="replay.flag-before",
        tooltip="Where a unit's PRIMARY or SECONDARY turned before",
    ),
    Binding(
        "right_curly_bracket", "flag(1)", "Flag+", id="replay.flag-next",
        tooltip="Where a unit's PRIMARY or SECONDARY turns next",
    ),
]  # fmt: skip


def _steps(
    before: str, following: str, change_before: str, change: str, words: tuple[str, str]
) -> list[BindingType]:
    """Return the keys that move the cursor; ``words`` are those of a step back and on."""
    what = "a flag, a fault, a gap's beginning, a pin"
    return [
        Binding(before, "step(-1)", words[0], id="replay.before", tooltip="The cycle before"),
        Binding(following, "step(1)", words[1], id="replay.next", tooltip="The next cycle"),
        Binding(
            change_before, "change(-1)", "Change-", id="replay.change-before",
            tooltip=f"The change before: {what}",
        ),
        Binding(
            change, "change(1)", "Change+", id="replay.change-next",
            tooltip=f"The next change: {what}",
        ),
        *_FLAGS,
    ]  # fmt: skip


STEPS: Final = _steps(
    "comma,left", "full_stop,right", "left_square_bracket,N", "right_square_bracket,n",
    ("Prev", "Next"),
)  # fmt: skip
"""The keys that move the cursor, where no other key of a screen needs theirs."""
ALONG: Final[list[BindingType]] = [
    PLAY,
    *_steps(
        "comma", "full_stop", "left_square_bracket", "right_square_bracket", ("Cycle-", "Cycle+")
    ),
]
"""The same on a screen whose own keys are letters and arrows, with a Next of its own."""
KEYS: Final[list[BindingType]] = [
    PLAY,
    *STEPS,
    Binding("minus", "speed(-1)", "Slower", id="replay.slower"),
    Binding("plus,equals_sign", "speed(1)", "Faster", id="replay.faster"),
    Binding("home", "first", "First", id="replay.first", priority=True),
    Binding("end", "last", "Last", id="replay.last", priority=True),
    Binding(
        "pageup", "page(-1)", "Page-", id="replay.page-before", priority=True,
        key_display="pgup", tooltip="A twentieth of the window back",
    ),
    Binding(
        "pagedown", "page(1)", "Page+", id="replay.page-next", priority=True,
        key_display="pgdn", tooltip="A twentieth of the window on",
    ),
    Binding("g", "go", "Go", id="replay.go", tooltip="To a cycle, a time (UTC), or by a step"),
    Binding("o", "open", "Unit", id="replay.open", tooltip="The chosen unit (also enter)"),
    Binding("d", "pairs", "Pairs", id="replay.pairs", tooltip="Arms side by side, up to here"),
    Binding("l", "journal", "Journal", id="replay.journal", tooltip="Up to here, by kind; search"),
    Binding(
        "slash", "find", "Find", key_display="/", id="replay.find",
        tooltip="A unit by a part of its name; empty: the next",
    ),
    Binding("s", "sparks", "Sparks", id="replay.sparks", tooltip="Sparklines, or kinds of block"),
    Binding("y", "copy", "Copy", id="replay.copy", tooltip="This moment: clipboard and file"),
    Binding("j,down", "down", "Down", show=False, id="replay.down"),
    Binding("k,up", "up", "Up", show=False, id="replay.up"),
    BACK,
]  # fmt: skip
"""The keys of the replay's screen."""
NARROW: Final[Mapping[str, str]] = {
    **dict.fromkeys(("replay.slower", "replay.faster", "replay.down", "replay.up"), ""),
    **dict.fromkeys(("replay.page-before", "replay.page-next"), ""),
    **dict.fromkeys(("replay.first", "replay.last", "pairs.down", "pairs.up"), ""),
}
"""The words of keys below ``WORDY`` columns: those without one stand in the help alone."""
NARROWEST: Final[Mapping[str, str]] = {
    **NARROW,
    **dict.fromkeys(("replay.sparks", "replay.find", "replay.copy"), ""),
    "replay.change-before": "Chg-",
    "replay.change-next": "Chg+",
    "replay.journal": "Log",
}
"""The same where a line of keys is a unit's line."""
WORDY: Final = 110


def word_in(width: int, binding: Binding, word: str) -> str:
    """Return a key's word as there is room for it."""
    words = NARROWEST if width < ROOMY else NARROW if width < WORDY else {}
    return words.get(binding.id or "", word)


class ReplayRead(Message):
    """The next part of the log was read."""

    def __init__(self, part: ReplayPart) -> None:
        self.part = part
        super().__init__()


class ReplayFailed(Message):
    """The log cannot be read, or no further."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__()


class Bar(Line):
    """The window as a bar, which leads where it is clicked."""

    class Clicked(Message):
        """A cell of it was clicked."""

        def __init__(self, x: int) -> None:
            self.x = x
            super().__init__()

    def on_click(self, event: Click) -> None:
        """Tell which cell it was."""
        self.post_message(self.Clicked(event.x))


def read_log(
    path: Path,
    archive: Archive | None,
    wood: Mapping[str, str],
    stop: threading.Event,
    post: Callable[[Message], object],
) -> None:
    """Read a log to its end, or until ``stop``; what was read, or why not, goes to ``post``."""

    def tell(message: Message) -> None:
        if not stop.is_set():
            post(message)

    try:
        reader = ReplayReader(archive or open_archive(path), wood)
        reader.read(stop, lambda part: tell(ReplayRead(part)))
    except Exception as error:  # noqa: BLE001 - a screen that stops without a word lies
        tell(ReplayFailed(error_words(error)))
