"""The server of the console in a browser: a page, and a web socket with a console behind it.

The terminal in the page is textual-serve's (its script, style and fonts come from its package, so
that nothing is asked of any other host). Its own server is not used: it builds a shell's line,
names the host it is bound to in the page, loads a font from elsewhere, and asks nobody's origin.
"""

import asyncio
import contextlib
import errno
import html
import json
import os
import signal
import string
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import ClassVar, Final

import textual_serve
from aiohttp import WSCloseCode, WSMsgType, web

from plateau_tui.web.child import Child, Size, child_environment
from plateau_tui.web.door import REFUSAL, TOKEN, Door
from plateau_tui.web.origins import refusal_of_host, refusal_of_origin

MOST_PAGES: Final = 8
"""So many consoles at once: each is a process that reads the whole log."""
_MOST_MESSAGE: Final = 1 << 24
"""A page sends what is pasted as one message; how much of it is used the console decides."""
_HEARTBEAT_S: Final = 15.0
_CLOSE_S: Final = 2.0
"""So long a page may take to agree to a close; one that hangs never does."""
_SHUTDOWN_S: Final = 8.0
"""So long the consoles may take to end."""
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; "
    "style-src 'self' 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""The terminal's script sets styles in the page; nothing else comes from outside our files."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class ServeError(OSError):
    """The server cannot be bound to where it was asked to be."""

    exit_code: ClassVar[int] = 2


@dataclass(frozen=True, slots=True)
class Served:
    """What is served, and where; ``port`` 0 takes any that is free."""

    argv: tuple[str, ...]
    """The words that start a console."""
    environment: Mapping[str, str]
    """The variables of this process."""
    title: str
    host: str
    port: int
    writable: bool = False


def serve(served: Served, ready: Callable[[str, int, str], None]) -> int:
    """Serve until SIGINT, SIGTERM or SIGHUP; return its number. Every console is ended with it.

    Args:
        served: what is served.
        ready: is told the host, the port, and the token that opens it, once the server listens.

    Raises:
        ServeError: the port is taken, or the host is none of this machine's.

    """
    return asyncio.run(_serve(served, ready))


async def _serve(served: Served, ready: Callable[[str, int, str], None]) -> int:
    loop = asyncio.get_running_loop()
    stopped: asyncio.Future[int] = loop.create_future()

    def stop(number: int) -> None:
        if not stopped.done():
            stopped.set_result(number)

    ended_by = [n for n in _SIGNALS if signal.getsignal(n) != signal.SIG_IGN]  # nohup, a shell's &
    for number in ended_by:
        loop.add_signal_handler(number, stop, int(number))
    door = Door()
    runner = web.AppRunner(
        Pages(served, door).application(),
        handle_signals=False,
        access_log=None,
        shutdown_timeout=_SHUTDOWN_S,
    )
    await runner.setup()
    try:
        site = web.TCPSite(runner, served.host, served.port)
        try:
            await site.start()
        except OSError as error:
            raise ServeError(_why_not(error, served)) from None
        ready(served.host, runner.addresses[0][1], door.token)
        return await stopped
    finally:
        await runner.cleanup()


def _why_not(error: OSError, served: Served) -> str:
    where = f"{served.host} port {served.port}"
    if error.errno == errno.EADDRINUSE:
        return f"{where} is taken by another program: choose another with --port"
    if error.errno == errno.EACCES:
        return f"{where} needs rights that you lack: choose one above 1023 with --port"
    reason = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
    return f"{where} cannot be served on ({reason}): choose another with --host and --port"


class Pages:
    """The requests of browsers."""

    def __init__(self, served: Served, door: Door) -> None:
        self._served = served
        self._door = door
        self._sockets: set[web.WebSocketResponse] = set()

    def application(self) -> web.Application:
        """Return the application that answers them."""
        guard = _guard_of(self._served.host, self._door)
        application = web.Application(middlewares=[web.middleware(guard)])
        application.router.add_get("/", self._page)
        application.router.add_get("/page.js", self._file)
        application.router.add_get("/page.css", self._file)
        application.router.add_get("/ws", self._socket)
        application.router.add_static("/static", Path(textual_serve.__file__).parent / "static")
        application.on_response_prepare.append(_put_headers)
        application.on_shutdown.append(self._close_all)
        return application

    async def _page(self, request: web.Request) -> web.Response:
        del request
        page = string.Template(_own("page.html"))
        text = page.substitute(title=html.escape(self._served.title))
        return web.Response(text=text, content_type="text/html")

    async def _file(self, request: web.Request) -> web.Response:
        name = request.path.removeprefix("/")
        kind = "text/css" if name.endswith(".css") else "text/javascript"
        return web.Response(text=_own(name), content_type=kind)

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        """Show a console of its own to a page, as long as the page is open."""
        origin, host = request.headers.get("Origin"), request.headers.get("Host")
        refusal = refusal_of_origin(origin, host)
        if refusal:
            return web.Response(status=403, text=refusal)
        if len(self._sockets) >= MOST_PAGES:
            return web.Response(status=503, text=f"{MOST_PAGES} pages are open: close one")
        socket = web.WebSocketResponse(
            timeout=_CLOSE_S, heartbeat=_HEARTBEAT_S, max_msg_size=_MOST_MESSAGE
        )
        self._sockets.add(socket)
        try:
            await socket.prepare(request)
            await self._show(socket, Size.of(*map(request.query.get, ("width", "height"))))
        finally:
            self._sockets.discard(socket)
        return socket

    async def _show(self, socket: web.WebSocketResponse, size: Size) -> None:
        served = self._served
        environment = child_environment(served.environment, size, writable=served.writable)
        child = await Child.start(served.argv, environment)
        drawing = asyncio.create_task(_draw(child, socket))
        try:
            async for message in socket:
                if message.type != WSMsgType.TEXT or not await _hear(child, socket, message.data):
                    break
        finally:
            drawing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await drawing
            await asyncio.shield(asyncio.create_task(child.end()))
            await socket.close()

    async def _close_all(self, application: web.Application) -> None:
        """Close every page; its handler ends the console behind it."""
        del application
        closing = (s.close(code=WSCloseCode.GOING_AWAY) for s in tuple(self._sockets))
        await asyncio.gather(*closing, return_exceptions=True)


def _guard_of(
    bound: str, door: Door
) -> Callable[[web.Request, Handler], Awaitable[web.StreamResponse]]:
    """Return what answers only who has asked by a name of this server, and has its token."""

    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        refusal = refusal_of_host(request.headers.get("Host"), bound)
        if refusal:
            return web.Response(status=403, text=refusal)
        if request.path == "/" and TOKEN in request.query:
            return _let_in(request.query[TOKEN], door)
        if not door.knows(request.cookies):
            return web.Response(status=403, text=REFUSAL)
        return await handler(request)

    return guard


def _let_in(token: str, door: Door) -> web.Response:
    """Give a browser its cookie, and the address without the token: that is not to be looked at.

    The cookie also goes with a link from elsewhere to the page (``Lax``), as the one in a terminal
    that is a page itself; it goes with nothing that a foreign page asks for.
    """
    if not door.opens_to(token):
        return web.Response(status=403, text=REFUSAL)
    answer = web.Response(status=303, headers={"Location": "/"})
    answer.set_cookie(door.cookie, door.token, path="/", httponly=True, samesite="Lax")
    return answer


async def _put_headers(request: web.Request, response: web.StreamResponse) -> None:
    del request
    response.headers.update(_HEADERS)


async def _draw(child: Child, socket: web.WebSocketResponse) -> None:
    """Send what the console draws; once it has ended, the page is told so."""
    with contextlib.suppress(ConnectionError):
        async for drawn in child.drawn():
            await socket.send_bytes(drawn)
    await socket.close()


async def _hear(child: Child, socket: web.WebSocketResponse, data: str) -> bool:
    """Do what a page says; False where it says what no page of ours would."""
    try:
        message = json.loads(data)
    except ValueError:
        return False
    match message:
        case ["stdin", str(text)]:
            await child.type(text)
        case ["resize", {"width": width, "height": height}]:
            await child.resize(Size.of(width, height))
        case ["ping", str(when)]:
            await socket.send_json(["pong", when])
        case ["focus"] | ["blur"]:
            await child.focus(has=message == ["focus"])
        case _:
            return False
    return True


def _own(name: str) -> str:
    """Return the text of a file of ours."""
    return resources.files("plateau_tui.web").joinpath(name).read_text(encoding="utf-8")
