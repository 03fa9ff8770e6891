"""How many colours are sent, and that ``--ascii`` draws nothing else: at real terminals too."""

import re
from functools import partial
from pathlib import Path

import pytest
from collector.bench import gate
from console.apps import app_on, every_screen, sample, until_read
from console.terminal import Terminal
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.color import Color as Painted
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.color import Color

from plateau_tui.config import ConsoleConfig
from plateau_tui.console.look.asciionly import cell_for_cell, in_ascii
from plateau_tui.console.look.colour import ApartInSixteen
from plateau_tui.console.look.looks import ColourMode, Look, colour_mode, look_for, speaks_utf8
from plateau_tui.console.look.themes import LEAST_LEGIBLE, legibility
from plateau_tui.metric.fence import CLAIM_FENCE
from plateau_tui.runlog.layout import RunFolder, create_run

ANY = st.text(st.characters(codec="utf-8"), max_size=60)
SGR = re.compile(rb"\x1b\[([0-9;:]*)m")
UTF8 = {"locale": "utf-8", "stream": "utf-8"}


# -- what decides -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "environment", "mode"),
    [
        ("auto", {"TERM": "xterm-256color"}, "256"),
        ("auto", {"TERM": "xterm-256color", "COLORTERM": "truecolor"}, "truecolour"),
        ("auto", {"TERM": "screen-256color", "COLORTERM": "24bit"}, "truecolour"),
        ("auto", {"TERM": "xterm-direct"}, "truecolour"),
        ("auto", {"TERM": "xterm-256color", "NO_COLOR": "1"}, "none"),
        ("auto", {"TERM": "xterm-256color", "NO_COLOR": ""}, "256"),
        ("auto", {"TERM": "no-such-terminal"}, "16"),
        ("16", {"TERM": "xterm-256color", "COLORTERM": "truecolor"}, "16"),
        ("truecolour", {"TERM": "linux"}, "truecolour"),
        ("256", {"NO_COLOR": "1"}, "256"),
        ("none", {"COLORTERM": "truecolor"}, "none"),
    ],
)
def test_the_number_of_colours(asked: str, environment: dict[str, str], mode: str) -> None:
    assert colour_mode(asked, environment) == mode


@pytest.mark.parametrize(
    ("environment", "encodings", "utf8"),
    [
        ({}, UTF8, False),
        ({"LANG": "C"}, UTF8, False),
        ({"LANG": "POSIX"}, UTF8, False),
        ({"LANG": "C.UTF-8"}, UTF8, True),
        ({"LANG": "en_GB.utf8"}, UTF8, True),
        ({"LANG": "en_GB.UTF-8", "LC_ALL": "C"}, UTF8, False),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, UTF8, True),
        ({"LC_CTYPE": "UTF-8"}, UTF8, True),
        ({"LANG": "de_DE.ISO-8859-1"}, UTF8, False),
        ({"LANG": "de_DE@euro"}, UTF8 | {"locale": "ISO-8859-15"}, False),
        ({"LANG": "de_DE"}, UTF8, True),
        ({"LANG": "C.UTF-8"}, UTF8 | {"stream": "ascii"}, False),
    ],
)
def test_a_locale_that_is_not_utf_8_is_drawn_in_ascii(
    environment: dict[str, str], encodings: dict[str, str], utf8: bool
) -> None:
    assert speaks_utf8(environment, encodings) is utf8


@pytest.mark.parametrize("asked", [True, False])
def test_ascii_that_is_asked_for_goes_before_the_locale(asked: bool) -> None:
    look = look_for(ConsoleConfig({}, ascii_only=asked), {"LANG": "C"}, UTF8)
    assert look.ascii_only is asked


# -- ascii ------------------------------------------------------------------------------------


@given(ANY)
def test_what_is_drawn_is_ascii_and_as_wide_as_it_was(text: str) -> None:
    shown = cell_for_cell(text)
    assert shown.isascii()
    if not text.isascii():
        assert len(shown) == cell_len(text)


@given(ANY)
def test_a_text_of_ours_is_ascii(text: str) -> None:
    assert in_ascii(text).isascii()


def test_what_a_text_says_is_kept() -> None:
    assert in_ascii("Δ ≥ 0.2 — §2c …") == "Delta >= 0.2 -- section 2c ..."
    assert "gamma/precision" in in_ascii(CLAIM_FENCE)
    assert "?" not in in_ascii(CLAIM_FENCE)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("┌─┐│└┘├┼╭╯", "+-+|++++++"),
        ("café", "cafe"),
        ("日本", "????"),
        ("⠀⠁⣿", " .#"),
        ("ok", "ok"),
    ],
)
def test_what_is_drawn_is_like_what_it_was(text: str, shown: str) -> None:
    assert cell_for_cell(text) == shown


def test_a_sparkline_grows_in_ascii_too() -> None:
    shown = cell_for_cell("▁▂▃▄▅▆▇█")
    assert len(set(shown)) == 8


def foreign(tmp_path: Path) -> RunFolder:
    """A draft whose words are not ASCII."""
    folder = RunFolder(tmp_path / "runs" / "наблюдение")
    text = gate(3, 1, 5).replace('"curiosity"', '"любопытство 好奇心"')
    create_run(folder, {"registration.toml": text}, 0o700)
    return folder


@pytest.mark.asyncio
@pytest.mark.parametrize("made", ["recorded", "foreign"])
async def test_no_screen_draws_a_character_beyond_ascii(tmp_path: Path, made: str) -> None:
    folder = sample(tmp_path) if made == "recorded" else foreign(tmp_path)
    app = app_on(folder, look=Look(ascii_only=True))
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        async for screen in every_screen(pilot):
            for strip in app.screen._compositor.render_strips(app.size):
                drawn = "".join(segment.text for segment in strip)
                assert drawn.isascii(), (screen, drawn)
                assert len(drawn) == 80, (screen, drawn)


# -- at a terminal ----------------------------------------------------------------------------


def session(folder: RunFolder, *flags: str, **environment: str) -> tuple[bytes, list[list[int]]]:
    """What a console writes from its start to its end: the bytes, and its SGR codes."""
    quiet = {"COLORTERM": "", "LC_ALL": "", "LC_CTYPE": "", "LANG": "C.UTF-8", "NO_COLOR": ""}
    with Terminal(
        "attach", str(folder.path), *flags, cwd=folder.path.parent,
        environment=quiet | environment,
    ) as terminal:  # fmt: skip
        terminal.until_words("UNI-11-3")
        terminal.send("f")
        terminal.until_words("Everything this metric measures")
        terminal.send("q")
        terminal.until(partial(lacks, terminal, "Everything"))
        terminal.send("n")
        terminal.until_words("A note for the journal")
        terminal.send("\x1b")
        terminal.until(partial(lacks, terminal, "A note for"))
        terminal.send("q")
        assert terminal.ended() == 0
        raw = terminal.raw
    codes = [[int(c) for c in re.split(rb"[;:]", found) if c] for found in SGR.findall(raw)]
    return raw, codes


def kinds(codes: list[list[int]]) -> set[str]:
    """Which kinds of colour are among the codes."""
    found: set[str] = set()
    for sgr in codes:
        rest = list(sgr)
        while rest:
            code = rest.pop(0)
            if code in {38, 48} and rest:
                how = rest.pop(0)
                found.add({2: "truecolour", 5: "256"}[how])
                del rest[: 3 if how == 2 else 1]
            elif 30 <= code <= 37 or 40 <= code <= 47 or 90 <= code <= 107:
                found.add("16")
    return found


@pytest.mark.parametrize(
    ("flags", "environment", "sent"),
    [
        ((), {"COLORTERM": "truecolor"}, {"truecolour"}),
        ((), {"TERM": "xterm-256color"}, {"256"}),
        ((), {"TERM": "linux"}, {"16"}),
        (("--theme", "dark"), {"TERM": "xterm"}, {"16"}),
        ((), {"NO_COLOR": "1", "COLORTERM": "truecolor"}, set()),
        ((), {"TERM": "vt220"}, set()),
        (("--colours", "none", "--theme", "light"), {"COLORTERM": "truecolor"}, set()),
    ],
)
def test_no_more_colours_are_sent_than_the_terminal_has(
    tmp_path: Path, flags: tuple[str, ...], environment: dict[str, str], sent: set[str]
) -> None:
    _, codes = session(sample(tmp_path), *flags, **environment)
    assert kinds(codes) == sent
    assert any(7 in sgr for sgr in codes)  # what is chosen is reverse, whatever the colours


def test_the_terminal_s_own_ground_is_left_alone_where_it_has_few_colours(tmp_path: Path) -> None:
    _, codes = session(sample(tmp_path), TERM="linux")
    assert not [sgr for sgr in codes if {40, 47, 100, 107} & set(sgr)]


@pytest.mark.parametrize(
    ("flags", "environment"),
    [
        (("--ascii",), {}),
        ((), {"LANG": "C"}),
        ((), {"LC_ALL": "POSIX", "TERM": "screen"}),
        ((), {"LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "TERM": "linux"}),
        ((), {"PYTHONIOENCODING": "latin-1"}),
    ],
)
def test_where_utf_8_is_not_spoken_every_byte_is_ascii(
    tmp_path: Path, flags: tuple[str, ...], environment: dict[str, str]
) -> None:
    raw, _ = session(sample(tmp_path), *flags, **environment)
    assert raw.isascii()
    drawn = SGR.sub(b"", raw)
    assert b"\\u" not in drawn
    assert b"gamma/precision" in drawn
    assert b"+----" in drawn


def test_where_utf_8_is_spoken_boxes_are_drawn(tmp_path: Path) -> None:
    raw, _ = session(sample(tmp_path))
    assert "┌──".encode() in SGR.sub(b"", raw)


@pytest.mark.parametrize("words", [("--ascii",), ("--theme", "light"), ("--colours", "16")])
def test_a_look_before_a_command_says_where_it_belongs(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    with Terminal(*words, "status", "run", cwd=tmp_path) as terminal:
        assert terminal.ended() == 2
        assert "belongs behind a command" in terminal.words


def test_a_bad_theme_is_told_and_the_console_starts(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    flags = ("--theme", "nowhere")
    with Terminal("attach", str(folder.path), *flags, cwd=tmp_path, size=(120, 40)) as terminal:
        terminal.until_words("UNI-11-3")
        terminal.until_words("theme nowhere: there is none")
        terminal.send("q")
        assert terminal.ended() == 0


OPENED = {
    "g": "Registration of", "w": "First poll of", "l": "Journal of", "o": "first moved",
    "a": "Calibration: what", "f": "Everything this metric measures", "?": "Keys here",
    "n": "A note for the journal", "m": "type to narrow it", "y": "sent to the clipboard",
}  # fmt: skip
"""What is read on each screen, by the key that opens it."""


def lacks(terminal: Terminal, words: str) -> bool:
    return words not in terminal.words


def test_no_mouse_holds_on_every_screen(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    with Terminal("attach", str(folder.path), "--no-mouse", cwd=tmp_path) as terminal:
        terminal.until_words("UNI-11-3")
        for key, words in OPENED.items():
            terminal.send(key)
            terminal.until_words(words)
            terminal.send("\x1b")
            terminal.until(partial(lacks, terminal, words))
        terminal.send("q")
        assert terminal.ended() == 0
        assert not re.search(rb"\x1b\[\?(?:1000|1002|1003|1006|1015|1016)h", terminal.raw)


# -- a theme's colours among sixteen --------------------------------------------------------------

TONE = st.integers(0, 255)
TONES = st.tuples(TONE, TONE, TONE)


@given(TONES, TONES)
def test_no_text_of_a_theme_is_lost_among_sixteen_colours(
    front: tuple[int, int, int], behind: tuple[int, int, int]
) -> None:
    style = Style(color=Painted.from_rgb(*front), bgcolor=Painted.from_rgb(*behind), bold=True)
    [(text, drawn, _)] = ApartInSixteen().apply([Segment("UNI-10-1", style)], Color(0, 0, 0))
    assert text == "UNI-10-1"
    assert drawn is not None
    assert drawn.bold
    assert drawn.bgcolor == style.bgcolor
    seen = [
        Color(*each.downgrade(ColorSystem.STANDARD).get_truecolor())
        for each in (drawn.color, drawn.bgcolor)
        if each is not None
    ]
    assert legibility(*seen) >= LEAST_LEGIBLE


@pytest.mark.parametrize(
    ("colours", "apart"), [("16", True), ("256", False), ("truecolour", False)]
)
def test_only_a_terminal_of_sixteen_colours_is_drawn_for_as_one(
    tmp_path: Path, colours: ColourMode, apart: bool
) -> None:
    app = app_on(sample(tmp_path), look=Look(colours=colours))
    assert any(isinstance(each, ApartInSixteen) for each in app.get_line_filters()) is apart
