"""The classes ChainMap and Counter of collections, written in the language that is translated."""

from __future__ import annotations

from typing import Any

from checkpoint.lang.python.library.standard.containers import Mapping


class ChainMap(Mapping):
    """See collections.ChainMap; maps: its dictionaries."""

    maps: Any

    def __init__(self, *maps: Any) -> None:
        self.maps = list(maps) if len(maps) > 0 else [{}]

    @property
    def table(self) -> Any:
        """A dictionary of all."""
        found: Any = {}
        for each in reversed(self.maps):
            found.update(each)
        return found

    def __iter__(self) -> Any:
        return iter(list(self.table))

    def __reversed__(self) -> Any:
        return iter(list(self.table)[::-1])

    def __getitem__(self, key: Any) -> Any:
        for each in self.maps:
            if key in each:
                return each[key]
        raise KeyError(key)

    def __contains__(self, key: Any) -> Any:
        return any(key in each for each in self.maps)

    def get(self, key: Any, default: Any = None) -> Any:
        """See ChainMap.get."""
        for each in self.maps:
            if key in each:
                return each[key]
        return default

    def __setitem__(self, key: Any, value: Any) -> Any:
        self.maps[0][key] = value

    def __delitem__(self, key: Any) -> Any:
        if key not in self.maps[0]:
            raise KeyError(f"Key not found in the first mapping: {key!r}")
        del self.maps[0][key]

    def pop(self, key: Any, *default: Any) -> Any:
        """See ChainMap.pop."""
        if key in self.maps[0] or len(default) > 0:
            return self.maps[0].pop(key, *default)
        raise KeyError(f"Key not found in the first mapping: {key!r}")

    def popitem(self) -> Any:
        """See ChainMap.popitem."""
        if len(self.maps[0]) == 0:
            raise KeyError("No keys found in the first mapping.")
        return self.maps[0].popitem()

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """See dict.setdefault."""
        if key not in self:
            self.maps[0][key] = default
        return self[key]

    def update(self, other: Any = (), **more: Any) -> Any:
        """See dict.update."""
        self.maps[0].update(other.table if isinstance(other, Mapping) else other, **more)

    def clear(self) -> Any:
        """See ChainMap.clear."""
        self.maps[0].clear()

    def new_child(self, m: Any = None, **more: Any) -> Any:
        """See ChainMap.new_child."""
        first = {} if m is None else m
        first.update(more)
        return ChainMap(first, *self.maps)

    @property
    def parents(self) -> Any:
        """See ChainMap.parents."""
        return ChainMap(*self.maps[1:])

    def copy(self) -> Any:
        """See ChainMap.copy."""
        return ChainMap(self.maps[0].copy(), *self.maps[1:])

    def __copy__(self) -> Any:
        return self.copy()


class Counter(Mapping):
    """See collections.Counter."""

    def __init__(self, iterable: Any = None, /, **more: Any) -> None:
        self.table = {}
        self.update(iterable, **more)

    def __getitem__(self, key: Any) -> Any:
        return self.table.get(key, 0)

    def __delitem__(self, key: Any) -> Any:
        if key in self.table:
            del self.table[key]

    def update(self, iterable: Any = None, /, **more: Any) -> Any:
        """See Counter.update."""
        self._add(iterable, 1)
        self._add(more, 1)

    def subtract(self, iterable: Any = None, /, **more: Any) -> Any:
        """See Counter.subtract."""
        self._add(iterable, -1)
        self._add(more, -1)

    def _add(self, other: Any, sign: Any) -> Any:
        if isinstance(other, Mapping):
            self._add(other.table, sign)
        elif isinstance(other, dict):
            for key, count in other.items():
                if sign < 0:
                    self.table[key] = self[key] - count
                else:
                    self.table[key] = count + self[key] if key in self.table else count
        elif other is not None:
            for key in other:
                self.table[key] = self[key] + sign

    def most_common(self, n: Any = None) -> Any:
        """See Counter.most_common."""
        found = sorted(self.table.items(), key=lambda pair: pair[1], reverse=True)
        return found if n is None else found[: max(n, 0)]

    def elements(self) -> Any:
        """See Counter.elements, as a list."""
        return [key for key, count in self.table.items() for _ in range(count)]

    def total(self) -> Any:
        """See Counter.total."""
        return sum(self.table.values())

    def copy(self) -> Any:
        """See Counter.copy."""
        return Counter(self.table)

    def __add__(self, other: Any) -> Any:
        found = {key: count + other[key] for key, count in self.table.items() if count + other[key] > 0}
        for key, count in other.table.items():
            if key not in self.table and count > 0:
                found[key] = count
        return Counter(found)

    def __sub__(self, other: Any) -> Any:
        found = {key: count - other[key] for key, count in self.table.items() if count - other[key] > 0}
        for key, count in other.table.items():
            if key not in self.table and count < 0:
                found[key] = 0 - count
        return Counter(found)

    def __and__(self, other: Any) -> Any:
        found = {key: min(count, other[key]) for key, count in self.table.items()}
        return Counter({key: count for key, count in found.items() if count > 0})

    def __or__(self, other: Any) -> Any:
        found = {key: max(count, other[key]) for key, count in self.table.items()}
        for key, count in other.table.items():
            if key not in self.table:
                found[key] = count
        return Counter({key: count for key, count in found.items() if count > 0})

    def __pos__(self) -> Any:
        return Counter({key: count for key, count in self.table.items() if count > 0})

    def __neg__(self) -> Any:
        return Counter({key: 0 - count for key, count in self.table.items() if count < 0})

    def __iadd__(self, other: Any) -> Any:
        for key, count in other.table.items():
            self.table[key] = self[key] + count
        return self._without_the_rest()

    def __isub__(self, other: Any) -> Any:
        for key, count in other.table.items():
            self.table[key] = self[key] - count
        return self._without_the_rest()

    def __ior__(self, other: Any) -> Any:
        for key, count in other.table.items():
            if count > self[key]:
                self.table[key] = count
        return self._without_the_rest()

    def __iand__(self, other: Any) -> Any:
        for key, count in list(self.table.items()):
            if other[key] < count:
                self.table[key] = other[key]
        return self._without_the_rest()

    def _without_the_rest(self) -> Any:
        """Remove what is counted less than once."""
        for key in [key for key, count in self.table.items() if not count > 0]:
            del self.table[key]
        return self

    __hash__: Any = None

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, Counter):
            return isinstance(other, dict) and self.table == other
        return all(self[key] == other[key] for key in (*self.table, *other.table))

    def __le__(self, other: Any) -> Any:
        return all(self[key] <= other[key] for key in (*self.table, *other.table))

    def __lt__(self, other: Any) -> Any:
        return self <= other and self != other

    def __ge__(self, other: Any) -> Any:
        return all(self[key] >= other[key] for key in (*self.table, *other.table))

    def __gt__(self, other: Any) -> Any:
        return self >= other and self != other
