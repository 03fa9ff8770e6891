"""The part of the application that draws and copies: themes, colours, ASCII, the clipboard."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from rich.console import Console
from textual.app import App, SystemCommand
from textual.driver import Driver
from textual.filter import LineFilter, Monochrome, NoColor
from textual.widgets import Input, TextArea

from plateau_tui.console.look.asciionly import AsciiOnly, in_ascii
from plateau_tui.console.look.clipboard import Copied, copy_out
from plateau_tui.console.look.colour import ApartInSixteen, Colourless, DimReadably
from plateau_tui.console.look.inorder import KeysInOrder
from plateau_tui.console.look.keyboard import forgiving
from plateau_tui.console.look.looks import Look
from plateau_tui.console.look.onlyseen import OnlySeen

_AFRESH: Final = "\x0f\x1b(B\x1b[m\x1b[?6l\x1b[r\x1b[?7l\x1b[?25l\x1b[2J"
"""What another program may have left a terminal with is undone, and it is emptied: letters as
drawings, a colour, a part of the screen that scrolls, lines that wrap, a cursor that is shown
(ECMA-48; xterm's control sequences)."""


class LookedApp(KeysInOrder):
    """An application that is drawn as its ``look`` says."""

    def __init__(self, look: Look | None = None) -> None:
        super().__init__()
        self.look = look or Look()
        self._no_colours, self._ascii, self._last = Colourless(), AsciiOnly(), OnlySeen()
        self._dims, self._sixteen = DimReadably(), ApartInSixteen()
        for name in tuple(self.available_themes):
            self.unregister_theme(name)
        for theme in self.look.themes.themes.values():
            self.register_theme(theme)
        self._begin_with(self.look.theme)
        self._set_colours()

    def get_driver_class(self) -> type[Driver]:
        """Return the platform's driver, for which what is pasted is no key, whatever comes."""
        return forgiving(super().get_driver_class())

    def on_paste(self) -> None:
        """Say of what was pasted that no field has taken it."""
        if not isinstance(self.focused, Input | TextArea):
            self.notify("nothing was pasted: no field is open here")

    def _begin_with(self, theme: str) -> None:
        """Let the first frame be in a theme; one set as usual is drawn over the framework's own."""
        self.set_reactive(App.theme, theme)
        self.stylesheet.set_variables(self.get_css_variables())
        self._refresh_truecolor_filter(self.ansi_theme)

    def _set_colours(self) -> None:
        """Send so many colours; the framework's own choice knows fewer reasons for few of them."""
        system = self.look.colour_system
        if system == "auto":
            self.colourless = self.no_color
            return
        self.colourless = system is None
        self.console = Console(
            color_system=system or "standard",
            file=self.console.file,
            highlight=False,
            legacy_windows=False,
            force_terminal=True,
            safe_box=False,
            _environ={},
        )

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return what is done to every line before it is drawn.

        The framework's own answers to ``NO_COLOR`` are greys, and count an empty one.
        """
        filters: list[LineFilter] = [self._no_colours]
        if not self.colourless:
            own = super().get_line_filters()
            kept = [each for each in own if not isinstance(each, Monochrome | NoColor)]
            filters = [self._dims, *kept]
        if self.look.colour_system == "standard":
            filters.append(self._sixteen)
        filters.append(self._last)
        return [*filters, self._ascii] if self.look.ascii_only else filters

    def theme_commands(self) -> Iterator[SystemCommand]:
        """Offer every theme in the menu, and say there of each bad one what is wrong with it."""
        for name in self.look.themes.themes:

            def choose(name: str = name) -> None:
                self.theme = name
                self.notify(f'drawn in {name}; config.toml keeps it: theme = "{name}"')

            now = " (now)" if name == self.theme else ""
            yield SystemCommand(f"Theme {name}", f"Draw in the colours of {name}{now}", choose)
        for line in self.look.themes.told:
            title, _, wrong = line.partition(": ")
            title = title[:1].upper() + title[1:]
            yield SystemCommand(title, f"BAD: {wrong}", partial(self.notify, line))

    def action_redraw(self) -> None:
        """Draw all of the screen anew, whatever another program has written over it."""
        if not self.is_headless:
            self._send(_AFRESH)
        self.refresh(layout=True)

    def copy_out(self, text: str, name: str) -> Copied:
        """Copy a text to the terminal's clipboard and to a file, which is named in what is told."""
        return copy_out(text, name, self._send)

    def _send(self, sequence: str) -> None:
        """Send an escape sequence to the terminal, between what is drawn."""
        if self._driver is not None:
            self._driver.write(sequence)
            self._driver.flush()


def drawn_text(app: App[object], text: str) -> str:
    """Return a text as ``app`` can draw it: in ASCII's words where that is asked."""
    return in_ascii(text) if isinstance(app, LookedApp) and app.look.ascii_only else text
