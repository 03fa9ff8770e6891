"""From a reference's rules and its trajectory to a contract: sample where the milestone opens."""

from plateau_tui.calibration.contract import (
    Check,
    Contract,
    EventCheck,
    FrameCheck,
    Milestone,
    NumberCheck,
    SaveCheck,
    compare,
)
from plateau_tui.calibration.errors import ContractError
from plateau_tui.calibration.evidence import Snapshot, Trajectory
from plateau_tui.calibration.reference import Rule

_GROUP = {"number": "engine", "frame-path": "screen", "save-path": "save"}


def derive_contract(target: str, rules: tuple[Rule, ...], reference: Trajectory) -> Contract:
    """Return the contract that the rules sample from the reference.

    Raises:
        ContractError: a milestone never opens, nothing can be sampled where it does, or what
            came out is no valid contract.

    """
    problems: list[str] = []
    milestones: list[Milestone] = []
    for rule in rules:
        try:
            check = _check(rule, reference)
        except ValueError as error:
            problems.append(f"{rule.id}: {error}")
        else:
            milestones.append(Milestone(rule.id, rule.tier, check, rule.requires))
    if problems:
        raise ContractError(f"reference of {target}", tuple(problems))
    return Contract(target, tuple(milestones))


def _check(rule: Rule, reference: Trajectory) -> Check:
    after = _opening(rule, reference)
    shot = reference.snapshots[after]
    if rule.sample == "event":
        event = rule.event or ""
        if event not in shot.events:
            raise ValueError(f"the log has no event {event!r} after {after} inputs")
        return EventCheck(event)
    if rule.sample == "frame-hash":
        return FrameCheck(_published(shot.screen, "screen", after))
    if rule.sample == "save-hash":
        return SaveCheck(_published(shot.save, "saved state", after))
    channel = f"{_GROUP[rule.sample]}.{rule.path}"
    value = shot.numbers.get(channel)
    if value is None:
        raise ValueError(f"channel {channel} is not published after {after} inputs")
    check = NumberCheck(channel, rule.op, value if rule.value is None else rule.value)
    if not check.holds(shot):
        raise ValueError(
            f"{channel} is {value} after {after} inputs, where {rule.op} {check.value} should hold"
        )
    return check


def _published(digest: str | None, what: str, after: int) -> str:
    if digest is None:
        raise ValueError(f"no hash of the {what} is published after {after} inputs")
    return digest


def _opening(rule: Rule, reference: Trajectory) -> int:
    """Return the number of inputs after which the milestone opens on the reference."""
    if rule.after is not None:
        if rule.after >= len(reference.snapshots):
            raise ValueError(
                f"opens after {rule.after} inputs, and the reference has only "
                f"{len(reference.snapshots) - 1}"
            )
        return rule.after
    for after, shot in enumerate(reference.snapshots):
        if _opens(rule, shot):
            return after
    if rule.trigger is None:
        raise ValueError(f"the reference never logs the event {rule.event!r}")
    trigger = rule.trigger
    raise ValueError(f"the reference never reaches {trigger.variable} {trigger.op} {trigger.bound}")


def _opens(rule: Rule, shot: Snapshot) -> bool:
    if rule.trigger is None:
        return rule.event in shot.events
    value = shot.numbers.get(f"engine.{rule.trigger.variable}")
    return value is not None and compare(value, rule.trigger.op, rule.trigger.bound)
