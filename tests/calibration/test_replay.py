import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from calibration import blocking
from calibration.games import SUBMARINE, CounterGame, DiceyGame, at_least, contract_of, reference_of
from calibration.published import OFFLINE

from plateau_tui.calibration.calibrate import calibrate
from plateau_tui.calibration.catalog import load_target
from plateau_tui.calibration.contractfile import canonical
from plateau_tui.calibration.declare import NOTHING_DECLARED
from plateau_tui.calibration.errors import TargetError
from plateau_tui.calibration.evidence import Snapshot, Trajectory, snapshot, trajectory
from plateau_tui.calibration.findings import findings
from plateau_tui.calibration.policies import UNKNOWN_WORD, Policy
from plateau_tui.calibration.record import report_record
from plateau_tui.calibration.reference import Reference
from plateau_tui.calibration.replay import Player
from plateau_tui.calibration.target import Game

DEPTH = contract_of(at_least("depth", 1))


def record_bytes(name: str, walks: int, processes: int | None) -> bytes:
    report = calibrate(load_target(name), walks=walks, processes=processes)
    found = findings(report, NOTHING_DECLARED)
    return canonical(report_record(report, NOTHING_DECLARED, found))


@pytest.mark.parametrize("name", ["native-2048", "screen-puzzle"])
def test_a_report_is_the_same_to_the_byte_however_many_processes_play(name: str) -> None:
    assert len({record_bytes(name, 7, processes) for processes in (None, 1, 2, 3)}) == 1


def test_walks_change_nothing_in_the_seeds_verdict() -> None:
    without = calibrate(load_target("native-2048"))
    with_walks = calibrate(load_target("native-2048"), walks=9)
    assert without.motion == with_walks.motion
    assert without.baselines == with_walks.baselines
    assert (len(without.walks), len(with_walks.walks)) == (0, 9)


@pytest.mark.parametrize("processes", [1, 2])
def test_progress_counts_every_run_once_and_ends_at_the_total(processes: int) -> None:
    told: list[tuple[int, int, str]] = []
    calibrate(
        load_target("screen-puzzle"), walks=3, processes=processes,
        progress=lambda done, total, what: told.append((done, total, what)),
    )  # fmt: skip
    # Twice the reference, 5 baselines, 3 walks; the prefixes of 4 and of 8 turns, over two words.
    assert told[-1][:2] == (2 + 5 + 3 + 4 + 8,) * 2
    assert [done for done, *_ in told] == sorted({done for done, *_ in told})
    assert {what for *_, what in told} == {
        "reference", "baselines", "walks", "sweep", "reference again",
    }  # fmt: skip


@pytest.mark.parametrize("processes", [1, 2])
def test_a_calibration_that_is_broken_off_ends(processes: int) -> None:
    class BrokenOffError(Exception):
        pass

    def progress(done: int, total: int, what: str) -> None:
        del done, total
        if what == "baselines":
            raise BrokenOffError

    with pytest.raises(BrokenOffError):
        calibrate(load_target("native-2048"), processes=processes, progress=progress)


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_workers_end_with_a_parent_that_was_ended_in_the_middle_of_a_run(
    tmp_path: Path, signum: signal.Signals
) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    child = subprocess.Popen(
        [sys.executable, blocking.__file__, str(fifo)], stderr=subprocess.DEVNULL
    )
    with fifo.open("rb") as workers:
        assert workers.readline() == b"playing\n"
        child.send_signal(signum)
        child.wait()
        # The end of the file is the end of the last process that held the FIFO open.
        assert workers.read() == b""


@pytest.mark.parametrize("name", OFFLINE)
def test_a_game_keeps_nothing_of_the_run_before(name: str) -> None:
    target = load_target(name)
    reference = target.reference()
    player = Player(target, reference)
    policy = Policy("r", reference.inputs)
    first = player.play(policy)
    for word in target.vocabulary(reference):
        player.play(Policy(word, (word,) * 9))
    assert player.play(policy) == first == Player(target, reference).play(policy)


@pytest.mark.parametrize("name", OFFLINE)
def test_an_unknown_word_changes_nothing(name: str) -> None:
    target = load_target(name)
    reference = target.reference()
    player = Player(target, reference)
    words = reference.inputs
    between = tuple(word for known in words for word in (UNKNOWN_WORD, known))
    plain = player.play(Policy("r", words)).snapshots
    padded = player.play(Policy("r", between)).snapshots
    assert padded[::2] == plain
    assert padded[1::2] == plain[:-1]


def test_a_game_that_differs_from_one_start_to_the_next_is_not_deterministic() -> None:
    game = DiceyGame(initial=SUBMARINE.initial, effects=SUBMARINE.effects)
    assert calibrate(game, reference_of("dive"), contract=DEPTH).deterministic is False
    assert calibrate(SUBMARINE, reference_of("dive"), contract=DEPTH).deterministic is True


class Dying(CounterGame):
    def open(self, reference: Reference, setting: str) -> Game:
        del reference, setting
        os._exit(9)


def test_a_game_that_takes_its_process_with_it_is_one_line() -> None:
    game = Dying(initial=SUBMARINE.initial, effects=SUBMARINE.effects)
    with pytest.raises(TargetError, match="a process that played it died"):
        calibrate(game, reference_of("dive"), contract=DEPTH, processes=2)


class TwoWorlds(CounterGame):
    """A target with a baseline of its own, in a world of its own."""

    def baselines(self, reference: Reference) -> tuple[Policy, ...]:
        return (Policy("diver", ("dive",) * len(reference.inputs), "deep"),)

    def open(self, reference: Reference, setting: str) -> Game:
        deeper = {"dive": {"depth": 10}} if setting == "deep" else self.effects
        return CounterGame(self.initial, deeper).open(reference, "")


def test_a_target_may_have_baselines_of_its_own_in_worlds_of_their_own() -> None:
    game = TwoWorlds(initial=SUBMARINE.initial, effects=SUBMARINE.effects)
    contract = contract_of(at_least("depth", 2), at_least("depth", 20))
    report = calibrate(game, reference_of("dive", "dive"), contract=contract)
    assert report.baselines[-1].name == "diver"
    assert report.baselines_with("depth-20") == ("diver",)


class SameName(CounterGame):
    def baselines(self, reference: Reference) -> tuple[Policy, ...]:
        return (Policy("round-robin", reference.inputs),)


@pytest.mark.parametrize(
    "game",
    [
        CounterGame(initial={"depth": 0}, effects={}),
        CounterGame(initial={"depth": 0}, effects={UNKNOWN_WORD: {}}),
        SameName(initial={"depth": 0}, effects={"dive": {}}),
    ],
)
def test_a_target_with_an_unsound_vocabulary_or_names_is_refused(game: CounterGame) -> None:
    with pytest.raises(TargetError, match="counters: "):
        calibrate(game, reference_of("dive"), contract=contract_of(at_least("depth", 0)))


def test_evidence_is_whole_numbers_under_plain_names() -> None:
    for wrong in (True, 1.0, "1"):
        with pytest.raises(TypeError, match=r"engine\.x"):
            snapshot({"x": wrong})  # type: ignore[dict-item] # what a target might send
    with pytest.raises(ValueError, match="not a channel's name"):
        snapshot({"a b": 1})
    with pytest.raises(ValueError, match="at least the snapshot"):
        trajectory([])


def test_a_digest_tells_apart_all_that_is_published() -> None:
    shots = [
        snapshot({"x": 1}), snapshot({"x": 2}), snapshot({"x": None}), snapshot({"y": 1}),
        snapshot({}, screen={"x": 1}), snapshot({"x": 1}, events=["x"]),
        snapshot({"x": 1}, screen_hash="0"), snapshot({"x": 1}, save_hash="0"),
    ]  # fmt: skip
    digests = {Trajectory((shot,)).digest() for shot in shots}
    assert len(digests) == len(shots)
    assert Trajectory((Snapshot({"b": 1, "a": 2}),)).digest() == (
        Trajectory((Snapshot({"a": 2, "b": 1}),)).digest()
    )
