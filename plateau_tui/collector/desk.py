"""The operator's requests to a running collector, and their answers."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from plateau_tui.collector import mailbox
from plateau_tui.collector.pins import PinRequest, pin_events
from plateau_tui.collector.run import BadRequestError, DeclinedError, OpenRun
from plateau_tui.collector.window import EarlyCloseError, WindowLog
from plateau_tui.runlog import events as ev

POLL_PATIENCE_S: Final = 5.0
"""How long a reading by hand waits for the cycle under way; its asker waits 10 s."""

TAKEN_AT_ONCE: Final = 10
"""Requests of one look: each is written and synced, and a full mailbox must not cost a cycle."""


@dataclass(frozen=True, slots=True)
class CloseOrder:
    """A close that was granted: it is carried out once the cycle under way is written."""

    request_id: str
    by: str
    early: bool
    why: str


@dataclass(frozen=True, slots=True)
class PollOrder:
    """A reading by hand that was granted."""

    request_id: str
    by: str
    taken_at: float = field(default_factory=time.monotonic)


class Desk:
    """Looks into the mailbox, decides, journals request and answer together, deletes the file.

    What takes time (a close, a reading by hand) is left in ``close`` and ``polls`` for the loop.
    """

    def __init__(
        self,
        run: OpenRun,
        window: WindowLog,
        now_ms: Callable[[], int],
        wall_ms: Callable[[], int],
        hidden: Callable[[Exception], str],
    ) -> None:
        """Prepare.

        ``now_ms`` is the run's time, ``wall_ms`` the clock that requests carry; ``hidden`` tells
        an error nobody foresaw without the password.
        """
        self._run = run
        self._window = window
        self._now_ms = now_ms
        self._wall_ms = wall_ms
        self._hidden = hidden
        self._taken: set[str] = set()
        self.close: CloseOrder | None = None
        self.polls: list[PollOrder] = []

    def look(self) -> None:
        """Deal with what lies in the mailbox, at most so much that the next cycle is not late.

        While nothing can be written nothing is taken: its asker would be told of no answer, and
        withdraws what was carried out.
        """
        self._decline_late_polls()
        if self._run.writer.blocked is not None:
            return
        taken = 0
        for path, request in mailbox.pending(self._run.folder):
            if taken == TAKEN_AT_ONCE:
                return
            if request.id in self._run.state.answered:
                if self._run.writer.blocked is None:
                    mailbox.remove(path)
            elif request.id not in self._taken:
                self._take(request)
                taken += 1
                if request.id in self._run.state.answered and self._run.writer.blocked is None:
                    mailbox.remove(path)

    def _decline_late_polls(self) -> None:
        limit = time.monotonic() - POLL_PATIENCE_S
        for order in [order for order in self.polls if order.taken_at < limit]:
            self.polls.remove(order)
            text = "a cycle is being read just now: its rows come when it is through"
            self._run.writer.journal(self._answer(order.request_id, text, ok=False))

    def _take(self, request: mailbox.RequestFile | mailbox.BadRequest) -> None:
        if isinstance(request, mailbox.BadRequest):
            self._run.writer.journal(self._answer(request.id, request.reason, ok=False))
            return
        asked = ev.Request(by=request.by, id=request.id, op=request.op, args=_plain(request.args))
        try:
            problem = mailbox.problem_of(request, self._wall_ms())
            if problem is not None:
                raise DeclinedError(problem)
            events = self._decide(request)
        except (DeclinedError, EarlyCloseError) as error:
            self._run.writer.journal(asked, self._answer(request.id, str(error), ok=False))
            return
        except Exception as error:  # noqa: BLE001 - a fault of ours costs this request alone
            text = f"an error of the collector itself: {self._hidden(error)}"
            self._run.writer.journal(asked, self._answer(request.id, text, ok=False))
            return
        if events is None:
            self._taken.add(request.id)
            self._run.writer.journal(asked)
        else:
            text = "done"
            self._run.writer.journal(asked, *events, self._answer(request.id, text, ok=True))

    def _decide(self, request: mailbox.RequestFile) -> list[ev.Event] | None:
        """Return what a request writes; None when it is carried out later."""
        args = request.args
        match request.op:
            case "note":
                return [note_event(_text(args, "text"), request.by)]
            case "pin":
                by_unit = args.get("by_unit")
                wanted = PinRequest(
                    species=_text(args, "species") or None,
                    by_unit=by_unit if isinstance(by_unit, dict) else {},
                    anyway=_text(args, "anyway"),
                    by=request.by,
                )
                return pin_events(self._run, wanted, self._window.progress)
            case "close":
                if self.close is not None:
                    raise DeclinedError("the window is being closed already")
                early, why = args.get("early") is True, _text(args, "why")
                self._window.require_closable(self._now_ms(), early=early)
                self.close = CloseOrder(request.id, request.by, early, why)
                return None
            case "poll_now":
                if self._run.state.window is None:
                    raise DeclinedError("the window is not open yet")
                self.polls.append(PollOrder(request.id, request.by))
                return None

    @staticmethod
    def _answer(request_id: str, text: str, *, ok: bool) -> ev.Answer:
        return ev.Answer(id=request_id, ok=ok, text=text)


def note_event(text: str, by: str) -> ev.Note:
    """Return the event of a note.

    Raises:
        DeclinedError: it is empty, or too long.

    """
    if not text.strip():
        raise BadRequestError("a note needs words")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise DeclinedError("a note is UTF-8 text; this one holds other bytes") from None
    if len(text) > mailbox.MAX_TEXT:
        raise BadRequestError(
            f"a note has at most {mailbox.MAX_TEXT} characters; this one is longer"
        )
    return ev.Note(by=by, text=text)


def _text(args: dict[str, str | bool | dict[str, str] | None], key: str) -> str:
    value = args.get(key)
    return value[: mailbox.MAX_TEXT + 1] if isinstance(value, str) else ""


def _plain(args: dict[str, str | bool | dict[str, str] | None]) -> dict[str, object]:
    return {key[:64]: value for key, value in args.items()}
