"""The case that the verdict is asked to judge is what the files say, and nothing else."""

from pathlib import Path

import pytest
from metric.texts import parsed
from report.cases import ANSWERS, CYCLES, TEXT, closed_run
from runlog.runs import begin, closed, heartbeat, lines_of, new_folder, pin, relink, write_cycle

from plateau_tui.metric.casefile import FaultFact, Missed, SealBreak
from plateau_tui.metric.registration import seal_hash
from plateau_tui.metric.tables import ConfigError
from plateau_tui.report.facts import FactsBook
from plateau_tui.report.gather import judge
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.verify import verify_run
from plateau_tui.runlog.writer import RunWriter


def book_of(*events: ev.Event) -> FactsBook:
    book = FactsBook()
    for number, event in enumerate(events):
        ts = f"2026-01-01T00:00:{number:02d}.000Z"
        book.take(ev.Entry(ts=ts, name=event.NAME, event=event))
    return book


def opening() -> ev.WindowOpened:
    return ev.WindowOpened(poll_ts="2026-01-01T00:00:00.000Z", unpinned=[])


SEAL = ev.Sealed(by="op", sha256=seal_hash(TEXT.encode()), text=TEXT)


def test_a_seal_counts_only_before_the_first_scored_cycle() -> None:
    assert book_of(SEAL, opening(), heartbeat(0)).facts(None).sealed_before_cycle0
    assert not book_of(opening(), SEAL).facts(None).sealed_before_cycle0
    assert not book_of(heartbeat(0), SEAL).facts(None).sealed_before_cycle0
    assert book_of(SEAL, opening(), SEAL).facts(None).sealed_before_cycle0


def test_a_pin_says_when_it_came_and_what_it_replaced() -> None:
    early = book_of(SEAL, pin("a", "birch_log"), pin("a"), pin("a"), opening(), heartbeat(0))
    found = early.facts(None).pins["a"]
    assert (found.species, found.cycle, found.earlier) == ("oak_log", None, ("birch_log",))
    late = book_of(SEAL, opening(), heartbeat(0), heartbeat(1), pin("a"), heartbeat(2), pin("a"))
    assert late.facts(None).pins["a"].cycle == 1


def test_what_happened_is_kept_by_cycle() -> None:
    book = book_of(
        SEAL,
        ev.Fault(code="timeout", text="first", cycle=0),
        opening(),
        heartbeat(0),
        ev.SealBroken(sha256=None),
        ev.ObjectiveMissing(objective="mine_sand", cycle=1),
        ev.Fault(code="timeout", text="second", cycle=1),
        ev.CyclesMissed(first=1, last=2, reason="asleep"),
        ev.SealRestored(sha256=SEAL.sha256),
        ev.ClockMoved(offset_s=3.5, cycle=2),
        ev.LogRestarted(file="rows.jsonl", reason="the file is gone", head="0"),
        ev.TornTail(file="journal.jsonl", bytes=3, moved_to="journal.torn-1"),
    )
    facts = book.facts(None)
    assert facts.faults == (FaultFact("timeout", 2, 0, "first"),)
    assert facts.objectives_missing == (("mine_sand", 1),)
    assert facts.missed == (Missed(1, 2, "asleep"),)
    broken, restored = "2026-01-01T00:00:04.000Z", "2026-01-01T00:00:08.000Z"
    assert facts.seal_breaks == (SealBreak(broken, restored, 0),)
    assert [i.code for i in facts.incidents] == ["clock_moved", "log_restarted", "torn_tail"]


def test_context_that_is_often_missed_does_not_crowd_out_the_scored() -> None:
    noise = [ev.ObjectiveMissing(objective="craft_stick", cycle=n) for n in range(500)]
    book = book_of(*noise[:59], ev.ObjectiveMissing(objective="mine_sand", cycle=7))
    assert ("mine_sand", 7) in book.facts(None).objectives_missing


def test_only_what_cannot_be_verified_counts_as_there_before() -> None:
    registered = ev.Registered(
        created=["mine_sand"], existing=["mine_coal"], start={}, criterion_not_verifiable=["x"]
    )
    assert book_of(registered).facts(None).existing_objectives == ("x",)


def test_a_whole_run_is_judged_in_one_pass_with_what_verify_finds(tmp_path: Path) -> None:
    folder = closed_run(tmp_path / "run")
    judged = judge(folder)
    assert judged.checked.rows == 6 * CYCLES
    assert judged.checked == verify_run(folder)
    assert judged.verdict.word == "PARTIAL"
    assert (judged.verdict.counts_treatment.both, judged.verdict.counts_control.both) == (3, 0)
    assert judged.finals.placed_total("UNI-10-1", {}) == CYCLES - 1
    assert judged.finals.distinct_beyond("UNI-10-1", {}, "oak_log") == 2
    assert judged.finals.distinct_beyond("UNI-10-1", {}, None) is None


def test_answers_come_from_the_file_or_from_whoever_judges(tmp_path: Path) -> None:
    folder = closed_run(tmp_path / "run")
    assert not judge(folder).verdict.final
    assert judge(folder, ANSWERS).verdict.final
    assert not judge(folder).verdict.final  # nothing was written
    (folder.path / "attestation.toml").write_bytes(ANSWERS)
    assert judge(folder).verdict.final
    (folder.path / "attestation.toml").write_bytes(b"verdict = 'PASS'\n")
    with pytest.raises(ConfigError, match="verdict: unknown key"):
        judge(folder)


def row_one(folder: RunFolder) -> bool:
    verdict = judge(folder).verdict
    return (verdict.word, verdict.row) == ("WITHHELD", 1)


def test_a_gate_that_changed_or_is_gone_argues_nothing(tmp_path: Path) -> None:
    folder = closed_run(tmp_path / "run")
    folder.registration.write_text(TEXT.replace("margin = 0.0", "margin = 0.1"), encoding="utf-8")
    judged = judge(folder)
    assert row_one(folder)
    assert judged.seal_differs
    assert judged.registration.gate.margin == 0.0  # counts are by the sealed text
    folder.registration.unlink()
    assert row_one(folder)
    folder.registration.write_bytes(b"\xff no registration")
    assert row_one(folder)


def test_a_damaged_seal_is_judged_by_the_file_and_argues_nothing(tmp_path: Path) -> None:
    folder = closed_run(tmp_path / "run")
    lines = lines_of(folder.journal)
    at = next(n for n, line in enumerate(lines) if b'"event":"sealed"' in line)
    lines[at] = lines[at].replace(b"[gate]", b"[gat")
    folder.journal.write_bytes(b"".join(lines))
    assert row_one(folder)
    folder.journal.write_bytes(relink(lines, "0" * 64))
    assert row_one(folder)
    lines[at] = b"nonsense\n"
    folder.journal.write_bytes(b"".join(lines))
    assert row_one(folder)
    folder.registration.unlink()
    with pytest.raises(ConfigError, match="nothing was sealed"):
        judge(folder)


def test_a_broken_chain_behind_a_thousand_other_findings_still_voids(tmp_path: Path) -> None:
    text = TEXT.replace(f"cycles = {CYCLES}", "cycles = 200")
    folder = closed_run(tmp_path / "run", text=text, cycles=200)
    genesis = seal_hash(text.encode())
    lines = [line.replace(b'"primary":true', b'"primary":null') for line in lines_of(folder.rows)]
    lines = [line.replace(b'"secondary":false', b'"secondary":null') for line in lines]
    lines = [line.replace(b'"pickaxe_hoard":3', b'"pickaxe_hoard":4') for line in lines]
    assert all(b":4" in line for line in lines)
    folder.rows.write_bytes(relink(lines[:-1], genesis) + b"nonsense\n")
    checked = judge(folder).checked
    assert [p.code for p in checked.problems[:1000]].count("derived_differs") == 1000
    assert row_one(folder)


def test_a_draft_is_judged_and_says_that_nothing_was_sealed(tmp_path: Path) -> None:
    judged = judge(new_folder(tmp_path / "run", TEXT))
    assert (judged.verdict.word, judged.verdict.row) == ("WITHHELD", 1)
    assert judged.verdict.codes[0] == "not_sealed"
    assert not judged.seal_differs


def test_an_open_window_is_withheld(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run", TEXT)
    writer = begin(folder, TEXT)
    write_cycle(writer, parsed(TEXT), 0)
    assert judge(folder).verdict.rows_that_apply == (2,)
    writer.journal(closed(1))
    writer.close()
    assert judge(folder).verdict.rows_that_apply == (2,)  # closed early


def test_adjudications_change_no_word(tmp_path: Path) -> None:
    folder = closed_run(tmp_path / "run")
    before = judge(folder)
    writer = begin_again(folder)
    writer.journal(*(ev.Adjudicated(by="x", verdict="PASS", final=True) for _ in range(3)))
    writer.close()
    after = judge(folder)
    assert after.verdict == before.verdict
    assert after.checked.journal_head != before.checked.journal_head
    assert [a.verdict for a in after.adjudications] == ["PASS"] * 3


def begin_again(folder: RunFolder) -> RunWriter:
    return RunWriter(folder, lambda: 1_767_300_000_000)
