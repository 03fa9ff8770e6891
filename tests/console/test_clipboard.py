"""Copying: the bytes that reach the terminal, the file, and what stands in both."""

import base64
import re
import stat
from pathlib import Path

import pytest
from console.apps import app_on, sample, until, until_read, until_text
from console.terminal import Terminal
from console.views import NOW, view
from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.config import copies_folder
from plateau_tui.console.lines.copied import Heads, heads_of, run_text, unit_text
from plateau_tui.console.look.clipboard import MOST_BYTES, clipboard_sequence, copy_out
from plateau_tui.console.screens.dialogs import Page
from plateau_tui.runlog.verify import verify_run

ANY = st.text(st.characters(codec="utf-8"), max_size=2000)
OSC = re.compile(rb"\x1b\]52;c;([A-Za-z0-9+/=]*)\x07")
TMUX = {"TMUX": "/tmp/tmux-0/default,1,0"}  # noqa: S108 - a name that is never opened
SCREEN = {"STY": "1.pts-0.host"}


def decoded(raw: bytes) -> list[str]:
    """The texts of all OSC 52 sequences in what was sent."""
    return [base64.b64decode(found).decode("utf-8") for found in OSC.findall(raw)]


def unwrapped(raw: bytes) -> bytes:
    """What a multiplexer hands through of its device control strings."""
    strings = re.findall(rb"\x1bP(.*?)(?<!\x1b)\x1b\\", raw, re.DOTALL)
    return b"".join(s.removeprefix(b"tmux;").replace(b"\x1b\x1b", b"\x1b") for s in strings)


@given(ANY)
def test_a_terminal_gets_the_text(text: str) -> None:
    sequence = clipboard_sequence(text, {})
    assert sequence is not None
    assert decoded(sequence.encode("ascii")) == [text]


@given(ANY, st.sampled_from([TMUX, {"TERM": "tmux-256color"}]))
def test_tmux_gets_it_plain_and_hands_it_through(text: str, environment: dict[str, str]) -> None:
    sequence = clipboard_sequence(text, environment)
    assert sequence is not None
    plain, wrapped = sequence.split("\x1bPtmux;")
    assert decoded(plain.encode()) == [text]
    assert decoded(unwrapped(f"\x1bPtmux;{wrapped}".encode())) == [text]


@given(ANY)
def test_screen_hands_it_through_in_pieces(text: str) -> None:
    sequence = clipboard_sequence(text, SCREEN)
    assert sequence is not None
    assert decoded(unwrapped(sequence.encode())) == [text]
    assert all(len(piece) <= 256 for piece in re.findall(r"\x1bP.*?\x1b\\", sequence, re.DOTALL))
    assert OSC.sub(b"", sequence.encode()) or len(sequence) <= 256


@given(ANY)
def test_what_is_in_both_goes_out_as_the_inner_one_reads_it(text: str) -> None:
    both = TMUX | SCREEN
    in_screen = clipboard_sequence(text, both | {"TERM": "screen.tmux-256color"})
    assert in_screen == clipboard_sequence(text, SCREEN)
    in_tmux = clipboard_sequence(text, both | {"TERM": "tmux-256color"})
    assert in_tmux is not None
    alone = clipboard_sequence(text, TMUX)
    assert alone is not None
    assert in_tmux.endswith(alone)  # the last that a terminal gets is whole
    outer = in_tmux.removesuffix(alone)
    assert unwrapped(outer.encode()) == str(clipboard_sequence(text, SCREEN)).encode()


@pytest.mark.parametrize("environment", [{}, TMUX, SCREEN])
def test_a_text_longer_than_terminals_take_is_not_sent(environment: dict[str, str]) -> None:
    assert clipboard_sequence("x" * MOST_BYTES, environment) is not None
    assert clipboard_sequence("é" * (MOST_BYTES // 2 + 1), environment) is None


def test_a_copy_is_a_file_that_only_its_owner_reads() -> None:
    sent: list[str] = []
    copied = copy_out("one\ntwo\x1b]0;evil\x07\n", "p1-run", sent.append)
    assert copied.path == copies_folder() / "p1-run.txt"
    assert copied.told == f"sent to the clipboard; also in {copied.path}"
    assert copied.path.read_text(encoding="utf-8") == "one\ntwo·]0;evil·\n"
    assert stat.S_IMODE(copied.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(copied.path.parent.stat().st_mode) == 0o700
    assert decoded("".join(sent).encode()) == ["one\ntwo·]0;evil·\n"]


def test_a_long_text_goes_to_the_file_alone() -> None:
    sent: list[str] = []
    copied = copy_out("line\n" * 20_000, "long", sent.append)
    assert sent == []
    assert copied.told == f"too long for the clipboard; it is in {copied.path}"
    assert copied.path is not None
    assert copied.path.stat().st_size == 100_000


def test_a_file_that_cannot_be_written_is_one_line_and_the_clipboard_has_it() -> None:
    copies_folder().parent.mkdir(parents=True)
    copies_folder().write_text("in the way")
    sent: list[str] = []
    copied = copy_out("text", "p1", sent.append)
    assert copied.path is None
    assert copied.told.startswith("sent to the clipboard; no file: ")
    assert "cannot be written" in copied.told
    assert "\n" not in copied.told
    assert decoded("".join(sent).encode()) == ["text\n"]


@pytest.mark.parametrize(("environment", "hints"), [({}, 0), (SCREEN, 0), (TMUX, 1)])
def test_in_tmux_what_makes_it_take_a_copy_is_named(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], hints: int
) -> None:
    for name in ("TMUX", "STY", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    told = copy_out("text", "p1", lambda _: None).told
    assert told.count("tmux set -s set-clipboard on") == hints
    assert "\n" not in told


@given(st.text(max_size=200))
def test_no_name_leads_out_of_the_folder(name: str) -> None:
    copied = copy_out("text", name, lambda _: None)
    assert copied.path is not None
    assert copied.path.resolve().parent == copies_folder().resolve()
    assert copied.path.suffix == ".txt"


# -- what is copied ---------------------------------------------------------------------------


def test_a_run_s_copy_holds_its_facts() -> None:
    text = run_text(view(), Heads("a" * 64, None), NOW)
    for words in (
        "run_id: run", "cycle 5 of 66", "TREATMENT curiosity", "CONTROL control",
        f"rows head: {'a' * 64}", "journal head: none", "seal: b9648cb1dbe0",
        "Zero evidential weight",
    ):  # fmt: skip
        assert words in text
    for unit in view().units:
        (line,) = [line for line in text.splitlines() if unit.name in line]
        assert " YES " in line
        assert " 12 " in line


def test_a_unit_s_copy_holds_every_counter() -> None:
    made = view()
    text = unit_text(made.units[0], made, NOW)
    assert "unit UNI-10-1 of run run" in text
    assert all(name in text for name in made.objectives)


def test_the_heads_are_those_that_verify_derives(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    heads = heads_of(folder)
    found = verify_run(folder)
    assert (heads.rows, heads.journal) == (found.rows_head, found.journal_head)
    with folder.rows.open("ab") as file:
        file.write(b'{"torn')
    assert heads_of(folder).rows == heads.rows  # a line that is being written is none yet
    folder.rows.write_bytes(b"no chain\n")
    folder.journal.unlink()
    assert heads_of(folder) == Heads(None, None)


@pytest.mark.asyncio
@pytest.mark.parametrize(("keys", "name"), [(("y",), "run"), (("o", "y"), "UNI-10-1")])
async def test_y_copies_and_shows_where(tmp_path: Path, keys: tuple[str, ...], name: str) -> None:
    app = app_on(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        for key in keys:
            await pilot.press(key)
            await pilot.pause()
        await until(pilot, lambda: isinstance(app.screen, Page))
        await until_text(pilot, "sent to the clipboard; also in")
    (path,) = copies_folder().glob(f"*-{name}.txt")
    assert "UNI-10-1" in path.read_text()


# -- at a terminal ----------------------------------------------------------------------------


@pytest.mark.parametrize("environment", [{}, TMUX, SCREEN], ids=["plain", "tmux", "screen"])
def test_the_bytes_that_are_sent_decode_to_the_file(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    folder = sample(tmp_path)
    home = {"TMUX": "", "STY": ""} | environment
    with Terminal("attach", str(folder.path), cwd=folder.path.parent, environment=home) as terminal:
        terminal.until_words("UNI-11-3")
        terminal.send("y")
        terminal.until_words("sent to the clipboard; also in")
        terminal.send("q")
        terminal.until(lambda: "sent to the clipboard" not in terminal.words)
        terminal.send("q")
        assert terminal.ended() == 0
        raw = terminal.raw
    (path,) = copies_folder().iterdir()
    text = path.read_text(encoding="utf-8")
    assert "rows head: " in text
    if environment is not SCREEN:
        assert decoded(raw)[0] == text
    if environment:
        assert decoded(unwrapped(raw)) == [text]
