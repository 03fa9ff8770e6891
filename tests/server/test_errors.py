"""Messages: one printable line, server text escaped and cut, the raw reply kept."""

from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.server.errors import GarbledReplyError, shown


def test_control_characters_and_escapes_are_shown_not_sent() -> None:
    assert shown("a\n\x1b[31mb\x00\u202e") == "'a\\n\\x1b[31mb\\x00\\u202e'"
    assert shown("§6[/b]ü漢") == "'§6[/b]ü漢'"


@given(st.text(st.characters(codec=None)))
def test_any_text_is_shown_in_one_short_printable_line(text: str) -> None:
    line = shown(text)
    assert line.isprintable()
    assert len(line) <= 123


def test_a_raw_reply_is_kept_but_not_without_end() -> None:
    assert GarbledReplyError("x", "a" * 5000).raw == "a" * 5000
    assert len(GarbledReplyError("x", "a" * 100_000).raw) == 8192
