"""Whether a half rests on something to be disclosed: as long as no row reached it without."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.metric.accumulators import Rests
from plateau_tui.metric.scoring import score

ROWS = st.lists(st.tuples(st.integers(0, 2), st.sampled_from((0, 1, None))), max_size=6)


def test_a_half_never_reached_rests_on_nothing() -> None:
    rests = Rests()
    assert rests.value is None
    for cycle, (reached, only) in enumerate(product((False, None), (False, None))):
        rests.take(cycle, reached, only)
        assert rests.value is False
    assert rests.cycle is None


@given(ROWS)
def test_table_only_holds_until_a_row_shows_another_block(
    rows: list[tuple[int, int | None]],
) -> None:
    rests = Rests()
    for cycle, (table, dirt) in enumerate(rows):
        placed = dict.fromkeys(("cobblestone", "oak_planks", "oak_log"), 0)
        result = score(placed | {"crafting_table": table, "dirt": dirt}, {}, None)
        rests.take(cycle, result.primary, result.table_only)
    other = any(dirt for _, dirt in rows)
    only = [cycle for cycle, (table, dirt) in enumerate(rows) if table and dirt == 0]
    unsure = [cycle for cycle, (table, dirt) in enumerate(rows) if table and dirt is None]
    assert rests.value is ((bool(only) and not other) if rows else None)
    assert rests.cycle == (None if other else next(iter(only or unsure), None))
