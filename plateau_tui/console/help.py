"""The help page: what the words on the screen mean, and the keys."""

from collections.abc import Iterable
from typing import Final

from textual.binding import ActiveBinding

_WORDS: Final = """\
YES     reached, and stays so for the window (latched)
no      read, and not reached
?       unknown: not read, or not pinned yet; never taken for 0
tbl     PRIMARY reached, but by the crafting table alone (disclosed)
log     SECONDARY reached, but only with another log (disclosed)
(12)    in brackets: old, read more than two polls ago; an arm's
        count too, when a unit of it is old; ! marks the age
gaps    cycles in which a counter of the unit was not read;
        ! the last cycle too
placed  blocks placed so far
beyond  kinds of block mined beyond the farmed wood (byd)
hoard   wooden pickaxes in the inventory at the last look (pick)
age     of the unit's last reading; heartbeat: of the last cycle
        (polled once a minute or slower: the first minute by 10 s)

PRIMARY: it placed a block. SECONDARY: it mined two kinds of block
beyond its pinned wood. Units of a pair bear the same number.

The console shows and asks; the collector goes on without it.
q leaves the console; in a page or a question it closes that.
esc goes one screen back. A killed console leaves the terminal
odd? Type: reset
"""


def help_text(bindings: Iterable[ActiveBinding]) -> str:
    """Return the help with the keys that now work."""
    keys: dict[str, tuple[list[str], str]] = {}
    for active in bindings:
        binding = active.binding
        if binding.description and not binding.system and binding.id:
            names, _ = keys.setdefault(binding.id, ([], ""))
            names.append(binding.key_display or binding.key)
            keys[binding.id] = (names, f"{binding.description}  {binding.tooltip}".rstrip())
    lines = [
        f"{' '.join(names):14} {what}  ({binding_id})" for binding_id, (names, what) in keys.items()
    ]
    return (
        f'{_WORDS}\nKeys, and their names for [keys] in config.toml (run.note = "t")\n'
        + "\n".join(lines)
    )
