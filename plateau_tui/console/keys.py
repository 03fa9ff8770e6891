"""The keys of all screens as one table: what config.toml may name, and what it may set."""

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol, runtime_checkable

from textual.binding import Binding, BindingType
from textual.keys import Keys, format_key

from plateau_tui.metric.objectives import nearest
from plateau_tui.metric.tables import ConfigError

_MODIFIERS: Final = ("ctrl+", "alt+", "shift+")
_KNOWN: Final = frozenset(str(key.value) for key in Keys)

_IN_WORDS: Final = frozenset({"backspace"})
"""Keys whose sign few fonts have."""

OWN_KEYS: Final = {
    "run.wizard": "w", "run.poll": "r", "run.pin": "p", "run.collect": "c", "run.close": "x",
    "run.verdict": "v", "run.journal": "l", "run.open": "o", "run.down": "j", "run.up": "k",
    "journal.problems": "p", "journal.next": "n",
    "wizard.check": "c", "wizard.register": "g", "wizard.watch": "w", "wizard.also": "a",
    "wizard.pin": "p", "wizard.seal": "s", "back": "escape", "app.leave": "q",
    "page.down": "j", "page.up": "k", "page.copy": "y", "gate.read": "r", "gate.write": "w",
    "verdict.export": "e", "run.answers": "i", "run.marked-next": "right_square_bracket",
    "replay.find": "slash", "replay.later": "a", "run.gate": "g",
}  # fmt: skip
"""The keys that texts name, by the id of their binding, where config.toml sets none."""


def key_shown(key: str) -> str:
    """Return a key as the line of keys spells it: ] for right_square_bracket, ^p for ctrl+p."""
    modifiers, bare = Binding(key, "").parse_key()
    shown = bare if bare in _IN_WORDS else format_key(bare)
    if "ctrl" in modifiers:
        modifiers.remove("ctrl")
        shown = f"^{shown}"
    return "+".join([*modifiers, shown])


@dataclass(frozen=True, slots=True)
class KeyNames:
    """What a text calls a key: by its binding's id, as it is mapped now (``given`` by id)."""

    given: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, binding_id: str) -> str:
        """Return the first key of a binding as the line of keys spells it.

        Raises:
            KeyError: no text names that binding.

        """
        return key_shown(self.given.get(binding_id, OWN_KEYS[binding_id]).split(",")[0].strip())


PLAIN_KEYS: Final = KeyNames()


@dataclass(frozen=True, slots=True)
class KeysElsewhere(KeyNames):
    """What texts on another screen call the keys of a run's: ``first`` goes to that one."""

    names: KeyNames = PLAIN_KEYS
    first: str = ""

    def __getitem__(self, binding_id: str) -> str:
        """Return a key of the run behind the one that goes there; a command as it is.

        Raises:
            KeyError: no text names that binding.

        """
        name = self.names[binding_id]
        is_key = binding_id.startswith("run.") and " " not in name
        return f"{self.first}, then {name}" if is_key else name


@runtime_checkable
class NamesKeys(Protocol):
    """An application that knows how its keys are mapped."""

    key_names: KeyNames


def check_keys(
    source: str, given: Mapping[str, str], screens: Mapping[str, list[BindingType]]
) -> None:
    """Check remapped keys before the screen is drawn.

    Args:
        source: the file that sets them.
        given: binding id -> keys, several with commas.
        screens: all bindings that work on each screen, by its name.

    Raises:
        ConfigError: an id that no key has, a key that no terminal sends, or one key for two
            things on one screen.

    """
    by_screen = {name: list(_keys_of(bindings)) for name, bindings in screens.items()}
    ids = {binding_id for keys in by_screen.values() for binding_id, _ in keys if binding_id}
    problems = [
        f"keys.{name} is no key of the console{nearest(name, sorted(ids))}"
        for name in given
        if name not in ids
    ]
    problems += [
        f"keys.{name}: {key!r} is no key; use a letter, f2, ctrl+t, space, question_mark"
        for name, keys in given.items()
        for key in (each.strip() for each in keys.split(","))
        if not _is_key(key)
    ]
    if not problems:
        problems = list(_clashes(given, by_screen))
    if problems:
        raise ConfigError(source, problems)


def _keys_of(bindings: list[BindingType]) -> Iterator[tuple[str, str]]:
    """Yield (id, key) of each binding, one key at a time."""
    for binding in bindings:
        if isinstance(binding, Binding):
            for key in binding.key.split(","):
                yield binding.id or "", key.strip()


def _is_key(text: str) -> bool:
    base = text
    for modifier in _MODIFIERS:
        base = base.removeprefix(modifier)
    if base in _KNOWN or (len(base) == 1 and base.isprintable() and base != " "):
        return True
    try:
        unicodedata.lookup(base.replace("_", " "))
    except KeyError:
        return False
    return True


def _clashes(
    given: Mapping[str, str], by_screen: Mapping[str, list[tuple[str, str]]]
) -> Iterator[str]:
    for screen, keys in by_screen.items():
        owner: dict[str, str] = {}
        for binding_id, key in keys:
            now = given.get(binding_id, key) if binding_id else key
            for each in (_long_name(part.strip()) for part in now.split(",")):
                other = owner.setdefault(each, binding_id)
                if other != binding_id and (binding_id in given or other in given):
                    names = " and ".join(sorted({other, binding_id} - {""}))
                    yield f"keys: {each!r} would do two things on the {screen} screen ({names})"


def _long_name(key: str) -> str:
    """Return a key's name as Textual spells it: question_mark for ?."""
    if len(key) == 1 and not key.isalnum():
        return unicodedata.name(key, key).lower().replace("-", "_").replace(" ", "_")
    return key
