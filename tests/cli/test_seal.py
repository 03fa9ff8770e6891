"""``seal``: what the gate could come to, and the refusal of one that cannot pass or cannot fail."""

from pathlib import Path

from cli.shell import Shell

ACCEPT = "A rehearsal: three pairs can carry no claim."


def draft(shell: Shell, name: str, units: int, accept: str = "") -> Path:
    assert shell.run("new", name, "--units-per-arm", str(units)).returncode == 0
    path = shell.runs / name / "registration.toml"
    text = path.read_text(encoding="utf-8")
    assert text.count('accept = "" ') == 1
    path.write_text(text.replace('accept = "" ', f'accept = "{accept}" '), encoding="utf-8")
    return path.parent


def sealed_events(folder: Path) -> int:
    journal = folder.joinpath("journal.jsonl").read_text(encoding="utf-8")
    return journal.count('"event":"sealed"')


def test_the_drafts_three_pairs_are_refused_and_told_what_would_do(shell: Shell) -> None:
    folder = draft(shell, "r", 3)
    refused = shell.json("seal", "r", code=1)
    assert (refused["sha256"], refused["feasible"]) == (None, False)
    assert "3 pairs cannot pass at 0.95, whatever happens" in refused["reasons"][0]
    assert "-0.4152" in refused["reasons"][0]
    assert "6 pairs at 0.95" in refused["reasons"][1]
    assert "gate.accept" in refused["reasons"][-1]
    assert refused["best_lower"]["3"] < -0.415
    assert sealed_events(folder) == 0
    assert shell.json("status", "r")["state"] == "draft"


def test_a_refusal_is_one_line_on_stderr_and_the_figures_are_data(shell: Shell) -> None:
    draft(shell, "r", 3)
    line = shell.refused("seal", "r", code=1)
    assert "cannot pass" in line
    assert "6 pairs" in line
    assert "gate.accept" in line
    told = shell.run("seal", "r").stdout
    assert "best reachable lower bound: -0.4152 with 3 pairs, -0.6838 with 2 pairs" in told
    assert "newcombe10 (0.219)" in told
    assert "%" not in told


def test_a_sentence_seals_an_infeasible_gate_and_stands_with_the_seal(shell: Shell) -> None:
    folder = draft(shell, "r", 3, ACCEPT)
    sealed = shell.json("seal", "r")
    assert len(sealed["sha256"]) == 64
    assert sealed["feasible"] is False
    assert "cannot pass" in sealed["reasons"][0]
    assert sealed["reasons"][-1] == f"accepted: {ACCEPT}"
    assert shell.json("seal", "r") == sealed
    assert sealed_events(folder) == 1


def test_a_word_is_no_sentence(shell: Shell) -> None:
    folder = draft(shell, "r", 3, "yes")
    assert "gate.accept is no sentence" in shell.refused("seal", "r", code=1)
    assert sealed_events(folder) == 0


def test_six_pairs_are_sealed_and_the_plain_form_says_what_they_can_do(shell: Shell) -> None:
    draft(shell, "r", 6)
    done = shell.run("seal", "r")
    assert (done.returncode, done.stderr) == (0, "")
    first, *lines = done.stdout.splitlines()
    assert first.startswith("sealed ")
    assert "best reachable lower bound: 0.0815 with 6 pairs, -0.0436 with 5 pairs" in lines[0]
    assert "5 of 6, with none against" in lines[1]
    assert "0.025, where 0.025 is claimed" in lines[2]
    assert lines[3].endswith("could pass: 6")
    again = shell.json("seal", "r")
    assert (again["sha256"], again["feasible"]) == (first.split()[1], True)


def test_a_stale_sentence_on_a_gate_that_can_pass_is_refused(shell: Shell) -> None:
    folder = draft(shell, "r", 6, ACCEPT)
    refused = shell.json("seal", "r", code=1)
    assert (refused["sha256"], refused["feasible"]) == (None, True)
    assert len(refused["reasons"]) == 1
    assert "stale" in refused["reasons"][0]
    assert sealed_events(folder) == 0


# -- the sealed text, put back --------------------------------------------------------------------


def test_a_changed_gate_is_put_back_from_what_seal_show_prints(shell: Shell) -> None:
    folder = draft(shell, "r", 6)
    path = folder / "registration.toml"
    path.write_bytes(path.read_bytes() + "# an umlaut: ä, a tab:\t.\r\n".encode())
    sealed = path.read_bytes()
    assert shell.run("seal", "r").returncode == 0
    path.write_bytes(sealed.replace(b"margin = 0.0", b"margin = 0.1"))
    before = {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}
    warned = shell.run("verify", "r")
    assert "put the sealed text back, which plateau-tui seal RUN --show prints" in warned.stderr
    shown = shell.run_bytes("seal", "r", "--show")
    assert shown.returncode == 0
    assert shown.stdout == sealed
    assert {e.name: e.read_bytes() for e in folder.iterdir() if e.is_file()} == before
    refused = shell.run("seal", "r")
    assert refused.returncode == 1
    assert "plateau-tui seal RUN --show" in refused.stdout + refused.stderr
    path.unlink()
    path.write_bytes(shell.run_bytes("seal", "r", "--show").stdout)
    assert shell.run("verify", "r").returncode == 0


def test_what_is_not_sealed_is_not_shown(shell: Shell) -> None:
    draft(shell, "r", 6)
    assert "nothing is sealed yet" in shell.refused("seal", "r", "--show", code=1)
    assert shell.run("seal", "r", "--show", "--json").returncode == 2
    assert shell.run("seal", "r").returncode == 0
    journal = shell.runs / "r" / "journal.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b"novelty_gain", b"novelty_loss"))
    told = shell.run("seal", "r", "--show")
    assert (told.returncode, told.stdout) == (1, "")
    assert "is not what its SHA-256 says" in told.stderr
