"""Starting a collector from the console: only when told to, and then detached."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from textual.app import App

from plateau_tui.collector.detach import start_detached
from plateau_tui.collector.run import DeclinedError, Password, ServerAccess
from plateau_tui.config import PasswordSourceError, endpoint_of, find_password
from plateau_tui.console.jobs import Job
from plateau_tui.console.keys import KeyNames
from plateau_tui.console.live.view import RunView
from plateau_tui.console.screens.dialogs import Ask, Confirm
from plateau_tui.metric.tables import ConfigError
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.server.errors import PasswordError
from plateau_tui.server.transport import Endpoint

COLLECT: Final = "collect"
"""The job that starts a collector."""
MEANING = (
    "It runs in a session of its own and goes on when this console ends. It registers what is "
    "missing and opens the window with the first cycle that reads a counter in each arm."
)
"""What is told before a collector is started."""
MEANING_OPEN = (
    "It runs in a session of its own and goes on when this console ends. The window is open "
    "already: it writes gap rows for the cycles that were missed and reads on from there."
)
"""What is told before a collector is started on an open window."""
_REFUSED: Final = "refused the RCON password"
"""What the reason of a collector says that a server did not let in."""
_REFUSED_ONE: Final = "The server refused the last one: type the one that it has now. "


class CollectorStarter:
    """Asks what asking a server needs; the password lives in this process and the pipe."""

    def __init__(
        self,
        app: App[int],
        folder: RunFolder,
        tell: Callable[[str], None],
        typed: ServerAccess | None = None,
    ) -> None:
        """Prepare; ``tell`` gets the reason why it cannot be asked.

        ``typed`` has a password that was typed earlier: it is for that endpoint and no other. There
        it goes before the one that was given, which it was typed in the place of.
        """
        self._app = app
        self._folder = folder
        self._tell = tell
        self.typed = typed
        """What has the password that was typed last, None where none was."""

    async def access(self) -> ServerAccess | None:
        """Return where the server is and the password, asked for where it is not given.

        The address is read afresh: it may have been put right since it was refused.
        """
        endpoint = self._endpoint()
        return None if endpoint is None else await self._access_to(endpoint)

    def _endpoint(self) -> Endpoint | None:
        try:
            return endpoint_of(self._folder, None, None)
        except ConfigError as error:
            self._tell(str(error))
            return None

    async def _access_to(self, endpoint: Endpoint, why: str = "") -> ServerAccess | None:
        """Return the password typed for it, else the one given, else ask; with ``why`` always."""
        if why:
            return await self._ask_password(endpoint, why)
        if self.typed is not None and self.typed.endpoint == endpoint:
            return replace(self.typed, endpoint=endpoint)
        try:
            return ServerAccess(endpoint, find_password(None, endpoint, prompt=False))
        except PasswordSourceError:
            return await self._ask_password(endpoint)

    async def _ask_password(self, endpoint: Endpoint, why: str = "") -> ServerAccess | None:
        meaning = f"{why}It is kept in memory only{endpoint.set_by}."
        text = await self._app.push_screen_wait(
            Ask(f"RCON password for {endpoint}", meaning, secret=True)
        )
        self.typed = ServerAccess(endpoint, Password(text)) if text else None
        return self.typed

    async def ask(self, view: RunView | None) -> Job | None:
        """Return the job that starts the collector, or None when it is not wanted."""
        meaning = MEANING_OPEN if view is not None and view.stage == "open" else MEANING
        endpoint = self._endpoint()
        if endpoint is None:
            return None
        asked = f"{meaning} It asks {endpoint}{endpoint.set_by}."
        if not await self._app.push_screen_wait(Confirm("Start a collector?", asked)):
            return None
        why = _REFUSED_ONE if is_password_refused(view) else ""
        access = await self._access_to(endpoint, why)
        return None if access is None else lambda: _start(self._folder, access)


def _start(folder: RunFolder, access: ServerAccess) -> str:
    detached = start_detached(folder, access)
    if detached.exit_code is None:
        return f"collector {detached.pid} runs"
    raise DeclinedError(detached.text)


def is_password_refused(view: RunView | None) -> bool:
    """Say whether the password of the last collector was refused, and nothing was heard since."""
    if view is None or view.rcon_ok:
        return False
    lasting = {view.fault_code, *(fault.code for fault in view.faults)}
    return PasswordError.code in lasting or _REFUSED in view.refusal


def why_not_collect(view: RunView | None, error: str, now_ms: int, keys: KeyNames) -> str:
    """Return why no collector can be started here and what to do instead, or nothing."""
    if view is None or error:
        return error or "the run is being read: try again in a moment"
    if view.collector_pid is not None:
        pid = view.collector_pid
        if is_password_refused(view):
            start = keys["run.collect"]
            return f"collector {pid} has the password that was refused: kill {pid}, then {start}"
        return f"collector {pid} runs already"
    if view.stage in {"closed", "adjudicated"}:
        return "the window is closed: nothing is left to collect"
    if view.stage == "open" and view.is_over(now_ms):
        return f"the window's time is over: {keys['run.close']} closes it"
    if not view.seal:
        wizard, seal = keys["run.wizard"], keys["wizard.seal"]
        return f"no seal yet: {wizard} opens the wizard, and {seal} there seals the gate"
    return ""
