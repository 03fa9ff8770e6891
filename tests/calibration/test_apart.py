import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from calibration import parent
from calibration.games import SUBMARINE, CounterGame

from plateau_tui.calibration.apart import (
    Apart,
    Failed,
    Job,
    Message,
    Missing,
    Told,
    looking,
    measuring,
)
from plateau_tui.calibration.catalog import load_target
from plateau_tui.calibration.contractfile import canonical
from plateau_tui.calibration.outcome import Outcome, outcome_of
from plateau_tui.calibration.record import report_record

TESTS = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def processes_find_the_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(TESTS))


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    made = tmp_path / "fifo"
    os.mkfifo(made)
    return made


def sent(job: Job) -> Iterator[Message]:
    with closing(Apart(job)) as apart:
        yield from apart.messages()


def record_bytes(outcome: Outcome) -> bytes:
    measured = outcome.measured
    return canonical(report_record(measured.report, measured.declared, outcome.refused))


def test_an_outcome_from_another_process_is_the_same_to_the_byte() -> None:
    target = load_target("screen-puzzle")
    *told, outcome = sent(measuring(target, 3))
    assert isinstance(outcome, Outcome)
    assert record_bytes(outcome) == record_bytes(outcome_of(target, walks=3))
    done = [message.done for message in told if isinstance(message, Told)]
    assert done == list(range(1, 23))


def test_a_refusal_is_an_outcome_that_says_what_is_left() -> None:
    *_, outcome = sent(measuring(load_target("phase-goal-3"), 0))
    assert isinstance(outcome, Outcome)
    assert [finding.code for finding in outcome.refused] == ["not-separating"]


def test_what_is_missing_comes_for_every_target_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ale_py.py").write_text("raise ImportError('hidden')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    text = "breakout needs ale-py: pip install 'plateau-tui[games]'"
    assert list(sent(looking(("breakout", "save-levels")))) == [
        Missing("breakout", text),
        Missing("save-levels", ""),
    ]


def test_a_target_that_cannot_be_played_says_why_in_one_line() -> None:
    game = CounterGame(initial=SUBMARINE.initial, effects=SUBMARINE.effects)
    assert list(sent(measuring(game, 0))) == [
        Failed("counters ships no reference; name one with --reference FILE")
    ]


def test_a_process_that_is_killed_tells_so(fifo: Path) -> None:
    apart = Apart(measuring(parent.ForeverGame(fifo=fifo), 0))
    with fifo.open("rb") as workers:
        assert workers.readline() == b"playing\n"
        apart.stop()
        assert workers.read() == b""  # the last process that held the FIFO open is gone
    assert [type(message) for message in apart.messages()] == [Failed]
    apart.close()


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_every_process_ends_with_a_parent_however_that_ends(
    fifo: Path, signum: signal.Signals
) -> None:
    child = subprocess.Popen(
        [sys.executable, parent.__file__, str(fifo)], stderr=subprocess.DEVNULL
    )
    with fifo.open("rb") as workers:
        assert workers.readline() == b"playing\n"
        child.send_signal(signum)
        child.wait()
        assert workers.read() == b""
