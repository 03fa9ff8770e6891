"""The optional probe: a command that prints mechanism telemetry, one JSON object a line.

It is telemetry, never a felt state, and never part of PRIMARY or SECONDARY. Whatever goes wrong
with it is a gap and never a stop.
"""

import contextlib
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

import msgspec

from plateau_tui.metric.plain import counted
from plateau_tui.runlog.connection import ProbeCommand, environment_without_password
from plateau_tui.runlog.rows import TELEMETRY, Number

_MAX_OUTPUT: Final = 1 << 20
_LOOK_S: Final = 0.05
_END_S: Final = 0.2
_MAX_ARM: Final = 200
_MAX_NUMBER: Final = 2**63


@dataclass(frozen=True, slots=True)
class UnitProbe:
    """What the probe said of one unit in one cycle; ``ok`` is False for a gap."""

    ok: bool
    arm: str | None = None
    telemetry: Mapping[str, Number] = field(default_factory=dict)
    note: str = ""


class _ProbeLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    uni: str
    arm: str | None = None
    phase: int | float | None = None
    novelty_gain: int | float | None = None
    action_entropy: int | float | None = None
    learned_cells: int | float | None = None
    tick: int | float | None = None
    novelty_W_a: int | float | None = None  # noqa: N815 - the log's own key
    novelty_W_b: int | float | None = None  # noqa: N815 - the log's own key


def run_probe(
    probe: ProbeCommand, units: Collection[str], stop: threading.Event
) -> dict[str, UnitProbe]:
    """Run the probe once and return what it said, for every unit; never raises.

    The password is not in its environment; it is ended, with what it started, when its time is
    over or ``stop`` is set.
    """
    output, failure = _output_of(probe, stop)
    found: dict[str, UnitProbe] = {}
    strange = 0
    for line in output.splitlines():
        if not line.strip():
            continue
        try:
            record = msgspec.json.decode(line, type=_ProbeLine)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            strange += 1
            continue
        if record.uni not in units or record.uni in found or not _usable(record):
            strange += 1
            continue
        telemetry = {key: getattr(record, key) for key in TELEMETRY}
        found[record.uni] = UnitProbe(ok=True, arm=record.arm, telemetry=telemetry)
    unused = f"probe: {counted(strange, 'line')} could not be used"
    gap = failure or (unused if strange else "probe: silent")
    return {unit: found.get(unit, UnitProbe(ok=False, note=gap)) for unit in units}


def _usable(record: _ProbeLine) -> bool:
    """Say whether what a line holds can stand in a row."""
    numbers = [getattr(record, key) for key in TELEMETRY]
    fits = all(number is None or abs(number) < _MAX_NUMBER for number in numbers)
    return fits and len(record.arm or "") <= _MAX_ARM


def _output_of(probe: ProbeCommand, stop: threading.Event) -> tuple[bytes, str]:
    try:
        process = subprocess.Popen(
            list(probe.command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment_without_password(),
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return b"", f"probe: {probe.command[0]} could not be started ({error})"
    pieces, failure = _read(process, probe.timeout_s, stop)
    status = _end(process)
    if not failure and status != 0:
        failure = f"probe: exit status {status}"
    return b"".join(pieces), failure


def _read(
    process: "subprocess.Popen[bytes]", timeout_s: float, stop: threading.Event
) -> tuple[list[bytes], str]:
    """Read the probe's output to its end; also return why that was not reached, or nothing.

    What it started may hold the pipe open for ever, so no read here ever blocks.
    """
    pipe = process.stdout
    assert pipe is not None  # noqa: S101 - it was started with a pipe
    os.set_blocking(pipe.fileno(), False)
    poller = select.poll()
    poller.register(pipe, select.POLLIN)
    deadline = time.monotonic() + timeout_s
    pieces: list[bytes] = []
    size = 0
    while size < _MAX_OUTPUT:
        if stop.is_set():
            return pieces, "probe: stopped"
        left = deadline - time.monotonic()
        if left <= 0:
            return pieces, f"probe: no end within {timeout_s:g} s"
        if poller.poll(min(left, _LOOK_S) * 1000):
            piece = os.read(pipe.fileno(), 65536)
            if not piece:
                return pieces, ""
            pieces.append(piece)
            size += len(piece)
    return pieces, f"probe: more than {_MAX_OUTPUT} bytes"


def _end(process: "subprocess.Popen[bytes]") -> int:
    """Wait a moment for the probe's end, then end it with all that it started."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_END_S)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    if process.stdout is not None:
        process.stdout.close()
    return process.wait()
