"""How much of a contract hangs off one milestone (seed, "What changed", C)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from plateau_tui.calibration.contract import Contract
from plateau_tui.calibration.scores import Played


@dataclass(frozen=True, slots=True)
class Collapse:
    """The milestone that the largest share requires, and what opens at one moment.

    Args:
        prerequisite: that milestone; None where no milestone requires another.
        gated: how many milestones require it, itself included.
        total: all milestones of the contract.
        earned_by: the baselines that reach the prerequisite, in their order.
        together: the largest set of milestones that first pass at one input of the reference,
            the earlier of equally large ones; empty where no two do.
        together_after: the inputs consumed then; None where no two do.

    """

    prerequisite: str | None
    gated: int
    total: int
    earned_by: tuple[str, ...]
    together: tuple[str, ...]
    together_after: int | None

    @property
    def collapses(self) -> bool:
        """Every milestone requires one and the same."""
        return self.prerequisite is not None and self.gated == self.total


def collapse_of(contract: Contract, reference: Played, baselines: Sequence[Played]) -> Collapse:
    """Return how the contract collapses."""
    gated = {i: sum(i in behind for behind in contract.closure.values()) for i in contract.ids}
    most = max(gated.values())
    prerequisite = next((i for i in contract.ids if most and gated[i] == most), None)
    together, after = _together(reference.first_pass)
    return Collapse(
        prerequisite=prerequisite,
        gated=most + 1 if most else 0,
        total=len(contract.ids),
        earned_by=tuple(b.name for b in baselines if prerequisite in b.first_pass),
        together=together,
        together_after=after,
    )


def _together(first_pass: Mapping[str, int]) -> tuple[tuple[str, ...], int | None]:
    at: dict[int, list[str]] = {}
    for milestone, after in first_pass.items():
        at.setdefault(after, []).append(milestone)
    for after, ids in sorted(at.items(), key=lambda item: (-len(item[1]), item[0])):
        if len(ids) > 1:
            return tuple(ids), after
    return (), None
