"""A second RCON server, written from the facts about 1.16.5 alone, with habits of its own.

One thread a connection, one lock as the main thread, one shared reply buffer. Listings come in an
order of their own, answers in several segments, and every command takes its time.
"""

import contextlib
import random
import re
import socket
import struct
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

Trouble = Callable[[str], str | None]
"""Takes a command; names what goes wrong with its answer, None for nothing."""

NAMES = re.compile(r"minecraft\.(?:mined|used|crafted):minecraft\.[a-z_0-9]+")


class OtherServer:
    """Holds objectives as name -> display, scores, who is online and their pickaxes."""

    def __init__(self, *, slow_s: float = 0.0, seed: int = 1) -> None:
        self.password = "other"
        self.slow_s = slow_s
        self.main = threading.RLock()
        self.displays: dict[str, str] = {}
        self.scores: dict[tuple[str, str], int] = {}
        self.online: list[str] = []
        self.pickaxes: dict[str, int] = {}
        self.trouble: Trouble | None = None
        self.instead: Callable[[str], str] | None = None
        """Takes a command; returns that whose answer is given, as to another client's question."""
        self.commands: list[str] = []
        self.logins: list[bool] = []
        self.overlaps = 0
        self.sort_by_display = False
        self._under_way = 0
        self._count = threading.Lock()
        self._shuffle = random.Random(seed)
        self._over = threading.Event()
        self._listener: socket.socket | None = None
        self._peers: set[socket.socket] = set()
        self.port = 0

    def __enter__(self) -> Self:
        self.come_up()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self.go_down()

    # -- the life of the process --------------------------------------------------------------

    def come_up(self) -> None:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        listener.listen()
        self.port = listener.getsockname()[1]
        self._listener = listener
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def go_down(self) -> None:
        listener, self._listener = self._listener, None
        if listener is not None:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        for peer in tuple(self._peers):
            with contextlib.suppress(OSError):
                peer.shutdown(socket.SHUT_RDWR)

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                peer, _ = listener.accept()
            except OSError:
                return
            self._peers.add(peer)
            threading.Thread(target=self._serve, args=(peer,), daemon=True).start()

    def _serve(self, peer: socket.socket) -> None:
        with contextlib.suppress(OSError, struct.error), peer:
            self._talk(peer)
        self._peers.discard(peer)

    def _talk(self, peer: socket.socket) -> None:
        known = False
        while data := peer.recv(1460):
            length, number, kind = struct.unpack_from("<iii", data)
            if length != len(data) - 4:
                return
            body = data[12:-2].decode()
            if kind == 3:
                known = body == self.password
                self.logins.append(known)
                self._send(peer, number if known else -1, b"", kind=2)
            elif not known:
                self._send(peer, -1, b"", kind=2)
            elif kind != 2:
                self._send(peer, number, f"Unknown request {kind:x}".encode())
            elif not self._answer(peer, number, body):
                return

    @staticmethod
    def _send(peer: socket.socket, number: int, body: bytes, kind: int = 0) -> None:
        data = struct.pack("<iii", 10 + len(body), number, kind) + body + b"\0\0"
        peer.sendall(data[:7])
        peer.sendall(data[7:])

    # -- one command --------------------------------------------------------------------------

    def _answer(self, peer: socket.socket, number: int, command: str) -> bool:
        with self._count:
            self.commands.append(command)
            self.overlaps += self._under_way > 0
            self._under_way += 1
        try:
            return self._give(peer, number, command)
        finally:
            with self._count:
                self._under_way -= 1

    def _give(self, peer: socket.socket, number: int, command: str) -> bool:
        trouble = self.trouble(command) if self.trouble else None
        with self.main:
            if self.slow_s:
                time.sleep(self.slow_s)
            heard = self.instead(command) if self.instead else command
            text = self._run(heard.removeprefix("minecraft:").split(" "))
        if trouble in {"hang", "drop"}:
            while trouble == "hang" and not self._gone(peer) and not self._over.wait(0.01):
                pass
            return False
        if trouble == "late":
            self._over.wait(0.3)
        if trouble == "garble":
            self._send(peer, number, b"\xa7\xff\xfe" + text.encode())
            return True
        text = {
            "empty": "",
            "glue": text + "There are 0 of a max of 20 players online: ",
            "swap": "UNI-99-9 has 7 [mine_stone]",
        }.get(trouble or "", text)
        for start in range(0, max(len(text), 1), 4096):
            self._send(peer, number, text[start : start + 4096].encode())
        return True

    @staticmethod
    def _gone(peer: socket.socket) -> bool:
        try:
            return not peer.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False
        except OSError:
            return True

    def _run(self, words: list[str]) -> str:
        match words:
            case ["list"]:
                there = ", ".join(self.online)
                return f"There are {len(self.online)} of a max of 20 players online: {there}"
            case ["scoreboard", "objectives", "list"]:
                return self._objectives()
            case ["scoreboard", "objectives", "add", name, criterion]:
                return self._add(name, criterion)
            case ["scoreboard", "players", "get", player, name]:
                return self._get(player, name)
            case ["scoreboard", "players", "list", player]:
                return self._list(player)
            case ["clear", player, "minecraft:wooden_pickaxe", "0"]:
                return self._clear(player)
        return 'Unknown command. Type "/help" for help.\n'

    def _add(self, name: str, criterion: str) -> str:
        if not NAMES.fullmatch(criterion):
            return f"Unknown criterion '{criterion}'"
        if name in self.displays:
            return "An objective already exists by that name"
        self.displays[name] = name
        return f"Created new objective [{name}]"

    def _objectives(self) -> str:
        key = self.displays.__getitem__ if self.sort_by_display else None
        names = sorted(self.displays, key=key, reverse=True)
        shown = ", ".join(f"[{self.displays[name]}]" for name in names)
        return f"There are {len(names)} objectives: {shown}" if names else "There are no objectives"

    def _get(self, player: str, name: str) -> str:
        if name not in self.displays:
            return f"Unknown scoreboard objective '{name}'"
        value = self.scores.get((player, name))
        if value is None:
            return f"Can't get value of {name} for {player}; none is set"
        return f"{player} has {value} [{self.displays[name]}]"

    def _list(self, player: str) -> str:
        held = [(n, v) for (p, n), v in self.scores.items() if p == player and n in self.displays]
        self._shuffle.shuffle(held)
        if not held:
            return f"{player} has no scores to show"
        shown = "".join(f"[{self.displays[name]}]: {value}" for name, value in held)
        return f"{player} has {len(held)} scores:{shown}"

    def _clear(self, player: str) -> str:
        if player not in self.online:
            return "No player was found"
        count = self.pickaxes.get(player, 0)
        if not count:
            return f"No items were found on player {player}"
        return f"Found {count} matching items on player {player}"
