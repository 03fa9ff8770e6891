"""Makes docs/calibration.md: the ideas of the calibration, with every figure measured anew.

.venv/bin/python docs/make_calibration_page.py

It takes some minutes with the games (``pip install 'plateau-tui[games]'``); without them their
rows are left out, and the page says so.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from plateau_tui.calibration.catalog import load_target, target_ids
from plateau_tui.calibration.controls import (
    CONTROLS_HEAD,
    ControlReport,
    control_findings,
    control_rows,
    controls_of,
    play_controls,
)
from plateau_tui.calibration.errors import MissingExtraError
from plateau_tui.calibration.outcome import Outcome, outcome_of, seed_tables
from plateau_tui.calibration.recordedlines import run_lines
from plateau_tui.calibration.tables import MOTION_HEAD, Row, motion_rows, notes
from plateau_tui.console.recordedrun import measured as measured_run
from plateau_tui.resources import shipped
from plateau_tui.runlog.layout import RunFolder

PAGE: Final = Path(__file__).with_name("calibration.md")
TEXT: Final = Path(__file__).with_name("calibration.in.md")
WALKS: Final = 32
CONTROLLED: Final = "breakout"
OFFLINE: Final = ("native-2048", "save-levels", "screen-puzzle", "engine-crawler")
SEED: Final = ("breakout", "airstriker", "cartpole", "frozenlake", *OFFLINE)
PLATEAU: Final = tuple(name for name in target_ids() if name not in SEED)
SAMPLES: Final = ("builders_vs_hoarders", "hoarders_vs_hoarders")


@cache
def measured(name: str) -> Outcome:
    """Calibrate a target as the command does.

    Raises:
        MissingExtraError: its packages are not installed.

    """
    return outcome_of(load_target(name), walks=WALKS)


def here(names: Iterable[str]) -> tuple[list[Outcome], list[str]]:
    """Return what could be measured here, and a line for each that could not."""
    outcomes, left_out = [], []
    for name in names:
        try:
            outcomes.append(measured(name))
        except MissingExtraError as error:
            left_out.append(f"Left out when this page was made: {error}.")
    return outcomes, left_out


def table(head: Row, rows: Sequence[Row]) -> str:
    """Return a table in Markdown."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in lines)


def verdicts(outcomes: Sequence[Outcome]) -> dict[str, str]:
    """Return the seed's two tables and that of the walks, by the names the text calls them."""
    tables = seed_tables([outcome.measured for outcome in outcomes])
    names = ("verdicts", "collapse", "walks")
    return {name: table(*each) for name, each in zip(names, tables, strict=True)}


def standing(outcomes: Sequence[Outcome]) -> str:
    """Return what was declared of each contract and what is left against it, as a table."""
    rows: list[Row] = []
    for outcome in outcomes:
        declared = outcome.measured.declared.as_dict()
        said = "; ".join(
            f"{key}: {', '.join(value) if isinstance(value, list) else value}"
            for key, value in declared.items()
        )
        left = "; ".join(finding.text for finding in outcome.refused)
        rows.append((outcome.measured.title, said or "nothing", left or "nothing"))
    return table(("contract", "declared", "left against it"), rows)


def falling(outcomes: Sequence[Outcome]) -> str:
    """Return the channels that never rose and fell at least once: where attrition can stand."""
    only = {
        (outcome.measured.title, channel)
        for outcome in outcomes
        for channel, motion in outcome.measured.report.motion.items()
        if motion.only_falls
    }
    rows = [row for o in outcomes for row in motion_rows(o.measured) if row[:2] in only]
    return table(MOTION_HEAD, rows)


def moved(outcome: Outcome) -> str:
    """Return every channel of one contract that moved at all."""
    motion = outcome.measured.report.motion
    rows = [
        row for row in motion_rows(outcome.measured) if motion[row[1]].low < motion[row[1]].high
    ]
    return table(MOTION_HEAD, rows)


def reach(outcomes: Sequence[Outcome]) -> str:
    """Return which baseline earned which milestones of which contract; idle ones that all share."""
    names = dict.fromkeys(run.name for o in outcomes for run in o.measured.report.baselines)
    own = {
        policy.name
        for o in outcomes
        for policy in load_target(o.name).baselines(load_target(o.name).reference())
    }
    rows: list[Row] = []
    for name in names:
        runs = [
            next(run for run in o.measured.report.baselines if run.name == name) for o in outcomes
        ]
        if name in own or any(run.first_pass for run in runs):
            rows.append((name, *(", ".join(run.first_pass) or "-" for run in runs)))
    return table(("baseline", *(o.measured.title for o in outcomes)), rows)


def noted(outcomes: Sequence[Outcome]) -> str:
    """Return what stands below the tables of the command, as a list."""
    return "\n".join(f"- {line}" for o in outcomes for line in notes(o.measured))


def controls() -> tuple[str, str]:
    """Return the table of the controls, and what follows from it."""
    target = load_target(CONTROLLED)
    found = controls_of(CONTROLLED)
    try:
        report = measured(CONTROLLED).measured.report
    except MissingExtraError as error:
        return f"Left out when this page was made: {error}.", ""
    assert found is not None  # noqa: S101 - the catalogue of controls has it
    played: ControlReport = play_controls(target, target.reference(), found, report)
    said = "\n".join(f"- {finding.text}" for finding in control_findings(played))
    return table(CONTROLS_HEAD, control_rows(played)), said


def recorded(name: str) -> str:
    """Return what ``calibrate --run`` prints of a sample run."""
    found = measured_run(RunFolder(shipped("sample_runs") / name))
    assert found.run is not None, found.error  # noqa: S101 - the samples are whole
    return "\n".join(["```text", *run_lines(found.run), "```"])


def page() -> str:
    """Return the page: the text with every measured part in its place."""
    seed, left_out = here(SEED)
    plateau, _ = here(PLATEAU)
    ranking, ranked = controls()
    parts = {
        **verdicts(seed),
        "left_out": "\n".join(left_out),
        "standing": standing(seed),
        "falling": falling(seed),
        "notes": noted(seed),
        "controls": ranking,
        "controls_found": ranked,
        **{f"plateau_{name}": text for name, text in verdicts(plateau).items()},
        "plateau_standing": standing(plateau),
        "reach": reach(plateau),
        "plateau_moved": moved(plateau[0]),
        "walks_played": str(WALKS),
        **{f"run_{place}": recorded(name) for place, name in enumerate(SAMPLES, start=1)},
    }
    text = TEXT.read_text(encoding="utf-8")
    for name, part in parts.items():
        text = text.replace(f"{{{name}}}", part)
    return text.replace("\n\n\n", "\n\n")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
