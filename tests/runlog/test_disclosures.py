from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.metric.scoring import score
from plateau_tui.runlog.progress import Disclosure

ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=6)


def test_a_half_never_reached_discloses_nothing() -> None:
    disclosure = Disclosure()
    for reached, only in product((False, None), (False, None)):
        disclosure.take(reached, only)
    assert disclosure.value is False


@given(ROWS)
def test_table_only_holds_until_a_row_shows_another_block(rows: list[tuple[int, int]]) -> None:
    disclosure = Disclosure()
    for table, dirt in rows:
        placed = dict.fromkeys(("cobblestone", "oak_planks", "oak_log"), 0)
        result = score(placed | {"crafting_table": table, "dirt": dirt}, {}, None)
        disclosure.take(result.primary, result.table_only)
    other = any(dirt for _, dirt in rows)
    expected = not other and any(table for table, _ in rows)
    assert disclosure.value is (expected if rows else None)
