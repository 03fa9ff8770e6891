"""The whitelist: six shapes, whatever is put into a name."""

import re
import string
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.metric.objectives import METRIC_OBJECTIVES
from plateau_tui.server import commands

LETTERS = string.ascii_letters + string.digits + "_.-"
PLAYERS = st.text(LETTERS, min_size=1, max_size=16)
OBJECTIVES = st.text(LETTERS + "+", min_size=1, max_size=16)
ITEMS = st.text(string.ascii_lowercase + string.digits + "_", min_size=1, max_size=20)

INJECTIONS = (
    "",
    "@a",
    "@e[type=cow]",
    "*",
    "UNI 1",
    "UNI-1\n",
    "UNI-1\nstop",
    "UNI-1;stop",
    "UNI-1\0",
    "UNI\u00a01",
    "UN\u0406-1",
    "UNI-\u0661",
    "minecraft:stick",
    "stick 1",
    "a" * 17 + "!",
    "§6UNI",
    "../x",
    "a/b",
)


def words(command: str) -> list[str]:
    return command.removeprefix("minecraft:").split(" ")


def shape(command: str) -> str | None:
    """Say which of the six questions it is, by other means than the expression itself."""
    parts = words(command)
    safe = all(re.fullmatch(r"[A-Za-z0-9_.:+-]+", part) for part in parts)
    match parts:
        case ["list"]:
            found = "list"
        case ["scoreboard", "objectives", "list"]:
            found = "objectives"
        case ["scoreboard", "objectives", "add", name, criterion] if (
            len(name) <= 16 and criterion.count(":") == 1 and ":" not in name
        ):
            found = "add"
        case ["scoreboard", "players", "get", player, name] if len(player + name) <= 32:
            found = "get"
        case ["scoreboard", "players", "list", player] if len(player) <= 16:
            found = "scores"
        case ["clear", player, item, "0"] if len(player) <= 16 and re.fullmatch(
            r"minecraft:[a-z0-9_]+", item
        ):
            found = "count"
        case _:
            return None
    return found if safe else None


@given(PLAYERS, OBJECTIVES, ITEMS, st.booleans())
def test_every_builder_stays_within_the_six_shapes(
    player: str, objective: str, item: str, namespaced: bool
) -> None:
    built = {
        "list": commands.list_players(namespaced=namespaced),
        "get": commands.get_score(player, objective, namespaced=namespaced),
        "scores": commands.list_scores(player, namespaced=namespaced),
        "count": commands.count_item(player, item, namespaced=namespaced),
        "add": commands.add_objective(
            objective, f"minecraft.mined:minecraft.{item}", namespaced=namespaced
        ),
        "objectives": commands.list_objectives(namespaced=namespaced),
    }
    for kind, command in built.items():
        assert command.startswith("minecraft:") == namespaced
        assert commands.READ_ONLY.fullmatch(command)
        assert shape(command) == kind
    assert built["count"].endswith(f" minecraft:{item} 0")


VERBS = st.sampled_from(
    [
        "list",
        "minecraft:list",
        "scoreboard",
        "objectives",
        "players",
        "add",
        "remove",
        "get",
        "set",
        "clear",
        "minecraft:clear",
        "minecraft:stick",
        "minecraft.used:minecraft.dirt",
        "0",
        "1",
        "stop",
        "UNI-1",
        "m_dirt",
        *INJECTIONS,
    ]
)


@given(
    st.one_of(
        st.from_regex(commands.READ_ONLY, fullmatch=True),
        st.lists(st.one_of(VERBS, st.text(max_size=6)), max_size=7).map(" ".join),
        st.text(),
    )
)
def test_any_text_that_passes_is_one_of_the_six(text: str) -> None:
    if commands.READ_ONLY.fullmatch(text):
        assert shape(text) is not None


@pytest.mark.parametrize("bad", INJECTIONS)
@pytest.mark.parametrize(
    "build",
    [
        lambda bad: commands.get_score(bad, "m", namespaced=True),
        lambda bad: commands.get_score("UNI-1", bad, namespaced=True),
        lambda bad: commands.list_scores(bad, namespaced=True),
        lambda bad: commands.count_item(bad, "stick", namespaced=True),
        lambda bad: commands.count_item("UNI-1", bad, namespaced=True),
        lambda bad: commands.add_objective(bad, "minecraft.used:minecraft.a", namespaced=True),
        lambda bad: commands.add_objective("m", bad, namespaced=True),
    ],
)
def test_no_name_smuggles_anything_in(build: Callable[[str], str], bad: str) -> None:
    with pytest.raises(ValueError, match="nothing was sent"):
        build(bad)


def test_the_seeds_dotted_item_is_refused() -> None:
    with pytest.raises(ValueError, match="bare item id"):
        commands.count_item("UNI-1", "minecraft.wooden_pickaxe", namespaced=True)


def test_the_sixteen_character_border() -> None:
    assert commands.get_score("UNI-1", "u_crafting_table", namespaced=False)
    with pytest.raises(ValueError, match="objective name"):
        commands.get_score("UNI-1", "m_mossy_cobblestone", namespaced=False)


def test_every_objective_of_the_metric_can_be_added() -> None:
    for objective in METRIC_OBJECTIVES:
        command = commands.add_objective(objective.name, objective.criterion, namespaced=True)
        assert command == (
            f"minecraft:scoreboard objectives add {objective.name} {objective.criterion}"
        )
