"""What ``verify`` says beside its problems: what befell a log, and what can be relied on."""

import msgspec

from plateau_tui.metric.plain import counted
from plateau_tui.runlog.findings import Problem, VerifyResult
from plateau_tui.runlog.repair import README, Repair
from plateau_tui.runlog.trust import CONDITIONS


def problem_line(problem: Problem) -> str:
    """Return what does not hold, and where."""
    place = "" if problem.line is None else f" line {problem.line} (byte {problem.byte})"
    return f"{problem.file}{place}: {problem.code}: {problem.text}"


def findings_lines(result: VerifyResult) -> list[str]:
    """Return the first break, what it is, and what can be relied on, as lines for a person."""
    lines = [
        f"{name} goes on from {' and '.join(files[:-1])}, in this order"
        for name, files in result.files.items()
        if len(files) > 1
    ]
    first = result.first
    if first is not None:
        lines += [f"first: {problem_line(first)}", f"this is {CONDITIONS[result.condition]}"]
        parts = [part for parts in result.trustworthy.values() for part in parts]
        lines += [f"still trustworthy: {part.words()}" for part in parts]
        if not parts:
            lines.append("still trustworthy: nothing of the log")
    return lines


def findings_record(result: VerifyResult) -> dict[str, object]:
    """Return the same for a program."""
    return {
        "condition": result.condition,
        "first": msgspec.to_builtins(result.first),
        "trustworthy": msgspec.to_builtins(result.trustworthy),
        "files": msgspec.to_builtins(result.files),
    }


def repair_lines(repair: Repair, target: str) -> list[str]:
    """Return what a repair did, as lines for a person."""
    if repair.found.intact:
        return [f"{target}: a plain copy; there was nothing to repair"]
    parts = [
        f"{target}: {part.file} bytes {part.byte} to {part.end} set aside as {part.moved_to}"
        for part in repair.set_aside
    ]
    many = counted(len(repair.set_aside), "part")
    return [*parts, f"{target}: a repaired copy, {many} set aside; it argues nothing, see {README}"]


def repair_record(repair: Repair) -> dict[str, object]:
    """Return the same for a program."""
    return {
        "condition": repair.found.condition,
        "set_aside": msgspec.to_builtins(repair.set_aside),
        "left_out": list(repair.left_out),
        "collector_at_work": repair.held,
    }
