"""Reading a configuration table by hand-written rules, collecting every problem with its path."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from plateau_tui.metric.objectives import nearest


class ConfigError(ValueError):
    """A configuration file that cannot be used; ``problems`` are one line each."""

    exit_code = 2

    def __init__(self, source: str, problems: Iterable[str]) -> None:
        self.source = source
        self.problems = tuple(problems)
        super().__init__(f"{source}: " + "; ".join(self.problems))


@dataclass
class Problems:
    """Collects what is wrong with one file, so that all of it can be told at once."""

    source: str
    found: list[str] = field(default_factory=list)

    def add(self, path: str, text: str) -> None:
        """Note that the value at the key ``path`` is wrong."""
        self.found.append(f"{path}: {text}")

    def raise_if_any(self) -> None:
        """Raise what was found, if anything was.

        Raises:
            ConfigError: something was found.

        """
        if self.found:
            self.fail()

    def fail(self) -> NoReturn:
        """Raise what was found."""
        raise ConfigError(self.source, self.found)


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
                self.problems.add(self._at(key), f"unknown key{nearest(key, keys)}")

    def wrong(self, key: str, text: str) -> None:
        """Note that the value of ``key`` is wrong."""
        self.problems.add(self._at(key), text)

    def table(self, key: str) -> "Table":
        """Return the table under ``key``."""
        value = self.values.get(key, {})
        if not isinstance(value, Mapping):
            self.wrong(key, f"must be a table ([{self._at(key)}]), not {value!r}")
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
            self.wrong(key, f"must be a text in quotes, not {value!r}")
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
                key, f"'{value}' is not one of {', '.join(options)}{nearest(value, options)}"
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

    def integer(self, key: str, default: int | None = None, *, low: int, high: int) -> int:
        """Return a whole number from ``low`` to ``high``."""
        value = self.values.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int):
            missing = "is missing; it" if value is None else f"is {value!r}; it"
            self.wrong(key, f"{missing} must be a whole number from {low} to {high}")
        elif not low <= value <= high:
            self.wrong(key, f"is {value}; it must be from {low} to {high}")
        else:
            return value
        return low

    def number(self, key: str, rule: str, valid: Callable[[float], bool]) -> float:
        """Return a finite number for which ``valid`` holds; ``rule`` says in words what that is."""
        value = self.values.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            missing = "is missing; it" if value is None else f"is {value!r}; it"
            self.wrong(key, f"{missing} must be a number {rule}")
        elif not math.isfinite(value) or not valid(float(value)):
            self.wrong(key, f"is {value}; it must be {rule}")
        else:
            return float(value)
        return math.nan
