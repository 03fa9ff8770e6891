"""The console in a real browser: what stands in its terminal, what keys do, what it asks for."""

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final, Self

import pytest
from collector.bench import wait_for
from console.apps import sample
from web.looking import held
from web.serving import PASSWORD, Server, browser, is_gone, needs_browser, needs_web

from plateau_tui.runlog.layout import RunFolder

pytestmark = [needs_web, needs_browser, pytest.mark.timeout(240)]
LIMIT_S: Final = 90.0
ARGUMENTS: Final = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
CATCH: Final = """
Object.defineProperty(Object.prototype, "unicode11Addon", {
  configurable: true,
  set(value) {
    window.caught = this.terminal;
    Object.defineProperty(this, "unicode11Addon", {value, writable: true, configurable: true});
  },
});
"""
"""textual-serve keeps its terminal to itself; it is caught where it is given this part."""
READ: Final = """() => {
  const buffer = window.caught && window.caught.buffer.active;
  const lines = [];
  for (let row = 0; buffer && row < buffer.length; row++)
    lines.push(buffer.getLine(row).translateToString(true));
  return lines.join("\\n");
}"""
OPEN_SOCKET: Final = """(url) => new Promise((done) => {
  const socket = new WebSocket(url);
  socket.onopen = () => done("opened");
  socket.onerror = () => done("refused");
})"""
PICTURES: Final = "PLATEAU_TUI_WEB_PICTURES"
"""A folder for what the browser shows, for somebody who wants to look at it."""


class Tab:
    """A tab of a browser, and the terminal in it."""

    def __init__(self, page: Any) -> None:  # noqa: ANN401 - playwright may not be installed
        self.page = page
        self.asked: list[str] = []
        self.errors: list[str] = []
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.add_init_script(CATCH)

    def open(self, url: str) -> Self:
        self.page.goto(url)
        return self

    @property
    def text(self) -> str:
        return str(self.page.evaluate(READ))

    def until(self, what: Callable[[], object]) -> None:
        deadline = time.monotonic() + LIMIT_S
        while not what():
            assert time.monotonic() < deadline, self.text
            self.page.wait_for_timeout(50)

    def until_text(self, text: str) -> None:
        self.until(lambda: text in self.text)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def picture(self, name: str) -> bytes:
        data = bytes(self.page.screenshot())
        folder = os.environ.get(PICTURES)
        if folder:
            (Path(folder) / f"{name}.png").write_bytes(data)
        return data


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - it may not be installed

    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=browser(), args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture
def tab(chromium: Any) -> Iterator[Tab]:  # noqa: ANN401 - as above
    with contextlib.closing(chromium.new_context(viewport={"width": 1100, "height": 700})) as own:
        yield Tab(own.new_page())


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    made = sample(tmp_path).path
    return RunFolder(made.rename(made.parent / 'it\'s a "run" & 1'))


@pytest.fixture
def served(folder: RunFolder, tmp_path: Path) -> Iterator[Server]:
    with Server("attach", str(folder.path), cwd=tmp_path) as server:
        yield server


def test_the_grid_is_shown_keys_look_and_nothing_is_written(
    tab: Tab, served: Server, folder: RunFolder
) -> None:
    before = held(folder.path)
    tab.open(served.url)
    tab.until_text("UNI-11-3")
    tab.until_text("READ-ONLY")
    tab.until_text("UNI-10-1: beyond")
    assert folder.path.name in tab.page.title()
    assert " Note" not in tab.text
    assert len(tab.picture("grid")) > 10_000
    tab.press("n", "w", "p", "c", "x", "r", "y")
    tab.until_text("sent to the clipboard")  # the keys before it have been heard, and did nothing
    tab.press("Escape")
    tab.until(lambda: "sent to the clipboard" not in tab.text)
    assert "A note for the journal" not in tab.text
    assert "TREATMENT" in tab.text
    tab.press("Enter")  # the page has the keys' focus without a click
    tab.until_text("first moved")
    tab.picture("unit")
    assert tab.errors == []
    assert all(url.startswith((served.root, "data:")) for url in tab.asked), tab.asked
    assert tab.page.url == served.root  # the token is not to be looked at
    assert PASSWORD not in tab.page.content()
    assert held(folder.path) == before


def test_the_terminal_follows_the_window_and_its_closing_ends_the_console(
    tab: Tab, served: Server
) -> None:
    tab.open(served.url)
    tab.until_text("UNI-11-3")
    [child] = served.children()
    columns = tab.page.evaluate("() => window.caught.cols")
    tab.page.set_viewport_size({"width": 700, "height": 560})
    tab.until(lambda: tab.page.evaluate("() => window.caught.cols") < columns)
    tab.until_text("UNI-11-3")
    tab.page.close()
    wait_for(lambda: is_gone(child), LIMIT_S)


@pytest.mark.parametrize(
    ("width", "height"), [(390, 844), (320, 568), (740, 320)], ids=["phone", "small", "landscape"]
)
def test_a_phone_s_window_holds_a_whole_screen(
    chromium: Any,  # noqa: ANN401 - as above
    served: Server,
    width: int,
    height: int,
) -> None:
    size = {"width": width, "height": height}
    with contextlib.closing(
        chromium.new_context(viewport=size, is_mobile=True, has_touch=True)
    ) as own:
        tab = Tab(own.new_page()).open(served.url)
        tab.until_text("UNI-11-3")
        tab.until_text("Behaviour only")
        tab.until_text("q Quit")
        assert "need 60x20" not in tab.text
        assert tab.page.evaluate("() => window.innerWidth") == width  # nothing lies beside it
        tab.picture(f"phone-{width}")


def test_the_page_says_that_the_console_has_ended(tab: Tab, served: Server) -> None:
    tab.open(served.url)
    tab.until_text("UNI-11-3")
    tab.press("q")
    tab.until(lambda: tab.page.locator("#over").is_visible())
    tab.page.locator("#again").click()
    tab.until(lambda: not tab.page.locator("#over").is_visible())
    tab.until_text("UNI-11-3")
    served.stop()
    tab.until(lambda: tab.page.locator("#over").is_visible())
    assert tab.errors == []


class _Foreign(BaseHTTPRequestHandler):
    """A page of somebody else's, on this machine too."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!DOCTYPE html><title>foreign</title>")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's
        del format, args


@pytest.fixture
def foreign() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Foreign) as server:
        thread = Thread(target=partial(server.serve_forever, 0.05), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def test_a_foreign_page_opens_no_console(tab: Tab, served: Server, foreign: str) -> None:
    socket = f"ws://127.0.0.1:{served.port}/ws?width=80&height=24"
    tab.open(foreign)
    assert tab.page.evaluate(OPEN_SOCKET, socket) == "refused"
    assert not served.children()
    tab.page.goto(served.url)
    tab.open(foreign)  # a browser that has the token opens nothing for others either
    assert tab.page.evaluate(OPEN_SOCKET, socket) == "refused"
    tab.page.goto(served.root + "page.css")  # a page of the server's own, without a console
    assert tab.page.evaluate(OPEN_SOCKET, socket) == "opened"


def test_a_browser_without_the_token_sees_one_line_and_opens_nothing(
    tab: Tab, served: Server
) -> None:
    socket = f"ws://127.0.0.1:{served.port}/ws?width=80&height=24"
    for address in (served.root, f"{served.root}?token=guessed"):
        assert tab.page.goto(address).status == 403
        assert tab.page.inner_text("body") == (
            "open the address that plateau-tui --web has printed, with its token"
        )
        assert tab.page.evaluate(OPEN_SOCKET, socket) == "refused"
    assert not served.children()


def test_what_is_pasted_in_a_page_is_no_key_and_may_be_long(tab: Tab, served: Server) -> None:
    tab.open(served.url)
    tab.until_text("UNI-11-3")
    for text in ("q\u001bq\u001b[201~q", "q, " * 200_000):
        tab.page.evaluate("(text) => window.caught.paste(text)", text)
    tab.until_text("a paste of 600,000 bytes was left out")
    tab.press("l", "/")
    tab.until_text("words to look for")
    tab.page.evaluate("(text) => window.caught.paste(text)", "seal\ned")
    tab.until_text("seal ed")
    assert not tab.page.locator("#over").is_visible()
