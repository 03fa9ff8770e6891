"""The sparklines and plots of a replay: what a keeper of all rows has, and nothing later."""

from itertools import pairwise
from pathlib import Path
from statistics import median_low

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from replay import earlier
from replay.earlier import rows, write
from replay.reading import read, shown

from plateau_tui.console.live.series import HOARD, PLACED
from plateau_tui.console.replay import series as replayseries
from plateau_tui.console.replay.timeline import Timeline


def growing(unit: str, cycle: int) -> tuple[earlier.Counts, earlier.Counts]:
    placed, mined = earlier.frozen(unit, cycle)
    return placed | {"dirt": cycle + 1}, mined


def placed_at(timeline: Timeline, step: int) -> tuple[int, tuple[int | None, ...]]:
    series = shown(timeline, step).units[0].series
    assert series is not None
    return series.per, series.over(PLACED, timeline.cycle_of(step) + 1)


@settings(max_examples=25, deadline=None)
@example(cycles=5, gaps=set(), missed={1, 2}, most=4)
@given(
    cycles=st.integers(1, 90),
    gaps=st.sets(st.integers(0, 89)),
    missed=st.sets(st.integers(1, 89)),
    most=st.sampled_from([4, 7, 16]),
)
def test_a_bucket_has_its_last_known_count_up_to_the_moment_and_none_of_later(
    cycles: int,
    gaps: set[int],
    missed: set[int],
    most: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    made = rows(cycles, growing, gaps=gaps, units=earlier.UNITS[:1])
    kept = [
        row
        for row in made
        if (int(str(row["cycle"])) - earlier.T0) // earlier.INTERVAL_S not in missed
    ]
    stand = sorted({(int(str(row["cycle"])) - earlier.T0) // earlier.INTERVAL_S for row in kept})
    steps = [later - cycle for cycle, later in pairwise(stand)]
    assume(not steps or median_low(steps) == 1)  # else the rows look like a longer interval's
    path = write(tmp_path_factory.mktemp("log") / "old.jsonl", kept)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replayseries, "MOST_BUCKETS", most)
        patch.setattr(replayseries, "_FEWEST_BUCKETS", most)
        timeline = read(path)
    for step in range(len(timeline)):
        per, found = placed_at(timeline, step)
        here = timeline.cycle_of(step)
        assert timeline.last_cycle // per < most
        known = [c for c in range(here + 1) if c not in gaps and c not in missed]
        expected = [
            max((c + 1 for c in known if c // per == bucket), default=None)
            for bucket in range(here // per + 1)
        ]
        assert list(found) == expected


def test_a_counter_that_only_later_rows_have_is_unknown_before_them(tmp_path: Path) -> None:
    def counters(unit: str, cycle: int) -> tuple[earlier.Counts, earlier.Counts]:
        placed, mined = earlier.frozen(unit, cycle)
        late = unit == "UNI-13-6"
        return placed | ({"torch": cycle} if late else {}), mined

    late = [row for row in rows(30, counters) if str(row["uni"]) != "UNI-13-6"]
    late += [
        row for row in rows(40, counters) if str(row["uni"]) == "UNI-13-6" and _cycle(row) >= 30
    ]
    late.sort(key=lambda row: int(str(row["cycle"])))
    timeline = read(write(tmp_path / "old.jsonl", late))
    unit = shown(timeline, len(timeline) - 1).unit("UNI-13-6")
    assert unit is not None
    assert unit.series is not None
    assert unit.series.over("place_torch", 40)[28:32] == (None, None, 30, 31)
    assert unit.series.over(HOARD, 40)[28:32] == (None, None, 1, 1)
    other = shown(timeline, 10).unit("UNI-12-1")
    assert other is not None
    assert other.series is not None
    assert set(other.series.over("place_torch", 11)) == {None}


def _cycle(row: earlier.Json) -> int:
    return (int(str(row["cycle"])) - earlier.T0) // earlier.INTERVAL_S
