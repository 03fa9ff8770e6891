"""No name of a unit, an objective, a species or a person becomes more than a name."""

import re
from collections.abc import Callable

import pytest
from collector.bench import Bench, gate
from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.collector.pins import PinRequest, pin_events
from plateau_tui.collector.run import DeclinedError, open_run
from plateau_tui.metric.objectives import ObjectiveError, extension
from plateau_tui.metric.registration import parse_registration
from plateau_tui.metric.tables import ConfigError
from plateau_tui.resources import game_ids
from plateau_tui.server import commands
from plateau_tui.server.transport import Endpoint, Transport
from plateau_tui.sim.server import SimServer

INJECTIONS = (
    "@a", "@e[type=player]", "*", "UNI-10-1 0", "UNI-10-1\nop me", "UNI-10-1\rop me",
    "x;stop", "x\0", "", " ", "-", "../x", "$(id)", "`id`", "UNI\u00a010", "UNI\u20101", "\uff35NI",
    "uni\u202e", "x" * 17, "a/b", "minecraft:x", "x[y=z]", '"', "'", "\\", "%s", "{x}", "#x",
    "=1+1", "\x1b[2J",
)  # fmt: skip
"""Selectors, second commands, other alphabets, paths, shells, formats, terminals."""
PLAIN = re.compile(r"[A-Za-z0-9_.+-]{1,16}")
"""Names that are odd and do no harm: a dash is a player's name, whatever it looks like."""


def toml(text: str) -> str:
    return '"' + "".join(f"\\U{ord(c):08x}" for c in text) + '"'


def with_unit(name: str) -> bytes:
    return gate(2, 0.5, 5).replace('"UNI-10-1"', toml(name)).encode()


@pytest.mark.parametrize("name", [name for name in INJECTIONS if not PLAIN.fullmatch(name)])
def test_a_name_that_is_more_than_a_name_is_refused_everywhere(name: str) -> None:
    with pytest.raises(ConfigError, match="units") as caught:
        parse_registration(with_unit(name), game_ids())
    assert all(problem.isprintable() for problem in caught.value.problems)
    builds: tuple[Callable[[], str], ...] = (
        lambda: commands.get_score(name, "mine_stone", namespaced=True),
        lambda: commands.get_score("UNI-10-1", name, namespaced=True),
        lambda: commands.list_scores(name, namespaced=True),
        lambda: commands.add_objective(name, "minecraft.mined:minecraft.stone", namespaced=True),
        lambda: commands.add_objective("x", name, namespaced=True),
    )
    for build in builds:
        with pytest.raises(ValueError, match="nothing was sent"):
            build()
    with pytest.raises(ObjectiveError):
        extension(name, "minecraft.mined:minecraft.stone", game_ids())
    with pytest.raises(ObjectiveError):
        extension("x", f"minecraft.mined:minecraft.{name}", game_ids())


@pytest.mark.parametrize("label", ["x\ny", "\x1b[2J", "uni\u202e", "a\u200bb", "x\0", "x" * 33])
def test_a_label_that_would_do_more_than_be_read_is_refused(label: str) -> None:
    text = gate(2, 0.5, 5).replace('label = "curiosity"', f"label = {toml(label)}")
    with pytest.raises(ConfigError, match="label") as caught:
        parse_registration(text.encode(), game_ids())
    assert all(problem.isprintable() for problem in caught.value.problems)


@given(st.text(max_size=20))
def test_whatever_is_registered_reads_and_never_writes(name: str) -> None:
    try:
        registration = parse_registration(with_unit(name), game_ids())
    except (ConfigError, UnicodeEncodeError):
        return
    unit = registration.treatment.units[0]
    assert unit == name
    text = commands.list_scores(unit, namespaced=True)
    assert text == f"minecraft:scoreboard players list {unit}"
    assert text.count(" ") == 3
    assert text.isascii()
    assert text.isprintable()


@given(st.text(max_size=60))
def test_no_other_text_ever_reaches_the_socket(text: str) -> None:
    transport = Transport(Endpoint("127.0.0.1", 1), "x")
    if commands.READ_ONLY.fullmatch(text) is None:
        with pytest.raises(ValueError, match="not sent"):
            transport.command(text)


@pytest.mark.parametrize(
    "text",
    [
        "clear UNI-10-1", "clear UNI-10-1 minecraft:stick", "clear @a minecraft:stick 0",
        "clear UNI-10-1 minecraft:stick 0\n", "list\n", "list;stop", "scoreboard players set x y 1",
        "scoreboard objectives remove mine_stone", "scoreboard players reset UNI-10-1", "stop",
        "execute as @a run list", "minecraft:minecraft:list", "LIST", "list ", "/list", "say list",
    ],
)  # fmt: skip
def test_a_command_that_only_looks_like_one_of_the_six_is_not_sent(text: str) -> None:
    with pytest.raises(ValueError, match="not sent"):
        Transport(Endpoint("127.0.0.1", 1), "x").command(text)


@pytest.mark.parametrize("species", INJECTIONS)
def test_a_species_that_is_none_is_not_pinned(species: str, bench: Bench) -> None:
    with open_run(bench.folder) as run:
        for request in (
            PinRequest(species, {}, "", "me"),
            PinRequest(None, {"UNI-10-1": species}, "", "me"),
            PinRequest("oak_log", {species: "oak_log"}, "", "me"),
        ):
            if request.species or request.by_unit:
                with pytest.raises(DeclinedError) as caught:
                    pin_events(run, request, None)
                assert "\n" not in str(caught.value)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    with SimServer() as server:
        return Bench.make(tmp_path_factory.mktemp("commands"), server.port, "simulated")
