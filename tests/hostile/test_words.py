"""What foreigners write, on an operator's terminal: words, and never a move of the cursor."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from collector.bench import Bench
from collector.test_truth import populate

from plateau_tui.cli.commands import group
from plateau_tui.cli.common import say, tell
from plateau_tui.collector import mailbox
from plateau_tui.collector.desk import TAKEN_AT_ONCE, Desk
from plateau_tui.collector.recovery import recover
from plateau_tui.collector.run import open_run, wall_ms
from plateau_tui.collector.window import WindowLog
from plateau_tui.runlog import events as ev
from plateau_tui.sim.server import SimServer

EVIL = "x\x1b[2J\x1b]0;owned\x07\x9b31m\u202egnp.exe\u2066\r\n# PASS\x00\x7f\u200b"
ATTESTATION = f"""\
adjudicator = {json.dumps(EVIL)}
[attribution]
single_variable = true
other_differences = [{json.dumps(EVIL)}]
"""


def harmless(text: str) -> bool:
    return all(c.isprintable() or c == "\n" for c in text)


@pytest.fixture
def bench(tmp_path: Path, sim_server: SimServer) -> Bench:
    bench = Bench.make(
        tmp_path, sim_server.port, "simulated", cycles=2, interval_s=2.0,
        more=f'[probe]\narm_values = {{treatment = {json.dumps(EVIL)}, control = "c"}}',
    )  # fmt: skip
    populate(sim_server, bench)
    return bench


def test_no_command_prints_what_moves_the_cursor(bench: Bench, sim_server: SimServer) -> None:
    bench.collect(once=True)
    mailbox.post(bench.folder, "note", EVIL, {"text": EVIL})
    mailbox.post(bench.folder, "close", EVIL, {"early": True, "why": EVIL})
    bench.collect(early=False)
    (bench.folder.path / "answers.toml").write_text(ATTESTATION, encoding="utf-8")
    run, answers = str(bench.folder.path), str(bench.folder.path / "answers.toml")
    asked = [
        ("status", run), ("verify", run), ("verdict", run), ("verdict", run, "--attest", answers),
        ("export", run), ("verify", f"{run}/export"), ("note", run, EVIL), ("seal", run),
    ]  # fmt: skip
    for words in asked:
        for more in ([], ["--json"]) if words[0] not in {"export", "note"} else ([],):
            done = CliRunner().invoke(group, [*words, *more])
            assert harmless(done.output), (words, ascii(done.output))
            if more and done.output:
                json.loads(done.output)
    said = (bench.folder.journal.read_bytes(), bench.folder.rows.read_bytes())
    assert all(b"\x1b" not in data and data.count(b"\n# PASS") == 0 for data in said)
    page = (bench.folder.path / "export" / "verdict.md").read_text(encoding="utf-8")
    assert harmless(page), ascii(page)
    assert "\n# PASS" not in page


def test_whatever_a_command_tells_is_printable(capsys: pytest.CaptureFixture[str]) -> None:
    """Also where nobody thought of whose words they are."""
    tell(EVIL)
    say(EVIL)
    shown = capsys.readouterr()
    for text in (shown.out, shown.err):
        assert "owned" in text
        assert harmless(text), ascii(text)


def test_a_full_mailbox_is_taken_a_few_at_a_time(bench: Bench) -> None:
    """A hundred thousand requests must not cost a cycle: each is written and synced."""
    bench.collect(once=True)
    with open_run(bench.folder) as run:
        desk = Desk(run, WindowLog(run, recover(run)), wall_ms, wall_ms, str)
        for number in range(2 * TAKEN_AT_ONCE + 5):
            mailbox.post(bench.folder, "note", "me", {"text": f"number {number}"})
        left = []
        for _ in range(4):
            desk.look()
            left.append(len(list(bench.folder.mailbox.iterdir())))
        assert left == [TAKEN_AT_ONCE + 5, 5, 0, 0]
    notes = [event for event in bench.events() if isinstance(event, ev.Note)]
    assert len(notes) == 2 * TAKEN_AT_ONCE + 5
