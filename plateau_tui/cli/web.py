"""The options of a console that only looks, or is shown in a browser; light, as ``options``."""

import functools
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final, NoReturn, TypeVar

import click

from plateau_tui.cli.options import AskedLook
from plateau_tui.process import environment_with_password

Result = TypeVar("Result")
_HOST: Final = "127.0.0.1"
_PORT: Final = 8000
_EXTRA: Final = ("aiohttp", "textual_serve")


@dataclass(frozen=True, slots=True)
class Showing:
    """How a console is shown, as the flags say."""

    read_only: bool = False
    web: bool = False
    host: str | None = None
    port: int | None = None
    writable: bool = False

    @property
    def is_asked(self) -> bool:
        """Whether any of it was given."""
        return self != Showing()

    @property
    def only_looks(self) -> bool:
        """Whether the console may only look: in a browser always, unless it was asked for more."""
        return self.read_only or (self.web and not self.writable)

    def check(self) -> None:
        """Check that the flags go together.

        Raises:
            click.UsageError: they do not.

        """
        given = {"--host": self.host is not None, "--port": self.port is not None}
        for flag in [name for name, is_given in given.items() if is_given and not self.web]:
            raise click.UsageError(f"{flag} is where --web serves; give --web with it")
        if self.writable and not self.web:
            raise click.UsageError("--web-writable is for --web; a console may write without it")
        if self.writable and self.read_only:
            raise click.UsageError("--read-only and --web-writable contradict each other")


def shows(command: Callable[..., Result]) -> Callable[..., Result]:
    """Give a command the options of how its console is shown; it gets them as ``showing``."""

    @click.option("--read-only", is_flag=True, help="Keys that write, ask or start are off.")
    @click.option("--web", is_flag=True, help="Serve the console to a browser, read-only.")
    @click.option("--host", metavar="HOST", help=f"With --web: what to listen on ({_HOST}).")
    @click.option(
        "--port", type=click.IntRange(0, 65535), help=f"With --web: the port ({_PORT}; 0: any)."
    )
    @click.option(
        "--web-writable", "writable", is_flag=True, help="With --web: pages may write too; beware."
    )
    @functools.wraps(command)
    def wrapper(
        read_only: bool,
        web: bool,
        host: str | None,
        port: int | None,
        writable: bool,
        **options: object,
    ) -> Result:
        showing = Showing(read_only, web, host, port, writable)
        showing.check()
        return command(showing=showing, **options)

    return wrapper


def is_served() -> bool:
    """Say whether this process is a console behind a page, which is its terminal."""
    return os.environ.get("TEXTUAL_DRIVER") == "textual.drivers.web_driver:WebDriver"


def serve_console(
    showing: Showing, words: tuple[str, ...], what: str, look: AskedLook, *, mouse: bool
) -> NoReturn:
    """Serve the console that ``words`` of the command line open, until a signal; never returns.

    ``what`` is shown, in words.

    Raises:
        click.UsageError: the extra is not installed.
        ServeError: the port is taken, or the host is none of this machine's.

    """
    if any(find_spec(name) is None for name in _EXTRA):
        raise click.UsageError(
            "a console in a browser needs the extra 'web': pip install 'plateau-tui[web]'"
        )
    from plateau_tui.cli.common import tell  # noqa: PLC0415 - help stays fast
    from plateau_tui.web.server import Served, serve  # noqa: PLC0415 - only with the extra

    flags = (*_look_flags(look), *(() if mouse else ("--no-mouse",)))
    if not showing.writable:
        flags = (*flags, "--read-only")
    command, run = words[:1], words[1:]
    served = Served(
        argv=(
            sys.executable,
            "-m",
            "plateau_tui",
            *command,
            *flags,
            *(("--",) if run else ()),
            *run,
        ),
        environment=environment_with_password(),
        title=f"plateau-tui: {what}",
        host=showing.host or _HOST,
        port=_PORT if showing.port is None else showing.port,
        writable=showing.writable,
    )

    def ready(host: str, port: int, token: str) -> None:
        _warn(showing, host, port)
        shown = f"[{host}]" if ":" in host else host
        how = "WRITABLE" if showing.writable else "read-only"
        tell(f"http://{shown}:{port}/?token={token} shows {what} ({how}); Ctrl-C ends it")
        sys.stdout.flush()

    raise click.exceptions.Exit(128 + serve(served, ready))


def _warn(showing: Showing, host: str, port: int) -> None:
    from plateau_tui.cli.common import say  # noqa: PLC0415 - help stays fast
    from plateau_tui.web.origins import is_loopback  # noqa: PLC0415 - help stays fast

    if not is_loopback(host):
        say(
            f"warning: {host} has no encryption: who reads the line has the token and sees this; "
            f"leave --host out and use an SSH tunnel: ssh -L {port}:127.0.0.1:{port} THIS-HOST"
        )
    if showing.writable:
        say(
            "warning: --web-writable: whoever has this address and its token may seal, close, "
            "write into the journal and start collectors"
        )


def _look_flags(look: AskedLook) -> tuple[str, ...]:
    """Return the flags that ask for this look again."""
    theme = () if look.theme is None else (f"--theme={look.theme}",)
    colours = () if look.colours is None else (f"--colours={look.colours}",)
    return (*theme, *colours, *(("--ascii",) if look.ascii_only else ()))
