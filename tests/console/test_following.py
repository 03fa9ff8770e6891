"""The console's reading of a log that somebody else writes, cuts, replaces and breaks."""

import os
import random
import re
import signal
from pathlib import Path
from threading import Event

import pytest
from collector.bench import Bench, finish, wait_for
from console.apps import read_all, sample, tell_in_journal

from plateau_tui.collector.run import registration_of
from plateau_tui.console.live.follow import follow
from plateau_tui.console.live.model import RunModel
from plateau_tui.console.live.view import RunView
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.progress import RunProgress
from plateau_tui.runlog.scan import read_rows
from plateau_tui.runlog.state import read_state
from plateau_tui.runlog.tail import FileTail
from plateau_tui.sim.server import DEFAULT_PASSWORD, SimServer

# -- the tail ---------------------------------------------------------------------------------


def test_only_whole_lines_are_given_and_each_once(tmp_path: Path) -> None:
    path = tmp_path / "log"
    tail = FileTail(path)
    assert tail.read().lines == ()
    path.write_bytes(b"one\ntw")
    assert tail.read().lines == (b"one",)
    with path.open("ab") as file:
        file.write(b"o\nthree\n")
    assert tail.read().lines == (b"two", b"three")
    assert tail.read() == tail.read()


@pytest.mark.parametrize("again", [b"x\n", b"other\nlines\nand\nmore\nthan\nbefore\n"])
@pytest.mark.parametrize("how", ["truncated", "replaced", "gone and back"])
def test_a_log_that_is_another_one_is_read_from_its_start(
    tmp_path: Path, how: str, again: bytes
) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"one\ntwo\nthree\n")
    tail = FileTail(path)
    assert len(tail.read().lines) == 3
    if how == "truncated":
        path.write_bytes(again)
    elif how == "replaced":
        (tmp_path / "new").write_bytes(again)
        (tmp_path / "new").replace(path)
    else:
        path.unlink()
        assert tail.read().restarted
        path.write_bytes(again)
    new = tail.read()
    assert new.restarted is (how != "gone and back")
    assert new.lines == tuple(again.splitlines())


def test_a_torn_tail_that_is_cut_off_restarts_nothing(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b'one\n{"torn')
    tail = FileTail(path)
    assert tail.read().lines == (b"one",)
    os.truncate(path, 4)
    assert tail.read().lines == ()
    with path.open("ab") as file:
        file.write(b"two\n")
    new = tail.read()
    assert (new.restarted, new.lines) == (False, (b"two",))


# -- the model --------------------------------------------------------------------------------


def test_the_same_view_is_given_until_something_changes(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    model = RunModel(folder)
    view = read_all(model)
    assert all(model.look()[0] is view for _ in range(3))
    with folder.journal.open("ab") as file:
        file.write(b"not json\n")
    assert model.look()[0] is not view


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("pass", ()),
        ("withheld_4_objective_lost", ("mine_sand gone in cycle 4",)),
    ],
)
def test_what_voids_a_run_is_told_for_good(
    tmp_path: Path, name: str, told: tuple[str, ...]
) -> None:
    folder = sample(tmp_path, name)
    assert read_all(RunModel(folder)).voided == told
    back = ev.Recovered(code="objective_missing", text="mine_sand is known again", cycle=5)
    tell_in_journal(folder, back)
    assert read_all(RunModel(folder)).voided == told


def test_a_tag_of_the_other_arm_and_fallen_counters_are_told_for_good(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    fell = ev.CounterFell(cycle=3, unit="UNI-10-1", objective="mine_dirt", before=9, after=1)
    tagged = ev.Fault(code="probe_arm", text="a tag", cycle=4)
    over = ev.Recovered(code="probe_arm", text="over", cycle=5)
    tell_in_journal(folder, fell, fell, tagged, over)
    view = read_all(RunModel(folder))
    assert (view.fell, view.voided) == (1, ("a probe's tag of the other arm in cycle 5",))


def test_a_tag_without_a_cycle_is_given_none(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    tell_in_journal(folder, ev.Fault(code="probe_arm", text="a tag"))
    assert read_all(RunModel(folder)).voided == ("a probe's tag of the other arm",)


def test_disclosures_are_latched_over_the_window_as_the_status_does(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    rows = folder.rows.read_bytes().splitlines(keepends=True)
    assert {u.name for u in read_all(RunModel(folder)).units if u.table_only} == {
        "UNI-11-1", "UNI-11-2", "UNI-11-3",
    }  # fmt: skip
    last = max(place for place, row in enumerate(rows) if b'"uni":"UNI-11-1"' in row)
    beyond = re.sub(rb'"dirt":\d+', b'"dirt":1', rows[last], count=1)
    fallen = re.sub(rb'"crafting_table":\d+', b'"crafting_table":1', rows[last], count=1)
    folder.rows.write_bytes(b"".join([*rows, beyond, fallen]))
    after = {unit.name: unit.table_only for unit in read_all(RunModel(folder)).units}
    assert after["UNI-11-1"] is False  # one row reached PRIMARY without the table: that stays
    assert after["UNI-11-2"] is True


def test_a_log_read_in_pieces_gives_what_it_gives_at_once(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    rows, journal = folder.rows.read_bytes(), folder.journal.read_bytes()
    whole = read_all(RunModel(folder))
    folder.rows.write_bytes(b"")
    folder.journal.write_bytes(b"")
    model, random_pieces = RunModel(folder), random.Random(7)
    while rows or journal:
        if rows and (not journal or random_pieces.random() < 0.5):
            piece = random_pieces.randint(1, 3000)
            with folder.rows.open("ab") as file:
                file.write(rows[:piece])
            rows = rows[piece:]
        elif journal:
            piece = random_pieces.randint(1, 3000)
            with folder.journal.open("ab") as file:
                file.write(journal[:piece])
            journal = journal[piece:]
        model.look()
    assert read_all(model) == whole


@pytest.mark.parametrize(
    "garbage",
    [
        b"\n", b"\0" * 512 + b"\n", b"{}\n", b"[" * 5000 + b"\n", b"\xff\xfe\n",
        b'{"schema":"plateau_row/1"}\n', b'{"ts":"x","event":"note"}\n',
    ],
)  # fmt: skip
def test_lines_that_are_nothing_are_counted_and_harm_nothing(
    tmp_path: Path, garbage: bytes
) -> None:
    folder = sample(tmp_path)
    before = read_all(RunModel(folder))
    for path in (folder.rows, folder.journal):
        path.write_bytes(path.read_bytes() + garbage)
    after = read_all(RunModel(folder))
    assert after.units == before.units
    assert after.unreadable == 2


def test_a_run_that_is_replaced_is_shown_anew(tmp_path: Path) -> None:
    folder, other = sample(tmp_path), sample(tmp_path, "hoarders_vs_hoarders")
    model = RunModel(folder)
    assert any(unit.plateau_break for unit in read_all(model).units)
    for name in ("registration.toml", "journal.jsonl", "rows.jsonl"):
        (other.path / name).replace(folder.path / name)
    assert not any(unit.plateau_break for unit in read_all(model).units)


def test_a_run_without_a_journal_is_a_draft_and_a_broken_one_says_why(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    folder.journal.unlink()
    folder.rows.unlink()
    model = RunModel(folder)
    assert read_all(model).stage == "draft"
    folder.registration.write_text("nonsense = [")
    assert model.look() == (None, False)
    assert "registration.toml" in model.error


def test_what_goes_wrong_with_reading_is_told_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, stop = sample(tmp_path), Event()
    told: list[tuple[RunView | None, str]] = []
    real, fails = RunModel.look, [OSError(13, "Permission denied"), KeyError("a bug")]

    def look(model: RunModel) -> tuple[RunView | None, bool]:
        if fails:
            raise fails.pop(0)
        return real(model)

    def tell(view: RunView | None, error: str) -> None:
        told.append((view, error))
        if view is not None:
            stop.set()

    monkeypatch.setattr(RunModel, "look", look)
    monkeypatch.setattr("plateau_tui.console.live.follow.LOOK_S", 0.01)
    follow(folder, stop, tell)
    assert [error for _, error in told] == [
        "builders_vs_hoarders cannot be read: Permission denied",
        "builders_vs_hoarders cannot be shown: KeyError: 'a bug'",
        "",
    ]


def test_a_long_log_is_told_as_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, stop = sample(tmp_path), Event()
    told: list[tuple[RunView | None, str]] = []

    def tell(view: RunView | None, error: str) -> None:
        told.append((view, error))
        if view is not None:
            stop.set()

    monkeypatch.setattr("plateau_tui.runlog.tail._PIECE", 20_000)
    follow(folder, stop, tell)
    *before, (view, error) = told
    assert view is not None
    assert error == ""
    assert len(before) > 2
    assert all(part is None and text.startswith("reading ... ") for part, text in before)
    parts = [re.fullmatch(r"reading \.\.\. (\d+) of about (\d+) rows", text) for _, text in before]
    rows, totals = zip(*[map(int, part.groups()) for part in parts if part], strict=True)
    assert len(rows) == len(before)
    assert list(rows) == sorted(rows)
    assert 0 < rows[-1] < view.rows
    # All its rows are about as long: the last estimate is a good one.
    assert abs(totals[-1] - view.rows) <= view.rows // 20


# -- a collector that is killed and started again -----------------------------------------------


def agrees(folder: RunFolder, view: RunView) -> bool:
    """Whether a view says what one pass over the files says."""
    state, _ = read_state(folder.journal)
    progress = RunProgress(registration_of(folder, state), state).take_all(read_rows(folder.rows))
    return (
        view.rows == progress.rows
        and view.cycle == progress.last_cycle
        and view.gaps == progress.gap_cycles
        and all(unit.counts == progress.units[unit.name].counts for unit in view.units)
    )


def test_a_log_of_a_killed_and_restarted_collector_is_followed(
    tmp_path: Path, server: SimServer
) -> None:
    bench = Bench.make(tmp_path, server.port, DEFAULT_PASSWORD, units=3, interval_s=0.3, cycles=40)
    assert bench.cli("register").returncode == 0
    server.set_speed(20.0)
    model = RunModel(bench.folder)
    pids = set()

    def reached(cycle: int) -> None:
        wait_for(lambda: (read_all(model).cycle or 0) >= cycle)

    for seen in (3, 6):
        process = bench.start()
        reached(seen)
        view = read_all(model)
        assert view.collector_pid == process.pid
        pids.add(process.pid)
        finish(process, signal.SIGKILL)
        assert read_all(model).collector_pid is None
        with bench.folder.rows.open("ab") as file:
            file.write(b'{"schema":"plateau_row/1","poll_ts":"2026-')  # killed in mid-row
        assert read_all(model).unreadable == 0
    process = bench.start()
    reached(9)
    finish(process, signal.SIGTERM)
    assert len(pids) == 2
    assert agrees(bench.folder, read_all(model))
    assert agrees(bench.folder, read_all(RunModel(bench.folder)))


def test_a_broken_seal_is_seen_without_a_collector_and_so_is_its_mending(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    model = RunModel(folder)
    assert read_all(model).seal_broken is False
    sealed = folder.registration.read_bytes()
    folder.registration.write_bytes(sealed.replace(b"margin = 0.0", b"margin = 0.1"))
    assert read_all(model).seal_broken is True
    folder.registration.unlink()
    assert read_all(model).seal_broken is True
    folder.registration.write_bytes(sealed)
    assert read_all(model).seal_broken is False
