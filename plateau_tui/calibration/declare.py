"""What the author of a contract declares about it; a declaration is exact or refused."""

from dataclasses import dataclass
from typing import Final

from plateau_tui.metric.tables import Table


@dataclass(frozen=True, slots=True)
class Declarations:
    """What is said of a contract beforehand, to be held against what is measured.

    Args:
        non_separating: a sentence that says why the contract need not separate, or None.
        attrition_checks: the milestones that are attrition, all of them and no other.
        gated_behind: the milestone that all others require, or None.
        opaque_checks: the opaque milestones, all of them and no other.
        weak_checks: the opaque milestones that other logs of inputs earn as well.

    """

    non_separating: str | None = None
    attrition_checks: tuple[str, ...] = ()
    gated_behind: str | None = None
    opaque_checks: tuple[str, ...] = ()
    weak_checks: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """Return what was declared, and nothing that was not."""
        found: dict[str, object] = {}
        if self.non_separating is not None:
            found["non_separating"] = self.non_separating
        if self.gated_behind is not None:
            found["gated_behind"] = self.gated_behind
        for key in ("attrition_checks", "opaque_checks", "weak_checks"):
            ids = getattr(self, key)
            if ids:
                found[key] = list(ids)
        return found


NOTHING_DECLARED: Final = Declarations()


def read_declarations(table: Table) -> Declarations:
    """Read declarations from a table; problems are noted in it."""
    table.known("non_separating", "attrition_checks", "gated_behind", "opaque_checks",
                "weak_checks")  # fmt: skip
    values = table.values
    return Declarations(
        non_separating=table.text("non_separating") if "non_separating" in values else None,
        attrition_checks=table.texts("attrition_checks"),
        gated_behind=table.text("gated_behind") if "gated_behind" in values else None,
        opaque_checks=table.texts("opaque_checks"),
        weak_checks=table.texts("weak_checks"),
    )
