"""The page for a person: everything that a sceptic asks for, and nothing that can mislead."""

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from report.cases import ANSWERS, TEXT, closed_run, notes
from runlog.runs import lines_of

from plateau_tui.metric.fence import CLAIM_FENCE
from plateau_tui.report.gather import Judged, judge
from plateau_tui.report.page import page
from plateau_tui.report.screen import screen_lines

SECTIONS = [
    "What was claimed before the run",
    "Verdict: PARTIAL",
    "Pairs",
    "Contrast",
    "Disclosures",
    "The adjudicator's answers",
    "Later gates",
    "Counters over the window",
    "What this rests on, and how to check it",
    "Exploratory, not part of the verdict",
]
HOSTILE = "</details><script>x</script> | a | **PASS** [ok](http://a.b) `x` \u202e ![i](j) # PASS"


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    return judge(closed_run(tmp_path_factory.mktemp("page") / "run"), ANSWERS)


def headings(text: str) -> list[str]:
    return [line.lstrip("# ") for line in text.splitlines() if line.startswith("#")]


def test_the_page_has_its_parts_in_order_and_the_fence_byte_for_byte(judged: Judged) -> None:
    text = page(judged)
    assert headings(text) == ["PARTIAL: p1-curiosity", *SECTIONS]
    assert text.count(CLAIM_FENCE) == 1
    assert text.endswith("\n")
    assert "%" not in text
    assert "| 1 | UNI-10-1 | curiosity | yes | cycle 1 | cycle 1 | cycle 1 | oak_log |" in text
    assert "| treatment (curiosity) | 3 of 3 | 3 of 3 | 3 of 3 | 3 of 3 |" in text
    assert "Difference Δ = +1.0000 over the pairs" in text
    assert "- OPEN: Phase 4: satiety" in text
    assert "SR-2: (a) cure-ineffective. Evidence: probe of cycle 3" in text
    assert "SR-4, attested by K. T." in text
    assert "sha256sum -c SHA256SUMS" in text


def test_an_unfinished_word_never_stands_without_saying_so(tmp_path: Path) -> None:
    judged = judge(closed_run(tmp_path / "run"))
    text = page(judged)
    assert headings(text)[:3] == [
        "PARTIAL (not final): p1-curiosity", SECTIONS[0], "Verdict: PARTIAL (not final)",
    ]  # fmt: skip
    assert "SR-2: unclassified" in text
    alone = re.compile(r"^#.*PARTIAL(?! \(not final\))", re.MULTILINE)
    assert not alone.search(text)
    shown = " ".join(" ".join(screen_lines(judged, "r")).replace("#", "").split())
    words = re.findall(r"PARTIAL(?: \(not final\)| if one half held)?", shown)
    assert set(words) == {"PARTIAL (not final)", "PARTIAL if one half held"}  # the seed's own


def test_exploratory_figures_stand_last_and_nowhere_else(judged: Judged) -> None:
    before, _, after = page(judged).partition("## Exploratory, not part of the verdict")
    assert "paired t" not in before
    assert "bootstrap" not in before
    assert "Blocks placed in all, by pair (treatment - control): 3 - 0, 3 - 0, 3 - 0." in after
    assert "paired t" not in "\n".join(screen_lines(judged, "r"))


def test_hostile_words_render_as_words(tmp_path: Path) -> None:
    text = TEXT.replace('label = "curiosity"', "label = '| **x** <b>'").replace(
        '"Phase 4: satiety"', "'''" + HOSTILE.replace("\u202e", "") + "'''"
    )
    text = text.replace(
        'variable = "novelty_gain: 0.5 in treatment, 0.0 in control"', "variable = '''- # <i>'''"
    ).replace('accept = ""', "accept = '<u>accepted</u> | x'")
    run = closed_run(tmp_path / "run", *notes([HOSTILE, "# a\n\n# b"]), text=text)
    answers = ANSWERS.replace(b"probe of cycle 3", b"<script>alert(1)</script> | x | **PASS** ")
    judged = judge(run, answers)
    with run.registration.open("ab") as file:
        file.write(b"# ```\n</code> \x1b[31m\n# <b>later</b>\n")
    for seen in (judged, judge(run, answers)):
        tokens = MarkdownIt("gfm-like").parse(page(seen))
        flat = [child for token in tokens for child in (token, *(token.children or []))]
        assert {t.type for t in flat} <= {
            "heading_open", "heading_close", "inline", "text", "text_special", "paragraph_open",
            "paragraph_close", "blockquote_open", "blockquote_close", "bullet_list_open",
            "bullet_list_close", "list_item_open", "list_item_close", "table_open", "table_close",
            "thead_open", "thead_close", "tbody_open", "tbody_close", "tr_open", "tr_close",
            "th_open", "th_close", "td_open", "td_close", "image", "code_block",
        }  # fmt: skip
        assert "\x1b" not in page(seen)
        cells = [sum(t.type == "td_open" for t in row) for row in table_rows(tokens)]
        assert set(cells) <= {0, 2, 5, 8}
        images = [t.attrs["src"] for t in flat if t.type == "image"]
        assert all(re.fullmatch(r"plots/(treatment|control)-[a-z]+\.svg", str(i)) for i in images)
    lines = list(screen_lines(judged, "r"))
    assert all(line.isprintable() and len(line) <= 80 for line in lines)


def table_rows(tokens: list[Token]) -> list[list[Token]]:
    rows: list[list[Token]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif rows:
            rows[-1].append(token)
    return rows


def test_a_note_that_narrates_felt_states_stands_there_with_a_warning(tmp_path: Path) -> None:
    run = closed_run(tmp_path / "run", *notes(["UNI-10-1 wants to build", "the disk is full"]))
    shown = page(judge(run))
    assert "op: UNI-10-1 wants to build" in shown
    assert "- Of these notes: wants: such words tell of felt states" in shown
    assert "Of these notes" not in page(judge(closed_run(tmp_path / "b", *notes(["the disk"]))))


def test_a_changed_registration_is_shown_line_by_line(tmp_path: Path) -> None:
    run = closed_run(tmp_path / "run")
    run.registration.write_text(TEXT.replace("k_primary = 2", "k_primary = 1"), encoding="utf-8")
    text = page(judge(run))
    assert "## registration.toml is not what was sealed" in text
    assert "    -k_primary = 2\n    +k_primary = 1\n" in text
    assert "at least 2 live treatment units" in text  # judged by what was sealed
    run.registration.write_bytes(TEXT.replace("\n", "\r\n").encode())
    assert "the bytes differ where no line does" in page(judge(run))
    run.registration.unlink()
    assert "is gone or cannot be read" in page(judge(run))


@pytest.mark.parametrize("method", ["tango", "newcombe10"])
def test_an_approximate_interval_has_the_exact_one_beside_it(tmp_path: Path, method: str) -> None:
    text = TEXT.replace("exact_unconditional", method)
    shown = page(judge(closed_run(tmp_path / "run", text=text)))
    assert f"Its 0.95 interval by {method}: " in shown
    assert "Beside it, the exact one (exact_unconditional): -0.4152 to +1.0000" in shown


def test_no_live_pair_and_few_pairs_are_told_in_words(tmp_path: Path) -> None:
    one = TEXT.replace('"UNI-10-1", "UNI-10-2", "UNI-10-3"', '"UNI-10-1"')
    one = one.replace('"UNI-11-1", "UNI-11-2", "UNI-11-3"', '"UNI-11-1"')
    one = one.replace("k_primary = 2", "k_primary = 1").replace(
        "k_secondary = 2", "k_secondary = 1"
    )
    shown = page(judge(closed_run(tmp_path / "run", text=one)))
    assert "Over 1 live pair:" in shown
    assert "- One pair cannot decide: " in shown
    assert "one pair has no spread" in shown


def test_what_is_unknown_or_void_is_said_beside_the_contrast(tmp_path: Path) -> None:
    text = TEXT.replace("max_absent_polls = 3", "max_absent_polls = 0")
    run = closed_run(tmp_path / "run", text=text)
    assert "counts against the claim" not in page(judge(run))
    assert "argues nothing" not in page(judge(run))
    unread = [re.sub(rb'"(stone|sand)":\d', rb'"\1":null', li) for li in lines_of(run.rows)]
    run.rows.write_bytes(b"".join(unread))
    shown = page(judge(run))
    assert "- What is unknown counts against the claim here: a treatment unit as not" in shown
    assert "- As read; the run is void, so this argues nothing." in shown
