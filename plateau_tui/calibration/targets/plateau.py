"""The plateau metric as a contract, beside the gate that it replaces (metric seed, §1, §2c, §4).

``plateau-break`` is §2c as written; the others are the stricter readings that a registration may
name, one by one and both at once. ``phase-goal-3`` is the old gate over the body's own report.
All are played over the same ground with the same words, and against the same hoarders: so what
§4 says of hoarding is measured here and not asserted.

The words lead to soil and, through a table and a pickaxe, to stone, the next material. Those for
sand and gravel are left out, as these count by hand: with them the cycle of all words reaches
both halves under every reading. A reference that names them among its ``words`` measures that.
"""

from itertools import chain, cycle, islice
from typing import ClassVar, Final

from plateau_tui.calibration.errors import TargetError
from plateau_tui.calibration.policies import Policy
from plateau_tui.calibration.reference import Reference
from plateau_tui.calibration.target import Game, LeftOut, Target
from plateau_tui.calibration.targets.plateau_world import Ground, PlateauWorld
from plateau_tui.metric.scoring import PlaceReading, WoodReading
from plateau_tui.sim.words import WORDS

BY_HAND: Final = ("mine_sand", "mine_gravel")
_BY_HAND_WHY: Final = (
    "blocks that lie about count by hand, and with these words round-robin earns both halves under "
    "every reading; a reference that names its words measures it"
)
_SAME_WORDS: Final = "plateau-break leaves them out, and both are to be played with the same words"
_OTHER_WORDS: Final = "the reference names its words, and not these"
VOCABULARY: Final = tuple(word for word in WORDS if word not in BY_HAND)

MIXED_FOREST: Final = ("oak", "birch", "spruce")

GROUNDS: Final = {
    "": Ground(),
    "standing-table": Ground(table=True),
    "mixed-forest": Ground(MIXED_FOREST),
    "mixed-forest-standing-table": Ground(MIXED_FOREST, table=True),
}
"""Ground by a policy's setting; the reference and the trivial policies play on the first."""

_TWO_PICKAXES: Final = ("craft_sticks", "craft_pickaxe", "craft_pickaxe")
_OWN_TABLE: Final = (
    *["chop_oak"] * 3, *["craft_planks"] * 3, "craft_table", "place_table", *_TWO_PICKAXES,
)  # fmt: skip
_STANDING_TABLE: Final = (*["chop_oak"] * 2, *["craft_planks"] * 2, *_TWO_PICKAXES)
_HOARD: Final = (*["chop_oak"] * 8, *["craft_planks"] * 2, *_TWO_PICKAXES)
_MIXED_HOARD: Final = (
    *["chop_oak"] * 4, *["chop_birch"] * 2, *["chop_spruce"] * 2,
    *["craft_planks"] * 2, *_TWO_PICKAXES,
)  # fmt: skip

_BASELINES: Final = {
    "idle": ("", (), ("wait",)),
    "hoarder-own-table": ("", _OWN_TABLE, _HOARD),
    "hoarder-standing-table": ("standing-table", _STANDING_TABLE, _HOARD),
    "mixed-forest-hoarder": ("mixed-forest", _OWN_TABLE, _MIXED_HOARD),
    "mixed-forest-hoarder-standing-table": (
        "mixed-forest-standing-table", _STANDING_TABLE, _MIXED_HOARD,
    ),
}  # fmt: skip
"""Name -> setting, the words it begins with, the words it repeats from then on.

A hoarder chops, crafts pickaxes and stockpiles both; a pickaxe needs a placed table, so without
a standing one it places its own, once. In a mixed forest it chops two other species as well.
"""


class PlateauBreak(Target):
    """PRIMARY, SECONDARY and plateau_break by §2c as written."""

    id: ClassVar[str] = "plateau-break"
    title: ClassVar[str] = "plateau-break (§2c)"
    wood: ClassVar[WoodReading] = "baseline_only"
    place: ClassVar[PlaceReading] = "any"
    why_left_out: ClassVar[str] = _BY_HAND_WHY

    def vocabulary(self, reference: Reference) -> tuple[str, ...]:
        """Return the words that the reference names as ``words``; ``VOCABULARY`` by default.

        Raises:
            TargetError: one is no word of ``sim``.

        """
        words = reference.settings.get("words", list(VOCABULARY))
        if not isinstance(words, list) or any(word not in WORDS for word in words):
            raise TargetError(f"{self.id}: words must be a list of some of: {', '.join(WORDS)}")
        return tuple(words)

    def left_out(self, reference: Reference) -> LeftOut | None:
        """Return the words that are not played, and whose choice that is."""
        played = self.vocabulary(reference)
        words = tuple(word for word in WORDS if word not in played)
        why = _OTHER_WORDS if "words" in reference.settings else self.why_left_out
        return LeftOut(words, len(WORDS), why) if words else None

    def open(self, reference: Reference, setting: str) -> Game:
        """Open a world on the setting's ground."""
        del reference
        return PlateauWorld(GROUNDS[setting], self.wood, self.place)

    def baselines(self, reference: Reference) -> tuple[Policy, ...]:
        """Return the idler and the hoarders, as long as the reference."""
        length = len(reference.inputs)
        return tuple(
            Policy(name, tuple(islice(chain(opening, cycle(round_)), length)), setting)
            for name, (setting, opening, round_) in _BASELINES.items()
        )


class BeyondTable(PlateauBreak):
    """The stricter reading of PRIMARY: the crafting table does not count."""

    id: ClassVar[str] = "plateau-break-beyond-table"
    title: ClassVar[str] = "plateau-break, place = beyond_table"
    place: ClassVar[PlaceReading] = "beyond_table"


class AllLogs(PlateauBreak):
    """The stricter reading of SECONDARY: no log counts, of whatever species."""

    id: ClassVar[str] = "plateau-break-all-logs"
    title: ClassVar[str] = "plateau-break, wood = all_logs"
    wood: ClassVar[WoodReading] = "all_logs"


class Strict(PlateauBreak):
    """Both stricter readings at once."""

    id: ClassVar[str] = "plateau-break-strict"
    title: ClassVar[str] = "plateau-break, both stricter readings"
    wood: ClassVar[WoodReading] = "all_logs"
    place: ClassVar[PlaceReading] = "beyond_table"


class PhaseGoal3(PlateauBreak):
    """The gate that was replaced: wood >= 8 and tools >= 1, as the body itself reports them.

    It declares nothing, and is refused: a hoarder earns all of it (metric seed, §1).
    """

    id: ClassVar[str] = "phase-goal-3"
    title: ClassVar[str] = "phase-goal-3 (the old gate)"
    why_left_out: ClassVar[str] = _SAME_WORDS
