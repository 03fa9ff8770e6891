"""The claim fence (seed §0): binding, byte for byte, in every artefact built on the metric."""

from typing import Final

CLAIM_FENCE: Final = (
    "Everything this metric measures — blocks placed/used, distinct block types mined, "
    "curriculum phase, inventory snapshots, action-habit entropy, Dirichlet count growth, the"
    " novelty term W — is an operational behavioural / organisational quantity. Per "
    "docs/LAB_PROTOCOL.md:35-36 and docs/UNI_MISSION_DEEPENING.md:99-103, these are "
    "necessary-not-sufficient substrates with ZERO evidential weight for awareness / "
    "consciousness / life on their own. A PASS on this metric demonstrates the named "
    "behaviour — the agent left the hoard attractor and entered the build/diversify chain — "
    'and never experience, intent, want, curiosity-as-feeling, or "drive" in any felt sense. '
    "No field defined below is a sensation. action_entropy, W, novelty_gain, and any "
    "γ/precision float are mechanism telemetry, not inner states, and must never be narrated "
    "as such in any report, caption, or stream overlay built from this metric. We carry the "
    "receipts so that the warranted behavioural claim and the unwarranted experiential claim "
    "stay visibly separated."
)
"""Stands in verdict.json, verdict.md, the journal's first event, plots' descriptions and the
demo's summary."""

CLAIM_FENCE_SHORT: Final = (
    "Behaviour only. Zero evidential weight for awareness, consciousness or life."
)
"""The fence in short, for every screen; the full text is one key or flag away."""
