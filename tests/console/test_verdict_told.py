"""What the verdict says where it could mislead: cycles, many objectives, an export that is old."""

from dataclasses import replace
from pathlib import Path

import pytest
from console.apps import app_on, sample, text_of, until, until_read, until_text, words_of

from plateau_tui.collector.adjudicate import adjudicate_run
from plateau_tui.console.live.exports import is_export_old
from plateau_tui.console.screens.verdict import VerdictScreen
from plateau_tui.console.verdict.answers import attestation_text
from plateau_tui.console.verdict.lines import heading_lines, verdict_lines
from plateau_tui.metric.attestation import Attestation
from plateau_tui.report.export import export_run
from plateau_tui.report.gather import Judged, judge
from plateau_tui.report.screen import screen_lines
from plateau_tui.report.words import FROM_0, fold_missing, headline


def gone(name: str, cycle: int) -> str:
    return f"Detected: the server did not know the objective {name} in cycle {cycle}."


def judged_with(tmp_path: Path, *reasons: str) -> Judged:
    found = judge(sample(tmp_path))
    return replace(found, verdict=replace(found.verdict, reasons=reasons))


def test_that_cycles_count_from_0_is_said_before_any_is_named(tmp_path: Path) -> None:
    found = judged_with(tmp_path, gone("mine_birch_log", 41))
    assert heading_lines(found, "r", 100)[1] == FROM_0
    printed = list(screen_lines(found, "r"))
    assert printed[printed.index(headline(found.verdict)) + 1] == FROM_0
    assert not any("cycle" in line for line in printed[: printed.index(FROM_0)])


def test_many_objectives_are_one_line_and_each_is_named_at_the_end(tmp_path: Path) -> None:
    names = [f"mine_block_{n}" for n in range(15)]
    found = judged_with(tmp_path, "First.", *(gone(name, 41) for name in names), "Last.")
    lines = verdict_lines(found, 100)
    assert "- Detected: 15 objectives unknown to the server in cycle 41." in lines[1]
    assert lines[0] == "- First."
    assert "- Last." in lines[:4]
    end = " ".join(lines[-16:])
    assert all(f"objective {name} in cycle 41" in end for name in names)
    assert sum("did not know" in line for line in lines) == len(names)


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        ([], []),
        (["A.", gone("a", 1), gone("b", 1)], ["A.", gone("a", 1), gone("b", 1)]),
        (
            [gone("a", 3), gone("b", 7), gone("c", 3), "B."],
            ["Detected: 3 objectives unknown to the server in cycles from 3 on.", "B."],
        ),
        (["By the operator: it is so"], ["By the operator: it is so"]),
    ],
)
def test_only_many_of_the_server_s_own_are_folded(texts: list[str], told: list[str]) -> None:
    folded = list(fold_missing(texts))
    assert [line for line, _ in folded] == told
    every = [text for line, below in folded for text in (below or (line,))]
    assert sorted(every) == sorted(texts)


@pytest.mark.asyncio
async def test_an_export_older_than_the_answers_is_told_until_it_is_made_anew(
    tmp_path: Path,
) -> None:
    folder = sample(tmp_path)
    export_run(folder)
    assert not is_export_old(folder)
    adjudicate_run(folder, attestation_text(Attestation(adjudicator="op")), "op")
    assert is_export_old(folder)
    async with (app := app_on(folder)).run_test(size=(120, 36)) as pilot:
        await until_read(pilot)
        older = "the export is older than the answers: "
        await until(pilot, lambda: f"{older}v, then e exports again" in text_of(app))
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, VerdictScreen))
        await until_text(pilot, f"{older}e exports again")
        await pilot.press("e")
        await until_text(pilot, "Replace the export?")
        assert "SR-4" in words_of(app)
        await pilot.press("y")
        await until_text(pilot, "exported to")
        await until(pilot, lambda: older not in words_of(app))
    assert not is_export_old(folder)
    (folder.path / "attestation.toml").unlink()
    assert is_export_old(folder)
