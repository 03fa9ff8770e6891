"""Asking which species to pin, with what the evidence suggests already filled in."""

from collections.abc import Mapping

from textual.app import App

from plateau_tui.collector.pins import PinRequest
from plateau_tui.console.live.view import RunView
from plateau_tui.console.screens.dialogs import Ask
from plateau_tui.metric.pinning import suggested_wood


def suggestion(view: RunView) -> dict[str, str]:
    """Return unit -> species: what its own rows suggest, else what the last watch did."""
    rows = {u.name: s for u in view.units if (s := suggested_wood(u.woods)) is not None}
    return view.watched | rows


def pin_request(text: str, suggested: Mapping[str, str], by: str) -> PinRequest:
    """Return the request that a line means: nothing, a species, ``UNI=species`` words, or both.

    What stands behind ``anyway:`` is why the evidence is not followed.
    """
    text, _, anyway = text.partition("anyway:")
    words = text.replace(",", " ").split()
    by_unit = dict(word.split("=", 1) for word in words if "=" in word)
    single = next((word for word in words if "=" not in word), None)
    return PinRequest(single, by_unit if words else dict(suggested), anyway.strip(), by)


async def ask_pin(app: App[int], suggested: Mapping[str, str], by: str) -> PinRequest | None:
    """Ask for a species or ``UNI=species`` words; empty takes the suggestion, None leaves."""
    told = ", ".join(f"{unit} {species}" for unit, species in suggested.items())
    if len(set(suggested.values())) == 1:
        told = f"{next(iter(suggested.values()))} for {', '.join(suggested)}"
    meaning = (
        "One species for all units, or words like UNI-11-2=birch_log, or both. "
        + (f"Suggested: {told}. Enter alone takes that. " if told else "Nothing moved yet. ")
        + "Against the watch: add anyway: and why. "
        + "Once the window is open only the log that grew most in a unit's own rows is accepted."
    )
    text = await app.push_screen_wait(Ask("Pin BASELINE_WOOD", meaning))
    return None if text is None else pin_request(text, suggested, by)
