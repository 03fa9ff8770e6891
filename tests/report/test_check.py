"""``verify`` of an export names whatever was changed in it."""

import hashlib
import os
import re
import shutil
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report.cases import ANSWERS, closed_run, files_of
from runlog.runs import lines_of, relink

from plateau_tui.report.check import ExportChangedError, check_export
from plateau_tui.report.export import export_run
from plateau_tui.report.gather import Judged, judge
from plateau_tui.report.names import SEALED_TEXT
from plateau_tui.report.plots import matplotlib_version
from plateau_tui.report.sums import check_sums, sums_text
from plateau_tui.runlog.layout import RunFolder


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = closed_run(tmp_path_factory.mktemp("check") / "run")
    (run.path / "attestation.toml").write_bytes(ANSWERS)
    return export_run(run).path


@pytest.fixture
def export(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "export"))


def codes(path: Path) -> set[tuple[str, str]]:
    return {(p.code, p.file) for p in check_export(RunFolder(path)).result.problems}


def sum_anew(path: Path) -> None:
    """Write the checksums anew, as somebody who hides an edit would."""
    (path / "SHA256SUMS").write_text(sums_text(path), encoding="utf-8")


def edit(path: Path, old: bytes, new: bytes) -> None:
    data = path.read_bytes()
    assert data.count(old) >= 1, old
    path.write_bytes(data.replace(old, new))


def test_a_whole_export_holds(export: Path) -> None:
    checked = check_export(RunFolder(export))
    assert checked.result.problems == []
    assert [line.partition(":")[0] for line in checked.said] == [
        "verdict.json", "verdict.md", "plots",
    ]  # fmt: skip


NAMES = (
    "rows.jsonl", "journal.jsonl", "registration.toml", "attestation.toml", "verdict.json",
    "verdict.md", "plots/treatment-mined.svg", "SHA256SUMS",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=12, deadline=None)
@given(where=st.integers(0, 10**9), flip=st.integers(1, 255))
def test_no_changed_byte_stays_unseen(whole: Path, name: str, where: int, flip: int) -> None:
    path = whole / name
    data = path.read_bytes()
    at = where % len(data)
    path.write_bytes(data[:at] + bytes([data[at] ^ flip]) + data[at + 1 :])
    try:
        found = codes(whole)
        assert found
        if name != "SHA256SUMS":
            assert ("checksum_differs", name) in found
    finally:
        path.write_bytes(data)


@pytest.mark.parametrize("name", NAMES)
def test_a_truncated_file_is_named(export: Path, name: str) -> None:
    data = (export / name).read_bytes()
    (export / name).write_bytes(data[: len(data) // 2])
    found = codes(export)
    wanted = "unreadable_line" if name == "SHA256SUMS" else "checksum_differs"
    assert (wanted, name) in found or (name == "SHA256SUMS" and found)


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_file_is_named(export: Path, name: str) -> None:
    (export / name).unlink()
    assert ("file_missing", name) in codes(export)


@pytest.mark.parametrize(
    ("name", "old", "new", "wanted"),
    [
        ("verdict.json", b'"final": true', b'"final": false', ("record_differs", "verdict.json")),
        ("verdict.json", b'"lower": -0.41', b'"lower": 0.41', ("record_differs", "verdict.json")),
        (
            "verdict.json",
            b"never experience",
            b"ever experience",
            ("record_differs", "verdict.json"),
        ),
        ("verdict.md", b"# PARTIAL", b"# PASS", ("page_differs", "verdict.md")),
        ("verdict.md", b"contrast FAIL", b"contrast PASS", ("page_differs", "verdict.md")),
        ("attestation.toml", b'case = "a"', b'case = "b"', ("record_differs", "verdict.json")),
        (
            "registration.toml",
            b"margin = 0.0",
            b"margin = 0.1",
            ("seal_broken", "registration.toml"),
        ),
        ("rows.jsonl", b'"stone":3', b'"stone":4', ("chain_broken", "rows.jsonl")),
        ("journal.jsonl", b'"by":"op"', b'"by":"me"', ("chain_broken", "journal.jsonl")),
    ],
)
def test_an_edit_with_checksums_made_anew_is_named(
    export: Path, name: str, old: bytes, new: bytes, wanted: tuple[str, str]
) -> None:
    edit(export / name, old, new)
    sum_anew(export)
    found = codes(export)
    assert wanted in found
    assert not [code for code, _ in found if code == "checksum_differs"]


def test_a_plot_that_shows_something_else_is_named(export: Path) -> None:
    svg = export / "plots" / "control-placed.svg"
    edit(svg, b"place_dirt (dirt)", b"place_dirt (gold)")
    sum_anew(export)
    assert codes(export) == {("plot_differs", "plots/control-placed.svg")}


def test_rows_that_were_chained_anew_do_not_fit_the_journal(export: Path) -> None:
    run = RunFolder(export)
    lines = [line.replace(b'"stone":3', b'"stone":4') for line in lines_of(run.rows)]
    genesis = hashlib.sha256(run.registration.read_bytes()).hexdigest()
    run.rows.write_bytes(relink(lines, genesis))
    sum_anew(export)
    assert ("cross_check", "journal.jsonl") in codes(export)


def test_rows_cut_off_are_named(export: Path) -> None:
    run = RunFolder(export)
    run.rows.write_bytes(b"".join(lines_of(run.rows)[:-6]))
    sum_anew(export)
    assert ("rows_cut", "journal.jsonl") in codes(export)


def test_what_does_not_belong_there_is_named(export: Path) -> None:
    (export / "more.txt").write_text("x", encoding="utf-8")
    assert codes(export) == {("file_unlisted", "more.txt"), ("file_unexpected", "more.txt")}
    (export / "more.txt").rename(export / "plots" / "treatment-all.svg")
    sum_anew(export)
    assert codes(export) == {("file_unexpected", "plots/treatment-all.svg")}


def test_checksums_cannot_lead_out_of_the_folder(export: Path) -> None:
    sums = export / "SHA256SUMS"
    line = f"{'0' * 64}  ../outside\n{'0' * 64}  /etc/hosts\n"
    sums.write_text(sums.read_text(encoding="utf-8") + line, encoding="utf-8")
    found = [text for code, _, text in check_sums(export, ()) if code == "unreadable_line"]
    assert len(found) == 2


@pytest.mark.parametrize("name", ["rows.jsonl", "verdict.md", "plots/control-mined.svg"])
def test_a_link_or_a_device_is_named_and_never_read(export: Path, name: str) -> None:
    (export / name).unlink()
    (export / name).symlink_to("/dev/zero")
    assert codes(export) == {("foreign_file", name)}
    assert any("is a link" in text for _, _, text in check_sums(export, ()))
    (export / name).unlink()
    os.mkfifo(export / name)
    assert codes(export) == {("foreign_file", name)}


def test_the_page_of_another_version_is_never_passed_unread(export: Path) -> None:
    tool = msgspec.json.decode((export / "verdict.json").read_bytes())["tool"]
    edit(export / "verdict.json", tool.encode(), b"plateau-tui 0.0.1")
    page = (export / "verdict.md").read_text(encoding="utf-8")
    before, disclosures, after = page.partition("## Disclosures")
    bare = before + disclosures + "\n\nNone.\n\n" + after[after.index("## The adjudicator") :]
    for text in (page, bare):
        (export / "verdict.md").write_text(text, encoding="utf-8")
        sum_anew(export)
        checked = check_export(RunFolder(export))
        (problem,) = checked.result.problems
        assert (problem.code, problem.file) == ("page_not_compared", "verdict.md")
        assert "written by plateau-tui 0.0.1, this is plateau-tui" in problem.text
        assert "verify with plateau-tui 0.0.1" in problem.text
        assert "verdict.json: derived again from the log, the same" in checked.said
        assert not any(line.startswith("verdict.md") for line in checked.said)
    for old, new in (("# PARTIAL", "# PASS"), ("never experience", "an experience")):
        (export / "verdict.md").write_text(page.replace(old, new, 1), encoding="utf-8")
        sum_anew(export)
        assert ("page_differs", "verdict.md") in codes(export)
    (export / "verdict.md").write_text(page, encoding="utf-8")
    edit(export / "verdict.json", b'"final": true', b'"final": false')
    sum_anew(export)
    assert ("record_differs", "verdict.json") in codes(export)


@pytest.mark.parametrize("tool", [b"null", b"7", b'["plateau-tui"]', b'""'])
def test_a_record_that_names_no_program_is_named(export: Path, tool: bytes) -> None:
    record = (export / "verdict.json").read_bytes()
    (export / "verdict.json").write_bytes(re.sub(rb'"tool": "[^"]*"', b'"tool": ' + tool, record))
    sum_anew(export)
    assert ("page_not_compared", "verdict.md") in codes(export)


def test_plots_of_another_matplotlib_are_told_as_not_compared(export: Path) -> None:
    mark = f"Matplotlib v{matplotlib_version()},".encode()
    for svg in (export / "plots").iterdir():
        edit(svg, mark, b"Matplotlib v3.1.4,")
    edit(export / "plots" / "control-placed.svg", b"blocks placed (", b"blocks moved (")
    sum_anew(export)
    checked = check_export(RunFolder(export))
    assert checked.result.problems == []
    (told,) = checked.unchecked
    assert told.startswith("the plots were drawn by matplotlib 3.1.4 (here is ")
    assert told.endswith(") and are not compared")
    assert not any(line.startswith("plots") for line in checked.said)


def test_a_plot_of_another_matplotlib_has_the_fence_all_the_same(export: Path) -> None:
    mark = f"Matplotlib v{matplotlib_version()},".encode()
    for svg in (export / "plots").iterdir():
        edit(svg, mark, b"Matplotlib v3.1.4,")
    edit(export / "plots" / "control-mined.svg", b"never experience", b"an experience")
    sum_anew(export)
    assert codes(export) == {("fence_differs", "plots/control-mined.svg")}


def test_plots_that_nothing_or_several_versions_drew_are_named(export: Path) -> None:
    mark = f"Matplotlib v{matplotlib_version()},".encode()
    edit(export / "plots" / "control-mined.svg", mark, b"Matplotlib v3.1.4,")
    sum_anew(export)
    assert codes(export) == {("plots_mixed", "plots")}
    for svg in (export / "plots").iterdir():
        svg.write_bytes(re.sub(rb"Matplotlib v[^<]*", b"by hand", svg.read_bytes()))
    sum_anew(export)
    assert codes(export) == {
        ("plot_unmarked", f"plots/{path.name}") for path in (export / "plots").iterdir()
    }


@pytest.mark.parametrize("version", [matplotlib_version(), "3.1.4"])
def test_a_plot_with_a_script_is_named_whoever_drew_it(export: Path, version: str) -> None:
    mark = f"Matplotlib v{matplotlib_version()},".encode()
    for svg in (export / "plots").iterdir():
        svg.write_bytes(svg.read_bytes().replace(mark, f"Matplotlib v{version},".encode()))
    edit(export / "plots" / "control-mined.svg", b"</svg>", b"<script>alert(1)</script></svg>")
    sum_anew(export)
    assert codes(export) == {("plot_foreign", "plots/control-mined.svg")}


@pytest.mark.parametrize("anew", [True, False], ids=["sums made anew", "sums as they were"])
def test_a_missing_folder_of_plots_is_one_line(export: Path, anew: bool) -> None:
    shutil.rmtree(export / "plots")
    if anew:
        sum_anew(export)
    (problem,) = check_export(RunFolder(export)).result.problems
    assert (problem.code, problem.file) == ("file_missing", "plots")


def test_one_missing_plot_is_one_line(export: Path) -> None:
    (export / "plots" / "control-placed.svg").unlink()
    (problem,) = check_export(RunFolder(export)).result.problems
    assert (problem.code, problem.file) == ("file_missing", "plots/control-placed.svg")


def test_empty_checksums_are_one_line(export: Path) -> None:
    (export / "SHA256SUMS").write_bytes(b"")
    (problem,) = check_export(RunFolder(export)).result.problems
    assert (problem.code, problem.file) == ("unreadable_line", "SHA256SUMS")


@pytest.mark.parametrize("digit", [0, 11, 12, 40, 63])
def test_two_checksums_are_told_far_enough_to_differ(export: Path, digit: int) -> None:
    sums = export / "SHA256SUMS"
    text = sums.read_text(encoding="utf-8")
    at = text.index("  verdict.md") - 64 + digit
    other = "0" if text[at] != "0" else "1"
    sums.write_text(text[:at] + other + text[at + 1 :], encoding="utf-8")
    ((_, _, told),) = check_sums(export, ())
    found, listed = re.findall(r"[0-9a-f]{12,}", told)
    assert found != listed
    assert len(found) == len(listed) == max(12, digit + 1)
    assert found[:digit] == listed[:digit]


def test_an_export_that_is_written_anew_meanwhile_is_told_as_such(
    export: Path, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def swapped(folder: RunFolder) -> Judged:
        export.rename(export.with_name("old"))
        shutil.copytree(whole, export)
        return judge(folder)

    def gone(folder: RunFolder) -> Judged:
        shutil.rmtree(export)
        return judge(folder)

    for meanwhile in (swapped, gone):
        monkeypatch.setattr("plateau_tui.report.check.judge", meanwhile)
        with pytest.raises(ExportChangedError, match="was changed while it was being checked"):
            check_export(RunFolder(export))


def test_a_machine_without_room_to_draw_still_compares_the_rest(
    export: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("plateau_tui.report.plotcheck.draw_plots", full)
    checked = check_export(RunFolder(export))
    assert checked.result.problems == []
    assert checked.unchecked == (
        "the plots are not compared, there is no room to draw them: No space left on device",
    )


def test_a_key_that_stands_twice_is_named(export: Path) -> None:
    edit(export / "verdict.json", b'{\n  "verdict"', b'{\n  "verdict": "PASS",\n  "verdict"')
    sum_anew(export)
    assert codes(export) == {("record_differs", "verdict.json")}


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b'"x"', b"[" * 100_000, b"\xff", b"null"])
def test_a_record_that_is_none_is_named(export: Path, data: bytes) -> None:
    (export / "verdict.json").write_bytes(data)
    sum_anew(export)
    assert ("record_differs", "verdict.json") in codes(export)


def test_a_changed_gate_is_exported_with_what_was_sealed(tmp_path: Path) -> None:
    run = closed_run(tmp_path / "run")
    sealed = run.registration.read_bytes()
    run.registration.write_bytes(sealed.replace(b"k_primary = 2", b"k_primary = 1"))
    export = export_run(run).path
    assert (export / "registration.toml").read_bytes() == run.registration.read_bytes()
    assert (export / SEALED_TEXT).read_bytes() == sealed
    checked = check_export(RunFolder(export))
    assert {(p.code, p.file) for p in checked.result.problems} == {
        ("seal_broken", "registration.toml")
    }  # the log does not hold, and the record says so: it is the same
    assert "verdict.json: derived again from the log, the same" in checked.said
    edit(export / SEALED_TEXT, b"margin = 0.0", b"margin = 0.5")
    sum_anew(export)
    assert ("sealed_text_differs", SEALED_TEXT) in codes(export)


def test_no_verdict_can_be_derived_without_any_gate(export: Path) -> None:
    lines = lines_of(export / "journal.jsonl")
    (export / "journal.jsonl").write_bytes(b"".join(li for li in lines if b'"sealed"' not in li))
    (export / "registration.toml").unlink()
    assert ("record_differs", "verdict.json") in codes(export)
    assert "verdict.md" in files_of(export)
