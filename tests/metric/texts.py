"""A registration to change: one valid text and ways to spoil it."""

from plateau_tui.metric.registration import Registration, parse_registration
from plateau_tui.resources import game_ids

VALID = """\
schema = "plateau_registration/1"
run_id = "p1-curiosity"
variable = "novelty_gain: 0.5 in treatment, 0.0 in control"
later_gates = []

[[arms]]
role = "treatment"
label = "curiosity"
kin = 10
units = ["UNI-10-1", "UNI-10-2", "UNI-10-3"]

[[arms]]
role = "control"
label = "control"
kin = 11
units = ["UNI-11-1", "UNI-11-2", "UNI-11-3"]

[window]
interval_s = 600
cycles = 66

[gate]
k_primary = 2
k_secondary = 2
margin = 0.0
confidence = 0.95
interval_method = "exact_unconditional"
contrast_on = "plateau_break"
max_absent_polls = 3
wood = "baseline_only"
place = "any"
start_counts = "zero"
accept = ""

[probe]
arm_values = {treatment = "curiosity", control = "control"}
"""

EXTENSION = """
[[objectives.extend]]
name = "mine_grass"
criterion = "minecraft.mined:minecraft.grass_block"
"""


def changed(old: str, new: str, text: str = VALID) -> str:
    assert text.count(old) == 1, old
    return text.replace(old, new)


def parsed(text: str = VALID) -> Registration:
    return parse_registration(text.encode("utf-8"), game_ids())
