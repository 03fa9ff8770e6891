"""A real terminal: what is pasted is text, whatever is in it, and never a key of the console."""

from pathlib import Path

import pytest
from console.gates import made
from console.terminal import Terminal, attached
from console.test_typeahead import noted

from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.template import draft_text

BEGINS, ENDS = "\x1b[200~", "\x1b[201~"


@pytest.fixture
def draft(tmp_path: Path) -> RunFolder:
    return made(tmp_path, draft_text("p1", 6))


def send(terminal: Terminal, sent: bytes, piece: int = 3000) -> None:
    """Send bytes in pieces, as fast as they are read, and take in meanwhile what is drawn."""
    for start in range(0, len(sent), piece):
        terminal.child.send(sent[start : start + piece])
        terminal.read(0.0)


def left(terminal: Terminal) -> None:
    """Leave by the key, which shows that keys are keys."""
    terminal.send("q")
    assert terminal.ended() == 0


@pytest.mark.parametrize(
    "text",
    [b"\x1bq\x1b\x1b[B\x1bOPq", b"caf\xe9 q\x1b", b"\x1b[201~q\x1b[201~\x1b q", b"\x03\x1a\x0cq"],
    ids=["escapes", "latin-1", "forged-ends", "controls"],
)  # fmt: skip
def test_what_is_pasted_where_no_field_is_does_nothing(folder: RunFolder, text: bytes) -> None:
    with attached(folder) as terminal:
        terminal.until_words("UNI-11-3")
        send(terminal, BEGINS.encode() + text + ENDS.encode(), 2)
        terminal.until_words("nothing was pasted: no field is open here")
        terminal.settle()
        terminal.send("?")
        terminal.until_words("Help")
        terminal.send("\x1b")
        terminal.until_words("UNI-11-3")
        terminal.settle()
        left(terminal)


def test_a_note_is_pasted_whole_and_sent_by_the_key_behind_it(draft: RunFolder) -> None:
    with attached(draft) as terminal:
        terminal.until_words("UNI-11-6")
        terminal.send("n")
        terminal.until_words("A note for the journal")
        terminal.send(f"{BEGINS}day nine:\r\x1bq all\x1b[D well{ENDS}\r")
        terminal.until(lambda: noted(draft))
        assert noted(draft) == ["day nine: ·q all·[D well"]
        left(terminal)


def test_a_paste_without_an_end_is_told_and_given_up_by_ctrl_c(folder: RunFolder) -> None:
    with attached(folder) as terminal:
        terminal.until_words("UNI-11-3")
        terminal.send(f"{BEGINS}q\x1b")
        terminal.settle()
        terminal.send("q\x1bq")
        terminal.until_words("a paste has begun and does not end")
        terminal.send("\x03")
        terminal.until_words("the paste was given up")
        terminal.settle()
        left(terminal)


def test_a_paste_of_megabytes_is_told_and_keys_are_read_behind_it(folder: RunFolder) -> None:
    with attached(folder) as terminal:
        terminal.until_words("UNI-11-3")
        terminal.send("n")
        terminal.until_words("A note for the journal")
        send(terminal, BEGINS.encode() + b"q, x\r" * 420_000 + ENDS.encode(), 4000)
        terminal.until_words("a paste of 2,100,000 bytes was left out")
        terminal.send("\x1b")
        terminal.until_words("UNI-11-3")
        terminal.settle()
        left(terminal)
