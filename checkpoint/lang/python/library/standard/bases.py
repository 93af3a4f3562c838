"""The methods of dict and list for objects of classes that derive from them.

Written in the language that is translated. An object of such a class is one with attributes; the dictionary
or list that it is in Python is a field of it, "(items)". Where Python finds a method of dict or list, a
program finds the one here.
"""

from __future__ import annotations

from typing import Any

from checkpoint.lang.python.library.functions import MISSING, merged
from checkpoint.lang.python.library.intrinsics import prim


def items_of(x: Any) -> Any:
    """Return what an object holds as a dict or list; every other value itself."""
    return prim("py.attribute", x, "(items)") if prim("py.is-derived", x) else x


class DictBase:
    """See dict."""

    def __init__(self, *items: Any, **more: Any) -> None:
        if len(items) > 1:
            raise TypeError(f"dict expected at most 1 argument, got {len(items)}")
        prim("py.merge", merged(items_of(self), items[0] if len(items) > 0 else ()), more)

    def __len__(self) -> Any:
        return len(items_of(self))

    def __iter__(self) -> Any:
        return iter(list(items_of(self)))

    def __reversed__(self) -> Any:
        return iter(list(items_of(self))[::-1])

    def __contains__(self, key: Any) -> Any:
        return key in items_of(self)

    def __getitem__(self, key: Any) -> Any:
        items = items_of(self)
        if key not in items and prim("py.has-attribute", self, "__missing__"):
            return self.__missing__(key)  # type: ignore[attr-defined]  # of a derived class
        return items[key]

    def __setitem__(self, key: Any, value: Any) -> Any:
        prim("py.set", items_of(self), key, value)

    def __delitem__(self, key: Any) -> Any:
        prim("py.delete", items_of(self), key)

    def __put_back__(self, key: Any, value: Any) -> Any:
        prim("py.put-back", items_of(self), key, value)

    __hash__: Any = None

    def __eq__(self, other: Any) -> Any:
        found = items_of(other)
        return items_of(self) == found if isinstance(found, dict) else NotImplemented

    def __repr__(self) -> Any:
        return repr(items_of(self))

    def __or__(self, other: Any) -> Any:
        found = items_of(other)
        return items_of(self) | found if isinstance(found, dict) else NotImplemented

    def __ror__(self, other: Any) -> Any:
        found = items_of(other)
        return found | items_of(self) if isinstance(found, dict) else NotImplemented

    def __ior__(self, other: Any) -> Any:
        merged(items_of(self), other)
        return self

    def keys(self) -> Any:
        """See dict.keys."""
        return items_of(self).keys()

    def values(self) -> Any:
        """See dict.values."""
        return items_of(self).values()

    def items(self) -> Any:
        """See dict.items."""
        return items_of(self).items()

    def get(self, key: Any, default: Any = None, /) -> Any:
        """See dict.get."""
        return items_of(self).get(key, default)

    def pop(self, key: Any, default: Any = MISSING, /) -> Any:
        """See dict.pop."""
        items = items_of(self)
        if key in items or (isinstance(default, str) and default == MISSING):
            return items.pop(key)
        return default

    def popitem(self) -> Any:
        """See dict.popitem."""
        return items_of(self).popitem()

    def setdefault(self, key: Any, default: Any = None, /) -> Any:
        """See dict.setdefault."""
        items = items_of(self)
        if key not in items:
            prim("py.set", items, key, default)
        return items[key]

    def update(self, *others: Any, **more: Any) -> Any:
        """See dict.update."""
        if len(others) > 1:
            raise TypeError(f"update expected at most 1 argument, got {len(others)}")
        prim("py.merge", merged(items_of(self), others[0] if len(others) > 0 else ()), more)

    def clear(self) -> Any:
        """See dict.clear."""
        items_of(self).clear()

    def copy(self) -> Any:
        """See dict.copy."""
        return items_of(self).copy()


class ListBase:
    """See list."""

    def __init__(self, *items: Any) -> None:
        if len(items) > 1:
            raise TypeError(f"list expected at most 1 argument, got {len(items)}")
        own = items_of(self)
        own.clear()
        if len(items) > 0:
            own.extend(items[0])

    def __len__(self) -> Any:
        return len(items_of(self))

    def __iter__(self) -> Any:
        return iter(items_of(self))

    def __reversed__(self) -> Any:
        return iter(items_of(self)[::-1])

    def __contains__(self, item: Any) -> Any:
        return item in items_of(self)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return items_of(self)[index.start : index.stop : index.step]
        return items_of(self)[index]

    def __setitem__(self, index: Any, value: Any) -> Any:
        items = items_of(self)
        if isinstance(index, slice):
            items[index.start : index.stop : index.step] = list(value)
        else:
            items[index] = value

    def __delitem__(self, index: Any) -> Any:
        items = items_of(self)
        if isinstance(index, slice):
            del items[index.start : index.stop : index.step]
        else:
            del items[index]

    def __put_back__(self, index: Any, value: Any) -> Any:
        prim("py.put-back", items_of(self), index, value)

    __hash__: Any = None

    def __eq__(self, other: Any) -> Any:
        found = items_of(other)
        return items_of(self) == found if isinstance(found, list) else NotImplemented

    def __lt__(self, other: Any) -> Any:
        found = items_of(other)
        return items_of(self) < found if isinstance(found, list) else NotImplemented

    def __le__(self, other: Any) -> Any:
        found = items_of(other)
        return items_of(self) <= found if isinstance(found, list) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        found = items_of(other)
        return items_of(self) > found if isinstance(found, list) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        found = items_of(other)
        return items_of(self) >= found if isinstance(found, list) else NotImplemented

    def __repr__(self) -> Any:
        return repr(items_of(self))

    def __add__(self, other: Any) -> Any:
        found = items_of(other)
        if isinstance(found, list):
            return items_of(self) + found
        raise TypeError(f'can only concatenate list (not "{type(other).__name__}") to list')

    def __radd__(self, other: Any) -> Any:
        return other + items_of(self) if isinstance(other, list) else NotImplemented

    def __iadd__(self, other: Any) -> Any:
        items_of(self).extend(other)
        return self

    def __mul__(self, count: Any) -> Any:
        return items_of(self) * count

    def __rmul__(self, count: Any) -> Any:
        return count * items_of(self)

    def __imul__(self, count: Any) -> Any:
        found = items_of(self) * count
        items_of(self).clear()
        items_of(self).extend(found)
        return self

    def append(self, item: Any, /) -> Any:
        """See list.append."""
        items_of(self).append(item)

    def extend(self, items: Any, /) -> Any:
        """See list.extend."""
        items_of(self).extend(items)

    def insert(self, index: Any, item: Any, /) -> Any:
        """See list.insert."""
        items_of(self).insert(index, item)

    def pop(self, index: Any = -1, /) -> Any:
        """See list.pop."""
        return items_of(self).pop(index)

    def remove(self, item: Any, /) -> Any:
        """See list.remove."""
        items_of(self).remove(item)

    def clear(self) -> Any:
        """See list.clear."""
        items_of(self).clear()

    def index(self, item: Any, *bounds: Any) -> Any:
        """See list.index."""
        return items_of(self).index(item, *bounds)

    def count(self, item: Any, /) -> Any:
        """See list.count."""
        return items_of(self).count(item)

    def sort(self, *, key: Any = None, reverse: Any = False) -> Any:
        """See list.sort."""
        items_of(self).sort(key=key, reverse=reverse)

    def reverse(self) -> Any:
        """See list.reverse."""
        items_of(self).reverse()

    def copy(self) -> Any:
        """See list.copy."""
        return items_of(self).copy()


BASES: dict[type, type] = {dict: DictBase, list: ListBase}
