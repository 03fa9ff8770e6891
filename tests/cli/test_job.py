"""The operator's job, each step a child process, over real TCP."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.shell import Shell

from plateau_tui.metric.fence import CLAIM_FENCE
from plateau_tui.metric.objectives import METRIC_OBJECTIVES
from plateau_tui.sim.server import SimServer

UNITS = [f"UNI-{kin}-{number}" for kin in (10, 11) for number in (1, 2, 3)]
NAMES = [objective.name for objective in METRIC_OBJECTIVES]
STATUS_KEYS = [
    "state", "sealed", "registered", "pinned", "exported", "cycle", "cycles", "next_poll_ts",
    "collector", "rcon_ok", "gaps", "units",
]  # fmt: skip
UNIT_KEYS = [
    "arm", "role", "online", "primary", "secondary", "plateau_break", "placed_used_total",
    "distinct_mined_beyond", "pickaxe_hoard", "age_s",
]  # fmt: skip


def wait_for(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the condition never came true"
        time.sleep(0.05)


def events(folder: Path) -> list[dict[str, object]]:
    text = folder.joinpath("journal.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def had_before(server: SimServer, name: str, block: str) -> None:
    """Give the server an objective from before the run, with 7 for one unit."""
    criterion = f"minecraft.mined:minecraft.{block}"
    server.run_locked(lambda: server.scoreboard.add(name, criterion))
    server.run_locked(lambda: server.scoreboard.set_score("UNI-11-2", name, 7))


def test_the_whole_job_from_draft_to_closed(connected: Shell, server: SimServer) -> None:
    folder = connected.draft("r", interval_s="0.5", cycles="4")
    before = connected.json("check", "r")
    assert before["objectives"] == dict.fromkeys(NAMES, "missing")
    assert before["units"] == dict.fromkeys(UNITS, True)
    assert before["server"] == {"host": server.host, "port": server.port, "namespaced": True}

    made = connected.json("register", "r")
    assert made == {"created": NAMES, "existing": [], "failed": {}, "nonzero": {}}
    said = connected.run("register", "r").stdout
    assert said.splitlines()[-1] == "  start reading: no counter is above 0"
    again = connected.json("register", "r")
    assert (again["created"], again["existing"], again["nonzero"]) == ([], NAMES, {})
    assert connected.json("status", "r")["state"] == "draft"

    server.set_speed(20)
    watched = connected.json("watch-wood", "r", "--polls", "6", "--every", "0.3")
    assert watched["suggestion"] == dict.fromkeys(UNITS, "oak_log")
    assert "oak_log +" in connected.refused("pin", "r", "birch_log", code=1)
    assert connected.run("pin", "r", "oak_log").returncode == 0
    assert connected.json("status", "r")["state"] == "draft"
    assert connected.json("seal", "r")["sha256"]
    assert connected.json("status", "r")["state"] == "pinned"

    assert connected.run("collect", "r").returncode == 0
    status = connected.json("status", "r")
    assert list(status) == STATUS_KEYS
    assert (status["state"], status["cycle"], status["cycles"]) == ("closed", 3, 4)
    assert (status["rcon_ok"], status["gaps"], status["next_poll_ts"]) == (True, 0, None)
    assert list(status["units"]) == UNITS
    for name, unit in status["units"].items():
        assert list(unit)[: len(UNIT_KEYS)] == UNIT_KEYS
        assert unit["secondary"] is name.startswith("UNI-10-")
    assert connected.json("verify", "r")["intact"] is True
    assert connected.run("collect", "r").returncode == 0  # a closed run: nothing is read
    assert "nothing but the verdict" in connected.refused("note", "r", "late", code=1)
    assert events(folder)[0]["claim_fence"] == CLAIM_FENCE
    assert events(folder)[-1]["event"] == "window_closed"


def test_an_unsealed_run_is_not_collected(connected: Shell) -> None:
    folder = connected.draft("r")
    assert "not sealed" in connected.refused("collect", "r", code=1)
    assert not folder.joinpath("rows.jsonl").exists()


def test_counters_above_zero_at_the_start_are_named_and_refused(
    connected: Shell, server: SimServer
) -> None:
    server.run_locked(
        lambda: server.scoreboard.add("mine_stone", "minecraft.mined:minecraft.stone")
    )
    server.run_locked(lambda: server.scoreboard.set_score("UNI-11-2", "mine_stone", 7))
    connected.draft("r", interval_s="0.5", cycles="2")
    made = connected.json("register", "r")
    assert made["existing"] == ["mine_stone"]
    assert made["nonzero"] == {"UNI-11-2": {"mine_stone": 7}}
    assert "collect will refuse this gate" in connected.run("seal", "r").stderr
    line = connected.refused("collect", "r", code=1)
    assert "UNI-11-2 mine_stone 7" in line
    assert "offset" in line


def test_offset_scores_what_came_after_the_start_and_keeps_raw_counts(
    connected: Shell, server: SimServer
) -> None:
    had_before(server, "mine_stone", "stone")
    had_before(server, "mine_dirt", "dirt")
    folder = connected.draft("r", interval_s="0.5", cycles="2", start_counts='"offset"')
    connected.run("register", "r")
    server.run_locked(lambda: server.scoreboard.set_score("UNI-11-2", "mine_dirt", 9))
    connected.run("pin", "r", "oak_log")
    connected.run("seal", "r")
    assert connected.run("collect", "r").returncode == 0
    lines = folder.joinpath("rows.jsonl").read_text(encoding="utf-8").splitlines()
    row = next(r for r in map(json.loads, lines) if r["uni"] == "UNI-11-2")
    assert (row["mined"]["stone"], row["mined"]["dirt"]) == (7, 9)
    assert row["secondary"] is False  # one kind since the start, not two


def test_detach_returns_when_the_child_holds_the_run(connected: Shell) -> None:
    connected.draft("r", interval_s="0.5", cycles="500")
    connected.run("register", "r")
    connected.run("seal", "r")
    pid = int(connected.run("collect", "r", "--detach").stdout)
    try:
        status = connected.json("status", "r")
        assert status["collector"]["running"] is True
        assert "holds the run" in connected.refused("collect", "r", code=4)
        assert "holds the run" in connected.refused("check", "r", code=4)
        assert "holds the run" in connected.refused("register", "r", code=4)
        wait_for(lambda: connected.json("status", "r")["state"] == "open")
        assert connected.run("note", "r", "hello").returncode == 0
        assert "WITHHELD" in connected.refused("close", "r", code=2)
    finally:
        os.kill(pid, signal.SIGTERM)
    wait_for(lambda: not connected.json("status", "r")["collector"]["running"])
    assert "--why" in connected.refused("close", "r", "--early", code=2)
    assert connected.run("close", "r", "--early", "--why", "the test is over").returncode == 0
    assert connected.json("verify", "r")["intact"] is True


def test_detach_reports_why_the_child_could_not_start(connected: Shell) -> None:
    connected.draft("r")
    assert "not sealed" in connected.refused("collect", "r", "--detach", code=1)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_the_collector_with_its_code(
    connected: Shell, number: signal.Signals, code: int
) -> None:
    connected.draft("r", interval_s="0.5", cycles="500")
    connected.run("register", "r")
    connected.run("seal", "r")
    child = subprocess.Popen(
        [sys.executable, "-m", "plateau_tui", "collect", "r"],
        env=connected.environment(),
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(lambda: connected.json("status", "r")["state"] == "open")
    child.send_signal(number)
    _, stderr = child.communicate(timeout=10)
    assert child.returncode == code
    assert "Traceback" not in stderr
    assert connected.json("verify", "r")["intact"] is True


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_the_watch_with_its_code(
    connected: Shell, number: signal.Signals, code: int
) -> None:
    connected.draft("r")
    connected.run("register", "r")
    child = subprocess.Popen(
        [sys.executable, "-m", "plateau_tui", "watch-wood", "r", "--polls", "100", "--every", "9"],
        env=connected.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stderr is not None
    assert "poll 0 of 100" in child.stderr.readline()
    child.send_signal(number)
    _, stderr = child.communicate(timeout=10)
    assert (child.returncode, "Traceback" in stderr) == (code, False)


def test_watching_another_species_keeps_the_drafts_comments(
    connected: Shell, server: SimServer
) -> None:
    folder = connected.draft("r")
    before = folder.joinpath("registration.toml").read_text(encoding="utf-8")
    connected.run("register", "r")
    words = ("watch-wood", "r", "--polls", "1", "--every", "0.1", "--also", "jungle_log")
    assert connected.run(*words).returncode == 0
    after = folder.joinpath("registration.toml").read_text(encoding="utf-8")
    assert "minecraft.mined:minecraft.jungle_log" in after
    assert all(line in after for line in before.splitlines() if line.startswith("#"))
    names = [objective.name for objective in server.run_locked(server.scoreboard.objectives)]
    assert "mine_jungle_log" in names
    assert "the nearest is 'jungle_log'" in connected.refused(
        "watch-wood", "r", "--also", "jungel_log", code=1
    )


def test_sim_says_where_it_listens_and_ends_on_sigterm(shell: Shell) -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "plateau_tui", "sim", "--scenario", "idle"],
        env=shell.environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    first = json.loads(child.stdout.readline())
    assert first["host"] == "127.0.0.1"
    shell.draft("r")
    assert shell.json("check", "r", "--port", str(first["port"]))["connected"] is True
    child.terminate()
    assert child.wait(timeout=10) == 0
    child.stdout.close()


def test_sim_refuses_to_listen_without_a_password(shell: Shell) -> None:
    shell.password = None
    assert "PLATEAU_TUI_RCON_PASSWORD" in shell.refused("sim", code=2)


def test_the_demo_does_the_whole_job_and_ends_with_the_fence(shell: Shell) -> None:
    shell.password = None
    done = shell.run("demo", "--headless", "--cycles", "3", "--to", str(shell.home / "demo"))
    assert done.returncode == 0, done.stderr
    steps = [line.split()[2] for line in done.stdout.splitlines() if line.startswith("$ ")]
    before, during = ["new", "check", "register", "watch-wood", "pin", "seal"], ["collect", "note"]
    after = ["status", "verify", "verdict", "export", "verify"]
    assert steps == [*before, *during, *after]
    assert CLAIM_FENCE in done.stdout
    assert done.stdout.count("intact; 18 rows in 3 cycles") == 2  # the run, and its export
    assert "verdict.json: derived again from the log, the same" in done.stdout
    assert "SR-4" in done.stdout
    assert "treatment: PRIMARY" in done.stdout
    status = shell.json("status", str(shell.home / "demo"))
    assert (status["state"], status["exported"]) == ("closed", True)
    assert status["collector"]["running"] is False
