"""Foreign text on every screen: nothing in it does more than be seen."""

import json
import re
import unicodedata
from pathlib import Path
from typing import Final

import pytest
import tomlkit
from console.apps import app_on, every_screen, sample, until_read
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.pilot import Pilot
from wcwidth import wcwidth

from plateau_tui.config import copies_folder
from plateau_tui.console.app import PlateauApp
from plateau_tui.console.lines.text import harmless, pad, pad_name
from plateau_tui.console.look.plainchars import one_way, tame
from plateau_tui.console.screens.gate import GateScreen
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.runlog.layout import RunFolder, create_run
from plateau_tui.runlog.template import draft_text

MARKS: Final = {"Mn", "Me"}
TRICKS: Final = (
    "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x1b]52;c;ZXZpbA==\x07", "\x9b2J", "\x90q\x9c",
    "[red]x[/red]", "[@click=app.quit]q[/]", "[/]", "\\[", "$foreground", "x" * 300,
    "a\tb\nc\rd\x0be\x00\x7f", "\u202egnp.exe", "\u2066\u2067\u2068\u2069", "\u200e\u200f\u061c",
    "a\u200bb\u200cc\u200dd\u2060", "\ufeff", "\u00ad", "e" + "\u0301" * 60, "\u0301\u0302x",
    "\u20dd" * 9, "👨\u200d👩\u200d👧", "🇩🇪🇫🇷", "👍🏽", "☁\ufe0f", "日本語", "ﷺ", "क्षि", "각",
    "\u115f\u3164\uffa0", "\u2028\u2029", "\U000e0041\U000e007f", "\ue000\U0010fffd",
    "\U0001fffe", "\u0085\u008d",
)  # fmt: skip
ANY: Final = st.lists(
    st.sampled_from(TRICKS) | st.text(st.characters(codec=None), max_size=12), max_size=6
).map("".join)
CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def assert_plain(text: str) -> None:
    """Nothing in a text acts, hides, or is of another width than the layout takes it for."""
    marks = 2
    for place, character in enumerate(text):
        category = unicodedata.category(character)
        told = f"{character!r} {category} in {text!r}"
        assert category[0] != "C", told
        assert category[0] != "Z" or character == " ", told
        assert not 0x1F1E6 <= ord(character) <= 0x1F1FF, told
        assert not 0xFE00 <= ord(character) <= 0xFE0F, told
        marks = marks + 1 if category in MARKS else 0 if character != " " else 2
        assert marks <= 2 or not place, told
    assert cell_len(text) == sum(wcwidth(character) for character in text), text


@settings(max_examples=400)
@given(ANY)
def test_no_text_does_more_than_be_seen(text: str) -> None:
    shown = harmless(text)
    assert_plain(shown)
    assert tame(shown) == shown


@settings(max_examples=200)
@given(ANY, st.integers(0, 60))
def test_a_text_has_the_width_that_it_claims(text: str, width: int) -> None:
    for shown in (harmless(text, width), pad(text, width), pad_name(text, max(1, width))):
        assert sum(wcwidth(character) for character in shown) == cell_len(shown)
    assert cell_len(harmless(text, width)) <= width
    assert cell_len(pad(text, width)) == width
    assert cell_len(pad_name(text, max(1, width))) == max(1, width)


def test_what_people_write_stays_as_it_is() -> None:
    for text in (
        "naïve façade",
        "Việt Nam",
        "e\u0301te\u0301",
        "Привет",
        "日本語",
        "한국어",
        "x²",
        "→ ✓",
    ):
        assert harmless(text) == text


@pytest.mark.parametrize("text", TRICKS)
def test_a_trick_leaves_what_can_be_read_of_it(text: str) -> None:
    assert_plain(harmless(text))
    kept = [c for c in text if c.isascii() and c.isprintable()]
    assert [c for c in harmless(text) if c.isascii()] == kept


def test_letters_from_right_to_left_do_not_move_our_numbers() -> None:
    assert one_way("אב 12 شت ٣") == "·· 12 ·· ·"
    assert one_way("curiosity") == "curiosity"


@pytest.mark.parametrize("character", ["x", "日", "\u0301", "\u202e"])
def test_a_million_characters_are_cut_at_once(character: str) -> None:
    assert cell_len(harmless(character * 1_000_000, 80)) <= 80
    assert cell_len(pad_name(character * 1_000_000, 16)) == 16


# -- on every screen --------------------------------------------------------------------------

LABELS: Final = ("[red]א\u0301\u0301\u0301 9 of 9[/] 日本", "[@click=app.quit]ם 3 of 3[/]")


def in_toml(text: str) -> str:
    return tomlkit.string(text).as_string()


def hostile_run(tmp_path: Path) -> RunFolder:
    """A recorded run whose labels, notes, names and replies are tricks; its chains are broken."""
    folder = sample(tmp_path)
    evil = " ".join(TRICKS)
    lines = []
    for line in folder.journal.read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        if event["event"] == "sealed":
            text = event["text"]
            for label, other in zip(("curiosity", "control"), LABELS, strict=True):
                text = text.replace(f'label = "{label}"', f"label = {in_toml(other[:32])}")
            before, after = re.split(r'variable = ".*"', text, maxsplit=1)
            event["text"] = f"{before}variable = {in_toml(evil)}{after}"
        for key in ("text", "reason", "why", "host", "by"):
            if key in event and event["event"] != "sealed":
                event[key] = evil
        lines.append(json.dumps(event, ensure_ascii=False))
    folder.journal.write_bytes(
        "\n".join([*lines, "\x1b[31mno JSON", ""]).encode("utf-8", "replace")
    )
    rows = folder.rows.read_text(encoding="utf-8")
    folder.rows.write_text(rows.replace('"note":""', f'"note":{json.dumps(evil)}'))
    folder.registration.write_text(f"# {evil}\n", encoding="utf-8", errors="replace", newline="")
    named = folder.path.with_name("[red]x[]\u202e\x1b[31m e\u0301\u0301\u0301\u0301")
    return RunFolder(folder.path.rename(named))


def drawn(app: PlateauApp) -> list[str]:
    return [
        "".join(segment.text for segment in strip)
        for strip in app.screen._compositor.render_strips(app.size)
    ]


async def all_plain(pilot: Pilot[int], app: PlateauApp, width: int) -> list[str]:
    seen: list[str] = []
    async for screen in every_screen(pilot):
        for line in drawn(app):
            assert_plain(line)
            assert cell_len(line) == width, (screen, line)
            seen.append(line)
    return seen


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
async def test_no_screen_lets_a_trick_through(tmp_path: Path, size: tuple[int, int]) -> None:
    folder = hostile_run(tmp_path)
    app = app_on(folder)
    async with app.run_test(size=size) as pilot:
        await until_read(pilot)
        seen = await all_plain(pilot, app, size[0])
    arms = [line for line in seen if line.startswith(("TREATMENT", "CONTROL"))]
    assert any("[red]·" in line for line in arms)  # a tag is text like any other
    assert any("[@click" in line for line in arms)
    assert not any(0x590 <= ord(c) < 0x700 for line in arms for c in line)
    assert any("[red]x[/red]" in line for line in seen)
    for path in copies_folder().iterdir():
        text = path.read_text(encoding="utf-8")
        assert not CONTROLS.search(text.replace("\n", ""))
        assert re.fullmatch(r"[A-Za-z0-9_.-]+", path.name)


@pytest.mark.asyncio
async def test_the_form_of_a_hostile_draft_lets_no_trick_through(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "runs" / "p1")
    evil = in_toml(" ".join(TRICKS))
    text = draft_text("p1", 3).replace('accept = ""', f"accept = {evil}")
    text += f'\n# {chr(0x202E)}[red]\n["ev\\u001b[31mil"]\nx = 1\n'
    create_run(folder, {"registration.toml": text}, 0o700)
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        while not isinstance(app.screen, RunScreen):
            await pilot.pause()
        app.push_screen(GateScreen(folder))
        for key in ("pause", "k", "k", "k", "k", "k", "k", "e", "enter", "w", "escape", "a"):
            if key != "pause":
                await pilot.press(key)
            await pilot.pause()
            for line in drawn(app):
                assert_plain(line)
