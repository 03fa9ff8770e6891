"""The game's own message texts, from minecraft-data 3.119.0 (pc/1.16.4 language.json)."""

TEMPLATES = {
    "commands.scoreboard.objectives.add.success": "Created new objective %s",
    "commands.scoreboard.objectives.add.duplicate": "An objective already exists by that name",
    "commands.scoreboard.objectives.add.longName": (
        "Objective names cannot be longer than %s characters"
    ),
    "argument.criteria.invalid": "Unknown criterion '%s'",
    "commands.scoreboard.objectives.list.empty": "There are no objectives",
    "commands.scoreboard.objectives.list.success": "There are %s objectives: %s",
    "arguments.objective.notFound": "Unknown scoreboard objective '%s'",
    "commands.scoreboard.players.get.success": "%s has %s %s",
    "commands.scoreboard.players.get.null": "Can't get value of %s for %s; none is set",
    "commands.scoreboard.players.list.entity.empty": "%s has no scores to show",
    "commands.scoreboard.players.list.entity.success": "%s has %s scores:",
    "commands.scoreboard.players.list.entity.entry": "%s: %s",
    "commands.list.players": "There are %s of a max of %s players online: %s",
    "commands.clear.test.single": "Found %s matching items on player %s",
    "commands.clear.success.single": "Removed %s items from player %s",
    "clear.failed.single": "No items were found on player %s",
    "argument.entity.notfound.player": "No player was found",
    "argument.item.id.invalid": "Unknown item '%s'",
    "command.unknown.command": "Unknown or incomplete command, see below for error",
    "command.unknown.argument": "Incorrect argument for command",
    "command.context.here": "<--[HERE]",
}


def worded(key: str, *arguments: object) -> str:
    return TEMPLATES[key] % arguments
