"""The Textual application: screens, keys, manners at a terminal."""

import asyncio
import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Final

from textual import on, work
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.events import Resize
from textual.geometry import Size
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.widgets import Input, TextArea

from plateau_tui.config import config_file
from plateau_tui.console.crash import crash_text
from plateau_tui.console.help import help_text
from plateau_tui.console.keys import KeyNames, check_keys
from plateau_tui.console.look.asleep import Asleep
from plateau_tui.console.look.lookedapp import LookedApp
from plateau_tui.console.look.looks import Look
from plateau_tui.console.messages import JobDone
from plateau_tui.console.noting import KEPT, NoteRefused, keep_words
from plateau_tui.console.readonly import APP_LOOKS, CommandNames
from plateau_tui.console.screens.base import BaseScreen, own_keys
from plateau_tui.console.screens.dialogs import REDRAW, Ask, Confirm, Dialog, Page
from plateau_tui.console.screens.menu import Menu
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.console.screens.runs import RunsScreen
from plateau_tui.console.screens.unit import UnitScreen
from plateau_tui.console.screens.wizard import WizardScreen
from plateau_tui.console.threads import LeavingExecutor
from plateau_tui.metric.fence import CLAIM_FENCE
from plateau_tui.runlog.layout import RunFolder

_LAST_BREATH_S: Final = 1.0
_LEAVE_MEANING: Final = (
    "What collects goes on without the console. What is typed and not written is lost."
)
_TERMINAL_LOOK_S: Final = 1.0


class _PlainBar(ScrollBarRender):
    """A scroll bar of whole cells: eighths of a block are missing from a console's font."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8
    HORIZONTAL_BARS: ClassVar[list[str]] = [" "] * 8


ScrollBar.renderer = _PlainBar


class Interrupt(Confirm):
    """Asks, after ctrl+c, whether to leave."""


class PlateauApp(LookedApp):
    """Shows runs; starts, polls and decides nothing by itself."""

    CSS_PATH = "app.tcss"
    TITLE = "plateau-tui"
    ENABLE_COMMAND_PALETTE = True
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (150, "-wide")]  # noqa: RUF012 - Textual's own form
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "fence", "Fence", id="app.fence", tooltip="The claim fence in full"),
        Binding(
            "m,ctrl+p", "command_palette", "Menu", id="app.menu", tooltip="All commands, by name"
        ),
        Binding("question_mark", "help", "Help", key_display="?", id="app.help"),
        Binding("q", "quit", "Quit", id="app.leave", tooltip="Leave; the collection goes on"),
        REDRAW,
        Binding("ctrl+c", "interrupt", show=False, priority=True),
    ]

    def __init__(
        self,
        runs: Path,
        attach: RunFolder | None,
        keys: Mapping[str, str],
        look: Look | None = None,
    ) -> None:
        super().__init__(look)
        self._runs = runs
        self._first_run = attach
        self._keys = dict(keys)
        self.key_names = KeyNames(self._keys)
        self.bell_rings = True
        """Whether a run's screen rings where its operator has not chosen."""
        self.unwritten: dict[Path, str] = {}
        """The words of notes that were refused, by run."""
        self.read_only = False
        """Whether everything that does not only look is off; ``only_look`` sets it."""
        self.opens: Callable[[], Screen[None]] | None = None
        """What makes the screen to begin with, above the list of runs."""

    def only_look(self) -> None:
        """Be read-only from the start on: keys that do not only look are off, and not named."""
        self.read_only = True
        self.key_names = CommandNames(self._keys)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let a read-only console do what only looks."""
        may = not self.read_only or action in APP_LOOKS
        return may and super().check_action(action, parameters)

    def on_mount(self) -> None:
        """Set keys and signals, show the first screen."""
        if self._keys:
            self.set_keymap(self._keys)
        loop = asyncio.get_running_loop()
        loop.set_default_executor(LeavingExecutor())
        if not self.is_headless:
            for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
                loop.add_signal_handler(number, self._leave, 128 + number)
            if self._driver is not None and self._driver.can_suspend:
                Asleep(self, self._driver).watch(loop)
            self.set_interval(_TERMINAL_LOOK_S, self._check_terminal)
        self.push_screen(RunsScreen(self._runs))
        if self._first_run is not None:
            self.push_screen(RunScreen(self._first_run))
        if self.opens is not None:
            self.push_screen(self.opens())
        for line in self.look.told:
            self.call_after_refresh(self._tell, line)

    def _leave(self, code: int) -> None:
        """End at once; a terminal that is gone must not keep the process alive."""
        last = threading.Timer(_LAST_BREATH_S, os._exit, (code,))
        last.daemon = True
        last.start()
        self.exit(code, return_code=code)

    def _check_terminal(self) -> None:
        """End when the terminal has vanished without a signal."""
        if not sys.__stdin__:
            return
        poller = select.poll()
        poller.register(sys.__stdin__.fileno(), 0)
        if poller.poll(0):  # nothing was asked for: only a hang-up or an error answers
            self._leave(128 + signal.SIGHUP)
        else:
            self._check_size()

    def _check_size(self) -> None:
        """Take the terminal's size when the signal for it came while it could not be used."""
        try:
            width, height = os.get_terminal_size(sys.__stdin__.fileno() if sys.__stdin__ else 0)
        except OSError:
            return
        size = Size(width, height)
        if width and height and size != self.size:
            self.post_message(Resize(size, size))

    def _fatal_error(self) -> None:
        """End after an error of ours: the framework's own report would print every local."""
        error = sys.exc_info()[1]
        if error is not None:
            self._exit_renderables.append(crash_text(error))
        self._close_messages_no_wait()

    def action_fence(self) -> None:
        """Show the claim fence in full."""
        self._show_page(Page("What a result means (the claim fence)", CLAIM_FENCE))

    def action_help(self) -> None:
        """Show what the words mean, and the keys of this screen."""
        bindings = self.screen.active_bindings.values()
        self._show_page(Page("Help", help_text(bindings, self.key_names)))

    def action_command_palette(self) -> None:
        """Show the menu, once however often its key is pressed."""

        def chosen(command: SystemCommand | None) -> None:
            if command is not None:
                self.call_later(command.callback)

        if not isinstance(self.screen, Menu):
            self.push_screen(Menu(list(self.get_system_commands(self.screen))), chosen)

    @on(JobDone)
    def _tell_done(self, message: JobDone) -> None:
        text = f"{message.job}: {'' if message.ok else 'NO: '}{message.text}"
        self._tell_of(message.run, text, message.job)

    @on(NoteRefused)
    def _keep_words(self, message: NoteRefused) -> None:
        keep_words(self.unwritten, message)
        self._tell_of(message.run, KEPT)

    def _tell_of(self, run: Path | None, text: str, job: str = "") -> None:
        """Tell something about a run on its own screen, or elsewhere once that was left."""
        runs = [s for s in self.screen_stack if isinstance(s, RunScreen)]
        own = [screen for screen in runs if screen.folder.path == run]
        for screen in own:
            screen.hear(text, job)
        if not own and run is not None:
            self._tell(f"{run.name}: {text}")

    def _tell(self, text: str) -> None:
        """Tell the operator something on the screen that has a place for it."""
        for screen in reversed(self.screen_stack):
            if isinstance(screen, RunScreen | RunsScreen):
                screen.hear(text)
                return

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Tell something where it hides nothing: a toast would lie on the keys or the units."""
        del severity, timeout, markup
        text = f"{title}: {message}" if title else message
        for screen in reversed(self.screen_stack):
            if isinstance(screen, Ask):  # it lies on the others, and is what was typed into
                screen.hear(text)
            elif isinstance(screen, BaseScreen):
                if screen.is_seen and not isinstance(screen, RunScreen | RunsScreen):
                    screen.hear(text)
                break
        self._tell(text)

    def _show_page(self, page: Page) -> None:
        """Show one page at a time; the same key pressed twice opens no second."""
        if not isinstance(self.screen, Page):
            self.push_screen(page)

    async def action_quit(self) -> None:
        """Leave; nothing that collects is touched."""
        self.exit(0)

    @work
    async def action_interrupt(self) -> None:
        """Copy what is selected; else ask whether to leave, on every screen."""
        selected = self.screen.get_selected_text()
        if isinstance(self.focused, Input | TextArea):
            selected = selected or self.focused.selected_text
        if selected:
            self.copy_to_clipboard(selected)
        elif not isinstance(self.screen, Interrupt):
            question = f"Leave the console? ({self.key_names['app.leave']} leaves, too)"
            if await self.push_screen_wait(Interrupt(question, _LEAVE_MEANING)):
                self.exit(0)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Offer every key of the screen in the command palette too."""
        for binding, active in own_keys(screen.active_bindings.values()).values():
            if binding.action == "command_palette":
                continue
            run = binding.action

            async def do(action: str = run, node: DOMNode = active.node) -> None:
                if node is self or node.is_attached:
                    await self.run_action(action, default_namespace=node)

            key = self.get_key_display(binding)
            yield SystemCommand(
                binding.description, f"{key}: {binding.tooltip or binding.description}", do
            )
        for active in screen.active_bindings.values():
            if active.binding.id == REDRAW.id:  # as it is mapped now
                told = f"{self.get_key_display(active.binding)}: {REDRAW.tooltip}"
                yield SystemCommand(REDRAW.description, told, self.action_redraw)
                break
        yield from self.theme_commands()


def check_console_keys(keys: Mapping[str, str]) -> None:
    """Check remapped keys.

    Raises:
        ConfigError: one cannot be used.

    """
    if not keys:
        return
    from plateau_tui.console.screens import (  # noqa: PLC0415 - start-up is quicker
        calibration,
        gate,
        journal,
        pairs,
        plots,
        replaykeys,
        verdict,
    )

    full = {
        "runs": RunsScreen.BINDINGS,
        "run": RunScreen.BINDINGS,
        "unit": UnitScreen.BINDINGS,
        "wizard": WizardScreen.BINDINGS,
        **calibration.SCREENS,
        **gate.SCREENS,
        **journal.SCREENS,
        **pairs.SCREENS,
        **plots.SCREENS,
        **replaykeys.SCREENS,
        **verdict.SCREENS,
    }
    screens = {name: [*own, *PlateauApp.BINDINGS] for name, own in full.items()}
    asked = {"question": Confirm.BINDINGS, "page": Page.BINDINGS}
    screens |= {name: [*own, *Dialog.BINDINGS] for name, own in asked.items()}
    check_keys(str(config_file()), keys, screens)


def run_console(
    runs: Path,
    attach: RunFolder | None,
    keys: Mapping[str, str],
    *,
    mouse: bool = True,
    look: Look | None = None,
    bell: bool = True,
    opens: Callable[[], Screen[None]] | None = None,
    read_only: bool = False,
) -> int:
    """Run the console and return its exit code; without ``mouse`` the terminal keeps its own.

    Raises:
        ConfigError: a remapped key cannot be used.

    """
    check_console_keys(keys)
    app = PlateauApp(runs, attach, keys, look)
    app.bell_rings = bell
    app.opens = opens
    if read_only:
        app.only_look()
    code = app.run(mouse=mouse)
    return code if code is not None else app.return_code or 0
