"""The draft of a registration, with comments that say what each line decides."""

from collections.abc import Sequence


def draft_text(run_id: str, units_per_arm: int) -> str:
    """Return the text of a draft ``registration.toml`` for arms of this size."""
    treatment = _names(10, units_per_arm)
    control = _names(11, units_per_arm)
    return _TEMPLATE.format(
        run_id=run_id, treatment=treatment, control=control, k=max(1, (units_per_arm * 2 + 2) // 3)
    )


def _names(kin: int, count: int) -> str:
    names: Sequence[str] = [f'"UNI-{kin}-{number}"' for number in range(1, count + 1)]
    return ", ".join(names)


_TEMPLATE = """\
# The pre-registered gate of one run. Fill in the numerals before the run, then:
#   plateau-tui seal RUN
# After the seal nothing in this file may change: a changed gate is WITHHELD.
schema = "plateau_registration/1"
run_id = "{run_id}"

# The one variable in which the arms differ (SR-4).
variable = "novelty_gain: 0.5 in treatment, 0.0 in control"

# Later gates whose structure was borrowed for this run; they stay OPEN (SR-3).
later_gates = []

# The i-th unit of one arm is paired with the i-th of the other, for good.
[[arms]]
role = "treatment"
label = "curiosity"
kin = 10
units = [{treatment}]

[[arms]]
role = "control"
label = "control"
kin = 11
units = [{control}]

[window]
interval_s = 600        # seconds between polls; slots are multiples of it in UTC
cycles = 66             # N, the window in polls

# `seal` says what this gate can come to, and refuses one that cannot pass or cannot fail. Three
# pairs cannot pass at 0.95: with 3 of 3 pairs favourable the interval still begins at -0.4152. Six
# pairs can (five at 0.90), and eight with margin 0.2. Fewer pairs can be sealed by a sentence in
# `accept`, as an observation that cannot PASS; on a gate that can, `accept` stays empty.
[gate]
k_primary = {k}           # so many live treatment units must place a block
k_secondary = {k}         # and so many of them mine two kinds beyond their farmed wood
margin = 0.0            # the paired difference must exceed this, and so must its interval
confidence = 0.95
interval_method = "exact_unconditional"   # or exact_melded; or, erring more often than claimed:
                        # tango, bonett_price, agresti_min, newcombe10
contrast_on = "plateau_break"   # or "primary": asked as well, never instead
max_absent_polls = 3    # a unit absent from `list` for more polls in a row is not live
wood = "baseline_only"  # or "all_logs", the stricter reading of SECONDARY
place = "any"           # or "beyond_table", the stricter reading of PRIMARY
start_counts = "zero"   # or "offset": subtract what the counters stood at when registered
accept = ""             # the sentence with which an infeasible gate is sealed all the same

# Which tag of the probe proves the arm (optional).
# [probe]
# arm_values = {{treatment = "curiosity", control = "control"}}

# More objectives, as context; never scored (optional, before the seal).
# [[objectives.extend]]
# name = "mine_grass"
# criterion = "minecraft.mined:minecraft.grass_block"
"""
