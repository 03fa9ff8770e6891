"""Whether an SVG holds nothing but what matplotlib draws: no script, no link, no picture.

A plot that another version of matplotlib drew cannot be compared byte for byte; what it could do
in a reader's browser can be told all the same.
"""

import re
from dataclasses import dataclass
from typing import Final
from xml.parsers import expat

_SVG: Final = "http://www.w3.org/2000/svg"
_RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_DC: Final = "http://purl.org/dc/elements/1.1/"
_CC: Final = "http://creativecommons.org/ns#"
_XLINK: Final = "http://www.w3.org/1999/xlink"
_DTD: Final = "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd"

_PLACED: Final = frozenset({"id", "style", "x", "y", "transform", "clip-path"})
_ELEMENTS: Final = {
    f"{_SVG} svg": frozenset({"width", "height", "viewBox", "version"}),
    f"{_SVG} style": frozenset({"type"}),
    f"{_SVG} path": _PLACED | {"d"},
    f"{_SVG} use": _PLACED | {f"{_XLINK} href"},
    f"{_SVG} rect": _PLACED | {"width", "height"},
    f"{_RDF} RDF": frozenset[str](),
    f"{_CC} Work": frozenset[str](),
    f"{_CC} Agent": frozenset[str](),
    f"{_DC} type": frozenset({f"{_RDF} resource"}),
    **{f"{_SVG} {name}": _PLACED for name in ("g", "text", "tspan", "clipPath")},
    **{f"{_SVG} {name}": frozenset[str]() for name in ("title", "metadata", "defs")},
    **{f"{_DC} {name}": frozenset[str]() for name in ("title", "description", "format", "creator")},
}
"""Element -> the attributes that matplotlib gives it."""

_SHEET: Final = re.compile(r"\s*\*\s*\{(?:\s*stroke-line(?:join|cap)\s*:\s*[a-z]+\s*;?)*\s*\}\s*")
"""The style sheet of every version: how lines are joined and end."""
_REFERENCE: Final = re.compile(r"url\(#[\w.-]+\)")
_STYLE: Final = re.compile(r"[\w\s:;,.#'\"%+-]*")
_AGENT: Final = f"{_CC} Agent"
_VERSION: Final = re.compile(r"Matplotlib v([0-9][0-9A-Za-z.+]*)(?:,.*)?")


class _ForeignError(ValueError):
    """Something that matplotlib does not write."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a plot says of itself.

    ``foreign`` is what matplotlib does not write, None where there is nothing of the kind;
    ``version`` is that of the matplotlib that drew it, and ``description`` what it is said to
    show, both empty where it does not say.
    """

    foreign: str | None
    version: str
    description: str


def look_at(svg: bytes) -> Drawing:
    """Go through an SVG; the first thing in it that matplotlib does not write is named."""
    reader = _Reader()
    foreign = None
    try:
        reader.read(svg)
    except _ForeignError as error:
        foreign = str(error)
    except (expat.ExpatError, ValueError, LookupError) as error:
        foreign = f"is no SVG: {error}"
    return Drawing(foreign, reader.version, reader.description)


class _Reader:
    """Expat's events; entities and processing instructions end it before they do anything."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._text: list[str] = []
        self.version = self.description = ""
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text.append
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.ProcessingInstructionHandler = self._instruction

    def read(self, svg: bytes) -> None:
        self._parser.Parse(svg, True)  # noqa: FBT003 - expat takes it by its place

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        known = _ELEMENTS.get(name)
        misplaced = name != f"{_SVG} svg" if not self._open else self._open[-1] == f"{_SVG} style"
        if known is None or misplaced:
            raise _ForeignError(f"has the element {_short(name)}, which matplotlib does not write")
        for attribute, value in attributes.items():
            if attribute not in known:
                raise _ForeignError(
                    f"has the attribute {_short(attribute)} of {_short(name)}, which matplotlib "
                    "does not write"
                )
            _check_value(attribute, value)
        self._open.append(name)
        self._text.clear()

    def _end(self, name: str) -> None:
        text = "".join(self._text)
        self._text.clear()
        if name == f"{_SVG} style" and not _SHEET.fullmatch(text):
            raise _ForeignError("has a style sheet that matplotlib does not write")
        self._open.pop()
        if name == f"{_DC} description":
            self.description = text
        if name == f"{_DC} title" and self._open[-1:] == [_AGENT]:
            found = _VERSION.fullmatch(text.strip())
            self.version = found.group(1) if found else ""

    def _doctype(self, name: str, system: str | None, public: str | None, internal: int) -> None:
        del public
        if internal or name != "svg" or system != _DTD:
            raise _ForeignError("declares what matplotlib does not")

    def _instruction(self, target: str, data: str) -> None:
        del data
        raise _ForeignError(f"has the processing instruction {target[:40]}")


def _check_value(attribute: str, value: str) -> None:
    if attribute == f"{_XLINK} href" and not value.startswith("#"):
        raise _ForeignError("links to what is not in it")
    if attribute in {"style", "clip-path"} and not _STYLE.fullmatch(_REFERENCE.sub("", value)):
        raise _ForeignError("has a style that matplotlib does not write")


def _short(name: str) -> str:
    return name.rpartition(" ")[2][:40]
