"""Starting a collector from the console: only when told to, and then detached."""

from collections.abc import Callable

from textual.app import App

from plateau_tui.collector.detach import start_detached
from plateau_tui.collector.run import DeclinedError, Password, ServerAccess
from plateau_tui.config import PasswordSourceError, endpoint_of, find_password
from plateau_tui.console.jobs import Job
from plateau_tui.console.screens.dialogs import Ask, Confirm
from plateau_tui.metric.tables import ConfigError
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.server.transport import Endpoint

MEANING = (
    "It runs in a session of its own and goes on when this console ends. It registers what is "
    "missing and opens the window with its first whole cycle."
)
"""What is told before a collector is started."""


class CollectorStarter:
    """Asks what starting a collector needs; the password lives in this process and the pipe."""

    def __init__(self, app: App[int], folder: RunFolder, tell: Callable[[str], None]) -> None:
        """Prepare; ``tell`` gets the reason why it cannot be asked."""
        self._app = app
        self._folder = folder
        self._tell = tell
        self.typed = False
        """Whether the password was typed just now."""

    async def access(self) -> ServerAccess | None:
        """Return where the server is and the password, asked for where it is not given."""
        try:
            endpoint = endpoint_of(self._folder, None, None)
        except ConfigError as error:
            self._tell(str(error))
            return None
        try:
            return ServerAccess(endpoint, find_password(None, endpoint, prompt=False))
        except PasswordSourceError:
            return await self._ask_password(endpoint)

    async def _ask_password(self, endpoint: Endpoint) -> ServerAccess | None:
        text = await self._app.push_screen_wait(
            Ask(f"RCON password for {endpoint}", "It is kept in memory only.", secret=True)
        )
        self.typed = bool(text)
        return ServerAccess(endpoint, Password(text)) if text else None

    async def ask(self) -> Job | None:
        """Return the job that starts the collector, or None when it is not wanted."""
        if not await self._app.push_screen_wait(Confirm("Start a collector?", MEANING)):
            return None
        access = await self.access()
        return None if access is None else lambda: _start(self._folder, access)


def _start(folder: RunFolder, access: ServerAccess) -> str:
    detached = start_detached(folder, access)
    if detached.exit_code is None:
        return f"collector {detached.pid} runs"
    raise DeclinedError(detached.text)
