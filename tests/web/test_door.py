"""The token opens the door, and nothing else does."""

from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.web.door import Door

ANY = st.text(st.characters(), max_size=60)


@given(st.one_of(st.none(), ANY))
def test_nothing_but_the_token_opens(given_token: str | None) -> None:
    door = Door()
    assert not door.opens_to(given_token)
    assert not door.knows({} if given_token is None else {door.cookie: given_token})
    assert not door.opens_to(door.token[:-1])
    assert not door.opens_to(f"{door.token} ")
    assert door.opens_to(door.token)
    assert door.knows({door.cookie: door.token, "other": "x"})
    assert not door.knows({"other": door.token})


def test_every_server_has_a_token_and_a_cookie_of_its_own() -> None:
    doors = [Door() for _ in range(50)]
    assert len({door.token for door in doors}) == len({door.cookie for door in doors}) == 50
    assert all(len(door.token) == 43 for door in doors)  # 256 bits
    assert not any(door.token in door.cookie for door in doors)
