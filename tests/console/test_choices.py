"""A list to choose from: what of it is drawn, and so sent to a terminal, when a line changes."""

import pytest
from textual.app import App, ComposeResult
from textual.content import Content
from textual.strip import Strip
from textual.widgets.option_list import Option

from plateau_tui.console.widgets.choices import Choices

pytestmark = pytest.mark.asyncio


class Watched(Choices):
    """Keeps which of its lines were drawn."""

    drawn: tuple[str, ...] = ()

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        self.drawn += (strip.text.strip(),)
        return strip


class Listed(App[None]):
    def compose(self) -> ComposeResult:
        yield Watched(*(Option(Content(f"run-{n:02} of many")) for n in range(40)), markup=False)


@pytest.mark.parametrize(("chosen", "changed"), [(0, 3), (0, 0), (39, 35)], ids=str)
async def test_a_line_that_changes_is_drawn_and_no_other(chosen: int, changed: int) -> None:
    app = Listed()
    async with app.run_test(size=(60, 20)) as pilot:
        choices = app.query_one(Watched)
        choices.highlighted = chosen
        await pilot.pause()
        assert f"run-{changed:02} of many" in choices.drawn
        choices.drawn = ()
        choices.replace_option_prompt_at_index(changed, Content("an age that ticks"))
        await pilot.pause()
        assert set(choices.drawn) == {"an age that ticks"}


async def test_a_line_out_of_sight_is_shown_as_it_is_when_it_comes_into_it() -> None:
    app = Listed()
    async with app.run_test(size=(60, 20)) as pilot:
        choices = app.query_one(Watched)
        choices.replace_option_prompt_at_index(39, Content("an age that ticks"))
        await pilot.pause()
        choices.drawn = ()
        choices.highlighted = 39
        await pilot.pause()
        assert "an age that ticks" in choices.drawn
        assert "run-39 of many" not in choices.drawn
