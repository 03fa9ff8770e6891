"""The search itself: a canary that lies about in any form is found."""

import base64
import json
import urllib.parse
from pathlib import Path

import pytest
from secrecy.searching import CANARY, leaks, leaks_below

DATA = CANARY.encode()
LEAKS = {
    "plain": DATA,
    "in base64 of a header": base64.b64encode(b"user:" + DATA + b"\n"),
    "in base64 at another shift": base64.b64encode(b"\x10\0\0\0" + DATA + b"\0\0"),
    "in base64 for addresses": base64.urlsafe_b64encode(b"?" + DATA),
    "hex": DATA.hex().encode(),
    "HEX": DATA.hex().upper().encode(),
    "utf-16": CANARY.encode("utf-16"),
    "percent-encoded": urllib.parse.quote(CANARY, safe="").encode(),
    "a form": urllib.parse.urlencode({"password": CANARY}).encode(),
    "a repr": repr({"password": CANARY}).encode(),
    "a repr of bytes": repr(b"\0" + DATA).encode(),
    "json": json.dumps({"password": CANARY}).encode(),
    "reversed": DATA[::-1],
    "torn": DATA[:11],
}


@pytest.mark.parametrize("data", LEAKS.values(), ids=LEAKS.keys())
def test_every_form_is_found_in_a_file(tmp_path: Path, data: bytes) -> None:
    hidden = tmp_path / "a" / ".b"
    hidden.parent.mkdir()
    hidden.write_bytes(b"x" * 100 + data + b"x" * 100)
    assert leaks_below(tmp_path)
    assert leaks_below(tmp_path, but=[tmp_path / "a"]) == []


def test_a_files_name_is_searched_too(tmp_path: Path) -> None:
    (tmp_path / "9f3b7c").touch()
    assert leaks_below(tmp_path)


def test_nothing_is_found_where_nothing_is() -> None:
    assert leaks("x", b"a canary is a bird; q&e; 9f3b 7c") == []
