"""``verify`` of an export in a terminal: never plainly intact of what it did not check."""

import re
from pathlib import Path

import pytest
from cli.shell import Shell
from report.cases import ANSWERS, closed_run
from runlog.runs import lines_of, relink

from plateau_tui.report.sums import sums_text
from plateau_tui.runlog.chain import JOURNAL_GENESIS
from plateau_tui.runlog.layout import RunFolder


@pytest.fixture
def run(shell: Shell) -> RunFolder:
    return closed_run(shell.runs / "r")


def answers(shell: Shell) -> str:
    path = shell.home / "answers.toml"
    path.write_bytes(ANSWERS)
    return str(path)


def sum_anew(export: Path) -> None:
    (export / "SHA256SUMS").write_text(sums_text(export), encoding="utf-8")


def test_verify_never_says_plainly_intact_of_plots_that_it_did_not_compare(
    shell: Shell, run: RunFolder
) -> None:
    shell.run("export", "r")
    export = run.path / "export"
    for svg in (export / "plots").iterdir():
        svg.write_bytes(re.sub(rb"Matplotlib v[^,]*,", b"Matplotlib v3.1.4,", svg.read_bytes()))
    sum_anew(export)
    done = shell.run("verify", str(export))
    assert done.returncode == 0
    closing = [line for line in done.stdout.splitlines() if "intact" in line]
    assert len(closing) == 1
    assert closing[0].startswith("intact, except: the plots were drawn by matplotlib 3.1.4 (here")
    found = shell.json("verify", str(export))
    assert found["problems"] == []
    assert "drawn by matplotlib 3.1.4" in found["not_compared"][0]
    assert shell.json("verify", "r")["not_compared"] == []


def test_verify_of_an_export_by_another_version_says_which_one_to_take(
    shell: Shell, run: RunFolder
) -> None:
    shell.run("export", "r")
    export = run.path / "export"
    record = (export / "verdict.json").read_bytes()
    (export / "verdict.json").write_bytes(
        re.sub(rb'"tool": "[^"]*"', b'"tool": "plateau-tui 0.0.1"', record)
    )
    sum_anew(export)
    done = shell.run("verify", str(export))
    assert done.returncode == 1
    assert "verify with plateau-tui 0.0.1" in done.stdout
    assert "NOT intact: 1 problem;" in done.stdout
    codes = [p["code"] for p in shell.json("verify", str(export), code=1)["problems"]]
    assert codes == ["page_not_compared"]


def test_a_forged_adjudication_is_told_beside_the_word_and_fails_the_export(
    shell: Shell, run: RunFolder
) -> None:
    shell.json("verdict", "r", "--attest", answers(shell))
    lines = lines_of(run.journal)
    lines[-1] = lines[-1].replace(b'"verdict":"PARTIAL"', b'"verdict":"PASS"')
    run.journal.write_bytes(relink(lines, JOURNAL_GENESIS))
    assert shell.json("verify", "r")["intact"] is True
    found = shell.json("verdict", "r")
    assert found["verdict"] == "PARTIAL"
    assert [a["log_gives"] for a in found["adjudications"]] == ["PARTIAL"]
    out = " ".join(shell.run("verdict", "r").stdout.split())
    assert "under its answers the log gives PARTIAL" in out
    shell.run("export", "r")
    page = (run.path / "export" / "verdict.md").read_text(encoding="utf-8")
    assert "PASS, attestation" in page
    assert "under its answers the log gives PARTIAL" in page
    problems = shell.json("verify", str(run.path / "export"), code=1)["problems"]
    assert [(p["code"], p["file"]) for p in problems] == [("adjudication_differs", "journal.jsonl")]


def test_verify_of_nothing_is_one_line(shell: Shell) -> None:
    (shell.home / "empty").mkdir()
    line = shell.refused("verify", str(shell.home / "empty"), code=2)
    assert "holds no registration.toml; is it a run folder?" in line


def test_verify_of_what_is_left_of_an_export_says_what_is_missing(
    shell: Shell, run: RunFolder
) -> None:
    shell.run("export", "r")
    export = run.path / "export"
    for name in ("journal.jsonl", "registration.toml"):
        (export / name).unlink()
    found = shell.json("verify", str(export), code=1)["problems"]
    missing = [p["file"] for p in found if p["code"] == "file_missing"]
    assert missing == ["journal.jsonl", "registration.toml"]
    assert "no verdict can be derived" in found[-1]["text"]
