"""Runs everything that a calibration of a replayable target needs, and measures it."""

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass

from plateau_tui.calibration.contract import Contract
from plateau_tui.calibration.derive import derive_contract
from plateau_tui.calibration.errors import ContractError, TargetError
from plateau_tui.calibration.policies import (
    UNKNOWN_WORD,
    Policy,
    sound_walks,
    trivial_policies,
)
from plateau_tui.calibration.reference import Reference
from plateau_tui.calibration.replay import Progress, Replays, silent
from plateau_tui.calibration.report import Report, judge
from plateau_tui.calibration.scores import Played, measure
from plateau_tui.calibration.sweep import Collision, Probe, probe
from plateau_tui.calibration.target import Target

_REFERENCE = "reference"


def calibrate(
    target: Target,
    reference: Reference | None = None,
    *,
    contract: Contract | None = None,
    walks: int = 0,
    processes: int | None = None,
    progress: Progress = silent,
) -> Report:
    """Play the reference, every baseline, the walks and the sweeps; return what was measured.

    The report is the same to the byte for the same seed, however many processes play.

    Args:
        target: the game.
        reference: what is to be replayed; the target's own where None.
        contract: what is measured; derived from the reference where None.
        walks: how many walks of a sound generator stand beside the seed's baselines.
        processes: how many play; None lets the target and the machine decide.
        progress: is told how far it is, in this process and thread.

    Raises:
        TargetError: the target cannot be played here.
        ContractError: no valid contract follows from the reference, or it is another target's.

    """
    if contract is not None and contract.target != target.id:
        raise ContractError(
            f"contract {contract.target!r}",
            (f"is a contract of {contract.target}, not {target.id}",),
        )
    target.require()
    reference = target.reference() if reference is None else reference
    count = _processes(target) if processes is None else processes
    try:
        with Replays(target, reference, count) as replays:
            return _Run(target, reference, replays, progress).report(contract, walks)
    except BrokenProcessPool:
        raise TargetError(
            f"{target.id}: a process that played it died; try --processes 1 to see why"
        ) from None


def _processes(target: Target) -> int:
    if target.quick:
        return 1
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def policies_of(target: Target, reference: Reference) -> tuple[Policy, ...]:
    """Return all baselines of a target, the trivial ones first.

    Raises:
        TargetError: the vocabulary or the names of the baselines cannot be used.

    """
    words = target.vocabulary(reference)
    if not words or len(set(words)) != len(words) or UNKNOWN_WORD in words:
        raise TargetError(f"{target.id}: a vocabulary holds one or more words, each once")
    found = (
        *trivial_policies(words, len(reference.inputs), reference.seed),
        *target.baselines(reference),
    )
    if len({policy.name for policy in found}) != len(found):
        raise TargetError(f"{target.id}: two baselines have the same name")
    return found


@dataclass
class _Run:
    """One calibration while it runs."""

    target: Target
    reference: Reference
    replays: Replays
    progress: Progress
    done: int = 0
    total: int = 1

    def report(self, contract: Contract | None, walks: int) -> Report:
        policy = Policy(_REFERENCE, self.reference.inputs)
        trajectory = self.replays.trajectory(policy)
        if contract is None:
            contract = derive_contract(self.target.id, self.reference.rules, trajectory)
        played = measure(_REFERENCE, contract, trajectory)
        words = self.target.vocabulary(self.reference)
        baselines = policies_of(self.target, self.reference)
        walked = sound_walks(words, len(self.reference.inputs), self.reference.seed, walks)
        probes = self._probes(contract, played, words)
        logs = _distinct(policy for p in probes for policy in p.policies)
        self.total = 2 + len(baselines) + len(walked) + len(logs)
        self._told(_REFERENCE)(1)
        return judge(
            contract,
            [played],
            self.replays.measure(contract, baselines, self._told("baselines")),
            walks=self.replays.measure(contract, walked, self._told("walks")),
            collisions=self._sweep(contract, probes, logs),
            seed=self.reference.seed,
            vocabulary=words,
            deterministic=self._again(policy) == trajectory.digest(),
        )

    def _again(self, policy: Policy) -> str:
        digest = self.replays.trajectory(policy).digest()
        self._told("reference again")(1)
        return digest

    def _told(self, what: str) -> Callable[[int], None]:
        def told(runs: int) -> None:
            self.done += runs
            self.progress(self.done, self.total, what)

        return told

    def _probes(self, contract: Contract, played: Played, words: Sequence[str]) -> list[Probe]:
        return [
            probe(i, self.reference.inputs[: played.first_pass[i]], words, self.target.sweep_cap)
            for i in contract.opaque
            if i in played.first_pass
        ]

    def _sweep(
        self, contract: Contract, probes: Sequence[Probe], logs: Sequence[Policy]
    ) -> list[Collision]:
        """Play each log once, also where it serves several milestones."""
        found = self.replays.measure(contract, logs, self._told("sweep"))
        by_log = {log.inputs: run for log, run in zip(logs, found, strict=True)}
        survivors = [p.survivors([by_log[log.inputs] for log in p.policies]) for p in probes]
        joint = [p.joint_policy(s) for p, s in zip(probes, survivors, strict=True)]
        both = _distinct(log for log in joint if log is not None)
        self.total += len(both)
        found = self.replays.measure(contract, both, self._told("sweep"))
        by_log = {log.inputs: run for log, run in zip(both, found, strict=True)}
        return [
            p.result(s, joint=log is not None and p.milestone in by_log[log.inputs].first_pass)
            for p, s, log in zip(probes, survivors, joint, strict=True)
        ]


def _distinct(policies: Iterable[Policy]) -> list[Policy]:
    return list({policy.inputs: policy for policy in policies}.values())
