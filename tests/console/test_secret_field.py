"""A password that is typed goes to no clipboard: the app's own, the terminal's, a file."""

import pytest
from console.apps import app_on

from plateau_tui.console.app import PlateauApp
from plateau_tui.console.screens.dialogs import Ask
from plateau_tui.console.widgets.field import LineInput
from plateau_tui.runlog.layout import RunFolder

TYPED = "hunter2-canary"


async def typed(app: PlateauApp, *, secret: bool, keys: tuple[str, ...]) -> tuple[str, str, str]:
    """Type into the dialog, choose all, press keys; return clipboard, field, what was copied."""
    sent: list[str] = []
    async with app.run_test(size=(80, 24)) as pilot:
        app.copy_to_clipboard("from before")
        app.push_screen(Ask("RCON password?", secret=secret))
        await pilot.pause()
        field = app.screen.query_one(LineInput)
        await pilot.press(*TYPED, "shift+home")
        copy = app.copy_to_clipboard

        def copied(text: str) -> None:
            sent.append(text)
            copy(text)

        app.copy_to_clipboard = copied  # type: ignore[method-assign]
        await pilot.press(*keys)
        await pilot.pause()
        return app.clipboard, field.value, "".join(sent)


@pytest.mark.asyncio
@pytest.mark.parametrize("keys", [("ctrl+c",), ("ctrl+x",), ("super+c",), ("ctrl+x", "ctrl+c")])
async def test_nothing_of_a_secret_is_copied_or_cut(
    folder: RunFolder, keys: tuple[str, ...]
) -> None:
    app = app_on(folder)
    clipboard, _, sent = await typed(app, secret=True, keys=keys)
    assert (clipboard, sent) == ("from before", "")


@pytest.mark.asyncio
async def test_what_is_cut_of_a_secret_is_gone_all_the_same(folder: RunFolder) -> None:
    _, value, _ = await typed(app_on(folder), secret=True, keys=("ctrl+x",))
    assert value == ""


@pytest.mark.asyncio
@pytest.mark.parametrize("key", ["ctrl+c", "ctrl+x"])
async def test_other_fields_are_copied_and_cut_as_ever(folder: RunFolder, key: str) -> None:
    clipboard, value, sent = await typed(app_on(folder), secret=False, keys=(key,))
    assert (clipboard, sent) == (TYPED, TYPED)
    assert value == ("" if key == "ctrl+x" else TYPED)
