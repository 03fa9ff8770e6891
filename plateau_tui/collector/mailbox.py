"""Requests to a running collector: files in ``mailbox/``, answers in the journal."""

import contextlib
import re
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import msgspec

from plateau_tui.collector.run import wall_ms
from plateau_tui.metric.objectives import nearest
from plateau_tui.metric.tables import shown
from plateau_tui.plainfile import plain_bytes
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder, write_new
from plateau_tui.runlog.scan import Unreadable, scan_journal
from plateau_tui.runlog.times import format_ms, parse_ms

Op = Literal["pin", "note", "close", "poll_now"]

ANSWER_WAIT_S: Final = 10.0
EXPIRES_MS: Final = 60_000
MAX_REQUEST_BYTES: Final = 65_536
MAX_TEXT: Final = 2000
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_LOOK_S: Final = 0.1

_ARGUMENTS: Final[dict[Op, dict[str, tuple[type, ...]]]] = {
    "note": {"text": (str,)},
    "pin": {"species": (str, type(None)), "by_unit": (dict,), "anyway": (str,)},
    "close": {"early": (bool,), "why": (str,)},
    "poll_now": {},
}
"""What each request may say, and of what kind that is."""
_NO_JSON: Final = "is no request (it is no JSON of UTF-8 text)"
_KINDS: Final = {str: "a text", bool: "true or false", dict: "a table", type(None): "null"}


class RequestFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One request as it stands in its file."""

    id: str
    ts: str
    by: str
    op: Op
    args: dict[str, str | bool | dict[str, str] | None]


@dataclass(frozen=True, slots=True)
class BadRequest:
    """A file in the mailbox that is no request; ``id`` is its name."""

    id: str
    reason: str


def post(
    folder: RunFolder, op: Op, by: str, args: dict[str, str | bool | dict[str, str] | None]
) -> str:
    """Put a request into the mailbox and return its id.

    Raises:
        OSError: it cannot be written.

    """
    request_id = f"{wall_ms():x}-{secrets.token_hex(4)}"
    request = RequestFile(id=request_id, ts=format_ms(wall_ms()), by=by, op=op, args=args)
    folder.mailbox.mkdir(mode=folder.path.stat().st_mode & 0o777, exist_ok=True)
    path = folder.mailbox / f"{request_id}.json"
    write_new(path, msgspec.json.encode(request), folder.file_mode)
    return request_id


def await_answer(
    folder: RunFolder, request_id: str, wait_s: float = ANSWER_WAIT_S
) -> ev.Answer | None:
    """Return the journal's answer to a request; None when none came within ``wait_s`` seconds."""
    deadline = time.monotonic() + wait_s
    offset = max(folder.journal.stat().st_size - 1_000_000, 0)
    while True:
        for item in scan_journal(folder.journal, offset):
            entry = None if isinstance(item, Unreadable) else item[1].event
            if isinstance(entry, ev.Answer) and entry.id == request_id:
                return entry
        if time.monotonic() >= deadline:
            return None
        time.sleep(_LOOK_S)


def withdraw(folder: RunFolder, request_id: str) -> bool:
    """Take back a request that nobody answered; say whether it still lay there."""
    try:
        (folder.mailbox / f"{request_id}.json").unlink()
    except OSError:
        return False
    return True


def pending(folder: RunFolder) -> Iterator[tuple[Path, RequestFile | BadRequest]]:
    """Yield what lies in the mailbox, oldest first; files under a dot name are not ready yet.

    A mailbox that is a link is none: what lies where it leads is not ours to delete.
    """
    try:
        if folder.mailbox.is_symlink():
            return
        paths = sorted(p for p in folder.mailbox.iterdir() if not p.name.startswith("."))
    except OSError:
        return
    for path in paths:
        yield path, _read(path)


def _read(path: Path) -> RequestFile | BadRequest:
    name = path.stem if _REQUEST_ID.fullmatch(path.stem) else "unnamed"
    try:
        data = plain_bytes(path, MAX_REQUEST_BYTES)
    except OSError as error:
        return BadRequest(name, f"is no plain file ({error.strerror})")
    if len(data) > MAX_REQUEST_BYTES:
        return BadRequest(name, "is too long for a request")
    try:
        request = msgspec.json.decode(data, type=RequestFile)
        parse_ms(request.ts)
    except (msgspec.ValidationError, RecursionError) as error:
        return BadRequest(name, f"is no request ({str(error)[:120]})")
    except msgspec.DecodeError:
        return BadRequest(name, "is no request (it is empty)" if not data else _NO_JSON)
    except ValueError:
        return BadRequest(name, "is no request (its ts is no time)")
    if request.id != path.stem or not _REQUEST_ID.fullmatch(request.id):
        return BadRequest(name, "has another id than its file's name")
    if not request.by.strip() or len(request.by) > MAX_TEXT:
        return BadRequest(name, "names no person")
    return request


def expired(request: RequestFile, now_ms: int) -> bool:
    """Say whether a request is older than 60 s."""
    return now_ms - parse_ms(request.ts) > EXPIRES_MS


def problem_of(request: RequestFile, now_ms: int) -> str | None:
    """Return why a request is not carried out, whatever the run is like, or None.

    What is misspelt is refused and not left out: it was meant. An early close says why, as on the
    command line.
    """
    if expired(request, now_ms):
        return "expired"
    if parse_ms(request.ts) - now_ms > EXPIRES_MS:
        return "is dated in the future: the two clocks differ; ask again"
    allowed = _ARGUMENTS[request.op]
    for key, value in request.args.items():
        if key not in allowed:
            return f"{request.op} takes no {shown(key, 60)}{nearest(key[:60], allowed)}"
        if type(value) not in allowed[key]:
            wanted = " or ".join(_KINDS[kind] for kind in allowed[key])
            return f"{key} of {request.op} must be {wanted}"
    why = request.args.get("why")
    if request.args.get("early") is True and not (isinstance(why, str) and why.strip()):
        return "an early close needs its why: nothing was closed"
    return None


def remove(path: Path) -> None:
    """Delete an answered request; one that cannot be deleted is known by its answer."""
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            path.rename(path.with_name(f".{path.name}"))
        else:
            path.unlink()
