"""Foreign text in Markdown renders as exactly what it is: never as markup, never as structure."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from plateau_tui.metric.tables import shown
from plateau_tui.report.markdown import plain, table, verbatim

PARSER = MarkdownIt("gfm-like")
if PARSER.linkify is not None:
    # GFM (6.9) links what begins with www. or a scheme, and e-mail; a bare "0.al" is only text.
    PARSER.linkify.set({"fuzzy_link": False})
NASTY = [
    "# not a heading", "- not an item", "1. nor this", "12) nor this", "> no quote", "---", "===",
    "a | b || c", "*a* _b_ __c__ ~~d~~ `e`", "<script>alert(1)</script>", "<!-- gone -->",
    "&lt;&#64;",
    "[a](b) ![x](y.png) [z]: http://a.b", "http://a.b https://a.b www.a.b", ":smile:", "$x^2$",
    "a\\", "\\", "\\|", "place_dirt _x_y_ a_", "tab\there\nline\r\nfeed", "\x1b[31mred", "",
    "    indented", "```\ncode", "+ plus", "- [ ] task", "a  \nb", "\u2028x", "==h==", "~~~",
    "x@y.org", "\u202egnp",
]  # fmt: skip


def text_of(tokens: list[object]) -> str:
    """The text that a renderer shows; any token that is not text is a failure."""
    shown_text = []
    for token in tokens:
        kind, content = getattr(token, "type", ""), getattr(token, "content", "")
        assert kind in {"text", "text_special"}, (kind, content)
        shown_text.append(content)
    return "".join(shown_text)


@pytest.mark.parametrize("text", NASTY)
@pytest.mark.parametrize("before", ["", "- ", "| a | b |\n| --- | --- |\n| "])
def test_nasty_text_is_only_text(text: str, before: str) -> None:
    holds(text, before)


@given(st.text(st.characters(codec="utf-8"), max_size=60), st.sampled_from(["", "- ", "lead: "]))
@example("&amp;", "- ")
@example("_a_", "")
@example("0.AL", "")
def test_any_text_is_only_text(text: str, before: str) -> None:
    holds(text, before)


def holds(text: str, before: str) -> None:
    escaped = plain(text)
    assert "\n" not in escaped
    wanted = " ".join(shown(" ".join(text.split())).split())
    if before.startswith("|"):
        tokens = PARSER.parse(f"{before}{escaped} | x |\n")
        cells = [t for t in tokens if t.type == "inline"]
        assert len(cells) == 4  # neither a cell more nor a row more
        inline = cells[2]
    else:
        tokens = PARSER.parse(f"{before}{escaped}\n")
        inlines = [t for t in tokens if t.type == "inline"]
        if not wanted and not inlines:
            return
        (inline,) = inlines
        assert {t.type for t in tokens} <= {
            "inline", "paragraph_open", "paragraph_close", "bullet_list_open", "bullet_list_close",
            "list_item_open", "list_item_close",
        }  # fmt: skip
    lead = before if before == "lead: " else ""
    assert text_of(list(inline.children or [])) == f"{lead}{wanted}".strip()


@given(st.lists(st.text(max_size=30), max_size=5))
def test_verbatim_lines_never_leave_their_block(lines: list[str]) -> None:
    block = verbatim(lines)
    assert len(block) == len(lines)
    tokens = PARSER.parse("\n".join(["before", "", *block, "", "after"]))
    assert {t.type for t in tokens} <= {
        "paragraph_open", "paragraph_close", "inline", "code_block",
    }  # fmt: skip
    assert [t.content for t in tokens if t.type == "inline"] == ["before", "after"]


def test_a_table_has_as_many_cells_as_its_head() -> None:
    lines = table(("a", "b"), [["1", plain("x | y")]])
    assert lines == ["| a | b |", "| --- | --- |", "| 1 | x \\| y |"]
