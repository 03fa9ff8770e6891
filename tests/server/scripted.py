"""TCP servers on the loopback that do exactly what a test says, wire faults included."""

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Self

from plateau_tui.server.transport import Endpoint, Transport

PASSWORD = "canary-0451"
HEAD = struct.Struct("<iii")


def packet(request: int, body: bytes | str = b"", kind: int = 0) -> bytes:
    data = body.encode() if isinstance(body, str) else body
    return HEAD.pack(10 + len(data), request, kind) + data + b"\0\0"


class Connection:
    """The server's end: takes one packet per read, as the real one does."""

    def __init__(self, sock: socket.socket, over: threading.Event) -> None:
        self.sock = sock
        self.over = over
        self.last = 0

    def read(self) -> tuple[int, int, str]:
        """Return id, type and body; EOFError at the end or when a read is not one packet."""
        data = self.sock.recv(1460)
        if len(data) < 14:
            raise EOFError
        length, request, kind = HEAD.unpack_from(data)
        if length != len(data) - 4:
            raise EOFError
        self.last = request
        return request, kind, data[12:-2].decode()

    def raw(self, data: bytes) -> None:
        self.sock.sendall(data)

    def reply(self, body: bytes | str = b"", kind: int = 0) -> None:
        self.raw(packet(self.last, body, kind))

    def login(self) -> None:
        _, kind, password = self.read()
        assert kind == 3
        self.raw(packet(self.last if password == PASSWORD else -1, b"", 2))

    def hold(self, seconds: float = 20.0) -> None:
        """Keep the connection open until the test is over."""
        self.over.wait(seconds)

    def pause(self, seconds: float) -> None:
        self.over.wait(seconds)

    def reset(self) -> None:
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()


Script = Callable[[Connection], None]


class Scripted:
    """Runs ``script`` in a thread for every connection; a context manager."""

    def __init__(self, script: Script, family: socket.AddressFamily = socket.AF_INET) -> None:
        self.script = script
        self.over = threading.Event()
        self.accepted = 0
        host = "127.0.0.1" if family == socket.AF_INET else "::1"
        self.listener = socket.create_server((host, 0), family=family)
        self.listener.settimeout(0.5)
        self.endpoint = Endpoint(host, self.listener.getsockname()[1])
        self.threads: list[threading.Thread] = []
        self.failures: list[BaseException] = []

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.over.set()
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)  # wakes accept, on Linux
        for thread in self.threads:
            thread.join(5)
        self.listener.close()
        if kind is None:
            assert not self.failures

    def _start(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, daemon=True)
        self.threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self.over.is_set():
            try:
                sock, _ = self.listener.accept()
            except OSError:
                continue
            sock.settimeout(20)
            self.accepted += 1
            self._start(lambda sock=sock: self._serve(sock))  # type: ignore[misc]

    def _serve(self, sock: socket.socket) -> None:
        try:
            with contextlib.suppress(EOFError, OSError):
                self.script(Connection(sock, self.over))
        except BaseException as error:  # noqa: BLE001 - shown by the test, not by the thread
            self.failures.append(error)
        finally:
            sock.close()


def answering(answer: Callable[[str], str | bytes]) -> Script:
    """Return a well-behaved server: login, answers cut at 4096 characters, unknown types."""

    def script(connection: Connection) -> None:
        connection.login()
        while True:
            _, kind, command = connection.read()
            if kind != 2:
                connection.reply(f"Unknown request {kind:x}")
                continue
            text = answer(command)
            if isinstance(text, bytes):
                connection.reply(text)
                continue
            for start in range(0, max(1, len(text)), 4096):
                connection.reply(text[start : start + 4096])

    return script


@contextlib.contextmanager
def linked(script: Script) -> Iterator[Transport]:
    with Scripted(script) as server:
        transport = Transport(server.endpoint, PASSWORD)
        transport.connect(time.monotonic() + 5)
        try:
            yield transport
        finally:
            transport.disconnect()


def soon(seconds: float = 3.0) -> float:
    return time.monotonic() + seconds


def one_answer(*parts: bytes | str, pause: float = 0.0) -> Script:
    """Answer the first command in these packets, then the marker if one comes."""

    def script(connection: Connection) -> None:
        connection.login()
        request, _, _ = connection.read()
        for part in parts:
            connection.raw(packet(request, part))
            connection.pause(pause)
        connection.read()
        connection.reply("Unknown request c8")
        connection.hold()

    return script


def after_login(data: Callable[[Connection], None]) -> Script:
    def script(connection: Connection) -> None:
        connection.login()
        connection.read()
        data(connection)
        connection.hold()

    return script


def wait_for(condition: Callable[[], bool], seconds: float = 5.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port
