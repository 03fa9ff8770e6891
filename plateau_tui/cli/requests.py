"""Asking the running collector for something, and waiting for its answer."""

from plateau_tui.cli.common import who
from plateau_tui.collector import mailbox
from plateau_tui.collector.run import CollectorHoldsRunError, DeclinedError
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.locks import holder_of
from plateau_tui.runlog.state import read_state


def collector_holds(folder: RunFolder) -> bool:
    """Say whether a collector (not just another command) holds the run."""
    if holder_of(folder.lock) is None:
        return False
    state, _ = read_state(folder.journal)
    return state.collector is not None


def ask_collector(
    folder: RunFolder, op: mailbox.Op, args: dict[str, str | bool | dict[str, str] | None]
) -> str:
    """Post a request and return the answer's text.

    Raises:
        DeclinedError: the answer is no.
        CollectorHoldsRunError: no answer came within 10 s; the request is taken back.

    """
    request_id = mailbox.post(folder, op, who(), args)
    answer = mailbox.await_answer(folder, request_id)
    if answer is None:
        mailbox.withdraw(folder, request_id)
        raise CollectorHoldsRunError(
            f"the collector did not answer within {mailbox.ANSWER_WAIT_S:g} s; the request was "
            "taken back: look at plateau-tui status and collector.log"
        )
    if not answer.ok:
        raise DeclinedError(answer.text)
    return answer.text
