"""The tables of the seed, and two beside them, as plain text cells; nothing here draws."""

import itertools
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from plateau_tui.calibration.declare import Declarations
from plateau_tui.calibration.policies import PSEUDO_RANDOM
from plateau_tui.calibration.report import Report
from plateau_tui.calibration.target import LeftOut
from plateau_tui.metric.plain import counted, out_of

Row = tuple[str, ...]

_GAP: Final = 2
_INDENT: Final = "  "
_SHORT: Final = 24

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
    """A report with the name of its contract and what was declared.

    ``unit`` says what an input is called, ``left_out`` which words nothing trivial has played.
    """

    title: str
    report: Report
    declared: Declarations
    unit: str = "inputs"
    left_out: LeftOut | None = None


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
            ", ".join(map(str, m.initials)) or "not read",
            str(m.samples),
        )
        for channel, m in measured.report.motion.items()
    ]


def notes(measured: Measured) -> list[str]:
    """Return what a reader should know beside the tables, one line each."""
    report, title = measured.report, measured.title
    lines = [
        f"{title}: {c.milestone}: {out_of(c.collisions, c.substitutions, 'log')} with one other "
        f"input earn it, at {out_of(len(c.free_turns), len(c.probed), 'turn')}; all at once: "
        f"{'earns it' if c.joint else 'does not earn it' if c.survivors else 'nothing to try'}; "
        f"a family of {counted(c.family, 'log')}"
        for c in report.collisions
    ]
    if measured.left_out:
        out = measured.left_out
        lines.append(
            f"{title}: {len(out.words)} of {out.of} words are left out of the trivial policies "
            f"and the walks: {', '.join(out.words)}; {out.why}"
        )
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


def table_lines(head: Row, rows: Sequence[Row], width: int | None = None) -> list[str]:
    """Return a table in columns where they fit, and else each row as a list of its cells.

    What all rows begin with is said once where there is a width to keep to. No line is wider.
    """
    if width is None:
        return laid_out(head, rows)
    lead: list[str] = []
    if len(rows) > 1 and len({row[0] for row in rows}) == 1:
        lead = folded([f"{head[0]} {rows[0][0]}"], width)
        head, rows = head[1:], [row[1:] for row in rows]
    lines = laid_out(head, rows, width)
    if any(len(line) > width for line in lines):
        lines = [line for row in rows for line in _stacked(head, row, width)]
    return [*lead, *lines]


def _stacked(head: Row, row: Row, width: int) -> list[str]:
    """Return a row as its cells with their names: short ones share a line."""
    first, *others = (f"{name}: {cell}" for name, cell in zip(head, row, strict=True))
    lines: list[str] = []
    for part in others:
        if len(part) <= _SHORT and lines and len(lines[-1]) + len(part) + 2 <= width:
            lines[-1] += f"; {part}"
        else:
            lines.append(f"{_INDENT}{part}")
    return folded([first, *lines], width)


def folded(lines: Sequence[str], width: int | None = None) -> list[str]:
    """Return lines broken between words to a width, if there is one; what goes on is indented."""
    if width is None:
        return list(lines)
    return [
        part
        for line in lines
        for part in textwrap.wrap(
            line,
            max(len(_INDENT) * 4, width),
            subsequent_indent=_INDENT * 2,
            break_on_hyphens=False,
        )
        or [""]
    ]


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
