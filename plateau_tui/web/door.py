"""Who may come in: whoever has the token that was printed where the server was started.

A port on loopback is open to every user of the machine; what one process prints is not. The token
lives in this process and in the browsers that have shown it: in no file, in no process's words or
variables. A browser shows it once, in the address, and has a cookie from then on.
"""

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from typing import Final

TOKEN: Final = "token"  # noqa: S105 - the word for one
"""What the address calls it."""
_TOKEN_BYTES: Final = 32
REFUSAL: Final = "open the address that plateau-tui --web has printed, with its token"


class Door:
    """Knows the token, and the cookie in which a browser keeps it."""

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(_TOKEN_BYTES)
        self.cookie = f"plateau-tui-{hashlib.sha256(self.token.encode()).hexdigest()[:8]}"
        """The cookie's name: browsers keep one jar for all ports of a machine."""

    def opens_to(self, token: str | None) -> bool:
        """Say whether this is the token; how long that takes says nothing of it."""
        given = (token or "").encode("utf-8", "replace")
        return hmac.compare_digest(given, self.token.encode())

    def knows(self, cookies: Mapping[str, str]) -> bool:
        """Say whether a browser has shown the token before."""
        return self.opens_to(cookies.get(self.cookie))
