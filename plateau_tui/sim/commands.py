"""The commands the server knows, answered with the exact texts of 1.16.5.

Server fact: the game's own messages are joined without newlines; an argument that cannot be
read is answered with the complaint, and glued to it an echo of the command up to the place.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from plateau_tui.sim.bodies import Body
from plateau_tui.sim.ids import known_ids
from plateau_tui.sim.options import ServerOptions
from plateau_tui.sim.plugins import TPS, Say, essentials_clear, essentials_list, styled_list
from plateau_tui.sim.scoreboard import (
    NAME_LIMIT,
    Objective,
    Scoreboard,
    ScoreboardError,
    known_criterion,
)
from plateau_tui.sim.world import World

UNKNOWN_COMMAND = "Unknown or incomplete command, see below for error"
WRONG_ARGUMENT = "Incorrect argument for command"
_ECHO = 10
_INCOMPLETE_ALONE = frozenset({"whitelist", "gamerule", "say", "kick", "data", "execute"})
_ITEM_CHARACTERS = frozenset("0123456789abcdefghijklmnopqrstuvwxyz_:/.-")


class CommandError(Exception):
    """The game refuses a command; `cursor` is where the echo points, None for no echo."""

    def __init__(self, text: str, cursor: int | None = None) -> None:
        super().__init__(text)
        self.text = text
        self.cursor = cursor


@dataclass(frozen=True, slots=True)
class Words:
    """A command's words with their places; `at(n)` complains as the game does when n is missing."""

    line: str
    items: tuple[tuple[int, str], ...]

    @classmethod
    def of(cls, line: str) -> "Words":
        """Split a command at single spaces."""
        found, at = [], 0
        for word in line.split(" "):
            found.append((at, word))
            at += len(word) + 1
        return cls(line, tuple(found))

    def has(self, index: int) -> bool:
        """Tell whether there is a word at that place."""
        return len(self.items) > index

    def at(self, index: int) -> str:
        """Return a word; raises CommandError (incomplete command) when it is not there."""
        if index >= len(self.items) or not self.items[index][1]:
            raise CommandError(UNKNOWN_COMMAND, len(self.line))
        return self.items[index][1]

    def rest(self, index: int) -> str:
        """Return everything from a word on; raises CommandError when it is not there."""
        self.at(index)
        return self.line[self.items[index][0] :]

    def wrong(self, index: int, text: str = WRONG_ARGUMENT) -> NoReturn:
        """Raise CommandError about a word."""
        raise CommandError(text, self.items[index][0])

    def end(self, index: int) -> None:
        """Raise CommandError when there are more than `index` words."""
        if len(self.items) > index:
            self.wrong(index)

    def number(self, index: int, minimum: int | None = None) -> int:
        """Return a whole number; raises CommandError when it is none, or below the minimum."""
        text = self.at(index)
        try:
            value = int(text)
        except ValueError:
            self.wrong(index, "Expected integer")
        if minimum is not None and value < minimum:
            self.wrong(index, f"Integer must not be less than {minimum}, found {value}")
        return value


def echo(line: str, cursor: int) -> str:
    """Return the part of a command that the game repeats: ten characters before the place, and on.

    It is glued to the complaint and ends in `<--[HERE]`.
    """
    head = "..." if cursor > _ECHO else ""
    return f"{head}{line[max(0, cursor - _ECHO) :]}<--[HERE]"


class Console:
    """Runs commands against a world and a scoreboard.

    `run` may raise anything only for a bug of ours; the server then answers `Error executing`.
    """

    def __init__(self, world: World, scoreboard: Scoreboard, options: ServerOptions) -> None:
        self._world = world
        self._scores = scoreboard
        self._options = options
        self._game: dict[str, Callable[[Words, Say], None]] = {
            "list": self._list,
            "clear": self._clear,
            "scoreboard": self._scoreboard,
        }

    def run(self, command: str, say: Say) -> None:
        """Run one command; what it answers goes to `say`, piece by piece, maybe none."""
        line = command.removeprefix("/")
        if self._options.kind == "vanilla":
            self._run_game(line, say)
            return
        label, _, tail = line.partition(" ")
        label = label.lower()
        if self._options.essentials and label in {"list", "essentials:list"}:
            essentials_list(self._world, self._options.max_players, say)
        elif self._options.essentials and label in {"clear", "essentials:clear"}:
            essentials_clear(self._world, tail.split(), say)
        elif label in {"tps", "bukkit:tps"}:
            say(TPS)
        else:
            # Bukkit hands the game its own name for the command, so an echo has no prefix.
            bare = label.removeprefix("minecraft:")
            if bare in self._game or bare in _INCOMPLETE_ALONE:
                self._run_game(bare + line[len(label) :], say)
            else:
                say(self._options.unknown_text + "\n")

    def _run_game(self, line: str, say: Say) -> None:
        words = Words.of(line)
        handler = self._game.get(words.items[0][1])
        if handler is None:
            whole = words.items[0][1] in _INCOMPLETE_ALONE
            say(UNKNOWN_COMMAND + echo(line, len(line) if whole else 0))
            return
        try:
            handler(words, say)
        except ScoreboardError as refused:
            say(str(refused))
        except CommandError as refused:
            say(refused.text)
            if refused.cursor is not None:
                say(echo(line, refused.cursor))

    def _list(self, words: Words, say: Say) -> None:
        words.end(1)
        names, limit = self._world.online, self._options.max_players
        if self._options.list_plugin is not None:
            say(styled_list(self._options.list_plugin, names, limit))
            return
        say(f"There are {len(names)} of a max of {limit} players online: {', '.join(names)}")

    def _clear(self, words: Words, say: Say) -> None:
        targets = self._online_targets(words, 1)
        item = _item(words, 2) if words.has(2) else None
        limit = words.number(3, minimum=0) if words.has(3) else None
        words.end(4)
        found = sum(_remove(body, item, limit) for body in targets)
        one = len(targets) == 1
        whom = f"player {targets[0].name}" if one else f"{len(targets)} players"
        if not found:
            say(f"No items were found on {whom}")
        elif limit == 0:
            say(f"Found {found} matching items on {whom}")
        else:
            say(f"Removed {found} items from {whom}")

    def _online_targets(self, words: Words, index: int) -> Sequence[Body]:
        text = words.at(index)
        if text == "@a":
            bodies = [self._world.bodies[name] for name in self._world.online]
        else:
            found = self._world.find_online(text)
            bodies = [] if found is None else [found]
        if not bodies:
            raise CommandError("No player was found")
        return bodies

    def _scoreboard(self, words: Words, say: Say) -> None:
        branch = words.at(1)
        table: dict[str, dict[str, Callable[[Words, Say], None]]] = {
            "objectives": {
                "add": self._add,
                "list": self._objectives,
                "remove": self._remove,
                "modify": self._modify,
            },
            "players": {
                "get": self._get,
                "list": self._scores_listed,
                "set": self._set,
                "reset": self._reset,
            },
        }
        if branch not in table:
            words.wrong(1)
        verb = words.at(2)
        if verb not in table[branch]:
            words.wrong(2)
        table[branch][verb](words, say)

    def _add(self, words: Words, say: Say) -> None:
        name, criterion = words.at(3), words.at(4)
        if not known_criterion(criterion):
            words.wrong(4, f"Unknown criterion '{criterion}'")
        display = _component(words.rest(5)) if words.has(5) else None
        made = self._scores.add(name, criterion, display)
        say(f"Created new objective {_shown(made)}")

    def _objectives(self, words: Words, say: Say) -> None:
        words.end(3)
        known = self._scores.objectives()
        if not known:
            say("There are no objectives")
            return
        say(f"There are {len(known)} objectives: {', '.join(_shown(each) for each in known)}")

    def _remove(self, words: Words, say: Say) -> None:
        words.end(4)
        say(f"Removed objective {_shown(self._scores.remove(_objective(words, 3)))}")

    def _modify(self, words: Words, say: Say) -> None:
        name = _objective(words, 3)
        if words.at(4) != "displayname":
            words.wrong(4)
        display = _component(words.rest(5))
        if self._scores.get(name).display != display:
            self._scores.rename_display(name, display)
            say(f"Changed the display name of {name} to [{display}]")

    def _get(self, words: Words, say: Say) -> None:
        player, name = _holder(words, 3), _objective(words, 4)
        words.end(5)
        objective = self._scores.get(name)
        value = self._scores.score(player, name)
        if value is None:
            raise CommandError(f"Can't get value of {name} for {player}; none is set")
        say(f"{player} has {value} {_shown(objective)}")

    def _scores_listed(self, words: Words, say: Say) -> None:
        if not words.has(3):
            known = self._scores.tracked()
            joined = ", ".join(known)
            say(
                f"There are {len(known)} tracked entities: {joined}"
                if known
                else "There are no tracked entities"
            )
            return
        player = _holder(words, 3)
        words.end(4)
        scores = self._scores.scores_of(player)
        if not scores:
            say(f"{player} has no scores to show")
            return
        say(f"{player} has {len(scores)} scores:")
        for name, value in scores.items():
            say(f"{_shown(self._scores.get(name))}: {value}")

    def _set(self, words: Words, say: Say) -> None:
        player, name, value = words.at(3), _objective(words, 4), words.number(5)
        words.end(6)
        objective = self._scores.get(name)
        whom = list(self._world.online) if player == "@a" else [player]
        if not whom:
            raise CommandError("No entity was found")
        for each in whom:
            self._scores.set_score(each, name, value)
        named = whom[0] if len(whom) == 1 else f"{len(whom)} entities"
        say(f"Set {_shown(objective)} for {named} to {value}")

    def _reset(self, words: Words, say: Say) -> None:
        player = _holder(words, 3)
        if not words.has(4):
            self._scores.reset(player)
            say(f"Reset all scores for {player}")
            return
        objective = self._scores.get(_objective(words, 4))
        words.end(5)
        self._scores.reset(player, objective.name)
        say(f"Reset {_shown(objective)} for {player}")


def _shown(objective: Objective) -> str:
    return f"[{objective.display}]"


def _objective(words: Words, index: int) -> str:
    """Return an objective's name; the game refuses a long one before it looks it up."""
    name = words.at(index)
    if len(name) > NAME_LIMIT:
        raise CommandError(f"Objective names cannot be longer than {NAME_LIMIT} characters")
    return name


def _holder(words: Words, index: int) -> str:
    name = words.at(index)
    if name.startswith("@"):
        several = "Only one entity is allowed, but the provided selector allows more than one"
        words.wrong(index, several)
    return name


def _item(words: Words, index: int) -> str:
    """Return a bare item id. The game reads up to the first character no id can hold."""
    text = words.at(index)
    end = next((at for at, each in enumerate(text) if each not in _ITEM_CHARACTERS), len(text))
    space, colon, path = text[:end].partition(":")
    named = f"{space or 'minecraft'}:{path}" if colon else f"minecraft:{space}"
    bare = named.removeprefix("minecraft:")
    if bare not in known_ids().items:
        words.wrong(index, f"Unknown item '{named}'")
    return bare


def _remove(body: Body, item: str | None, limit: int | None) -> int:
    """Take items away, up to the limit; a limit of 0 only counts, no limit takes all."""
    kinds = [item] if item is not None else sorted(body.inventory)
    if limit == 0:
        return sum(body.count(kind) for kind in kinds)
    removed = 0
    for kind in kinds:
        wanted = body.count(kind) if limit is None else limit - removed
        removed += body.take(kind, wanted)
    return removed


def _component(text: str) -> str:
    """Return the plain text of a chat component: JSON, or a bare word, which the game takes too."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return text
    if isinstance(value, dict):
        return str(value.get("text", ""))
    return value if isinstance(value, str) else text
