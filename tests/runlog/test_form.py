"""The bytes of the log: key order, compact JSON, the chain, times, permissions."""

import json
import os
import re
import stat
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metric.texts import EXTENSION, VALID, parsed
from runlog.runs import (
    COLLECTOR_ID,
    begin,
    events_of,
    finished_run,
    heads_hold,
    lines_of,
    new_folder,
    write_cycle,
)

from plateau_tui.metric.fence import CLAIM_FENCE
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.chain import ChainFormatError, link, seal_line, split_line
from plateau_tui.runlog.rows import decode_row, encode_row
from plateau_tui.runlog.times import format_ms, parse_ms
from plateau_tui.runlog.writer import RunWriter

ROW_KEYS = [
    "schema", "poll_ts", "read_ts", "cycle", "collector_id", "arm", "role", "kin", "uni", "online",
    "rcon_ok", "placed_used", "mined", "crafted", "extra", "inv_now", "baseline_wood",
    "placed_used_total", "distinct_block_types", "distinct_mined_beyond", "pickaxe_hoard",
    "primary", "secondary", "plateau_break", "probe_ok", "probe_arm", "phase", "novelty_gain",
    "action_entropy", "learned_cells", "tick", "novelty_W_a", "novelty_W_b", "live_cur",
    "live_ctrl", "span_ms", "pair_skew_ms", "read", "note", "chain",
]  # fmt: skip
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
GENESIS = "0" * 64


def test_a_row_has_the_contracts_keys_in_its_order_and_no_blank(tmp_path: Path) -> None:
    text = VALID + EXTENSION
    folder = finished_run(tmp_path / "run", 2, text)
    for line in lines_of(folder.rows):
        row = json.loads(line)
        assert list(row) == ROW_KEYS
        assert json.dumps(row, separators=(",", ":"), ensure_ascii=False).encode() == line[:-1]
        assert row["schema"] == "plateau_row/1"
        assert re.fullmatch("[0-9a-f]{8}", row["collector_id"])
        assert TIME.fullmatch(row["poll_ts"])
        assert TIME.fullmatch(row["read_ts"])
        assert list(row["placed_used"]) == [
            "cobblestone", "dirt", "oak_planks", "oak_log", "crafting_table"
        ]  # fmt: skip
        assert list(row["extra"]) == ["mine_grass"]
        assert list(row["inv_now"]) == ["wooden_pickaxe"]


def test_both_chains_follow_the_rule_from_their_beginnings(tmp_path: Path) -> None:
    folder = finished_run(tmp_path / "run")
    assert heads_hold(folder.rows.read_bytes(), sha256(VALID.encode()).hexdigest())
    assert heads_hold(folder.journal.read_bytes(), GENESIS)


def test_a_journal_line_is_ts_event_by_fields_chain(tmp_path: Path) -> None:
    folder = finished_run(tmp_path / "run", 2)
    lines = lines_of(folder.journal)
    for line, event in zip(lines, events_of(folder), strict=True):
        keys = list(event)
        assert keys[:2] == ["ts", "event"]
        assert "by" not in keys or keys[2] == "by"
        assert keys[-1] == "chain"
        assert TIME.fullmatch(str(event["ts"]))
        assert json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode() == line[:-1]
    first = events_of(folder)[0]
    assert (first["event"], first["claim_fence"]) == ("run_opened", CLAIM_FENCE)
    assert str(first["tool"]).startswith("plateau-tui ")


def test_heartbeats_and_the_close_count_the_rows_and_name_their_head(tmp_path: Path) -> None:
    folder = finished_run(tmp_path / "run", 3)
    chains = [json.loads(line)["chain"] for line in lines_of(folder.rows)]
    counted = [
        (event["event"], event["rows"], event["rows_head"])
        for event in events_of(folder)
        if "rows_head" in event
    ]
    assert counted == [
        ("heartbeat", 6, chains[5]),
        ("heartbeat", 12, chains[11]),
        ("heartbeat", 18, chains[17]),
        ("window_closed", 18, chains[17]),
    ]


def test_the_journal_knows_every_event_of_the_contract_that_is_built() -> None:
    named = [
        "run_opened",
        "sealed",
        "objective",
        "registered",
        "watch",
        "pinned",
        "collector_started",
        "collector_stopped",
        "window_opened",
        "heartbeat",
        "fault",
        "recovered",
        "objective_missing",
        "counter_fell",
        "clock_moved",
        "cycles_missed",
        "torn_tail",
        "log_restarted",
        "seal_broken",
        "seal_restored",
        "connection",
        "request",
        "answer",
        "poll_now",
        "note",
        "window_closed",
    ]
    assert set(named) <= set(ev._BY_NAME)


def test_an_event_of_a_later_version_is_kept_by_name() -> None:
    entry = ev.decode_entry(b'{"ts":"2026-01-01T00:00:00.000Z","event":"brand_new","x":[1]}')
    assert (entry.name, entry.event) == ("brand_new", None)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@given(st.dictionaries(st.text(max_size=8) | st.just("chain"), json_values, min_size=1))
@settings(max_examples=40)
def test_the_last_chain_of_a_line_is_found_whatever_the_object_says(value: object) -> None:
    data = msgspec.json.encode(value)
    line, chain = seal_line(GENESIS, data)
    body, found = split_line(line[:-1])
    assert (body + b"}", found) == (data, chain)
    assert link(GENESIS, body) == chain


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}",
        b'{"a":1,"chain":"' + b"A" * 64 + b'"}',
        b'{"a":1,"chain":"' + b"0" * 63 + b'"}',
        b'{"a":1,"chain":"' + b"0" * 64 + b'"} ',
        b'{"a":1, "chain":"' + b"0" * 64 + b'"}',
        b'{"a":1,"chain":null}',
        b"\0" * 512,
    ],
)
def test_a_line_that_ends_in_no_chain_is_told(line: bytes) -> None:
    with pytest.raises(ChainFormatError):
        split_line(line)


@given(st.binary(max_size=200) | st.sampled_from([b"", b'{"a":1']), st.booleans(), st.booleans())
def test_a_line_is_split_at_its_last_chain_however_it_begins(
    body: bytes, twice: bool, spoiled: bool
) -> None:
    """Held against the rule as it is written: the bytes before the last ``,"chain":``."""
    line = body + b',"chain":"' + b"0" * 64 + b'"}' * (1 + twice)
    line = line.replace(b"0", b"g", 1) if spoiled else line
    before, sign, end = line.rpartition(b',"chain":')
    chain = re.fullmatch(rb'"([0-9a-f]{64})"}', end)
    if not sign or chain is None:
        with pytest.raises(ChainFormatError):
            split_line(line)
    else:
        assert split_line(line) == (before, chain[1].decode())


def test_a_row_that_was_read_encodes_to_the_bytes_it_had(tmp_path: Path) -> None:
    folder = finished_run(tmp_path / "run", 1)
    for line in lines_of(folder.rows):
        assert encode_row(decode_row(line)) == line.rpartition(b',"chain":')[0] + b"}"


@given(st.integers(0, 4_000_000_000_000))
def test_times_survive_writing_and_reading(ms: int) -> None:
    assert TIME.fullmatch(format_ms(ms))
    assert parse_ms(format_ms(ms)) == ms


@pytest.mark.parametrize(
    "text",
    ["", "2026-01-01", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000",
     "2026-13-01T00:00:00.000Z", "2026-01-01T00:00:00.000+00:00",
     "9999-12-31T23:59:59.999Z", "2026-01-01T24:00:01.000Z",
     "٢٠٢٦-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z\n"],
)  # fmt: skip
def test_a_time_in_another_form_is_none(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        parse_ms(text)


@pytest.mark.parametrize(("mode", "files"), [(0o700, 0o600), (0o750, 0o640), (0o770, 0o660)])
def test_permissions_are_the_runs_own_whatever_the_umask(
    tmp_path: Path, mode: int, files: int
) -> None:
    before = os.umask(0o077)
    try:
        folder = new_folder(tmp_path / "run", mode=mode)
        writer = begin(folder)
        write_cycle(writer, parsed(), 0)
        with folder.rows.open("ab") as foreign:
            foreign.write(b"foreign")
        folder.journal.unlink()
        write_cycle(writer, parsed(), 1)
        writer.close()
    finally:
        os.umask(before)
    modes = {
        path.name: stat.S_IMODE(path.stat().st_mode)
        for path in [folder.path, *folder.path.iterdir()]
    }
    assert modes.pop("run") == modes.pop("mailbox") == mode
    assert set(modes) == {
        "registration.toml",
        "rows.jsonl",
        "journal.jsonl",
        "rows.torn-1",
        "journal.kept-1",
    }
    assert set(modes.values()) == {files}


def test_a_run_folder_that_could_not_be_filled_can_be_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from plateau_tui.runlog import layout  # noqa: PLC0415 - the module that is broken here

    def no_room(path: Path, data: bytes, mode: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(layout, "write_new", no_room)
        with pytest.raises(layout.RunFolderError, match="No space"):
            new_folder(tmp_path / "run")
    new_folder(tmp_path / "run")


_CHILD = """
import sys
from pathlib import Path
from runlog.runs import Clock, finished_run
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.writer import RunWriter
import secrets
secrets.token_hex = lambda n: "0123abcd"
folder = finished_run(Path(sys.argv[1]), 2, close=False)
writer = RunWriter(folder, Clock())
writer.journal(ev.Note(by="op", text="\\u00a76 \\u4f60 \\U0001f600 \\u00e9"))
writer.require_written()
writer.close()
"""


@pytest.mark.parametrize("locale", ["C", "POSIX", "de_DE.ISO-8859-1", "C.UTF-8"])
def test_the_log_is_byte_identical_under_every_locale(tmp_path: Path, locale: str) -> None:
    path = os.pathsep.join(entry for entry in sys.path if entry)
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": path, "PYTHONUTF8": "0",
                   "PYTHONCOERCECLOCALE": "0"}  # fmt: skip
    logs = []
    for name, values in (("here", {"LC_ALL": "C.UTF-8"}), ("there", {"LC_ALL": locale})):
        run = tmp_path / name
        subprocess.run(
            [sys.executable, "-c", _CHILD, str(run)], env=environment | values, check=True
        )
        logs.append((run / "rows.jsonl").read_bytes() + (run / "journal.jsonl").read_bytes())
    assert logs[0] == logs[1]
    assert "§6 你 😀 é".encode() in logs[0]
    assert COLLECTOR_ID.encode() in logs[0]


def test_a_note_of_bytes_that_are_no_text_is_written_and_blocks_nothing(tmp_path: Path) -> None:
    writer = RunWriter(new_folder(tmp_path / "run"), lambda: 0)
    writer.journal(ev.Note(by="op", text="caf\udce9"))
    writer.journal(ev.Note(by="\udcff", text="next"))
    writer.require_written()
    writer.close()
    assert [event["text"] for event in events_of(writer.folder)[1:]] == ["caf?", "next"]
