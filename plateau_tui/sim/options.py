"""What kind of server the embedded one plays."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["paper", "vanilla"]
ListStyle = Literal["coloured", "grouped", "out_of_maximum", "hidden", "afk"]


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """The server's make, its plugins and its load.

    `kind`: "vanilla" does not know the `minecraft:` prefix; "paper" does.
    `busy`: every command waits for the next tick boundary, one command a tick; else at once.
    `tick_s`: seconds of real time between two ticks of the main thread.
    `wake_s`: seconds between a command's end and its connection's reading of the shared buffer;
    a stretch of it makes the server's own race between two clients certain instead of rare.
    `essentials`: EssentialsX owns the short names `list` and `clear`.
    `list_plugin`: a plugin rewrites even `minecraft:list`, in that style.
    `unknown_text`: Spigot's configurable answer to an unknown command; a newline is added.
    `autosave_ticks`: world ticks between two saves; 6000 are five minutes of game time.
    """

    kind: Kind = "paper"
    busy: bool = False
    tick_s: float = 0.05
    wake_s: float = 0.0
    essentials: bool = False
    list_plugin: ListStyle | None = None
    unknown_text: str = 'Unknown command. Type "/help" for help.'
    max_players: int = 20
    autosave_ticks: int = 6000
