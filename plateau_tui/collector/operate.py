"""What an operator asks for, whether a collector holds the run or not.

While a collector holds it, the request goes through the mailbox and its answer comes from the
journal; else it is done here, under the run's lock.
"""

from plateau_tui.collector import hand, mailbox
from plateau_tui.collector.pins import PinRequest
from plateau_tui.collector.run import CollectorHoldsRunError, DeclinedError, open_run
from plateau_tui.collector.window import EarlyCloseError
from plateau_tui.metric.plain import out_of
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.locks import holder_of
from plateau_tui.runlog.state import read_state


def collector_pid(folder: RunFolder) -> int | None:
    """Return the pid of the collector that holds the run; None where none does.

    A collector that was killed never said so: its pid tells it from a command by hand.
    """
    holder = holder_of(folder.lock)
    if holder is None:
        return None
    collector = read_state(folder.journal)[0].collector
    if collector is None or holder.pid not in {None, collector.pid}:
        return None
    return collector.pid


def ask_collector(
    folder: RunFolder,
    op: mailbox.Op,
    by: str,
    args: dict[str, str | bool | dict[str, str] | None],
) -> str:
    """Post a request and return the answer's text.

    Raises:
        DeclinedError: the answer is no.
        CollectorHoldsRunError: no answer came within 10 s; it says whether the request could be
            taken back.

    """
    request_id = mailbox.post(folder, op, by, args)
    answer = mailbox.await_answer(folder, request_id)
    if answer is None:
        took = mailbox.withdraw(folder, request_id)
        became = "was taken back" if took else "may still be done, as the journal will tell"
        raise CollectorHoldsRunError(
            f"no answer within {mailbox.ANSWER_WAIT_S:g} s, the request {became}: look at "
            "plateau-tui status and collector.log"
        )
    if not answer.ok:
        raise DeclinedError(answer.text)
    return answer.text


def note(folder: RunFolder, text: str, by: str) -> str:
    """Write words into the journal; return what to tell the operator."""
    if collector_pid(folder) is not None:
        ask_collector(folder, "note", by, {"text": text})
    else:
        with open_run(folder) as run:
            hand.note(run, text, by)
    return "noted"


def pin(folder: RunFolder, request: PinRequest) -> list[str]:
    """Pin BASELINE_WOOD; return what was pinned, a line a unit."""
    if collector_pid(folder) is not None:
        args: dict[str, str | bool | dict[str, str] | None] = {
            "species": request.species,
            "by_unit": dict(request.by_unit),
            "anyway": request.anyway,
        }
        ask_collector(folder, "pin", request.by, args)
        pinned = read_state(folder.journal)[0].pins
        return [f"{unit:16} {species}" for unit, species in pinned.items()]
    with open_run(folder) as run:
        return [pinned_line(e) for e in hand.pin(run, request) if isinstance(e, ev.Pinned)]


def pinned_line(event: ev.Pinned) -> str:
    """Return what was pinned for a unit, and on what."""
    on = ", ".join(f"{species} +{n}" for species, n in event.evidence.items() if n)
    return f"{event.unit:16} {event.species} (on {on or 'no evidence'})"


def close(folder: RunFolder, *, early: bool, why: str, by: str) -> str:
    """End the window; return what to tell the operator.

    Raises:
        EarlyCloseError: it is not over, and ``early`` is not given.
        DeclinedError, CollectorHoldsRunError: as ``ask_collector``.

    """
    if collector_pid(folder) is not None:
        if not early and read_state(folder.journal)[0].closed is None:
            raise EarlyCloseError(
                "the collector closes the window by itself at its end; --early --why TEXT closes "
                "it before, and a window that closes early is WITHHELD"
            )
        return ask_collector(folder, "close", by, {"early": early, "why": why})
    with open_run(folder) as run:
        cycles = hand.close(run, early=early, why=why, by=by)
        return f"closed with {out_of(cycles, run.registration.window.cycles, 'cycle')}"


def poll_now(folder: RunFolder, by: str) -> str:
    """Have the collector read once more, by hand; return what came of it.

    Raises:
        DeclinedError: no collector runs, or it has no time before the next poll.

    """
    if collector_pid(folder) is None:
        raise DeclinedError("no collector runs that could read: start one first")
    return ask_collector(folder, "poll_now", by, {})
