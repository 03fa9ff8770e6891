"""``check``: who of the registered units is not online, and who else is."""

from cli.shell import Shell

from plateau_tui.sim.server import SimServer


def test_units_that_are_not_online_and_players_that_are_no_units_are_named(
    connected: Shell, server: SimServer
) -> None:
    connected.draft("r")
    server.world.leave("UNI-10-3")
    server.world.join("uni-10-3")
    server.world.join("Steve")
    told = connected.run("check", "r").stdout.splitlines()
    assert "  UNI-10-3         OFFLINE" in told
    assert "not online: UNI-10-3" in told
    assert "online and no unit of this run: uni-10-3, Steve" in told
    assert "a unit bears its name exactly, capitals too: check it before the seal" in told
    data = connected.json("check", "r")
    assert data["others"] == ["uni-10-3", "Steve"]
    assert data["units"]["UNI-10-3"] is False


def test_a_whole_roster_is_told_without_a_word_of_warning(connected: Shell) -> None:
    connected.draft("r")
    told = connected.run("check", "r").stdout
    assert "online and no unit" not in told
    assert "not online" not in told
    assert connected.json("check", "r")["others"] == []
