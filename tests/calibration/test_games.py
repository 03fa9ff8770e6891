import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from typing import Any

import make_references
import pytest
from calibration.gamesextra import GAMES, PACKAGES, needs_games
from cli.shell import Shell

from plateau_tui.calibration.catalog import load_target
from plateau_tui.calibration.errors import MissingExtraError, TargetError
from plateau_tui.calibration.evidence import Snapshot, Trajectory
from plateau_tui.calibration.packaged import PackagedContract
from plateau_tui.calibration.policies import UNKNOWN_WORD
from plateau_tui.calibration.reference import Reference
from plateau_tui.calibration.report import Report
from plateau_tui.calibration.target import Game, play
from plateau_tui.calibration.targets.airstriker import Airstriker
from plateau_tui.calibration.targets.breakout import Breakout
from plateau_tui.calibration.targets.gym import CartPole, FrozenLake

OWN: dict[str, dict[str, Any]] = {
    "breakout": {
        "reference": "6 of 6", "achievements": "5 of 5", "best": (0, ()),
        "separating": ("score-opened", "score-tier-2", "score-tier-4"),
        "attrition": ("life-lost",), "gate": ("score-opened", 6, 6, ()),
        "together": ("score-opened", "frame-at-first-score", "save-at-first-score"),
        "after": 32, "turns": 153, "policies": 7,
    },
    "airstriker": {
        "reference": "5 of 5", "achievements": "5 of 5", "best": (3, ("pseudo-random",)),
        "separating": ("score-tier-4", "score-tier-8"),
        "attrition": (), "gate": ("score-opened", 5, 5, ("pseudo-random",)),
        "together": ("score-opened", "screen-active-at-first-score", "score-tier-2"),
        "after": 48, "turns": 90, "policies": 28,
    },
    "cartpole": {
        "reference": "5 of 5", "achievements": "5 of 5", "best": (1, ("round-robin",)),
        "separating": ("survived-50-steps", "survived-100-steps", "reward-at-100-steps"),
        "attrition": (), "gate": ("survived-25-steps", 5, 5, ("round-robin",)),
        "together": ("survived-25-steps", "frame-at-25-steps"),
        "after": 25, "turns": 100, "policies": 6,
    },
    "frozenlake": {
        "reference": "3 of 3", "achievements": "3 of 3", "best": (0, ()),
        "separating": ("reached-goal", "goal-cell"),
        "attrition": (), "gate": ("reached-goal", 3, 3, ()),
        "together": ("reached-goal", "goal-frame", "goal-cell"),
        "after": 14, "turns": 14, "policies": 8,
    },
}  # fmt: skip
"""What was measured on the references that ship."""


def measured(report: Report) -> dict[str, Any]:
    gate = report.collapse
    return {
        "reference": str(report.reference_score),
        "achievements": str(report.achievement_score),
        "best": report.best_baseline,
        "separating": report.separating,
        "attrition": report.attrition,
        "gate": (gate.prerequisite, gate.gated, gate.total, gate.earned_by),
        "together": gate.together,
        "after": gate.together_after,
        "turns": report.strongest.turns,
        "policies": len(report.baselines),
    }


@needs_games
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.timeout(600)
def test_the_reference_that_ships_measures_so_and_is_packaged(name: str) -> None:
    packaged = PackagedContract.calibrate(load_target(name), processes=2)
    assert measured(packaged.report) == OWN[name]
    assert packaged.report.separates
    assert packaged.report.deterministic is True


@needs_games
@pytest.mark.parametrize("name", ["breakout", "cartpole", "frozenlake"])
def test_the_reference_that_ships_is_what_the_player_plays_now(name: str) -> None:
    file = make_references.REFERENCES / f"{name}.json"
    assert file.read_text("utf-8") == make_references.as_text(name)


@needs_games
@pytest.mark.skipif(
    not os.environ.get("PLATEAU_TUI_RECORD_GAMES"),
    reason="left out: a search of a minute or more over the emulator; make test-games runs it",
)
@pytest.mark.timeout(1200)
def test_airstrikers_reference_is_what_the_search_finds_now() -> None:
    file = make_references.REFERENCES / "airstriker.json"
    assert file.read_text("utf-8") == make_references.as_text("airstriker")


def played(game: Game, seed: int, words: tuple[str, ...]) -> Trajectory:
    try:
        return play(game, seed, words)
    finally:
        game.close()


@needs_games
@pytest.mark.parametrize("name", GAMES)
def test_a_new_start_has_nothing_of_the_run_before(name: str) -> None:
    target = load_target(name)
    reference = target.reference()
    words = (*target.vocabulary(reference), *reference.inputs[:20])
    fresh = played(target.open(reference, ""), reference.seed, words)
    game = target.open(reference, "")
    play(game, reference.seed, ("FIRE",) * 3 + reference.inputs[::-1])
    assert played(game, reference.seed, words) == fresh


@needs_games
@pytest.mark.parametrize("name", GAMES)
def test_an_unknown_word_is_a_no_op_that_still_gives_a_snapshot(name: str) -> None:
    target = load_target(name)
    reference = target.reference()
    game = target.open(reference, "")
    lead = reference.inputs[:8]
    idle = play(game, reference.seed, (*lead, "NOOP", "NOOP"))
    for unknown in (UNKNOWN_WORD, "", "fire", "a9", "+"):
        assert play(game, reference.seed, (*lead, unknown, unknown)) == idle
    game.close()


@needs_games
@pytest.mark.parametrize(("name", "shown"), [("cartpole", ["obs0", "obs1", "obs2", "obs3"]),
                                             ("frozenlake", ["obs0"])])  # fmt: skip
def test_an_environment_does_not_step_for_a_no_op_nor_after_its_end(
    name: str, shown: list[str]
) -> None:
    target = load_target(name)
    reference = target.reference()
    game = target.open(reference, "")
    first = game.start(reference.seed)
    assert [c.removeprefix("screen.") for c in first.numbers if c.startswith("screen.")] == shown
    assert game.step("NOOP") == game.step(UNKNOWN_WORD) == first
    ended = [shot for shot in (game.step("a2" if name == "frozenlake" else "a1")
             for _ in range(200)) if shot.numbers["engine.terminated"]]  # fmt: skip
    game.close()
    if name == "cartpole":
        assert len(ended) > 150
        assert all(shot == ended[0] for shot in ended)
    else:
        assert not ended  # it leans on the east shore for ever


@needs_games
def test_the_gym_scales_what_is_not_whole_and_publishes_every_number_of_the_infos() -> None:
    target = FrozenLake()
    reference = target.reference()
    shots = played(target.open(reference, ""), 0, reference.inputs).snapshots
    assert shots[-1].numbers == {
        "engine.steps": 14, "engine.cumulativeReward": 1000, "engine.terminated": 1,
        "engine.truncated": 0, "engine.info.prob": 1000, "screen.obs0": 63_000,
    }  # fmt: skip


@needs_games
def test_breakout_after_its_end_stands_still_and_the_next_game_is_whole() -> None:
    target = Breakout()
    reference = target.reference()
    game = target.open(reference, "")
    fresh = play(game, 0, reference.inputs)
    over = play(game, 0, ("FIRE",) * 400).snapshots
    assert over[-1].numbers["engine.terminal"] == 1
    first_over = next(n for n, shot in enumerate(over) if shot.numbers["engine.terminal"])
    assert all(shot == over[first_over] for shot in over[first_over:])
    assert play(game, 0, reference.inputs) == fresh
    assert play(game, 7, reference.inputs[:3]) == played(
        target.open(reference, ""), 7, reference.inputs[:3]
    )
    game.close()


@needs_games
def test_breakout_publishes_the_bytes_that_the_reference_names() -> None:
    target = Breakout()
    reference = target.reference()
    other = replace(
        reference,
        settings={"frames": 1, "channels": [{"id": "ball", "index": 99, "decode": "u8"}]},
    )
    one = played(target.open(reference, ""), 0, ("FIRE", "LEFT")).snapshots[-1]
    two = played(target.open(other, ""), 0, ("FIRE",) * 4 + ("LEFT",) * 4).snapshots[-1]
    assert two.numbers["engine.ball"] == one.numbers["engine.ram_ball_x"]
    assert set(one.numbers) - set(two.numbers) == {
        "engine.ram_ball_x", "engine.ram_ball_y", "engine.ram_paddle_x",
    }  # fmt: skip
    assert (two.screen, two.save) == (one.screen, one.save)


@needs_games
def test_airstriker_presses_all_buttons_of_a_word_in_any_order() -> None:
    target = Airstriker()
    game = target.open(target.reference(), "")
    assert len(target.vocabulary(target.reference())) == 25
    words = ("LEFT+B",) * 6
    both = play(game, 0, words)
    assert play(game, 0, ("B+LEFT",) * 6) == both
    assert {play(game, 0, (w,) * 6).digest() for w in ("LEFT", "B", "NOOP")}.isdisjoint(
        {both.digest()}
    )
    assert [shot.numbers["engine.emuFrame"] for shot in both.snapshots] == list(range(0, 28, 4))
    assert all(shot.save is None for shot in both.snapshots)
    game.close()


SETTINGS: list[tuple[str, dict[str, object], str]] = [
    ("breakout", {"game": "pong"}, "game is 'pong'; this target plays breakout"),
    ("breakout", {"frames": 0}, "frames must be 1 to 3600, not 0"),
    ("breakout", {"frames": True}, "frames must be 1 to 3600, not True"),
    ("breakout", {"romSha": "00"}, "was recorded on the ROM '00'"),
    ("breakout", {"channels": [{"id": "a", "index": 128}]}, "channels holds"),
    ("breakout", {"channels": [{"id": "score", "index": 1}]}, "channels holds"),
    ("breakout", {"channels": [{"id": "a", "index": 1}] * 2}, "channels holds"),
    ("breakout", {"channels": [{"id": "a", "index": 1, "decode": "bcd"}]}, "channels holds"),
    ("breakout", {"channels": 5}, "channels holds 5"),
    ("airstriker", {"game": "Sonic"}, "this target plays Airstriker-Genesis-v0"),
    ("airstriker", {"state": "Level9"}, "there is no state 'Level9'; take null or one of Level1"),
    ("airstriker", {"romSha": "00"}, "was recorded on the ROM '00'"),
    ("cartpole", {"envId": "Ant-v5"}, "this target plays CartPole-v1"),
    ("cartpole", {"kwargs": [1]}, "kwargs must be an object"),
    ("cartpole", {"kwargs": {"gravity": 1}}, "kwargs: CartPole-v1 cannot be made with"),
    ("cartpole", {"kwargs": {"render_mode": "human"}}, "leave render_mode out"),
    ("frozenlake", {"kwargs": {"map_name": "9x9"}}, "kwargs: FrozenLake-v1 cannot be made with"),
]


@needs_games
@pytest.mark.parametrize(("name", "settings", "text"), SETTINGS)
def test_a_setting_that_cannot_be_used_is_one_line(
    name: str, settings: dict[str, object], text: str
) -> None:
    target = load_target(name)
    reference = replace(target.reference(), settings=settings)
    with pytest.raises(TargetError, match=re.escape(text)) as refused:
        target.open(reference, "")
    assert "\n" not in str(refused.value)


@needs_games
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seed", [-1, 2**31])
def test_a_seed_that_a_game_cannot_take_is_one_line(name: str, seed: int) -> None:
    target = load_target(name)
    with pytest.raises(TargetError, match="seed must be 0 to 2147483647"):
        target.open(replace(target.reference(), seed=seed), "")


@needs_games
def test_other_options_and_seeds_make_another_world() -> None:
    pole, lake = CartPole(), FrozenLake()

    def first(target: CartPole | FrozenLake, reference: Reference) -> Snapshot:
        return played(target.open(reference, ""), reference.seed, ()).snapshots[0]

    reference = pole.reference()
    assert first(pole, reference) != first(pole, replace(reference, seed=1))
    small = replace(lake.reference(), settings={})  # the target's own options: 4x4
    inputs = ("a1", "a1", "a2", "a1", "a2", "a2")
    assert played(lake.open(small, ""), 0, inputs).snapshots[-1].numbers["screen.obs0"] == 15_000


@pytest.mark.parametrize(("name", "package"), zip(GAMES, ("ale_py", "stable_retro", "gymnasium",
                                                          "gymnasium"), strict=True))  # fmt: skip
def test_a_missing_extra_is_one_line_that_says_how_to_install_it(
    name: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError) as missing:
        load_target(name).require()
    told = f"{name} needs {package.replace('_', '-')}: pip install 'plateau-tui[games]'"
    assert str(missing.value) == told


def test_the_command_says_how_to_install_a_missing_extra(shell: Shell) -> None:
    for package in PACKAGES:
        (shell.home / f"{package}.py").write_text("raise ImportError('not here')\n", "utf-8")
    shell.extra["PYTHONPATH"] = str(shell.home)
    line = shell.refused("calibrate", "breakout", code=2)
    assert "breakout needs ale-py: pip install 'plateau-tui[games]'" in line


@needs_games
def test_games_say_nothing_and_need_no_display_whoever_plays_them() -> None:
    """This process plays, and a worker; neither writes a line, nor draws."""
    code = (
        "import sys\n"
        "from plateau_tui.calibration.catalog import load_target\n"
        "from plateau_tui.calibration.policies import Policy\n"
        "from plateau_tui.calibration.replay import Replays\n"
        "from plateau_tui.calibration.target import play\n"
        "def main():\n"
        f"    for name in {GAMES!r}:\n"
        "        target = load_target(name)\n"
        "        reference = target.reference()\n"
        "        game = target.open(reference, '')\n"
        "        play(game, 0, reference.inputs[:2])\n"
        "        if name != 'breakout': game.close()\n"  # it closes itself in time
        "        with Replays(target, reference, 2) as replays:\n"
        "            replays.trajectory(Policy('here', reference.inputs[:2]))\n"
        "    print(sorted({m.split('.')[0] for m in sys.modules} & {'pyglet', 'pygame', 'cv2'}))\n"
        "if __name__ == '__main__': main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True, text=True, check=False,
        env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")


@needs_games
def test_the_command_plays_a_reference_of_another_player(shell: Shell) -> None:
    """A walk over the lake that was not recorded by us: its findings are named, exit 1."""
    way: dict[str, Any] = json.loads(make_references.as_text("frozenlake"))
    way |= {"inputs": [*way["inputs"], "a0"], "inputCount": 15, "declared": {}}
    file = shell.home / "mine.json"
    file.write_text(json.dumps(way), "utf-8")
    found = shell.json("calibrate", "frozenlake", "--reference", str(file), code=1)
    assert found["targets"]["frozenlake"]["refused_codes"] == [
        "undeclared-collapse", "undeclared-opaque",
    ]  # fmt: skip
