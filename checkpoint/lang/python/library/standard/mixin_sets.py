"""The methods that sets inherit from collections.abc, and its views of mappings; see mixins.py."""

from __future__ import annotations

from collections import abc
from typing import Any


class Set:
    """See collections.abc.Set."""

    def __le__(self: Any, other: Any) -> Any:
        if not isinstance(other, abc.Set):
            return NotImplemented
        return len(self) <= len(other) and all(item in other for item in self)

    def __lt__(self: Any, other: Any) -> Any:
        if not isinstance(other, abc.Set):
            return NotImplemented
        return len(self) < len(other) and self.__le__(other)

    def __gt__(self: Any, other: Any) -> Any:
        if not isinstance(other, abc.Set):
            return NotImplemented
        return len(self) > len(other) and self.__ge__(other)

    def __ge__(self: Any, other: Any) -> Any:
        if not isinstance(other, abc.Set):
            return NotImplemented
        return len(self) >= len(other) and all(item in self for item in other)

    def __eq__(self: Any, other: Any) -> Any:
        if not isinstance(other, abc.Set):
            return NotImplemented
        return len(self) == len(other) and self.__le__(other)

    __hash__: Any = None

    @classmethod
    def _from_iterable(cls: Any, it: Any) -> Any:
        return cls(it)

    def __and__(self: Any, other: Any) -> Any:
        if not isinstance(other, abc.Iterable):
            return NotImplemented
        return self._from_iterable(item for item in other if item in self)

    def __rand__(self: Any, other: Any) -> Any:
        if not isinstance(other, abc.Iterable):
            return NotImplemented
        return self._from_iterable(item for item in other if item in self)

    def isdisjoint(self: Any, other: Any) -> Any:
        """See collections.abc.Set.isdisjoint."""
        return not any(item in self for item in other)

    def __or__(self: Any, other: Any) -> Any:
        if not isinstance(other, abc.Iterable):
            return NotImplemented
        return self._from_iterable(item for part in (self, other) for item in part)

    def __ror__(self: Any, other: Any) -> Any:
        if not isinstance(other, abc.Iterable):
            return NotImplemented
        return self._from_iterable(item for part in (self, other) for item in part)

    def __sub__(self: Any, other: Any) -> Any:
        if not isinstance(other, abc.Set):
            if not isinstance(other, abc.Iterable):
                return NotImplemented
            other = self._from_iterable(other)
        return self._from_iterable(item for item in self if item not in other)

    def __rsub__(self: Any, other: Any) -> Any:
        if not isinstance(other, abc.Set):
            if not isinstance(other, abc.Iterable):
                return NotImplemented
            other = self._from_iterable(other)
        return self._from_iterable(item for item in other if item not in self)

    def __xor__(self: Any, other: Any) -> Any:
        if not isinstance(other, abc.Set):
            if not isinstance(other, abc.Iterable):
                return NotImplemented
            other = self._from_iterable(other)
        return (self - other) | (other - self)

    def __rxor__(self: Any, other: Any) -> Any:
        if not isinstance(other, abc.Set):
            if not isinstance(other, abc.Iterable):
                return NotImplemented
            other = self._from_iterable(other)
        return (self - other) | (other - self)


class MutableSet:
    """See collections.abc.MutableSet."""

    def remove(self: Any, value: Any) -> Any:
        """See collections.abc.MutableSet.remove."""
        if value not in self:
            raise KeyError(value)
        self.discard(value)

    def pop(self: Any) -> Any:
        """See collections.abc.MutableSet.pop."""
        items = iter(self)
        try:
            value = next(items)
        except StopIteration:
            raise KeyError from None
        self.discard(value)
        return value

    def clear(self: Any) -> Any:
        """See collections.abc.MutableSet.clear."""
        try:
            while True:
                self.pop()
        except KeyError:
            return

    def __ior__(self: Any, it: Any) -> Any:
        for value in it:
            self.add(value)
        return self

    def __iand__(self: Any, it: Any) -> Any:
        for value in self - it:
            self.discard(value)
        return self

    def __ixor__(self: Any, it: Any) -> Any:
        if it is self:
            self.clear()
            return self
        others = it if isinstance(it, abc.Set) else self._from_iterable(it)
        for value in others:
            if value in self:
                self.discard(value)
            else:
                self.add(value)
        return self

    def __isub__(self: Any, it: Any) -> Any:
        if it is self:
            self.clear()
            return self
        for value in it:
            self.discard(value)
        return self


class mapped_iterator:
    """Iterate over a mapping's keys, making an item of each: its value, or the pair of both."""

    def __init__(self, mapping: Any, with_keys: Any) -> None:
        self.mapping = mapping
        self.with_keys = with_keys
        self.keys: Any = None

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.keys is None:
            self.keys = iter(self.mapping)
        key = next(self.keys)
        return (key, self.mapping[key]) if self.with_keys else self.mapping[key]


class View:
    """Gives views of mappings what they share."""

    def __init__(self, mapping: Any) -> None:
        self._mapping = mapping

    def __len__(self) -> Any:
        return len(self._mapping)

    def __repr__(self) -> Any:
        return f"{type(self).__name__}({self._mapping!r})"


class KeysView(View, Set):
    """See collections.abc.KeysView."""

    @classmethod
    def _from_iterable(cls, it: Any) -> Any:
        return set(it)

    def __contains__(self, key: Any) -> Any:
        return key in self._mapping

    def __iter__(self) -> Any:
        return iter(self._mapping)


class ItemsView(View, Set):
    """See collections.abc.ItemsView."""

    @classmethod
    def _from_iterable(cls, it: Any) -> Any:
        return set(it)

    def __contains__(self, item: Any) -> Any:
        key, value = item
        try:
            found = self._mapping[key]
        except KeyError:
            return False
        return value in (found,)

    def __iter__(self) -> Any:
        return mapped_iterator(self._mapping, True)


class ValuesView(View):
    """See collections.abc.ValuesView."""

    def __contains__(self, value: Any) -> Any:
        return any(value in (self._mapping[key],) for key in self._mapping)

    def __iter__(self) -> Any:
        return mapped_iterator(self._mapping, False)


VIEWS: dict[type, type] = {
    abc.KeysView: KeysView,
    abc.ItemsView: ItemsView,
    abc.ValuesView: ValuesView,
}
