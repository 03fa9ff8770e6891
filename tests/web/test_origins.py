"""Who may talk to the server: its own page, found by a name that is this machine's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.web.origins import is_loopback, refusal_of_host, refusal_of_origin


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "localhost", "LOCALHOST", "::1"])
def test_loopback_is_known(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["::", "192.168.1.4", "example.org", "localhost.evil"])
def test_what_others_reach_is_not_loopback(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8000", "localhost:8000", "localhost", "[::1]:8000", "Localhost:9000"]
)
def test_a_name_of_loopback_is_answered_at_whatever_port_a_tunnel_ends(host: str) -> None:
    assert not refusal_of_host(host, "127.0.0.1")


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:8000", "127.0.0.1.evil.example", "localhost.evil.example", "192.168.1.4:8000",
        "", None, "127.0.0.1@evil.example", "127.0.0.1/evil.example", "127.0.0.1:x", "[::1",
        "2130706433",
    ],
)  # fmt: skip
def test_a_name_that_was_made_to_point_here_is_refused(host: str | None) -> None:
    assert refusal_of_host(host, "127.0.0.1")


def test_bound_elsewhere_an_address_and_the_name_that_was_given_are_answered() -> None:
    for host in ("192.168.1.4:8000", "10.0.0.1", "lab.example:8000", "localhost:8000"):
        assert not refusal_of_host(host, "lab.example"), host
    assert refusal_of_host("evil.example:8000", "lab.example")
    assert refusal_of_host("evil.example:8000", "::")


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "[::1]:8000", "localhost"])
def test_a_page_of_this_server_may_open_a_socket(host: str) -> None:
    assert not refusal_of_origin(f"http://{host}", host)
    assert not refusal_of_origin(f"https://{host}", host)


@pytest.mark.parametrize(
    "origin",
    [
        None, "", "null", "http://evil.example", "http://127.0.0.1:8001", "http://localhost:8000",
        "http://127.0.0.1:8000.evil.example", "file://127.0.0.1:8000", "http://127.0.0.1:8000@evil",
        "http://[", "127.0.0.1:8000",
    ],
)  # fmt: skip
def test_a_page_of_any_other_origin_may_not(origin: str | None) -> None:
    assert refusal_of_origin(origin, "127.0.0.1:8000")


@given(st.text(max_size=60), st.text(max_size=60))
def test_whatever_is_sent_is_answered_with_a_word(origin: str, host: str) -> None:
    refusal_of_host(host, "127.0.0.1")
    if not refusal_of_origin(origin, host):
        assert host
        assert origin.lower().endswith(host.lower())
