"""What the journal says a verdict was counts for nothing, and is told where the log differs."""

from pathlib import Path

import pytest
from metric.texts import parsed
from msgspec.json import decode
from report.cases import ANSWERS, CYCLES, TEXT, closed_run
from runlog.runs import begin, closed, lines_of, new_folder, write_cycle

from plateau_tui.metric.registration import seal_hash
from plateau_tui.report.check import check_export
from plateau_tui.report.export import export_run
from plateau_tui.report.gather import judge
from plateau_tui.report.page import page
from plateau_tui.report.screen import screen_lines
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.verify import verify_run
from plateau_tui.runlog.writer import RunWriter

OTHERS = ANSWERS.replace(b"K. T.", b"R. M.")
BESIDE = ANSWERS.replace(b"other_differences = []", b'other_differences = ["the host"]')


def adjudicated(word: str, text: bytes = ANSWERS, *, final: bool = True) -> ev.Adjudicated:
    sha256 = seal_hash(text) if text else ""
    return ev.Adjudicated(by="op", sha256=sha256, text=text.decode(), verdict=word, final=final)


def with_adjudications(path: Path, *events: ev.Adjudicated) -> RunFolder:
    """A run whose log gives PARTIAL under its answers, with these events behind its close."""
    run = closed_run(path)
    (run.path / "attestation.toml").write_bytes(ANSWERS)
    writer = RunWriter(run, lambda: 0)
    writer.journal(*events)
    writer.require_written()
    writer.close()
    return run


def found_in(run: RunFolder) -> list[str]:
    problems = check_export(RunFolder(export_run(run).path)).result.problems
    assert {problem.code for problem in problems} <= {"adjudication_differs"}
    return [problem.text for problem in problems]


@pytest.mark.parametrize(
    ("event", "gives"),
    [
        (adjudicated("PASS"), "PARTIAL"),
        (adjudicated("FAIL"), "PARTIAL"),
        (adjudicated("PARTIAL", final=False), "PARTIAL"),
        (adjudicated("PASS", OTHERS), "PARTIAL"),
        (adjudicated("PARTIAL", BESIDE), "WITHHELD"),
        (adjudicated("PASS", b""), "PARTIAL (not final)"),
        (adjudicated("PARTIAL", b"x = 1"), "no word: these answers cannot be read"),
        (adjudicated(""), "PARTIAL"),
    ],
)
def test_a_forged_adjudication_is_told_beside_and_found(
    tmp_path: Path, event: ev.Adjudicated, gives: str
) -> None:
    run = with_adjudications(tmp_path / "run", event)
    assert verify_run(run).intact  # it judges nothing
    judged = judge(run)
    assert judged.verdict.word == "PARTIAL"
    told = f"; under its answers the log gives {gives}"
    assert told in page(judged)
    assert told in " ".join(" ".join(screen_lines(judged, "r")).split())
    (text,) = found_in(run)
    assert text.endswith(f"under its answers the log gives {gives}")


def test_what_the_log_gives_is_listed_without_a_word(tmp_path: Path) -> None:
    partial = (adjudicated("PARTIAL"), adjudicated("WITHHELD", BESIDE), adjudicated("PARTIAL"))
    run = with_adjudications(tmp_path / "run", *partial)
    assert found_in(run) == []
    assert "the log gives" not in page(judge(run))
    assert "In the journal" not in "\n".join(screen_lines(judge(run), "r"))


def test_a_run_that_was_void_when_it_was_judged_is_no_finding_once_mended(tmp_path: Path) -> None:
    run = with_adjudications(tmp_path / "run", adjudicated("WITHHELD"), adjudicated("PARTIAL"))
    assert found_in(run) == []
    assert "WITHHELD, attestation" in page(judge(run))
    assert page(judge(run)).count("under its answers the log gives PARTIAL") == 1


def test_no_flood_of_adjudications_hides_a_forged_one(tmp_path: Path) -> None:
    flood = [adjudicated("PARTIAL")] * 300
    run = with_adjudications(tmp_path / "run", *flood, adjudicated("PASS"))
    assert len(found_in(run)) == 1
    assert "and 100 more that say the same, in journal.jsonl" in page(judge(run))


def test_the_record_has_what_the_log_gives(tmp_path: Path) -> None:
    run = with_adjudications(tmp_path / "run", adjudicated("PASS"), adjudicated("PARTIAL"))
    record = decode((export_run(run).path / "verdict.json").read_bytes())
    assert [found["log_gives"] for found in record["adjudications"]] == ["PARTIAL", None]
    assert "text" not in record["adjudications"][0]


def test_an_answer_under_a_borrowed_checksum_voids_the_run(tmp_path: Path) -> None:
    forged = ev.Adjudicated(
        by="op", sha256=seal_hash(ANSWERS), text=BESIDE.decode(), verdict="WITHHELD", final=True
    )
    run = with_adjudications(tmp_path / "run", forged)
    last = len(lines_of(run.journal))
    assert [(p.code, p.line) for p in verify_run(run).problems] == [("answers_mismatch", last)]
    assert judge(run).verdict.rows_that_apply == (1,)


def test_a_verdict_before_the_close_is_named(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run", TEXT)
    writer = begin(folder, TEXT)
    for cycle in range(CYCLES):
        write_cycle(writer, parsed(TEXT), cycle)
    writer.journal(adjudicated("PASS"), closed(CYCLES, early=False))
    writer.close()
    assert [p.code for p in verify_run(folder).problems] == ["adjudicated_early"]
