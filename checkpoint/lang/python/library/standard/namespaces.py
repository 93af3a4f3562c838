"""The attributes of an object as a dictionary, `vars(x)`, written in the language that is translated.

A Namespace stands for the `__dict__` of an object: it holds the object, and reads and changes its attributes
themselves, past the properties and `__setattr__` of the class, as in Python.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from checkpoint.lang.python.library.functions import MISSING, merged
from checkpoint.lang.python.library.intrinsics import prim
from checkpoint.lang.python.library.standard.containers import Mapping


class Namespace(Mapping):
    """The attributes of an object. of: the object."""

    def __init__(self, of: Any) -> None:
        self.of = of

    @property
    def table(self) -> Any:
        """Return the attributes now, as a new dictionary."""
        found = prim("py.dict")
        for name in prim("py.own-names", self.of):
            prim("py.set", found, name, prim("py.attribute", self.of, name))
        return found

    def __len__(self) -> Any:
        return len(prim("py.own-names", self.of))

    def __contains__(self, key: Any) -> Any:
        return prim("py.names-own", self.of, key)

    def __iter__(self) -> Any:
        return iter(list(prim("py.own-names", self.of)))

    def __getitem__(self, key: Any) -> Any:
        if prim("py.names-own", self.of, key):
            return prim("py.attribute", self.of, key)
        raise KeyError(key)

    def __setitem__(self, key: Any, value: Any) -> Any:
        prim("py.set-attribute", prim("py.with-namespace", self.of), prim("py.attribute-key", key), value)

    def __delitem__(self, key: Any) -> Any:
        if not prim("py.names-own", self.of, key):
            raise KeyError(key)
        prim("py.delete-attribute", prim("py.with-namespace", self.of), key)

    def __put_back__(self, key: Any, value: Any) -> None:
        prim("py.put-back-attribute", self.of, key, value)

    def __or__(self, other: Any) -> Any:
        return merged(self.table, other)

    def __ror__(self, other: Any) -> Any:
        return merged(dict(other), self.table)

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def get(self, key: Any, default: Any = None) -> Any:
        """See dict.get."""
        if key in self:
            return self[key]
        return default

    def pop(self, key: Any, default: Any = MISSING) -> Any:
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
        names = prim("py.own-names", self.of)
        if len(names) == 0:
            raise KeyError("popitem(): dictionary is empty")
        return names[-1], self.pop(names[-1])

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """See dict.setdefault."""
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, other: Any = (), /, **more: Any) -> Any:
        """See dict.update."""
        new = merged(merged(prim("py.dict"), other), more)
        for key in prim("py.keys", new):
            self[key] = new[key]

    def clear(self) -> Any:
        """See dict.clear."""
        for name in prim("py.own-names", self.of):
            del self[name]

    def copy(self) -> Any:
        """See dict.copy."""
        return self.table


class SimpleNamespace:
    """See types.SimpleNamespace."""

    def __init__(self, mapping: Any = (), /, **named: Any) -> None:
        vars(self).update(mapping, **named)

    def __eq__(self, other: Any) -> Any:
        if isinstance(other, SimpleNamespace) and isinstance(self, SimpleNamespace):
            return vars(self).copy() == vars(other).copy()
        return NotImplemented

    __hash__: Any = None

    def __repr__(self) -> Any:
        name = "namespace" if type(self) is SimpleNamespace else type(self).__name__
        return name + "(" + ", ".join([f"{key}={value!r}" for key, value in vars(self).items()]) + ")"


def vars_(x: Any, /) -> Any:
    """See builtins.vars."""
    if not prim("py.has-namespace", x):
        raise TypeError("vars() argument must have __dict__ attribute")
    return Namespace(x)


def attributes_of(x: Any) -> Any:
    """Return x.__dict__."""
    if not prim("py.has-namespace", x):
        raise AttributeError(f"{type(x).__name__!r} object has no attribute '__dict__'")
    return Namespace(x)


FUNCTIONS: dict[Any, Callable[..., Any]] = {builtins.vars: vars_}
