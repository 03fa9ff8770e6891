"""The form's answers as a file, their preview, the verdict's lines, a call in a process apart."""

import shutil
import signal
import time
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from console.apps import SAMPLES
from console.views import NOW, SLOT0, view
from hypothesis import given
from hypothesis import strategies as st
from report.cases import files_of

from plateau_tui.collector.adjudicate import adjudicate_run
from plateau_tui.console.lines.text import cells
from plateau_tui.console.verdict.answers import attestation_text, may_ask_why, preview
from plateau_tui.console.verdict.apart import Apart, ApartError
from plateau_tui.console.verdict.judging import sit
from plateau_tui.console.verdict.lines import missing_lines, verdict_lines
from plateau_tui.metric.attestation import Attestation, parse_attestation, says_something
from plateau_tui.metric.tables import ConfigError
from plateau_tui.report.gather import judge
from plateau_tui.runlog.layout import RunFolder

RUNS: Final = sorted(path.name for path in SAMPLES.iterdir() if (path / "rows.jsonl").exists())


@given(
    adjudicator=st.text(max_size=20),
    single=st.sampled_from([None, True, False]),
    others=st.lists(st.text(max_size=20), max_size=3),
    case=st.sampled_from([None, "a", "b"]),
    evidence=st.text(max_size=40),
)
def test_what_is_typed_is_read_back_or_refused_by_the_rules_of_the_file(
    adjudicator: str,
    single: bool | None,
    others: list[str],
    case: str | None,
    evidence: str,
) -> None:
    answers = Attestation(
        adjudicator,
        single,
        tuple(others),
        "a" if case == "a" else "b" if case == "b" else None,
        evidence,
    )
    text = attestation_text(answers)
    try:
        found = parse_attestation(text)
    except ConfigError:
        answered = single is not None or others or case or evidence
        assert answered
        assert (
            not adjudicator.strip()
            or not all(other.strip() for other in others)
            or bool(case) != bool(evidence)
            or not says_something(evidence)
        )
    else:
        assert found == answers


def test_the_preview_is_what_writing_the_answers_gives_and_writes_nothing(tmp_path: Path) -> None:
    answers = Attestation("K. T.", True, (), "b", "no factor for placing, cycle 3")
    for name in ("pass", "partial_primary", "fail_not_clean", "withheld_3_second_variable"):
        folder = RunFolder(Path(shutil.copytree(SAMPLES / name, tmp_path / name)))
        before = files_of(folder.path)
        found = preview(judge(folder), answers)
        assert files_of(folder.path) == before
        kept = adjudicate_run(folder, found.text, "op")
        if kept.not_kept is None:
            assert found.judged.verdict == kept.judged.verdict
        assert may_ask_why(judge(folder)) == may_ask_why(found.judged)


@pytest.mark.parametrize("name", RUNS)
def test_every_word_of_the_work_is_told_within_the_width(name: str) -> None:
    judged = sit(RunFolder(SAMPLES / name)).judged
    for width in (59, 79, 119):
        lines = verdict_lines(judged, width)
        assert max(cells(line) for line in lines) <= width
        words = " ".join(" ".join(lines).split())
        assert "%" not in words
        for reason in judged.verdict.reasons:
            assert " ".join(reason.split()) in words.replace(" - ", " ")
        for found in judged.verdict.disclosures:
            assert found.code in words


def test_what_is_missing_is_told_for_each_stage() -> None:
    def told(**changes: object) -> str:
        return " ".join(" ".join(missing_lines(view(**changes), NOW, 200)).split())

    assert "61 cycles of 66: the window ends 2026-01-01 11:00 UTC, in 10:10:00" in told()
    assert "the seal: this is a draft" in told(seal="", slot0_ms=None, registered=False)
    assert "no cycle was read yet (c starts a collector)" in told(slot0_ms=None, cycle=None)
    assert "the objectives on the server" in told(registered=False)
    assert "place_dirt gone: this can end in WITHHELD alone" in told(voided=("place_dirt gone",))
    assert "registration.toml as it was sealed" in told(seal_broken=True)
    assert "the close: 66 of 66 cycles are there (x closes it)" in told(cycle=65)
    assert "SR-4 is asked of every run" in told()
    assert view().slot0_ms == SLOT0


def test_a_call_apart_gives_what_it_gave_or_says_why_not() -> None:
    assert Apart(str, lasting=True).result() == ""
    with pytest.raises(ApartError, match=r"^attestation\.toml: is not valid TOML"):
        Apart(partial(parse_attestation, b"x = ["), lasting=False).result()
    with pytest.raises(ApartError, match="ZeroDivisionError: "):
        Apart(partial(divmod, 1, 0), lasting=True).result()
    with pytest.raises(ApartError, match="died"):
        Apart(partial(signal.raise_signal, signal.SIGKILL), lasting=False).result()
    waiting = Apart(partial(time.sleep, 600), lasting=False)
    waiting.stop()
    with pytest.raises(ApartError, match="died"):
        waiting.result()
