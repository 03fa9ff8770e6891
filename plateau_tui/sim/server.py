"""The embedded RCON server: Paper 1.16.5's rules on real sockets, in a thread of its own.

Server facts it keeps: one packet a read; a login that fails un-authenticates and stays open; all
connections share one reply buffer, which a command clears before it runs on the main thread and
which its connection reads afterwards, so two commands under way at once can come back empty,
glued or swapped.
"""

import asyncio
import socket
import struct
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Self, TypeVar

from plateau_tui.sim import wire
from plateau_tui.sim.commands import Console
from plateau_tui.sim.faults import Answer, Close, Fault, Faults, Hang, Pause, Send, Step
from plateau_tui.sim.mainthread import MainThread
from plateau_tui.sim.options import ServerOptions
from plateau_tui.sim.record import CommandLog, Received
from plateau_tui.sim.scoreboard import Scoreboard
from plateau_tui.sim.world import World

__all__ = ["DEFAULT_PASSWORD", "ServerOptions", "SimServer"]

DEFAULT_PASSWORD = "simulated"  # noqa: S105 -- guards a toy world on this machine's own loopback
_LOOK_S = 0.01
"""Seconds between two looks whether a peer that is kept waiting has gone."""
_STOP_S = 10.0
"""Seconds that starting and stopping may take before it is a bug."""
_LINGER_RST = struct.pack("ii", 1, 0)

T = TypeVar("T")


class SimServer:
    """An RCON server that any process can carry; also a context manager.

    `world` None is an empty world that the caller may fill through `world.add_body`. `speed`
    scales its time (1.0 is 20 ticks a second of real time); at 0 it stands still but for `step`.
    """

    def __init__(
        self,
        world: World | None = None,
        *,
        password: str = DEFAULT_PASSWORD,
        host: str = "127.0.0.1",
        port: int = 0,
        options: ServerOptions | None = None,
        faults: Faults | None = None,
        speed: float = 0.0,
    ) -> None:
        self.world = world or World()
        self.scoreboard = Scoreboard()
        self.options = options or ServerOptions()
        self.faults = faults or Faults()
        self.host, self.port = host, port
        self.logins = 0
        """Logins that were accepted since the start."""
        self.refusals = 0
        """Logins that were refused since the start."""
        self.world.on_stat = self.scoreboard.on_stat
        self._password = password
        self._log = CommandLog()
        self._buffer: list[str] = []
        self._console = Console(self.world, self.scoreboard, self.options)
        self._main = MainThread(self.world, self.options, speed, self.save)
        self._saved = self.scoreboard.snapshot()
        self._numbers = 0
        self._peers: dict[asyncio.Task[None], socket.socket] = {}
        self._listener: socket.socket | None = None
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None

    # -- what a test or a demo does with it; from any thread ---------------------------------

    def start(self) -> tuple[str, int]:
        """Start the server's thread and return (host, port) once it listens.

        Raises OSError when the port is taken, RuntimeError when it runs already.
        """
        if self._thread is not None:
            raise RuntimeError("the simulated server runs already")
        listening: Future[None] = Future()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._run(listening)), name="sim-server", daemon=True
        )
        self._thread.start()
        try:
            listening.result(_STOP_S)
        except OSError:
            self._thread.join(_STOP_S)
            self._thread = self._loop = self._stopping = None
            raise
        return self.host, self.port

    def stop(self) -> None:
        """End all connections and the thread; does nothing when it does not run."""
        if self._thread is None or self._loop is None or self._stopping is None:
            return
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(_STOP_S)
        self._thread = self._loop = self._stopping = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def log(self) -> tuple[Received, ...]:
        """Every command received after a login, in order; times are `time.monotonic` seconds."""
        return self._log.entries()

    @property
    def commands(self) -> tuple[str, ...]:
        """The texts of `log`."""
        return tuple(each.command for each in self._log.entries())

    @property
    def overlaps(self) -> int:
        """How many commands arrived while another was under way, on whatever connection.

        One whose client has gone but that still waits for the main thread counts as under way.
        """
        return self._log.overlaps

    @property
    def connections(self) -> int:
        """How many clients are connected now."""
        return len(self._peers)

    def run_locked(self, action: Callable[[], T]) -> T:
        """Run something between two ticks and two commands, and return its result."""
        with self.world.lock:
            return action()

    def step(self, ticks: int = 1) -> None:
        """Let so many ticks of the world pass at once, whatever the speed."""
        self.world.step(ticks)

    def set_speed(self, speed: float) -> None:
        """Let the world run at another speed from the next tick on; 0 stops it."""
        self._main.speed = speed

    def save(self) -> None:
        """Save the scoreboard as the world's autosave does: what a rollback returns to."""
        self._saved = self.scoreboard.snapshot()

    def change_password(self, password: str) -> None:
        """Let only another password in from now on; who is logged in stays so."""
        self._password = password

    def freeze(self, seconds: float) -> None:
        """Stop the main thread for so many seconds: logins work, commands wait."""
        self._main.freeze(seconds)

    def thaw(self) -> None:
        """End a freeze before its time: what waited is run from the next tick on."""
        self._main.thaw()

    def go_down(self, *, rollback: bool = False) -> None:
        """End all connections and refuse the port; returns when it does.

        Meanwhile the world stands still. With `rollback` it is a crash: the scoreboard falls
        back to the last save, while blocks and inventories stay as they are.
        """
        self._ask(self._go_down(rollback=rollback))

    def come_up(self) -> None:
        """Listen again on the same port; returns when it does."""
        self._ask(self._listen())

    def restart(self, down_s: float = 0.2, *, rollback: bool = False, wait: bool = True) -> None:
        """Go down, stay so for `down_s` seconds, come up on the same port.

        Without `wait` it returns when the port refuses, and the server comes up by itself.
        """
        self.go_down(rollback=rollback)
        if wait:
            time.sleep(down_s)
            self.come_up()
        elif self._loop is not None:
            self._loop.call_soon_threadsafe(self._main.later, down_s, self._listen)

    def drop_connections(self) -> None:
        """End all connections; new ones are welcome at once."""
        self._ask(self._close_peers())

    def _ask(self, work: Coroutine[Any, Any, None]) -> None:
        if self._loop is None:
            raise RuntimeError("the simulated server does not run")
        asyncio.run_coroutine_threadsafe(work, self._loop).result(_STOP_S)

    # -- the server's own thread -------------------------------------------------------------

    async def _run(self, listening: Future[None]) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        try:
            await self._listen()
        except OSError as error:
            listening.set_exception(error)
            return
        ticking = asyncio.create_task(self._main.tick_for_ever())
        listening.set_result(None)
        await self._stopping.wait()
        ticking.cancel()
        await self._close_all()
        await self._main.settle()

    async def _listen(self) -> None:
        if self._listener is not None:
            return
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((self.host, self.port))
            listener.listen()
        except OSError:
            listener.close()
            raise
        listener.settimeout(0)
        self.port = listener.getsockname()[1]
        self._listener = listener
        asyncio.get_running_loop().add_reader(listener, self._welcome, listener)
        self._main.resume()

    def _welcome(self, listener: socket.socket) -> None:
        try:
            peer, _ = listener.accept()
        except OSError:
            # The client has gone again before its turn.
            return
        peer.settimeout(0)
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._numbers += 1
        task = asyncio.create_task(self._serve(peer, self._numbers))
        self._peers[task] = peer
        task.add_done_callback(self._forget)

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._peers.pop(task).close()

    async def _go_down(self, *, rollback: bool) -> None:
        await self._close_all()
        with self.world.lock:
            self._main.halt()
            if rollback:
                self.scoreboard.restore(self._saved)
            else:
                self.save()

    async def _close_all(self) -> None:
        if self._listener is not None:
            asyncio.get_running_loop().remove_reader(self._listener)
            self._listener.close()
            self._listener = None
        await self._close_peers()

    async def _close_peers(self) -> None:
        tasks = list(self._peers)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
            # The sockets are closed by callbacks that run a turn of the loop later.
            await asyncio.sleep(0)

    async def _serve(self, peer: socket.socket, number: int) -> None:
        try:
            await self._converse(peer, number)
        except OSError:
            return

    async def _converse(self, peer: socket.socket, number: int) -> None:
        loop, authed, more = asyncio.get_running_loop(), False, True
        while more:
            request = wire.parse_read(await loop.sock_recv(peer, wire.READ_LIMIT))
            if request is None:
                return
            if self.faults.mute:
                continue
            if request.type == wire.LOGIN:
                authed = self._accepts(request.body)
                more = await self._answer_login(peer, request, accepted=authed)
            elif request.type != wire.COMMAND:
                await _send_honestly(peer, request.id, wire.unknown_request(request.type))
            elif authed:
                more = await self._answer_command(peer, request, number)
            else:
                await loop.sock_sendall(peer, wire.packet(wire.REFUSED_ID, wire.LOGIN_ANSWER))

    def _accepts(self, password: str) -> bool:
        right = bool(password) and password == self._password and not self.faults.refuse_logins
        self.logins += right
        self.refusals += not right
        return right

    async def _answer_login(
        self, peer: socket.socket, request: wire.Request, *, accepted: bool
    ) -> bool:
        if accepted:
            answer = Answer(request.id, "", login=True)
            return await _deliver(peer, answer, self.faults.for_login())
        refusal = wire.packet(wire.REFUSED_ID, wire.LOGIN_ANSWER)
        await asyncio.get_running_loop().sock_sendall(peer, refusal)
        return True

    async def _answer_command(
        self, peer: socket.socket, request: wire.Request, number: int
    ) -> bool:
        entry = self._log.begin(number, request.body)
        try:
            fault = self.faults.for_command(request.body, number)
            if fault.freeze_s:
                self._main.freeze(fault.freeze_s)
            text = await self._run_command(request.body, fault)
            return await _deliver(peer, Answer(request.id, text), fault)
        finally:
            self._log.end(entry)

    async def _run_command(self, command: str, fault: Fault) -> str:
        # The clearing belongs to the connection, the running to the main thread: that gap is
        # where another connection's command spoils the shared buffer.
        self._buffer.clear()
        if fault.error is not None:
            return f"Error executing: {command} ({fault.error})"
        failure = await self._main.submit(lambda: self._console.run(command, self._buffer.append))
        if failure is not None:
            return f"Error executing: {command} ({failure})"
        if self.options.wake_s:
            await asyncio.sleep(self.options.wake_s)
        return "".join(self._buffer)


async def _send_honestly(peer: socket.socket, request_id: int, text: str) -> None:
    for each in wire.reply_packets(request_id, text):
        await asyncio.get_running_loop().sock_sendall(peer, each)


async def _deliver(peer: socket.socket, answer: Answer, fault: Fault) -> bool:
    """Take the fault's steps; False when the connection is to end."""
    for step in fault.steps(answer):
        if not await _take(peer, step):
            return False
    return True


async def _take(peer: socket.socket, step: Step) -> bool:
    match step:
        case Send(data):
            await asyncio.get_running_loop().sock_sendall(peer, data)
            return True
        case Pause(seconds):
            return await _wait(peer, seconds)
        case Hang():
            return await _wait(peer, float("inf"))
        case Close(reset):
            if reset:
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_RST)
            return False


async def _wait(peer: socket.socket, seconds: float) -> bool:
    """Wait; False at once when the peer has gone."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while (left := end - loop.time()) > 0:
        await asyncio.sleep(min(left, _LOOK_S))
        if _has_gone(peer):
            return False
    return True


def _has_gone(peer: socket.socket) -> bool:
    try:
        return not peer.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return False
    except OSError:
        return True
