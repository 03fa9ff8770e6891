"""The registration: what interfaces.md calls valid, and messages that name the key."""

import hashlib
import re
from collections.abc import Callable

import pytest
from metric.texts import EXTENSION, VALID, changed, parsed

from plateau_tui.metric.objectives import METRIC_OBJECTIVES
from plateau_tui.metric.registration import parse_registration, seal_hash
from plateau_tui.metric.tables import ConfigError
from plateau_tui.resources import game_ids


def problems_of(text: str) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        parsed(text)
    return caught.value.problems


def test_a_valid_registration_says_what_it_says() -> None:
    registration = parsed(VALID + EXTENSION)
    assert registration.run_id == "p1-curiosity"
    assert registration.treatment.units == ("UNI-10-1", "UNI-10-2", "UNI-10-3")
    assert [(t.name, c.name) for t, c in registration.pairs] == [
        ("UNI-10-1", "UNI-11-1"),
        ("UNI-10-2", "UNI-11-2"),
        ("UNI-10-3", "UNI-11-3"),
    ]
    assert registration.window.interval_ms == 600_000
    assert registration.window.cycles == 66
    assert registration.gate.confidence == 0.95
    assert registration.arm_values == {"treatment": "curiosity", "control": "control"}
    assert registration.objectives[:19] == METRIC_OBJECTIVES
    assert [o.name for o in registration.objectives[19:]] == ["mine_grass"]


def test_the_arms_may_stand_in_either_order_and_pairs_stay() -> None:
    swapped = (
        VALID.replace('"treatment"\nlabel', '"TMP"\nlabel')
        .replace('"control"\nlabel', '"treatment"\nlabel')
        .replace('"TMP"\nlabel', '"control"\nlabel')
    )
    registration = parsed(swapped)
    assert registration.treatment.units[0] == "UNI-11-1"
    assert registration.units[0].name == "UNI-11-1"


def test_the_seal_is_the_sha256_of_the_bytes() -> None:
    text = VALID.encode("utf-8")
    assert seal_hash(text) == hashlib.sha256(text).hexdigest()
    assert seal_hash(text + b"\n") != seal_hash(text)


def test_defaults_of_the_contract_hold_where_a_key_is_left_out() -> None:
    bare = re.sub(
        r"(?m)^(interval_method|contrast_on|max_absent_polls|wood|place|start_counts|accept) .*\n",
        "",
        VALID,
    )
    gate = parsed(bare).gate
    assert gate == parsed().gate


KEYS = [
    "schema", "run_id", "variable", "role", "label", "kin", "units", "interval_s", "cycles",
    "k_primary", "k_secondary", "margin", "confidence",
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS)
def test_a_missing_key_is_named_by_its_path(key: str) -> None:
    text = re.sub(rf"(?m)^{key} = .*\n", "", VALID, count=1)
    assert text != VALID
    told = [p for p in problems_of(text) if p.split(":")[0].endswith(key)]
    assert told
    assert "missing" in told[0] or "must be" in told[0]


TEXT_KEYS = [
    "schema", "run_id", "variable", "role", "label", "interval_method", "contrast_on", "wood",
    "place", "start_counts", "accept",
]  # fmt: skip
WHOLE_KEYS = ["kin", "cycles", "k_primary", "k_secondary", "max_absent_polls"]
NUMBER_KEYS = ["interval_s", "margin", "confidence"]
LIST_KEYS = ["units", "later_gates"]
WRONG = {
    "text": ["1", "true", "[]", "{}", "1.5", "2026-01-01", '["a"]', "a.a.b = 1 #"],
    "whole": ['"2"', "true", "2.0", "nan", "inf", "[2]", "{}", "07:00:00", "-1", "1" + "0" * 30,
              "0x" + "f" * 5000],
    "number": ['"2"', "true", "nan", "inf", "-inf", "[2]", "{}", "-1", "1" + "0" * 400,
               "0x" + "f" * 5000, "1e400"],
    "list": ['"a"', "1", "[1]", "{}", "[[]]", '[["a"]]', "true"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (key, value)
        for kind, keys in (
            ("text", TEXT_KEYS),
            ("whole", WHOLE_KEYS),
            ("number", NUMBER_KEYS),
            ("list", LIST_KEYS),
        )
        for key in keys
        for value in WRONG[kind]
        if not value.startswith("a.")
    ],
)
def test_a_value_of_another_kind_is_refused_at_its_path(key: str, value: str) -> None:
    text = re.sub(rf"(?m)^{key} = .*$", lambda _: f"{key} = {value}", VALID, count=1)
    assert text != VALID
    told = problems_of(text)
    assert any(key in problem.split(":")[0] for problem in told), told
    assert all(len(problem) < 700 for problem in told)


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("interval_s = 600", "interval_s = 0.199", "window.interval_s"),
        ("interval_s = 600", "interval_s = 0.2005", "window.interval_s"),
        ("interval_s = 600", "interval_s = 600.0000001", "window.interval_s"),
        ("cycles = 66", "cycles = 0", "window.cycles"),
        ("interval_s = 600\ncycles = 66", "interval_s = 604800\ncycles = 9999999", "window.cycles"),
        ("k_primary = 2", "k_primary = 0", "gate.k_primary"),
        ("k_primary = 2", "k_primary = 4", "gate.k_primary"),
        ("k_secondary = 2", "k_secondary = 4", "gate.k_secondary"),
        ("margin = 0.0", "margin = -0.001", "gate.margin"),
        ("margin = 0.0", "margin = 1", "gate.margin"),
        ("confidence = 0.95", "confidence = 0.5", "gate.confidence"),
        ("confidence = 0.95", "confidence = 1.0", "gate.confidence"),
        ("confidence = 0.95", "confidence = 95", "gate.confidence"),
        ("max_absent_polls = 3", "max_absent_polls = 7", "gate.max_absent_polls"),
        ("max_absent_polls = 3", "max_absent_polls = -1", "gate.max_absent_polls"),
        ("max_absent_polls = 3", "max_absent_polls = 1000000", "gate.max_absent_polls"),
        ('wood = "baseline_only"', 'wood = "none"', "gate.wood"),
        ('place = "any"', 'place = "everything"', "gate.place"),
        ('start_counts = "zero"', 'start_counts = "ignore"', "gate.start_counts"),
        ('contrast_on = "plateau_break"', 'contrast_on = "secondary"', "gate.contrast_on"),
        ('"exact_unconditional"', '"wald"', "gate.interval_method"),
        ('"plateau_registration/1"', '"plateau_registration/2"', "schema"),
        ('"UNI-10-1", "UNI-10-2", "UNI-10-3"', "", "arms[0].units"),
        ('"UNI-10-3"]', '"UNI-10-1"]', "arms"),
        ('"UNI-10-3"]', '"uni-11-1"]', "arms"),
        ('"UNI-10-3"]', '"UNI-10-3", "UNI-10-4"]', "arms"),
        ('"UNI-10-3"]', '"UNI 10 3"]', "arms[0].units"),
        ('"UNI-10-3"]', '"@a"]', "arms[0].units"),
        ('"UNI-10-3"]', '"A23456789012345678"]', "arms[0].units"),
        ('"UNI-10-3"]', '"UNI-10-3\\n"]', "arms[0].units"),
        ('"UNI-10-3"]', '""]', "arms[0].units"),
        ('role = "control"', 'role = "treatment"', "arms"),
        ('role = "control"', 'role = "placebo"', "arms[1].role"),
        ('label = "control"', 'label = "curiosity"', "arms"),
        ('"p1-curiosity"', '"../p1"', "run_id"),
        ('control = "control"}', 'control = "curiosity"}', "probe.arm_values.control"),
        ('control = "control"}', "control = 1}", "probe.arm_values.control"),
        (', control = "control"}', "}", "probe.arm_values.control"),
    ],
)
def test_a_value_outside_its_bounds_is_refused_at_its_path(old: str, new: str, path: str) -> None:
    told = problems_of(changed(old, new))
    assert path in {problem.split(": ")[0] for problem in told}, told


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("interval_s = 600", "interval_s = 0.2"),
        ("interval_s = 600", "interval_s = 0.201"),
        ("interval_s = 600", "interval_s = 600.001"),
        ("cycles = 66", "cycles = 1"),
        ("max_absent_polls = 3", "max_absent_polls = 6"),
        ("max_absent_polls = 3", "max_absent_polls = 0"),
        ("k_primary = 2", "k_primary = 3"),
        ("margin = 0.0", "margin = 0.999"),
        ("margin = 0.0", "margin = 0"),
        ("confidence = 0.95", "confidence = 0.501"),
        ('"UNI-10-3"]', '"a.b_C-9_1234."]'),
        ('wood = "baseline_only"', 'wood = "all_logs"'),
        ('place = "any"', 'place = "beyond_table"'),
        ('start_counts = "zero"', 'start_counts = "offset"'),
        ('contrast_on = "plateau_break"', 'contrast_on = "primary"'),
        *(
            ('"exact_unconditional"', f'"{method}"')
            for method in ("exact_melded", "tango", "bonett_price", "agresti_min", "newcombe10")
        ),
    ],
)
def test_every_value_of_the_contract_is_taken(old: str, new: str) -> None:
    parsed(changed(old, new))


@pytest.mark.parametrize(
    ("text", "path", "near"),
    [
        (changed("k_primary", "k_primry"), "gate.k_primry", "k_primary"),
        (changed("interval_s", "intervals"), "window.intervals", "interval_s"),
        (changed("later_gates", "latergates"), "latergates", "later_gates"),
        (VALID + "\n[gates]\n", "gates", "gate"),
        (changed("arm_values", "armvalues"), "probe.armvalues", "arm_values"),
        (changed("kin = 11", "kin = 11\nkinn = 1"), "arms[1].kinn", "kin"),
        (
            VALID + EXTENSION.replace("criterion", "criteria"),
            "objectives.extend[0].criteria",
            "criterion",
        ),
        (VALID + '\n[objectives]\nextra = "x"\n', "objectives.extra", "extend"),
        (VALID.replace("cycles = 66", "cycles = 66\nzzz = 1"), "window.zzz", ""),
    ],
)
def test_an_unknown_key_is_refused_by_path_with_the_nearest(
    text: str, path: str, near: str
) -> None:
    told = [p for p in problems_of(text) if p.startswith(f"{path}: unknown key")]
    assert told
    assert "the nearest is" in told[0]
    assert near in told[0].split("the nearest is")[1]


@pytest.mark.parametrize(
    ("name", "criterion", "said"),
    [
        ("mine_stone", "minecraft.mined:minecraft.granite", "used twice"),
        ("my_stone", "minecraft.mined:minecraft.stone", "mine_stone"),
        ("seventeen_letters", "minecraft.mined:minecraft.granite", "17 characters"),
        ("a", "minecraft.mined:minecraft.granit", "'granite'"),
        ("a", "minecraft.crafted:minecraft.oak_log", "no recipe"),
    ],
)
def test_a_bad_extension_is_refused_by_its_index(name: str, criterion: str, said: str) -> None:
    second = EXTENSION.replace("mine_grass", name).replace(
        "minecraft.mined:minecraft.grass_block", criterion
    )
    told = problems_of(VALID + EXTENSION + second)
    assert len(told) == 1
    assert told[0].startswith("objectives.extend[1]: ")
    assert said in told[0]


@pytest.mark.parametrize(("cycles", "most"), [(1, 3), (30, 3), (39, 3), (40, 4), (999, 99)])
def test_absence_is_borne_for_three_polls_or_a_tenth_of_the_window(cycles: int, most: int) -> None:
    text = changed("cycles = 66", f"cycles = {cycles}")
    parsed(changed("max_absent_polls = 3", f"max_absent_polls = {most}", text))
    told = problems_of(changed("max_absent_polls = 3", f"max_absent_polls = {most + 1}", text))
    assert told[0].startswith("gate.max_absent_polls")


def test_all_problems_are_told_at_once() -> None:
    text = changed("k_primary = 2", "k_primary = 9").replace("margin = 0.0", "margin = 2")
    assert len(problems_of(text)) == 2


@pytest.mark.parametrize(
    ("spoil", "line"),
    [
        (lambda text: text.replace("cycles = 66", "cycles = = 66"), 20),
        (lambda text: text.replace("cycles = 66", "cycles = 66\ncycles = 67"), 21),
        (lambda text: text.replace('label = "control"', 'label = "con\0trol"'), 14),
        (lambda text: text.replace("[window]", "[window"), 18),
    ],
)
def test_a_syntax_error_names_the_line(spoil: Callable[[str], str], line: int) -> None:
    told = problems_of(spoil(VALID))
    assert f"line {line}," in told[0], told


def test_bytes_that_are_not_utf8_name_the_line() -> None:
    text = VALID.encode("utf-8").replace(b"curiosity:", b"x").replace(b"0.5 in", b"\xff in")
    with pytest.raises(ConfigError, match="line 3: is not UTF-8"):
        parse_registration(text, game_ids())
