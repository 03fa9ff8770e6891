"""A canary password, all the forms in which it might lie about, and a search for them."""

import base64
import json
import os
import urllib.parse
from collections.abc import Iterable, Iterator
from pathlib import Path

CANARY = 'kn"9f3b7c\\ q&é-canary'
"""Holds what each encoding changes: a quote, a backslash, a blank, an ampersand, an accent."""


def forms(secret: str) -> dict[str, bytes]:
    """Return what to look for: the secret as it is, and as something would have written it."""
    data = secret.encode()
    found = {
        "plain": data,
        "latin-1": secret.encode("latin-1"),
        "utf-16": secret.encode("utf-16-le"),
        "utf-16-be": secret.encode("utf-16-be"),
        "utf-32": secret.encode("utf-32-le"),
        "hex": data.hex().encode(),
        "HEX": data.hex().upper().encode(),
        "percent": urllib.parse.quote(secret).encode(),
        "form": urllib.parse.quote_plus(secret).encode(),
        "repr": repr(secret)[1:-1].encode(),
        "ascii": ascii(secret)[1:-1].encode(),
        "bytes": repr(data)[2:-1].encode(),
        "json": json.dumps(secret)[1:-1].encode(),
        "json, not ascii": json.dumps(secret, ensure_ascii=False)[1:-1].encode(),
        "backwards": data[::-1],
    }
    for shift in range(3):
        # In the middle of other data the secret's base64 depends on where a group of 3 begins.
        whole = base64.b64encode(bytes(shift) + data)
        found[f"base64 {shift}"] = whole[4:-4]
        found[f"base64url {shift}"] = whole[4:-4].translate(bytes.maketrans(b"+/", b"-_"))
    # A part that no encoding of text changes: what was cut, wrapped or escaped another way.
    core = b"9f3b7c"
    return found | {"its core": core, "its core in hex": core.hex().encode()}


def leaks(where: str, data: bytes, secret: str = CANARY) -> list[str]:
    """Return in which forms some data hold the secret."""
    return [f"{where}: {form}" for form, wanted in forms(secret).items() if wanted in data]


def leaks_below(folder: Path, *, but: Iterable[Path] = ()) -> list[str]:
    """Return every file below a folder that holds the canary, in its name or in its bytes."""
    kept = tuple(but)
    found: list[str] = []
    for path in files_below(folder):
        if any(path.is_relative_to(each) for each in kept):
            continue
        name = str(path.relative_to(folder))
        found += leaks(f"the name of {name}", os.fsencode(name))
        found += leaks(name, path.read_bytes())
    return found


def files_below(folder: Path) -> Iterator[Path]:
    """Yield every file below a folder, hidden ones too; links are not followed."""
    for top, _, names in os.walk(folder):
        for name in names:
            path = Path(top) / name
            if path.is_file() and not path.is_symlink():
                yield path
