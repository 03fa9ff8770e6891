"""Verdict, export and its check, as an operator and a sceptic type them."""

import json
import shutil
import stat
import subprocess
import sys

import pytest
from cli.shell import Shell
from report.cases import ANSWERS, TEXT, closed_run, files_of, notes
from runlog.runs import lines_of, names_of, new_folder, relink

from plateau_tui.metric.fence import CLAIM_FENCE, CLAIM_FENCE_SHORT
from plateau_tui.metric.registration import seal_hash
from plateau_tui.report.names import is_export
from plateau_tui.resources import shipped
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.locks import FileLock

KEYS = [
    "verdict", "held", "not_held", "reasons", "codes", "falsified", "classification", "counts",
    "contrast", "disclosures", "later_gates_open", "claim_fence", "registration_sha256",
    "rows_head", "journal_head", "final",
]  # fmt: skip
CONTRAST = [
    "delta", "lower", "upper", "method", "confidence", "pairs", "both", "treatment_only",
    "control_only", "neither", "delta_arms",
]  # fmt: skip


@pytest.fixture
def run(shell: Shell) -> RunFolder:
    return closed_run(shell.runs / "r")


def answers(shell: Shell, text: bytes = ANSWERS) -> str:
    path = shell.home / "answers.toml"
    path.write_bytes(text)
    return str(path)


def test_the_record_has_the_keys_that_others_rely_on(shell: Shell, run: RunFolder) -> None:
    found = shell.json("verdict", "r")
    assert list(found)[: len(KEYS)] == KEYS
    assert list(found["contrast"])[: len(CONTRAST)] == CONTRAST
    assert found["verdict"] == "PARTIAL"
    assert (found["classification"], found["final"]) == ("unclassified", False)
    assert found["counts"]["treatment"] == {
        "units": 3, "live": 3, "primary": 3, "secondary": 3, "both": 3,
    }  # fmt: skip
    assert found["claim_fence"] == CLAIM_FENCE
    assert found["registration_sha256"] == seal_hash(TEXT.encode())
    assert found["later_gates_open"] == ["Phase 4: satiety"]
    verified = shell.json("verify", "r")
    assert found["rows_head"] == verified["rows_head"]
    assert found["journal_head"] == verified["journal_head"]
    assert names_of(run)[-1] == "window_closed"  # looking writes nothing


def test_the_page_for_a_terminal_fits_it_and_asks_what_the_rules_ask(
    shell: Shell, run: RunFolder
) -> None:
    done = shell.run("verdict", "r")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == CLAIM_FENCE_SHORT
    assert "PARTIAL (not final)" in lines
    assert max(map(len, lines)) <= 80
    assert "%" not in done.stdout
    assert "OPEN, a later gate (SR-3): Phase 4: satiety" in done.stdout
    assert "Open: SR-4 and SR-2." in done.stdout
    assert "  plateau-tui verdict r --attest FILE" in lines
    at = lines.index('adjudicator = ""   # initials or name')
    text = "\n".join(lines[at:]) + "\n"
    given = text.replace('""   # initials', '"K"   # initials').replace("# single", "single")
    assert shell.json("verdict", "r", "--attest", answers(shell, given.encode()))["verdict"]


def test_answers_are_kept_in_the_run_and_its_journal(shell: Shell, run: RunFolder) -> None:
    found = shell.json("verdict", "r", "--attest", answers(shell))
    assert (found["verdict"], found["final"]) == ("PARTIAL", True)
    assert found["classification"]["case"] == "a"
    assert (run.path / "attestation.toml").read_bytes() == ANSWERS
    assert stat.S_IMODE((run.path / "attestation.toml").stat().st_mode) == 0o600
    last = json.loads(lines_of(run.journal)[-1])
    assert (last["event"], last["by"], last["verdict"]) == ("adjudicated", "tester", "PARTIAL")
    assert (last["sha256"], last["text"]) == (seal_hash(ANSWERS), ANSWERS.decode())
    assert found["journal_head"] == last["chain"]
    assert shell.json("status", "r")["state"] == "adjudicated"
    assert shell.json("verify", "r")["intact"] is True
    assert shell.json("verdict", "r") == found
    assert shell.json("verdict", "r", "--attest", answers(shell)) == found  # written once
    assert names_of(run).count("adjudicated") == 1


def test_an_adjudicator_may_correct_and_the_journal_keeps_each(
    shell: Shell, run: RunFolder
) -> None:
    shell.json("verdict", "r", "--attest", answers(shell))
    spun = ANSWERS.replace(b"other_differences = []", b'other_differences = ["the host"]')
    found = shell.json("verdict", "r", "--attest", answers(shell, spun))
    assert (found["verdict"], found["final"]) == ("WITHHELD", True)
    back = shell.json("verdict", "r", "--attest", answers(shell))
    assert [a["verdict"] for a in back["adjudications"]] == ["PARTIAL", "WITHHELD", "PARTIAL"]
    assert back["verdict"] == "PARTIAL"
    assert shell.run("export", "r").stdout.startswith("PARTIAL; exported")
    page = (run.path / "export" / "verdict.md").read_text(encoding="utf-8")
    assert "tester: WITHHELD, attestation" in page


def test_a_result_that_is_not_final_leaves_the_run_closed(shell: Shell, run: RunFolder) -> None:
    half = b'adjudicator = "K"\n[attribution]\nsingle_variable = true\n'
    assert shell.json("verdict", "r", "--attest", answers(shell, half))["final"] is False
    assert shell.json("status", "r")["state"] == "closed"
    assert "Open: SR-2." in shell.run("verdict", "r").stdout


def test_answers_before_the_close_are_judged_and_not_kept(shell: Shell) -> None:
    folder = closed_run(shell.runs / "r")
    folder.journal.write_bytes(b"".join(lines_of(folder.journal)[:-1]))
    done = shell.run("verdict", "r", "--attest", answers(shell), "--json")
    assert (done.returncode, json.loads(done.stdout)["verdict"]) == (0, "WITHHELD")
    assert "not closed: the answers were not kept" in done.stderr
    assert "adjudicated" not in names_of(folder)
    assert not (folder.path / "attestation.toml").exists()


def test_keeping_answers_never_mends_what_voids_a_run(shell: Shell, run: RunFolder) -> None:
    with run.journal.open("ab") as file:
        file.write(b'{"torn')
    before = files_of(run.path)
    done = shell.run("verdict", "r", "--attest", answers(shell), "--json")
    assert json.loads(done.stdout)["verdict"] == "WITHHELD"
    assert "were not kept" in done.stderr
    assert {k: v for k, v in files_of(run.path).items() if k != "collector.lock"} == {
        k: v for k, v in before.items() if k != "collector.lock"
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [(b"verdict = 'PASS'\n", "unknown key"), (b"= 1\n", "not valid TOML")],
)
def test_an_attestation_that_cannot_be_used_is_one_line(
    shell: Shell, run: RunFolder, text: bytes, told: str
) -> None:
    assert told in shell.refused("verdict", "r", "--attest", answers(shell, text), code=2)
    assert "cannot be read" in shell.refused("verdict", "r", "--attest", "nowhere", code=2)
    assert names_of(run)[-1] == "window_closed"


def test_an_attestation_is_called_by_the_name_it_was_given(shell: Shell, run: RunFolder) -> None:
    line = shell.refused("verdict", "r", "--attest", answers(shell, b"= 1\n"), code=2)
    assert str(shell.home / "answers.toml") in line
    assert "attestation.toml" not in line


def test_the_questions_are_written_where_no_file_is_yet(shell: Shell, run: RunFolder) -> None:
    before = files_of(run.path)
    done = shell.run("verdict", "r", "--questions", "mine.toml")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "  plateau-tui verdict r --attest mine.toml"
    file = shell.home / "mine.toml"
    assert file.stat().st_mode & 0o777 == 0o600
    shown = shell.run("verdict", "r").stdout
    assert shown.endswith(file.read_text(encoding="utf-8"))
    # It is a file of answers but for these.
    told = shell.refused("verdict", "r", "--attest", "mine.toml", code=2)
    assert "mine.toml: adjudicator: must not be empty" in told
    file.write_text("mine", encoding="utf-8")
    line = shell.refused("verdict", "r", "--questions", "mine.toml", code=2)
    assert "mine.toml is there already" in line
    assert file.read_text(encoding="utf-8") == "mine"
    kept = shell.refused("verdict", "r", "--questions", str(run.path / "attestation.toml"), code=2)
    assert "name another file" in kept or "there already" in kept
    assert shell.json("verdict", "r", "--attest", answers(shell))["final"] is True
    assert "no question is open" in shell.refused("verdict", "r", "--questions", "n.toml", code=1)
    assert not (shell.home / "n.toml").exists()
    assert before["rows.jsonl"] == files_of(run.path)["rows.jsonl"]


def test_a_run_that_somebody_holds_is_not_adjudicated(shell: Shell, run: RunFolder) -> None:
    with FileLock(run.lock):
        assert "holds the run" in shell.refused("verdict", "r", "--attest", answers(shell), code=4)
        assert shell.json("verdict", "r")["verdict"] == "PARTIAL"  # looking needs no lock


def test_a_draft_says_that_nothing_was_sealed(shell: Shell) -> None:
    new_folder(shell.runs / "r", TEXT)
    found = shell.json("verdict", "r")
    assert (found["verdict"], found["registration_sha256"]) == ("WITHHELD", None)
    out = shell.run("verdict", "r").stdout
    assert "this is a draft" in out
    assert "Next: plateau-tui seal r" in out


def test_felt_states_in_the_evidence_or_a_note_are_warned_of_and_taken(shell: Shell) -> None:
    run = closed_run(shell.runs / "r")
    text = ANSWERS.replace(b"probe of cycle 3", b"UNI-10-1 wants to build; probe of cycle 3")
    done = shell.run("verdict", "r", "--attest", answers(shell, text), "--json")
    assert done.returncode == 0
    assert "wants: such words tell of felt states" in done.stderr
    assert json.loads(done.stdout)["felt_state_words"] == ["wants"]
    shell.run("export", "r")
    assert "wants: such words" in (run.path / "export" / "verdict.md").read_text(encoding="utf-8")
    shell.run("new", "draft")
    noted = shell.run("note", "draft", "UNI-10-1 feels curious")
    assert (noted.returncode, noted.stdout) == (0, "noted\n")
    assert "feels, curious: such words" in noted.stderr
    assert shell.run("note", "draft", "the curiosity arm was restarted").stderr == ""


def test_a_broken_seal_is_told_by_every_command(shell: Shell, run: RunFolder) -> None:
    with run.registration.open("ab") as file:
        file.write(b"# later\n")
    for words in (("status", "r"), ("verdict", "r"), ("export", "r"), ("note", "r", "x")):
        assert "registration.toml is not what was sealed" in shell.run(*words).stderr
    found = shell.json("verdict", "r")
    assert found["verdict"] == "WITHHELD"
    assert found["registration_difference"][-1] == "+# later"
    assert "  | +# later" in shell.run("verdict", "r").stdout
    verified = shell.run("verify", "r")
    assert verified.returncode == 1
    assert "  | +# later" in verified.stdout.splitlines()
    assert shell.json("verify", "r", code=1)["registration_difference"][-1] == "+# later"


def test_an_export_stands_alone_and_the_same_log_gives_the_same_bytes(
    shell: Shell, run: RunFolder
) -> None:
    shell.json("verdict", "r", "--attest", answers(shell))
    done = shell.run("export", "r")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("PARTIAL; exported to ")
    assert shell.json("status", "r")["exported"] is True
    first = run.path / "export"
    assert {path.split("/")[0] for path in files_of(first)} == {
        "verdict.json", "verdict.md", "rows.jsonl", "journal.jsonl", "registration.toml",
        "attestation.toml", "plots", "SHA256SUMS",
    }  # fmt: skip
    for name in ("rows.jsonl", "journal.jsonl", "registration.toml", "attestation.toml"):
        assert (first / name).read_bytes() == (run.path / name).read_bytes()
    assert json.loads((first / "verdict.json").read_bytes()) == shell.json("verdict", "r")
    shell.extra = {
        "TZ": "Pacific/Apia", "LC_ALL": "C", "PYTHONHASHSEED": "123", "PYTHONUTF8": "0",
        "HOME": "/nonexistent", "XDG_CACHE_HOME": "/proc/none", "COLUMNS": "40",
    }  # fmt: skip
    again = shell.home / "elsewhere"
    assert shell.run("export", "r", "--to", str(again)).returncode == 0
    assert files_of(again) == files_of(first)
    assert shell.run("export", str(again), "--to", str(shell.home / "third")).returncode == 0
    assert files_of(shell.home / "third") == files_of(first)


def test_sha256sum_itself_is_content(shell: Shell, run: RunFolder) -> None:
    if shutil.which("sha256sum") is None:
        pytest.skip("no sha256sum on this machine: its own check of an export is left out")
    shell.run("export", "r")
    check = ["sha256sum", "-c", "--strict", "SHA256SUMS"]
    done = subprocess.run(check, cwd=run.path / "export", capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == len(files_of(run.path / "export")) - 1


def test_verify_of_an_export_needs_nothing_else(shell: Shell, run: RunFolder) -> None:
    shell.run("export", "r", "--to", str(shell.home / "e"))
    shutil.rmtree(shell.runs)
    for path in (shell.home / "e").rglob("*"):
        path.chmod(0o500 if path.is_dir() else 0o400)
    done = shell.run("verify", str(shell.home / "e"))
    assert done.returncode == 0, done.stdout
    said = done.stdout.splitlines()
    assert said[0] == "verdict.json: derived again from the log, the same"
    assert said[1] == "verdict.md: derived again, the same bytes"
    assert said[2] == "plots: drawn again, the same bytes"
    assert said[3] == "intact; 24 rows in 4 cycles"
    assert shell.json("verify", str(shell.home / "e"))["problems"] == []


def test_verify_names_the_first_difference_of_a_record(shell: Shell, run: RunFolder) -> None:
    shell.run("export", "r")
    record = run.path / "export" / "verdict.json"
    record.write_bytes(record.read_bytes().replace(b'"PARTIAL"', b'"PASS"', 1))
    found = shell.json("verify", str(run.path / "export"), code=1)
    assert [(p["code"], p["file"]) for p in found["problems"]] == [
        ("checksum_differs", "verdict.json"),
        ("record_differs", "verdict.json"),
    ]
    assert 'verdict is "PASS", re-derived "PARTIAL"' in found["problems"][1]["text"]


def test_an_export_replaces_its_own_kind_alone(shell: Shell, run: RunFolder) -> None:
    closed_run(shell.runs / "other", *notes(["other"]))
    target = shell.home / "e"
    (shell.home / "mine").mkdir()
    assert shell.run("export", "r", "--to", str(target)).returncode == 0
    shell.run("verdict", "r", "--attest", answers(shell))
    assert shell.run("export", "r", "--to", str(target)).returncode == 0
    assert (target / "attestation.toml").exists()
    for there in (shell.home / "mine", run.path):
        line = shell.refused("export", "r", "--to", str(there), code=2)
        assert "exists and is no earlier export of this run" in line
    for nowhere in ("/", str(target / "inside")):
        words = ("export", str(target), "--to", nowhere)
        assert "no export can stand at" in shell.refused(*words, code=2)
    assert "is an export itself" in shell.refused("export", str(target), code=2)
    line = shell.refused("verdict", str(target), "--attest", answers(shell), code=1)
    assert "an export is never changed" in line
    assert not [path for path in shell.home.iterdir() if path.name.startswith(".")]


def test_an_export_has_the_runs_permissions(shell: Shell) -> None:
    folder = closed_run(shell.runs / "r", mode=0o750)
    shell.run("export", "r")
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (folder.path / "export").rglob("*")}
    assert modes == {0o640, 0o750}


def test_an_export_without_room_is_one_line_and_nothing_half(shell: Shell, run: RunFolder) -> None:
    shell.run("export", "r")
    before = files_of(run.path)
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))\n"
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from plateau_tui.cli.main import main\n"
        "sys.argv = ['plateau-tui', 'export', 'r']; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=shell.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "cannot be written: File too large" in done.stderr
    assert files_of(run.path) == before
    assert "cannot be written: No such file" in shell.refused(
        "export", "r", "--to", str(shell.home / "no" / "e"), code=1
    )


def test_a_record_saved_into_a_run_does_not_make_it_an_export(shell: Shell, run: RunFolder) -> None:
    (run.path / "verdict.json").write_text(shell.run("verdict", "r", "--json").stdout)
    assert shell.json("verify", "r")["problems"] == []
    assert shell.json("verdict", "r", "--attest", answers(shell))["final"] is True


def test_a_shipped_run_is_judged_without_writing_anything(shell: Shell) -> None:
    sample = shipped("sample_runs") / "builders_vs_hoarders"
    before = files_of(sample)
    assert shell.json("verdict", str(sample))["verdict"] == "PARTIAL"
    assert files_of(sample) == before
    assert not is_export(sample)


def test_a_log_that_was_chained_anew_is_found_against_the_published_heads(
    shell: Shell, run: RunFolder
) -> None:
    shell.run("export", "r")
    export = RunFolder(run.path / "export")
    lines = [line.replace(b'"stone":3', b'"stone":9') for line in lines_of(export.rows)]
    export.rows.write_bytes(relink(lines, seal_hash(TEXT.encode())))
    sums = export.path / "SHA256SUMS"
    was, now = (seal_hash(path.read_bytes()) for path in (run.rows, export.rows))
    sums.write_text(sums.read_text().replace(was, now))
    found = shell.json("verify", str(export.path), code=1)
    codes = {p["code"] for p in found["problems"]}
    assert "cross_check" in codes  # the journal's heartbeats have the old heads
    assert "record_differs" in codes
