"""The registration on disk, for its form: read, compared with what was sealed, written back."""

import difflib
import hashlib
from dataclasses import dataclass
from typing import Final

from plateau_tui.collector.run import DeclinedError, held_writer, registration_bytes
from plateau_tui.collector.sealed import PUT_BACK
from plateau_tui.console.gate.form import Draft, DraftError
from plateau_tui.console.lines.text import harmless
from plateau_tui.metric.plain import counted
from plateau_tui.metric.tables import ConfigError
from plateau_tui.runlog.layout import RunFolder, write_new
from plateau_tui.runlog.state import read_state

_MOST_DIFFERENT: Final = 400
"""So many lines of a difference are shown."""
_MOST_ASKED: Final = 10
"""So many lines of a change stand in the question before it is written."""


@dataclass(frozen=True, slots=True)
class GateFile:
    """registration.toml as it now is, and what of it was sealed."""

    data: bytes
    error: str
    """Why the file cannot be read, or nothing."""
    sealed: str | None
    """The sealed text; None before the seal."""
    sha256: str

    @property
    def text(self) -> str:
        """The file's text; what is no UTF-8 in it is marked."""
        return self.data.decode("utf-8", "replace")

    @property
    def differs(self) -> bool:
        """Whether the file is not what was sealed."""
        return self.sealed is not None and (
            bool(self.error) or hashlib.sha256(self.data).hexdigest() != self.sha256
        )


def read_gate(folder: RunFolder) -> GateFile:
    """Read the file and the seal; an unreadable file is no error here, but told.

    Raises:
        OSError: the journal cannot be read.

    """
    sealed = read_state(folder.journal)[0].sealed
    try:
        data, error = registration_bytes(folder), ""
    except ConfigError as problem:
        data, error = b"", str(problem)
    if sealed is None:
        return GateFile(data, error, None, "")
    return GateFile(data, error, sealed.text, sealed.sha256)


def sealed_lines(gate: GateFile) -> list[str]:
    """Return what a sealed gate shows: the hash, the difference if there is one, the text."""
    sealed = (gate.sealed or "").splitlines()
    lines = [f"sealed, sha256 {gate.sha256}"]
    if gate.differs:
        told = gate.error or "registration.toml is NOT what was sealed; the sealed text counts"
        lines += [told, f"{PUT_BACK}; until then the verdict is WITHHELD", ""]
        if not gate.error:
            lines += _difference(sealed, gate.text.splitlines())
            lines += ["", "-- the sealed text --"]
    else:
        lines.append("registration.toml is what was sealed; nothing in it may change")
    return [*lines, "", *sealed]


def _difference(sealed: list[str], now: list[str]) -> list[str]:
    told = list(difflib.unified_diff(sealed, now, "sealed", "registration.toml", lineterm="", n=1))
    if not told:
        return ["(they differ only in how their lines end)"]
    more = len(told) - _MOST_DIFFERENT
    return told[:_MOST_DIFFERENT] + ([f"({counted(more, 'more line')})"] if more > 0 else [])


def draft_change(gate: GateFile, draft: Draft) -> str:
    """Return what writing a draft changes, for the question before it."""
    wrong = draft.checked.count
    first = [f"{wrong} in it {'is' if wrong == 1 else 'are'} wrong: it cannot be sealed so.", ""]
    told = _difference(gate.text.splitlines(), draft.text.splitlines())
    changed = [line for line in told if line[:1] in "+-" and line[:3] not in {"+++", "---"}]
    more = len(changed) - _MOST_ASKED
    shown = changed[:_MOST_ASKED] + ([f"({counted(more, 'more line')})"] if more > 0 else [])
    return "\n".join([*(first if wrong else ()), *map(harmless, shown)])


def write_gate(folder: RunFolder, before: bytes, text: str) -> None:
    """Write a draft whole or not at all, if the file still is what ``before`` holds.

    The run's lock and its writer's reading of the journal are those of ``seal``: neither can come
    between the other's look at the file and what it then does.

    Raises:
        DeclinedError: the run is sealed.
        CollectorHoldsRunError: another process holds it.
        DraftError: the file has changed meanwhile.
        ConfigError: the file cannot be read any more.
        LockUnavailableError: the file system gives no locks.
        OSError: it cannot be written, or its journal cannot.

    """
    with held_writer(folder) as writer:
        if writer.state.sealed is not None:
            raise DeclinedError("the run is sealed by now: its gate is not changed any more")
        if registration_bytes(folder) != before:
            raise DraftError("registration.toml has changed on disk meanwhile: nothing is written")
        write_new(folder.registration, text.encode("utf-8"), folder.file_mode)
