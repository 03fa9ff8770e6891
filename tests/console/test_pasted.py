"""What is pasted is told apart from what is typed, whatever is in it and however it comes."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Final

import pytest
from console.apps import app_on, text_of, until, until_read, until_text
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.events import Key, Paste
from textual.widgets import Input

from plateau_tui.console.look.keyboard import NOT_UTF8, Heard, Keyboard
from plateau_tui.console.look.pasted import (
    BEGINS,
    ENDS,
    MOST_PASTED,
    Part,
    Pasted,
    PastesApart,
    Trouble,
    Typed,
)
from plateau_tui.console.screens.dialogs import Ask
from plateau_tui.runlog.layout import RunFolder

OVER_S: Final = 5.0
"""Longer than any pause that is waited for."""
BITS: Final = st.sampled_from(
    [b"\x1b", b"q", b"\x1b[", b"\x1b[20", b"1~", b"\x1b[A", b"\x03", b"\r", b"\n", b"\xff\xe9",
     "\u00e9".encode(), b"\x1b[<0;5;5M", b"\x1bOP", b"\0", b"~", b"200~", b"\x1b[I"]
)  # fmt: skip
BYTES: Final = st.lists(BITS | st.binary(max_size=6), max_size=8).map(b"".join)
MARKED: Final = st.lists(BITS | st.sampled_from([BEGINS, ENDS]), max_size=8).map(b"".join)
CUTS: Final = st.lists(st.integers(0, 60), max_size=6)


def pieces(sent: bytes, cuts: Iterable[int]) -> list[bytes]:
    places = [0, *sorted({cut for cut in cuts if 0 < cut < len(sent)}), len(sent)]
    return [sent[a:b] for a, b in pairwise(places)]


def parts(sent: bytes, cuts: Iterable[int] = (), pause_s: float = 0.0) -> list[Part]:
    """Tell apart what comes in pieces, with a pause between them and a long one at the end."""
    apart, found = PastesApart(), []
    for piece in pieces(sent, cuts):
        found += [*apart.feed(piece), *apart.wait(pause_s)]
    return [*found, *apart.wait(OVER_S)]


def told(found: Iterable[Part]) -> list[Part]:
    """Return all but what is typed."""
    return [part for part in found if not isinstance(part, Typed)]


def typed(found: Iterable[Part]) -> bytes:
    return b"".join(part.sent for part in found if isinstance(part, Typed))


def pasted(found: Iterable[Part]) -> bytes:
    return b"".join(part.text for part in found if isinstance(part, Pasted))


@settings(max_examples=300)
@given(BYTES, CUTS, st.sampled_from([0.0, 0.04, 0.3, 1.5, 60.0]))
def test_nothing_in_a_paste_is_typed_however_it_is_cut_and_however_slow_the_line(
    text: bytes, cuts: list[int], pause_s: float
) -> None:
    if ENDS in text + ENDS[:-1]:
        text = text.replace(ENDS, b"")
    found = parts(BEGINS + text + ENDS, [6, *cuts], 0.0)
    assert (typed(found), pasted(found)) == (b"", text)
    if b"\x03" not in text:
        slow = parts(BEGINS + text + ENDS, [cut for cut in cuts if cut >= len(BEGINS)], pause_s)
        assert (typed(slow), pasted(slow)) == (b"", text)


@settings(max_examples=300)
@given(MARKED, CUTS, st.sampled_from([0.0, 0.04]))
def test_an_end_within_what_is_pasted_makes_no_keys_of_the_rest(
    text: bytes, cuts: list[int], pause_s: float
) -> None:
    assert typed(parts(BEGINS + text + ENDS, cuts, pause_s)) == b""


@settings(max_examples=300)
@given(BYTES, CUTS)
def test_a_paste_whose_end_is_missing_never_becomes_keys(text: bytes, cuts: list[int]) -> None:
    apart, found = PastesApart(), []
    text = text.replace(ENDS, b"").replace(b"\x03", b"")
    for piece in pieces(BEGINS + text, [cut for cut in cuts if cut >= len(BEGINS)]):
        found += [*apart.feed(piece), *apart.wait(OVER_S)]
    assert typed(found) == b""
    assert told(found) == [Trouble.HANGS]  # once


@settings(max_examples=300)
@given(BYTES, CUTS, st.sampled_from([0.0, 0.2, 2.0]))
def test_what_is_typed_comes_through_byte_for_byte(
    sent: bytes, cuts: list[int], pause_s: float
) -> None:
    sent = sent.replace(BEGINS, b"")
    found = parts(sent, cuts, pause_s)
    assert typed(found) == sent
    assert not pasted(found)


@given(BYTES, BYTES, BYTES)
def test_keys_before_and_after_a_paste_stay_keys(before: bytes, text: bytes, after: bytes) -> None:
    before, after = (each.replace(BEGINS, b"").replace(b"\x1b", b"") for each in (before, after))
    text = text.replace(ENDS, b"")
    apart = PastesApart()
    found = [*apart.feed(before), *apart.feed(BEGINS + text), *apart.feed(ENDS)]
    found += [*apart.wait(0.1), *apart.feed(after), *apart.wait(OVER_S)]
    assert (typed(found), pasted(found)) == (before + after, text)
    burst = parts(before + BEGINS + text + ENDS + after.replace(ENDS, b""))
    assert (typed(burst), pasted(burst)) == (before + after.replace(ENDS, b""), text)


def test_a_mouse_that_moves_behind_a_paste_holds_no_key_up() -> None:
    apart = PastesApart()
    found = [*apart.feed(BEGINS + b"x" + ENDS + b"\r")]
    for _ in range(5):
        assert typed(found) == b""
        found += [*apart.feed(b"\x1b[<35;7;7M\x1b[<35;8;7M"), *apart.wait(0.11)]
    assert typed(found) == b"\r"


def test_of_a_paste_of_megabytes_only_its_size_is_kept() -> None:
    apart = PastesApart()
    found = [*apart.feed(BEGINS)]
    for _ in range(1000):
        found += [*apart.feed(b"q\x1b" * 2048)]
        assert len(apart._text) <= MOST_PASTED + 1
    found += [*apart.feed(ENDS + b"q" * 4_000_000), *apart.feed(ENDS), *apart.wait(OVER_S)]
    assert typed(found) == b""
    assert [each.size for each in found if isinstance(each, Pasted)] == [4_096_000, 4_000_000]
    assert not any(each.is_whole for each in found if isinstance(each, Pasted))
    most = parts(BEGINS + b"x" * MOST_PASTED + ENDS)
    assert told(most) == [Pasted(b"x" * MOST_PASTED, MOST_PASTED)]


@pytest.mark.parametrize("key", [b"\x03", b"\x1b[99;5u", b"\x03\x03"])
def test_ctrl_c_by_itself_gives_up_a_paste_that_hangs(key: bytes) -> None:
    apart = PastesApart()
    found = [*apart.feed(BEGINS + b"q"), *apart.wait(3.0), *apart.feed(key), *apart.wait(0.6)]
    assert told(found) == [Trouble.HANGS, Trouble.GIVEN_UP]
    assert typed([*apart.feed(b"q"), *apart.wait(OVER_S)]) == b"q"


@pytest.mark.parametrize("text", [b"\x03", b"a\x03b", b"\x03\x03\x03"])
def test_ctrl_c_within_a_paste_gives_nothing_up(text: bytes) -> None:
    found = parts(BEGINS + text + ENDS, range(6, 20), 0.2)
    assert told(found) == [Pasted(text, len(text))]


def test_ctrl_c_gives_up_only_what_has_stood_still_before_it() -> None:
    apart = PastesApart()
    found = [*apart.feed(BEGINS + b"a"), *apart.wait(0.2), *apart.feed(b"\x03"), *apart.wait(0.9)]
    found += [*apart.feed(b"q" + ENDS), *apart.wait(OVER_S)]
    assert told(found) == [Pasted(b"a\x03q", 3)]
    assert typed(found) == b""


# -- the keyboard -----------------------------------------------------------------------------


def heard(sent: bytes, cuts: Iterable[int] = (), pause_s: float = 0.0) -> list[Heard]:
    keyboard, found = Keyboard(), []
    for piece in pieces(sent, cuts):
        found += [*keyboard.feed(piece), *keyboard.wait(pause_s)]
    return [*found, *keyboard.wait(OVER_S)]


@settings(max_examples=200)
@given(MARKED | BYTES, CUTS)
def test_a_paste_is_a_paste_and_no_key_for_the_framework(text: bytes, cuts: list[int]) -> None:
    assert all(isinstance(each, Paste) for each in heard(BEGINS + text + ENDS, cuts))


def test_a_paste_that_is_no_utf_8_is_one_all_the_same() -> None:
    [paste] = heard(BEGINS + b"caf\xe9 q\0\xff" + ENDS, [9, 11])
    assert isinstance(paste, Paste)
    assert paste.text == "caf\ufffd q\ufffd"
    letters = heard(BEGINS + "l\u00e9\u3042".encode() + ENDS, range(20))
    assert [each.text for each in letters if isinstance(each, Paste)] == ["l\u00e9\u3042"]


def keys(found: Iterable[Heard]) -> list[str]:
    return [each.key for each in found if isinstance(each, Key)]


def test_keys_are_what_they_are_to_the_framework_also_in_pieces() -> None:
    assert keys(heard(b"\x1b")) == ["escape"]
    assert keys(heard(b"\x1b\x1b[A", [1, 2])) == ["escape", "up"]
    assert keys(heard(b"a\x1b[5~\x1bOP\x1b[1;5C\r", range(30))) == [
        "a", "pageup", "f1", "ctrl+right", "enter",
    ]  # fmt: skip
    assert keys(heard("\u3042".encode(), [1, 2])) == ["あ"]
    found = heard(b"\x1b" + BEGINS + b"q" + ENDS)
    assert keys(found) == ["escape"]
    assert isinstance(found[-1], Paste)


def test_behind_bytes_that_are_no_utf_8_keys_are_read_on_and_it_is_told_once() -> None:
    keyboard = Keyboard()
    assert [*keyboard.feed(b"\x1b[M \xf0\xf0")] == [NOT_UTF8]
    assert [*keyboard.feed(b"\xe9")] == [*keyboard.feed(b"(")] == []
    assert keys(keyboard.feed(b"j")) == ["j"]
    assert [*keyboard.feed(b"\x1b[M"), *keyboard.feed(b" \xf0\xf0")] == []  # a mouse, in two reads
    assert keys(keyboard.feed(b"j")) == ["j"]


# -- the fields -------------------------------------------------------------------------------


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("one\ntwo", "one two"),
        ("one\r\ntwo\rthree\n", "one two three"),
        ("one\n\ntwo", "one  two"),
        ("\n", ""),
        ("tail\x1b[201~q", "tail·[201~q"),
    ],
)
async def test_lines_that_are_pasted_are_one_line_and_none_is_lost(
    folder: RunFolder, text: str, value: str
) -> None:
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, Ask))
        app.post_message(Paste(text))
        await pilot.press("x")
        field = app.screen.query_one(Input)
        await until(pilot, lambda: field.value.endswith("x"))
        assert field.value == f"{value}x"


@pytest.mark.asyncio
async def test_what_is_not_pasted_is_told_where_it_was_asked_for(folder: RunFolder) -> None:
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        app.post_message(Paste("q"))
        await until_text(pilot, "nothing was pasted: no field is open here")
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, Ask))
        app.post_message(Paste("x" * 1900))
        app.post_message(Paste("y" * 2))
        await until_text(pilot, "nothing was pasted: 2 characters more than 1,900")
        await until(pilot, lambda: "enter: done" not in text_of(app))
        field = app.screen.query_one(Input)
        assert field.value == "x" * 1900
        await pilot.press("backspace")
        await until_text(pilot, "enter: done")


@pytest.mark.asyncio
async def test_a_password_of_two_lines_is_refused_and_one_line_is_kept_as_it_is(
    folder: RunFolder,
) -> None:
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await app.push_screen(Ask("password", secret=True))
        await until(pilot, lambda: app.screen.query(Input))
        app.post_message(Paste("one\ntwo"))
        await until_text(pilot, "a password is one line")
        field = app.screen.query_one(Input)
        assert field.value == ""
        app.post_message(Paste("s3\x01cret\n"))
        await until(pilot, lambda: field.value)
        assert field.value == "s3\x01cret"
