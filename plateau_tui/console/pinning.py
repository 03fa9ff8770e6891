"""Asking which species to pin: who lacks a pin, what the evidence suggests, what it refuses."""

from collections.abc import Iterator, Mapping, Sequence

from textual.app import App

from plateau_tui.collector.pins import PinCase, PinRequest, judged_pins
from plateau_tui.collector.run import DeclinedError
from plateau_tui.console.jobs import console_words
from plateau_tui.console.keys import PLAIN_KEYS, KeyNames
from plateau_tui.console.lines.watch import has_moved
from plateau_tui.console.live.view import RunView
from plateau_tui.console.messages import WatchView
from plateau_tui.console.screens.base import key_names
from plateau_tui.console.screens.dialogs import Ask
from plateau_tui.console.screens.following import FollowingScreen
from plateau_tui.metric.pinning import evidence_against, leading_wood, suggested_wood
from plateau_tui.metric.plain import out_of

_OVER = "The window is closed: a pin can no longer be made."
_HOW = "Type one species for all units, or words like UNI-11-2=birch_log, or both."
_BEFORE = (
    "Against the watch: add anyway: and why. Once the window is open only the log that grew most "
    "in a unit's own rows is accepted."
)
_NAMED = 3
"""More units of a species are a number in the first line, which must be in sight."""
_NO_HARM = (
    "That is disclosed and voids nothing; with the other log pinned SECONDARY is decided anew, "
    "from all rows."
)
_IN_WINDOW = (
    "The window is open: only the log that grew most in a unit's own rows is accepted; in a tie "
    "any of those, and where none grew any log that is counted."
)


def pin_case(view: RunView, watch: WatchView | None = None) -> PinCase:
    """Return what the collector will judge a pin by, as far as the console knows it.

    ``watch`` is one of this console's, which its end writes into the journal.
    """
    in_window = view.stage == "open" or view.rows > 0
    seen = view.watched_growth if watch is None else watch.grown
    return PinCase(
        units=tuple(unit.name for unit in view.units),
        logs=view.logs,
        evidence={unit.name: unit.woods for unit in view.units} if in_window else seen,
        in_window=in_window,
    )


def suggestion(view: RunView, watch: WatchView | None = None) -> dict[str, str]:
    """Return unit -> species, of those that lack a pin or whose pin the evidence contradicts.

    What a unit's own rows suggest once there are some, else what the last watch did.
    """
    evidence = pin_case(view, watch).evidence
    found = {}
    for unit in view.units:
        seen = evidence.get(unit.name, {})
        species = suggested_wood(seen) or view.watched.get(unit.name)
        needs = unit.baseline is None or evidence_against(unit.baseline, seen)
        if species and needs and not evidence_against(species, seen):
            found[unit.name] = species
    return found


def pin_request(text: str, suggested: Mapping[str, str], by: str) -> PinRequest:
    """Return the request that a line means: nothing, a species, ``UNI=species`` words, or both.

    What stands behind ``anyway:`` is why the evidence is not followed.
    """
    text, _, anyway = text.partition("anyway:")
    words = text.replace(",", " ").split()
    by_unit = dict(word.split("=", 1) for word in words if "=" in word)
    # Two species for all units are none that can be pinned, and neither may win by its place.
    single = " ".join(word for word in words if "=" not in word)
    return PinRequest(single or None, by_unit if words else dict(suggested), anyway.strip(), by)


def pin_problem(
    text: str, suggested: Mapping[str, str], case: PinCase, keys: KeyNames = PLAIN_KEYS
) -> str:
    """Return why a line as it stands will be refused, or nothing: the collector's own rule."""
    try:
        judged_pins(pin_request(text, suggested, ""), case)
    except DeclinedError as error:
        return console_words(str(error), keys)
    return ""


def pin_meaning(view: RunView, suggested: Mapping[str, str], case: PinCase) -> Iterator[str]:
    """Yield what is told before a pin is typed: what enter alone would do comes first."""
    if view.stage in {"closed", "adjudicated"}:
        yield _OVER
        return
    if suggested:
        yield f"Enter alone pins {_grouped(suggested, _NAMED)}."
    lacking = view.unpinned
    if lacking:
        yield f"Not pinned: {out_of(len(lacking), len(view.units), 'unit')}."
        live = [unit.name for unit in view.units if unit.baseline is None and view.is_live(unit)]
        so = f": {', '.join(live)}" if case.in_window and live else ""
        yield f"Whoever is live without a pin makes the verdict WITHHELD{so}."
    else:
        yield "Every unit is pinned."
    silent = [unit for unit in lacking if unit not in suggested]
    if silent and not has_moved(case.evidence):
        yield "Nothing moved yet."
    elif silent:
        yield f"Nothing is suggested for {'; '.join(_why_silent(silent, case))}."
    if _grouped(suggested) != _grouped(suggested, _NAMED):
        yield f"Suggested: {_grouped(suggested)}."
    doubted = [unit for unit in view.units if unit.baseline and unit.name in suggested]
    if doubted:
        against = _grouped({unit.name: unit.baseline or "" for unit in doubted})
        counts = case.in_window and all(unit.pin_confirmed for unit in doubted)
        harm = f" {_NO_HARM}" if counts else ""
        yield f"Pinned now, though another log grew more: {against}.{harm}"
    yield f"{_HOW} {_IN_WINDOW if case.in_window else _BEFORE}"


def _why_silent(units: Sequence[str], case: PinCase) -> Iterator[str]:
    leading = {unit: leading_wood(case.evidence.get(unit, {})) for unit in units}
    still = [unit for unit, woods in leading.items() if not woods]
    if still:
        yield f"{', '.join(still)}, where no log grew"
    for unit, woods in leading.items():
        if woods:
            yield f"{unit}, where {' and '.join(woods)} grew alike"


def _grouped(pins: Mapping[str, str], most: int | None = None) -> str:
    """Return each species and for which units, or for how many where they are more than so many."""
    units = {each: [unit for unit, one in pins.items() if one == each] for each in pins.values()}
    return "; ".join(
        f"{species} for {', '.join(of) if most is None or len(of) <= most else f'{len(of)} units'}"
        for species, of in units.items()
    )


async def ask_pin(
    app: App[int], suggested: Mapping[str, str], by: str, watch: WatchView | None = None
) -> PinRequest | None:
    """Ask for a species or ``UNI=species`` words; empty takes the suggestion, None leaves."""
    screen = app.screen
    view = screen.view if isinstance(screen, FollowingScreen) else None
    if view is None:
        text = await app.push_screen_wait(Ask("Pin BASELINE_WOOD", _HOW))
        return None if text is None else pin_request(text, suggested, by)
    case, keys = pin_case(view, watch), key_names(screen)
    meaning = "\n".join(pin_meaning(view, suggested, case))
    question = Ask(
        "Pin BASELINE_WOOD",
        meaning,
        refusal=lambda text: pin_problem(text, suggested, case, keys),
    )
    text = await app.push_screen_wait(question)
    return None if text is None else pin_request(text, suggested, by)
