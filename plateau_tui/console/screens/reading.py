"""A screen to read: a heading, what happens, and lines to scroll in."""

from textual.app import ComposeResult
from textual.containers import VerticalScroll

from plateau_tui.console.lines.text import harmless
from plateau_tui.console.screens.base import BaseScreen, Line


class ReadingScreen(BaseScreen):
    """Shows lines that a subclass gives for a width; it binds its own keys to scroll them."""

    DEFAULT_CSS = """
    ReadingScreen #heading { height: auto; text-style: bold; }
    ReadingScreen #happens { height: auto; }
    ReadingScreen #over { height: auto; text-style: underline; }
    ReadingScreen #page { height: 1fr; }
    """

    def compose_body(self) -> ComposeResult:
        """Lay out heading, what happens, columns, and what is to be read."""
        yield Line(id="heading")
        yield Line(id="happens")
        yield Line(id="over")
        with VerticalScroll(id="page"):
            yield Line(id="lines")

    def on_mount(self) -> None:
        """Let the keys scroll."""
        self.query_one("#page").focus()

    def heading(self, width: int) -> list[str]:
        """Return what this is, in lines of at most ``width`` cells."""
        raise NotImplementedError

    def happens(self) -> str:
        """Return what happens now, or what to do; nothing where there is nothing to say."""
        return ""

    def over(self, width: int) -> str:
        """Return the heading over the columns, where there are any."""
        del width
        return ""

    def lines(self, width: int) -> list[str]:
        """Return what is to be read, in lines of at most ``width`` cells."""
        raise NotImplementedError

    def chosen_part(self) -> tuple[int, int] | None:
        """Return where in the last lines that were given what is chosen begins and ends."""
        return None

    def show(self) -> None:
        """Show what is known now, if this screen can be seen."""
        if not self.is_seen:
            return
        width = max(1, self.size.width)
        inner = max(1, width - 1)  # the scroll bar
        self.query_one("#heading", Line).show("\n".join(self.heading(width)))
        told = "\n".join(harmless(line) for line in self.happens().split("\n"))
        self._show_one("#happens", told if "\n" in told else harmless(told, 3 * width))
        self._show_one("#over", self.over(inner))
        self.query_one("#lines", Line).show("\n".join(self.lines(inner)), self.chosen_part())

    def _show_one(self, name: str, text: str) -> None:
        line = self.query_one(name, Line)
        line.display = bool(text)
        line.show(text)

    def resized(self) -> None:
        """Fit what is shown to the new size."""
        self.show()

    def on_screen_resume(self) -> None:
        """Show what has changed behind another screen."""
        self.show()

    def action_scroll(self, step: int) -> None:
        """Scroll by a line."""
        self.query_one("#page", VerticalScroll).scroll_relative(y=step, animate=False)
