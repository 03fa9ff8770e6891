import copy
import copyreg
import dataclasses
import pickle
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from calibration.games import SUBMARINE, at_least, contract_of, reference_of
from calibration.published import OFFLINE

from plateau_tui.calibration.catalog import load_target
from plateau_tui.calibration.contract import Contract
from plateau_tui.calibration.declare import NOTHING_DECLARED, Declarations
from plateau_tui.calibration.errors import ContractError
from plateau_tui.calibration.packaged import CalibrationRefusedError, PackagedContract

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", OFFLINE)
def test_what_ships_declares_exactly_what_is_measured(name: str) -> None:
    packaged = PackagedContract.calibrate(load_target(name))
    assert packaged.contract is packaged.report.contract
    assert packaged.declared == load_target(name).reference().declared


@pytest.mark.parametrize("name", OFFLINE)
def test_what_ships_is_refused_without_its_declarations(name: str) -> None:
    with pytest.raises(CalibrationRefusedError, match=f"{name} is refused: ") as refused:
        PackagedContract.calibrate(load_target(name), declared=NOTHING_DECLARED)
    assert "not-separating" in {finding.code for finding in refused.value.findings}
    assert refused.value.exit_code == 1
    assert not refused.value.report.separates


def test_a_refusal_survives_the_way_between_processes() -> None:
    with pytest.raises(CalibrationRefusedError) as refused:
        PackagedContract.calibrate(load_target("engine-crawler"), declared=NOTHING_DECLARED)
    again = pickle.loads(pickle.dumps(refused.value))  # noqa: S301 - our own bytes
    assert str(again) == str(refused.value)


def test_the_same_contract_is_taken_or_refused_by_what_is_declared() -> None:
    contract = contract_of(at_least("depth", 1))
    reference = reference_of("dive")
    with pytest.raises(CalibrationRefusedError):
        PackagedContract.calibrate(SUBMARINE, reference, contract=contract)
    declared = Declarations(non_separating="It is one word long, and grades no play.")
    packaged = PackagedContract.calibrate(
        SUBMARINE, reference, contract=contract, declared=declared
    )
    assert packaged.contract is contract


def test_a_contract_of_another_target_is_not_taken_for_this_one() -> None:
    other = Contract("other", (at_least("depth", 1),))
    with pytest.raises(ContractError, match="is a contract of other, not counters"):
        PackagedContract.calibrate(SUBMARINE, reference_of("dive"), contract=other)


def test_what_was_calibrated_does_not_change_afterwards() -> None:
    given = [at_least("depth", 1)]
    contract = Contract("counters", given)  # type: ignore[arg-type] # a list is the test
    declared = Declarations(non_separating="It is one word long, and grades no play.")
    packaged = PackagedContract.calibrate(
        SUBMARINE, reference_of("dive"), contract=contract, declared=declared
    )
    given.append(at_least("depth", 2))
    assert packaged.contract.milestones == tuple(given[:1])
    with pytest.raises(AttributeError):
        del packaged._contract  # type: ignore[attr-defined] # there is none


@pytest.mark.parametrize("arguments", [(), (1,), (1, 2, 3)])
def test_a_direct_construction_fails_at_run_time(arguments: tuple[int, ...]) -> None:
    with pytest.raises(TypeError):
        PackagedContract(*arguments)  # type: ignore[arg-type] # that it is wrong is the test


FORGERIES: dict[str, Callable[[PackagedContract], object]] = {
    "object.__new__": lambda _: object.__new__(PackagedContract),
    "its own __new__": lambda _: PackagedContract.__new__(PackagedContract),
    "copyreg": lambda _: copyreg.__newobj__(PackagedContract),  # type: ignore[attr-defined] # pickle's
}


@pytest.mark.parametrize("way", FORGERIES)
def test_an_object_that_calibrate_did_not_make_holds_nothing_and_can_be_given_nothing(
    way: str,
) -> None:
    right = PackagedContract.calibrate(load_target("save-levels"))
    forged: Any = FORGERIES[way](right)
    for name in ("contract", "declared", "report"):
        with pytest.raises(TypeError, match="was not made by PackagedContract"):
            getattr(forged, name)
    for name in ("_contract", "_report", "contract", "report", "__dict__"):
        with pytest.raises((AttributeError, TypeError)):
            object.__setattr__(forged, name, right.report)


def test_a_copy_is_the_same_object_and_other_fields_cannot_be_put_in() -> None:
    right: Any = PackagedContract.calibrate(load_target("save-levels"))
    assert copy.copy(right) is right
    assert copy.deepcopy([right])[0] is right
    with pytest.raises(TypeError):
        dataclasses.replace(right, report=None)
    if sys.version_info >= (3, 13):
        with pytest.raises(TypeError):
            copy.replace(right, report=None)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_file_is_no_way_around(protocol: int) -> None:
    right = PackagedContract.calibrate(load_target("save-levels"))
    with pytest.raises(TypeError, match="is not pickled"):
        pickle.dumps(right, protocol)
    forged: Any = pickle.loads(  # noqa: S301 - our own bytes
        b"cplateau_tui.calibration.packaged\nPackagedContract\n)\x81."
    )
    with pytest.raises(TypeError, match="was not made by"):
        _ = forged.report
    state = b"cplateau_tui.calibration.packaged\nPackagedContract\n)\x81}S'_report'\nI1\nsb."
    with pytest.raises((AttributeError, TypeError)):
        pickle.loads(state)  # noqa: S301 - our own bytes


def test_another_class_does_not_become_one() -> None:
    class Own:
        __slots__ = ("__weakref__",)

    own: Any = Own()
    try:
        own.__class__ = PackagedContract
    except TypeError:
        return
    with pytest.raises(TypeError, match="was not made by"):
        _ = own.contract


def test_a_subclass_is_no_way_around() -> None:
    with pytest.raises(TypeError, match="no subclasses"):
        type("Own", (PackagedContract,), {"__init__": object.__init__})


def test_a_packaged_contract_does_not_change() -> None:
    packaged = PackagedContract.calibrate(load_target("save-levels"))
    for name in ("contract", "_contract", "report", "anything"):
        with pytest.raises(AttributeError):
            setattr(packaged, name, None)


SNIPPET = """
    from dataclasses import replace
    from typing import cast

    from plateau_tui.calibration.catalog import load_target
    from plateau_tui.calibration.contract import Contract
    from plateau_tui.calibration.declare import NOTHING_DECLARED
    from plateau_tui.calibration.packaged import PackagedContract
    from plateau_tui.calibration.report import Report

    contract, report = cast("Contract", None), cast("Report", None)
    right: PackagedContract = PackagedContract.calibrate(load_target("save-levels"))
    g: PackagedContract = replace(right, report=report)
    h: PackagedContract = right.contract
    a: PackagedContract = PackagedContract()
    b: PackagedContract = PackagedContract(contract)
    c: PackagedContract = PackagedContract(contract, NOTHING_DECLARED, report)
    d: PackagedContract = {"contract": contract, "report": report}
    e: PackagedContract = contract
    class F(PackagedContract): ...
"""


def test_a_direct_construction_fails_in_the_type_checker(tmp_path: Path) -> None:
    file = tmp_path / "snippet.py"
    file.write_text(textwrap.dedent(SNIPPET), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--config-file=",
         f"--cache-dir={tmp_path}", str(file)],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    lines = textwrap.dedent(SNIPPET).splitlines()
    wrong = {
        int(line.split(":")[1]) for line in done.stdout.splitlines() if f"{file.name}:" in line
    }
    assert {lines[number - 1].split(":")[0].split("(")[0] for number in wrong} == {
        "a", "b", "c", "d", "e", "class F", "g", "h",
    }  # fmt: skip
