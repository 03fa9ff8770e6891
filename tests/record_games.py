"""Players of the real games, whose play is recorded as the references that ship.

``make_references.py`` calls them. They look at the game while they play; what they did is kept
as a plain list of inputs. Each plays the same wherever the packages of the extra are installed;
Airstriker's takes a minute or two.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from plateau_tui.calibration.evidence import Snapshot
from plateau_tui.calibration.targets import airstriker, breakout

SEED: Final = 0
Rules = list[dict[str, object]]


def recorded(
    inputs: Iterable[str], rules: Rules, source: str, declared: Mapping[str, object], **more: object
) -> dict[str, object]:
    """Return a reference file's content."""
    words = list(inputs)
    return {
        "schemaVersion": 1,
        "seed": SEED,
        **more,
        "milestones": rules,
        "declared": declared,
        "provenance": {"source": source, "recordedBy": "tests/record_games.py"},
        "inputCount": len(words),
        "inputs": words,
    }


def at(variable: str, bound: int, op: str = ">=") -> dict[str, object]:
    return {"variable": variable, "op": op, "trigger": bound}


def engine(id_: str, variable: str, bound: int, *requires: str) -> dict[str, object]:
    rule: dict[str, object] = {"id": id_, "tier": "engine-state", **at(variable, bound)}
    return rule | ({"requires": list(requires)} if requires else {})


# --- Breakout: a control that foresees where the ball comes down -------------------------------

LEFT_WALL, RIGHT_WALL = 57, 200
"""Where the ball turns, in the byte that counts its place."""
PADDLE_LINE: Final = 175
"""Where the paddle is, in the byte that counts the ball's height; it grows downwards."""
HALF_PADDLE: Final = 10
NEAR_ENOUGH: Final = 2
"""With 3 the paddle stood, at the first score, just where a control's stands: one picture."""
ENOUGH: Final = 4
BREAKOUT_MOST: Final = 400


@dataclass
class Foresight:
    """Steers to where the ball will cross the paddle's line, walls and all."""

    before: tuple[int, int] | None = None

    def word(self, seen: Snapshot) -> str:
        x, y = ball_of(seen)
        before, self.before = self.before, (x, y) if y else None
        if not y:
            return "FIRE"
        aim = float(x)
        if before is not None and y > before[1]:
            slope = (x - before[0]) / (y - before[1])
            aim = folded(x + slope * (PADDLE_LINE - y))
        paddle = number(seen, breakout.PADDLE_X) + HALF_PADDLE
        if abs(aim - paddle) <= NEAR_ENOUGH:
            return "NOOP"
        return "RIGHT" if aim > paddle else "LEFT"


def ball_of(seen: Snapshot) -> tuple[int, int]:
    return number(seen, breakout.BALL_X), number(seen, breakout.BALL_Y)


def number(seen: Snapshot, name: str) -> int:
    value = seen.numbers[f"engine.{name}"]
    assert value is not None
    return value


def folded(x: float) -> float:
    """Reflect a path that runs on beyond the walls."""
    width = RIGHT_WALL - LEFT_WALL
    along = (x - LEFT_WALL) % (2 * width)
    return LEFT_WALL + min(along, 2 * width - along)


def away(seen: Snapshot) -> str:
    """Let the ball go: a life is lost, so that the contract can say what that is worth."""
    x, y = ball_of(seen)
    if not y:
        return "NOOP"
    return "LEFT" if x > (LEFT_WALL + RIGHT_WALL) // 2 else "RIGHT"


def record_breakout() -> dict[str, object]:
    game = breakout.BreakoutGame(breakout.RAM, breakout.FRAMES)
    player, inputs = Foresight(), list[str]()
    seen = game.start(SEED)
    lives = number(seen, "lives")
    while number(seen, "lives") == lives and len(inputs) < BREAKOUT_MOST:
        inputs.append(player.word(seen) if number(seen, "score") < ENOUGH else away(seen))
        seen = game.step(inputs[-1])
    game.close()
    first: dict[str, object] = {**at("score", 1), "requires": ["score-opened"]}
    rules: Rules = [
        engine("score-opened", "score", 1),
        {"id": "frame-at-first-score", "tier": "screen-frame", "sample": "frame-hash", **first},
        {"id": "save-at-first-score", "tier": "save-file", "sample": "save-hash", **first},
        engine("score-tier-2", "score", 2, "score-opened"),
        engine("score-tier-4", "score", ENOUGH, "score-opened"),
        {
            "id": "life-lost", "tier": "engine-state", **at("lives", lives, "<"),
            "sampleOp": "==", "requires": ["score-opened"],
        },
    ]  # fmt: skip
    return recorded(
        inputs,
        rules,
        "a control that reads ball and paddle from the console's memory and steers to where the "
        f"ball will come down, until the score is {ENOUGH}; then it lets one ball go",
        {
            "attrition_checks": ["life-lost"],
            "gated_behind": "score-opened",
            "opaque_checks": ["frame-at-first-score", "save-at-first-score"],
            "weak_checks": ["frame-at-first-score", "save-at-first-score"],
        },
        game=breakout.GAME,
        frames=breakout.FRAMES,
        channels=[
            {"id": name, "index": index, "decode": "u8"} for name, index in breakout.RAM.items()
        ],
    )


# --- Airstriker: a beam search over the emulator's own states ----------------------------------

MANOEUVRES: Final = tuple(
    words * 3
    for words in (
        ("B", "NOOP"), ("LEFT+B", "LEFT"), ("RIGHT+B", "RIGHT"), ("UP+B", "UP"), ("DOWN+B", "DOWN"),
    )
)  # fmt: skip
WIDTH: Final = 12
AIRSTRIKER_MOST: Final = 96
KILL: Final = 20
TIERS: Final = (2, 4, 8)


@dataclass(frozen=True)
class Line:
    """One line of play: how it stands, its inputs, the emulator there, and the picture.

    ``early`` adds up the score over all inputs: of two equal scores the earlier one counts more.
    """

    lives: int
    score: int
    early: int
    inputs: tuple[str, ...]
    kept: tuple[object, ...]
    picture: str | None


def record_airstriker() -> dict[str, object]:
    game = airstriker.AirstrikerGame(airstriker.FRAMES, None)
    seen = game.start(SEED)
    beam = [Line(number(seen, "lives"), 0, 0, (), game.kept(), seen.screen)]
    while len(beam[0].inputs) < AIRSTRIKER_MOST:
        lines = [played(game, line, words) for line in beam for words in MANOEUVRES]
        lines.sort(key=lambda line: (-line.lives, -line.score, -line.early))
        beam = distinct(lines)[:WIDTH]
    inputs = up_to(game, beam[0].inputs, TIERS[-1] * KILL)
    game.close()
    rules: Rules = [
        engine("score-opened", "score", KILL) | {"value": KILL},  # the first hit brings two
        {
            "id": "screen-active-at-first-score", "tier": "screen-frame", "sample": "frame-path",
            "path": "activeCells", **at("score", KILL), "requires": ["score-opened"],
        },
        *(engine(f"score-tier-{n}", "score", n * KILL, "score-opened") for n in TIERS),
    ]  # fmt: skip
    return recorded(
        inputs,
        rules,
        f"a beam search, {WIDTH} lines wide, over {len(MANOEUVRES)} manoeuvres of six inputs: "
        "lives first, then the score, then how early it was made",
        {"gated_behind": "score-opened"},
        game=airstriker.GAME,
        state=None,
        frames=airstriker.FRAMES,
    )


def played(game: airstriker.AirstrikerGame, line: Line, words: tuple[str, ...]) -> Line:
    game.back_to(line.kept)
    shots = [game.step(word) for word in words]
    scores = [number(seen, "score") for seen in shots]
    return Line(
        lives=number(shots[-1], "lives"),
        score=scores[-1],
        early=line.early + sum(scores),
        inputs=(*line.inputs, *words),
        kept=game.kept(),
        picture=shots[-1].screen,
    )


def distinct(lines: Iterable[Line]) -> list[Line]:
    """Return the first line of each picture: two that look the same go on the same."""
    found: dict[str | None, Line] = {}
    for line in lines:
        found.setdefault(line.picture, line)
    return list(found.values())


def up_to(game: airstriker.AirstrikerGame, inputs: tuple[str, ...], score: int) -> tuple[str, ...]:
    """Return the inputs up to the one that brought the score there, played from the start."""
    game.start(SEED)
    for after, word in enumerate(inputs, 1):
        if number(game.step(word), "score") >= score:
            return inputs[:after]
    raise AssertionError(f"the search did not reach a score of {score}; make it wider")


# --- CartPole: a balancing rule ----------------------------------------------------------------

STEPS: Final = (25, 50, 100)


def balanced(observation: Iterable[float]) -> int:
    """Push to the side that the pole falls to, and bring the cart back to the middle."""
    place, speed, angle, turning = (float(value) for value in observation)
    return int(angle + 0.4 * turning + 0.05 * place + 0.1 * speed > 0)


def record_cartpole() -> dict[str, object]:
    import gymnasium  # noqa: PLC0415 - an optional package

    world = gymnasium.make("CartPole-v1", disable_env_checker=True)
    observation, _ = world.reset(seed=SEED)
    inputs = []
    for _ in range(STEPS[-1]):
        action = balanced(observation)
        inputs.append(f"a{action}")
        observation, *_ = world.step(action)
    world.close()
    first, last = f"survived-{STEPS[0]}-steps", f"survived-{STEPS[-1]}-steps"
    rules: Rules = [
        engine(first, "steps", STEPS[0]),
        {
            "id": f"frame-at-{STEPS[0]}-steps", "tier": "screen-frame", "sample": "frame-hash",
            **at("steps", STEPS[0]), "requires": [first],
        },
        *(engine(f"survived-{n}-steps", "steps", n, first) for n in STEPS[1:]),
        engine(f"reward-at-{STEPS[-1]}-steps", "cumulativeReward", STEPS[-1] * 1000, last),
    ]  # fmt: skip
    return recorded(
        inputs,
        rules,
        "a balancing rule: push right when angle + 0.4 turning + 0.05 place + 0.1 speed > 0",
        {"gated_behind": first, "opaque_checks": [f"frame-at-{STEPS[0]}-steps"]},
        envId="CartPole-v1",
        kwargs={},
    )


# --- FrozenLake: a shortest way over the ice ----------------------------------------------------

LAKE: Final = {"is_slippery": False, "map_name": "8x8"}


def record_frozenlake() -> dict[str, object]:
    import gymnasium  # noqa: PLC0415 - an optional package

    world = gymnasium.make("FrozenLake-v1", disable_env_checker=True, **LAKE)
    inputs = shortest(world.unwrapped.P)
    world.close()
    goal: dict[str, object] = {**at("cumulativeReward", 1000), "requires": ["reached-goal"]}
    rules: Rules = [
        engine("reached-goal", "cumulativeReward", 1000),
        {"id": "goal-frame", "tier": "screen-frame", "sample": "frame-hash", **goal},
        {
            "id": "goal-cell", "tier": "screen-frame", "sample": "frame-path", "path": "obs0",
            "sampleOp": "==", **goal,
        },
    ]  # fmt: skip
    return recorded(
        inputs,
        rules,
        "a shortest way over the 8x8 map, found by a breadth-first search of its transitions",
        {"gated_behind": "reached-goal", "opaque_checks": ["goal-frame"]},
        envId="FrozenLake-v1",
        kwargs=LAKE,
    )


def shortest(transitions: Mapping[int, Mapping[int, list[Any]]]) -> list[str]:
    """Return the words of a shortest way from cell 0 to a reward."""
    ways: deque[tuple[int, list[str]]] = deque([(0, [])])
    known = {0}
    while ways:
        cell, words = ways.popleft()
        for action, outcomes in transitions[cell].items():
            (_, there, reward, _), *_ = outcomes
            if reward:
                return [*words, f"a{action}"]
            if there not in known:
                known.add(int(there))
                ways.append((int(there), [*words, f"a{action}"]))
    raise AssertionError("no way leads to the goal")


GAME_RECORDERS: Final[Mapping[str, Callable[[], dict[str, object]]]] = {
    "breakout": record_breakout,
    "airstriker": record_airstriker,
    "cartpole": record_cartpole,
    "frozenlake": record_frozenlake,
}
