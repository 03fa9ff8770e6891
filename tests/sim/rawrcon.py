"""A client for tests that sees every packet as it is, and can send anything."""

import socket
import struct
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

BOUND_S = 5.0


def packet(packet_id: int, packet_type: int, body: bytes) -> bytes:
    return struct.pack("<iii", len(body) + 10, packet_id, packet_type) + body + b"\0\0"


def until(condition: Callable[[], bool], bound_s: float = BOUND_S) -> None:
    end = time.monotonic() + bound_s
    while not condition():
        assert time.monotonic() < end, "the condition did not come true in time"
        time.sleep(0.002)


class RawRcon:
    def __init__(self, address: tuple[str, int], password: str | None = None) -> None:
        self.socket = socket.create_connection(address, timeout=BOUND_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if password is not None:
            assert self.login(password) == (7, 2, b"")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.socket.close()

    def login(self, password: str) -> tuple[int, int, bytes]:
        self.send(7, 3, password)
        return self.read()

    def send(self, packet_id: int, packet_type: int, text: str) -> None:
        self.socket.sendall(packet(packet_id, packet_type, text.encode()))

    def read(self) -> tuple[int, int, bytes]:
        (length,) = struct.unpack("<i", self.exactly(4))
        data = self.exactly(length)
        packet_id, packet_type = struct.unpack_from("<ii", data)
        assert data.endswith(b"\0\0")
        return packet_id, packet_type, data[8:-2]

    def exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def ask(self, command: str, packet_id: int = 11) -> str:
        self.send(packet_id, 2, command)
        got_id, got_type, body = self.read()
        assert (got_id, got_type) == (packet_id, 0)
        return body.decode()

    def hung_up(self) -> bool:
        """Tell whether the server ended the connection without a word."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def silent(self, seconds: float) -> bool:
        """Tell whether nothing comes within so many seconds."""
        self.socket.settimeout(seconds)
        try:
            self.socket.recv(1, socket.MSG_PEEK)
        except TimeoutError:
            return True
        finally:
            self.socket.settimeout(BOUND_S)
        return False
