"""The form over registration.toml as pure functions: a field changes its value and nothing else."""

import tomllib

import pytest
from console.gates import COMMENTED, lines_that_differ
from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.console.gate.form import Draft, DraftError, Field, fields_of, shown_value
from plateau_tui.console.gate.lines import (
    feasibility_lines,
    field_line,
    state_line,
    told_of,
)
from plateau_tui.console.lines.text import cells
from plateau_tui.metric.feasibility import assess
from plateau_tui.metric.tables import ConfigError
from plateau_tui.runlog.template import draft_text

TEMPLATE = draft_text("p1", 3)
TYPED = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=40)


def field(draft: Draft, path: str) -> Field:
    return next(each for each in draft.fields if each.path == path)


def typed(text: str, path: str, what: str) -> Draft:
    draft = Draft.of(text)
    return draft.typed(field(draft, path), what)


def test_every_key_of_the_draft_has_a_field_with_its_meaning() -> None:
    draft = Draft.of(TEMPLATE)
    assert draft.checked.count == 0
    paths = [each.path for each in draft.fields]
    assert len(paths) == len(set(paths)) == 28
    assert all(each.meaning for each in draft.fields)

    def leaves(value: object, path: str) -> set[str]:
        if isinstance(value, dict):
            return {p for k, v in value.items() for p in leaves(v, f"{path}.{k}" if path else k)}
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return {p for i, v in enumerate(value) for p in leaves(v, f"{path}[{i}]")}
        return {path}

    assert leaves(dict(draft.values), "") <= set(paths)


@pytest.mark.parametrize(
    ("path", "what", "value"),
    [
        ("run_id", "p2", "p2"),
        ("variable", 'a "quoted" one', 'a "quoted" one'),
        ("later_gates", "P2, P3", ["P2", "P3"]),
        ("later_gates", '["a, b"]', ["a, b"]),
        ("arms[1].label", "plain", "plain"),
        ("arms[0].kin", "12", 12),
        ("arms[1].units", "A-1,B-2 , C-3", ["A-1", "B-2", "C-3"]),
        ("window.interval_s", "0.5", 0.5),
        ("gate.margin", "0.20", 0.2),
        ("gate.margin", "true", "true"),
        ("gate.margin", "half", "half"),
        ("gate.interval_method", "tango", "tango"),
        ("gate.wood", "", "baseline_only"),
        ("gate.accept", "as an observation only", "as an observation only"),
    ],
)
def test_a_field_changes_its_line_and_no_other(path: str, what: str, value: object) -> None:
    before = (
        COMMENTED if path != "gate.wood" else COMMENTED.replace('"baseline_only"', '"all_logs"')
    )
    after = typed(before, path, what)
    found: object = tomllib.loads(after.text)
    for key in field(after, path).keys:
        assert isinstance(found, dict | list)
        found = found[key]  # type: ignore[index] # a path of the form
    assert found == value
    changed = lines_that_differ(before, after.text)
    assert len(changed) <= 2  # the line before, and after
    comment = changed[0].partition("#")[2]
    assert changed[-1].partition("#")[2] == comment  # what stands behind the value stays


@given(st.sampled_from([each.path for each in Draft.of(COMMENTED).fields]), TYPED)
def test_whatever_is_typed_the_rest_says_what_it_did(path: str, what: str) -> None:
    before = Draft.of(COMMENTED)
    chosen = field(before, path)
    try:
        after = before.typed(chosen, what)
    except DraftError as error:
        assert "\n" not in str(error)  # noqa: PT017 - one line, if it is refused at all
        return
    for other in before.fields:
        if other.keys[:2] != chosen.keys[:2] or chosen.kind != "extension":
            same = shown_value(after.values, other) == shown_value(before.values, other)
            assert same or other == chosen
    kept = [line for line in COMMENTED.splitlines() if line.lstrip().startswith("#")]
    assert [line for line in after.text.splitlines() if line.lstrip().startswith("#")] == kept


@given(st.sampled_from([each.path for each in Draft.of(TEMPLATE).fields]), TYPED)
def test_what_is_typed_and_taken_back_leaves_the_text_as_it_was(path: str, what: str) -> None:
    before = Draft.of(TEMPLATE)
    chosen = field(before, path)
    assert before.typed(chosen, shown_value(before.values, chosen)).text == TEMPLATE


def test_comments_within_a_list_stay_with_what_they_are_about() -> None:
    after = typed(COMMENTED, "arms[0].units", "UNI-10-1, UNI-10-9, UNI-10-3")
    assert '"UNI-10-1",  # the quick one\n' in after.text
    assert '"UNI-10-9",  # the slow one\n' in after.text


def test_units_are_added_and_taken_out_on_both_sides() -> None:
    more = typed(COMMENTED, "arms[0].units", "UNI-10-1, UNI-10-2, UNI-10-3, UNI-10-4")
    assert more.checked.others == (
        "arms: the arms are paired, but treatment has 4 units and control 3",
    )
    both = more.typed(field(more, "arms[1].units"), "UNI-11-1, UNI-11-2, UNI-11-3, UNI-11-4")
    assert both.checked.count == 0
    assert both.checked.registration is not None
    assert len(both.checked.registration.pairs) == 4


def test_an_extension_is_added_and_taken_out_without_a_trace() -> None:
    line = "mine_grass minecraft.mined:minecraft.grass_block"
    with_one = typed(TEMPLATE, "objectives.extend[0]", line)
    assert with_one.checked.registration is not None
    assert [o.name for o in with_one.checked.registration.extensions] == ["mine_grass"]
    assert with_one.text.startswith(TEMPLATE.rstrip("\n"))
    assert shown_value(with_one.values, field(with_one, "objectives.extend[0]")) == line
    without = with_one.typed(field(with_one, "objectives.extend[0]"), "")
    assert tomllib.loads(without.text) == tomllib.loads(TEMPLATE)
    wrong = typed(TEMPLATE, "objectives.extend[0]", "mine_grass minecraft.mined:minecraft.gras")
    assert "gras" in wrong.checked.by_path["objectives.extend[0]"]


def test_the_probe_s_tags_are_added_and_taken_out_again() -> None:
    one = typed(TEMPLATE, "probe.arm_values.treatment", "curious")
    assert list(one.checked.by_path) == ["probe.arm_values.control"]
    both = one.typed(field(one, "probe.arm_values.control"), "plain")
    assert both.checked.count == 0
    back = both.typed(field(both, "probe.arm_values.treatment"), "")
    back = back.typed(field(back, "probe.arm_values.control"), "")
    assert back.checked.count == 0


@pytest.mark.parametrize(
    ("path", "what", "words"),
    [
        ("gate.margin", "1", "must be a number of at least 0 and below 1"),
        ("gate.k_primary", "4", "must be from 1 to 3"),
        ("gate.interval_method", "tangoo", "the nearest is 'tango'"),
        ("arms[0].units", "", "must name at least one unit"),
        ("window.cycles", "", "must be a whole number"),
        ("run_id", "a b", "1 to 64 of"),
    ],
)
def test_what_is_wrong_stands_beside_the_field_in_the_validation_s_words(
    path: str, what: str, words: str
) -> None:
    draft = typed(TEMPLATE, path, what)
    assert words in draft.checked.by_path[path]
    chosen = field(draft, path)
    assert f"! {draft.checked.by_path[path]}"[:20] in field_line(
        chosen, draft.values, draft.checked, 120
    )
    assert words in told_of(chosen, draft.values, draft.checked)


def test_a_draft_that_is_no_toml_is_told_with_its_line() -> None:
    with pytest.raises(ConfigError, match="line 3"):
        Draft.of('schema = "x"\n\nrun_id = \n')


@pytest.mark.parametrize(
    "text",
    [
        "", "arms = 7\n", "gate = []\n", "[arms]\nrole = 1\n", "[[objectives]]\n",
        "[objectives]\nextend = 3\n", 'later_gates = [1, "a"]\n', "[probe]\narm_values = 3\n",
        "arms = [1, 2]\n", "window = {interval_s = 1}\n", "gate.margin = 0.1\n",
    ],
)  # fmt: skip
def test_an_odd_draft_has_its_fields_and_takes_what_it_can(text: str) -> None:
    draft = Draft.of(text)
    assert draft.checked.count > 0
    for each in draft.fields:
        field_line(each, draft.values, draft.checked, 80)
        try:
            draft.typed(each, "7")
        except DraftError as error:
            assert "in an editor" in str(error)  # noqa: PT017 - where it is refused, it says so


@given(st.integers(58, 200), TYPED)
def test_a_field_s_line_fits(width: int, what: str) -> None:
    draft = typed(TEMPLATE, "variable", what)
    assert all(
        cells(field_line(each, draft.values, draft.checked, width)) <= width
        for each in draft.fields
    )


@pytest.mark.parametrize(
    ("pairs", "accept", "words"),
    [
        (3, "", "it CANNOT PASS; the seal refuses it"),
        (3, "as an observation only", "it CANNOT PASS"),
        (6, "", "it can pass, and it can fail"),
        (6, "as an observation only", "the seal refuses it"),
    ],
)
def test_what_a_gate_can_come_to_is_said_first(pairs: int, accept: str, words: str) -> None:
    draft = Draft.of(draft_text("p1", pairs).replace('accept = ""', f'accept = "{accept}"'))
    assert draft.checked.registration is not None
    gate = draft.checked.registration.gate
    found = assess(gate, pairs)
    lines = feasibility_lines(found, gate, "", 60)
    assert words in " ".join(" ".join(lines[:2]).split())
    assert all(cells(line) <= 60 for line in lines)
    told = " ".join(" ".join(lines).split())
    assert all(" ".join(line.split()) in told for line in (*found.reasons, *found.lines))


def test_what_is_not_known_says_why() -> None:
    assert feasibility_lines(None, None, "computing ...", 60) == [
        "What this gate can come to: computing ..."
    ]


def test_the_state_says_whether_it_is_written_and_what_is_on_disk() -> None:
    checked = Draft.of(TEMPLATE).checked
    assert state_line(checked, changed=False, stale=False, read="r") == "draft, valid, as on disk"
    assert "NOT WRITTEN" in state_line(checked, changed=True, stale=False, read="r")
    stale = state_line(checked, changed=True, stale=True, read="F5")
    assert "CHANGED ON DISK" in stale
    assert "F5" in stale


def test_fields_are_in_the_order_of_the_page() -> None:
    paths = [each.path for each in fields_of({})]
    assert paths[0] == "schema"
    assert paths.index("window.cycles") < paths.index("gate.k_primary") < paths.index("gate.accept")
