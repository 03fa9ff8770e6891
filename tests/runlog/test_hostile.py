"""Rows, journals and files that are made to crash a reader are read past, counted and named."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metric.texts import parsed
from runlog.runs import Json, edited, finished_run, lines_of, new_folder

from plateau_tui.metric.tables import ConfigError
from plateau_tui.runlog.connection import ConnectionFile, ProbeCommand, read_connection
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.progress import RunProgress
from plateau_tui.runlog.scan import Unreadable, read_rows, scan_rows, unfinished, whole_lines
from plateau_tui.runlog.state import read_state
from plateau_tui.runlog.status import run_status
from plateau_tui.runlog.verify import verify_run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return finished_run(tmp_path_factory.mktemp("hostile") / "run", 2)


def read_everything(folder: RunFolder) -> None:
    """All that the program does with a log without writing it."""
    state, _ = read_state(folder.journal)
    RunProgress(parsed(), state).take_all(read_rows(folder.rows))
    run_status(folder, state, parsed(), 1_767_225_700_000)
    for problem in verify_run(folder).problems:
        assert problem.text.isprintable()
        assert len(problem.text) <= 400


HOSTILE = {
    "a megabyte": b'{"schema":"' + b"x" * 1_000_000 + b'"}',
    "a megabyte of nothing": b" " * 1_000_000,
    "deep lists": b"[" * 200_000,
    "deep objects": b'{"a":' * 100_000,
    "NULs": b"\0" * 512,
    "half a character": b'{"schema":"\xc2',
    "Latin-1": b'{"schema":"\xa7"}',
    "a lone surrogate": b'{"schema":"\\ud800"}',
    "UTF-16": '{"schema":1}'.encode("utf-16"),
    "a number": b"1",
    "a long number": b"9" * 5000,
    "an empty line": b"",
    "an empty object": b"{}",
    "not a number": b'{"cycle":NaN}',
    "the old schema": b'{"schema":"phase2_red/1","rcon":{}}',
}


@pytest.mark.parametrize("line", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_line_is_counted_and_read_past(tmp_path: Path, line: bytes) -> None:
    folder = finished_run(tmp_path / "run", 2)
    for path in (folder.rows, folder.journal):
        lines = lines_of(path)
        path.write_bytes(b"".join([*lines[:3], line + b"\n", *lines[3:]]))
    read_everything(folder)
    items = list(scan_rows(folder.rows))
    assert [n for n, item in enumerate(items) if isinstance(item, Unreadable)] == [3]
    assert len(items) == 13
    result = verify_run(folder)
    assert {(p.file, p.line) for p in result.problems if p.code == "unreadable_line"} == {
        ("rows.jsonl", 4),
        ("journal.jsonl", 4),
    }


HUGE = 10**4290
SPOILT: list[tuple[str, object]] = [
    ("cycle", -1),
    ("cycle", -(10**17)),
    ("cycle", 10**18),
    ("cycle", True),
    ("cycle", 1.5),
    ("kin", HUGE),
    ("poll_ts", "soon"),
    ("poll_ts", "9999-12-31T23:59:59.999Z"),
    ("read_ts", "\x1b[2J"),
    ("read_ts", "2026-02-30T00:00:00.000Z"),
    ("placed_used", {"dirt": HUGE}),
    ("placed_used", {"dirt": True}),
    ("placed_used", {"dirt": "1"}),
    ("placed_used", None),
    ("mined", []),
    ("primary", 1),
    ("role", "placebo"),
    ("read", "guess"),
    ("uni", None),
    ("schema", "plateau_row/2"),
    ("surprise", 1),
]


@pytest.mark.parametrize(("key", "value"), SPOILT)
def test_a_row_with_an_impossible_value_is_no_row(
    run: RunFolder, tmp_path: Path, key: str, value: object
) -> None:
    folder = new_folder(tmp_path / "run")
    folder.journal.write_bytes(run.journal.read_bytes())
    lines = lines_of(run.rows)

    def put(row: Json) -> None:
        row[key] = value

    lines[2] = edited(lines[2], put)
    folder.rows.write_bytes(b"".join(lines))
    read_everything(folder)
    assert [isinstance(item, Unreadable) for item in scan_rows(folder.rows)].count(True) == 1


@pytest.mark.parametrize(
    ("event", "key", "value"),
    [
        ("window_opened", "poll_ts", "9999-12-31T00:00:00.000Z"),
        ("window_opened", "poll_ts", "0001-01-01T00:00:00.000Z"),
        ("window_opened", "ts", ""),
        ("heartbeat", "ts", "yesterday"),
        ("heartbeat", "cycle", HUGE),
        ("heartbeat", "rows", HUGE),
        ("heartbeat", "rows", -5),
        ("heartbeat", "rows_head", "\x1b[2J" * 500),
        ("window_closed", "rows", 10**18),
        ("window_closed", "cycles", -7),
        ("sealed", "text", "\x00"),
        ("sealed", "text", "a" + ".a" * 100_000 + " = 1"),
        ("sealed", "sha256", "é"),
        ("pinned", "species", "\x1b[2J"),
        ("pinned", "unit", "x" * 100_000),
        ("registered", "start", {"UNI-10-1": {"place_dirt": HUGE}}),
        ("run_opened", "collector_id", "\x1b]0;x\x07"),
    ],
)
def test_a_journal_with_an_impossible_value_crashes_no_reader(
    run: RunFolder, tmp_path: Path, event: str, key: str, value: object
) -> None:
    folder = new_folder(tmp_path / "run")
    folder.rows.write_bytes(run.rows.read_bytes())

    def put(entry: Json) -> None:
        entry[key] = value

    marker = f'"event":"{event}"'.encode()
    folder.journal.write_bytes(
        b"".join(edited(line, put) if marker in line else line for line in lines_of(run.journal))
    )
    read_everything(folder)
    assert not verify_run(folder).intact


@given(st.integers(0, 10**9), st.binary(min_size=1, max_size=30), st.booleans())
@settings(max_examples=60)
def test_no_bytes_at_any_place_crash_a_reader(
    run: RunFolder, where: int, data: bytes, in_rows: bool
) -> None:
    path = run.rows if in_rows else run.journal
    whole = path.read_bytes()
    at = where % len(whole)
    path.write_bytes(whole[:at] + data + whole[at + len(data) :])
    try:
        read_everything(run)
    finally:
        path.write_bytes(whole)


def test_lines_know_their_place_also_from_an_offset(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes("é\n\nlast\ntorn".encode())
    assert [(x.number, x.byte, x.data) for x in whole_lines(path)] == [
        (1, 0, "é".encode()),
        (2, 3, b""),
        (3, 4, b"last"),
    ]
    assert [(x.byte, x.data) for x in whole_lines(path, 4)] == [(4, b"last")]
    rest = unfinished(path)
    assert rest is not None
    assert (rest[0].number, rest[0].byte, rest[1]) == (4, 9, 4)
    assert unfinished(tmp_path / "none") is None
    assert list(whole_lines(tmp_path / "none")) == []


# -- connection.toml -------------------------------------------------------------------------


def connection(tmp_path: Path, text: str | bytes) -> ConnectionFile:
    path = tmp_path / "connection.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_connection(path)


def test_a_connection_file_says_host_port_and_probe(tmp_path: Path) -> None:
    assert read_connection(tmp_path / "none") == ConnectionFile("127.0.0.1", 25575, None)
    text = 'host = "mc"\nport = 1\n[probe]\ncommand = ["prog", "arg"]\n'
    assert connection(tmp_path, text) == ConnectionFile("mc", 1, ProbeCommand(("prog", "arg"), 5.0))
    assert connection(tmp_path, text + "timeout_s = 0.5\n").probe == ProbeCommand(
        ("prog", "arg"), 0.5
    )


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("port = 0", "port"),
        ("port = 65536", "port"),
        ("port = true", "port"),
        ('port = "25575"', "port"),
        ("host = 1", "host"),
        ('host = ""', "host"),
        ("prot = 1", "prot"),
        ('password = "x"', "password"),
        ('rcon_Password = "x"', "password"),
        ("probe = 1", "probe"),
        ("[probe]", "probe.command"),
        ('[probe]\ncommand = "prog"', "probe.command"),
        ("[probe]\ncommand = []", "probe.command"),
        ('[probe]\ncommand = ["p"]\ntimeout_s = 0', "probe.timeout_s"),
        ('[probe]\ncommand = ["p"]\ntimeout_s = inf', "probe.timeout_s"),
        ('[probe]\ncommand = ["p"]\nshell = true', "probe.shell"),
        ("port = " + "9" * 5000, ""),
        (b"\xff", ""),
        ("x" + ".x" * 100_000 + " = 1", ""),
    ],
)
def test_a_bad_connection_file_names_the_key(tmp_path: Path, text: str | bytes, path: str) -> None:
    with pytest.raises(ConfigError) as caught:
        connection(tmp_path, text)
    assert caught.value.problems[0].startswith(path)
    assert "x" * 20 not in str(caught.value)
