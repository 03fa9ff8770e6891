"""Real clients, and the server alone as a process of its own."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

# The package publishes no types.
from aiomcrcon import Client, IncorrectPasswordError  # type: ignore[import-untyped]
from sim.rawrcon import RawRcon, until

from plateau_tui.sim.run import make_server
from plateau_tui.sim.server import SimServer

MCRCON = Path(sysconfig.get_path("scripts")) / "mcrcon"
SERVE = (
    "import sys; from plateau_tui.sim.run import serve; "
    "sys.exit(serve(0, 7, 'builders_vs_hoarders', float(sys.argv[1]), 'pw'))"
)


@pytest.fixture
def server() -> Iterator[SimServer]:
    with make_server("builders_vs_hoarders", seed=1, speed=0, password="pw") as running:
        yield running


def mcrcon(server: SimServer, password: str, commands: list[str]) -> str:
    typed = "\n".join([*commands, "exit"]) + "\n"
    done = subprocess.run(
        [MCRCON, "-p", str(server.port), server.host],
        input=typed,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
        env={**os.environ, "RCON_PASSWORD": password, "PYTHONIOENCODING": "utf-8"},
    )
    return done.stdout + done.stderr


def test_the_mcrcon_command_is_happy(server: SimServer) -> None:
    server.step(1200)
    said = mcrcon(
        server,
        "pw",
        [
            "minecraft:list",
            "minecraft:scoreboard objectives add mine_stone minecraft.mined:minecraft.stone",
            "minecraft:scoreboard players get UNI-10-1 mine_stone",
            "minecraft:clear UNI-11-1 minecraft:wooden_pickaxe 0",
            "tps",
        ],
    )
    assert "There are 6 of a max of 20 players online: UNI-10-1, UNI-10-2" in said
    assert "Created new objective [mine_stone]" in said
    assert "Can't get value of mine_stone for UNI-10-1; none is set" in said
    assert "matching items on player UNI-11-1" in said
    assert "§6TPS from last" in said
    assert len(server.commands) == 5


def test_the_mcrcon_command_is_told_of_a_wrong_password(server: SimServer) -> None:
    assert "Login failed" in mcrcon(server, "wrong", ["list"])
    assert server.commands == ()


def test_aio_mc_rcon_is_happy(server: SimServer) -> None:
    async def converse() -> list[str]:
        async with Client(server.host, server.port, "pw") as client:
            await client.send_cmd("scoreboard objectives add x dummy")
            await client.send_cmd("scoreboard players set UNI-10-1 x 5")
            asked = "list", "scoreboard players list UNI-10-1", "nonsense"
            return [(await client.send_cmd(each))[0] for each in asked]

    listed, scores, unknown = asyncio.run(converse())
    assert listed.startswith("There are 6 of a max of 20 players online: UNI-10-1")
    assert scores == "UNI-10-1 has 1 scores:[x]: 5"
    assert unknown == 'Unknown command. Type "/help" for help.\n'


def test_aio_mc_rcon_is_told_of_a_wrong_password(server: SimServer) -> None:
    async def login() -> None:
        await Client(server.host, server.port, "wrong").connect()

    with pytest.raises(IncorrectPasswordError):
        asyncio.run(login())


def test_at_speed_0_counters_move_only_by_steps(server: SimServer) -> None:
    with RawRcon((server.host, server.port), "pw") as client:
        client.ask("scoreboard objectives add mine_oak_log minecraft.mined:minecraft.oak_log")
        question = "scoreboard players get UNI-11-1 mine_oak_log"
        assert "none is set" in client.ask(question)
        server.step(200)
        assert client.ask(question).startswith("UNI-11-1 has ")
        server.world.leave("UNI-11-1")
        assert client.ask(question).startswith("UNI-11-1 has ")
        assert client.ask("clear UNI-11-1 minecraft:stick 0") == "No player was found"
        assert "UNI-11-1" not in client.ask("list")


def test_a_running_world_saves_itself_and_a_crash_returns_to_the_save() -> None:
    with make_server("builders_vs_hoarders", speed=2000, password="pw") as server:
        server.scoreboard.add("mine_stone", "minecraft.mined:minecraft.stone")

        def stone() -> int:
            return server.scoreboard.score("UNI-10-1", "mine_stone") or 0

        def saved() -> int:
            return dict(server._saved.scores).get(("UNI-10-1", "mine_stone"), 0)

        def caught_between_two_saves() -> bool:
            if 0 < saved() < stone():
                server.freeze(30)
                return True
            return False

        until(lambda: server.run_locked(caught_between_two_saves), 10)
        expected = saved()
        server.go_down(rollback=True)
        assert stone() == expected


def test_the_speed_can_change_under_way(server: SimServer) -> None:
    server.set_speed(100)
    until(lambda: server.world.now > 100)
    server.set_speed(0)


def test_run_locked_gives_what_the_action_gives(server: SimServer) -> None:
    assert server.run_locked(lambda: server.world.now) == 0


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_the_server_alone_says_where_it_listens_and_ends_cleanly(sent: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVE, "100"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            where = json.loads(process.stdout.readline())
            assert where["host"] == "127.0.0.1"
            with RawRcon((where["host"], where["port"]), "pw") as client:
                add = "scoreboard objectives add {} minecraft.{}:minecraft.{}"
                client.ask(add.format("place_cobble", "used", "cobblestone"))
                client.ask(add.format("place_table", "used", "crafting_table"))
                until(lambda: "[place_cobble]" in client.ask("scoreboard players list UNI-10-1"))
            process.send_signal(sent)
            assert process.wait(10) == 0
            assert process.stderr.read() == ""
        finally:
            process.kill()
