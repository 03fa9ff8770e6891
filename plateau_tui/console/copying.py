"""Key y: the facts of a screen to the clipboard and to a file, and a page that says so."""

import asyncio
from collections.abc import Callable
from typing import Final

from textual.app import App

from plateau_tui.console.lines.copied import WIDTH, heads_of, page_text, run_text
from plateau_tui.console.live.view import RunView
from plateau_tui.console.look.lookedapp import LookedApp
from plateau_tui.console.screens.copypage import CopyPage
from plateau_tui.console.screens.dialogs import Page
from plateau_tui.console.screens.reading import ReadingScreen
from plateau_tui.metric.plain import counted
from plateau_tui.runlog.layout import RunFolder

_SHOWN: Final = 400
"""So many lines of a copy stand on the page that says where it is."""


def run_facts(view: RunView, folder: RunFolder, now_ms: int) -> str:
    """Return the facts of a run's screen, with the heads of its files as they now are."""
    return run_text(view, heads_of(folder), now_ms)


def reading_facts(screen: ReadingScreen, title: str, now_ms: int) -> str:
    """Return all lines of a screen to read, also those that are out of sight."""
    above = [*screen.heading(WIDTH), *screen.happens().split("\n"), "", screen.over(WIDTH)]
    text = page_text(title, [*above, *screen.lines(WIDTH), ""], now_ms)
    screen.show()  # in the width of its own again
    return text


async def copy_facts(app: App[object], name: str, facts: Callable[[], str]) -> None:
    """Copy what ``facts`` returns, which may read files, as the file ``name``; show that it was."""
    if not isinstance(app, LookedApp):
        return

    def copy() -> tuple[str, str]:
        text = facts()
        return app.copy_out(text, name).told, text

    told, text = await asyncio.to_thread(copy)
    if not isinstance(app.screen, Page):
        app.push_screen(CopyPage(told, _begin(text)))


def _begin(text: str) -> str:
    """Return a text, or so much of its beginning as a page can show at once."""
    lines = text.split("\n")
    left = len(lines) - _SHOWN
    more = f"... and {counted(left, 'more line')}, which the copy has, too"
    return "\n".join([*lines[:_SHOWN], more]) if left > 0 else text
