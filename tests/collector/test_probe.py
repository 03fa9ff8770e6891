"""The probe: telemetry or a gap, never a stop, and nothing left behind."""

import sys
import threading
import time
from pathlib import Path

import pytest
from collector.bench import Bench, Running, wait_for
from collector.test_truth import populate

from plateau_tui.collector.probe import run_probe
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.connection import ProbeCommand
from plateau_tui.sim.server import SimServer

UNITS = ("UNI-10-1", "UNI-11-1")


def python(script: str, timeout_s: float = 3.0) -> ProbeCommand:
    return ProbeCommand((sys.executable, "-c", script), timeout_s)


def test_what_the_probe_says_of_a_unit_stands_in_its_row(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = Bench.make(tmp_path, sim_server.port, "simulated", interval_s=2.0)
    populate(sim_server, bench)
    script = 'print(\'{"uni":"UNI-10-1","arm":"curiosity","phase":2,"novelty_W_a":0.5}\')'
    probe = python(script, 0.8)
    with Running(bench, probe=probe) as running:
        running.until(bench.rows)
    first, second, *_ = bench.rows()
    assert (first.probe_ok, first.probe_arm, first.phase, first.novelty_W_a) == (
        True,
        "curiosity",
        2,
        0.5,
    )
    assert (second.probe_ok, second.probe_arm, second.note) == (False, None, "probe: silent")
    assert all(row.rcon_ok for row in bench.rows())


@pytest.mark.parametrize(
    "line",
    [
        '{"uni":"UNI-10-1","phase":NaN}',
        '{"uni":"UNI-10-1","phase":1e999}',
        '{"uni":"UNI-10-1","phase":1' + "0" * 400 + "}",
        '{"uni":"UNI-10-1","phase":true}',
        '{"uni":"UNI-10-1","shell":"x"}',
        '{"uni":"UNI-99-1","phase":1}',
        '{"uni":"UNI-10-1","arm":"\\ud800"}',
        '{"uni":"UNI-10-1","arm":"' + "x" * 5000 + '"}',
        "not json",
        "[" * 50_000,
    ],
)
def test_a_line_that_cannot_be_used_is_a_gap(line: str) -> None:
    found = run_probe(python(f"print({line!r})"), UNITS, threading.Event())
    assert not any(unit.ok for unit in found.values())
    assert "1 line could not be used" in found["UNI-10-1"].note


@pytest.mark.parametrize(
    ("script", "word"),
    [
        ("import sys; sys.exit(3)", "exit status 3"),
        ("import time; time.sleep(60)", "no end within"),
        ("import sys\nwhile True: sys.stdout.write('x' * 65536)", "bytes"),
    ],
)
def test_a_probe_that_fails_hangs_or_floods_is_a_gap(script: str, word: str) -> None:
    start = time.monotonic()
    found = run_probe(python(script, 1.0), UNITS, threading.Event())
    assert all(word in unit.note and not unit.ok for unit in found.values())
    assert time.monotonic() - start < 5


def test_a_program_that_does_not_exist_is_a_gap() -> None:
    found = run_probe(ProbeCommand(("/no/such/program",), 1.0), UNITS, threading.Event())
    assert "could not be started" in found["UNI-10-1"].note


def test_the_password_is_not_in_the_probes_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLATEAU_TUI_RCON_PASSWORD", "canary")
    script = (
        "import os, json\n"
        "hit = 'canary' in ''.join(os.environ.values())\n"
        "print(json.dumps({'uni': 'UNI-10-1', 'phase': int(hit)}))"
    )
    found = run_probe(python(script), UNITS, threading.Event())
    assert found["UNI-10-1"].telemetry["phase"] == 0


@pytest.mark.parametrize("ends", ["", "; time.sleep(60)"])
def test_what_a_probe_started_ends_with_it_even_when_it_holds_the_pipe(
    tmp_path: Path, ends: str
) -> None:
    file = tmp_path / "pid"
    script = (
        "import subprocess, sys, time, pathlib\n"
        "c = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"pathlib.Path({str(file)!r}).write_text(str(c.pid)){ends}"
    )
    start = time.monotonic()
    found = run_probe(python(script, 1.0), UNITS, threading.Event())
    assert "no end within" in found["UNI-10-1"].note
    assert time.monotonic() - start < 5

    def gone() -> bool:
        state = Path(f"/proc/{file.read_text()}/stat")
        return not state.exists() or state.read_text().split()[2] == "Z"

    wait_for(gone)


def test_a_stop_ends_the_probe_at_once() -> None:
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    start = time.monotonic()
    found = run_probe(python("import time; time.sleep(60)", 50), UNITS, stop)
    assert found["UNI-10-1"].note == "probe: stopped"
    assert time.monotonic() - start < 3


def test_a_tag_of_the_other_arm_is_told_when_it_comes_and_when_it_goes(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = Bench.make(tmp_path, sim_server.port, "simulated", interval_s=0.5, cycles=5000)
    populate(sim_server, bench)
    tags = tmp_path / "tags"
    tags.write_text('{"uni":"UNI-10-1","arm":"control"}\n')
    script = f"print(open({str(tags)!r}).read())"
    with Running(bench, probe=python(script, 0.3)) as running:
        running.until(lambda: any(row.probe_arm == "control" for row in bench.rows()))
        tags.write_text('{"uni":"UNI-10-1","arm":"curiosity"}\n')
        running.until(
            lambda: any(
                isinstance(e, ev.Recovered) and e.code == "probe_arm" for e in bench.events()
            )
        )
    told = [e for e in bench.events() if isinstance(e, ev.Fault) and e.code == "probe_arm"]
    assert len(told) == 1
    assert "UNI-10-1 'control'" in told[0].text
    assert "SR-4" in told[0].text


def test_a_registered_tag_and_a_blank_one_contradict_nothing(
    tmp_path: Path, sim_server: SimServer
) -> None:
    more = '[probe]\narm_values = {treatment = "gain 0.5", control = "gain 0"}\n'
    bench = Bench.make(
        tmp_path, sim_server.port, "simulated", interval_s=2.0, more=more, cycles=5000
    )
    populate(sim_server, bench)
    lines = '{"uni":"UNI-10-1","arm":"gain 0.5"}\n{"uni":"UNI-11-1","arm":" "}'
    with Running(bench, probe=python(f"print({lines!r})", 0.8)) as running:
        running.until(bench.rows)
    assert bench.rows()[0].probe_arm == "gain 0.5"
    assert not [e for e in bench.events() if isinstance(e, ev.Fault) and e.code == "probe_arm"]
