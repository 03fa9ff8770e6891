"""Themes: what a file may hold, what a bad one does, and that every text can be read."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from console.apps import (
    app_on,
    every_screen,
    sample,
    text_of,
    until,
    until_read,
    until_still,
    until_text,
)
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import dim_color
from textual.pilot import Pilot

from plateau_tui.config import ConsoleConfig, console_config, themes_folder
from plateau_tui.console.app import PlateauApp
from plateau_tui.console.look.lookedapp import LookedApp
from plateau_tui.console.look.looks import Look, look_for
from plateau_tui.console.look.themes import (
    LEAST_LEGIBLE,
    USUAL,
    all_themes,
    legibility,
    read_theme,
)
from plateau_tui.console.screens.menu import Menu
from plateau_tui.metric.tables import ConfigError
from plateau_tui.resources import shipped
from plateau_tui.runlog.layout import RunFolder

SHIPPED = ("dark", "light", "high-contrast", "ansi")
PAINTED = ("dark", "light", "high-contrast")
LEAST = {"dark": 4.5, "light": 4.5, "high-contrast": 7.0}
BEHIND = ("background", "surface", "panel", "boost")
TEXTS = ("foreground", "text-muted", "error", "warning", "success", "accent", "primary")
GOOD = 'foreground = "#ffffff"\nbackground = "#000000"\n'
UTF8 = {"LANG": "C.UTF-8", "COLORTERM": "truecolor", "TERM": "xterm-256color"}
ENCODINGS = {"locale": "utf-8", "stream": "utf-8"}


@pytest.fixture
def users() -> Path:
    folder = themes_folder()
    folder.mkdir(parents=True)
    return folder


def test_the_shipped_themes_are_there_and_the_usual_one_comes_first() -> None:
    found = all_themes(themes_folder())
    assert set(SHIPPED) <= set(found.themes)
    assert next(iter(found.themes)) == USUAL
    assert found.told == ()


@pytest.mark.parametrize("name", PAINTED)
def test_every_text_of_a_theme_can_be_read_on_every_ground(name: str) -> None:
    variables = all_themes(themes_folder()).themes[name].to_color_system().generate()
    found = {
        f"{text} on {behind}": legibility(
            Color.parse(variables[text]), Color.parse(variables[behind])
        )
        for text in TEXTS
        for behind in BEHIND
    }
    assert not {pair: ratio for pair, ratio in found.items() if ratio < LEAST[name]}


@pytest.mark.parametrize("name", PAINTED)
def test_every_text_can_be_read_in_256_colours_too(name: str) -> None:
    variables = all_themes(themes_folder()).themes[name].to_color_system().generate()

    def fewer(variable: str) -> Color:
        colour = Color.parse(variables[variable]).rich_color.downgrade(ColorSystem.EIGHT_BIT)
        return Color(*colour.get_truecolor())

    found = {
        f"{text} on {behind}": legibility(fewer(text), fewer(behind))
        for text in TEXTS
        for behind in BEHIND
    }
    assert not {pair: ratio for pair, ratio in found.items() if ratio < LEAST[name]}


def test_the_theme_of_the_terminal_s_own_colours_sets_no_other() -> None:
    variables = read_theme(shipped("themes") / "ansi.toml").to_color_system().generate()
    assert not {value for value in variables.values() if value.startswith("#")}


@pytest.mark.parametrize(
    ("front", "behind", "ratio"),
    [("#000000", "#ffffff", 21.0), ("#777777", "#ffffff", 4.48), ("#123456", "#123456", 1.0)],
)
def test_legibility_is_the_contrast_that_wcag_defines(
    front: str, behind: str, ratio: float
) -> None:
    assert legibility(Color.parse(front), Color.parse(behind)) == pytest.approx(ratio, abs=0.005)


# -- what is drawn ----------------------------------------------------------------------------


def segments_of(app: PlateauApp) -> Iterator[Segment]:
    """What is drawn, with the styles as they are sent."""
    for strip in app.screen._compositor.render_strips(app.size):
        yield from strip


def palette(name: str) -> dict[str, Color]:
    """The colours of a theme by the names that the style sheet uses, dimmed ones as well."""
    variables = all_themes(themes_folder()).themes[name].to_color_system().generate()
    plain = {each: Color.parse(variables[each]) for each in (*TEXTS, *BEHIND)}
    dim = {
        f"dim {text} on {behind}": Color.from_rich_color(
            dim_color(plain[behind].rich_color, plain[text].rich_color)
        )
        for text in TEXTS
        for behind in BEHIND
    }
    return plain | dim


def drawn_pairs(app: PlateauApp) -> dict[tuple[str, str], str]:
    """(colour, ground) of every text that is drawn, and an example."""
    found: dict[tuple[str, str], str] = {}
    for segment in segments_of(app):
        style = segment.style
        if style is not None and segment.text.strip() and style.color and style.bgcolor:
            found[style.color.name, style.bgcolor.name] = segment.text.strip()
    return found


@pytest.mark.asyncio
async def test_every_text_that_is_drawn_can_be_read_in_every_theme(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    (folder.path / "registration.toml").write_text("changed")  # the gravest line is drawn too
    app = app_on(folder, look=Look(theme=USUAL))
    drawn: dict[tuple[str, str], str] = {}
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        async for _ in every_screen(pilot):
            drawn |= drawn_pairs(app)
    names = {colour.hex.lower(): name for name, colour in reversed(palette(USUAL).items())}
    assert len(drawn) > 5
    assert not {pair: text for pair, text in drawn.items() if not set(pair) <= set(names)}
    for theme in PAINTED:
        colours = palette(theme)
        found = {
            pair: legibility(colours[names[pair[0]]], colours[names[pair[1]]]) for pair in drawn
        }
        assert not {drawn[pair]: pair for pair, r in found.items() if r < LEAST[theme]}, theme


@pytest.mark.asyncio
async def test_the_chosen_line_and_the_gravest_one_are_told_without_colour(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    (folder.path / "registration.toml").write_text("changed")
    app = app_on(folder, look=Look(theme="ansi", colours="none"))
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        drawn = list(segments_of(app))
        assert not [s for s in drawn if s.style and (s.style.color or s.style.bgcolor)]
        reverse = " ".join(s.text for s in drawn if s.style and s.style.reverse)
        assert "! " in reverse
        assert "UNI-10-1" in reverse


def is_painted(app: PlateauApp, ground: str) -> bool:
    return any(
        s.style and s.style.bgcolor and s.style.bgcolor.name == ground for s in segments_of(app)
    )


@pytest.mark.asyncio
async def test_a_theme_is_chosen_in_the_menu_and_drawn_at_once(tmp_path: Path) -> None:
    app = app_on(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        for name, ground in (("light", "#eeeeee"), ("high-contrast", "#000000")):
            await pilot.press("m")
            await until(pilot, lambda: isinstance(app.screen, Menu))
            await pilot.press(*"theme", "space", *name.partition("-")[0], "enter")
            await until_text(pilot, f'theme = "{name}"')
            assert app.theme == name
            await until(pilot, partial(is_painted, app, ground))
    assert not (tmp_path / "config" / "plateau-tui" / "config.toml").exists()


# -- the user's own ---------------------------------------------------------------------------


def test_a_user_s_theme_may_leave_out_all_but_two_colours(users: Path) -> None:
    (users / "mine.toml").write_text(GOOD)
    theme = all_themes(users).themes["mine"]
    assert (theme.foreground, theme.error, theme.panel) == ("#ffffff", "#ffffff", "#000000")


def test_a_user_s_theme_goes_before_a_shipped_one_of_its_name(users: Path) -> None:
    (users / "light.toml").write_text(GOOD)
    assert all_themes(users).themes["light"].background == "#000000"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (GOOD + 'backgruond = "#000000"\n', "backgruond: unknown key; the nearest is 'background'"),
        (GOOD + 'error = "redd"\n', "error: 'redd' is no colour; write it as #rrggbb"),
        (GOOD + 'error = "#12345"\n', "error: '#12345' is no colour"),
        (GOOD + "error = 7\n", "error: must be a text in quotes, not 7"),
        (GOOD + 'dark = "yes"\n', "dark: must be true or false"),
        ('background = "#000000"\n', "foreground: is missing"),
        (GOOD.replace("#ffffff", "#222222"), "foreground: cannot be read on background"),
        ('ansi = true\nforeground = "#ffffff"\nbackground = "default"\n', "is not one of default"),
        ("foreground = \n", "is not valid TOML"),
        (GOOD + 'error = "[red]\\u001b[31m"\n', "is no colour"),
        ("\ufeff" + GOOD, "begins with a byte order mark; save it as UTF-8 without one"),
        ('ansi = true\nforeground = "red"\nbackground = "red"\n', "it is the same colour"),
    ],
)
def test_a_bad_theme_is_named_in_one_line(users: Path, text: str, words: str) -> None:
    (users / "mine.toml").write_text(text)
    found = all_themes(users)
    assert "mine" not in found.themes
    (told,) = found.told
    assert told.startswith("theme mine: ")
    assert words in told
    assert "\n" not in told
    assert "\x1b" not in told
    assert found.choose("mine") == (USUAL, (told,))


@pytest.mark.parametrize("ground", ["background", "surface", "panel", "field"])
@pytest.mark.parametrize(
    "text", ["foreground", "muted", "error", "warning", "success", "accent", "primary"]
)
def test_no_text_of_a_theme_may_hide_on_any_ground(users: Path, text: str, ground: str) -> None:
    """The fence is muted, a grave problem is in the error's colour, what is chosen is reverse."""
    shades = {"foreground": "#ffffff", "background": "#000000", ground: "#222222", text: "#333333"}
    (users / "mine.toml").write_text("".join(f'{k} = "{v}"\n' for k, v in shades.items()))
    (told,) = all_themes(users).told
    assert f"{text}: cannot be read on {'' if ground == 'background' else 'background, '}" in told
    assert ground in told
    assert "the contrast is 1.2, and at least 3 is needed" in told


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (GOOD.replace("#000000", "red"), "background: 'red' is no colour"),
        (GOOD.replace("#ffffff", "white"), "foreground: 'white' is no colour"),
        (GOOD.replace("#ffffff", "#111111"), "foreground: cannot be read on background: "),
        ('ansi = true\nforeground = "default"\nbackground = "tan"\n', "background: 'tan'"),
    ],
)
def test_what_is_wrong_with_a_colour_is_told_once_and_then_the_path(
    users: Path, text: str, words: str
) -> None:
    (users / "mine.toml").write_text(text)
    (told,) = all_themes(users).told
    assert told.startswith(f"theme mine: {words}")
    assert told.endswith(f" ({users / 'mine.toml'})")
    assert "; background" not in told
    assert "; foreground" not in told


@pytest.mark.asyncio
@pytest.mark.parametrize(("front", "dims"), [("#ffffff", True), ("#777777", False)])
async def test_dim_never_takes_a_text_below_what_can_be_read(
    users: Path, front: str, *, dims: bool
) -> None:
    """A theme whose text is legible, and only just, shows what is old as plainly as the rest."""
    (users / "mine.toml").write_text(GOOD.replace("#ffffff", front))
    look = look_for(ConsoleConfig({}, theme="mine"), UTF8, ENCODINGS)
    filters = LookedApp(look).get_line_filters()
    old = Style(color=front, bgcolor="#000000", dim=True)
    segments = [Segment("UNI-10-1  (YES)", old)]
    for each in filters:
        segments = each.apply(segments, Color.parse("#000000"))
    (drawn,) = segments
    assert drawn.style is not None
    assert drawn.style.color is not None
    shown = Color.from_rich_color(drawn.style.color)
    assert not drawn.style.dim
    assert (shown.hex.lower() != front) is dims
    assert legibility(shown, Color.parse("#000000")) >= LEAST_LEGIBLE


def test_of_many_problems_the_path_stays_in_sight(users: Path) -> None:
    names = ("muted", "error", "warning", "success", "accent")
    (users / "mine.toml").write_text(GOOD + "".join(f'{name} = "#000000"\n' for name in names))
    (told,) = all_themes(users).told
    assert told.endswith(f"; +3 more ({users / 'mine.toml'})")


def test_a_theme_that_is_no_file_or_no_name_is_told(users: Path) -> None:
    (users / "folder.toml").mkdir()
    (users / "No Name!.toml").write_text(GOOD)
    (users / "bytes.toml").write_bytes(b"\xff\xfe")
    (users / "notes.txt").write_text("not looked at")
    told = all_themes(users).told
    assert len(told) == 3
    assert {line.split(":")[0] for line in told} == {
        "theme folder", "theme No Name!", "theme bytes",
    }  # fmt: skip


def test_a_theme_that_does_not_exist_names_those_that_do() -> None:
    name, (told,) = all_themes(themes_folder()).choose("lihgt")
    assert name == USUAL
    assert "there is none; the nearest is 'light'" in told
    assert "high-contrast" in told


@pytest.mark.asyncio
@pytest.mark.parametrize("theme", ["mine", "nowhere"])
async def test_the_console_starts_with_the_usual_theme_and_says_why(
    tmp_path: Path, users: Path, theme: str
) -> None:
    (users / "mine.toml").write_text(GOOD + 'eror = "#ff0000"\n')
    look = look_for(ConsoleConfig({}, theme=theme), UTF8, ENCODINGS)
    assert look.theme == USUAL
    app = app_on(sample(tmp_path), look=look)
    async with app.run_test(size=(200, 40)) as pilot:
        await until_read(pilot)
        await until_text(pilot, f"theme {theme}: ")
        assert app.theme == USUAL


@pytest.mark.asyncio
async def test_bad_themes_that_nobody_chose_stand_in_the_menu_and_not_in_the_journal(
    tmp_path: Path, users: Path
) -> None:
    for name in ("mine", "No Name!"):
        (users / f"{name}.toml").write_text(GOOD + 'eror = "#ff0000"\n')
    look = look_for(ConsoleConfig({}, theme="light"), UTF8, ENCODINGS)
    assert (look.theme, look.told) == ("light", ())
    app = app_on(sample(tmp_path), look=look)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await until_read(pilot)
        assert "eror" not in text_of(app)
        offered = {each.title: each for each in app.get_system_commands(screen)}
        assert offered["Theme mine"].help.startswith("BAD: ")
        assert "Theme No Name!" in offered
        await pilot.press("m", *"theme mine", "enter")
        await until_text(pilot, "theme mine: ")
        assert app.theme == "light"


# -- what decides -----------------------------------------------------------------------------


def configured(tmp_path: Path, text: str) -> ConsoleConfig:
    path = tmp_path / "config" / "plateau-tui" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return console_config()


@pytest.mark.parametrize(
    ("config", "environment", "theme"),
    [
        ("", {}, "dark"),
        ("", {"COLORFGBG": "0;15"}, "light"),
        ("", {"COLORFGBG": "0;default;7"}, "light"),
        ("", {"COLORFGBG": "15;0"}, "dark"),
        ("", {"NO_COLOR": "1"}, "ansi"),
        ('colours = "16"', {}, "ansi"),
        ('theme = "high-contrast"', {"COLORFGBG": "0;15"}, "high-contrast"),
    ],
)
def test_the_theme_is_what_is_asked_for_or_what_suits_the_terminal(
    tmp_path: Path, config: str, environment: dict[str, str], theme: str
) -> None:
    look = look_for(configured(tmp_path, config), UTF8 | environment, ENCODINGS)
    assert (look.theme, look.told) == (theme, ())


def test_a_wrong_colour_mode_is_refused_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="colours: '255' is not one of auto, truecolour, 256"):
        configured(tmp_path, 'colours = "255"')


# -- pictures ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("stopped_clock")
@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=["80x24", "120x36"])
@pytest.mark.parametrize("name", SHIPPED)
def test_the_run_looks_as_it_did_in_each_theme(
    snap_compare: object, monkeypatch: pytest.MonkeyPatch, name: str, size: tuple[int, int]
) -> None:
    monkeypatch.chdir(Path(__file__).parent)
    app = PlateauApp(
        Path("runs"), RunFolder(Path("runs/hoarders_vs_hoarders")), {}, Look(theme=name)
    )

    async def still(pilot: Pilot[int]) -> None:
        await until_read(pilot)
        await until_still(pilot)

    assert callable(snap_compare)
    assert snap_compare(app, terminal_size=size, run_before=still)
