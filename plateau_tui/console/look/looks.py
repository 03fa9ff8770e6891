"""How the console is drawn at this terminal: theme, colours, ASCII; from flags and environment."""

import locale
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, cast

from plateau_tui.config import COLOUR_MODES, ConsoleConfig, themes_folder
from plateau_tui.console.look.themes import USUAL, ThemeSet, all_themes
from plateau_tui.process import first_locale

ColourMode = Literal["truecolour", "256", "16", "none"]
_SYSTEMS: Final[dict[ColourMode, Literal["truecolor", "256", "standard"] | None]] = {
    "truecolour": "truecolor",
    "256": "256",
    "16": "standard",
    "none": None,
}
_LIGHT: Final = frozenset({"7", "15"})
"""Palette numbers of a light background, as ``COLORFGBG`` tells them."""
_C_LOCALES: Final = frozenset({"", "C", "POSIX"})
_LOCALE_VARIABLES: Final = ("LC_ALL", "LC_CTYPE", "LANG")


@dataclass(frozen=True, slots=True)
class Look:
    """How the console is drawn; ``told`` is what could not be done as it was asked.

    A theme that is bad and that nobody asked for stands in the menu, and is not told.
    """

    theme: str = USUAL
    colours: ColourMode | None = None
    """None: whatever the framework finds in the environment."""
    ascii_only: bool = False
    themes: ThemeSet = field(default_factory=lambda: all_themes(themes_folder()))
    told: tuple[str, ...] = ()

    @property
    def colour_system(self) -> Literal["auto", "truecolor", "256", "standard"] | None:
        """The name of the colours for the framework's console; None where there are none."""
        return "auto" if self.colours is None else _SYSTEMS[self.colours]


def look_for(
    config: ConsoleConfig, environment: Mapping[str, str], encodings: Mapping[str, str]
) -> Look:
    """Return the look that was asked for, completed by what the environment says.

    Args:
        config: what the flags and config.toml ask.
        environment: the variables of the process.
        encodings: of the locale and of the terminal's stream, by the names ``locale``, ``stream``.

    """
    mode = colour_mode(config.colours, environment)
    themes = all_themes(themes_folder())
    name, told = themes.choose(config.theme or _theme_for(mode, environment))
    ascii_only = config.ascii_only
    if ascii_only is None:
        ascii_only = not speaks_utf8(first_environment(environment), encodings)
    return Look(name, mode, ascii_only, themes, told)


def look_here(config: ConsoleConfig) -> Look:
    """Return the look for the terminal of this process; the framework draws to its stderr."""
    stream = getattr(sys.__stderr__, "encoding", None) or ""
    return look_for(config, os.environ, {"locale": locale.getencoding(), "stream": stream})


def colour_mode(asked: str, environment: Mapping[str, str]) -> ColourMode:
    """Return how many colours to send; ``asked`` goes before the environment, unless ``auto``.

    ``NO_COLOR`` counts where it holds something (https://no-color.org).
    """
    if asked in COLOUR_MODES:
        return cast("ColourMode", asked)
    if environment.get("NO_COLOR"):
        return "none"
    if environment.get("COLORTERM", "").strip().lower() in {"truecolor", "24bit"}:
        return "truecolour"
    term = environment.get("TERM", "").strip().lower()
    if term.endswith("-direct"):
        return "truecolour"
    if term.endswith("256color"):
        return "256"
    return _by_terminfo(term)


def _by_terminfo(term: str) -> ColourMode:
    """Return what the terminal's description says; 16 colours where there is none of it."""
    try:
        import curses  # noqa: PLC0415 - not every Python has it

        curses.setupterm(term, 1)
        colours = curses.tigetnum("colors")
    except (ImportError, OSError, _curses_error()):
        return "16"
    if colours <= 1:
        return "none"
    return "256" if colours >= 256 else "16"  # noqa: PLR2004 - the size of the shared palette


def _curses_error() -> type[Exception]:
    try:
        from curses import error  # noqa: PLC0415
    except ImportError:
        return OSError
    return error


def _theme_for(mode: ColourMode, environment: Mapping[str, str]) -> str:
    """Return the theme where none is asked for: the terminal's own where its palette is small."""
    if mode in {"16", "none"}:
        return "ansi"
    behind = environment.get("COLORFGBG", "").rpartition(";")[2].strip()
    return "light" if behind in _LIGHT else USUAL


def first_environment(environment: Mapping[str, str]) -> Mapping[str, str]:
    """Return the variables with which this process began, where the system tells them.

    Python turns a C locale into one of UTF-8 by setting ``LC_CTYPE`` (PEP 538); the terminal has
    not changed by that.
    """
    first = first_locale()
    if first is None:
        return environment
    return {k: v for k, v in environment.items() if k not in _LOCALE_VARIABLES} | dict(first)


def speaks_utf8(environment: Mapping[str, str], encodings: Mapping[str, str]) -> bool:
    """Say whether the locale is one of UTF-8, and what is drawn can be written in it."""
    stream = encodings.get("stream", "")
    if stream and not _is_utf8(stream):
        return False
    name = next((v for n in _LOCALE_VARIABLES if (v := environment.get(n, ""))), "")
    codeset = name.partition("@")[0].rpartition(".")[2]
    if "." in name or _is_utf8(name):  # macOS sets LC_CTYPE=UTF-8
        return _is_utf8(codeset)
    return name not in _C_LOCALES and _is_utf8(encodings.get("locale", ""))


def _is_utf8(encoding: str) -> bool:
    return encoding.lower().replace("-", "").replace("_", "") == "utf8"
