"""Following a run in a thread: reads what is new, posts views, touches no widget."""

import threading
from collections.abc import Callable
from typing import Final

from plateau_tui.console.live.model import RunModel
from plateau_tui.console.live.view import RunView
from plateau_tui.runlog.layout import RunFolder

LOOK_S: Final = 0.5

Tell = Callable[[RunView | None, str], None]


def follow(folder: RunFolder, stop: threading.Event, tell: Tell) -> None:
    """Read a run until ``stop`` is set; ``tell`` gets each view that differs from the last.

    What goes wrong with reading is told as an error and tried again.
    """
    model = RunModel(folder)
    last: tuple[RunView | None, str] | None = None
    while not stop.is_set():
        more = False
        try:
            view, more = model.look()
            now = (view, model.error)
        except OSError as error:
            now = (None, f"{folder.path.name} cannot be read: {error.strerror}")
        except Exception as error:  # noqa: BLE001 - a screen that stops without a word lies
            now = (None, f"{folder.path.name} cannot be shown: {type(error).__name__}: {error}")
            model = RunModel(folder)
        if more and last is None:
            tell(None, f"reading ... {model.so_far}")
        elif not more and (last is None or now[0] is not last[0] or now != last):
            last = now
            tell(*now)
        if not more:
            stop.wait(LOOK_S)
