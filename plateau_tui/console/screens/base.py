"""What all screens share: the size they need, plain text, their keys, the way back."""

from collections.abc import Iterable
from typing import Any, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import ActiveBinding, Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Resize
from textual.geometry import Size
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Static

from plateau_tui.console.keys import PLAIN_KEYS, KeyNames, NamesKeys
from plateau_tui.console.lines.grid import fitted_tail
from plateau_tui.console.lines.text import cells, fold
from plateau_tui.console.readonly import READ_ONLY, is_read_only, may, shut
from plateau_tui.metric.fence import CLAIM_FENCE_SHORT

MIN_WIDTH: Final = 60
MIN_HEIGHT: Final = 20
BACK: Final = Binding("escape,backspace", "back", "Back", id="back", tooltip="To the screen before")
"""The keyboard of a phone has no escape."""


def is_open(screen: Screen[Any]) -> bool:
    """Say whether a screen still is one of the application's.

    A key, a timer or a worker's word can be on its way when its screen closes, or all of them do:
    an application that ends takes their parts away while they are still its screens.
    """
    app = screen.app
    return screen.is_attached and app.is_running and screen in app.screen_stack


def size_needed(size: Size) -> str:
    """Return what size a screen needs of at least, and which it has; nothing where it fits."""
    width, height = size
    small = width < MIN_WIDTH or height < MIN_HEIGHT
    return f"need {MIN_WIDTH}x{MIN_HEIGHT}, have {width}x{height}" if small else ""


def key_names(screen: Screen[Any]) -> KeyNames:
    """Return what texts call the keys, as they are mapped now."""
    app = screen.app
    return app.key_names if isinstance(app, NamesKeys) else PLAIN_KEYS


class Line(Static):
    """Plain text in one style."""

    def __init__(self, text: str = "", *, id: str | None = None, classes: str = "") -> None:  # noqa: A002 - Textual's name
        super().__init__(Content(text), id=id, classes=classes, markup=False)
        self._shown = text
        self._chosen: tuple[int, int] | None = None

    def show(self, text: str, chosen: tuple[int, int] | None = None) -> None:
        """Show another text; nothing is drawn or laid out anew when it need not be.

        ``chosen`` are the first character of what is reverse in it, and the one behind it.
        """
        if text != self._shown or chosen != self._chosen:
            same_size = [cells(line) for line in text.split("\n")] == [
                cells(line) for line in self._shown.split("\n")
            ]
            self._shown = text
            fits = text.isascii() or "\n" not in text
            content = Content(text)
            if chosen is not None:
                content = content.stylize("reverse", *chosen)
            self._chosen = chosen
            self.update(content, layout=not (same_size and fits))

    @property
    def shown(self) -> str:
        """The text on screen."""
        return self._shown


class Tail(Line):
    """The last of some lines: as many as there is room for."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._lines: list[str] = []
        self._more = ""

    def follow(self, lines: list[str], more: str = "") -> None:
        """Show the last of these lines; ``more`` stands behind an answer that is cut."""
        self._lines, self._more = lines, more
        self._fit()

    def on_resize(self) -> None:
        """Fill the room that there now is."""
        self._fit()

    def _fit(self) -> None:
        if self.size.height:
            width = max(1, self.size.width)
            self.show("\n".join(fitted_tail(self._lines, width, self.size.height, self._more)))


_LAST: Final = ("back", "app.fence", "app.menu", "app.help", "gate.leave", "app.leave")
"""The keys that stand last in every line of keys, in this order; a screen's own come first."""


def own_keys(bindings: Iterable[ActiveBinding]) -> dict[str, tuple[Binding, ActiveBinding]]:
    """Return the bindings that are ours, by id, the first key of each; ours have ids.

    A screen's own come first, then those that all screens have, everywhere in one order.
    """
    found: dict[str, tuple[Binding, ActiveBinding]] = {}
    for active in bindings:
        binding = active.binding
        if binding.id and binding.description and not binding.system:
            found.setdefault(binding.id, (binding, active))
    last = {name: found.pop(name) for name in _LAST if name in found}
    return found | last


class KeyBar(Static):
    """Every key of the screen in plain text, in as few lines as hold them."""

    def __init__(self) -> None:
        super().__init__(Content(""), markup=False)
        self._shown: list[str] = []

    def on_mount(self) -> None:
        """Follow the keys of the screen."""
        self.screen.bindings_updated_signal.subscribe(self, self._follow)
        self.fold_anew()

    def _follow(self, screen: Screen[object]) -> None:
        del screen
        self.fold_anew()

    def on_resize(self) -> None:
        """Fold anew."""
        self.fold_anew()

    def fold_anew(self) -> int:
        """Show the keys as they fit the terminal; return how many lines they take."""
        keys = own_keys(self.screen.active_bindings.values()).values()
        named = ((binding, self._word(binding)) for binding, _ in keys)
        keyed = ((self.app.get_key_display(each), word) for each, word in named if word)
        words = [f"{key} {word}".rstrip() for key, word in keyed]
        if is_read_only(self.app):
            words.insert(0, READ_ONLY)
        lines = fold(words, max(1, self.app.size.width), " ")
        if lines != self._shown:
            self._shown = lines
            self.update(Content("\n".join(lines)))
        return len(lines)

    def _word(self, binding: Binding) -> str:
        screen = self.screen
        return screen.key_word(binding) if isinstance(screen, BaseScreen) else binding.description

    @property
    def lines(self) -> list[str]:
        """What is shown."""
        return list(self._shown)


class BaseScreen(Screen[None]):
    """A full screen with the fence in short, that says what size it needs below the minimum."""

    BINDINGS: ClassVar[list[BindingType]] = []
    _focus_before: Widget | None = None
    _is_whole = False

    async def mount_composed_widgets(self, widgets: list[Widget]) -> None:
        """Mount the parts; from then on there is something to show on."""
        await super().mount_composed_widgets(widgets)
        self._is_whole = True

    def compose(self) -> ComposeResult:
        """Lay out the body, the fence and the keys."""
        yield Line(id="too-small")
        with Vertical(id="whole"):
            yield from self.compose_body()
            yield Line(CLAIM_FENCE_SHORT, id="fence")
            yield KeyBar()

    def compose_body(self) -> ComposeResult:
        """Lay out what is this screen's own."""
        yield from ()

    @property
    def is_front(self) -> bool:
        """Whether the keys go to this screen.

        A key can still be on its way when another has opened or closed a screen.
        """
        return self.is_attached and self.app.screen is self

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let a screen that closes take no key any more."""
        return is_open(self) and may(self, action) and super().check_action(action, parameters)

    def on_mount(self) -> None:
        """Shut what a read-only console may not do."""
        shut(self)

    def hear(self, text: str, job: str = "") -> None:
        """Show an answer to the operator, and to which request, where it hides nothing."""

    def key_word(self, binding: Binding) -> str:
        """Return the word of a key in the line of keys: a blank leaves the key alone there.

        Where it is empty the key stands in the help alone.
        """
        return binding.description

    def action_back(self) -> None:
        """Go back to the screen before."""
        if self.is_front:
            self.app.pop_screen()

    @property
    def is_seen(self) -> bool:
        """Whether this screen can be shown on: it is whole, and at most a question lies over it.

        An answer, or the screen below, can have something to show before all parts are there.
        """
        return self._is_whole and self._is_uncovered

    @property
    def _is_uncovered(self) -> bool:
        if not is_open(self):
            return False
        stack = self.app.screen_stack
        return all(isinstance(screen, ModalScreen) for screen in stack[stack.index(self) + 1 :])

    @property
    def is_current(self) -> bool:
        """Whether the framework draws this screen.

        It would also draw one that a full screen covers, and with it all of that one anew, at
        every message; a run that is merely open below costs 100 KB a minute then.
        """
        return super().is_current and self._is_uncovered

    def on_resize(self, event: Resize) -> None:
        """Show the screen, or what size it needs."""
        if not is_open(self):
            return
        needs = size_needed(event.size)
        small = bool(needs)
        self.query_one("#too-small", Line).show(needs)
        if small and not self.has_class("-small"):
            self._focus_before = self.focused  # what is hidden loses it
        self.set_class(small, "-small")
        if not small:
            if self.focused is None and self._focus_before is not None:
                self.call_after_refresh(self._focus_before.focus)
            self.call_after_refresh(self.resized)

    def resized(self) -> None:
        """Fit what is shown to the new size."""
