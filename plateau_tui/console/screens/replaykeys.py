"""The keys of all screens of a replay, by the names of these: config.toml may set them."""

from typing import Final

from textual.binding import BindingType

from plateau_tui.console.screens.pairs import PairsScreen
from plateau_tui.console.screens.plots import PlotsScreen
from plateau_tui.console.screens.replay import ReplayScreen
from plateau_tui.console.screens.replayjournal import JOURNAL
from plateau_tui.console.screens.replayparts import ALONG
from plateau_tui.console.screens.replayunit import ReplayUnitScreen

SCREENS: Final[dict[str, list[BindingType]]] = {
    "replay": ReplayScreen.BINDINGS,
    "replayed unit": ReplayUnitScreen.BINDINGS,
    "replayed plots": [*PlotsScreen.BINDINGS, *ALONG],
    "replayed pairs": [*PairsScreen.BINDINGS, *ALONG],
    "replayed journal": JOURNAL,
}
