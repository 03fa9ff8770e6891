"""The one way from a contract to a packaged contract: calibrate it, and have nothing against it.

Calibration that may be left out is a gate that nothing has to pass (seed, "What changed", B).
"""

from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Final, Never, NoReturn, Self, final
from weakref import WeakKeyDictionary

from plateau_tui.calibration.calibrate import calibrate
from plateau_tui.calibration.contract import Contract
from plateau_tui.calibration.declare import Declarations
from plateau_tui.calibration.findings import Finding, findings
from plateau_tui.calibration.reference import Reference
from plateau_tui.calibration.replay import Progress, silent
from plateau_tui.calibration.report import Report
from plateau_tui.calibration.target import Target


class CalibrationRefusedError(ValueError):
    """A contract that was measured and refused; it carries what was found and what measured."""

    exit_code = 1

    def __init__(self, target: str, found: tuple[Finding, ...], report: Report) -> None:
        self.target = target
        self.findings = found
        self.report = report
        super().__init__(target, found, report)

    def __str__(self) -> str:
        return f"{self.target} is refused: " + "; ".join(finding.text for finding in self.findings)


@final
class PackagedContract:
    """A contract with the calibration that justified it. Only ``calibrate`` makes one.

    The constructor takes an argument of a type that has no value: a direct construction fails
    in the type checker, and at run time. An object that came about in another way holds nothing
    and can be given nothing, and says so when it is asked. It is its own copy, and it is not
    pickled: what comes out of a file was not calibrated here.
    """

    __slots__ = ("__weakref__",)

    def __init__(self, _only_by_calibrate: Never, /) -> None:
        raise TypeError("a PackagedContract is made by PackagedContract.calibrate, and only there")

    def __init_subclass__(cls) -> NoReturn:
        raise TypeError("PackagedContract has no subclasses: they would not be calibrated")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a PackagedContract does not change: {name}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a PackagedContract does not change: {name}")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(
            "a PackagedContract is not pickled: calibrate its contract where it is used"
        )

    @property
    def contract(self) -> Contract:
        """The contract."""
        return _held(self).report.contract

    @property
    def declared(self) -> Declarations:
        """What was declared, and found to be exact."""
        return _held(self).declared

    @property
    def report(self) -> Report:
        """What was measured."""
        return _held(self).report

    @classmethod
    def calibrate(
        cls,
        target: Target,
        reference: Reference | None = None,
        *,
        contract: Contract | None = None,
        declared: Declarations | None = None,
        walks: int = 0,
        processes: int | None = None,
        progress: Progress = silent,
    ) -> Self:
        """Measure everything and refuse every finding; the arguments are those of ``calibrate``.

        Args:
            target: the game.
            reference: what is to be replayed; the target's own where None.
            contract: what is measured; derived from the reference where None.
            declared: what is declared; what the reference declares where None.
            walks: how many walks of a sound generator stand beside the seed's baselines.
            processes: how many play; None lets the target and the machine decide.
            progress: is told how far it is.

        Raises:
            CalibrationRefusedError: something is left against the contract.
            TargetError: the target cannot be played here.
            ContractError: no valid contract follows from the reference.

        """
        target.require()
        reference = target.reference() if reference is None else reference
        declared = reference.declared if declared is None else declared
        report = calibrate(
            target,
            reference,
            contract=contract,
            walks=walks,
            processes=processes,
            progress=progress,
        )
        found = findings(report, declared)
        if found:
            raise CalibrationRefusedError(target.id, found, report)
        made = object.__new__(cls)
        _CALIBRATED[made] = _Calibrated(declared, report)
        return made


@dataclass(frozen=True, slots=True)
class _Calibrated:
    """What a calibration found, with nothing left against it."""

    declared: Declarations
    report: Report


_CALIBRATED: Final[MutableMapping[PackagedContract, _Calibrated]] = WeakKeyDictionary()
"""What ``calibrate`` has made and somebody still holds; nothing else is written here."""


def _held(packaged: PackagedContract) -> _Calibrated:
    if packaged not in _CALIBRATED:
        raise TypeError("this PackagedContract was not made by PackagedContract.calibrate")
    return _CALIBRATED[packaged]
