"""A request is taken whole and once, or not at all: its bounds, and a kill at its worst moment."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from metric.texts import parsed
from runlog.runs import SLOT0, begin, new_folder, write_cycle

from plateau_tui.collector.desk import Desk
from plateau_tui.collector.recovery import recover
from plateau_tui.collector.run import OpenRun, wall_ms
from plateau_tui.collector.window import WindowLog
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.times import format_ms
from plateau_tui.runlog.writer import RunWriter


class Killed(BaseException):
    """The process ended here."""


@dataclass
class Office:
    folder: RunFolder
    writer: RunWriter
    desk: Desk

    def put(self, name: str, **fields: object) -> Path:
        request = {"id": name, "ts": format_ms(wall_ms()), "by": "me", "op": "note"}
        path = self.folder.mailbox / f"{name}.json"
        path.write_text(json.dumps(request | {"args": {"text": "hello"}} | fields))
        return path

    def answer(self, name: str) -> tuple[bool, str]:
        """Return what the journal answers to a request."""
        lines = map(json.loads, self.folder.journal.read_text(encoding="utf-8").splitlines())
        (found,) = [e for e in lines if e["event"] == "answer" and e["id"] == name]
        return found["ok"], found["text"]

    def noted(self) -> int:
        return self.folder.journal.read_bytes().count(b'"event":"note"')


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    folder = new_folder(tmp_path / "run")
    writer = begin(folder)
    write_cycle(writer, parsed(), 0)
    writer.close()
    writer = RunWriter(folder, lambda: SLOT0)
    run = OpenRun(folder, writer, parsed())
    window = WindowLog(run, recover(run))
    yield Office(folder, writer, Desk(run, window, lambda: SLOT0, wall_ms, str))
    writer.close()


def test_a_request_that_is_longer_than_any_of_ours_is_not_taken(office: Office) -> None:
    office.put("long", args={"text": "hello", "more": "x" * 70_000})
    office.desk.look()
    assert office.answer("long") == (False, "is too long for a request")
    assert office.noted() == 0


def test_a_request_by_a_name_without_end_is_not_taken(office: Office) -> None:
    office.put("named", by="x" * 2001)
    office.desk.look()
    assert office.answer("named") == (False, "names no person")
    assert office.noted() == 0


def test_a_note_longer_than_a_note_may_be_is_declined_not_cut(office: Office) -> None:
    office.put("most", args={"text": "x" * 2000})
    office.put("more", args={"text": "x" * 2001})
    office.desk.look()
    assert office.answer("most")[0]
    assert not office.answer("more")[0]
    assert office.noted() == 1


def test_a_kill_before_the_journal_has_a_request_leaves_it_in_the_mailbox(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = office.put("once")

    def killed(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as dying:
        dying.setattr(office.writer, "journal", killed)
        with pytest.raises(Killed):
            office.desk.look()
    assert path.exists()


def test_a_request_its_effect_and_its_answer_are_one_write(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill between two of them would carry it out again, or leave its asker without a word."""
    office.put("once")
    written: list[bytes] = []
    write = os.write

    def seen(fd: int, data: bytes) -> int:
        written.append(bytes(data))
        return write(fd, data)

    with monkeypatch.context() as watched:
        watched.setattr(os, "write", seen)
        office.desk.look()
    (data,) = written
    assert [json.loads(line)["event"] for line in data.splitlines()] == [
        "request", "note", "answer",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"op": "close", "args": {"early": True}}, "an early close needs its why"),
        ({"op": "close", "args": {"early": True, "why": " \n"}}, "an early close needs its why"),
        (
            {"op": "close", "args": {"erly": True, "why": "x"}},
            "close takes no erly; the nearest is 'early'",
        ),
        ({"op": "close", "args": {"early": "yes", "why": "x"}}, "must be true or false"),
        ({"op": "close", "args": {"early": True, "why": None}}, "why of close must be a text"),
        (
            {"op": "pin", "args": {"species": "oak_log", "unit": "UNI-10-1"}},
            "pin takes no unit",
        ),
        (
            {"op": "pin", "args": {"species": "oak_log", "units": {"UNI-10-1": "oak_log"}}},
            "pin takes no units",
        ),
        ({"op": "pin", "args": {"by_unit": "UNI-10-1"}}, "by_unit of pin must be a table"),
        ({"op": "pin", "args": {}}, ""),
        ({"op": "note", "args": {}}, "a note needs words"),
        ({"op": "note", "args": {"text": "x", "txt": "y"}}, "note takes no txt"),
        ({"op": "note", "args": {"text": {"x": "y"}}}, "text of note must be a text"),
        ({"op": "poll_now", "args": {"x": "y"}}, "poll_now takes no x"),
        ({"by": ""}, "names no person"),
        ({"by": " \t"}, "names no person"),
        ({"ts": format_ms(wall_ms() + 86_400_000)}, "is dated in the future"),
        ({"ts": "2999-12-31T23:59:59.000Z"}, "is dated in the future"),
        ({"ts": "yesterday"}, "is no request (its ts is no time)"),
    ],
)
def test_a_request_that_is_not_just_what_is_asked_for_does_nothing(
    office: Office, fields: dict[str, object], why: str
) -> None:
    """A misspelt key was meant: left out, it pins every unit or ends a window for good."""
    before = office.folder.journal.read_bytes()
    office.put("odd", **fields)
    office.desk.look()
    ok, text = office.answer("odd")
    assert not ok
    assert why in text
    assert "\n" not in text
    assert office.desk.close is None
    assert office.desk.polls == []
    said = office.folder.journal.read_bytes().removeprefix(before).splitlines()
    assert {json.loads(line)["event"] for line in said} <= {"request", "answer"}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "is no request (it is empty)"),
        (b"\n", "is no request (it is no JSON of UTF-8 text)"),
        (b'{"id":"odd","ts":"\\ud800"', "is no request (it is no JSON of UTF-8 text)"),
    ],
)
def test_what_is_no_request_is_told_in_words_of_ours(office: Office, data: bytes, why: str) -> None:
    (office.folder.mailbox / "odd.json").write_bytes(data)
    office.desk.look()
    assert office.answer("odd") == (False, why)


def test_a_link_in_the_mailbox_is_told_to_be_one(office: Office, tmp_path: Path) -> None:
    (office.folder.mailbox / "link.json").symlink_to(tmp_path)
    office.desk.look()
    ok, text = office.answer("link")
    assert (ok, "no link, pipe, device or folder" in text) == (False, True)
