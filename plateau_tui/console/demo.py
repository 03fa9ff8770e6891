"""The demonstration in a terminal: the console, with the operator's steps done one by one."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Final

from textual import work
from textual.screen import ModalScreen

from plateau_tui.collector.detach import start_detached
from plateau_tui.collector.run import ServerAccess
from plateau_tui.config import ConsoleConfig
from plateau_tui.console import clock
from plateau_tui.console.app import PlateauApp
from plateau_tui.console.lines.grid import arm_line
from plateau_tui.console.live.view import Role, RunView
from plateau_tui.console.look.looks import look_here
from plateau_tui.console.screens.dialogs import Page
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.console.screens.wizard import WizardScreen
from plateau_tui.metric.fence import CLAIM_FENCE
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.state import RunState, read_state

_PACE_S: Final = 1.2
_LOOK_S: Final = 0.1
_PATIENCE_S: Final = 120.0
_WATCHED_S: Final = 9.0
_TRIES: Final = 5
_SETTLE_S: Final = 2.0
"""The last page opens by itself: a key pressed for something else must not close it."""


class DemoApp(PlateauApp):
    """Does an operator's steps at a pace that can be followed; every key works meanwhile.

    A step is done when the journal says so, whoever did it; one that a key broke off is done again.
    """

    def __init__(
        self,
        folder: RunFolder,
        access: ServerAccess,
        let_act: Callable[[], None],
        lifeline: int | None = None,
    ) -> None:
        """Prepare; ``let_act`` makes the embedded server's bodies begin to act.

        ``lifeline`` is the collector's, as for ``start_detached``.
        """
        super().__init__(folder.path.parent, folder, {}, look_here(ConsoleConfig({})))
        self._folder = folder
        self._access = access
        self._let_act = let_act
        self._lifeline = lifeline
        self._wizard: WizardScreen | None = None

    def on_mount(self) -> None:
        """Begin the demonstration."""
        # Textual calls the base's on_mount by itself.
        self._demonstrate()

    @work(description="the demonstration")
    async def _demonstrate(self) -> None:
        await asyncio.sleep(_PACE_S)
        await self._step("check", _nothing_left, tries=1)
        await self._step("register", lambda state: state.registered)
        self._let_act()
        await asyncio.sleep(_PACE_S)
        await self._step("watch", _all_suggested, watched_s=_WATCHED_S)
        await self._step("pin", lambda state: bool(state.pins))
        await self._step("seal", lambda state: state.sealed is not None)
        # A dialog that the operator opened may lie over the wizard.
        await self._until(lambda: not isinstance(self.screen, ModalScreen))
        if self.screen is self._wizard:
            self.pop_screen()
        await asyncio.to_thread(start_detached, self._folder, self._access, self._lifeline)
        await self._until(lambda: self._closed_view() is not None)
        view = self._closed_view()
        if view is None:
            return
        await self._until(lambda: not isinstance(self.screen, ModalScreen))
        word = await asyncio.to_thread(_verdict, self._folder)
        self.push_screen(Page("The window is closed", _summary(view, word), settle_s=_SETTLE_S))

    async def _step(
        self,
        step: str,
        done: Callable[[RunState], bool],
        *,
        tries: int = _TRIES,
        watched_s: float = 0.0,
    ) -> None:
        for _ in range(tries):
            await self._try_step(step, watched_s)
            state, _ = await asyncio.to_thread(read_state, self._folder.journal)
            if done(state):
                return

    async def _try_step(self, step: str, watched_s: float) -> None:
        wizard = await self._shown_wizard()

        def over() -> bool:
            return not wizard.busy or not wizard.is_attached

        wizard.start_step(step)
        await self._until(over, watched_s or _PATIENCE_S)
        wizard.stop_step()
        await self._until(over)
        await asyncio.sleep(_PACE_S)

    async def _shown_wizard(self) -> WizardScreen:
        """Return the wizard, opened again when a key has closed it, with nothing under way."""
        wizard = self._wizard
        if wizard is None or wizard not in self.screen_stack:
            wizard = self._wizard = WizardScreen(self._folder, self._access)
            await self.push_screen(wizard)
        await self._until(lambda: not wizard.busy or not wizard.is_attached)
        return wizard

    def _closed_view(self) -> RunView | None:
        runs = (screen for screen in self.screen_stack if isinstance(screen, RunScreen))
        views = (run.view for run in runs if run.view is not None)
        return next((view for view in views if view.stage == "closed"), None)

    async def _until(self, condition: Callable[[], bool], limit_s: float = _PATIENCE_S) -> None:
        for _ in range(int(limit_s / _LOOK_S)):
            if condition():
                return
            await asyncio.sleep(_LOOK_S)


def _nothing_left(state: RunState) -> bool:
    """Say that a step is done which leaves nothing in the journal: a look at the server."""
    del state
    return True


def _all_suggested(state: RunState) -> bool:
    return state.watch is not None and all(state.watch.suggestion.values())


def _verdict(folder: RunFolder) -> str:
    """Return the verdict's word, derived from the log as ``plateau-tui verdict`` does."""
    from plateau_tui.report.gather import judge  # noqa: PLC0415 - only a closed window is judged
    from plateau_tui.report.words import headline  # noqa: PLC0415

    return headline(judge(folder).verdict)


def _summary(view: RunView, verdict: str) -> str:
    roles: tuple[Role, ...] = ("treatment", "control")
    return "\n".join(
        [
            f"Verdict: {verdict}",
            *(line for role in roles for line in _arm(view, role)),
            f"cycles {view.cycles}, with gaps {view.gaps}",
            "",
            CLAIM_FENCE,
            "",
            "esc closes this page; q then leaves, and the status and the check of the log follow.",
        ]
    )


def _arm(view: RunView, role: Role) -> Iterator[str]:
    """Yield what an arm reached, and on what it rests where that is disclosed."""
    yield arm_line(view, role, 90, clock.now_ms())
    for units, words in (
        ([unit.name for unit in view.of(role) if unit.table_only], "PRIMARY by the table alone"),
        ([unit.name for unit in view.of(role) if unit.other_log], "SECONDARY by another log"),
    ):
        if units:
            yield f"  {words}: {', '.join(units)}"


def run_demo(
    folder: RunFolder, access: ServerAccess, let_act: Callable[[], None], lifeline: int
) -> int:
    """Run the demonstration and return the console's exit code."""
    app = DemoApp(folder, access, let_act, lifeline)
    code = app.run()
    return code if code is not None else app.return_code or 0
