"""The methods that classes inherit from the abstract classes of collections.abc.

Written in the language that is translated, since Python's own have no text (their module is frozen). A
program finds the methods here where Python finds those of collections.abc; what is not here (abstract
methods, `Set._hash`) is Python's. An iterator is an object here where Python runs a generator.
"""

from __future__ import annotations

import types
from collections import abc
from typing import Any

from checkpoint.lang.python.library.functions import MISSING
from checkpoint.lang.python.library.standard.mixin_sets import (
    ItemsView,
    KeysView,
    MutableSet,
    Set,
    ValuesView,
)


class indexed_iterator:
    """Iterate over a sequence by its `__getitem__`, from a place in steps of 1 or -1."""

    def __init__(self, of: Any, step: Any) -> None:
        self.of = of
        self.step = step
        self.at: Any = 0 if step > 0 else None

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.at is None and self.step < 0:
            self.at = len(self.of) - 1
        if self.step == 0 or self.at < 0:
            raise StopIteration
        if self.step < 0:
            item = self.of[self.at]
        else:
            try:
                item = self.of[self.at]
            except IndexError:
                self.step = 0
                raise StopIteration from None
        self.at += self.step
        return item


class Iterator:
    """See collections.abc.Iterator."""

    def __iter__(self) -> Any:
        return self


class Mapping:
    """See collections.abc.Mapping."""

    def get(self: Any, key: Any, default: Any = None) -> Any:
        """See collections.abc.Mapping.get."""
        try:
            return self[key]
        except KeyError:
            return default

    def __contains__(self: Any, key: Any) -> Any:
        try:
            self[key]
        except KeyError:
            return False
        return True

    def keys(self) -> Any:
        """See collections.abc.Mapping.keys."""
        return KeysView(self)

    def items(self) -> Any:
        """See collections.abc.Mapping.items."""
        return ItemsView(self)

    def values(self) -> Any:
        """See collections.abc.Mapping.values."""
        return ValuesView(self)

    __hash__: Any = None

    def __eq__(self: Any, other: Any) -> Any:
        if not isinstance(other, abc.Mapping):
            return NotImplemented
        return dict(self.items()) == dict(other.items())


class MutableMapping:
    """See collections.abc.MutableMapping."""

    def pop(self: Any, key: Any, default: Any = MISSING) -> Any:
        """See collections.abc.MutableMapping.pop."""
        try:
            value = self[key]
        except KeyError:
            if isinstance(default, str) and default == MISSING:
                raise
            return default
        del self[key]
        return value

    def popitem(self: Any) -> Any:
        """See collections.abc.MutableMapping.popitem."""
        try:
            key = next(iter(self))
        except StopIteration:
            raise KeyError from None
        value = self[key]
        del self[key]
        return key, value

    def clear(self: Any) -> Any:
        """See collections.abc.MutableMapping.clear."""
        try:
            while True:
                self.popitem()
        except KeyError:
            return

    def update(self: Any, other: Any = (), /, **more: Any) -> Any:
        """See collections.abc.MutableMapping.update."""
        if isinstance(other, abc.Mapping):
            for key in other:
                self[key] = other[key]
        elif hasattr(other, "keys"):
            for key in other.keys():  # noqa: SIM118  # as Python: its `__iter__` is not asked
                self[key] = other[key]
        else:
            for key, value in other:
                self[key] = value
        for key, value in more.items():
            self[key] = value

    def setdefault(self: Any, key: Any, default: Any = None) -> Any:
        """See collections.abc.MutableMapping.setdefault."""
        try:
            return self[key]
        except KeyError:
            self[key] = default
        return default


class Sequence:
    """See collections.abc.Sequence."""

    def __iter__(self) -> Any:
        return indexed_iterator(self, 1)

    def __contains__(self: Any, value: Any) -> Any:
        return any(value in (item,) for item in self)

    def __reversed__(self) -> Any:
        return indexed_iterator(self, -1)

    def index(self: Any, value: Any, start: Any = 0, stop: Any = None) -> Any:
        """See collections.abc.Sequence.index."""
        if start is not None and start < 0:
            start = max(len(self) + start, 0)
        if stop is not None and stop < 0:
            stop += len(self)
        at = start
        while stop is None or at < stop:
            try:
                item = self[at]
            except IndexError:
                break
            if value in (item,):
                return at
            at += 1
        raise ValueError

    def count(self: Any, value: Any) -> Any:
        """See collections.abc.Sequence.count."""
        return sum([1 for item in self if value in (item,)])


class MutableSequence:
    """See collections.abc.MutableSequence."""

    def append(self: Any, value: Any) -> Any:
        """See collections.abc.MutableSequence.append."""
        self.insert(len(self), value)

    def clear(self: Any) -> Any:
        """See collections.abc.MutableSequence.clear."""
        try:
            while True:
                self.pop()
        except IndexError:
            return

    def reverse(self: Any) -> Any:
        """See collections.abc.MutableSequence.reverse."""
        n = len(self)
        for i in range(n // 2):
            self[i], self[n - i - 1] = self[n - i - 1], self[i]

    def extend(self: Any, values: Any) -> Any:
        """See collections.abc.MutableSequence.extend."""
        if values is self:
            values = list(values)
        for value in values:
            self.append(value)

    def pop(self: Any, index: Any = -1) -> Any:
        """See collections.abc.MutableSequence.pop."""
        value = self[index]
        del self[index]
        return value

    def remove(self: Any, value: Any) -> Any:
        """See collections.abc.MutableSequence.remove."""
        del self[self.index(value)]

    def __iadd__(self: Any, values: Any) -> Any:
        self.extend(values)
        return self


MIXINS: dict[type, type] = {
    abc.Iterator: Iterator,
    abc.Set: Set,
    abc.MutableSet: MutableSet,
    abc.Mapping: Mapping,
    abc.MutableMapping: MutableMapping,
    abc.Sequence: Sequence,
    abc.MutableSequence: MutableSequence,
}


def _merged(cls: type, own: type) -> types.MappingProxyType[str, Any]:
    """Return what an abstract class stores, with the methods here in the place of Python's."""
    methods = {
        name: member
        for name, member in vars(own).items()
        if isinstance(member, types.FunctionType | classmethod)
    }
    return types.MappingProxyType({**vars(cls), **methods})


STORED: dict[type, types.MappingProxyType[str, Any]] = {cls: _merged(cls, own) for cls, own in MIXINS.items()}
