"""Themes as files: what one may hold, those that ship, and the user's own beside config.toml.

A theme is a TOML table of colours. What is wrong with one is said in a line, and the console
starts with the usual theme all the same.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from textual.color import Color
from textual.theme import Theme

from plateau_tui.metric.objectives import nearest
from plateau_tui.metric.tables import ConfigError, Problems, Table, first_of, parse_toml, shown
from plateau_tui.resources import shipped
from plateau_tui.runlog.tomlfile import toml_bytes

USUAL: Final = "dark"
LEAST_LEGIBLE: Final = 3.0
"""Below this a text cannot be told from what is behind it: WCAG 2.2 asks for 4.5, 3 of signs."""
_MOST_TOLD: Final = 2
"""So many problems of a file leave its path in sight."""
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
_RGB: Final = re.compile(r"#[0-9A-Fa-f]{6}")
_HUES: Final = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_ANSI_NAMES: Final = ("default", *_HUES, *(f"bright_{hue}" for hue in _HUES))
_DEFAULTS: Final = {
    "muted": "foreground",
    "surface": "background",
    "panel": "background",
    "field": "background",
    "primary": "foreground",
    "accent": "foreground",
    "success": "foreground",
    "warning": "foreground",
    "error": "foreground",
}
"""Colours that may be left out, and the colour that then stands for each."""
_COLOURS: Final = ("foreground", "background", *_DEFAULTS)
_GROUNDS: Final = ("background", "surface", "panel", "field")
_TEXTS: Final = ("foreground", "muted", "error", "warning", "success", "accent", "primary")
"""Colours that stand on every ground, also the other way round: where chosen, or grave."""


@dataclass(frozen=True, slots=True)
class ThemeSet:
    """The themes that can be chosen, by name, and a line for each file that is none."""

    themes: Mapping[str, Theme]
    told: tuple[str, ...]

    def choose(self, name: str) -> tuple[str, tuple[str, ...]]:
        """Return the theme to use for ``name``, and what is to be told of that.

        A theme that does not exist, or whose file is bad, is the usual one.
        """
        if name in self.themes:
            return name, ()
        at_fault = tuple(line for line in self.told if line.startswith(f"theme {shown(name)}: "))
        known = ", ".join(self.themes)
        missing = f"theme {shown(name, 40)}: there is none{nearest(name, self.themes)}; {known}"
        return USUAL, at_fault or (missing,)


def all_themes(users: Path) -> ThemeSet:
    """Return the shipped themes, and those of the folder ``users``, which go before."""
    themes: dict[str, Theme] = {}
    told: list[str] = []
    for folder in (shipped("themes"), users):
        for path in _files(folder, told):
            try:
                themes[path.stem] = read_theme(path)
            except ConfigError as error:
                why = "; ".join(first_of(error.problems, _MOST_TOLD))
                told.append(f"theme {shown(path.stem, 40)}: {why} ({path})")
    first = [USUAL, *sorted(themes.keys() - {USUAL})]
    return ThemeSet({name: themes[name] for name in first}, tuple(told))


def _files(folder: Path, told: list[str]) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == ".toml")
    except FileNotFoundError:
        return []
    except OSError as error:
        told.append(f"themes: {folder} cannot be read: {error.strerror}")
        return []


def read_theme(path: Path) -> Theme:
    """Return the theme that a file describes; its name is the file's.

    Raises:
        ConfigError: the file cannot be read, holds anything but colours, or colours that cannot
            be told apart.

    """
    if not _NAME.fullmatch(path.stem):
        raise ConfigError(str(path), ["a theme's name is 1 to 32 of a-z 0-9 - _"])
    try:
        if not path.is_file():
            raise ConfigError(str(path), ["is no file"])
        text = toml_bytes(path)
    except OSError as error:
        raise ConfigError(str(path), [f"cannot be read: {error.strerror}"]) from None
    problems = Problems(str(path))
    top = Table(parse_toml(text, str(path)), "", problems)
    top.known("dark", "ansi", *_COLOURS)
    dark, ansi = top.truth("dark") is not False, top.truth("ansi") is True
    found = {name: _colour(top, name, ansi=ansi) for name in _COLOURS if _stands(top, name)}
    problems.raise_if_any()
    _require_legible(found, problems, ansi=ansi)
    colours = {name: found.get(name) or found[_DEFAULTS[name]] for name in _COLOURS}
    return _theme(path.stem, colours, dark=dark, ansi=ansi)


def _stands(top: Table, name: str) -> bool:
    """Say whether a colour must be looked at: one that is left out is another's."""
    return name in top.values or name not in _DEFAULTS


def _colour(top: Table, name: str, *, ansi: bool) -> str:
    """Return a colour of a file as Textual writes it."""
    if ansi:
        return f"ansi_{top.choice(name, _ANSI_NAMES)}"
    value = top.text(name)
    if value and not _RGB.fullmatch(value):
        top.wrong(name, f"{shown(repr(value), 40)} is no colour; write it as #rrggbb")
    return value


def _require_legible(colours: Mapping[str, str], problems: Problems, *, ansi: bool) -> None:
    """Refuse text that could not be read on what is behind it; each colour is told once.

    What a terminal paints for a name nobody knows, but one name on itself is nothing to read.
    """
    grounds = [name for name in _GROUNDS if name in colours]
    for name in _TEXTS:
        if name not in colours:
            continue
        if ansi:
            same = [each for each in grounds if _is_lost(colours[name], colours[each])]
            if same:
                problems.add(name, f"cannot be read on {', '.join(same)}: it is the same colour")
            continue
        front = Color.parse(colours[name])
        found = {each: legibility(front, Color.parse(colours[each])) for each in grounds}
        low = [each for each in grounds if found[each] < LEAST_LEGIBLE]
        if low:
            problems.add(
                name,
                f"cannot be read on {', '.join(low)}: the contrast is "
                f"{math.floor(10 * min(found.values())) / 10}, and at least "
                f"{LEAST_LEGIBLE:g} is needed",
            )
    problems.raise_if_any()


def _is_lost(text: str, ground: str) -> bool:
    """Say whether a named colour is that of its ground; the two defaults are a pair."""
    return text == ground != "ansi_default"


def _theme(name: str, colours: Mapping[str, str], *, dark: bool, ansi: bool) -> Theme:
    front, back, muted = (colours[key] for key in ("foreground", "background", "muted"))
    own = (
        {
            "ansi-background": back,
            "ansi-foreground": front,
            "scrollbar": colours["primary"],
            "scrollbar-background": back,
        }
        if ansi
        else {
            "input-cursor-background": front,
            "input-cursor-foreground": back,
            "input-selection-background": colours["primary"],
            "input-selection-foreground": back,
            "screen-selection-background": colours["primary"],
            "screen-selection-foreground": back,
            "scrollbar": colours["primary"],
            "scrollbar-hover": colours["primary"],
            "scrollbar-background": colours["panel"],
        }
    )
    return Theme(
        name=name,
        primary=colours["primary"],
        secondary=colours["primary"],
        warning=colours["warning"],
        error=colours["error"],
        success=colours["success"],
        accent=colours["accent"],
        foreground=front,
        background=back,
        surface=colours["surface"],
        panel=colours["panel"],
        dark=dark,
        ansi=ansi,
        variables={
            "boost": colours["field"],
            "text": front,
            "text-muted": muted,
            "text-disabled": muted,
            "foreground-muted": muted,
            "foreground-disabled": muted,
            **own,
        },
    )


def legibility(front: Color, behind: Color) -> float:
    """Return the contrast ratio of two opaque colours, from 1 to 21 (WCAG 2.2, 1.4.3)."""
    light, dark = sorted((_luminance(front), _luminance(behind)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Color) -> float:
    """Return the relative luminance as WCAG 2.2 defines it."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4  # noqa: PLR2004 - sRGB
        for part in colour.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
