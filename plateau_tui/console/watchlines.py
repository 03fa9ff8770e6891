"""The lines of the first-poll wizard. Pure functions of what is known and a width."""

from collections.abc import Mapping
from typing import Final

from plateau_tui.console.messages import WatchView
from plateau_tui.console.text import age, pad
from plateau_tui.console.view import RunView

_MARKS: Final = {True: "[x]", False: "[ ]", None: "[-]"}


def watch_lines(watch: WatchView, now_ms: int, width: int) -> list[str]:
    """Return which log counter moves for which unit, and what that suggests."""
    by_hand = f"poll {watch.polls}" if watch.polls else "start reading"
    source = "the collector's rows" if watch.from_rows else by_hand
    lines = [
        f"({source}, read {age(now_ms - watch.read_ms)} ago)",
        f"{pad('unit', 16)} {pad('moved since the watch began', width - 36)} suggested",
        *(
            f"{pad(unit, 16)} {pad(_moved(grown), width - 36)} {watch.suggestion[unit] or '?'}"
            for unit, grown in watch.grown.items()
        ),
    ]
    if not any(n for grown in watch.grown.values() for n in grown.values()):
        lines += [
            "nothing moves yet: is a body chopping at all?",
            f"Watched: {', '.join(watch.watched)}.",
            f"Another wood? a adds one to the draft: {', '.join(watch.others)}",
        ]
    return lines


def _moved(grown: Mapping[str, int]) -> str:
    return ", ".join(f"{species} +{n}" for species, n in grown.items() if n) or "-"


def step_line(view: RunView, *, checked: bool, watched: bool) -> str:
    """Return the steps with what is done; [-] is a step that leaves no mark in the journal."""
    steps = (
        ("check", True if checked else None),
        ("register", view.registered),
        ("watch", True if watched or not view.unpinned else None),
        ("pin", not view.unpinned),
        ("seal", bool(view.seal)),
    )
    return "  ".join(f"{_MARKS[done]} {step}" for step, done in steps)


def next_line(view: RunView, *, checked: bool, under_way: str, suggested: Mapping[str, str]) -> str:
    """Return what to do next."""
    if under_way:
        end = ": w ends it and keeps what was seen" if under_way == "watch" else " ..."
        return f"under way: {under_way}{end}{_ask(view, suggested) if under_way == 'watch' else ''}"
    if view.stage in {"closed", "adjudicated"}:
        return "the window is closed: nothing is left to do here"
    if not view.registered:
        return (
            "next: g registers the objectives, each told; sealing may come before or after"
            if checked
            else "next: c looks at the server; it reads only and changes nothing"
        )
    if view.unpinned:
        return _ask(view, suggested).lstrip("; ") or "next: w watches which log counter moves"
    if not view.seal:
        return "next: s seals the gate (read registration.toml once more: no change after that)"
    if view.stage == "open":
        return "all is done; esc goes back to the grid"
    return "next: esc, then c on the run's screen starts the collector, which opens the window"


def _ask(view: RunView, suggested: Mapping[str, str]) -> str:
    ready = [unit for unit in view.unpinned if unit in suggested]
    if not ready:
        return ""
    whom = "every unit" if len(ready) == len(view.units) else f"{len(ready)} units"
    return f"; a log is suggested for {whom}: p pins, after asking"
