"""What plugins answer: EssentialsX's `list` and `clear`, rewritten player lists, Paper's `tps`.

Server fact: plugin messages carry colour codes and end in a newline; the game's own do neither.
"""

from collections.abc import Callable, Sequence

from plateau_tui.sim.bodies import Body
from plateau_tui.sim.options import ListStyle
from plateau_tui.sim.world import World

Say = Callable[[str], None]
"""Appends to the reply buffer."""

TPS = "§6TPS from last 1m, 5m, 15m: §a20.0, §a20.0, §a20.0\n"


def styled_list(style: ListStyle, names: Sequence[str], limit: int) -> str:
    """Return a player list as a plugin of that style words it."""
    total, joined = len(names), ", ".join(names)
    match style:
        case "coloured":
            shown = ", ".join(f"§f{name}§r" for name in names)
            return f"§6There are §c{total}§6 of a max of §c{limit}§6 players online: {shown}\n"
        case "grouped":
            head = f"§6There are §c{total}§6 out of maximum §c{limit}§6 players online.\n"
            return head + f"§6default§r: {joined}\n"
        case "out_of_maximum":
            return f"There are {total} out of maximum {limit} players online.\n{joined}\n"
        case "hidden":
            shown = ", ".join(names[1:])
            return f"There are {total} of a max of {limit} players online: {shown}"
        case "afk":
            shown = ", ".join(f"[AFK]{name}" for name in names)
            return f"There are {total} of a max of {limit} players online: {shown}"


def essentials_list(world: World, limit: int, say: Say) -> None:
    """Answer EssentialsX's `list`."""
    say(styled_list("grouped", world.online, limit))


def _fuzzy(world: World, text: str) -> Body | None:
    exact = world.find_online(text)
    if exact is not None:
        return exact
    for name in world.online:
        if name.lower().startswith(text.lower()):
            return world.bodies[name]
    return None


def essentials_clear(world: World, words: Sequence[str], say: Say) -> None:
    """Answer EssentialsX's `clear <player> [<item> [<n>]]`, which takes the next best player.

    With a count of 0 it deletes nothing and says so whatever the player owns; with a namespaced
    item it says nothing at all; in every other case it deletes.
    """
    body = _fuzzy(world, words[0]) if words else None
    if body is None:
        say("§cError:§4 Player not found.\n")
        return
    if len(words) == 1:
        body.inventory.clear()
        say(f"§6Cleared all inventory items from §c{body.name}§6.\n")
        return
    item = words[1]
    if ":" in item:
        return
    amount = "".join(words[2:3])
    many = int(amount) if amount.isdigit() else body.count(item)
    removed = body.take(item, many)
    say(f"§6Removed§c {removed} §6of§c {item} §6from§c {body.name}§6.\n")
