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
    yield Office(folder, writer, Desk(run, WindowLog(run, recover(run)), lambda: SLOT0, wall_ms))
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
