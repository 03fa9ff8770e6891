"""What reads hostile bytes, each with what it must hold: for the fuzzer and for hypothesis.

A target takes any bytes. It returns, or raises ``AssertionError`` where something that it promises
does not hold; any other exception is a crash.
"""

import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from plateau_tui.collector import mailbox
from plateau_tui.metric.attestation import parse_attestation
from plateau_tui.metric.registration import parse_registration
from plateau_tui.metric.tables import ConfigError
from plateau_tui.resources import game_ids, shipped
from plateau_tui.runlog.connection import read_connection
from plateau_tui.runlog.events import decode_entry
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.rows import decode_row, encode_row
from plateau_tui.runlog.template import draft_text
from plateau_tui.server import commands, replies
from plateau_tui.server.errors import ReplyError
from plateau_tui.server.roster import parse_online

UNIT: Final = "UNI-10-1"
OBJECTIVE: Final = "mine_stone"
_LONGEST_LINE: Final = 1000
_JAVA: Final = 2**31


@dataclass(frozen=True, slots=True)
class Target:
    """A reader of foreign bytes, and examples to begin with."""

    run: Callable[[bytes], None]
    seeds: tuple[bytes, ...]


def _one_line(text: str) -> None:
    assert text.isprintable(), ascii(text)
    assert len(text) <= _LONGEST_LINE, len(text)


def score(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    try:
        found = replies.parse_score(text, UNIT, OBJECTIVE)
    except ReplyError as error:
        _one_line(str(error))
        return
    if found.value is None:
        assert text in {
            f"Can't get value of {OBJECTIVE} for {UNIT}; none is set{end}" for end in ("", "\n")
        }
    else:
        assert -_JAVA <= found.value < _JAVA
        assert text.startswith(f"{UNIT} has {found.value} [")


def scores(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    try:
        found = replies.parse_scores(text, UNIT)
    except ReplyError as error:
        _one_line(str(error))
        return
    assert text.startswith(f"{UNIT} has ")
    assert all(-_JAVA <= value < _JAVA for _, value in found.entries)
    assert not found.complete or found.announced == len(found.entries)


def count(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    try:
        found = replies.parse_count(text, UNIT)
    except ReplyError as error:
        _one_line(str(error))
        return
    told = re.fullmatch(rf"Found ([0-9]+) matching item(?:s|\(s\)) on player {UNIT}\n?", text)
    zero = re.fullmatch(rf"No items were found on player {UNIT}\n?", text)
    assert (told is not None and found == int(told[1])) or (zero is not None and found == 0)


def objectives(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    try:
        found = replies.parse_objectives(text)
    except ReplyError as error:
        _one_line(str(error))
        return
    assert not found.complete or found.announced == len(found.displays)


def added(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    try:
        found = replies.parse_added(text, OBJECTIVE)
    except ReplyError as error:
        _one_line(str(error))
        return
    if found is replies.Added.CREATED:
        assert text.startswith(f"Created new objective [{OBJECTIVE}]")


def online(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    try:
        found = parse_online(text, [UNIT, "UNI-10-2", "UNI-11-1"])
    except ReplyError as error:
        _one_line(str(error))
        return
    assert all(unit in text or "§" in text or "\ufffd" in text for unit in found.online)


def row(data: bytes) -> None:
    try:
        found = decode_row(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return
    again = decode_row(encode_row(found))
    assert encode_row(again) == encode_row(found)


def entry(data: bytes) -> None:
    try:
        decode_entry(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return


def registration(data: bytes) -> None:
    try:
        found = parse_registration(data, game_ids())
    except ConfigError as error:
        for problem in error.problems:
            _one_line(problem)
        return
    names = [unit.name for unit in found.units]
    assert len({name.lower() for name in names}) == len(names)
    for name in names:
        text = commands.list_scores(name, namespaced=True)
        assert commands.READ_ONLY.fullmatch(text)
    for objective in found.objectives:
        text = commands.add_objective(objective.name, objective.criterion, namespaced=True)
        assert commands.READ_ONLY.fullmatch(text)


def attestation(data: bytes) -> None:
    try:
        parse_attestation(data)
    except ConfigError as error:
        for problem in error.problems:
            _one_line(problem)


_place = tempfile.TemporaryDirectory(prefix="plateau-hostile-")
_folder = RunFolder(Path(_place.name))
_folder.mailbox.mkdir()


def connection(data: bytes) -> None:
    _folder.connection.write_bytes(data)
    try:
        found = read_connection(_folder.connection)
    except ConfigError as error:
        for problem in error.problems:
            _one_line(problem)
        return
    assert 1 <= found.port <= 65535


def request(data: bytes) -> None:
    (_folder.mailbox / "m-1.json").write_bytes(data)
    ((_, found),) = mailbox.pending(_folder)
    assert found.id == "m-1"
    if isinstance(found, mailbox.RequestFile):
        assert mailbox.expired(found, 2**50)
        assert len(found.by) <= mailbox.MAX_TEXT
    else:
        assert len(found.reason) <= _LONGEST_LINE


_REQUEST: Final = b'{"id":"m-1","ts":"2026-01-01T00:00:00.000Z","by":"me","op":%b}'


def _lines(name: str) -> tuple[bytes, ...]:
    folder = shipped("sample_runs") / "pass"
    lines = (folder / name).read_bytes().splitlines()
    return tuple({line[:60]: line for line in lines}.values())[:40]


def _toml() -> bytes:
    return draft_text("r", 3).encode()


TARGETS: Final[dict[str, Target]] = {
    "score": Target(
        score,
        (
            f"{UNIT} has 5 [{OBJECTIVE}]".encode(),
            f"{UNIT} has -5 [a [b]]\n".encode(),
            f"Can't get value of {OBJECTIVE} for {UNIT}; none is set".encode(),
            f"Unknown scoreboard objective '{OBJECTIVE}'".encode(),
            b'Unknown command. Type "/help" for help.\n',
        ),
    ),
    "scores": Target(
        scores,
        (
            f"{UNIT} has 2 scores:[m_dirt]: 5[m_stone]: 7".encode(),
            f"{UNIT} has no scores to show".encode(),
        ),
    ),
    "count": Target(
        count,
        (
            f"Found 3 matching items on player {UNIT}".encode(),
            f"Found 3 matching item(s) on player {UNIT}".encode(),
            f"No items were found on player {UNIT}".encode(),
            b"No player was found",
            f"Removed 3 items from player {UNIT}".encode(),
            b"Found 3 matching items on 2 players",
        ),
    ),
    "objectives": Target(
        objectives, (b"There are 2 objectives: [m_stone], [a b]", b"There are no objectives")
    ),
    "added": Target(
        added,
        (
            f"Created new objective [{OBJECTIVE}]".encode(),
            b"An objective already exists by that name",
            b"Objective names cannot be longer than 16 characters",
            b"Unknown criterion 'minecraft.mined:minecraft.grass'",
        ),
    ),
    "online": Target(
        online,
        (
            f"There are 2 of a max of 20 players online: {UNIT}, UNI-11-1".encode(),
            b"There are 0 of a max of 20 players online: ",
            f"\xa7thing There are \xa7c2\xa76 out of maximum 20: [AFK]{UNIT}\n".encode(),
        ),
    ),
    "row": Target(row, _lines("rows.jsonl")),
    "entry": Target(entry, _lines("journal.jsonl")),
    "registration": Target(registration, (_toml(), b'[[objectives.extend]]\nname = "x"\n')),
    "attestation": Target(attestation, (b"\n".join(_lines("attestation.toml")),)),
    "connection": Target(
        connection,
        (b'host = "127.0.0.1"\nport = 25575\n[probe]\ncommand = ["a", "b"]\ntimeout_s = 5\n',),
    ),
    "request": Target(
        request,
        (
            _REQUEST % b'"note","args":{"text":"hello"}',
            _REQUEST % b'"pin","args":{"species":"oak_log","by_unit":{"UNI-10-1":"birch_log"}}',
            _REQUEST % b'"close","args":{"early":true,"why":"enough"}',
        ),
    ),
}
