"""Who may talk to the server of the console: its own page, by a name that is this machine's.

A page of anybody's can open a web socket to 127.0.0.1 (no same-origin rule holds it back), and a
name of anybody's can be made to point there (DNS rebinding). A browser tells both: the page's
origin, and the name by which it found the server. RFC 6455, sections 4.2.2 and 10.2.
"""

import ipaddress
import socket
from typing import Final
from urllib.parse import urlsplit

LOOPBACK_NAME: Final = "localhost"


def is_loopback(host: str) -> bool:
    """Say whether only this machine can reach a server that is bound to ``host``."""
    address = _address(host)
    return host.lower() == LOOPBACK_NAME if address is None else address.is_loopback


def refusal_of_host(host: str | None, bound: str) -> str:
    """Return why a request that names this host is refused; nothing where it is not.

    Args:
        host: the request's ``Host``: a name or an address, and perhaps a port. Any port goes: a
            tunnel may end at another one.
        bound: what the server is bound to.

    """
    name = _name_in(host or "")
    if name is None:
        return "a request names the host it asks"
    if name == LOOPBACK_NAME or name == bound.lower():
        return ""
    address = _address(name)
    if is_loopback(bound):
        ours = address is not None and address.is_loopback
    else:  # an address is nobody's to rebind
        ours = address is not None or name == socket.gethostname().lower()
    return "" if ours else "this is not a name of this server: open it by its address"


def refusal_of_origin(origin: str | None, host: str | None) -> str:
    """Return why a page of ``origin`` may open no web socket here; nothing where it may.

    Args:
        origin: the request's ``Origin``, which every browser sends with one.
        host: the request's ``Host``.

    """
    if not origin or not host:
        return "a web socket is opened by a page of this server"
    try:
        parts = urlsplit(origin)
    except ValueError:
        return "this origin is none"
    same = parts.scheme in {"http", "https"} and parts.netloc.lower() == host.lower()
    return "" if same else "another page may not open the console of this one"


def _name_in(host: str) -> str | None:
    """Return the name or the address in a ``Host``, without brackets and port."""
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port
        strange = parts.path or parts.query or parts.fragment or "@" in parts.netloc
        return None if strange else parts.hostname
    except ValueError:
        return None


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        return None
