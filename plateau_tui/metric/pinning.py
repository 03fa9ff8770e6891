"""Which log species is a unit's BASELINE_WOOD (seed §2a): the evidence and the rule."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from plateau_tui.metric.objectives import LOG_SPECIES
from plateau_tui.metric.scoring import Counter, known

_LOGS: Final = frozenset(LOG_SPECIES)


@dataclass
class WoodGrowth:
    """How often each log counter of one unit moved, over its readings in their order.

    ``level`` is the last known count; ``grown`` sums the rises between readings, so that a
    counter that fell (a rollback) takes nothing back.
    """

    level: dict[str, int]
    grown: dict[str, int]

    @classmethod
    def empty(cls) -> "WoodGrowth":
        """Return the growth of a unit without a reading."""
        return cls({}, {})

    def add(self, mined: Mapping[str, Counter]) -> None:
        """Take in the next reading: counts by bare block id; only logs are looked at."""
        for species, raw in mined.items():
            count = known(raw)
            if count is None or species not in _LOGS:
                continue
            rise = count - self.level.get(species, count)
            self.grown[species] = self.grown.get(species, 0) + max(rise, 0)
            self.level[species] = count

    def evidence(self) -> dict[str, int]:
        """Return the rise of each log seen; where none rose, the counts as they stand."""
        return dict(self.grown if any(self.grown.values()) else self.level)


def leading_wood(evidence: Mapping[str, int]) -> tuple[str, ...]:
    """Return the species that grew most: several in a tie, none when nothing grew."""
    most = max(evidence.values(), default=0)
    return tuple(sorted(s for s, n in evidence.items() if n == most)) if most > 0 else ()


def suggested_wood(evidence: Mapping[str, int]) -> str | None:
    """Return the one species that grew most; None for a tie or when nothing grew."""
    leading = leading_wood(evidence)
    return leading[0] if len(leading) == 1 else None


def evidence_against(species: str, evidence: Mapping[str, int]) -> tuple[str, ...]:
    """Return the species that grew more than ``species`` did; none where the pin is in order."""
    leading = leading_wood(evidence)
    return () if species in leading else leading
