"""Every reply, against the texts of the game."""

import pytest
from sim.templates import worded

from plateau_tui.sim.commands import Console
from plateau_tui.sim.options import ListStyle, ServerOptions
from plateau_tui.sim.scoreboard import Scoreboard, ScoreboardError
from plateau_tui.sim.world import World


class Table:
    """A console with a world and a scoreboard, asked without a socket."""

    def __init__(self, options: ServerOptions | None = None) -> None:
        self.world = World()
        self.scores = Scoreboard()
        self.console = Console(self.world, self.scores, options or ServerOptions())
        self.world.on_stat = self.scores.on_stat

    def ask(self, command: str) -> str:
        said: list[str] = []
        self.console.run(command, said.append)
        return "".join(said)


@pytest.fixture
def table() -> Table:
    made = Table()
    made.world.add_body("UNI-10-1").give("wooden_pickaxe", 3)
    made.world.add_body("UNI-10-2", online=False)
    made.scores.add("m_stone", "minecraft.mined:minecraft.stone", "Stone [2]")
    made.scores.add("m_dirt", "minecraft.mined:minecraft.dirt")
    made.scores.set_score("UNI-10-1", "m_stone", 5)
    made.scores.set_score("UNI-10-2", "m_dirt", -4)
    return made


UNKNOWN = "Unknown or incomplete command, see below for error"


@pytest.mark.parametrize(
    ("command", "reply"),
    [
        ("list", "There are 1 of a max of 20 players online: UNI-10-1"),
        ("/list", "There are 1 of a max of 20 players online: UNI-10-1"),
        ("minecraft:list", "There are 1 of a max of 20 players online: UNI-10-1"),
        ("list all", "Incorrect argument for commandlist all<--[HERE]"),
        ("whitelist", f"{UNKNOWN}whitelist<--[HERE]"),
        ("frobnicate", 'Unknown command. Type "/help" for help.\n'),
        ("scoreboard", f"{UNKNOWN}scoreboard<--[HERE]"),
        ("scoreboard foo", "Incorrect argument for command...coreboard foo<--[HERE]"),
        ("scoreboard players get UNI-10-1", f"{UNKNOWN}...t UNI-10-1<--[HERE]"),
        (
            "scoreboard objectives add mine_x minecraft.mined:minecraft.stone",
            "Created new objective [mine_x]",
        ),
        (
            'scoreboard objectives add mine_x dummy {"text":"A [b]"}',
            "Created new objective [A [b]]",
        ),
        ("scoreboard objectives add m_stone dummy", "An objective already exists by that name"),
        (
            "scoreboard objectives add m_mossy_cobblestone minecraft.mined:minecraft.stone",
            "Objective names cannot be longer than 16 characters",
        ),
        (
            "scoreboard objectives add u_crafting_table minecraft.used:minecraft.crafting_table",
            "Created new objective [u_crafting_table]",
        ),
        (
            "minecraft:scoreboard objectives add m_x minecraft.mined:minecraft.grsas",
            (
                "Unknown criterion 'minecraft.mined:minecraft.grsas'"
                "...s add m_x minecraft.mined:minecraft.grsas<--[HERE]"
            ),
        ),
        ("scoreboard objectives list", "There are 2 objectives: [Stone [2]], [m_dirt]"),
        ("scoreboard objectives remove m_dirt", "Removed objective [m_dirt]"),
        (
            'scoreboard objectives modify m_dirt displayname "Soil"',
            "Changed the display name of m_dirt to [Soil]",
        ),
        ("scoreboard players get UNI-10-1 m_stone", "UNI-10-1 has 5 [Stone [2]]"),
        ("scoreboard players get UNI-10-2 m_dirt", "UNI-10-2 has -4 [m_dirt]"),
        (
            "scoreboard players get UNI-10-1 m_dirt",
            "Can't get value of m_dirt for UNI-10-1; none is set",
        ),
        (
            "scoreboard players get uni-10-1 m_stone",
            "Can't get value of m_stone for uni-10-1; none is set",
        ),
        ("scoreboard players get UNI-10-1 m_gold", "Unknown scoreboard objective 'm_gold'"),
        ("scoreboard players get UNI-10-1 M_stone", "Unknown scoreboard objective 'M_stone'"),
        (
            "scoreboard players get UNI-10-1 m_mossy_cobblestone",
            "Objective names cannot be longer than 16 characters",
        ),
        ("scoreboard players list UNI-10-1", "UNI-10-1 has 1 scores:[Stone [2]]: 5"),
        ("scoreboard players list Steve", "Steve has no scores to show"),
        ("scoreboard players list", "There are 2 tracked entities: UNI-10-1, UNI-10-2"),
        ("scoreboard players set UNI-10-1 m_dirt 9", "Set [m_dirt] for UNI-10-1 to 9"),
        ("scoreboard players set @a m_dirt 9", "Set [m_dirt] for UNI-10-1 to 9"),
        ("scoreboard players reset UNI-10-1", "Reset all scores for UNI-10-1"),
        (
            "clear UNI-10-1 minecraft:wooden_pickaxe 0",
            "Found 3 matching items on player UNI-10-1",
        ),
        ("clear UNI-10-1 wooden_pickaxe 0", "Found 3 matching items on player UNI-10-1"),
        ("clear uni-10-1 minecraft:stick 0", "No items were found on player UNI-10-1"),
        ("clear UNI-10-2 minecraft:stick 0", "No player was found"),
        ("clear @a minecraft:wooden_pickaxe 0", "Found 3 matching items on player UNI-10-1"),
        (
            "minecraft:clear UNI-10-1 minecraft.wooden_pickaxe 0",
            (
                "Unknown item 'minecraft:minecraft.wooden_pickaxe'"
                "... UNI-10-1 minecraft.wooden_pickaxe 0<--[HERE]"
            ),
        ),
        ("clear UNI-10-1 minecraft:wooden_pickaxe 2", "Removed 2 items from player UNI-10-1"),
        ("clear UNI-10-1 minecraft:wooden_pickaxe", "Removed 3 items from player UNI-10-1"),
        ("clear UNI-10-1", "Removed 3 items from player UNI-10-1"),
        ("tps", "§6TPS from last 1m, 5m, 15m: §a20.0, §a20.0, §a20.0\n"),
    ],
)
def test_replies(table: Table, command: str, reply: str) -> None:
    assert table.ask(command) == reply


def test_counting_removes_nothing_and_removing_does(table: Table) -> None:
    table.ask("clear UNI-10-1 minecraft:wooden_pickaxe 0")
    assert table.world.bodies["UNI-10-1"].count("wooden_pickaxe") == 3
    table.ask("clear UNI-10-1 minecraft:wooden_pickaxe 2")
    assert table.world.bodies["UNI-10-1"].count("wooden_pickaxe") == 1


def test_several_players_are_counted_together(table: Table) -> None:
    table.world.join("UNI-10-2")
    reply = table.ask("clear @a minecraft:wooden_pickaxe 0")
    assert reply == "Found 3 matching items on 2 players"


def test_scores_are_listed_without_newlines_and_with_display_names(table: Table) -> None:
    table.scores.set_score("UNI-10-1", "m_dirt", 7)
    reply = table.ask("minecraft:scoreboard players list UNI-10-1")
    assert reply == "UNI-10-1 has 2 scores:[Stone [2]]: 5[m_dirt]: 7"


def test_an_empty_server() -> None:
    table = Table()
    assert table.ask("list") == "There are 0 of a max of 20 players online: "
    assert table.ask("scoreboard objectives list") == "There are no objectives"
    assert table.ask("scoreboard players list") == "There are no tracked entities"
    assert table.ask("clear UNI-10-1 minecraft:stick 0") == "No player was found"


@pytest.mark.parametrize(
    ("command", "reply"),
    [
        (
            "scoreboard objectives add x dummy",
            worded("commands.scoreboard.objectives.add.success", "[x]"),
        ),
        (
            "scoreboard objectives add m_dirt dummy",
            worded("commands.scoreboard.objectives.add.duplicate"),
        ),
        (
            "scoreboard objectives add seventeen_letters dummy",
            worded("commands.scoreboard.objectives.add.longName", 16),
        ),
        (
            "scoreboard objectives list",
            worded("commands.scoreboard.objectives.list.success", 2, "[Stone [2]], [m_dirt]"),
        ),
        ("scoreboard players get UNI-10-1 x", worded("arguments.objective.notFound", "x")),
        (
            "scoreboard players get UNI-10-2 m_dirt",
            worded("commands.scoreboard.players.get.success", "UNI-10-2", -4, "[m_dirt]"),
        ),
        (
            "scoreboard players get UNI-10-2 m_stone",
            worded("commands.scoreboard.players.get.null", "m_stone", "UNI-10-2"),
        ),
        (
            "scoreboard players list UNI-10-9",
            worded("commands.scoreboard.players.list.entity.empty", "UNI-10-9"),
        ),
        (
            "scoreboard players list UNI-10-2",
            worded("commands.scoreboard.players.list.entity.success", "UNI-10-2", 1)
            + worded("commands.scoreboard.players.list.entity.entry", "[m_dirt]", -4),
        ),
        ("list", worded("commands.list.players", 1, 20, "UNI-10-1")),
        (
            "clear UNI-10-1 minecraft:wooden_pickaxe 0",
            worded("commands.clear.test.single", 3, "UNI-10-1"),
        ),
        (
            "clear UNI-10-1 minecraft:wooden_pickaxe 1",
            worded("commands.clear.success.single", 1, "UNI-10-1"),
        ),
        ("clear UNI-10-1 minecraft:stick 0", worded("clear.failed.single", "UNI-10-1")),
        ("clear UNI-10-2 minecraft:stick 0", worded("argument.entity.notfound.player")),
        (
            "clear UNI-10-1 minecraft:sticks 0",
            worded("argument.item.id.invalid", "minecraft:sticks")
            + "... UNI-10-1 minecraft:sticks 0"
            + worded("command.context.here"),
        ),
        (
            "scoreboard objectives add x y",
            worded("argument.criteria.invalid", "y")
            + "...ves add x y"
            + worded("command.context.here"),
        ),
        (
            "whitelist",
            worded("command.unknown.command") + "whitelist" + worded("command.context.here"),
        ),
        (
            "list x",
            worded("command.unknown.argument") + "list x" + worded("command.context.here"),
        ),
    ],
)
def test_every_text_is_the_games_own(table: Table, command: str, reply: str) -> None:
    assert table.ask(command) == reply


def test_vanilla_does_not_know_the_prefix() -> None:
    table = Table(ServerOptions(kind="vanilla"))
    assert table.ask("minecraft:list") == f"{UNKNOWN}minecraft:list<--[HERE]"
    assert table.ask("tps") == f"{UNKNOWN}tps<--[HERE]"
    assert table.ask("list") == "There are 0 of a max of 20 players online: "


def test_the_unknown_text_is_the_operators() -> None:
    assert Table(ServerOptions(unknown_text="§cHuh?")).ask("xyz") == "§cHuh?\n"


def test_essentials_owns_the_short_names_only() -> None:
    table = Table(ServerOptions(essentials=True))
    body = table.world.add_body("UNI-12-10")
    body.give("wooden_pickaxe", 4)
    assert table.ask("list").startswith("§6There are §c1§6 out of maximum §c20§6 players online.\n")
    assert table.ask("minecraft:list") == "There are 1 of a max of 20 players online: UNI-12-10"
    zero = "§6Removed§c 0 §6of§c wooden_pickaxe §6from§c UNI-12-10§6.\n"
    assert table.ask("clear UNI-12-10 wooden_pickaxe 0") == zero
    assert table.ask("clear UNI-12-1 wooden_pickaxe 0") == zero
    assert table.ask("clear UNI-12-10 minecraft:wooden_pickaxe 0") == ""
    found = "Found 4 matching items on player UNI-12-10"
    assert table.ask("minecraft:clear UNI-12-10 minecraft:wooden_pickaxe 0") == found
    removed = "§6Removed§c 4 §6of§c wooden_pickaxe §6from§c UNI-12-10§6.\n"
    assert table.ask("clear UNI-12-1 wooden_pickaxe") == removed
    assert body.count("wooden_pickaxe") == 0
    assert table.ask("clear nobody") == "§cError:§4 Player not found.\n"


@pytest.mark.parametrize(
    ("style", "reply"),
    [
        (
            "coloured",
            "§6There are §c2§6 of a max of §c20§6 players online: §fUNI-1§r, §fUNI-2§r\n",
        ),
        (
            "grouped",
            "§6There are §c2§6 out of maximum §c20§6 players online.\n§6default§r: UNI-1, UNI-2\n",
        ),
        ("out_of_maximum", "There are 2 out of maximum 20 players online.\nUNI-1, UNI-2\n"),
        ("hidden", "There are 2 of a max of 20 players online: UNI-2"),
        ("afk", "There are 2 of a max of 20 players online: [AFK]UNI-1, [AFK]UNI-2"),
    ],
)
def test_a_plugin_may_rewrite_even_the_games_own_list(style: ListStyle, reply: str) -> None:
    table = Table(ServerOptions(list_plugin=style))
    table.world.add_body("UNI-1")
    table.world.add_body("UNI-2")
    assert table.ask("minecraft:list") == reply


def test_an_objective_counts_only_what_happens_after_its_making() -> None:
    scores = Scoreboard()
    scores.on_stat("mined", "stone", "UNI-10-1", 3)
    scores.add("m_stone", "minecraft.mined:minecraft.stone")
    assert scores.score("UNI-10-1", "m_stone") is None
    scores.on_stat("mined", "stone", "UNI-10-1", 2)
    scores.on_stat("used", "stone", "UNI-10-1", 2)
    assert scores.scores_of("UNI-10-1") == {"m_stone": 2}
    scores.recreate("m_stone")
    assert scores.score("UNI-10-1", "m_stone") is None


@pytest.mark.parametrize(
    "criterion",
    ["dummy", "health", "minecraft.mined:minecraft.stone", "mined:stone", "minecraft.used:stick"],
)
def test_known_criteria(criterion: str) -> None:
    assert Scoreboard().add("x", criterion).criterion == criterion


@pytest.mark.parametrize(
    "criterion",
    [
        "Dummy", "minecraft.mined:minecraft.stick", "minecraft.mined:minecraft:stone",
        "minecraft.dug:minecraft.stone", "minecraft.used:minecraft.nothing", "",
    ],
)  # fmt: skip
def test_unknown_criteria(criterion: str) -> None:
    with pytest.raises(ScoreboardError, match="Unknown criterion"):
        Scoreboard().add("x", criterion)


def test_a_rollback_brings_back_the_save_and_nothing_later() -> None:
    scores = Scoreboard()
    scores.add("a", "dummy")
    scores.set_score("UNI-10-1", "a", 5)
    saved = scores.snapshot()
    scores.set_score("UNI-10-1", "a", 9)
    scores.add("b", "dummy")
    scores.restore(saved)
    assert [each.name for each in scores.objectives()] == ["a"]
    assert scores.scores_of("UNI-10-1") == {"a": 5}
