"""A folder is put whole or not at all, whatever happens on the way."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from report.cases import files_of

from plateau_tui.report.place import PlaceError, PlaceTakenError, put_folder
from plateau_tui.runlog.locks import RunLock

DIES = Path(__file__).parent / "dies.py"


def build(path: Path) -> None:
    (path / "plots").mkdir()
    (path / "a").write_bytes(b"a")
    (path / "plots" / "b").write_bytes(b"b")


def never(_: Path) -> bool:
    return False


def always(_: Path) -> bool:
    return True


@pytest.mark.parametrize("how", ["fresh", "again"])
def test_a_death_at_any_moment_leaves_a_whole_folder(tmp_path: Path, how: str) -> None:
    done = subprocess.run(
        [sys.executable, str(DIES), str(tmp_path), how], capture_output=True, text=True, check=True
    )
    died, *problems = done.stdout.splitlines()
    assert problems == []
    assert int(died) >= (10 if how == "fresh" else 14)


def test_everything_has_the_folders_permissions(tmp_path: Path) -> None:
    put_folder(tmp_path / "x", 0o750, build, never)
    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in (tmp_path / "x").rglob("*")}
    assert modes == {"a": 0o640, "plots": 0o750, "b": 0o640}
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o750


def test_what_stands_there_is_kept_unless_it_may_be_replaced(tmp_path: Path) -> None:
    target = tmp_path / "x"
    target.mkdir()
    with pytest.raises(PlaceTakenError, match="no earlier export"):
        put_folder(target, 0o700, build, never)
    assert list(tmp_path.iterdir()) == [target]
    put_folder(target, 0o700, build, always)
    assert set(files_of(target)) == {"a", "plots/b"}
    assert list(tmp_path.iterdir()) == [target]


def test_a_link_is_never_followed_nor_replaced(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "x").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PlaceTakenError):
        put_folder(tmp_path / "x", 0o700, build, always)
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("at", ["build", "settle", "swap"])
def test_an_error_leaves_the_earlier_folder_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    target = tmp_path / "x"
    put_folder(target, 0o700, build, never)
    before = files_of(target)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    def failing_build(path: Path) -> None:
        build(path)
        full()

    if at == "settle":
        monkeypatch.setattr(os, "fsync", full)
    renamed = []
    rename = Path.rename

    def second_fails(path: Path, to: Path) -> Path:
        renamed.append(path)
        if len(renamed) == 2:
            full()
        return rename(path, to)

    if at == "swap":
        monkeypatch.setattr(Path, "rename", second_fails)
    with pytest.raises(PlaceError, match="No space left on device"):
        put_folder(target, 0o700, failing_build if at == "build" else build, always)
    assert files_of(target) == before
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_that_is_not_there_or_not_ours_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(PlaceError, match="cannot be written: No such file or directory"):
        put_folder(tmp_path / "no" / "x", 0o700, build, never)


def test_two_at_once_do_not_mix(tmp_path: Path) -> None:
    def while_building(path: Path) -> None:
        build(path)
        with pytest.raises(PlaceError, match="another export is being written"):
            put_folder(tmp_path / "x", 0o700, build, always)

    put_folder(tmp_path / "x", 0o700, while_building, always)
    assert set(files_of(tmp_path)) == {"x/a", "x/plots/b"}


def test_a_run_s_export_and_its_collector_do_not_wait_for_each_other(tmp_path: Path) -> None:
    held = RunLock(tmp_path / "collector.lock", wait_s=0)

    def collector_comes_and_goes(path: Path) -> None:
        build(path)
        held.acquire()

    put_folder(tmp_path / "export", 0o700, collector_comes_and_goes, always)
    put_folder(tmp_path / "export", 0o700, build, always)
    held.release()
    assert {path.name for path in tmp_path.iterdir()} == {"export", "collector.lock"}


def test_a_dead_export_s_lock_keeps_nobody_out_and_goes_with_the_next(tmp_path: Path) -> None:
    (tmp_path / ".x.lock").write_text("1\n", encoding="ascii")
    put_folder(tmp_path / "x", 0o700, build, never)
    assert list(tmp_path.iterdir()) == [tmp_path / "x"]
