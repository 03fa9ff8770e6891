"""The server of the console in a browser, as its own page and as others meet it."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final

import pytest
from cli.shell import Shell
from collector.bench import wait_for
from console.apps import sample
from web.looking import held
from web.serving import ENDS_S, PASSWORD, Server, is_gone, needs_web

from plateau_tui.runlog.layout import RunFolder

pytestmark = needs_web
QUIET: Final = """
import os
os.write(1, b"__GANGLION__\\nD\\0\\0\\0\\1x")
while os.read(0, 100):
    pass
"""


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """A run whose name no shell and no page would take as it is."""
    made = sample(tmp_path).path
    return RunFolder(made.rename(made.parent / 'it\'s <b>"1" & $(id)'))


@pytest.fixture
def served(folder: RunFolder, tmp_path: Path) -> Iterator[Server]:
    with Server("attach", str(folder.path), cwd=tmp_path) as server:
        yield server


def asked(server: Server) -> bytes:
    """What a browser sends to open a web socket."""
    return (
        "GET /ws?width=80&height=24 HTTP/1.1\r\n"
        f"Host: 127.0.0.1:{server.port}\r\nOrigin: http://127.0.0.1:{server.port}\r\n"
        f"Cookie: {server.cookie()}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    ).encode()


def get(server: Server, path: str, **headers: str) -> tuple[int, dict[str, str], str]:
    """Ask as a browser that was shown the token does."""
    headers = {"Cookie": server.cookie()} | headers
    connection = HTTPConnection("127.0.0.1", server.port, timeout=ENDS_S)
    with contextlib.closing(connection):
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode("utf-8", "replace")


def open_socket(server: Server, **headers: str | None) -> int:
    """Ask for a web socket as a browser does; return the status of the answer."""
    usual: dict[str, str | None] = {
        "Host": f"127.0.0.1:{server.port}",
        "Origin": f"http://127.0.0.1:{server.port}",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    kept = {name: value for name, value in (usual | headers).items() if value is not None}
    return get(server, "/ws", **kept)[0]


class Page:
    """A page of the server's own: a web socket with a console behind it."""

    def __init__(self, socket: Any) -> None:  # noqa: ANN401 - aiohttp may not be installed
        self.socket = socket
        self.seen = b""

    async def until(self, text: str) -> None:
        async with asyncio.timeout(ENDS_S):
            while text.encode() not in self.seen:
                message = await self.socket.receive()
                assert isinstance(message.data, bytes), message
                self.seen += message.data

    async def until_closed(self) -> None:
        async with asyncio.timeout(ENDS_S):
            while not self.socket.closed:
                await self.socket.receive()


@contextlib.asynccontextmanager
async def page_of(server: Server) -> AsyncIterator[Page]:
    from aiohttp import ClientSession  # noqa: PLC0415 - it may not be installed

    origin = f"http://127.0.0.1:{server.port}"
    url = f"ws://127.0.0.1:{server.port}/ws?width=100&height=30"
    sent = {"Cookie": await asyncio.to_thread(server.cookie)}
    async with (
        ClientSession() as session,
        session.ws_connect(url, origin=origin, headers=sent) as opened,
    ):
        yield Page(opened)


def test_the_page_is_whole_and_asks_nobody_else_for_anything(
    served: Server, folder: RunFolder
) -> None:
    assert served.said.startswith(f"{served.url} shows the run ")
    assert "read-only" in served.said
    status, headers, text = get(served, "/")
    assert status == 200
    assert "&lt;b&gt;" in text
    assert "<b>" not in text
    assert "//" not in text.replace("<!", "")
    assert PASSWORD not in text
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    assert headers["X-Frame-Options"] == "DENY"
    for path in ("/page.js", "/page.css", "/static/js/textual.js", "/static/css/xterm.css"):
        status, _, text = get(served, path)
        assert status == 200, path
        assert "fonts.googleapis" not in text
    assert get(served, "/static/")[0] in {403, 404}
    assert get(served, "/static/../../server.py")[0] in {403, 404}
    assert get(served, "/nothing")[0] == 404
    assert not served.children()
    code, told = served.stop()
    assert (code, told) == (130, "")


def test_other_names_and_other_pages_are_refused_and_start_nothing(served: Server) -> None:
    port = served.port
    assert get(served, "/", Host=f"evil.example:{port}")[0] == 403
    assert get(served, "/page.js", Host=f"127.0.0.1.evil.example:{port}")[0] == 403
    assert get(served, "/", Host=f"localhost:{port}")[0] == 200
    evil = {"Host": f"evil.example:{port}", "Origin": f"http://evil.example:{port}"}
    assert open_socket(served, **evil) == 403
    for origin in ("http://evil.example", f"http://localhost:{port}", "null", None):
        assert open_socket(served, Origin=origin) == 403, origin
    assert open_socket(served, Origin=f"http://127.0.0.1:{port + 1}") == 403
    assert not served.children()


def test_who_has_no_token_is_told_one_line_and_starts_nothing(served: Server) -> None:
    name, _, value = served.cookie().partition("=")
    assert value == served.token
    wrong = "A" * len(value)
    paths = ("/", f"/?token={wrong}", "/?token=", "/?token=%ff", f"/ws?token={value}", "/page.js",
             "/static/js/textual.js", "/nothing")  # fmt: skip
    for path in paths:
        for cookie in ("", f"{name}={wrong}", f"{name}={value[:-1]}", f"other={value}", "\xe9=;"):
            status, headers, text = get(served, path, Cookie=cookie)
            assert status == 403, (path, cookie)
            assert "Set-Cookie" not in headers
            assert text == "open the address that plateau-tui --web has printed, with its token"
            assert served.token not in str(headers)
    for cookie in ("", f"{name}={wrong}"):
        assert open_socket(served, Cookie=cookie) == 403
    assert not served.children()


def test_the_token_is_changed_for_a_cookie_that_no_script_and_no_other_page_can_use(
    served: Server,
) -> None:
    status, headers, _ = get(served, f"/?token={served.token}", Cookie="")
    assert (status, headers["Location"]) == (303, "/")
    given = headers["Set-Cookie"]
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(given.split("; "))
    assert "expires" not in given.lower()  # it goes with the browser
    status, _, text = get(served, "/")
    assert status == 200
    assert served.token not in text


def test_the_token_is_another_each_time_and_stands_in_no_file_and_no_process(
    served: Server, folder: RunFolder, tmp_path: Path
) -> None:
    with socket.create_connection(("127.0.0.1", served.port), ENDS_S) as opened:
        opened.sendall(asked(served))
        assert b" 101 " in opened.recv(100)
        wait_for(served.children, ENDS_S)
        for pid in (served.process.pid, *served.children()):
            for name in ("environ", "cmdline"):
                assert served.token.encode() not in Path(f"/proc/{pid}/{name}").read_bytes()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert folder.registration in files
    assert not [path for path in files if served.token.encode() in path.read_bytes()]
    with Server("attach", str(folder.path), cwd=tmp_path) as other:
        assert other.token != served.token
        assert get(other, "/", Cookie=served.cookie())[0] == 403


@pytest.mark.asyncio
async def test_a_page_shows_a_console_that_only_looks(served: Server, folder: RunFolder) -> None:
    before = held(folder.path)
    async with page_of(served) as page:
        await page.until("UNI-11-3")
        await page.until("READ-ONLY")
        [child] = served.children()
        for name in ("environ", "cmdline"):
            told = await asyncio.to_thread(Path(f"/proc/{child}/{name}").read_bytes)
            assert PASSWORD.encode() not in told
        await page.socket.send_str(json.dumps(["stdin", "nwpcxs"]))
        await page.socket.send_str(json.dumps(["resize", {"width": 120, "height": 40}]))
        await page.socket.send_str(json.dumps(["stdin", "jo"]))
        await page.until("first moved")
        assert b"A note for the journal" not in page.seen
    await asyncio.to_thread(wait_for, lambda: is_gone(child), ENDS_S)
    assert held(folder.path) == before


@pytest.mark.asyncio
@pytest.mark.parametrize("said", ["{", "[]", '["stdin", 1]', '["run", "id"]', "x" * 70_000])
async def test_what_no_page_of_ours_says_closes_it(served: Server, said: str) -> None:
    async with page_of(served) as page:
        await page.until("UNI-")
        [child] = served.children()
        await page.socket.send_str(said)
        await page.until_closed()
    await asyncio.to_thread(wait_for, lambda: is_gone(child), ENDS_S)


@pytest.mark.asyncio
async def test_a_console_that_is_left_closes_its_page(served: Server) -> None:
    async with page_of(served) as page:
        await page.until("UNI-11-3")
        await page.socket.send_str(json.dumps(["stdin", "q"]))
        await page.until_closed()


@pytest.mark.asyncio
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
async def test_the_servers_end_is_the_end_of_its_consoles(
    served: Server, number: signal.Signals
) -> None:
    async with page_of(served) as page:
        await page.until("UNI-11-3")
        [child] = served.children()
        code, told = await asyncio.to_thread(served.stop, number)
        assert told == "" or number == signal.SIGKILL
        assert code == (-number if number == signal.SIGKILL else 128 + number)
        await asyncio.to_thread(wait_for, lambda: is_gone(child), ENDS_S)


def test_a_page_that_hangs_holds_nothing_up(served: Server) -> None:
    with socket.create_connection(("127.0.0.1", served.port), ENDS_S) as hung:
        hung.sendall(asked(served))
        assert b" 101 " in hung.recv(100)
        wait_for(served.children, ENDS_S)
        [child] = served.children()
        assert served.stop() == (130, "")
        assert is_gone(child)


@pytest.mark.asyncio
async def test_a_writable_page_says_so_and_has_the_password(
    folder: RunFolder, tmp_path: Path
) -> None:
    words = ("attach", str(folder.path), "--web-writable")
    with await asyncio.to_thread(Server, *words, cwd=tmp_path) as server:
        assert "WRITABLE" in server.said
        async with page_of(server) as page:
            await page.until("n Note")
            assert b"READ-ONLY" not in page.seen
            [child] = server.children()
            told = await asyncio.to_thread(Path(f"/proc/{child}/environ").read_bytes)
            assert PASSWORD.encode() in told
            told = await asyncio.to_thread(Path(f"/proc/{child}/cmdline").read_bytes)
            assert PASSWORD.encode() not in told
        code, warned = await asyncio.to_thread(server.stop)
    assert code == 130
    assert warned.splitlines() == [warned.strip()]
    assert "warning: --web-writable" in warned


@pytest.mark.asyncio
async def test_the_runs_folder_is_served_too(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    runs = {"PLATEAU_TUI_RUNS": str(folder.path.parent)}
    with await asyncio.to_thread(Server, cwd=tmp_path, environment=runs) as server:
        async with page_of(server) as page:
            await page.until(folder.path.name)
            await page.until("READ-ONLY")


def test_what_others_can_reach_is_warned_of(folder: RunFolder, tmp_path: Path) -> None:
    every = "0.0.0.0"  # noqa: S104 - it is what is tested, for a moment, and shows a sample
    with Server("attach", str(folder.path), "--host", every, cwd=tmp_path) as server:
        assert get(server, "/", Host="192.0.2.7:1")[0] == 200
        assert get(server, "/", Host="evil.example")[0] == 403
        _, told = server.stop()
    assert told.splitlines() == [told.strip()]
    assert "no encryption" in told
    assert "ssh -L" in told


def test_a_port_that_is_taken_is_one_line(tmp_path: Path) -> None:
    with contextlib.closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        told = Shell(tmp_path).refused("--web", "--port", str(port), code=2)
    assert f"127.0.0.1 port {port} is taken" in told
    assert "--port" in told


@pytest.mark.asyncio
async def test_so_many_pages_and_no_more() -> None:
    """In this process, with something that is quicker to start than a console."""
    from aiohttp import ClientSession, WSServerHandshakeError, web  # noqa: PLC0415

    from plateau_tui.web.door import Door  # noqa: PLC0415 - with the server
    from plateau_tui.web.server import MOST_PAGES, Pages, Served  # noqa: PLC0415 - not without it

    words = (sys.executable, "-S", "-c", QUIET)
    served, door = Served(words, dict(os.environ), "quiet", "127.0.0.1", 0), Door()
    runner = web.AppRunner(Pages(served, door).application())
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        port = runner.addresses[0][1]
        sent = {"Cookie": f"{door.cookie}={door.token}"}
        own: dict[str, Any] = {"origin": f"http://127.0.0.1:{port}", "headers": sent}
        async with ClientSession(f"http://127.0.0.1:{port}") as session:
            pages = [await session.ws_connect("/ws", **own) for _ in range(MOST_PAGES)]
            for page in pages:
                assert (await page.receive()).data == b"x"
            with pytest.raises(WSServerHandshakeError) as refused:
                await session.ws_connect("/ws", **own)
            assert refused.value.status == 503
            await pages[0].close()
            async with asyncio.timeout(ENDS_S):
                while (again := await try_once(session, own)) is None:
                    pass
            assert (await again.receive()).data == b"x"
            for page in (*pages, again):
                await page.close()
    finally:
        await runner.cleanup()


async def try_once(session: Any, own: dict[str, Any]) -> Any | None:  # noqa: ANN401 - as above
    from aiohttp import WSServerHandshakeError  # noqa: PLC0415

    try:
        return await session.ws_connect("/ws", **own)
    except WSServerHandshakeError:
        return None
