"""The page beside the sample runs: what each tells and what its answer is."""

from typing import Final

from samples.story import ANSWERS

_HEAD: Final = """\
# Sample runs

Finished runs whose answers are known. `plateau-tui verdict` gives each its answer, `plateau-tui
verify` re-derives it from the log, `plateau-tui attach` shows it in the console. `make
sample-runs` makes them anew; a test holds each to its answer.

| run | answer | row of the table | what happened |
|---|---|---|---|
"""
_TAIL: Final = """\

## P2 beside its published verdict

Published, after 15 days with six units an arm: placed totals of 8, 10, 20, 12, 14, 8 in treatment
and 16, 2, 14, 3, 34, 14 in control (72 and 83 in sum), and 13 and 15 kinds of mined block as sums
of an arm. The published verdict is FAIL. That gate was on sums: the treatment arm did not place
more than the control arm, nor mine more kinds.

This gate asks another question: which units placed at all, and which mined two kinds beyond their
farmed wood. Worked out by hand:

- PRIMARY: every unit of both arms placed a block. 6 of 6 in treatment, 6 of 6 in control. It holds.
- SECONDARY: kinds were published as sums of an arm alone. 13 kinds over six units can be two or
  more for all six, or seven for one and one or two for the rest; no unit's figure is known. It is
  not measured, in either arm.
- So row 7 (FAIL) does not apply: PRIMARY is known to hold, and "nothing to credit" would be
  untrue. Row 9 does: the control matches the treatment on PRIMARY (6 of 6 against 6 of 6), and on
  SECONDARY an unknown control unit counts as reached and an unknown treatment unit as not.
- WITHHELD, then: the cure is not shown to be the cause. Both verdicts deny the claim; this one
  for the reason that the placing was the same in both arms.

Assumed, and said so in the run: all twelve units were live, and farmed oak. Which blocks were
placed was not published: each unit's total stands under dirt.
"""


def readme_text() -> str:
    """Return the page."""
    lines = [f"| `{a.name}` | {a.answer} | {a.row} | {a.tells} |\n" for a in ANSWERS]
    return _HEAD + "".join(lines) + _TAIL
