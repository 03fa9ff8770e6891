"""The typed questions that may be put to a server; nothing else can be sent."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import Final, Self, TypeVar

from plateau_tui.metric.objectives import Objective
from plateau_tui.server import commands
from plateau_tui.server.classify import (
    REPLACED,
    garbled,
    holds_known_reply,
    refuses_another,
    swapped,
)
from plateau_tui.server.errors import (
    ClosedError,
    CommandFailedError,
    CommandRefusedError,
    GarbledReplyError,
    ItemsRemovedError,
    LinkError,
    ReplyError,
    TimedOutError,
    WrongServerError,
    shown,
)
from plateau_tui.server.lost import Outcome
from plateau_tui.server.replies import (
    VANILLA_LIST,
    Added,
    ObjectiveList,
    Roster,
    ScoreList,
    ScoreReading,
    parse_added,
    parse_count,
    parse_objectives,
    parse_online,
    parse_score,
    parse_scores,
)
from plateau_tui.server.transport import DEFAULT_SECONDS, Endpoint, Transport

Answer = TypeVar("Answer")

_UNKNOWN_COMMAND: Final = "Unknown or incomplete command, see below for error"


def _answers_list(raw: str, command: str) -> bool | None:
    """Say whether a reply is a list of players (True) or the game's refusal of ours (False).

    None is a text that no Minecraft server gives as an answer to ``list``. Raises the ReplyError
    of a reply that was disturbed.
    """
    try:
        parse_online(raw, ())
    except CommandRefusedError:
        if refuses_another(raw, command):
            raise swapped(raw) from None
        return False if raw.startswith(_UNKNOWN_COMMAND) else None
    except CommandFailedError:
        if refuses_another(raw, command):
            raise swapped(raw) from None
        raise  # it threw inside the server, which says nothing of what kind that is
    except GarbledReplyError:
        if holds_known_reply(raw) or REPLACED in raw:
            raise
        return None
    return True


class ReadOnlyConsole:
    """One RCON connection to one server, and the questions that change nothing.

    Each question takes a ``deadline``, a second of ``time.monotonic()`` (5 s from now when
    None). On a LinkError, and on a ReplyError that says ``ask_again``, the connection is dropped
    before the error is raised; when and how often to connect again is the caller's decision.
    After a TimedOutError the server may still be at the question: the caller waits for
    ``lost_outcome`` before it asks anything else.
    Questions of several threads wait for each other; ``abort`` may be called from any.
    """

    def __init__(
        self, endpoint: Endpoint, password: str, *, cancelled: threading.Event | None = None
    ) -> None:
        self.endpoint = endpoint
        self._namespaced: bool | None = None
        self.sent = 0
        """Commands sent since the console was made."""
        self._transport = Transport(endpoint, password, cancelled=cancelled)
        self._one_at_a_time = threading.Lock()
        self._alarm: ItemsRemovedError | None = None

    def __repr__(self) -> str:
        return f"<ReadOnlyConsole {self.endpoint} {'connected' if self.connected else 'closed'}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def connected(self) -> bool:
        """True between ``connect`` and the first error that drops the connection."""
        return self.namespaced is not None

    @property
    def namespaced(self) -> bool | None:
        """Whether the server knows the ``minecraft:`` prefix; None while not connected.

        False is a pure vanilla server, where the short names are the game's own.
        """
        return self._namespaced if self._transport.socket is not None else None

    @property
    def peer(self) -> tuple[str, int] | None:
        """The numeric (address, port) of the last connection."""
        return self._transport.peer

    def connect(self, deadline: float | None = None) -> None:
        """Connect, log in, and find out whether the server knows the ``minecraft:`` prefix.

        Raises:
            LinkError, PasswordError: as ``Transport.connect``.
            WrongServerError: it answers RCON, but not the list of players.
            ReplyError: the answer was empty or garbled, which decides nothing.

        """
        limit = time.monotonic() + DEFAULT_SECONDS if deadline is None else deadline
        with self._turn(limit):
            self._namespaced = None
            try:
                self._transport.connect(limit)
                self._namespaced = self._knows_prefix(limit)
            finally:
                if self._namespaced is None:
                    self._transport.drop()

    def close(self) -> None:
        """End the connection cleanly; the console may be connected again.

        What was given up is listened for no more.
        """
        self._transport.disconnect()
        self._namespaced = None

    def drop(self) -> None:
        """End the connection, and go on listening for the end of what was given up."""
        self._transport.drop()
        self._namespaced = None

    @property
    def lost_at(self) -> float | None:
        """When the last question was given up whose end is not known: ``time.monotonic()``."""
        lost = self._transport.lost
        return None if lost is None else lost.since

    def lost_outcome(self, until: float) -> Outcome:
        """Wait up to ``until`` for the end of the question that was given up.

        Raises:
            CancelledError: the wait was ended from our side.

        """
        lost = self._transport.lost
        outcome = Outcome.ENDED if lost is None else lost.outcome(until)
        if outcome is not Outcome.UNDER_WAY:
            self._transport.forget_lost()
        return outcome

    def abort(self) -> None:
        """End what is under way with CancelledError, from any thread and for good."""
        self._transport.abort()

    def keep(self, names: Iterable[str]) -> None:
        """Leave these names as they are in what the server says (see ``secret``)."""
        self._transport.keep(names)

    def online(self, units: Sequence[str], deadline: float | None = None) -> Roster:
        """Return which of ``units`` the server lists as online."""
        self.keep(units)
        return self._question(
            lambda prefix: commands.list_players(namespaced=prefix),
            lambda raw: parse_online(raw, units),
            deadline,
        )

    def score(self, player: str, objective: str, deadline: float | None = None) -> ScoreReading:
        """Return one score; its display name is for the caller to compare."""
        return self._question(
            lambda prefix: commands.get_score(player, objective, namespaced=prefix),
            lambda raw: parse_score(raw, player, objective),
            deadline,
        )

    def scores(self, player: str, deadline: float | None = None) -> ScoreList:
        """Return all scores of a player, by display name."""
        return self._question(
            lambda prefix: commands.list_scores(player, namespaced=prefix),
            lambda raw: parse_scores(raw, player),
            deadline,
        )

    def count_item(self, player: str, item: str, deadline: float | None = None) -> int:
        """Return how many of ``item`` (bare id) an online player carries; removes nothing.

        After an ItemsRemovedError no probe is sent any more: the same error is raised again.
        """
        if self._alarm is not None:
            raise ItemsRemovedError(str(self._alarm), self._alarm.raw)
        try:
            return self._question(
                lambda prefix: commands.count_item(player, item, namespaced=prefix),
                lambda raw: parse_count(raw, player),
                deadline,
            )
        except ItemsRemovedError as error:
            self._alarm = error
            raise

    def add_objective(self, objective: Objective, deadline: float | None = None) -> Added:
        """Create an objective; it counts from now on. An existing one is left as it is."""
        return self._question(
            lambda prefix: commands.add_objective(
                objective.name, objective.criterion, namespaced=prefix
            ),
            lambda raw: parse_added(raw, objective.name),
            deadline,
        )

    def objectives(self, deadline: float | None = None) -> ObjectiveList:
        """Return the display names of all objectives on the server."""
        return self._question(
            lambda prefix: commands.list_objectives(namespaced=prefix), parse_objectives, deadline
        )

    # -- one question at a time -------------------------------------------------------------

    @contextlib.contextmanager
    def _turn(self, limit: float) -> Iterator[None]:
        if not self._one_at_a_time.acquire(timeout=max(0.0, limit - time.monotonic())):
            raise TimedOutError(
                f"another question to {self.endpoint} was still under way: ask again later"
            )
        try:
            yield
        finally:
            self._one_at_a_time.release()

    def _question(
        self,
        build: Callable[[bool], str],
        parse: Callable[[str], Answer],
        deadline: float | None,
    ) -> Answer:
        limit = time.monotonic() + DEFAULT_SECONDS if deadline is None else deadline
        with self._turn(limit):
            prefix = self.namespaced
            if prefix is None:
                raise ClosedError(f"not connected to {self.endpoint}: connect first")
            command = build(prefix)
            self.keep(command.split())  # the answer names what was asked
            try:
                raw = self._send(command, limit)
                # The second: no such prefix here, so another's list was taken for ours at connect.
                if refuses_another(raw, command) or raw.startswith(f"{_UNKNOWN_COMMAND}minecraft:"):
                    raise swapped(raw)
                return parse(raw)
            except LinkError:
                self.drop()
                raise
            except ReplyError as error:
                if error.ask_again:
                    self.drop()
                raise

    def _send(self, command: str, limit: float) -> str:
        self.sent += 1
        return self._transport.command(command, limit)

    # -- which server is this? --------------------------------------------------------------

    def _knows_prefix(self, limit: float) -> bool:
        lists, _ = self._look(commands.list_players(namespaced=True), limit)
        if lists:
            return True
        lists, raw = self._look(commands.list_players(namespaced=False), limit)
        vanilla = VANILLA_LIST.fullmatch(raw)
        if not lists or vanilla is None:
            raise self._wrong(raw)
        if int(vanilla[1]) != len([name for name in vanilla[2].split(", ") if name]):
            raise garbled(raw)  # the game names as many as it announces
        return False

    def _look(self, command: str, limit: float) -> tuple[bool, str]:
        """Return what ``_answers_list`` says of the reply, and the reply."""
        raw = self._send(command, limit)
        lists = _answers_list(raw, command)
        if lists is None:
            # Another client's answer may have come in place of ours: one look decides nothing.
            again = _answers_list(self._send(command, limit), command)
            raise self._wrong(raw) if again is None else garbled(raw)
        return lists, raw

    def _wrong(self, raw: str) -> WrongServerError:
        return WrongServerError(
            f"{self.endpoint} answers RCON, but not 'list' as a Minecraft server of this kind "
            f"does: {shown(raw)}; check host and port, and the server's version"
            f"{self.endpoint.set_by}"
        )
