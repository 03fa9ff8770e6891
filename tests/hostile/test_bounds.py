"""A registration made to bury its reader, or to keep a machine busy: a few lines that name it."""

from pathlib import Path

import pytest
from cli.shell import Shell

from plateau_tui.collector import hand
from plateau_tui.collector.run import DeclinedError, open_run
from plateau_tui.metric.registration import MOST_SEALED_PAIRS, MOST_UNITS, parse_registration
from plateau_tui.metric.tables import MAX_TOML_BYTES, MOST_PROBLEMS, ConfigError
from plateau_tui.resources import game_ids
from plateau_tui.runlog.layout import RunFolder, create_run
from plateau_tui.runlog.template import draft_text
from plateau_tui.runlog.writer import open_journal

DRAFT = draft_text("r", 3)
EXTEND = '\n[[objectives.extend]]\nname="e{n}"\ncriterion="minecraft.mined:minecraft.none{n}"\n'
MADE = {
    "nothing": "",
    "arms": "[[arms]]\n" * 25_000,
    "tables": "".join(f"[a{n}]\n" for n in range(30_000)),
    "objectives": DRAFT + "".join(EXTEND.format(n=n) for n in range(2_500)),
    "names": DRAFT.replace('"UNI-10-1"', ", ".join(f'"T {n}"' for n in range(15_000))),
    "a key": f'{DRAFT}\n"{"k" * 200_000}" = 1\n',
    "a choice": DRAFT.replace('wood = "baseline_only"', f'wood = "{"w" * 200_000}"'),
    "a run's name": DRAFT.replace('run_id = "r"', f'run_id = "{"x" * 200_000}"'),
    "a number": DRAFT.replace("cycles = 66", f"cycles = {'9' * 4_000}"),
    "more": "x" * (MAX_TOML_BYTES + 1),
}


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("text", MADE.values(), ids=MADE.keys())
def test_what_is_wrong_is_a_few_lines_of_a_bounded_length(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_registration(text.encode("utf-8"), game_ids())
    assert len(caught.value.problems) <= MOST_PROBLEMS + 1
    assert max(map(len, caught.value.problems)) < 700
    assert len(str(caught.value)) < 6000
    assert str(caught.value).startswith("registration.toml: ")


@pytest.mark.parametrize("name", ["nothing", "arms", "tables"])
def test_seal_names_the_file_in_each_line_and_counts_the_rest(shell: Shell, name: str) -> None:
    folder = shell.draft("r")
    (folder / "registration.toml").write_text(MADE[name], encoding="utf-8")
    done = shell.run("seal", "r")
    lines = done.stderr.splitlines()
    assert done.returncode == 1
    assert 2 <= len(lines) <= 11
    assert all(line.startswith("plateau-tui: registration.toml: ") for line in lines)
    assert (name == "nothing") is (" more" not in lines[-1])
    told = shell.json("seal", "r", code=1)
    assert len(told["reasons"]) <= MOST_PROBLEMS + 1
    shell.refused("status", "r", code=2)


def test_a_host_longer_than_any_is_refused_in_a_short_line(shell: Shell) -> None:
    folder = shell.draft("r")
    for host in ("a" * 100_000, "." * 300):
        (folder / "connection.toml").write_text(f'host = "{host}"\nport = 1\n', encoding="utf-8")
        line = shell.refused("check", "r", code=2)
        assert len(line) < 300
        assert "connection.toml" in line


def units(pairs: int) -> str:
    arms = {kin: ", ".join(f'"U{kin}-{n}"' for n in range(pairs)) for kin in (10, 11)}
    text = DRAFT
    for kin, names in arms.items():
        text = text.replace(f'["UNI-{kin}-1", "UNI-{kin}-2", "UNI-{kin}-3"]', f"[{names}]")
    return text


@pytest.mark.parametrize("pairs", [MOST_SEALED_PAIRS + 1, MOST_UNITS])
def test_more_pairs_than_can_be_reckoned_with_are_not_sealed(tmp_path: Path, pairs: int) -> None:
    folder = RunFolder(tmp_path / "r")
    create_run(folder, {"registration.toml": units(pairs)}, 0o700)
    open_journal(folder)
    with open_run(folder) as run, pytest.raises(DeclinedError, match=f"{pairs} pairs are more"):
        hand.seal(run, "me")


def test_as_many_as_the_bound_are_sealed(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "r")
    create_run(folder, {"registration.toml": units(MOST_SEALED_PAIRS)}, 0o700)
    open_journal(folder)
    with open_run(folder) as run:
        assert len(hand.seal(run, "me")) == 64


def test_units_without_an_end_are_not_read() -> None:
    with pytest.raises(ConfigError, match=f"are {MOST_UNITS + 1}; at most"):
        parse_registration(units(MOST_UNITS + 1).encode("utf-8"), game_ids())
