"""The class ChainMap of collections, written in the language that is translated."""

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
