"""What stands on the registration's screen: its file, the form or the text, what was told."""

from typing import Final

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, VerticalScroll

from plateau_tui.console.gate.desk import GateDesk
from plateau_tui.console.gate.file import GateFile, sealed_lines
from plateau_tui.console.gate.form import Draft, Field
from plateau_tui.console.gate.lines import (
    TYPING,
    feasibility_lines,
    field_line,
    state_line,
    told_of,
)
from plateau_tui.console.gate.reach import Assessed, Reach
from plateau_tui.console.lines.text import harmless
from plateau_tui.console.screens.base import BaseScreen, Line, key_names
from plateau_tui.console.widgets.choices import Choices
from plateau_tui.console.widgets.field import LineInput
from plateau_tui.runlog.layout import RunFolder

_LOOK_S: Final = 1.0
_BESIDE: Final = 110
"""From this width on what the gate can come to stands beside the fields."""


class GateForm(BaseScreen):
    """Shows a draft as a form, or the text where there is nothing to fill in; follows the file."""

    def __init__(self, folder: RunFolder) -> None:
        super().__init__()
        self.folder = folder
        self._desk = GateDesk(folder)
        self._before_edit: Draft | None = None
        self._edited: Field | None = None
        self._said = "reading ..."
        self._reach = Reach(self.post_message)

    def compose_body(self) -> ComposeResult:
        """Lay out the fields with the chosen one in full, what the gate can come to, the text."""
        yield Line(id="header")
        yield Line(id="said")
        with Container(id="gate"):
            yield Choices(id="fields", markup=False)
            with VerticalScroll(id="reach", can_focus=False):
                yield Line(id="reach-lines")
        yield Line(id="field")
        yield LineInput(id="value", max_length=1900, select_on_focus=False)
        with VerticalScroll(id="sealed"):
            yield Line(id="sealed-lines")

    def on_mount(self) -> None:
        """Read the file, and look whether it changes."""
        self.query_one("#header", Line).show(
            harmless(f"Registration of {self.folder.path.name}: the gate", 60)
        )
        self.query_one("#value").display = self.query_one("#sealed").display = False
        self.set_interval(_LOOK_S, self._look)
        self._read()

    # -- the file ---------------------------------------------------------------------------

    @property
    def gate(self) -> GateFile | None:
        """What was last read from disk."""
        return self._desk.gate

    @property
    def draft(self) -> Draft | None:
        """The draft as it stands here; None where there is none to be edited."""
        return self._desk.draft

    @property
    def changed(self) -> bool:
        """Whether the draft here is not what the file held when it was read."""
        return self._desk.changed

    def _look(self) -> None:
        """Read a file that has changed, unless that would lose what was typed here."""
        if self.is_seen and self._desk.stale:
            if self.changed or self._edited is not None:
                self._show_state()
            else:
                self._read()

    def _read(self) -> None:
        self._desk.read()
        self._edited, self._said = None, self._desk.trouble
        self.show()
        target = "#fields" if self.draft is not None else "#sealed"
        self.query_one(target).focus()
        self.refresh_bindings()

    # -- showing ----------------------------------------------------------------------------

    def show(self) -> None:
        """Show the form, or the text where there is nothing to fill in."""
        if not self.is_seen:
            return
        form = self.draft is not None
        for name, shown in (
            ("#gate", form),
            ("#field", form),
            ("#sealed", not form),
            ("#value", self._edited is not None),
        ):
            widget = self.query_one(name)
            if widget.display is not shown:  # every setting lays the whole screen out anew
                widget.display = shown
        self.set_class(self.size.width >= _BESIDE, "-beside")
        self._show_state()
        if self.draft is None:
            self._show_text()
        else:
            self._show_fields(self.draft)
            self._show_field()
            self._show_reach(self.draft)

    def _show_state(self) -> None:
        text = self._said
        if self.draft is not None and not text:
            text = state_line(
                self.draft.checked,
                changed=self.changed,
                stale=self._desk.stale,
                read=key_names(self)["gate.read"],
            )
            if self._edited is not None:
                text = f"{TYPING}; {text}"
        self.query_one("#said", Line).show(harmless(text))

    def _show_text(self) -> None:
        if self.gate is None:
            return
        text = sealed_lines(self.gate) if self.gate.sealed else self.gate.text.splitlines()
        self.query_one("#sealed-lines", Line).show("\n".join(map(harmless, text)))

    def _show_fields(self, draft: Draft) -> None:
        options = self.query_one("#fields", Choices)
        width = self.size.width - 1
        if self.has_class("-beside"):
            width = width * 3 // 5 - 1
        lines = [field_line(f, draft.values, draft.checked, width) for f in draft.fields]
        options.show_lines([str(place) for place in range(len(lines))], lines)

    def _show_field(self, problem: str = "") -> None:
        field = self._field()
        if field is not None and self.draft is not None:
            told = problem or told_of(field, self.draft.values, self.draft.checked)
            self.query_one("#field", Line).show(harmless(told))

    def _show_reach(self, draft: Draft) -> None:
        self._reach.want(draft.checked.registration)
        width = self.size.width * 2 // 5 - 1 if self.has_class("-beside") else self.size.width - 1
        lines = self._reach_lines(max(20, width))
        self.query_one("#reach-lines", Line).show("\n".join(lines))

    def _reach_lines(self, width: int) -> list[str]:
        registration = self.draft.checked.registration if self.draft else None
        gate = registration.gate if registration else None
        return feasibility_lines(self._reach.found, gate, self._reach.why_not, width)

    @on(Assessed)
    def _assessed(self, message: Assessed) -> None:
        self._reach.take(message)
        if self.draft is not None and self.is_seen:
            self._show_reach(self.draft)

    def resized(self) -> None:
        """Fit the lines to the new size."""
        self.show()

    def on_screen_resume(self) -> None:
        """Show what may have changed behind another screen."""
        self.show()

    def hear(self, text: str, job: str = "") -> None:
        """Show an answer, until another field is chosen."""
        del job
        self._said = text
        self._show_state()

    def _field(self) -> Field | None:
        place = self.query_one("#fields", Choices).highlighted
        if self.draft is None or place is None or place >= len(self.draft.fields):
            return None
        return self.draft.fields[place]
