"""A server that says the password back, wherever it can: nothing that is kept or shown has it."""

import signal

import pytest
from collector.bench import wait_for
from secrecy.home import LIMIT_S, Home
from secrecy.searching import CANARY

from plateau_tui.server.secret import HIDDEN
from plateau_tui.sim import faults as sf
from plateau_tui.sim.server import SimServer

SAID = {
    "an error": f"Error executing: minecraft:list ({CANARY})",
    "an error that is cut": f"Error executing: minecraft:list ({'x' * 80}{CANARY})",
    "an unknown command": f'Unknown command {CANARY}. Type "/help" for help.',
    "a name and a display name": f"{CANARY} has 5 [{CANARY}]",
    "display names": f"UNI-10-1 has 2 scores:[{CANARY}]: 5[x{CANARY}]: 6",
    "players": f"There are 2 of a max of 20 players online: {CANARY}, x{CANARY}x",
}


def given(home: Home) -> tuple[str, ...]:
    return ("--password-file", str(home.secret_file))


@pytest.mark.parametrize("said", SAID.values(), ids=SAID.keys())
def test_before_the_window(home: Home, server: SimServer, said: str) -> None:
    home.make_run()
    server.faults.always(sf.replaced(said))
    for words in (("check", "r"), ("check", "r", "--json")):
        home.run(*words, *given(home), code=None)
    assert home.found() == []


def test_registering_and_watching(home: Home, server: SimServer) -> None:
    home.make_run()
    server.faults.always(sf.replaced(SAID["an unknown command"]), "objectives add")
    home.run("register", "r", *given(home), code=1)
    server.faults.clear()
    server.faults.always(sf.replaced(SAID["an unknown command"]), "players get")
    home.run("watch-wood", "r", "--polls", "1", "--every", "0.1", *given(home), code=None)
    assert any(HIDDEN.encode() in said for said in home.said.values())
    assert home.found() == []


@pytest.mark.parametrize(
    ("said", "command"),
    [
        (SAID["an error that is cut"], "players list"),
        (SAID["a name and a display name"], "players list"),
        (SAID["players"], "minecraft:list"),
        (SAID["an unknown command"], "clear"),
    ],
    ids=["an error", "a name", "players", "an unknown command"],  # in the environment of pytest
)
def test_in_the_window_and_in_its_export(
    home: Home, server: SimServer, said: str, command: str
) -> None:
    home.make_run()
    process = home.start("collect", "r", *given(home))
    wait_for(home.folder.rows.exists, LIMIT_S)
    server.faults.always(sf.replaced(said), command)
    logs = (home.folder.rows, home.folder.journal)
    begun = HIDDEN[:5].encode()  # the rest of it may be cut off
    wait_for(lambda: any(begun in log.read_bytes() for log in logs), LIMIT_S)
    process.send_signal(signal.SIGTERM)
    home.ended("collect", process, 143)
    home.run("close", "r", "--early", "--why", "enough")
    for name in ("status", "verify", "verdict", "export"):
        home.run(name, "r", code=None)
    assert home.found() == []


def test_a_password_that_cannot_be_hidden_is_told_before_the_seal(home: Home) -> None:
    home.run("new", "r", "--from", str(home.path / "draft.toml"))
    for password, why in (
        ("UNI-10-1", "it is a part of the name UNI-10-1"),
        ("minecraft", "it is a part of the game's own answers"),
        ("abc", "it has fewer than 4 characters"),
    ):
        home.extra["PLATEAU_TUI_RCON_PASSWORD"] = password
        home.run("check", "r", code=3)
        assert why.encode() in list(home.said.values())[-1]
    home.run("seal", "r", code=None)
    assert b"it has fewer than 4 characters" in list(home.said.values())[-1]
