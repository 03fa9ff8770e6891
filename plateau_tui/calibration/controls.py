"""Controls: players that look, and so must be ranked as the game itself ranks them.

A contract can be held against them (seed, "Why", 1): the score that a control gets must not rank
it below one that the game reports to be worse. Controls earn nothing for a contract and refuse
nothing; they show what its scores are worth.
"""

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, Protocol

from plateau_tui.calibration.contract import Contract
from plateau_tui.calibration.errors import TargetError
from plateau_tui.calibration.evidence import Snapshot, Trajectory
from plateau_tui.calibration.findings import Finding
from plateau_tui.calibration.headroom import tops
from plateau_tui.calibration.motion import attrition, joined_motion
from plateau_tui.calibration.reference import Reference
from plateau_tui.calibration.replay import Progress, silent
from plateau_tui.calibration.report import Report
from plateau_tui.calibration.scores import (
    Played,
    Score,
    measure,
    score_achievements,
    score_milestones,
)
from plateau_tui.calibration.tables import folded, table_lines
from plateau_tui.calibration.target import Game, Target


class Control(Protocol):
    """A player that decides by what it sees, and remembers nothing."""

    @property
    def name(self) -> str:
        """Its name in tables."""
        ...

    def __call__(self, game: Game, seen: Snapshot) -> str:
        """Return the next word; ``seen`` is what the game published last."""
        ...


@dataclass(frozen=True, slots=True)
class Controls:
    """The controls of a target.

    ``score`` and ``lives`` are the channels by which the game itself says how well a run went;
    nothing is played on once ``over`` is not 0. ``budgets`` count inputs, smallest first.
    """

    players: tuple[Control, ...]
    score: str
    lives: str
    over: str
    budgets: tuple[int, ...]


_CONTROLS: Final = {"breakout": "breakout_controls"}
"""Target -> module of ``targets`` that has its ``CONTROLS``."""


def controls_of(target: str) -> Controls | None:
    """Return the controls of a target; None where it has none."""
    if target not in _CONTROLS:
        return None
    module = importlib.import_module(f"plateau_tui.calibration.targets.{_CONTROLS[target]}")
    found: Controls = module.CONTROLS
    return found


@dataclass(frozen=True, slots=True)
class ControlRun:
    """What one control had reached when its budget of inputs, or the game, was at its end.

    ``game_score`` and ``lives`` are the game's own last figures; ``played.turns`` inputs went in.
    """

    name: str
    budget: int
    game_score: int
    lives: int
    played: Played


@dataclass(frozen=True)
class ControlReport:
    """How a contract ranks the controls. Build it with ``play_controls``.

    ``attrition`` is what is lost over the motion of the report and of all controls, so that the
    ranking is not made against a classification that never saw them.
    """

    contract: Contract
    attrition: tuple[str, ...]
    channel: str
    runs: tuple[ControlRun, ...]

    def milestones(self, run: ControlRun) -> Score:
        """Return how far a control got, by the whole contract."""
        return score_milestones(self.contract, run.played.earned)

    def achievements(self, run: ControlRun) -> Score:
        """Return how well a control did: attrition left out."""
        return score_achievements(self.contract, self.attrition, run.played.earned)

    @cached_property
    def budgets(self) -> tuple[int, ...]:
        """The budgets, in their order."""
        return tuple(dict.fromkeys(run.budget for run in self.runs))

    def ranked(self, budget: int) -> list[ControlRun]:
        """Return the runs of one budget as the game ranks them, the best first."""
        return sorted((r for r in self.runs if r.budget == budget), key=lambda r: -r.game_score)


def play_controls(
    target: Target,
    reference: Reference,
    controls: Controls,
    report: Report,
    progress: Progress = silent,
) -> ControlReport:
    """Play every control once and measure it at every budget; ``progress`` is told each.

    Raises:
        TargetError: the target cannot be played here.

    """
    most = max(controls.budgets)
    game = target.open(reference, "")
    played: list[tuple[str, list[Snapshot]]] = []
    try:
        for control in controls.players:
            progress(len(played), len(controls.players), control.name)
            played.append((control.name, _steered(game, control, controls, reference.seed, most)))
    finally:
        game.close()
    runs = tuple(
        _measured(name, shots, budget, controls, report.contract)
        for budget in controls.budgets
        for name, shots in played
    )
    moved = joined_motion([report.motion, *(run.played.motion for run in runs)])
    lost = attrition(report.contract, moved)
    return ControlReport(report.contract, lost, controls.score, runs)


def known(shot: Snapshot, channel: str) -> int:
    """Return a number that a control must know.

    Raises:
        TargetError: it is not published, or could not be read.

    """
    value = shot.numbers.get(channel)
    if value is None:
        raise TargetError(
            f"the controls read {channel}, which is not published; name it in the reference's "
            "channels, or leave --controls out"
        )
    return value


def _steered(
    game: Game, control: Control, controls: Controls, seed: int, most: int
) -> list[Snapshot]:
    shots = [game.start(seed)]
    while len(shots) <= most and not known(shots[-1], controls.over):
        shots.append(game.step(control(game, shots[-1])))
    return shots


def _measured(
    name: str, shots: Sequence[Snapshot], budget: int, controls: Controls, contract: Contract
) -> ControlRun:
    """Measure the first ``budget`` inputs: a control remembers nothing, so they are a run."""
    part = tuple(shots[: budget + 1])
    return ControlRun(
        name=name,
        budget=budget,
        game_score=known(part[-1], controls.score),
        lives=known(part[-1], controls.lives),
        played=measure(name, contract, Trajectory(part)),
    )


def control_findings(report: ControlReport) -> tuple[Finding, ...]:
    """Return where the contract ranks the controls otherwise than the game does."""
    found: list[Finding] = []
    for budget in report.budgets:
        ranked = report.ranked(budget)
        for better, worse in pairwise(ranked):
            if better.game_score > worse.game_score:
                found += _backwards(report, better, worse)
    return (*found, *_above_top(report))


def _backwards(report: ControlReport, better: ControlRun, worse: ControlRun) -> list[Finding]:
    found = []
    by_game = (
        f"at {better.budget} inputs the game gives {better.name} {better.game_score} and "
        f"{worse.name} {worse.game_score}"
    )
    if report.milestones(worse).earned > report.milestones(better).earned:
        gained = [i for i in worse.played.first_pass if i not in better.played.earned]
        found.append(
            Finding(
                "milestones-backwards",
                f"{by_game}, but the whole contract gives {report.milestones(better)} and "
                f"{report.milestones(worse)}: the worse one earns {', '.join(gained)}; rank runs "
                "by their achievements",
            )
        )
    if report.achievements(worse).earned > report.achievements(better).earned:
        found.append(
            Finding(
                "achievements-backwards",
                f"{by_game}, but their achievements are {report.achievements(better)} and "
                f"{report.achievements(worse)}; state achievements that the better one earns",
            )
        )
    return found


def _above_top(report: ControlReport) -> list[Finding]:
    """Return whether the strongest control stands above the contract's top on the game's score."""
    strongest = max(report.runs, key=lambda run: run.game_score)
    top = tops(report.contract, report.attrition).get(report.channel)
    if top is None or strongest.game_score <= top:
        return []
    others = [
        run
        for run in report.ranked(strongest.budget)
        if top <= run.game_score < strongest.game_score
    ]
    alike = "".join(
        f", and no achievement tells it from {run.name} with {run.game_score}"
        for run in others
        if report.achievements(run).earned == report.achievements(strongest).earned
    )
    return [
        Finding(
            "control-above-top",
            f"{strongest.name}, the strongest control, stands above the contract's top: "
            f"{report.channel} {strongest.game_score} at {strongest.budget} inputs, and the "
            f"contract asks for {top} at most{alike}; state an achievement higher up",
        )
    ]


def controls_record(report: ControlReport) -> dict[str, dict[str, dict[str, object]]]:
    """Return the controls as plain data: what ``calibrate --controls --json`` prints."""
    found: dict[str, dict[str, dict[str, object]]] = {}
    for run in report.runs:
        found.setdefault(run.name, {})[str(run.budget)] = {
            "game_score": run.game_score,
            "lives": run.lives,
            "milestones": str(report.milestones(run)),
            "achievements": str(report.achievements(run)),
            "played": run.played.turns,
        }
    return found


@dataclass(frozen=True, slots=True)
class Ranked:
    """The controls of one target: its name, the name of its contract, how they were ranked."""

    target: str
    title: str
    report: ControlReport


def ranked(
    target: Target, reference: Reference, report: Report, progress: Progress = silent
) -> Ranked | None:
    """Play a target's controls against the contract of a report; None where it has none.

    Raises:
        TargetError: the target cannot be played here, or does not publish what they read.

    """
    controls = controls_of(target.id)
    if controls is None:
        return None
    played = play_controls(target, reference, controls, report, progress)
    return Ranked(target.id, target.title, played)


def ranked_lines(found: Sequence[Ranked], width: int | None = None) -> list[str]:
    """Return the table of the controls and what follows from it, to a width if there is one."""
    rows = [row for each in found for row in control_rows(each.report)]
    said = [
        f"{each.title}: {finding.text}"
        for each in found
        for finding in control_findings(each.report)
    ]
    return ["", *table_lines(CONTROLS_HEAD, rows, width), "", *folded(said, width)] if rows else []


CONTROLS_HEAD: Final = (
    "control", "inputs", "game score", "lives left", "milestones", "achievements", "played",
)  # fmt: skip


def control_rows(report: ControlReport) -> list[tuple[str, ...]]:
    """Return a row of the seed's table of controls for each run."""
    return [
        (
            run.name,
            f"@{run.budget}",
            str(run.game_score),
            str(run.lives),
            str(report.milestones(run)),
            str(report.achievements(run)),
            str(run.played.turns),
        )
        for run in report.runs
    ]
