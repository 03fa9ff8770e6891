"""The registration as a form: its fields, and a draft's text with one of them changed.

A draft stays a text: comments, order and spacing are the operator's, and a field changes nothing
but its own value (tomlkit). What is valid is said by ``metric.registration``, not here.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Array, Item
from tomlkit.toml_document import TOMLDocument

from plateau_tui.console.look.plainchars import tame
from plateau_tui.metric.contrast import METHODS
from plateau_tui.metric.registration import REGISTRATION_SCHEMA, Registration, parse_registration
from plateau_tui.metric.tables import ConfigError, parse_toml, shown
from plateau_tui.resources import game_ids

Kind = Literal["text", "list", "number", "extension"]
Key = str | int
_SOURCE: Final = "registration.toml"
_Row = tuple[str, Kind, str, tuple[str, ...]]
_ARM: Final[tuple[_Row, ...]] = (
    ("role", "text", "treatment or control", ("treatment", "control")),
    ("label", "text", "what the arm is called, up to 32 characters", ()),
    ("kin", "number", "its kin's number, as the units' names bear it", ()),
    ("units", "list", "player names with commas; the i-th is paired with the other arm's i-th", ()),
)
_GATE: Final[tuple[_Row, ...]] = (
    ("k_primary", "number", "so many live treatment units must place a block", ()),
    ("k_secondary", "number", "so many of them must mine two kinds beyond their farmed wood", ()),
    ("margin", "number", "the paired difference and its interval must exceed it; 0 to below 1", ()),
    ("confidence", "number", "of the interval; above 0.5 and below 1, like 0.95", ()),
    ("interval_method", "text", "how the interval is computed; the exact ones err as claimed",
     METHODS),
    ("contrast_on", "text", "primary: asked of PRIMARY as well, never instead",
     ("plateau_break", "primary")),
    ("max_absent_polls", "number", "absent from the list for more polls in a row is not live", ()),
    ("wood", "text", "all_logs: the stricter reading of SECONDARY", ("baseline_only", "all_logs")),
    ("place", "text", "beyond_table: the stricter reading of PRIMARY", ("any", "beyond_table")),
    ("start_counts", "text", "offset: subtract what counters stood at when registered",
     ("zero", "offset")),
    ("accept", "text", "the sentence with which an infeasible gate is sealed all the same", ()),
)  # fmt: skip
_BY_HAND: Final = "change the file in an editor"
_NEW_EXTENSION: Final = "NAME CRITERION adds an objective: context, never scored"


class DraftError(ValueError):
    """A change that cannot be made in the text; the message says what to do."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Field:
    """One value of the registration: where it stands, its meaning, the words it may be."""

    keys: tuple[Key, ...]
    kind: Kind
    meaning: str
    choices: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The key's path as messages of the validation name it: ``arms[0].units``."""
        told = ""
        for key in self.keys:
            told += f"[{key}]" if isinstance(key, int) else f".{key}" if told else key
        return told


@dataclass(frozen=True, slots=True)
class Checked:
    """What is to be said of a draft: the registration, or what is wrong, by the field's path."""

    registration: Registration | None
    by_path: Mapping[str, str]
    others: tuple[str, ...]
    """What is wrong with no field of the form alone."""

    @property
    def count(self) -> int:
        """How many things are wrong."""
        return len(self.by_path) + len(self.others)


def fields_of(values: Mapping[str, object]) -> tuple[Field, ...]:
    """Return the fields of a draft, in the order of the registration's page."""
    return tuple(_fields(values))


def _fields(values: Mapping[str, object]) -> Iterator[Field]:
    yield Field(("schema",), "text", "the form of this file", (REGISTRATION_SCHEMA,))
    yield Field(("run_id",), "text", "the run's name in its log: A-Z a-z 0-9 _ . -")
    yield Field(("variable",), "text", "the one variable in which the arms differ (SR-4)")
    yield Field(("later_gates",), "list", "gates whose structure was borrowed; they stay OPEN")
    for place in range(max(2, _length(values.get("arms")))):
        for name, kind, meaning, choices in _ARM:
            yield Field(("arms", place, name), kind, meaning, choices)
    yield Field(("window", "interval_s"), "number", "seconds between polls, at least 0.2")
    yield Field(("window", "cycles"), "number", "N, the window in polls")
    for name, kind, meaning, choices in _GATE:
        yield Field(("gate", name), kind, meaning, choices)
    for role in ("treatment", "control"):
        meaning = f"the probe's tag that proves the {role} arm; empty: none is asked"
        yield Field(("probe", "arm_values", role), "text", meaning)
    section = values.get("objectives")
    added = _length(section.get("extend")) if isinstance(section, Mapping) else 0
    for place in range(added):
        yield Field(("objectives", "extend", place), "extension", "empty takes it out again")
    yield Field(("objectives", "extend", added), "extension", _NEW_EXTENSION)


def _length(value: object) -> int:
    return len(value) if isinstance(value, list) else 0


def read_values(text: str) -> dict[str, object]:
    """Return what a draft's text says.

    Raises:
        ConfigError: it is no TOML.

    """
    return parse_toml(text.encode("utf-8"), _SOURCE)


def check_draft(text: str, fields: Sequence[Field]) -> Checked:
    """Return what the registration's own rules say of a draft, beside the fields they name."""
    try:
        return Checked(parse_registration(text.encode("utf-8"), game_ids()), {}, ())
    except ConfigError as error:
        by_path: dict[str, str] = {}
        others: list[str] = []
        for problem in error.problems:
            path, _, what = problem.partition(": ")
            named = next((f.path for f in fields if f"{path}.".startswith(f"{f.path}.")), None)
            if named is None or named in by_path:
                others.append(problem)
            else:
                by_path[named] = what if named == path else f"{path[len(named) + 1 :]} {what}"
        return Checked(None, by_path, tuple(others))


def value_of(values: Mapping[str, object], field: Field) -> object:
    """Return what stands at a field; None where nothing does."""
    found: object = values
    for key in field.keys:
        if isinstance(found, Mapping) and isinstance(key, str):
            found = found.get(key)
        elif isinstance(found, list) and isinstance(key, int) and key < len(found):
            found = found[key]
        else:
            return None
    return found


def shown_value(values: Mapping[str, object], field: Field) -> str:
    """Return a field's value as it is typed; empty where nothing stands."""
    value = value_of(values, field)
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        plain = not any("," in item or item != item.strip() or not item for item in value)
        return ", ".join(value) if plain else _toml(value)
    if field.kind == "extension" and isinstance(value, Mapping):
        return " ".join(str(value.get(name, "")) for name in ("name", "criterion")).strip()
    return _toml(value)


def value_to_type(values: Mapping[str, object], field: Field) -> str:
    """Return a field's value as it stands to be typed over: nothing in it acts on a terminal."""
    return tame(shown_value(values, field))


def hides(values: Mapping[str, object], field: Field) -> bool:
    """Say whether a value has characters that are not shown as they are."""
    return value_to_type(values, field) != shown_value(values, field)


def _toml(value: object) -> str:
    return tomlkit.item(value).as_string().strip()


def with_field(text: str, field: Field, typed: str) -> str:
    """Return a draft with one field set to what was typed; all else stays, byte for byte.

    An empty text takes away what may be left out, or sets its default. What is no valid value is
    set all the same: the validation says what is wrong with it. What stands to be typed over
    changes nothing, also where it does not show all of the value.

    Raises:
        DraftError: the text is written in a way that this cannot change.

    """
    before = read_values(text)
    if typed in {shown_value(before, field), value_to_type(before, field)}:
        return text
    try:
        document = tomlkit.parse(text)
        if field.kind == "extension":
            _set_extension(document, cast("int", field.keys[-1]), typed)
        else:
            _set(document, field, typed)
        made = tomlkit.dumps(document)
        after = tomllib.loads(made)
    except (TOMLKitError, ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        told = shown(str(error), 80)
        raise DraftError(f"{field.path} cannot be set here ({told}): {_BY_HAND}") from None
    gone = field.kind == "extension" and not typed.split()
    if _without(after, field, gone=gone) != _without(before, field):
        raise DraftError(f"{field.path} cannot be set without changing another key: {_BY_HAND}")
    return made


def _set(document: TOMLDocument, field: Field, typed: str) -> None:
    *way, last = field.keys
    table: object = document
    for key, following in zip(way, field.keys[1:], strict=True):
        table = _step(table, key, following)
    assert isinstance(last, str)  # noqa: S101 - the form's own fields
    holder = cast("dict[str, object]", table)
    if not typed.strip() and field.keys[0] == "probe":
        holder.pop(last, None)
        if not holder:
            cast("dict[str, object]", document["probe"]).pop("arm_values", None)
    else:
        old = holder.get(last)
        left_out = not typed.strip() and field.choices and field.keys[0] == "gate"
        new = field.choices[0] if left_out else _typed_value(field.kind, typed)
        if isinstance(old, Array) and isinstance(new, list):
            _refill(old, new)
        else:
            holder[last] = new


def _step(table: object, key: Key, following: Key) -> object:
    """Return what stands under ``key``, made where nothing does."""
    if isinstance(key, int):
        items = cast("list[object]", table)
        while len(items) <= key:
            items.append(tomlkit.table())
        return items[key]
    holder = cast("dict[str, object]", table)
    if key not in holder:
        made: Item = tomlkit.aot() if isinstance(following, int) else tomlkit.table()
        if key == "probe":
            made = tomlkit.table(is_super_table=True)
        holder[key] = made
    return holder[key]


def _refill(array: Array, items: Sequence[str]) -> None:
    """Set a list item by item: the comments and lines between them stay."""
    for place, item in enumerate(items[: len(array)]):
        if array[place] != item:
            array[place] = item
    while len(array) > len(items):
        array.pop()
    for item in items[len(array) :]:
        array.append(item)


def _typed_value(kind: Kind, typed: str) -> object:
    if kind == "list":
        return _typed_list(typed)
    if kind == "number":
        try:
            value = tomlkit.value(typed.strip())
        except (TOMLKitError, ValueError):
            return typed
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return value if number else typed
    return typed


def _typed_list(typed: str) -> list[str]:
    if typed.lstrip().startswith("["):
        try:
            found = tomllib.loads(f"a = {typed}")["a"]
        except (ValueError, KeyError):
            found = None
        if isinstance(found, list) and all(isinstance(item, str) for item in found):
            return found
    return [word.strip() for word in typed.split(",") if word.strip()]


def _set_extension(document: TOMLDocument, place: int, typed: str) -> None:
    words = typed.split(None, 1)
    if "objectives" not in document:
        document["objectives"] = tomlkit.table(is_super_table=True)
    section = cast("dict[str, object]", document["objectives"])
    if not isinstance(section.get("extend"), AoT):
        section["extend"] = tomlkit.aot()
    tables = cast("AoT", section["extend"])
    if not words:
        del tables[place]
        if not tables:
            section.pop("extend")
        if not section:
            document.pop("objectives")
        return
    if place == len(tables):
        tables.append(tomlkit.table())
    table = cast("dict[str, object]", tables[place])
    table["name"] = words[0]
    table["criterion"] = words[1].strip() if len(words) > 1 else ""


def _without(values: Mapping[str, object], field: Field, *, gone: bool = False) -> object:
    """Return what a draft says but for one field, to see that nothing else was changed.

    ``gone`` says that the field's entry is out of its list already.
    """
    if field.kind != "extension":
        return _pruned(values, field.keys)
    section = values.get("objectives")
    listed = section.get("extend") if isinstance(section, Mapping) else None
    items = list(listed) if isinstance(listed, list) else []
    place = cast("int", field.keys[-1])
    others = items if gone else items[:place] + items[place + 1 :]
    return {k: v for k, v in values.items() if k != "objectives"}, others


def _pruned(value: object, keys: tuple[Key, ...]) -> object:
    """Return a value without what stands at ``keys``, and without what is empty then."""
    first, *rest = keys
    if isinstance(value, Mapping):
        kept = {k: v for k, v in value.items() if k != first}
        if rest and first in value:
            inner = _pruned(value[str(first)], tuple(rest))
            if inner not in ({}, []):
                kept[str(first)] = inner
        return kept
    if isinstance(value, list) and isinstance(first, int):
        return [
            _pruned(item, tuple(rest)) if place == first else item
            for place, item in enumerate(value)
            if place != first or rest
        ]
    return value


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft's text with what it says, its fields, and what is wrong with it."""

    text: str
    values: Mapping[str, object]
    fields: tuple[Field, ...]
    checked: Checked

    @classmethod
    def of(cls, text: str) -> "Draft":
        """Return the draft that a text is.

        Raises:
            ConfigError: it is no TOML.

        """
        values = read_values(text)
        fields = fields_of(values)
        return cls(text, values, fields, check_draft(text, fields))

    def typed(self, field: Field, typed: str) -> "Draft":
        """Return the draft with one field set to what was typed.

        Raises:
            DraftError: the text is written in a way that this cannot change.

        """
        made = with_field(self.text, field, typed)
        return self if made == self.text else Draft.of(made)
