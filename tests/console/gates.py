"""Drafts of a registration, and its screen by keys, for the tests of its form."""

import difflib
from pathlib import Path
from typing import Final

from console.apps import text_of, until
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from plateau_tui.console.screens.gate import GateScreen
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.runlog.layout import RunFolder, create_run

COMMENTED: Final = """\
# our own words at the top
schema = "plateau_registration/1"   # never changed
run_id = "p1"

# -- what differs --
variable = "novelty_gain: 0.5 against 0.0"  # SR-4
later_gates = []        # none so far

[[arms]]
role = "treatment"
label = "curiosity"     # as in the paper
kin = 10                # first
units = [
  "UNI-10-1",  # the quick one
  "UNI-10-2",  # the slow one
  "UNI-10-3",
]

[[arms]]
# the other arm
role = "control"
label = "control"       # as in the paper
kin = 11
units = ["UNI-11-1", "UNI-11-2", "UNI-11-3"]

[window]
interval_s = 600        # ten minutes
cycles = 66             # N

[gate]
k_primary = 2
k_secondary = 2         # both
margin = 0.0            # none
confidence = 0.95
interval_method = "exact_unconditional"   # valid
contrast_on = "plateau_break"
max_absent_polls = 3
wood = "baseline_only"  # as written
place = "any"
start_counts = "zero"
accept = ""             # nothing yet
# the end
"""


def lines_that_differ(before: str, after: str) -> list[str]:
    """The lines of one text that the other has not, without their marks."""
    found = difflib.ndiff(before.splitlines(), after.splitlines())
    return [line[2:] for line in found if line[:2] in {"- ", "+ "}]


def made(tmp_path: Path, text: str) -> RunFolder:
    folder = RunFolder(tmp_path / "runs" / "p1")
    create_run(folder, {"registration.toml": text}, 0o700)
    return folder


def on_disk(folder: RunFolder) -> str:
    return folder.registration.read_text(encoding="utf-8")


async def opened(pilot: Pilot[int]) -> GateScreen:
    await until(pilot, lambda: isinstance(pilot.app.screen, RunScreen))
    await until(pilot, lambda: "w Wizard" in text_of(pilot.app))
    await pilot.press("g")
    await until(pilot, lambda: isinstance(pilot.app.screen, GateScreen))
    screen = pilot.app.screen
    assert isinstance(screen, GateScreen)
    await until(pilot, lambda: screen.gate is not None)
    await pilot.pause()
    return screen


async def choose(pilot: Pilot[int], screen: GateScreen, path: str) -> None:
    assert screen.draft is not None
    place = [each.path for each in screen.draft.fields].index(path)
    screen.query_one("#fields", OptionList).highlighted = place
    await pilot.pause()


async def put(pilot: Pilot[int], screen: GateScreen, path: str, value: str) -> None:
    """Type a value into a field, and keep it."""
    await choose(pilot, screen, path)
    await pilot.press("e")
    await until(pilot, lambda: screen.query_one("#value").has_focus)
    screen.query_one("#value", Input).value = value
    await pilot.press("enter")
    await until(pilot, lambda: screen.query_one("#fields").has_focus)
