"""What a calibration found: pure functions of what was played.

``judge`` takes runs that were measured against one contract: references that are meant to earn
it, baselines that play without looking, walks beside them. Everything in a report follows from
these, whatever they were played on.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from plateau_tui.calibration.collapse import Collapse, collapse_of
from plateau_tui.calibration.contract import Contract
from plateau_tui.calibration.frozenmap import FrozenMap
from plateau_tui.calibration.headroom import AboveTop, above_top
from plateau_tui.calibration.motion import Motion, attrition, joined_motion, unmeasured
from plateau_tui.calibration.scores import Played, Score, score_achievements, score_milestones
from plateau_tui.calibration.sweep import Collision


@dataclass(frozen=True)
class Report:
    """What was measured. Build it with ``judge``.

    ``deterministic`` says whether a second replay of the reference published the same; None
    where nothing was replayed (a recorded run). ``baselines`` are those of the seed's verdict;
    ``walks`` stand beside it and change nothing in it.
    """

    contract: Contract
    references: tuple[Played, ...]
    baselines: tuple[Played, ...]
    walks: tuple[Played, ...]
    collisions: tuple[Collision, ...]
    seed: int | None
    vocabulary: tuple[str, ...]
    deterministic: bool | None

    @cached_property
    def motion(self) -> FrozenMap[str, Motion]:
        """How every channel moved over all references and baselines, by channel."""
        return FrozenMap(joined_motion(r.motion for r in (*self.references, *self.baselines)))

    @cached_property
    def attrition(self) -> tuple[str, ...]:
        """The milestones that are earned by losing something."""
        return attrition(self.contract, self.motion)

    @cached_property
    def attrition_with_walks(self) -> tuple[str, ...]:
        """The same where the walks' motion counts as well: a walk may repair what others lose."""
        walked = joined_motion([self.motion, *(walk.motion for walk in self.walks)])
        return attrition(self.contract, walked)

    @cached_property
    def unmeasured(self) -> tuple[str, ...]:
        """The milestones that no numeric channel speaks for."""
        return unmeasured(self.contract, self.motion)

    @cached_property
    def achievements(self) -> tuple[str, ...]:
        """The milestones that are no attrition."""
        return tuple(i for i in self.contract.ids if i not in self.attrition)

    @cached_property
    def legible_achievements(self) -> tuple[str, ...]:
        """The achievements that a reader can check."""
        return tuple(i for i in self.achievements if i not in self.contract.opaque)

    @cached_property
    def trivial(self) -> tuple[str, ...]:
        """The milestones that at least one baseline earned."""
        return tuple(i for i in self.contract.ids if self.baselines_with(i))

    @cached_property
    def separating(self) -> tuple[str, ...]:
        """The legible achievements that a reference earned and no baseline did."""
        return self._out_of_reach(self.legible_achievements)

    @cached_property
    def attrition_separating(self) -> tuple[str, ...]:
        """The legible attrition that a reference earned and no baseline did: no separation."""
        return self._out_of_reach([i for i in self.contract.legible if i in self.attrition])

    @cached_property
    def strongest(self) -> Played:
        """The reference that earned most legible achievements; the first of equal ones."""
        return max(self.references, key=lambda run: _count(run, self.legible_achievements))

    @cached_property
    def reference_score(self) -> Score:
        """How far the strongest reference got."""
        return score_milestones(self.contract, self.strongest.earned)

    @cached_property
    def achievement_score(self) -> Score:
        """How well the strongest reference did."""
        return score_achievements(self.contract, self.attrition, self.strongest.earned)

    @cached_property
    def best_baseline(self) -> tuple[int, tuple[str, ...]]:
        """The most achievements of any baseline, opaque ones too, and which baselines got them."""
        counts = {run.name: _count(run, self.achievements) for run in self.baselines}
        most = max(counts.values(), default=0)
        return most, tuple(name for name, n in counts.items() if most and n == most)

    @cached_property
    def best_legible(self) -> int:
        """The most legible achievements of any baseline: what the reference must beat."""
        return max((_count(run, self.legible_achievements) for run in self.baselines), default=0)

    @cached_property
    def legible_score(self) -> int:
        """How many legible achievements the strongest reference earned."""
        return _count(self.strongest, self.legible_achievements)

    @cached_property
    def separates(self) -> bool:
        """Some legible achievement is out of reach, and the reference earns more of them."""
        return bool(self.separating) and self.legible_score > self.best_legible

    @cached_property
    def collapse(self) -> Collapse:
        """How much of the contract hangs off one milestone."""
        return collapse_of(self.contract, self.strongest, self.baselines)

    @cached_property
    def unearned(self) -> tuple[str, ...]:
        """The milestones that no reference earned."""
        return tuple(
            i for i in self.contract.ids if not any(i in r.first_pass for r in self.references)
        )

    @cached_property
    def weak(self) -> tuple[str, ...]:
        """The opaque milestones that other logs of inputs earn as well."""
        return tuple(c.milestone for c in self.collisions if c.collisions)

    @cached_property
    def above_top(self) -> tuple[AboveTop, ...]:
        """The channels that went above all that the contract asks for."""
        return above_top(self.contract, self.attrition, self.motion)

    @cached_property
    def scoring_baselines(self) -> tuple[str, ...]:
        """The baselines that earned any achievement."""
        return tuple(run.name for run in self.baselines if _count(run, self.achievements))

    @cached_property
    def separating_under_walks(self) -> tuple[str, ...]:
        """The separating milestones that no walk earned either."""
        return tuple(i for i in self.separating if not self.walks_with(i))

    def references_with(self, milestone: str) -> int:
        """Return how many references earned a milestone."""
        return sum(milestone in run.first_pass for run in self.references)

    def baselines_with(self, milestone: str) -> tuple[str, ...]:
        """Return the baselines that earned a milestone, in their order."""
        return tuple(run.name for run in self.baselines if milestone in run.first_pass)

    def walks_with(self, milestone: str) -> int:
        """Return how many walks earned a milestone."""
        return sum(milestone in run.first_pass for run in self.walks)

    def _out_of_reach(self, ids: Sequence[str]) -> tuple[str, ...]:
        return tuple(i for i in ids if self.references_with(i) and not self.baselines_with(i))


def judge(
    contract: Contract,
    references: Sequence[Played],
    baselines: Sequence[Played],
    *,
    walks: Sequence[Played] = (),
    collisions: Sequence[Collision] = (),
    seed: int | None = None,
    vocabulary: Sequence[str] = (),
    deterministic: bool | None = None,
) -> Report:
    """Return what follows from runs that were measured against one contract.

    Raises:
        ValueError: there is no reference.

    """
    if not references:
        raise ValueError("a report needs at least one reference")
    return Report(
        contract=contract,
        references=tuple(references),
        baselines=tuple(baselines),
        walks=tuple(walks),
        collisions=tuple(collisions),
        seed=seed,
        vocabulary=tuple(vocabulary),
        deterministic=deterministic,
    )


def _count(run: Played, ids: Collection[str]) -> int:
    return sum(i in run.first_pass for i in ids)
