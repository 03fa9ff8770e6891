"""The arms side by side: the verdict's own numbers, cut at the last cycle, and no verdict."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec.structs
import pytest
from collector.bench import gate
from console.apps import (
    SAMPLES,
    app_on,
    read_all,
    sample,
    text_of,
    until,
    until_read,
    until_still,
    words_of,
)
from hypothesis import given
from hypothesis import strategies as st
from metric.texts import parsed
from runlog.runs import begin, closed, cycle_rows, heartbeat, new_folder, pin, write_cycle
from textual.pilot import Pilot

from plateau_tui.console.app import PlateauApp
from plateau_tui.console.lines.pairs import (
    MARKS,
    columns_line,
    header_lines,
    meaning_lines,
    pair_lines,
    pair_state,
    table_lines,
)
from plateau_tui.console.lines.text import cells
from plateau_tui.console.live.model import RunModel
from plateau_tui.console.live.pairsofar import PairsSoFar, pairs_so_far
from plateau_tui.console.screens.pairs import PairsScreen
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.metric.contrast import paired_interval
from plateau_tui.metric.fence import CLAIM_FENCE_SHORT
from plateau_tui.metric.outcome import Pair, Standing, UnitFinding
from plateau_tui.report.gather import judge
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.tail import FileTail, NewLines

SIZES: Final = [(80, 24), (120, 36)]
EVIL_LABEL: Final = "[/][b]x[@click=app.quit]"
EVIL_RUN: Final = "[b] \x1b[31m\u202eforty"
STANDINGS: Final[tuple[Standing, ...]] = ("reached", "not reached", "unknown")


def so_far(folder: RunFolder) -> PairsSoFar:
    return pairs_of(RunModel(folder))


def pairs_of(model: RunModel) -> PairsSoFar:
    paired = read_all(model).paired
    assert paired is not None
    return pairs_so_far(paired)


def finding(standing: Standing, *, live: bool = True, role: str = "control") -> UnitFinding:
    return UnitFinding(
        name="UNI-1",
        arm="arm",
        role="treatment" if role == "treatment" else "control",
        seen=True,
        live=live,
        primary=standing,
        secondary=standing,
        both=standing,
        pin=None,
        primary_cycle=None,
        secondary_cycle=None,
        both_cycle=None,
    )


async def opened(pilot: Pilot[int]) -> PairsScreen:
    await until_read(pilot)
    await pilot.press("d")
    await until(pilot, lambda: isinstance(pilot.app.screen, PairsScreen))
    screen = pilot.app.screen
    assert isinstance(screen, PairsScreen)
    await until(pilot, lambda: "reading ..." not in text_of(pilot.app) and screen._found)
    await until_still(pilot)
    return screen


# -- the numbers -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", sorted(path.name for path in SAMPLES.iterdir() if (path / "rows.jsonl").exists())
)
def test_a_closed_run_shows_the_standings_and_the_contrast_of_its_verdict(name: str) -> None:
    folder = RunFolder(SAMPLES / name)
    found, verdict = so_far(folder), judge(folder).verdict
    assert found.pairs == verdict.pairs
    assert found.targets[0].contrast == verdict.contrast
    assert found.targets[0].target == "plateau_break"


def test_an_open_run_is_shown_as_if_its_window_ended_with_the_last_cycle(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "a")
    writer = begin(folder)
    write_cycle(writer, parsed(), 0)
    model = RunModel(folder)
    first = pairs_of(model)
    assert (first.cycles, first.of, first.closed) == (1, 66, False)
    # As the verdict counts it now, nothing would be known of who has 65 cycles to go.
    assert {u.both for p in first.pairs for u in (p.treatment, p.control)} == {"not reached"}
    assert pairs_of(model) == first
    write_cycle(writer, parsed(), 1)
    second = pairs_of(model)
    assert [pair_state(pair, "plateau_break") for pair in second.pairs] == ["treatment only"] * 3
    contrast = second.targets[0].contrast
    assert contrast is not None
    limits = paired_interval(0, 3, 0, 0, confidence=0.95, method="exact_unconditional")
    assert (contrast.delta, (contrast.lower, contrast.upper)) == (1.0, limits)
    # Another species is pinned: what was mined of it counts no more, in any row.
    writer.journal(*(pin(unit.name, "stone") for unit in parsed().units))
    third = pairs_of(model)
    assert [pair_state(pair, "plateau_break") for pair in third.pairs] != [
        pair_state(pair, "plateau_break") for pair in second.pairs
    ]
    writer.close()


@pytest.mark.asyncio
async def test_the_pairs_are_those_that_were_read_and_no_log_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tails: set[int] = set()
    read = FileTail.read

    def counted(self: FileTail) -> NewLines:
        tails.add(id(self))
        return read(self)

    async with app_on(sample(tmp_path)).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        monkeypatch.setattr(FileTail, "read", counted)
        for _ in range(2):
            await opened(pilot)
            await pilot.press("escape")
        assert len(tails) <= 2  # the run's own: its journal and its rows


def test_a_unit_that_left_is_in_no_pair_and_an_unread_one_is_unknown(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "a")
    writer = begin(folder)
    write_cycle(writer, parsed(), 0)
    for cycle in range(1, 6):
        rows = cycle_rows(parsed(), writer.state, cycle)
        gone, unread, *others = rows
        gone = msgspec.structs.replace(gone, online=False)
        nothing = dict.fromkeys(unread.placed_used)
        unread = msgspec.structs.replace(
            unread, placed_used=nothing, mined=dict.fromkeys(unread.mined)
        )
        writer.cycle([gone, unread, *others], heartbeat(cycle))
    writer.close()
    found = so_far(folder)
    states = [pair_state(pair, "plateau_break") for pair in found.pairs]
    assert states == ["not live", "unknown", "treatment only"]
    (target,) = found.targets
    assert target.contrast is not None
    assert target.other_way is not None
    assert (target.contrast.pairs, target.contrast.treatment_only) == (2, 1)
    assert target.other_way.treatment_only == 2
    assert "2 live pairs, 1 unit of them unknown, taken against the claim" in "\n".join(
        header_lines(found, "a", 200)
    )
    text = "\n".join(meaning_lines(found, 200))
    assert "1 unit of live pairs unknown, counted against the claim" in text
    assert "Were all of it for the claim: Δ = +1.0000" in text
    assert table_lines(found, 100)[1].split() == ["PRIMARY", "1", "0", "0", "0", "1"]


@given(st.sampled_from(STANDINGS), st.sampled_from(STANDINGS), st.booleans(), st.booleans())
def test_a_pair_is_discordant_only_where_both_units_are_live_and_known(
    one: Standing, other: Standing, live: bool, also: bool
) -> None:
    pair = Pair(finding(one, live=live, role="treatment"), finding(other, live=also))
    state = pair_state(pair, "primary")
    if not (live and also):
        assert state == "not live"
    elif "unknown" in (one, other):
        assert state == "unknown"
    else:
        expected = {
            ("reached", "not reached"): "treatment only",
            ("not reached", "reached"): "control only",
            ("reached", "reached"): "both",
            ("not reached", "not reached"): "neither",
        }
        assert state == expected[one, other]
    assert len(set(MARKS.values())) == len(MARKS)


def test_no_line_is_wider_than_the_screen_and_none_has_a_percentage() -> None:
    for name in ("builders_vs_hoarders", "withheld_8_not_read", "partial_three_pairs"):
        found = so_far(RunFolder(SAMPLES / name))
        for width in (59, 60, 79, 80, 119, 200):
            lines = [
                *header_lines(found, name, width),
                columns_line(found, width),
                *(line.text for line in pair_lines(found, width)),
                *table_lines(found, width),
                *meaning_lines(found, width),
            ]
            assert max(cells(line) for line in lines) <= width
            assert "%" not in "".join(lines)
            assert any("NOT THE VERDICT" in line for line in lines)


# -- on screen -------------------------------------------------------------------------------


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [(80, 24), (60, 20), (160, 40)])
async def test_six_units_are_seen_whole_with_what_tells_them_apart(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with (app := app_on(sample(tmp_path))).run_test(size=size) as pilot:
        await opened(pilot)
        for number in (1, 2, 3):
            line = next(x for x in text_of(app).splitlines() if x.startswith(f" {number} "))
            assert f"UNI-10-{number}" in line.partition("=>>")[0]
            assert f"UNI-11-{number}" in line.partition("=>>")[2]
        words = words_of(app)
        assert "NOT THE VERDICT: both halves, Δ = +1.0000" in words
        assert re.search(r"both halves \* +3 +0 +0 +0 +0", text_of(app))
        assert CLAIM_FENCE_SHORT in words
        assert "%" not in words
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, RunScreen))


@pytest.mark.asyncio
async def test_forty_units_are_reached_by_scrolling_and_a_label_is_plain_text(
    tmp_path: Path,
) -> None:
    text = gate(20, 600, 2).replace('label = "curiosity"', f'label = "{EVIL_LABEL}"')
    folder = new_folder(tmp_path / "runs" / EVIL_RUN)
    folder.registration.write_text(text)
    writer = begin(folder, text)
    for cycle in range(2):
        write_cycle(writer, parsed(text), cycle)
    writer.journal(closed(2, early=False))
    writer.close()
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        assert "T [/][b]x[" in text_of(app)
        assert "Pairs of [b] ·[31m·forty" in text_of(app)
        assert "\x1b" not in text_of(app)
        assert "\u202e" not in text_of(app)
        assert " 1 UNI-10-1 " in text_of(app)
        assert "20 UNI-10-20" not in text_of(app)
        for _ in range(20):
            await pilot.press("j")
        await until(pilot, lambda: "20 UNI-10-20" in text_of(app))
        assert "NOT THE VERDICT" in text_of(app)
        await pilot.press("end")
        await until(pilot, lambda: "limit above 0" in words_of(app))
        await pilot.press("home", "k")
        await until(pilot, lambda: " 1 UNI-10-1 " in text_of(app))
        assert screen._found is not None
        assert len(screen._found.pairs) == 20


@pytest.mark.asyncio
async def test_an_open_run_goes_on_while_it_is_looked_at_and_one_without_rows_says_so(
    tmp_path: Path,
) -> None:
    folder = new_folder(tmp_path / "runs" / "a")
    writer = begin(folder)
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        assert "no cycle was read yet" in words_of(app)
        assert "no pair with both live, no Δ" in words_of(app)
        write_cycle(writer, parsed(), 0)
        await until(pilot, lambda: "as if the window ended with cycle 1 of 66" in words_of(app))
        write_cycle(writer, parsed(), 1)
        await until(pilot, lambda: " >>> " in text_of(app))
        assert "So far, NOT THE VERDICT" in words_of(app)
        await pilot.press("end")
        await until(pilot, lambda: "This decides nothing" in words_of(app))
    writer.close()


@pytest.mark.asyncio
async def test_a_run_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "runs" / "a", "x = [")
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, RunScreen))
        await pilot.press("d")
        await until(pilot, lambda: "is not valid TOML" in words_of(app))


def test_a_contrast_on_primary_as_well_is_shown_for_both(tmp_path: Path) -> None:
    text = gate(3, 600, 2).replace('contrast_on = "plateau_break"', 'contrast_on = "primary"')
    folder = new_folder(tmp_path / "a", text)
    writer = begin(folder, text)
    write_cycle(writer, parsed(text), 0)
    write_cycle(writer, parsed(text), 1)
    writer.close()
    found = so_far(folder)
    assert [target.target for target in found.targets] == ["plateau_break", "primary"]
    heads = [line.partition(",")[0] for line in header_lines(found, "a", 200)][1:]
    assert heads == ["So far"] * 2
    marked = [line.partition("*")[0].strip() for line in table_lines(found, 100) if "*" in line]
    assert marked == ["PRIMARY", "both halves"]


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x36"])
@pytest.mark.parametrize("run", ["builders_vs_hoarders", "p1_inventory"])
@pytest.mark.usefixtures("stopped_clock")
def test_the_pairs_look_as_they_did(
    snap_compare: Callable[..., bool],
    monkeypatch: pytest.MonkeyPatch,
    run: str,
    size: tuple[int, int],
) -> None:
    monkeypatch.chdir(Path(__file__).parent)

    async def before(pilot: Pilot[int]) -> None:
        await opened(pilot)

    runs = Path("runs")
    app = PlateauApp(runs, RunFolder(runs / run), {})
    assert snap_compare(app, terminal_size=size, run_before=before)
