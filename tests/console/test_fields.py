"""What is typed, pasted or already stands in a field: it is seen, and nothing else happens."""

import ast
from pathlib import Path
from typing import Final

import pytest
from console.apps import app_on, sample, until, until_read
from console.gates import choose, made, on_disk, opened, put
from console.test_hostile import TRICKS, assert_plain, drawn, in_toml
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text
from textual.app import ComposeResult
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static, TextArea
from textual.widgets.text_area import Edit

import plateau_tui.console
from plateau_tui.console.gate.form import Draft, hides, value_to_type
from plateau_tui.console.look.lookedapp import LookedApp
from plateau_tui.console.look.looks import Look
from plateau_tui.console.look.onlyseen import only_seen
from plateau_tui.console.look.plainchars import tame, tame_lines
from plateau_tui.console.screens.answering import AnswerScreen
from plateau_tui.console.screens.dialogs import Ask, Confirm, Page
from plateau_tui.console.verdict.answers import attestation_text
from plateau_tui.console.widgets.field import LineInput, LinesInput
from plateau_tui.metric.attestation import Attestation
from plateau_tui.report.gather import judge
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.template import draft_text

asynchronous = pytest.mark.asyncio
EVIL: Final = "a\x1b]52;c;ZXZpbA==\x07\u202ex\u2066\u200b\x9b31m\u2028end"
SEEN: Final = tame(EVIL)
EVIL_IN_TOML: Final = r'"a\u001b]52;c;ZXZpbA==\u0007\u202Ex\u2066\u200B\u009B31m\u2028end"'
ALL_TRICKS: Final = "".join(TRICKS)


class Fields(LookedApp):
    """One field of each kind, and a widget that draws what it is given."""

    def __init__(self, given: str = "", look: Look | None = None) -> None:
        super().__init__(look)
        self.given = given

    def compose(self) -> ComposeResult:
        yield LineInput(self.given, id="line")
        yield LineInput(self.given, id="secret", password=True)
        yield LinesInput(self.given, id="lines")
        yield Static(Text(self.given), id="raw", markup=False)

    @property
    def line(self) -> Input:
        return self.query_one("#line", Input)

    @property
    def lines(self) -> TextArea:
        return self.query_one("#lines", TextArea)

    def assert_nothing_acts(self) -> None:
        strips = self.screen._compositor.render_strips(self.size)
        for text in ("".join(segment.text for segment in strip) for strip in strips):
            assert text.isprintable(), text
            assert cell_len(text) == self.size.width
        assert_plain(self.line.value)
        for text in self.lines.text.split("\n"):
            assert_plain(text)


def test_every_field_of_the_console_is_one_that_takes_only_what_is_seen() -> None:
    found = []
    for path in Path(plateau_tui.console.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = node.func
                name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
                found.append((path.stem, name))
    assert {name for _, name in found} >= {"LineInput", "LinesInput"}
    assert not [each for each in found if each[1] in {"Input", "TextArea", "MaskedInput"}]


@asynchronous
@pytest.mark.parametrize("ascii_only", [False, True])
async def test_no_default_acts(*, ascii_only: bool) -> None:
    app = Fields(TRICKS[0], Look(ascii_only=ascii_only))
    async with app.run_test(size=(80, 24)) as pilot:
        for trick in (*TRICKS, EVIL, ALL_TRICKS):
            app.given = trick
            await app.recompose()  # every field is made anew
            await pilot.pause()
            app.assert_nothing_acts()
            assert app.line.value == tame(trick)
            assert app.lines.text == tame_lines(trick)
            assert app.query_one("#secret", Input).value == trick  # it opens the server's door


@asynchronous
@pytest.mark.parametrize("way", ["paste", "clipboard", "set", "insert"])
async def test_nothing_that_comes_later_acts_and_the_cursor_stands_behind_it(way: str) -> None:
    app = Fields("0189")
    async with app.run_test(size=(80, 24)) as pilot:
        for trick in (*TRICKS, EVIL):
            await put_in(pilot, app, app.line, trick, way)
            app.assert_nothing_acts()
            value, at = app.line.value, app.line.cursor_position
            if way != "set":
                assert value.startswith("01")
                assert value[at:].lstrip("\u0301") == "89", (trick, value, at)
        for trick in (*TRICKS, EVIL):
            await put_in(pilot, app, app.lines, trick, way)
            app.assert_nothing_acts()
            row, column = app.lines.cursor_location
            if way != "set":
                assert app.lines.document.get_line(row)[column:] == "89"


async def put_in(
    pilot: Pilot[int], app: Fields, field: Input | TextArea, text: str, way: str
) -> None:
    """Put a text between the second and the third of four digits."""
    if not field.has_focus:
        field.focus()
        await pilot.pause()  # a field that gets the keys chooses all that stands in it
    if isinstance(field, Input):
        field.value, field.cursor_position = "0189", 2
    else:
        field.load_text("0189")
        field.cursor_location = (0, 2)
    if way == "paste":
        app.post_message(Paste(text))
    elif way == "clipboard":
        app.copy_to_clipboard(text)
        field.action_paste()
    elif way == "set" and isinstance(field, Input):
        field.value = text
    elif way == "set" and isinstance(field, TextArea):
        field.text = text
    elif isinstance(field, Input):
        field.insert_text_at_cursor(text)
    else:
        field.insert(text)
    await pilot.pause()


@asynchronous
async def test_tabs_and_spaces_of_every_kind_are_spaces_and_lines_are_lines() -> None:
    app = Fields()
    async with app.run_test() as pilot:
        await put_in(pilot, app, app.line, "a\tb\u00a0c", "paste")
        assert app.line.value == "01a b c89"
        await put_in(pilot, app, app.line, "a\r\nb", "clipboard")
        assert app.line.value == "01a b89"
        await put_in(pilot, app, app.lines, "a\tb\r\nc\rd", "paste")
        assert app.lines.text == "01a b\nc\nd89"


@asynchronous
async def test_accents_without_their_letter_or_too_many_are_no_value_and_undo_works() -> None:
    app = Fields()
    async with app.run_test(size=(80, 24)) as pilot:
        lines = app.lines
        lines.focus()
        lines.load_text("xe\u0301\u0302fe\u0301\u0302")
        lines.edit(Edit("", (0, 1), (0, 2), maintain_selection_offset=False))  # an e is gone
        app.assert_nothing_acts()
        lines.edit(Edit("", (0, 0), (0, len(lines.text)), maintain_selection_offset=False))
        lines.undo()
        app.assert_nothing_acts()
        lines.load_text("e\u0301\u0302fe\u0301\u0302")
        lines.edit(Edit("", (0, 3), (0, 5), maintain_selection_offset=False))  # four on one letter
        app.assert_nothing_acts()
        lines.undo()
        assert lines.text == "e\u0301\u0302fe\u0301\u0302"
        app.line.focus()
        await pilot.press("e", *["\u0301"] * 9, "f")
        app.assert_nothing_acts()
        assert app.line.value.endswith("f")
        assert app.line.cursor_position == len(app.line.value)


@settings(max_examples=300)
@given(st.lists(st.sampled_from(TRICKS) | st.text(max_size=9), max_size=5).map("".join))
def test_the_last_filter_leaves_the_width_and_nothing_that_acts(text: str) -> None:
    shown = only_seen(text)
    assert shown.isprintable()
    assert cell_len(shown) == cell_len(text)
    if text.isprintable():
        assert shown == text


# -- the registration -------------------------------------------------------------------------


def hostile_draft(tmp_path: Path) -> RunFolder:
    text = draft_text("p1", 6)
    before, _, after = text.partition('variable = "')
    assert after
    return made(tmp_path, f"{before}variable = {EVIL_IN_TOML}{after[after.index(chr(10)) :]}")


@asynchronous
async def test_a_hostile_value_that_is_only_looked_at_stays_as_it_is(tmp_path: Path) -> None:
    folder = hostile_draft(tmp_path)
    before = on_disk(folder)
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        for leave in ("enter", "escape"):
            await choose(pilot, screen, "variable")
            await pilot.press("e")
            field = screen.query_one("#value", Input)
            await until(pilot, lambda: field.has_focus)  # noqa: B023 - at once
            assert field.value == SEEN
            await pilot.press("x", "backspace")
            for line in drawn(app):
                assert_plain(line)
            await pilot.press(leave)
            await until(pilot, lambda: screen.query_one("#fields").has_focus)
            assert not screen.changed
        await put(pilot, screen, "window.cycles", "12")
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("y")
        await until(pilot, lambda: on_disk(folder) != before)
    assert f"variable = {EVIL_IN_TOML}\n" in on_disk(folder)
    changed = [a for a, b in zip(before.splitlines(), on_disk(folder).splitlines(), strict=True)
               if a != b]  # fmt: skip
    assert len(changed) == 1
    assert changed[0].startswith("cycles = ")


@asynchronous
async def test_a_hostile_value_that_is_typed_over_is_what_was_seen(tmp_path: Path) -> None:
    folder = hostile_draft(tmp_path)
    app = app_on(folder)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(pilot)
        await choose(pilot, screen, "variable")
        assert "cannot be shown" in " ".join("\n".join(drawn(app)).split())
        await pilot.press("e", "!", "enter")
        await until(pilot, lambda: screen.query_one("#fields").has_focus)
        assert screen.draft is not None
        assert screen.draft.values["variable"] == f"{SEEN}!"
        assert "cannot be shown" not in " ".join("\n".join(drawn(app)).split())
    for line in screen.draft.text.splitlines():
        assert line.isprintable()


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(TRICKS) | st.text(st.characters(codec="utf-8"), max_size=12))
def test_what_stands_to_be_typed_over_changes_no_draft(value: str) -> None:
    first, _, rest = draft_text("p1", 3).partition('variable = "')
    text = f"{first}variable = {in_toml(value)}{rest[rest.index(chr(10)) :]}"
    draft = Draft.of(text)
    for field in draft.fields:
        shown = value_to_type(draft.values, field)
        assert tame(shown) == shown
        assert draft.typed(field, shown) is draft
    variable = next(each for each in draft.fields if each.path == "variable")
    assert hides(draft.values, variable) == (tame(value) != value)


# -- the answers ------------------------------------------------------------------------------


@asynchronous
@pytest.mark.parametrize("changed", ["#who", "#others", "#evidence"])
async def test_hostile_answers_are_kept_where_another_is_typed(
    tmp_path: Path, changed: str
) -> None:
    folder = sample(tmp_path)
    given_before = Attestation(f" {EVIL}", True, (EVIL, f"b{EVIL}"), "b", f"{EVIL}\nmore{EVIL}")
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        screen = AnswerScreen(
            judge(folder), given_before, asks_why=True,
            leave=lambda _: None, write=lambda _: None,
        )  # fmt: skip
        await app.push_screen(screen)
        await until(pilot, lambda: screen.query("#go"))
        await pilot.pause()
        assert screen.answers == given_before
        assert attestation_text(screen.answers) == attestation_text(given_before)
        screen.query_one(changed).focus()
        await pilot.press("end", "!")
        await pilot.pause()
        for line in drawn(app):
            assert_plain(line)
        now, before = screen.answers, given_before
        seen = {
            "#who": (now.adjudicator, before.adjudicator),
            "#others": ("\n".join(now.other_differences), "\n".join(before.other_differences)),
            "#evidence": (now.evidence, before.evidence),
        }
        for name, (typed, was) in seen.items():
            if name != changed:
                assert typed == was
            else:
                assert "!" in typed
                assert sorted(typed.replace("!", "")) == sorted(tame_lines(was).strip())


# -- questions, pages, lists ------------------------------------------------------------------


@asynchronous
@pytest.mark.parametrize(
    "screen", [lambda: Ask(EVIL, EVIL), lambda: Confirm(EVIL, EVIL), lambda: Page(EVIL, EVIL)]
)
async def test_no_question_and_no_page_lets_a_trick_through(
    folder: RunFolder, screen: type[Page]
) -> None:
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await app.push_screen(screen())  # type: ignore[call-arg]
        await pilot.pause()
        assert not app.screen.query(OptionList)
        assert any("]52;c;" in line for line in drawn(app))
        for line in drawn(app):
            assert_plain(line)


# -- more text than there is room for -------------------------------------------------------------


@asynchronous
async def test_a_text_that_is_longer_than_its_field_is_seen_where_its_cursor_is(
    tmp_path: Path,
) -> None:
    app = app_on(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, Ask))
        field = app.screen.query_one(LineInput)
        words = "begin " + "this run is watched by two people " * 5 + "the end"
        await until(pilot, lambda: field.has_focus)
        field.value = words
        await pilot.press("home", "end")
        await until(pilot, lambda: any("people the end" in line for line in drawn(app)))
        await pilot.press("home")
        await until(pilot, lambda: any("begin this run is watched" in line for line in drawn(app)))


@asynchronous
async def test_a_field_that_is_full_says_so_once_until_there_is_room() -> None:
    app = Fields("abc")
    async with app.run_test() as pilot:
        assert isinstance(app.line, LineInput)
        app.line.max_length = 3
        app.line.focus()
        told: list[str] = []
        app.notify = lambda message, **_: told.append(message)  # type: ignore[method-assign]
        await pilot.press("end", "d", "e")
        assert app.line.value == "abc"
        assert told == ["the field is full: it takes 3 characters"]
        await pilot.press("backspace", "d", "e")
        assert app.line.value == "abd"
        assert len(told) == 2
