"""The help page: the keys of the screen it was asked on, then what the words on it mean."""

from collections.abc import Iterable
from typing import Final

from textual.binding import ActiveBinding

from plateau_tui.console.keys import PLAIN_KEYS, KeyNames, key_shown

_WORDS: Final = """\
YES     reached, and stays so for the window (latched)
no      read, and not reached
?       unknown: not read, or not pinned yet; never taken for 0
tbl     PRIMARY reached, but by the crafting table alone (disclosed)
log     SECONDARY reached, but only with another log (disclosed)
* or !  behind a name: it turned (*) or lost something (!) since you
        last said that all is seen (Seen); kept when you leave
(seen)  before a problem: you said so (Seen) of it as it stands;
        it comes last of those as urgent, until it changes
(12)    in brackets: old, read more than two polls ago; an arm's
        count too, when a unit of it is old; ! marks the age
gaps    cycles in which a counter of the unit was not read;
        ! the last cycle too. What is gone from the server is none
        of a unit: 3+20 above are 20 cycles that lack only that
placed  blocks placed so far; "since start": under start_counts =
        "offset" all counts are above the start reading, as scored
beyond  kinds of block mined beyond the farmed wood (byd)
hoard   wooden pickaxes in the inventory at the last look (pick)
age     of the unit's last reading; heartbeat: of the last cycle
        (polled once a minute or slower: the first minute by 10 s)
▁▃█x    placed and hoard over the window so far (x: not read), all
        units in one scale, which stands above; ▁ is 0
1 [==]  the window: "=" a cycle that was read, "~" in part, "+" in
        part in a few of its cycles, "x" not at all or missed, "." to
        come or not recorded, "#" now

PRIMARY: it placed a block. SECONDARY: it mined two kinds of block
beyond its pinned wood. Units of a pair bear the same number.

Cycles count from 1 on screen and in what commands print. In the
files (rows, journal, JSON, verdict) they count from 0, also where
verify and verdict cite those; they say so there.

The console shows and asks; the collector goes on without it. The
bell rings for turns and grave faults of the run that is open, and in
the list of runs for those of each run whose bell is on.
{leave} leaves the console; {back} goes one screen back. In a page or a
question q or esc, or backspace, closes that. A killed console
leaves the terminal odd? Type: reset
"""

_KEYS_HEAD: Final = 'Keys here, with their names for [keys] in config.toml (run.note = "z")'
_OF_ALL_SCREENS: Final = ("app.", "back")


def help_text(bindings: Iterable[ActiveBinding], names: KeyNames = PLAIN_KEYS) -> str:
    """Return the help: the keys that now work, the screen's own first, then the words.

    All keys are named as they are mapped.
    """
    words = _WORDS.format(leave=names["app.leave"], back=names["back"])
    keys: dict[str, tuple[list[str], str]] = {}
    for active in bindings:
        binding = active.binding
        if binding.description and binding.id:
            pressed, _ = keys.setdefault(binding.id, ([], ""))
            pressed.append(binding.key_display or key_shown(binding.key))
            keys[binding.id] = (pressed, f"{binding.description}  {binding.tooltip}".rstrip())
    own = sorted(keys.items(), key=lambda each: each[0].startswith(_OF_ALL_SCREENS))
    lines = [
        f"{' '.join(pressed):14} {what}  ({binding_id})" for binding_id, (pressed, what) in own
    ]
    return "\n".join([_KEYS_HEAD, *lines, "", "The words on the screens", "", words])
