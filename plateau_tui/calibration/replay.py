"""Plays policies, in this process or in several; what comes back never depends on how many."""

import contextlib
import itertools
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Final, Protocol, Self

from plateau_tui.calibration.contract import Contract
from plateau_tui.calibration.evidence import Trajectory
from plateau_tui.calibration.policies import Policy
from plateau_tui.calibration.reference import Reference
from plateau_tui.calibration.scores import Played, measure
from plateau_tui.calibration.target import Game, Target, play

_CHUNKS_EACH: Final = 4
_MOST_IN_CHUNK: Final = 16


class Progress(Protocol):
    """Is told how far a calibration is, in the process that asked for it."""

    def __call__(self, done: int, total: int, what: str) -> None:
        """``done`` of ``total`` runs have been played; ``what`` says of which kind."""
        ...


def silent(done: int, total: int, what: str) -> None:
    """Report nothing."""
    del done, total, what


class Player:
    """Opens a target's game once for each setting and plays one run after another in it."""

    def __init__(self, target: Target, reference: Reference) -> None:
        self._target, self._reference = target, reference
        self._setting: str | None = None
        self._game: Game | None = None

    def play(self, policy: Policy) -> Trajectory:
        """Play one policy."""
        if self._game is None or self._setting != policy.setting:
            self.close()
            self._game = self._target.open(self._reference, policy.setting)
            self._setting = policy.setting
        return play(self._game, self._reference.seed, policy.inputs)

    def measure(self, contract: Contract, policies: Iterable[Policy]) -> list[Played]:
        """Play the policies and measure each against the contract."""
        return [measure(p.name, contract, self.play(p)) for p in policies]

    def close(self) -> None:
        """Close the game."""
        if self._game is not None:
            self._game.close()
            self._game = None


class _Worker:
    """A worker process: it plays what it is given while its parent wants it.

    The parent holds the other end of ``wanted``, and closes it when it breaks off or dies. That
    ends the process in the middle of a run, however long that is; never while an answer is on
    its way, because a parent that lives would wait for the rest of it.
    """

    def __init__(self, player: Player, wanted: Connection) -> None:
        self._player, self._wanted = player, wanted
        self._lock, self._playing, self._halted = threading.Lock(), False, False

    def play(self, policy: Policy) -> Trajectory | None:
        """Play one policy; None where nobody wants it any more."""
        with self._lock:
            if self._halted:
                return None
            self._playing = True
        try:
            return self._player.play(policy)
        finally:
            with self._lock:
                self._playing = False

    def watch(self) -> None:
        """Wait until nobody wants the rest; runs in a thread of its own."""
        with contextlib.suppress(EOFError, OSError):
            self._wanted.recv_bytes()
        with self._lock:
            self._halted = True
            if self._playing:
                os._exit(1)
        parent = multiprocessing.parent_process()
        if parent is not None:
            parent.join()
            os._exit(1)


_worker: _Worker | None = None


def _begin_worker(target: Target, reference: Reference, wanted: Connection) -> None:
    """Make this process a worker: it leaves signals from the keyboard to its parent."""
    global _worker  # noqa: PLW0603 - the pool hands nothing but its tasks to a worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _worker = _Worker(Player(target, reference), wanted)
    threading.Thread(target=_worker.watch, daemon=True).start()


def _play_in_worker(policy: Policy) -> Trajectory | None:
    assert _worker is not None  # noqa: S101 - the pool's initializer has run
    return _worker.play(policy)


def _measure_in_worker(contract: Contract, policies: Sequence[Policy]) -> list[Played]:
    """Measure policies; a chunk that nobody waits for any more is left unfinished."""
    found = []
    for policy in policies:
        trajectory = _play_in_worker(policy)
        if trajectory is None:
            break
        found.append(measure(policy.name, contract, trajectory))
    return found


class Replays:
    """Plays a target's policies in ``processes`` processes; one means in this one.

    A context manager. Workers are spawned, never forked: an emulator's threads and locks do not
    survive a fork.
    """

    def __init__(self, target: Target, reference: Reference, processes: int) -> None:
        self._processes = processes
        self._local = Player(target, reference)
        self._pool: ProcessPoolExecutor | None = None
        self._ends: tuple[Connection, ...] = ()
        if processes > 1:
            context = multiprocessing.get_context("spawn")
            self._ends = context.Pipe(duplex=False)
            self._pool = ProcessPoolExecutor(
                processes,
                mp_context=context,
                initializer=_begin_worker,
                initargs=(target, reference, self._ends[0]),
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._local.close()
        if self._pool is not None:
            if kind is not None:
                self._close_pipe()
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._close_pipe()

    def _close_pipe(self) -> None:
        """Close the pipe that the workers watch: what they play is not wanted any more."""
        for end in self._ends:
            end.close()

    def trajectory(self, policy: Policy) -> Trajectory:
        """Play one policy and return all that it published."""
        if self._pool is None:
            return self._local.play(policy)
        played = self._pool.submit(_play_in_worker, policy).result()
        assert played is not None  # noqa: S101 - only this object halts its workers, at its end
        return played

    def measure(
        self,
        contract: Contract,
        policies: Sequence[Policy],
        told: Callable[[int], None],
    ) -> list[Played]:
        """Play policies and measure them; the answers stand in the policies' order.

        ``told`` is called with the number of runs that were played since it was called last.
        """
        if self._pool is None:
            return list(self._measured_here(contract, policies, told))
        size = min(_MOST_IN_CHUNK, max(1, len(policies) // (_CHUNKS_EACH * self._processes)))
        chunks = [policies[at : at + size] for at in range(0, len(policies), size)]
        futures: list[Future[list[Played]]] = [
            self._pool.submit(_measure_in_worker, contract, chunk) for chunk in chunks
        ]
        for future in as_completed(futures):
            told(len(future.result()))
        return list(itertools.chain.from_iterable(future.result() for future in futures))

    def _measured_here(
        self, contract: Contract, policies: Sequence[Policy], told: Callable[[int], None]
    ) -> Iterator[Played]:
        for policy in policies:
            yield from self._local.measure(contract, [policy])
            told(1)
