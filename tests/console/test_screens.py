"""Every screen and its keys, on recorded runs."""

import shutil
from pathlib import Path

import pytest
from collector.bench import gate
from console.apps import (
    BUILDERS,
    app_on,
    sample,
    text_of,
    type_in,
    until,
    until_read,
    until_text,
)

from plateau_tui.console.app import PlateauApp
from plateau_tui.console.screens.base import KeyBar, Line
from plateau_tui.console.screens.dialogs import Ask, Confirm, Page
from plateau_tui.console.screens.menu import Menu
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.console.screens.runs import RunsScreen
from plateau_tui.metric.fence import CLAIM_FENCE_SHORT
from plateau_tui.runlog.layout import RunFolder

pytestmark = pytest.mark.asyncio
RUN_KEYS = (
    "w Wizard,r Read,n Note,p Pin,c Collect,x Close,o Unit,a Calibrate,l Journal,"
    "j Down,k Up,esc Back"
)
APP_KEYS = "f Fence,m Menu,? Help,q Quit"


async def test_the_runs_are_listed_with_what_can_be_said_of_each(tmp_path: Path) -> None:
    runs = sample(tmp_path).path.parent
    (runs / "draft").mkdir()
    shutil.copy(runs / BUILDERS / "registration.toml", runs / "draft")
    (runs / "spoilt").mkdir()
    (runs / "spoilt" / "registration.toml").write_text("[[[")
    (runs / "no-gate").mkdir()
    shutil.copy(runs / BUILDERS / "journal.jsonl", runs / "no-gate")
    (runs / "no run at all").mkdir()
    app = PlateauApp(runs, None, {})
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "reading ..." not in text_of(app) and "spoilt" in text_of(app))
        lines = {line.split()[0]: line for line in text_of(app).splitlines() if line}
        assert "closed" in lines[BUILDERS]
        assert "10 of 10" in lines[BUILDERS]
        assert "draft " in lines["draft"]
        assert "registration.toml" in lines["spoilt"]
        assert "closed" in lines["no-gate"]
        assert "no run at all" not in text_of(app)
        await pilot.press("j", "k", "down", "up", "o")
        await until_read(pilot)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, RunsScreen))
        await pilot.press("down", "enter")
        screen = await until_read(pilot)
        await pilot.press("backspace")  # the keyboard of a phone has no escape
        await until(pilot, lambda: isinstance(app.screen, RunsScreen))
        await pilot.press("enter")
        screen = await until_read(pilot)
        assert screen.folder.path.name == "draft"


async def test_a_folder_without_runs_says_how_to_make_one(tmp_path: Path) -> None:
    app = PlateauApp(tmp_path / "nowhere", None, {})
    async with app.run_test(size=(80, 24)) as pilot:
        await until_text(pilot, "plateau-tui new RUN")


async def test_a_run_that_appears_is_listed_and_one_that_goes_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plateau_tui.console.screens.runs._LOOK_S", 0.05)
    app = PlateauApp(tmp_path / "runs", None, {})
    async with app.run_test(size=(80, 24)) as pilot:
        folder = sample(tmp_path)
        await until_text(pilot, "10 of 10")
        shutil.rmtree(folder.path)
        await until(pilot, lambda: BUILDERS not in text_of(app))


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (200, 60)])
async def test_all_six_units_and_every_key_are_seen(tmp_path: Path, size: tuple[int, int]) -> None:
    app = app_on(sample(tmp_path))
    async with app.run_test(size=size) as pilot:
        await until_read(pilot)
        text = text_of(app)
        for unit in (f"UNI-{kin}-{n}" for kin in (10, 11) for n in (1, 2, 3)):
            assert unit in text
        words = " ".join(text.split())
        assert CLAIM_FENCE_SHORT in words
        keys = f"{RUN_KEYS},{APP_KEYS}"
        if size[0] <= 60:  # there j and k stand without their words
            keys = keys.replace("Calibrate", "Cal.").replace("j Down,k Up", "i / [ ] j k")
        for key in keys.split(","):
            assert key in words
        assert "3 of 3 PRIM" in words
        assert "tbl" in words
        if size[0] >= 150:
            assert any("UNI-10-1" in line and "UNI-11-1" in line for line in text.splitlines())


async def test_a_terminal_that_shrinks_says_what_it_needs_and_recovers(tmp_path: Path) -> None:
    app = app_on(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        for size in ((40, 10), (20, 5), (1, 1), (59, 24), (80, 19)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            if size[0] >= 20:
                assert f"need 60x20, have {size[0]}x{size[1]}" in " ".join(text_of(app).split())
        await pilot.resize_terminal(80, 24)
        await until_text(pilot, "UNI-11-3")
        assert "need" not in text_of(app)


async def test_a_terminal_that_shrinks_behind_a_page_is_right_afterwards(tmp_path: Path) -> None:
    app = app_on(sample(tmp_path))
    async with app.run_test(size=(120, 36)) as pilot:
        await until_read(pilot)
        await pilot.press("question_mark")
        await pilot.resize_terminal(60, 20)
        await pilot.pause()
        await pilot.press("escape")
        await until_text(pilot, "UNI-11-3")
        assert max(len(line) for line in text_of(app).splitlines()) <= 60


async def test_the_choice_goes_from_arm_to_arm_by_letters_and_arrows(tmp_path: Path) -> None:
    app = app_on(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await until_read(pilot)
        down = [f"UNI-10-{n}" for n in (1, 2, 3)] + [f"UNI-11-{n}" for n in (1, 2, 3)]
        for keys in (("j", "k"), ("down", "up")):
            seen = [screen.chosen()]
            for _ in range(6):
                await pilot.press(keys[0])
                seen.append(screen.chosen())
            assert seen == [*down, down[-1]]
            for _ in range(6):
                await pilot.press(keys[1])
            assert screen.chosen() == down[0]
        assert "UNI-10-1: beyond stone, dirt" in text_of(app)


async def test_twelve_units_an_arm_are_reached_by_scrolling(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "runs" / "many")
    folder.path.mkdir(parents=True)
    folder.registration.write_text(gate(12, 600, 66))
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await until_read(pilot)
        for place in range(24):
            name = f"UNI-{10 + place // 12}-{place % 12 + 1}"
            assert screen.chosen() == name
            chosen = [line for line in text_of(app).splitlines() if f"{name} " in line]
            assert chosen, text_of(app)
            await pilot.press("j")
            await pilot.pause()


async def test_a_unit_s_screen_shows_its_counters_and_turns_to_the_next(tmp_path: Path) -> None:
    app = app_on(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("enter")
        await until_text(pilot, "first moved (UTC)")
        assert "UNI-10-1  pair 1" in text_of(app)
        assert "place_cobble" in text_of(app)
        await pilot.press("n")
        await until_text(pilot, "UNI-10-2  pair 2")
        await pilot.press("p", "p")
        await until_text(pilot, "UNI-11-3  pair 3")
        await pilot.press("j", "j", "j", "j", "j", "j", "j", "j", "j", "k", "down", "up")
        await until_text(pilot, "craft_wpick")
        await pilot.press("escape")
        await until_read(pilot)
        await pilot.press("j", "o")
        await until_text(pilot, "UNI-10-2  pair 2")


async def test_pages_open_once_and_close_by_every_key_that_closes(tmp_path: Path) -> None:
    app = app_on(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        for key, words in (
            ("f", "Everything this metric measures"),
            ("question_mark", "latched"),
        ):
            for closing in ("escape", "q", "enter"):
                await pilot.press(key)
                await until_text(pilot, words)
                assert isinstance(app.screen, Page)
                await pilot.press("j", "k", closing)
                await until(pilot, lambda: isinstance(app.screen, RunScreen))


async def test_help_names_every_key_with_its_id(tmp_path: Path) -> None:
    app = app_on(sample(tmp_path))
    async with app.run_test(size=(120, 80)) as pilot:
        await until_read(pilot)
        await pilot.press("question_mark")
        await until_text(pilot, "run.note")
        for binding_id in ("run.wizard", "run.close", "app.leave", "back", "run.down"):
            assert f"({binding_id})" in text_of(app)


async def test_help_begins_with_the_keys_of_the_screen_it_was_asked_on(tmp_path: Path) -> None:
    for opens, own in (("", "run.wizard"), ("l", "journal.search"), ("d", "pairs.open")):
        app = app_on(sample(tmp_path / (opens or "run")))
        async with app.run_test(size=(80, 24)) as pilot:
            await until_read(pilot)
            await pilot.press(*opens, "question_mark")
            await until_text(pilot, f"({own})")
            text = next(each.shown for each in app.screen.query(Line) if "(back)" in each.shown)
            places = [text.index(part) for part in (f"({own})", "(app.leave)", "latched")]
            assert places == sorted(places)
            assert text.index("(back)") > text.index(f"({own})")


async def test_the_menu_offers_the_keys_and_does_what_they_do(tmp_path: Path) -> None:
    app = app_on(sample(tmp_path))
    async with app.run_test(size=(80, 40)) as pilot:
        screen = await until_read(pilot)
        titles = [command.title for command in app.get_system_commands(screen)]
        assert {"Wizard", "Note", "Pin", "Close", "Fence", "Quit", "Unit"} <= set(titles)
        await pilot.press("m")
        await until_text(pilot, "One reading by hand")
        await pilot.press(*"full FENCE")
        await until(pilot, lambda: isinstance(app.screen, Menu) and len(app.screen._found) == 1)
        await pilot.press("enter")
        await until_text(pilot, "Everything this metric measures")


@pytest.mark.parametrize("screen", ["runs", "run", "unit", "wizard"])
@pytest.mark.parametrize("width", [60, 80])
async def test_the_keys_fit_two_lines_on_every_screen_and_three_on_the_run_s(
    tmp_path: Path, screen: str, width: int
) -> None:
    app = app_on(sample(tmp_path))
    async with app.run_test(size=(width, 24)) as pilot:
        await until_read(pilot)
        await pilot.press({"runs": "escape", "run": "l", "unit": "o", "wizard": "w"}[screen])
        if screen == "run":
            await pilot.press("escape")
        await pilot.pause()
        lines = app.screen.query_one(KeyBar).lines
        assert len(lines) <= (3 if screen == "run" else 2)
        assert all(len(line) <= width for line in lines)
        for key in APP_KEYS.split(","):
            assert key in " ".join(lines)


async def test_keys_can_be_set_and_the_bar_names_them(tmp_path: Path) -> None:
    keys = {"run.note": "u", "app.leave": "f10", "confirm.yes": "z"}
    app = app_on(sample(tmp_path), keys)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        words = " ".join(text_of(app).split())
        assert "u Note" in words
        assert "f10 Quit" in words
        await pilot.press("n")
        assert isinstance(app.screen, RunScreen)
        await pilot.press("u")
        await until(pilot, lambda: isinstance(app.screen, Ask))
        await pilot.press("escape")
        app.push_screen(Confirm("Sure?", "It means something."))
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await until_text(pilot, "z: yes")
        await pilot.press("y")
        assert isinstance(app.screen, Confirm)
        await pilot.press("escape", "f10")
    assert app.return_value == 0


@pytest.mark.parametrize("key", ["escape", "backspace", "enter", "q", "n"])
async def test_a_question_is_answered_no_by_everything_but_y(tmp_path: Path, key: str) -> None:
    app = app_on(sample(tmp_path))
    answers: list[bool | None] = []
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        app.push_screen(Confirm("Sure?", "It means something."), answers.append)
        await until_text(pilot, "nothing is done")
        await pilot.press("a", "1", "space", key)
        await until(pilot, lambda: answers)
    assert answers == [False]


@pytest.mark.parametrize("key", ["escape", "backspace", "q"])
async def test_a_page_is_closed_by_every_key_that_goes_back(tmp_path: Path, key: str) -> None:
    app = app_on(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        run = await until_read(pilot)
        app.push_screen(Page("A page", "Words."))
        await until(pilot, lambda: isinstance(app.screen, Page))
        await pilot.press(key)
        await until(pilot, lambda: app.screen is run)


async def test_a_password_is_never_drawn(tmp_path: Path) -> None:
    app = app_on(sample(tmp_path))
    answers: list[str | None] = []
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        app.push_screen(Ask("RCON password", secret=True), answers.append)
        await until_text(pilot, "enter: done")
        await pilot.press(*"canary")
        await pilot.pause()
        assert "canary" not in text_of(app)
        await pilot.press("enter")
        await until(pilot, lambda: answers)
    assert answers == ["canary"]


async def test_requests_on_a_closed_run_are_declined_in_words(tmp_path: Path) -> None:
    app = app_on(sample(tmp_path))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until_read(pilot)
        await pilot.press("r")
        await until_text(pilot, "no collector runs")
        await pilot.press("x")
        await until_text(pilot, "the window is not open")
        await pilot.press("n")
        await type_in(pilot, "too late")
        await until_text(pilot, "the window is closed")


async def test_hostile_words_from_every_file_are_plain_text(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    evil = "[@click=app.quit]x[/] [/] [bold \\u001b[31m \\u202e"
    with folder.journal.open("ab") as file:
        line = f'{{"ts":"2026-01-01T00:00:00.000Z","event":"note","text":"{evil}","chain":"0"}}\n'
        file.write(line.encode())
    bad = tmp_path / "runs" / "[red]bad["
    bad.mkdir()
    (bad / "registration.toml").write_text('schema = "[/]\\u001b[31m"\n[b]x = 1')
    app = app_on(folder)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await until_read(pilot)
        assert "[@click=app.quit]x[/] [/] [bold" in text_of(app)
        app.notify("[/] plain", markup=False)
        await pilot.press("l")
        await until_text(pilot, "[@click=app.quit]x[/]")
        await pilot.press("escape", "escape")
        await until_text(pilot, "[red]bad[")
        for text in (text_of(app), str(screen.view)):
            assert "\x1b" not in text
            assert "\u202e" not in text.replace(str(screen.view), "")


async def test_a_run_that_can_no_longer_be_read_keeps_its_last_numbers_under_the_reason(
    tmp_path: Path,
) -> None:
    folder = sample(tmp_path)
    folder.journal.unlink()
    folder.rows.unlink()
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        folder.registration.write_text("x = [")
        await until_text(pilot, "the run cannot be read")
        assert "UNI-10-1" in text_of(app)
