"""A program that is replaced under a running collector: docs/operating.md, Upgrading."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from collector.bench import Bench, finish, wait_for
from collector.test_truth import populate

import plateau_tui
from plateau_tui.collector import operate
from plateau_tui.runlog import events as ev
from plateau_tui.sim import faults as sf
from plateau_tui.sim.server import SimServer

_OTHER = 'raise RuntimeError("a module of another version was loaded")\n'


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A copy of the program, in a folder that stands first on the path of what is started."""
    site = tmp_path / "site"
    source = Path(plateau_tui.__file__).parent
    shutil.copytree(source, site / "plateau_tui", ignore=shutil.ignore_patterns("__pycache__"))
    return site


def replaced(site: Path) -> None:
    """Put another version in the program's place, each module of which tells on who loads it."""
    package = site / "plateau_tui"
    names = [path.relative_to(package) for path in package.rglob("*.py")]
    shutil.rmtree(package)
    for name in names:
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_OTHER)


@contextmanager
def collecting(bench: Bench, site: Path) -> "Iterator[subprocess.Popen[str]]":
    child = subprocess.Popen(
        [sys.executable, "-m", "plateau_tui", "collect", str(bench.folder.path)],
        cwd=site,
        env=os.environ | {"PLATEAU_TUI_RCON_PASSWORD": bench.password, "PYTHONPATH": str(site)},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield child
    finally:
        if child.poll() is None:
            child.kill()
            child.communicate()


def test_a_collector_needs_nothing_of_what_is_replaced_beneath_it(
    tmp_path: Path, sim_server: SimServer, installed: Path
) -> None:
    """Faults, requests, a restart of the server and the close come after the replacement."""
    probe = [sys.executable, "-c", 'print("{}")']
    bench = Bench.make(
        tmp_path, sim_server.port, "simulated", interval_s=0.5, cycles=18, probe=probe
    )
    populate(sim_server, bench)
    with collecting(bench, installed) as child:
        wait_for(lambda: bench.folder.rows.exists() and bench.cycles() >= 2)
        replaced(installed)
        operate.note(bench.folder, "upgraded", "an operator")
        for fault in (sf.garbage(), sf.reset(), sf.empty(), sf.drop_mid_reply(), sf.wrong_id()):
            sim_server.faults.once(fault, "scoreboard")
        at = bench.cycles()
        wait_for(lambda: bench.cycles() >= at + 3)
        sim_server.go_down()
        wait_for(lambda: any(isinstance(event, ev.Fault) for event in bench.events()))
        sim_server.come_up()
        bench.folder.registration.write_text("not what was sealed")
        operate.poll_now(bench.folder, "an operator")
        code, told, _ = finish(child)
    assert code == 0, told
    assert "another version" not in told + json.dumps([str(event) for event in bench.events()])
    kinds = {type(event) for event in bench.events()}
    assert {ev.Note, ev.Fault, ev.Recovered, ev.PollNow, ev.SealBroken, ev.WindowClosed} <= kinds
    read = [(row.cycle, row.uni) for row in bench.rows()]
    assert read == [(cycle, unit) for cycle in range(18) for unit in bench.units]
