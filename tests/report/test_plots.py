"""Plots show what was read, a gap as a gap, and are the same bytes for the same rows."""

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metric.texts import EXTENSION, changed, parsed
from msgspec.structs import replace
from report.cases import TEXT
from runlog.runs import a_row, cycle_rows

from plateau_tui.metric.fence import CLAIM_FENCE, CLAIM_FENCE_SHORT
from plateau_tui.metric.registration import Registration
from plateau_tui.report.plots import (
    draw_plots,
    matplotlib_version,
    plot_names,
    plot_titles,
)
from plateau_tui.report.series import CounterSeries, SeriesBook
from plateau_tui.report.svgcheck import Drawing, look_at
from plateau_tui.runlog.state import RunState

SVG = "{http://www.w3.org/2000/svg}"


def filled(registration: Registration, cycles: int, unread: frozenset[int]) -> SeriesBook:
    book = SeriesBook(registration)
    for cycle in range(cycles):
        for row in cycle_rows(registration, RunState(), cycle):
            missing = dict.fromkeys(row.mined) if cycle in unread else row.mined
            book.take(replace(row, mined=missing))
    return book


def drawn(book: SeriesBook, folder: Path) -> dict[str, bytes]:
    folder.mkdir()
    draw_plots(book, folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def parse(svg: bytes) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314 - our own drawing


def words_of(svg: bytes) -> list[str]:
    return ["".join(node.itertext()) for node in parse(svg).iter(f"{SVG}text")]


def lines_of(svg: bytes, objective: str) -> dict[str, str]:
    """Unit -> the path of an objective's line."""
    found = {}
    for group in parse(svg).iter(f"{SVG}g"):
        name, of, unit = (group.get("id") or "").partition(" of ")
        if of and name == objective:
            path = group.find(f"{SVG}path")
            assert path is not None
            found[unit] = path.get("d") or ""
    return found


def test_each_arm_has_a_plot_of_each_kind_with_the_fence_in_it(tmp_path: Path) -> None:
    book = filled(parsed(TEXT + EXTENSION), 4, frozenset())
    files = drawn(book, tmp_path / "plots")
    assert tuple(sorted(files)) == tuple(sorted(plot_names(book)))
    kinds = ("placed", "mined", "crafted", "extra")
    assert set(files) == {f"{arm}-{kind}.svg" for arm in ("treatment", "control") for kind in kinds}
    for name, svg in files.items():
        assert CLAIM_FENCE in svg.decode("utf-8"), name
        words = words_of(svg)
        assert CLAIM_FENCE_SHORT in words
        assert plot_titles(book)[name] in words
        assert not any("%" in word for word in words)
    assert "UNI-10-2" in words_of(files["treatment-mined.svg"])
    assert "mine_stone (stone)" in words_of(files["treatment-mined.svg"])


def test_a_gap_breaks_the_line_and_is_never_zero(tmp_path: Path) -> None:
    registration = parsed(changed("cycles = 66", "cycles = 10"))
    whole = drawn(filled(registration, 10, frozenset()), tmp_path / "whole")
    gaps = drawn(filled(registration, 10, frozenset({4, 5})), tmp_path / "gaps")
    zero = y_of(lines_of(whole["treatment-mined.svg"], "mine_stone")["UNI-10-1"])
    for line in lines_of(gaps["treatment-mined.svg"], "mine_stone").values():
        assert line.count("M") == 2
        assert y_of(line) == zero
        assert y_of("M" + line.split("M")[2]) < zero - 1  # it goes on where it was, far from 0
    assert gaps["treatment-mined.svg"].count(b"#dddddd") > whole["treatment-mined.svg"].count(
        b"#dddddd"
    )
    assert gaps["treatment-placed.svg"] == whole["treatment-placed.svg"]


def y_of(path: str) -> float:
    return float(path.split()[2])


def test_what_was_never_read_says_so(tmp_path: Path) -> None:
    files = drawn(filled(parsed(TEXT), 4, frozenset(range(4))), tmp_path / "plots")
    assert words_of(files["control-mined.svg"]).count("never read") == 10
    assert "never read" not in words_of(files["control-placed.svg"])


def test_a_label_that_looks_like_mathematics_or_markup_is_only_text(tmp_path: Path) -> None:
    text = TEXT.replace('label = "curiosity"', "label = '$x^{2$ <b>&amp;</b> \"q\"'")
    files = drawn(filled(parsed(text), 2, frozenset()), tmp_path / "plots")
    title = 'treatment ($x^{2$ <b>&amp;</b> "q"): blocks placed (minecraft.used)'
    assert title in words_of(files["treatment-placed.svg"])


@pytest.mark.parametrize(
    "label", ["\u597d\u5947\u5fc3", "\u091c\u093f\u091c\u094d\u091e\u093e\u0938\u093e"]
)
def test_a_label_in_a_script_that_no_font_here_has_is_drawn_without_a_word(
    tmp_path: Path, label: str
) -> None:
    text = TEXT.replace('label = "curiosity"', f'label = "{label}"')
    # A warning here is an error, as everywhere in the tests.
    files = drawn(filled(parsed(text), 2, frozenset()), tmp_path / "plots")
    title = f"treatment ({label}): blocks placed (minecraft.used)"
    assert title in words_of(files["treatment-placed.svg"])


def test_a_long_window_stays_small_and_says_that_it_is_thinned(tmp_path: Path) -> None:
    registration = parsed(changed("cycles = 66", "cycles = 26244"))
    book = SeriesBook(registration)
    unit = registration.units[0]
    for cycle in range(26_244):
        book.take(a_row(registration, RunState(), unit, cycle, {"dirt": cycle}, {"stone": 7}))
    files = drawn(book, tmp_path / "plots")
    assert sum(map(len, files.values())) < 1_000_000
    thinned = [word for word in words_of(files["treatment-placed.svg"]) if "Thinned" in word]
    assert thinned == [f"Thinned: one value for up to 128 cycles. {CLAIM_FENCE_SHORT}"]
    assert not any("Thinned" in word for word in words_of(files["treatment-mined.svg"]))
    assert book.highest("place_dirt") == 26_243


def test_many_units_are_drawn_and_not_named_one_by_one(tmp_path: Path) -> None:
    treatment = ", ".join(f'"T{n}"' for n in range(40))
    control = ", ".join(f'"C{n}"' for n in range(40))
    text = TEXT.replace('"UNI-10-1", "UNI-10-2", "UNI-10-3"', treatment).replace(
        '"UNI-11-1", "UNI-11-2", "UNI-11-3"', control
    )
    files = drawn(filled(parsed(text), 3, frozenset()), tmp_path / "plots")
    assert "40 units, one line each" in words_of(files["treatment-placed.svg"])
    assert len(lines_of(files["treatment-placed.svg"], "place_dirt")) == 40


@given(st.lists(st.one_of(st.none(), st.integers(0, 3)), min_size=1, max_size=40))
def test_a_series_is_exactly_what_was_read(counts: list[int | None]) -> None:
    series = CounterSeries(limit=1000)
    for cycle, count in enumerate(counts):
        series.take(cycle, count)
    read = [n for a, b, n in series.stretches() for _ in range(a, b)]
    assert read == counts


@given(st.lists(st.one_of(st.none(), st.integers(0, 99)), min_size=1, max_size=200))
def test_a_thinned_series_is_bounded_and_shows_only_what_was_read(counts: list[int | None]) -> None:
    series = CounterSeries(limit=8)
    for cycle, count in enumerate(counts):
        series.take(cycle, count)
        assert len(series.steps) <= 8
    assert series.end == len(counts)
    assert series.stride <= 64  # 200 cycles, 4 steps left at the least
    assert all(counts[start] == count for start, count in series.steps)
    assert series.stretches()[-1][1:] == (len(counts), series.steps[-1][1])


def test_cycles_without_a_row_are_gaps() -> None:
    series = CounterSeries(limit=100)
    series.take(2, 5)
    series.take(4, 5)
    series.take(3, 9)  # a log that somebody edited
    assert series.stretches() == [(0, 2, None), (2, 3, 5), (3, 4, None), (4, 5, 5)]


CODE = """
import sys
from pathlib import Path
from metric.texts import parsed
from report.cases import TEXT
from report.test_plots import filled
from plateau_tui.report.plots import draw_plots
draw_plots(filled(parsed(TEXT), 4, frozenset({2})), Path(sys.argv[1]))
"""


@pytest.mark.parametrize(
    "more",
    [
        {"PYTHONHASHSEED": "7", "TZ": "Pacific/Apia", "LC_ALL": "C", "MATPLOTLIBRC": "rc"},
        {"HOME": "/nonexistent", "XDG_CONFIG_HOME": "/proc", "MPLBACKEND": "no", "DISPLAY": ":77"},
    ],
    ids=["other hash, zone, locale, settings", "no home, no display"],
)
def test_the_same_rows_give_the_same_bytes_anywhere(tmp_path: Path, more: dict[str, str]) -> None:
    here = drawn(filled(parsed(TEXT), 4, frozenset({2})), tmp_path / "here")
    (tmp_path / "rc").write_text("lines.linewidth: 9\nsvg.fonttype: path\n", encoding="utf-8")
    (tmp_path / "there").mkdir()
    tests = str(Path(__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(tmp_path / "there")],
        env=os.environ | {"PYTHONPATH": tests} | more,
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert {path.name: path.read_bytes() for path in (tmp_path / "there").iterdir()} == here


def test_a_plot_says_what_drew_it_and_no_label_can_say_so(tmp_path: Path) -> None:
    text = TEXT.replace('label = "curiosity"', 'label = "Matplotlib v0.1, and more"')
    files = drawn(filled(parsed(text), 1, frozenset()), tmp_path / "p")
    assert {look_at(svg) for svg in files.values()} == {
        Drawing(None, matplotlib_version(), CLAIM_FENCE)
    }
