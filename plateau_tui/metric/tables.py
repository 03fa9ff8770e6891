"""Reading a configuration table by hand-written rules, collecting every problem with its path."""

import math
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NoReturn

from plateau_tui.metric.objectives import nearest

MAX_TOML_BYTES: Final = 262_144
_KEY_PART: Final = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_ENDLESS_KEY: Final = re.compile(
    rf"""(?<![\w"'-]){_KEY_PART}(?:[ \t]*+\.[ \t]*+{_KEY_PART}){{32,}}"""
)
"""A key of more parts than any table has: the parser's time grows with their square."""

_MARK: Final = "\ufeff"
"""What some editors put before UTF-8 text; TOML has no place for it."""
_MAX_SHOWN: Final = 400
_INT_BITS: Final = 64

MOST_PROBLEMS: Final = 20
"""Problems of one file that are kept; of more, how many there are."""
_MOST_IN_LINE: Final = 8
_MOST_OF_PROBLEM: Final = 600
_MOST_OF_SOURCE: Final = 300


def shown(text: str, limit: int = _MAX_SHOWN) -> str:
    """Return foreign text on one line, printable and at most ``limit`` characters long."""
    cut = text[:limit]
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in cut)[:limit]
    return line if line == text else f"{line[: limit - 1]}…" if len(text) > limit else line


class ConfigError(ValueError):
    """A configuration file that cannot be used; ``problems`` are one line each, and not many."""

    exit_code = 2

    def __init__(self, source: str, problems: Iterable[str]) -> None:
        self.source = source
        self.problems = tuple(_cut(problem, _MOST_OF_PROBLEM) for problem in problems)
        told = first_of(self.problems, _MOST_IN_LINE)
        super().__init__(f"{_cut(source, _MOST_OF_SOURCE)}: {'; '.join(told)}")


def first_of(told: Sequence[str], most: int) -> list[str]:
    """Return the first ``most`` of what is told, and how many more there are."""
    more = len(told) - most
    return [*told[:most], f"+{more} more"] if more > 0 else list(told)


def _cut(text: str, most: int) -> str:
    """Return a line of at most ``most`` characters; its end may say what to do, and stays."""
    half = most // 2 - 1
    return text if len(text) <= most else f"{text[:half]}…{text[-half:]}"


def parse_toml(text: bytes, source: str) -> dict[str, object]:
    """Return what a TOML file says.

    Raises:
        ConfigError: it is no TOML, or of a kind that is only made to keep a parser busy.

    """
    if len(text) > MAX_TOML_BYTES:
        raise ConfigError(source, [f"is larger than {MAX_TOML_BYTES} bytes"])
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise ConfigError(source, [f"line {line}: is not UTF-8 text"]) from None
    if decoded.startswith(_MARK):
        raise ConfigError(source, ["begins with a byte order mark; save it as UTF-8 without one"])
    endless = _ENDLESS_KEY.search(decoded)
    if endless is not None:
        line = decoded.count("\n", 0, endless.start()) + 1
        raise ConfigError(source, [f"line {line}: no key has so many parts"])
    try:
        return tomllib.loads(decoded)
    except RecursionError:
        raise ConfigError(source, ["is not valid TOML: it is nested too deeply"]) from None
    except (ValueError, OverflowError) as error:
        # Not every one is a TOMLDecodeError: a number of 5,000 digits is int()'s own complaint.
        raise ConfigError(source, [f"is not valid TOML: {shown(str(error))}"]) from None


def _told(value: object) -> str:
    """Return a wrong value for a message, whatever its size and depth."""
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, int) and value.bit_length() > _INT_BITS:
        return "a number of more than 64 bits"
    return shown(repr(value[:_MAX_SHOWN] if isinstance(value, str) else value), 80)


@dataclass
class Problems:
    """Collects what is wrong with one file, so that it can be told at once.

    ``found`` are the first of it, at most ``MOST_PROBLEMS``; ``more`` counts the rest.
    """

    source: str
    found: list[str] = field(default_factory=list)
    more: int = 0

    @property
    def is_full(self) -> bool:
        """Whether no further problem is told in words."""
        return len(self.found) >= MOST_PROBLEMS

    def add(self, path: str, text: str) -> None:
        """Note that the value at the key ``path`` is wrong."""
        if self.is_full:
            self.more += 1
        else:
            self.found.append(f"{shown(path, 120)}: {shown(text)}")

    def raise_if_any(self) -> None:
        """Raise what was found, if anything was.

        Raises:
            ConfigError: something was found.

        """
        if self.found:
            self.fail()

    def fail(self) -> NoReturn:
        """Raise what was found."""
        more = [f"+{self.more} more"] if self.more else []
        raise ConfigError(self.source, [*self.found, *more])


@dataclass(frozen=True)
class Table:
    """One table of a parsed TOML file, at the key path ``path``; a missing one is empty."""

    values: Mapping[str, object]
    path: str
    problems: Problems

    def _at(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def known(self, *keys: str) -> None:
        """Refuse every key that is not one of ``keys``, naming the nearest."""
        for key in self.values:
            if key not in keys:
                # To look for the nearest of each of 30,000 keys would take many seconds.
                near = "" if self.problems.is_full else nearest(key, keys)
                self.problems.add(self._at(key), f"unknown key{near}")

    def wrong(self, key: str, text: str) -> None:
        """Note that the value of ``key`` is wrong."""
        self.problems.add(self._at(key), text)

    def table(self, key: str) -> "Table":
        """Return the table under ``key``."""
        value = self.values.get(key, {})
        if not isinstance(value, Mapping):
            self.wrong(key, f"must be a table ([{self._at(key)}]), not {_told(value)}")
            value = {}
        return Table(value, self._at(key), self.problems)

    def tables(self, key: str) -> list["Table"]:
        """Return the tables of the array ``[[key]]``."""
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
            self.wrong(key, f"must be an array of tables ([[{self._at(key)}]])")
            return []
        return [
            Table(item, f"{self._at(key)}[{index}]", self.problems)
            for index, item in enumerate(value)
        ]

    def text(self, key: str, default: str | None = None, *, empty: bool = False) -> str:
        """Return a string; without a default it must be there, and not be empty."""
        value = self.values.get(key, default)
        if value is None:
            self.wrong(key, "is missing; it must be a text in quotes")
        elif not isinstance(value, str):
            self.wrong(key, f"must be a text in quotes, not {_told(value)}")
        elif not value.strip() and not empty:
            self.wrong(key, "must not be empty")
        else:
            return value
        return ""

    def choice(self, key: str, options: tuple[str, ...], default: str | None = None) -> str:
        """Return one of ``options``."""
        value = self.text(key, default)
        if value and value not in options:
            self.wrong(
                key,
                f"{_told(value)} is not one of {', '.join(options)}{nearest(value, options)}",
            )
            return default or options[0]
        return value

    def texts(self, key: str, *, required: bool = False) -> tuple[str, ...]:
        """Return a list of strings."""
        value = self.values.get(key)
        if value is None and not required:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.wrong(key, 'must be a list of texts, like ["a", "b"]')
            return ()
        return tuple(value)

    def truth(self, key: str) -> bool | None:
        """Return true or false; None where the key is not there."""
        value = self.values.get(key)
        if value is not None and not isinstance(value, bool):
            self.wrong(key, f"must be true or false, not {_told(value)}")
            return None
        return value

    def integer(self, key: str, default: int | None = None, *, low: int, high: int) -> int:
        """Return a whole number from ``low`` to ``high``."""
        value = self.values.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int):
            missing = "is missing; it" if value is None else f"is {_told(value)}; it"
            self.wrong(key, f"{missing} must be a whole number from {low} to {high}")
        elif not low <= value <= high:
            self.wrong(key, f"is {_told(value)}; it must be from {low} to {high}")
        else:
            return value
        return low

    def number(self, key: str, rule: str, valid: Callable[[float], bool]) -> float:
        """Return a finite number for which ``valid`` holds; ``rule`` says in words what that is."""
        value = self.values.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            missing = "is missing; it" if value is None else f"is {_told(value)}; it"
            self.wrong(key, f"{missing} must be a number {rule}")
        elif (
            (isinstance(value, int) and value.bit_length() > _INT_BITS)
            or not math.isfinite(value)
            or not valid(float(value))
        ):
            self.wrong(key, f"is {_told(value)}; it must be a number {rule}")
        else:
            return float(value)
        return math.nan
