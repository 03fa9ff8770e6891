"""A mapping that cannot be changed and that, unlike a mapping proxy, goes between processes."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NoReturn, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class FrozenMap(Mapping[K, V]):
    """A copy of a mapping, in its order; equal to every mapping with the same items."""

    __slots__ = ("_items",)
    _items: Mapping[K, V]

    def __init__(self, values: Mapping[K, V]) -> None:
        object.__setattr__(self, "_items", MappingProxyType(dict(values)))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"this mapping does not change: {name}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"this mapping does not change: {name}")

    def __getitem__(self, key: K) -> V:
        return self._items[key]

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return repr(dict(self._items))

    def __reduce__(self) -> tuple[type["FrozenMap[K, V]"], tuple[dict[K, V]]]:
        return type(self), (dict(self._items),)
