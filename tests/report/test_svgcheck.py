"""An SVG that matplotlib draws passes; anything that could act, link or load does not."""

import pytest
from metric.texts import EXTENSION, parsed
from report.cases import TEXT
from report.test_plots import drawn, filled

from plateau_tui.report.svgcheck import look_at


@pytest.fixture(scope="module")
def plot(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    book = filled(parsed(TEXT + EXTENSION), 4, frozenset({1}))
    return drawn(book, tmp_path_factory.mktemp("svg") / "p")["treatment-mined.svg"]


def put(plot: bytes, old: str, new: str) -> bytes:
    assert plot.count(old.encode()) >= 1
    return plot.replace(old.encode(), new.encode(), 1)


END, ROOT, PATH = "</svg>", '<svg xmlns:xlink="', "<path d="
XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
FOREIGN = {
    "a script": (END, "<script>alert(1)</script></svg>"),
    "a script of SVG's own": (END, '<script xlink:href="http://a.b/c.js"/></svg>'),
    "a foreign object": (END, "<foreignObject><p>PASS</p></foreignObject></svg>"),
    "HTML": (END, '<h:script xmlns:h="http://www.w3.org/1999/xhtml">1</h:script></svg>'),
    "a picture": (END, '<image xlink:href="http://a.b/c.png"/></svg>'),
    "a picture inside": (END, '<image xlink:href="data:image/png;base64,AA=="/></svg>'),
    "a link": (END, '<a xlink:href="http://a.b"><text>ok</text></a></svg>'),
    "a use of elsewhere": (END, '<use xlink:href="http://a.b/c.svg#d"/></svg>'),
    "a plain href": (END, '<use href="#d"/></svg>'),
    "an animation": (END, '<set attributeName="x" to="0"/></svg>'),
    "a filter": (END, '<filter id="f"/></svg>'),
    "a handler at the root": (ROOT, f'<svg onload="alert(1)" {ROOT[5:]}'),
    "a handler on a path": (PATH, '<path onclick="alert(1)" d='),
    "a class": (PATH, '<path class="x" d='),
    "a base": (ROOT, f'<svg xml:base="http://a.b/" {ROOT[5:]}'),
    "a style that loads": ("fill: none", "fill: url(http://a.b/c.svg#d)"),
    "a style that loads, escaped": ("fill: none", "fill: \\75rl(http://a.b)"),
    "a style with an image set": ("fill: none", "mask: image-set('http://a.b' 1x)"),
    "a clip of elsewhere": (PATH, '<path clip-path="url(http://a.b/c.svg#d)" d='),
    "a sheet that imports": ("*{stroke-linejoin", "@import 'http://a.b';*{stroke-linejoin"),
    "a sheet that hides": ("*{stroke-linejoin", "text{display:none}*{stroke-linejoin"),
    "a sheet in pieces": (
        '<style type="text/css">', '<style type="text/css">text{display:none}<path/>',
    ),
    "another sheet": (END, "<style>path{display:none}</style></svg>"),
    "a sheet by an instruction": ("<!DOCTYPE", '<?xml-stylesheet href="http://a.b"?><!DOCTYPE'),
    "an entity": ('svg11.dtd">', 'svg11.dtd" [<!ENTITY a "b">]>'),
    "another DTD": ("http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd", "http://a.b/c.dtd"),
    "half a file": (END, ""),
    "more behind it": (END, "</svg><svg/>"),
}  # fmt: skip


def test_what_matplotlib_draws_is_no_finding(plot: bytes) -> None:
    assert look_at(plot).foreign is None


@pytest.mark.parametrize(("old", "new"), FOREIGN.values(), ids=FOREIGN.keys())
def test_what_matplotlib_does_not_write_is_named(plot: bytes, old: str, new: str) -> None:
    foreign = look_at(put(plot, old, new)).foreign
    assert foreign is not None
    assert foreign.isprintable() or foreign.startswith("is no SVG")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (END, '<g id="a"><use xlink:href="#m1" x="1" y="2" style="stroke: #000000"/></g></svg>'),
        (END, '<clipPath id="p1"><rect x="1" y="2" width="3" height="4"/></clipPath></svg>'),
        (PATH, '<path clip-path="url(#p1)" d='),
        ("*{stroke-linejoin: round; stroke-linecap: butt}",
         "*{stroke-linecap:butt;stroke-linejoin:round;}"),
        (END, "<!-- UNI-10-1 --></svg>"),
        ("font-size: 8px; font-family: 'DejaVu Sans'", "font: 8px 'DejaVu Sans'"),
    ],
)  # fmt: skip
def test_what_other_versions_of_matplotlib_write_is_no_finding(
    plot: bytes, old: str, new: str
) -> None:
    assert look_at(put(plot, old, new)).foreign is None


@pytest.mark.parametrize("data", [b"", b"\0", b"<svg", b"PASS", b"<svg/>", b"\xff\xfe<"])
def test_what_is_no_svg_is_told_as_such(data: bytes) -> None:
    assert look_at(data).foreign is not None


def test_a_bomb_of_entities_is_not_unfolded() -> None:
    more = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 30))
    data = f'<!DOCTYPE svg [<!ENTITY a0 "x">{more}]><svg>&a29;</svg>'
    assert look_at(data.encode()).foreign == "declares what matplotlib does not"


def test_the_version_is_the_creators_and_nobody_elses(plot: bytes) -> None:
    version = look_at(plot).version
    assert version
    shown = put(plot, "<title>", "<title>Matplotlib v0.1, ")
    assert look_at(put(shown, "<dc:title>", "<dc:title>Matplotlib v0.2, ")).version == version
    assert look_at(put(plot, "<dc:title>Matplotlib v", "<dc:title>by v")).version == ""
