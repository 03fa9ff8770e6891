import importlib
import pkgutil
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from console.apps import app_on, draft, until_read, until_text
from console.views import NOW, view
from textual.binding import Binding
from textual.dom import DOMNode
from textual.screen import Screen

from plateau_tui.console import screens
from plateau_tui.console.app import PlateauApp, check_console_keys
from plateau_tui.console.help import help_text
from plateau_tui.console.jobs import run_job
from plateau_tui.console.keys import OWN_KEYS, PLAIN_KEYS, KeyNames
from plateau_tui.console.lines.watch import next_line, watch_lines
from plateau_tui.console.live.view import RunView
from plateau_tui.console.messages import WatchView
from plateau_tui.console.starting import why_not_collect
from plateau_tui.metric.tables import ConfigError


@pytest.mark.parametrize(
    "keys",
    [
        {}, {"run.note": "z"}, {"app.leave": "f10,Q"}, {"run.down": "ctrl+n"},
        {"app.help": "H"}, {"run.note": "!"}, {"run.note": "r", "run.poll": "n"},
        {"app.fence": "question_mark", "app.help": "f"},
    ],
)  # fmt: skip
def test_keys_that_can_be_set(keys: dict[str, str]) -> None:
    check_console_keys(keys)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"run.nte": "t"}, "keys.run.nte is no key of the console"),
        ({"run.note": "bogus-key"}, "'bogus-key' is no key"),
        ({"run.note": ""}, "'' is no key"),
        ({"run.note": "p"}, "two things on the run screen (run.note and run.pin)"),
        ({"run.note": "?"}, "two things on the run screen (app.help and run.note)"),
        ({"confirm.yes": "n"}, "two things on the question screen"),
        ({"confirm.yes": "enter"}, "two things on the question screen"),
    ],
)
def test_keys_that_cannot_be_set_are_told(keys: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_console_keys(keys)
    assert words in str(caught.value)


# -- the keys that texts name ---------------------------------------------------------------------

MOVED = KeyNames({name: f"f{number}" for number, name in enumerate(OWN_KEYS, 1)})


def kinds_of(kind: type[Screen[Any]]) -> list[type[Screen[Any]]]:
    own = [each for each in kind.__subclasses__() if each.__module__.startswith("plateau_tui")]
    others = [each for each in kind.__subclasses__() if each not in own]
    return [*own, *(found for each in [*own, *others] for found in kinds_of(each))]


def test_the_keys_that_texts_name_are_the_screens_own() -> None:
    for module in pkgutil.iter_modules(screens.__path__, f"{screens.__name__}."):
        importlib.import_module(module.name)
    bound: list[type[DOMNode]] = [PlateauApp, *kinds_of(Screen)]
    own = {
        (binding.id, binding.key.split(",")[0])
        for each in bound
        for binding in each.BINDINGS
        if isinstance(binding, Binding) and binding.id in OWN_KEYS
    }
    assert own == set(OWN_KEYS.items())


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("f9,Z", "f9"), ("ctrl+t", "^t"), ("question_mark", "?"), ("!", "!"), (" space ", "space"),
        ("escape", "esc"), ("Q", "Q"), ("backspace", "backspace"),
    ],
)  # fmt: skip
def test_a_key_is_spelt_as_the_line_of_keys_spells_it(given: str, shown: str) -> None:
    assert KeyNames({"run.note": "x", "back": given})["back"] == shown


def every_text(keys: KeyNames) -> str:
    """All that the wizard, the run's screen and the help say with a key in it."""
    run, watch = (
        view(seal=""),
        WatchView({"U": {}}, {"U": None}, 0, NOW, (), ("a",), from_rows=False),
    )
    open_run = view(seal="s")
    steps = [
        next_line(shown, checked=checked, under_way=job, suggested=suggested, keys=keys)
        for shown, checked, job, suggested in (
            (replace(run, registered=False), False, "", {}),
            (replace(run, registered=False), True, "", {}),
            (unpinned(run), True, "", {}),
            (unpinned(run), True, "", {"UNI-10-1": "oak_log"}),
            (unpinned(run), True, "watch", {"UNI-10-1": "oak_log"}),
            (run, True, "", {}),
            (open_run, True, "", {}),
            (replace(open_run, stage="pinned"), True, "", {}),
        )
    ]

    def declined() -> str:
        raise OSError(
            "plateau-tui register RUN; plateau-tui seal RUN comes first; "
            "plateau-tui pin RUN SPECIES; plateau-tui close RUN"
        )

    refused = [
        why_not_collect(replace(shown, collector_pid=None), "", now, keys)
        for shown, now in ((view(stage="pinned", seal=""), NOW), (open_run, NOW + 10**12))
    ]
    job = run_job("note", declined, keys=keys).text
    return "\n".join(
        [*steps, *refused, *watch_lines(watch, {}, 80, keys), job, help_text([], keys)]
    )


def unpinned(run: RunView) -> RunView:
    return replace(run, units=tuple(replace(unit, baseline=None) for unit in run.units))


def test_no_text_names_a_letter_once_its_key_is_mapped_to_another() -> None:
    named = re.compile(r"(?:next: |key |; |, |then |\? |: |^)([a-z]|esc) (?=[a-z])", re.MULTILINE)
    assert set(named.findall(every_text(PLAIN_KEYS))) >= set("cgwpsxa") | {"esc"}
    left = set(named.findall(every_text(MOVED)))
    assert left <= {"a"}  # the article


@pytest.mark.asyncio
async def test_remapped_keys_are_named_on_screen(tmp_path: Path) -> None:
    keys = {"run.down": "f2", "run.open": "f3", "run.wizard": "f4", "wizard.check": "f5"}
    app = app_on(draft(tmp_path, 1), keys)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await until_text(pilot, "f4 is the first-poll wizard")
        await pilot.press("f4")
        await until_text(pilot, "next: f5 looks at the server")
