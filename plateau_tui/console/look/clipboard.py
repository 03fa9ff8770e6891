"""Copying: to the terminal's clipboard by OSC 52, and always to a file as well.

OSC 52 (xterm's control sequences, "Manipulate Selection Data") is what reaches the clipboard of
the machine that a person sits at, through SSH. Nobody answers it, so whether it worked is not
known; the file is what can be relied on.
"""

import base64
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from plateau_tui.config import copies_folder
from plateau_tui.console.look.multiplexer import innermost
from plateau_tui.console.look.plainchars import tame
from plateau_tui.runlog.layout import write_new

MOST_BYTES: Final = 74_994
"""So many bytes make a sequence of 100,000, which is hterm's limit, and no terminal's is lower."""
_SCREEN_PIECE: Final = 252
"""GNU screen hands through strings of at most 256 characters, the escape around them included."""
_IN_TMUX: Final = "; nothing arrives? tmux set -s set-clipboard on"
"""By itself tmux takes no sequence of a program that runs in it, and does not say so."""
_NOT_A_NAME: Final = re.compile(r"[^A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class Copied:
    """What came of a copy: one line to be told, and the file; None where none could be written."""

    told: str
    path: Path | None


def clipboard_sequence(text: str, environment: Mapping[str, str]) -> str | None:
    """Return what makes the terminal copy a text; None where it is longer than terminals take.

    Inside tmux the sequence is sent twice: as it is, which tmux takes where ``set-clipboard`` is
    on, and wrapped, which it hands through where ``allow-passthrough`` is on. GNU screen knows
    only another wrapping, in pieces. Where both are, the inner one reads it: of a tmux in screen
    screen may get it in the wrapping of both, and the last that a terminal gets is whole.
    """
    data = text.encode("utf-8")
    if len(data) > MOST_BYTES:
        return None
    plain = f"\x1b]52;c;{base64.b64encode(data).decode('ascii')}\x07"
    inner = innermost(environment)
    if inner == "screen":
        return _for_screen(plain)
    if inner == "tmux":
        outer = _for_tmux(_for_screen(plain)) if environment.get("STY") else ""
        return outer + plain + _for_tmux(plain)
    return plain


def _for_tmux(sequence: str) -> str:
    return "\x1bPtmux;" + sequence.replace("\x1b", "\x1b\x1b") + "\x1b\\"


def _for_screen(sequence: str) -> str:
    pieces = (sequence[i : i + _SCREEN_PIECE] for i in range(0, len(sequence), _SCREEN_PIECE))
    return "".join(f"\x1bP{piece}\x1b\\" for piece in pieces)


def copy_out(text: str, name: str, send: Callable[[str], None]) -> Copied:
    """Copy ``text`` to the clipboard by ``send``, and to the file ``name`` of the state folder.

    A later copy of the same name takes the place of an earlier one; only its owner can read it.
    What is told says that it was sent: no terminal answers whether it took it.
    """
    clean = "\n".join(tame(line) for line in text.split("\n")).rstrip("\n") + "\n"
    sequence = clipboard_sequence(clean, os.environ)
    if sequence is None:
        how, also, asks = "too long for the clipboard", "it is in", ""
    else:
        send(sequence)
        in_tmux = os.environ.get("TMUX") or innermost(os.environ) == "tmux"
        how, also, asks = "sent to the clipboard", "also in", _IN_TMUX if in_tmux else ""
    path = copies_folder() / f"{_NOT_A_NAME.sub('_', name).strip('.')[:80] or 'copy'}.txt"
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_new(path, clean.encode("utf-8"), 0o600)
    except OSError as error:
        return Copied(f"{how}; no file: {path} cannot be written: {error.strerror}{asks}", None)
    return Copied(f"{how}; {also} {path}{asks}", path)
