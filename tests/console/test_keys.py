import pytest

from plateau_tui.console.app import check_console_keys
from plateau_tui.metric.tables import ConfigError


@pytest.mark.parametrize(
    "keys",
    [
        {}, {"run.note": "t"}, {"app.leave": "f10,Q"}, {"run.down": "ctrl+n"},
        {"app.help": "h"}, {"run.note": "!"}, {"run.note": "r", "run.poll": "n"},
        {"app.leave": "n"} | {"run.note": "t", "unit.next": "v"},
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
