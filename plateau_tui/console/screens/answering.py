"""The questions of SR-4 and SR-2 as a form, and the word that the answers would lead to."""

from collections.abc import Callable
from typing import ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Input, TextArea

from plateau_tui.console.lines.text import harmless
from plateau_tui.console.look.plainchars import tame, tame_lines
from plateau_tui.console.screens.base import BACK, BaseScreen, Line
from plateau_tui.console.screens.dialogs import Confirm
from plateau_tui.console.screens.reading import ReadingScreen
from plateau_tui.console.verdict.answers import Preview, preview
from plateau_tui.console.verdict.lines import preview_heading, preview_lines
from plateau_tui.console.widgets.field import LineInput, LinesInput
from plateau_tui.console.widgets.pick import Pick, Press
from plateau_tui.metric.attestation import Attestation, ClassificationCase
from plateau_tui.metric.fence import felt_state_warning
from plateau_tui.metric.tables import ConfigError
from plateau_tui.report.gather import Judged
from plateau_tui.report.questions import SR_2, SR_2_A, SR_2_B, SR_2_EVIDENCE, SR_4
from plateau_tui.report.record import evidence_words
from plateau_tui.report.words import headline

_SINGLE: Final[tuple[bool | None, ...]] = (None, True, False)
_CASES: Final[tuple[ClassificationCase | None, ...]] = (None, "a", "b")
_FIELDS: Final = (
    ("adjudicator", "#who"),
    ("attribution", "#others"),
    ("classification.case", "#case"),
    ("classification.evidence", "#evidence"),
)
_WRITE_MEANING: Final = (
    "attestation.toml is written, and the journal keeps the answers with the word that they lead "
    "to. They can be corrected: the newest count, and the journal keeps all of them."
)


def _kept(given: str, typed: str) -> str:
    """Return what stands in a field: as it was given where nobody typed over what is seen of it."""
    return given if typed in {tame(given), tame_lines(given)} else typed.strip()


class AnswerScreen(BaseScreen):
    """Asks what the rules ask, in the seed's own words; ``leave`` gets what was typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "ctrl+s", "preview", "Preview", id="answers.preview", tooltip="The word with these"
        ),
        Binding("tab", "app.focus_next", "Field", id="answers.field", tooltip="The next field"),
        BACK,
    ]
    DEFAULT_CSS = """
    AnswerScreen #heading { height: auto; text-style: bold; }
    AnswerScreen #wrong { height: auto; text-style: bold; }
    AnswerScreen #form { height: 1fr; }
    AnswerScreen #form Line { height: auto; margin-bottom: 1; }
    AnswerScreen #form .asks { margin-bottom: 0; text-style: bold; }
    AnswerScreen Pick, AnswerScreen Input, AnswerScreen TextArea { margin-bottom: 1; }
    AnswerScreen TextArea { border: none; padding: 0; background: $boost; }
    AnswerScreen #others { height: 3; }
    AnswerScreen #evidence { height: 5; }
    AnswerScreen Input { border: none; height: 1; padding: 0; background: $boost; }
    AnswerScreen Input:focus, AnswerScreen TextArea:focus { border: none; }
    TextArea:nocolor .text-area--cursor { text-style: reverse; }
    """

    AUTO_FOCUS = ""

    def __init__(
        self,
        judged: Judged,
        given: Attestation,
        *,
        asks_why: bool,
        leave: Callable[[Attestation], None],
        write: Callable[[bytes], None],
    ) -> None:
        super().__init__()
        self._judged, self._given = judged, given
        self._asks_why = asks_why
        self._leave, self._write = leave, write

    def compose_body(self) -> ComposeResult:
        """Lay out each question with its fields."""
        yield Line(
            "The questions at the close; nothing is written before you confirm", id="heading"
        )
        yield Line(id="wrong")
        with VerticalScroll(id="form", can_focus=False):
            yield from self._attribution()
            if self._asks_why:
                yield from self._classification()
            yield Line("Adjudicator, initials or name:", classes="asks")
            yield LineInput(self._given.adjudicator, id="who", max_length=200)
            yield Press("Preview the word", id="go")

    def _attribution(self) -> ComposeResult:
        given = self._given
        yield Line(f"SR-4. {SR_4}")
        yield Line(f"The registered variable: {harmless(self._judged.registration.variable)}")
        yield Line("Did the arms differ in the registered variable alone?", classes="asks")
        yield Pick(("not answered", "yes", "no"), _SINGLE.index(given.single_variable), id="single")
        yield Line("What else differed, one a line (one entry voids the result):", classes="asks")
        yield LinesInput("\n".join(given.other_differences), id="others")

    def _classification(self) -> ComposeResult:
        given = self._given
        yield Line(f"SR-2. {SR_2}")
        yield Line(SR_2_A)
        yield Line(SR_2_B)
        yield Line("Why is it neither a clean PASS nor a clean FAIL?", classes="asks")
        choices = ("not answered", "(a) cure-ineffective", "(b) structure-deficient")
        yield Pick(choices, _CASES.index(given.case), id="case")
        yield Line(SR_2_EVIDENCE)
        yield Line("Evidence, what shows it, with receipts:", classes="asks")
        yield LinesInput(given.evidence, id="evidence")

    def on_mount(self) -> None:
        """Begin at the first question."""
        self.query_one("#single").focus(scroll_visible=False)

    @property
    def answers(self) -> Attestation:
        """What stands in the form now."""
        given = self._given
        typed = self.query_one("#others", TextArea).text
        others = tuple(other for line in typed.split("\n") if (other := line.strip()))
        if typed == tame_lines("\n".join(given.other_differences)):
            others = given.other_differences
        case, evidence = given.case, given.evidence
        if self._asks_why:
            case = _CASES[self.query_one("#case", Pick).chosen]
            evidence = _kept(evidence, self.query_one("#evidence", TextArea).text)
        return Attestation(
            adjudicator=_kept(given.adjudicator, self.query_one("#who", Input).value),
            single_variable=_SINGLE[self.query_one("#single", Pick).chosen],
            other_differences=others,
            case=case,
            evidence=evidence,
        )

    @on(Press.Pressed)
    def _pressed(self) -> None:
        self.action_preview()

    def action_preview(self) -> None:
        """Show the word with these answers."""
        if not self.is_front:
            return
        wrong = self.query_one("#wrong", Line)
        try:
            found = preview(self._judged, self.answers)
        except ConfigError as error:
            wrong.show(harmless(str(error)))
            self._go_to(error.problems[0])
            return
        wrong.show("")
        self.app.push_screen(PreviewScreen(found, self._judged, self._write))

    def _go_to(self, problem: str) -> None:
        """Let the keys go to the field that a problem names by its key's path."""
        for key, name in _FIELDS:
            if problem.startswith(key):
                self.query(name).focus()
                return

    def action_back(self) -> None:
        """Go back; what was typed is there when the form is opened again."""
        if self.is_front:
            self._leave(self.answers)
        super().action_back()


class PreviewScreen(ReadingScreen):
    """The word under given answers, and what it would disclose; ``write`` gets them once sure."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "s", "write", "Write", id="preview.write", tooltip="Write the answers, after asking"
        ),
        Binding("j,down", "scroll(1)", "Down", show=False, id="preview.down"),
        Binding("k,up", "scroll(-1)", "Up", show=False, id="preview.up"),
        BACK,
    ]

    def __init__(self, found: Preview, before: Judged, write: Callable[[bytes], None]) -> None:
        super().__init__()
        self._found, self._before, self._write = found, before, write
        self._told = ""

    def heading(self, width: int) -> list[str]:
        """Return the word, with the answers and without."""
        return preview_heading(self._found, self._before, width)

    def happens(self) -> str:
        """Return the gentle warning about felt states, where there is reason for it."""
        felt = evidence_words(self._found.judged.case.attestation)
        return self._told or (felt_state_warning(felt) if felt else "")

    def lines(self, width: int) -> list[str]:
        """Return what the answers lead to."""
        return preview_lines(self._found, width)

    @work
    async def action_write(self) -> None:
        """Write the answers, after saying what that means."""
        if not self.is_front:
            return
        if self._found.judged.case.attestation == Attestation():
            self._told = "nothing is answered: there is nothing to write"
            self.show()
            return
        question = f"Write these answers? The word is then {headline(self._found.judged.verdict)}"
        if await self.app.push_screen_wait(Confirm(question, _WRITE_MEANING)):
            self._write(self._found.text)


SCREENS: Final[dict[str, list[BindingType]]] = {
    "answers": AnswerScreen.BINDINGS,
    "preview": PreviewScreen.BINDINGS,
}
