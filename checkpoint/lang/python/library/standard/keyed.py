"""Dictionaries whose keys may be anything that can be hashed: reals, objects, functions, sets.

Keys of the language's own dictionaries are constants. A program of which a run has met another key makes all
its dictionaries KeyedDicts instead, whose keys are values of the run: reals keep their derivatives, objects
their identity. They are found as elements of sets are, by tokens (library/hashing.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.lang.python.library.functions import MISSING
from checkpoint.lang.python.library.hashing import token
from checkpoint.lang.python.library.intrinsics import prim
from checkpoint.lang.python.library.standard.containers import Mapping


class KeyedDict(Mapping):
    """See dict. named: the keys by their tokens. held: the values by the tokens of their keys."""

    def __init__(self, items: Any = (), /, **more: Any) -> None:
        self.named = prim("py.dict")
        self.held = prim("py.dict")
        self.update(items, **more)

    @property
    def table(self) -> Any:
        """Return a dictionary of the language, whose keys are constants."""
        found = prim("py.dict")
        for key, value in self.items():
            prim("py.set", found, key, value)
        return found

    def __len__(self) -> Any:
        return len(self.named)

    def __iter__(self) -> Any:
        return iter(prim("py.values", self.named))

    def __reversed__(self) -> Any:
        return iter(prim("py.values", self.named)[::-1])

    def __contains__(self, key: Any) -> Any:
        return token(key, self.named) in self.named

    def __getitem__(self, key: Any) -> Any:
        at = token(key, self.named)
        if at not in self.named:
            raise KeyError(key)
        return prim("py.item", self.held, at)

    def __setitem__(self, key: Any, value: Any) -> Any:
        at = token(key, self.named)
        if at not in self.named:
            prim("py.set", self.named, at, key)
        prim("py.set", self.held, at, value)

    def __delitem__(self, key: Any) -> Any:
        at = token(key, self.named)
        if at not in self.named:
            raise KeyError(key)
        self._delete(key, at)

    def _delete(self, key: Any, at: Any) -> None:
        """Delete an item; others with keys of the same hash get their tokens again."""
        if not (isinstance(at, tuple) and len(at) == 3):
            prim("py.delete", self.named, at)
            prim("py.delete", self.held, at)
            return
        others = [item for item in self.items() if token(item[0], self.named) != at]
        self.clear()
        for other, value in others:
            self[other] = value

    def __put_back__(self, key: Any, value: Any) -> Any:
        prim("py.put-back", self.held, token(key, self.named), value)

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, dict | Mapping) or len(self) != len(other):
            return False
        others: Any = other
        for key in prim("py.values", self.named):
            if key not in others:
                return False
            mine, its = self[key], others[key]
            if not prim("py.is-same", mine, its) and not mine == its:
                return False
        return True

    __hash__: Any = None

    def __or__(self, other: Any) -> Any:
        if not isinstance(other, dict | Mapping):
            return NotImplemented
        found = KeyedDict(self)
        found.update(other)
        return found

    def __ror__(self, other: Any) -> Any:
        if not isinstance(other, dict | Mapping):
            return NotImplemented
        found = KeyedDict(other)
        found.update(self)
        return found

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def keys(self) -> Any:
        """See dict.keys."""
        return prim("py.values", self.named)

    def values(self) -> Any:
        """See dict.values."""
        return prim("py.values", self.held)

    def items(self) -> Any:
        """See dict.items."""
        keys, values = prim("py.values", self.named), prim("py.values", self.held)
        return [(keys[i], values[i]) for i in range(len(keys))]

    def get(self, key: Any, default: Any = None, /) -> Any:
        """See dict.get."""
        at = token(key, self.named)
        return prim("py.item", self.held, at) if at in self.named else default

    def pop(self, key: Any, default: Any = MISSING, /) -> Any:
        """See dict.pop."""
        if key in self:
            value = self[key]
            del self[key]
            return value
        if isinstance(default, str) and default == MISSING:
            raise KeyError(key)
        return default

    def popitem(self) -> Any:
        """See dict.popitem."""
        if len(self) == 0:
            raise KeyError("popitem(): dictionary is empty")
        key = prim("py.values", self.named)[-1]
        return key, self.pop(key)

    def setdefault(self, key: Any, default: Any = None, /) -> Any:
        """See dict.setdefault."""
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, other: Any = (), /, **more: Any) -> Any:
        """See dict.update."""
        if isinstance(other, dict):
            for key in prim("py.keys", other):
                self[key] = other[key]
        elif prim("py.has-keys", other):
            for key in other.keys():  # noqa: SIM118  # as Python: its `__iter__` is not asked
                self[key] = other[key]
        else:
            for pair in other:
                key, value = pair
                self[key] = value
        for name in prim("py.keys", more):
            self[name] = more[name]

    def clear(self) -> Any:
        """See dict.clear."""
        prim("py.clear", self.named)
        prim("py.clear", self.held)

    def copy(self) -> Any:
        """See dict.copy."""
        return KeyedDict(self)


def keyed(items: Any = (), /, **more: Any) -> Any:
    """See builtins.dict."""
    return KeyedDict(items, **more)


def displayed(parts: Any) -> Any:
    """Return the dictionary of a display; parts: each key, followed by its value."""
    found = KeyedDict()
    for i in range(0, len(parts), 2):
        found[parts[i]] = parts[i + 1]
    return found


def item_of_constants(table: Any, key: Any) -> Any:
    """Return table[key], of a dictionary of the language and a key of any kind."""
    if prim("py.contains", table, key):
        return prim("py.item", table, key)
    raise KeyError(key)


def without(x: Any, keys: Any) -> Any:
    """Return a dictionary without some keys."""
    found = KeyedDict(x)
    for key in keys:
        del found[key]
    return found


def with_more(found: Any, mapping: Any) -> Any:
    """Return a dictionary with the items of a mapping added."""
    found.update(mapping)
    return found


FUNCTIONS: dict[Any, Callable[..., Any]] = {each: each for each in (keyed, displayed, with_more, without)}
