"""What the journal says of the start and of earlier answers reaches the verdict."""

from pathlib import Path

from msgspec.structs import replace
from report.cases import ANSWERS, closed_run

from plateau_tui.metric.attestation import Attestation, parse_attestation
from plateau_tui.metric.casefile import Incident
from plateau_tui.metric.registration import seal_hash
from plateau_tui.report.facts import FactsBook
from plateau_tui.report.gather import judge
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.writer import RunWriter

NAMED = ANSWERS.replace(b"other_differences = []", b'other_differences = ["C was moved"]')


def book_of(*events: ev.Event) -> FactsBook:
    book = FactsBook()
    for number, event in enumerate(events):
        ts = f"2026-01-01T00:00:{number:02d}.000Z"
        book.take(ev.Entry(ts=ts, name=event.NAME, event=event))
    return book


def registered(start: ev.UnitCounts, *created: str) -> ev.Registered:
    return ev.Registered(
        created=list(created), existing=[], start=start, criterion_not_verifiable=[]
    )


def answered(text: bytes, sha256: str | None = None) -> ev.Adjudicated:
    return ev.Adjudicated(
        by="ab", sha256=seal_hash(text) if sha256 is None else sha256, text=text.decode()
    )


# -- registrations -------------------------------------------------------------------------------


def test_a_journal_knows_whether_the_objectives_were_registered() -> None:
    assert not book_of().facts(None).registered
    assert book_of(registered({"T1": {"place_dirt": 0}})).facts(None).registered


def test_a_later_registration_that_replaced_part_of_the_start_reading_is_kept() -> None:
    book = book_of(
        registered({"T1": {"place_dirt": 5, "mine_sand": 0}, "T2": {"place_dirt": 0}}),
        registered({"T1": {"place_dirt": 0}, "T2": {"place_dirt": 0}}, "place_dirt"),
        registered({"T1": {"mine_sand": 0}}, "mine_sand"),
    )
    at = "a registration at 2026-01-01T00:00:0"
    assert book.facts(None).incidents == (
        Incident(
            "registered_again",
            f"{at}1.000Z replaced the start reading of 2 units: place_dirt (T1 place_dirt 5 to 0)",
        ),
        Incident(
            "registered_again",
            f"{at}2.000Z replaced the start reading of T1: mine_sand",
            "T1",
        ),
    )


def test_a_later_registration_that_only_adds_replaces_nothing() -> None:
    book = book_of(
        registered({"T1": {"place_dirt": 0, "mine_sand": None}}),
        registered({"T1": {"mine_sand": 2, "mine_stone": 0}}, "mine_stone"),
        registered({"T1": {"place_dirt": 7}}),
    )
    assert book.facts(None).incidents == ()


def test_one_byte_is_one_byte() -> None:
    for size, told in ((1, "1 byte of rows.jsonl was no"), (3, "3 bytes of rows.jsonl were no")):
        torn = ev.TornTail(file="rows.jsonl", bytes=size, moved_to="x")
        assert book_of(torn).facts(None).incidents[0].text.startswith(told)


# -- answers -------------------------------------------------------------------------------------


def test_each_answer_is_kept_once_with_when_it_came_first_and_how_often() -> None:
    found = book_of(answered(ANSWERS), answered(NAMED), answered(ANSWERS), answered(b""))
    said = [(a.ts[17:19], a.by, a.attestation, a.times) for a in found.facts(None).answers]
    assert said == [
        ("00", "ab", parse_attestation(ANSWERS), 2),
        ("01", "ab", parse_attestation(NAMED), 1),
        ("03", "ab", Attestation(), 1),
    ]


def test_no_flood_of_other_answers_hides_one() -> None:
    flood = [answered(ANSWERS.replace(b"K. T.", b"K%d" % n)) for n in range(300)]
    found = book_of(*flood, answered(NAMED)).facts(None).answers
    assert found[-1].attestation == parse_attestation(NAMED)


def test_answers_that_cannot_be_read_are_kept_as_such() -> None:
    broken, swapped = answered(b"case ="), answered(ANSWERS, "0" * 64)
    found = book_of(broken, swapped).facts(None).answers
    assert [a.attestation for a in found] == [None, None]
    assert "is not valid TOML" in found[0].unreadable
    assert found[1].unreadable == "their text is not what its SHA-256 says"


def test_a_difference_that_was_withdrawn_stands_beside_the_same_word(tmp_path: Path) -> None:
    folder = closed_run(tmp_path / "run")
    plain = judge(folder, ANSWERS).verdict
    writer = RunWriter(folder, lambda: 1_767_300_000_000)
    writer.journal(
        replace(answered(NAMED), verdict="WITHHELD"),
        replace(answered(ANSWERS), verdict=plain.word, final=plain.final),
    )
    writer.close()
    twice = judge(folder, ANSWERS).verdict
    assert (twice.word, twice.final, twice.codes) == (plain.word, plain.final, plain.codes)
    said = [d.text for d in twice.disclosures if d.code == "answers_changed"]
    assert len(said) == 1
    assert said[0].startswith("earlier answers named another difference: C was moved (journaled")
    assert "answers_changed" not in [d.code for d in plain.disclosures]
