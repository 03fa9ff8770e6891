"""Key y: the facts of a screen to the clipboard and to a file, and a page that says so."""

import asyncio
from collections.abc import Callable

from textual.app import App

from plateau_tui.console.lines.copied import heads_of, run_text
from plateau_tui.console.live.view import RunView
from plateau_tui.console.look.lookedapp import LookedApp
from plateau_tui.console.screens.dialogs import Page
from plateau_tui.runlog.layout import RunFolder


def run_facts(view: RunView, folder: RunFolder, now_ms: int) -> str:
    """Return the facts of a run's screen, with the heads of its files as they now are."""
    return run_text(view, heads_of(folder), now_ms)


async def copy_facts(app: App[object], name: str, facts: Callable[[], str]) -> None:
    """Copy what ``facts`` returns, which may read files, as the file ``name``; show that it was."""
    if not isinstance(app, LookedApp):
        return

    def copy() -> tuple[str, str]:
        text = facts()
        return app.copy_out(text, name).told, text

    told, text = await asyncio.to_thread(copy)
    if not isinstance(app.screen, Page):
        app.push_screen(Page("Copied", f"{told}\n\n{text}"))
