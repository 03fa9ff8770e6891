"""The lines of the first-poll wizard. Pure functions of what is known and a width."""

from collections.abc import Mapping

from plateau_tui.console.keys import PLAIN_KEYS, KeyNames
from plateau_tui.console.lines.text import age, pad
from plateau_tui.console.live.view import RunView
from plateau_tui.console.messages import WatchView
from plateau_tui.metric.plain import counted


def watch_lines(
    watch: WatchView, now_ms: int, width: int, keys: KeyNames = PLAIN_KEYS
) -> list[str]:
    """Return which log counter moves for which unit, and what that suggests."""
    by_hand = f"poll {watch.polls}" if watch.polls else "start reading"
    source = "the collector's rows" if watch.from_rows else by_hand
    told = f"{source}, read {age(now_ms - watch.read_ms)} ago"
    if watch.from_journal:
        told = f"the last watch, which has ended: {counted(watch.polls, 'poll')}; from the journal"
    lines = [
        f"({told})",
        f"{pad('unit', 16)} {pad('moved since the watch began', width - 36)} suggested",
        *(
            f"{pad(unit, 16)} {pad(_moved(grown), width - 36)} {watch.suggestion[unit] or '?'}"
            for unit, grown in watch.grown.items()
        ),
    ]
    if not any(n for grown in watch.grown.values() for n in grown.values()):
        calm = "nothing moved" if watch.from_journal else "nothing moves yet"
        lines += [
            f"{calm}: is a body chopping at all?",
            f"Watched: {', '.join(watch.watched)}.",
            f"Another wood? {keys['wizard.also']} adds one to the draft: {', '.join(watch.others)}",
        ]
    return lines


def _moved(grown: Mapping[str, int]) -> str:
    return ", ".join(f"{species} +{n}" for species, n in grown.items() if n) or "-"


def step_line(view: RunView, *, checked: bool, watched: bool) -> str:
    """Return which steps are done and which are to do, in words.

    A check leaves no mark in the journal: after the registration another console's is not asked
    for again.
    """
    steps = {
        "check": checked or view.registered,
        "register": view.registered,
        "watch": watched or not view.unpinned,
        "pin": not view.unpinned,
        "seal": bool(view.seal),
    }
    done = [step for step, is_done in steps.items() if is_done]
    left = [step for step, is_done in steps.items() if not is_done]
    told = (("done", done), ("to do", left))
    return "; ".join(f"{word}: {', '.join(found)}" for word, found in told if found)


def next_line(
    view: RunView,
    *,
    checked: bool,
    under_way: str,
    suggested: Mapping[str, str],
    keys: KeyNames = PLAIN_KEYS,
) -> str:
    """Return what to do next; ``keys`` are named as they are mapped."""
    watch = keys["wizard.watch"]
    if under_way == "watch":
        asked = _ask(view, suggested, keys)
        return f"under way: watch: {watch} ends it and keeps what was seen{asked}"
    if under_way:
        return f"under way: {under_way} ..."
    if view.stage in {"closed", "adjudicated"}:
        return "the window is closed: nothing is left to do here"
    if not view.registered:
        return (
            f"next: {keys['wizard.register']} registers the objectives, each told; sealing may "
            "come before or after"
            if checked
            else f"next: {keys['wizard.check']} looks at the server; it reads only and changes "
            "nothing"
        )
    if view.unpinned:
        asked = _ask(view, suggested, keys).lstrip("; ")
        return asked or f"next: {watch} watches which log counter moves"
    if not view.seal:
        once_more = "read registration.toml once more: no change after that"
        return f"next: {keys['wizard.seal']} seals the gate ({once_more})"
    back = keys["back"]
    if view.stage == "open":
        return f"all is done; {back} goes back to the grid"
    start = f"{keys['run.collect']} on the run's screen starts the collector"
    return f"next: {back}, then {start}, which opens the window"


def _ask(view: RunView, suggested: Mapping[str, str], keys: KeyNames) -> str:
    ready = [unit for unit in view.unpinned if unit in suggested]
    if not ready:
        return ""
    whom = "every unit" if len(ready) == len(view.units) else f"{len(ready)} units"
    return f"; a log is suggested for {whom}: {keys['wizard.pin']} pins, after asking"
