"""The tables of the seed, and two beside them, as plain text cells; nothing here draws."""

import itertools
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from plateau_tui.calibration.declare import Declarations
from plateau_tui.calibration.policies import PSEUDO_RANDOM
from plateau_tui.calibration.report import Report

Row = tuple[str, ...]

_GAP: Final = 2

VERDICT_HEAD: Final[Row] = (
    "contract", "reference", "achievements", "best baseline", "separating", "attrition", "verdict",
)  # fmt: skip
COLLAPSE_HEAD: Final[Row] = (
    "contract", "gated behind", "of", "prerequisite reached by a baseline", "open at one instant",
)  # fmt: skip
WALKS_HEAD: Final[Row] = ("contract", "milestone", "is", "baselines", "walks", "under walks")
MOTION_HEAD: Final[Row] = (
    "contract", "channel", "rises", "falls", "min", "max", "initial", "samples",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Measured:
    """A report with the name of its contract, what was declared, and what an input is called."""

    title: str
    report: Report
    declared: Declarations
    unit: str = "inputs"


def verdict_row(measured: Measured) -> Row:
    """Return a row of the seed's first table."""
    report = measured.report
    count, ids = report.best_baseline
    none_scored = f"0 of {len(report.baselines)} policies scored"
    return (
        measured.title,
        str(report.reference_score),
        str(report.achievement_score),
        f"{count} ({', '.join(ids)})" if count else none_scored,
        ", ".join(report.separating) or "nothing",
        ", ".join(report.attrition) or "none",
        verdict(report, measured.declared),
    )


def verdict(report: Report, declared: Declarations) -> str:
    """Return the verdict in words.

    Undeclared attrition is named where the contract separates: only there could it pass for skill.
    """
    words = [
        "separates" if report.separates else "does not separate",
        "collapses" if report.collapse.collapses else "does not collapse",
    ]
    undeclared = [i for i in report.attrition if i not in declared.attrition_checks]
    if report.separates and undeclared:
        words.append(f"{len(undeclared)} undeclared attrition")
    return "; ".join(words)


def collapse_row(measured: Measured) -> Row:
    """Return a row of the seed's second table."""
    found, policies = measured.report.collapse, len(measured.report.baselines)
    earned = len(found.earned_by)
    reached = f"{'yes' if earned else 'no'}, {earned} of {policies}"
    return (
        measured.title,
        found.prerequisite or "-",
        f"{found.gated} of {found.total}",
        reached if found.prerequisite else "-",
        f"{len(found.together)} of {found.total}, after {found.together_after} {measured.unit}"
        if found.together
        else "-",
    )


def walk_rows(measured: Measured) -> list[Row]:
    """Return a row for each milestone: what the baselines and what the walks earned of it."""
    report = measured.report
    return [
        (
            measured.title,
            i,
            kind_of(report, i),
            f"earned by {len(report.baselines_with(i))} of {len(report.baselines)}",
            f"earned by {report.walks_with(i)} of {len(report.walks)}",
            "separates" if i in report.separating_under_walks else "does not separate",
        )
        for i in report.contract.ids
    ]


def kind_of(report: Report, milestone: str) -> str:
    """Return what a milestone is in the seed's verdict."""
    if milestone in report.attrition:
        return "attrition"
    if milestone in report.contract.opaque:
        return "opaque"
    return "separating" if milestone in report.separating else "not separating"


def motion_rows(measured: Measured) -> list[Row]:
    """Return a row for each numeric channel, over the references and all baselines."""
    return [
        (
            measured.title,
            channel,
            str(m.rises),
            str(m.falls),
            str(m.low),
            str(m.high),
            ", ".join(map(str, m.initials)),
            str(m.samples),
        )
        for channel, m in measured.report.motion.items()
    ]


def notes(measured: Measured) -> list[str]:
    """Return what a reader should know beside the tables, one line each."""
    report, title = measured.report, measured.title
    lines = [
        f"{title}: {c.milestone}: {c.collisions} of {c.substitutions} logs with one other input "
        f"earn it, at {len(c.free_turns)} of {len(c.probed)} turns; all at once: "
        f"{'earns it' if c.joint else 'does not earn it' if c.survivors else 'nothing to try'}; "
        f"a family of {c.family} logs"
        for c in report.collisions
    ]
    if report.unmeasured:
        lines.append(f"{title}: no number speaks for: {', '.join(report.unmeasured)}")
    lines += [
        f"{title}: {above.channel} went up to {above.high}, and the contract's top is {above.top}: "
        "it tells nothing apart above that"
        for above in report.above_top
    ]
    words = len(report.vocabulary)
    if words > 1 and words.bit_count() == 1:
        lines.append(
            f"{title}: {PSEUDO_RANDOM} repeats every {words} inputs over {words} words: the "
            "published generator's low bits cycle"
        )
    walked = [i for i in report.attrition if i not in report.attrition_with_walks]
    if walked:
        lines.append(
            f"{title}: attrition by the baselines, but a walk repairs what was lost: "
            f"{', '.join(walked)}"
        )
    return lines


def reached(measured: Measured) -> list[str]:
    """Return one line that says which baselines reach which milestone; none where none does."""
    report = measured.report
    parts = [f"{i} ({', '.join(report.baselines_with(i))})" for i in report.trivial]
    return [f"{measured.title}: baselines reach {'; '.join(parts)}"] if parts else []


def laid_out(head: Row, rows: Sequence[Row], width: int | None = None) -> list[str]:
    """Return a table as lines of columns, two spaces apart.

    Where ``width`` is given and too small, the widest columns are folded between words until the
    table fits, or until every column is as narrow as its longest word.
    """
    columns = list(zip(head, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    words = [max(len(word) for cell in column for word in cell.split()) for column in columns]
    room = sum(widths) if width is None else width - _GAP * (len(head) - 1)
    while sum(widths) > room:
        wide = [n for n, least in enumerate(words) if widths[n] > least]
        if not wide:
            break
        widths[max(wide, key=widths.__getitem__)] -= 1
    return [line for row in (head, *rows) for line in _folded(row, widths)]


def _folded(row: Row, widths: Sequence[int]) -> list[str]:
    cells = [
        textwrap.wrap(cell, width, break_on_hyphens=False) or [""]
        for cell, width in zip(row, widths, strict=True)
    ]
    return [
        (" " * _GAP).join(part.ljust(w) for part, w in zip(parts, widths, strict=True)).rstrip()
        for parts in itertools.zip_longest(*cells, fillvalue="")
    ]
