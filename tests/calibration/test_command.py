import json
import sys
from pathlib import Path
from typing import Any

import pexpect
import pytest
from calibration.published import OFFLINE
from cli.shell import Shell
from make_references import REFERENCES

from plateau_tui.calibration.contractfile import (
    contract_from_json,
    contract_from_toml,
    contract_hash,
)
from plateau_tui.cli import calibrate

KEYS = [
    "reference", "achievements", "best_baseline", "separating", "attrition", "separates",
    "collapse", "declared", "refused",
]  # fmt: skip


def mutated(target: str, folder: Path, **changes: object) -> str:
    """Write the reference that ships with changes of its declarations; return the path."""
    value: dict[str, Any] = json.loads(reference_text(target))
    value["declared"] = {
        key: v for key, v in (value["declared"] | changes).items() if v is not None
    }
    path = folder / "mutated.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return str(path)


def reference_text(target: str) -> str:
    return (REFERENCES / f"{target}.json").read_text("utf-8")


def test_json_has_the_keys_of_the_interface_and_shows_scores_as_counts(shell: Shell) -> None:
    targets = shell.json("calibrate", *OFFLINE)["targets"]
    assert list(targets) == list(OFFLINE)
    for found in targets.values():
        assert [key for key in found if key in KEYS] == KEYS
        assert found["refused"] == []
    crawler = targets["engine-crawler"]
    assert (crawler["reference"], crawler["achievements"]) == ("4 of 4", "4 of 4")
    assert crawler["best_baseline"] == {"count": 4, "ids": ["constant:right"]}
    assert crawler["walks"]["count"] == 32
    assert crawler["walks"]["earned_by"]["hp-untouched"] == "32 of 32"
    assert targets["save-levels"]["declared"]["gated_behind"] == "level-2-saved"


def test_the_tables_are_printed_and_the_exit_code_is_0_when_nothing_is_left(shell: Shell) -> None:
    done = shell.run("calibrate", "native-2048", "--walks", "4", "--motion")
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split("  ") for line in done.stdout.splitlines()]
    cells = {tuple(cell.strip() for cell in row if cell.strip()) for row in rows}
    assert ("native-2048", "7 of 7", "7 of 7", "7 (pseudo-random)", "nothing", "none",
            "does not separate; collapses") in cells  # fmt: skip
    assert ("native-2048", "first-legal-move", "7 of 7", "yes, 6 of 7",
            "2 of 7, after 4 inputs") in cells  # fmt: skip
    assert ("native-2048", "first-merge", "not separating", "earned by 6 of 7", "earned by 4 of 4",
            "does not separate") in cells  # fmt: skip
    assert any(row[:2] == ("native-2048", "engine.emptyCells") for row in cells)
    assert "no number speaks for: tile-8-event" in done.stdout
    assert "nothing is left against this contract" in done.stdout


STALE: dict[str, tuple[str, dict[str, object], str]] = {
    "undeclared": ("engine-crawler", {"non_separating": None}, "declare non_separating"),
    "attrition": ("engine-crawler", {"attrition_checks": ["hp-untouched"]}, "holds before any"),
    "gated": ("engine-crawler", {"gated_behind": "room-1"}, "only 3 of 4 milestones hang off"),
    "opaque": ("engine-crawler", {"opaque_checks": ["room-1"]}, "which is legible"),
    "weak": ("screen-puzzle", {"weak_checks": ["midway-frame"]}, "none of 4 logs"),
}  # fmt: skip


@pytest.mark.parametrize("kind", STALE)
def test_a_contract_that_is_refused_exits_1_and_says_why(shell: Shell, kind: str) -> None:
    target, changes, text = STALE[kind]
    file = mutated(target, shell.home, **changes)
    done = shell.run("calibrate", target, "--reference", file)
    assert (done.returncode, done.stderr) == (1, "")
    (line,) = [line for line in done.stdout.splitlines() if "REFUSED" in line]
    assert text in line
    found = shell.json("calibrate", target, "--reference", file, code=1)["targets"][target]
    assert len(found["refused"]) == 1
    assert text in found["refused"][0]


def test_a_report_is_the_same_to_the_byte_from_one_seed(shell: Shell) -> None:
    one, two, other = (
        shell.run("calibrate", "save-levels", "--json", *words).stdout
        for words in (["--processes", "1"], ["--processes", "2"], ["--seed", "5"])
    )
    assert one == two
    walks = [json.loads(text)["targets"]["save-levels"]["walks"] for text in (one, other)]
    assert walks[0] != walks[1]
    assert json.loads(other)["targets"]["save-levels"]["seed"] == 5


def test_a_seed_with_which_the_reference_falls_short_is_one_line(shell: Shell) -> None:
    line = shell.refused("calibrate", "native-2048", "--seed", "5", code=2)
    assert "tile-32: the reference never reaches maxTile >= 32" in line


def test_a_contract_that_is_taken_is_written_as_toml_and_json_and_can_be_measured_again(
    shell: Shell,
) -> None:
    found = shell.json("calibrate", "screen-puzzle", "--to", "out")["targets"]["screen-puzzle"]
    out = shell.home / "out"
    contract = contract_from_toml((out / "screen-puzzle.toml").read_bytes())
    assert contract == contract_from_json((out / "screen-puzzle.json").read_bytes())
    assert contract_hash(contract) == found["contract_sha256"]
    for form in ("toml", "json"):
        words = ("screen-puzzle", "--contract", f"out/screen-puzzle.{form}")
        assert shell.json("calibrate", *words)["targets"]["screen-puzzle"] == found


def test_a_contract_that_is_refused_is_not_written(shell: Shell) -> None:
    file = mutated("screen-puzzle", shell.home, non_separating=None)
    done = shell.run("calibrate", "screen-puzzle", "--reference", file, "--to", "out")
    assert done.returncode == 1
    assert not (shell.home / "out").exists()


def test_a_renamed_channel_is_refused_by_name(shell: Shell) -> None:
    text = reference_text("engine-crawler").replace('"room"', '"chamber"')
    (shell.home / "renamed.json").write_text(text, encoding="utf-8")
    line = shell.refused("calibrate", "engine-crawler", "--reference", "renamed.json", code=2)
    assert "engine.chamber is not published" in line


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("native2048",), "the nearest is 'native-2048'"),
        (("--reference", "x.json"), "exactly one TARGET"),
        (("save-levels", "native-2048", "--contract", "x.json"), "exactly one TARGET"),
        (("save-levels", "--reference", "nowhere.json"), "nowhere.json: No such file"),
        (("save-levels", "--contract", "nowhere.toml"), "nowhere.toml: No such file"),
        (("save-levels", "--walks", "-1"), "walks"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(
    shell: Shell, words: tuple[str, ...], text: str
) -> None:
    assert text in shell.refused("calibrate", *words, "--json", code=2)


def test_a_contract_of_another_target_is_refused(shell: Shell) -> None:
    shell.run("calibrate", "screen-puzzle", "--to", "out")
    line = shell.refused("calibrate", "save-levels", "--contract", "out/screen-puzzle.toml", code=2)
    assert "is a contract of screen-puzzle, not save-levels" in line


def test_what_declares_nothing_has_every_finding_refused(shell: Shell) -> None:
    file = mutated("native-2048", shell.home, non_separating=None, gated_behind=None)
    found = shell.json("calibrate", "native-2048", "--reference", file, code=1)
    assert found["targets"]["native-2048"]["refused_codes"] == [
        "not-separating", "undeclared-collapse",
    ]  # fmt: skip


def test_a_single_run_is_told_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(calibrate, "complain", lambda text, **_: told.append(text))
    monkeypatch.setenv("COLUMNS", "200")
    progress = calibrate._progress("game")
    progress(1, 1, "reference")
    progress(1, 3, "reference")
    assert [line.partition("] ")[2].partition(":")[0] for line in told] == [
        "1 of 1 run", "1 of 3 runs",
    ]  # fmt: skip


def test_a_terminal_shows_how_far_it_is_in_runs(shell: Shell) -> None:
    child = pexpect.spawn(
        sys.executable, ["-m", "plateau_tui", "calibrate", "native-2048", "--walks", "3"],
        env=dict(shell.environment()), cwd=str(shell.home), timeout=60, encoding="utf-8",
    )  # fmt: skip
    # Twice the reference, seven baselines, three walks.
    child.expect(r"native-2048 \[#+ *\] 12 of 12 runs: reference again")
    child.expect("nothing is left against this contract")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
