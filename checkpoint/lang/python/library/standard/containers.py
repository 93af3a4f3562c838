"""The classes of collections, written in the language that is translated.

An object of one of these classes stands for one of Python's own inside of programs; stand_ins.py makes each
of the other. The attribute that holds the items is the same in all: `table`, a list or a dictionary.
"""

from __future__ import annotations

from typing import Any

from checkpoint.lang.python.library.intrinsics import prim


class Deque:
    """See collections.deque.

    table, head: the items are those of the list from `head` on. maxlen: as in Python. changes: how often
    items were added, removed or moved; an iterator ends the run where that is not what it was.
    """

    table: Any
    head: Any
    maxlen: Any
    changes: Any

    def __init__(self, iterable: Any = (), maxlen: Any = None) -> None:
        self.table = list(iterable)
        self.head = 0
        self.maxlen = maxlen
        self.changes = 0
        if maxlen is not None:
            if maxlen < 0:
                raise ValueError("maxlen must be non-negative")
            self.table = self.table[max(0, len(self.table) - maxlen) :]

    def _shorten(self) -> Any:
        """Leave out the places before the head, once they are the greater part."""
        if self.head > 16 and 2 * self.head > len(self.table):
            self.table = self.table[self.head :]
            self.head = 0

    def _live(self) -> Any:
        return self.table[self.head :]

    def _at(self, index: Any) -> Any:
        """Return the place of an index in the list."""
        count = len(self.table) - self.head
        if index < -count or index >= count:
            raise IndexError("deque index out of range")
        return self.head + index if index >= 0 else len(self.table) + index

    def append(self, x: Any) -> Any:
        """See deque.append."""
        self.changes = self.changes + 1
        self.table.append(x)
        if self.maxlen is not None and len(self.table) - self.head > self.maxlen:
            self.popleft()

    def appendleft(self, x: Any) -> Any:
        """See deque.appendleft."""
        self.changes = self.changes + 1
        if self.head == 0:
            room = len(self.table) + 8
            self.table = [None] * room + self.table
            self.head = room
        self.head = self.head - 1
        self.table[self.head] = x
        if self.maxlen is not None and len(self.table) - self.head > self.maxlen:
            self.pop()

    def pop(self) -> Any:
        """See deque.pop."""
        if self.head == len(self.table):
            raise IndexError("pop from an empty deque")
        self.changes = self.changes + 1
        return self.table.pop()

    def popleft(self) -> Any:
        """See deque.popleft."""
        if self.head == len(self.table):
            raise IndexError("pop from an empty deque")
        self.changes = self.changes + 1
        value = self.table[self.head]
        self.head = self.head + 1
        self._shorten()
        return value

    def extend(self, iterable: Any) -> Any:
        """See deque.extend."""
        for x in list(iterable):
            self.append(x)

    def extendleft(self, iterable: Any) -> Any:
        """See deque.extendleft."""
        for x in list(iterable):
            self.appendleft(x)

    def rotate(self, n: Any = 1) -> Any:
        """See deque.rotate."""
        items = self._live()
        if len(items) > 1:
            self.changes = self.changes + 1
            by = n % len(items)
            self.table = items[len(items) - by :] + items[: len(items) - by]
            self.head = 0

    def clear(self) -> Any:
        """See deque.clear."""
        self.changes = self.changes + min(len(self), 1)
        self.table = []
        self.head = 0

    def copy(self) -> Any:
        """See deque.copy."""
        return Deque(self._live(), self.maxlen)

    def count(self, x: Any) -> Any:
        """See deque.count."""
        return self._live().count(x)

    def index(self, x: Any) -> Any:
        """See deque.index."""
        for i, item in enumerate(self._live()):
            if item == x:
                return i
        raise ValueError(f"{x!r} is not in deque")

    def insert(self, i: Any, x: Any) -> Any:
        """See deque.insert."""
        if self.maxlen is not None and len(self) >= self.maxlen:
            raise IndexError("deque already at its maximum size")
        self.changes = self.changes + 1
        items = self._live()
        items.insert(i, x)
        self.table = items
        self.head = 0

    def remove(self, value: Any) -> Any:
        """See deque.remove."""
        items = self._live()
        for i, item in enumerate(items):
            if item == value:
                self.changes = self.changes + 1
                items.pop(i)
                self.table = items
                self.head = 0
                return
        raise ValueError("deque.remove(x): x not in deque")

    def reverse(self) -> Any:
        """See deque.reverse."""
        self.table = self._live()[::-1]
        self.head = 0

    def __len__(self) -> Any:
        return len(self.table) - self.head

    def __iter__(self) -> Any:
        return deque_iterator(self, 0, 1)

    def __reversed__(self) -> Any:
        return deque_iterator(self, len(self) - 1, -1)

    def __contains__(self, x: Any) -> Any:
        return x in self._live()

    def __getitem__(self, index: Any) -> Any:
        return self.table[self._at(index)]

    def __setitem__(self, index: Any, value: Any) -> Any:
        self.table[self._at(index)] = value

    def __delitem__(self, index: Any) -> Any:
        del self.table[self._at(index)]
        self.changes = self.changes + 1

    def __put_back__(self, index: Any, value: Any) -> Any:
        prim("py.put-back", self.table, self._at(index), value)

    __hash__: Any = None

    def __eq__(self, other: Any) -> Any:
        return isinstance(other, Deque) and self._live() == other._live()

    def __add__(self, other: Any) -> Any:
        return Deque(self._live() + other._live(), self.maxlen)

    def __iadd__(self, other: Any) -> Any:
        self.extend(other)
        return self


class deque_iterator:
    """See deque.__iter__ and deque.__reversed__: the items are read when their turn comes."""

    def __init__(self, of: Any, at: Any, step: Any) -> None:
        self.of = of
        self.changes = of.changes
        self.left = len(of)
        self.at = at
        self.step = step

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.changes != self.of.changes:
            self.left = 0
            raise RuntimeError("deque mutated during iteration")
        if self.left == 0:
            raise StopIteration
        item = self.of.table[self.of.head + self.at]
        self.left -= 1
        self.at += self.step
        return item


class key_iterator:
    """See dict.__iter__ of the classes below; keys: those that it gives, from the place `at` on."""

    def __init__(self, of: Any, keys: Any) -> None:
        self.of = of
        self.keys = keys
        self.at = 0

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        is_ordered = isinstance(self.of, OrderedDict)
        if (self.at < len(self.keys) or not is_ordered) and len(self.keys) != len(self.of.table):
            how = "OrderedDict mutated" if is_ordered else "dictionary changed size"
            raise RuntimeError(f"{how} during iteration")
        if self.at >= len(self.keys):
            raise StopIteration
        key = self.keys[self.at]
        self.at += 1
        return key


class Mapping:
    """What the dictionaries of collections share."""

    table: Any

    def __len__(self) -> Any:
        return len(self.table)

    def __iter__(self) -> Any:
        return key_iterator(self, list(self.table))

    def __reversed__(self) -> Any:
        return key_iterator(self, list(self.table)[::-1])

    def __contains__(self, key: Any) -> Any:
        return key in self.table

    def __setitem__(self, key: Any, value: Any) -> Any:
        self.table[key] = value

    def __delitem__(self, key: Any) -> Any:
        del self.table[key]

    def __put_back__(self, key: Any, value: Any) -> Any:
        prim("py.put-back", self.table, key, value)

    __hash__: Any = None

    def __eq__(self, other: Any) -> Any:
        if isinstance(other, Mapping):
            return self.table == other.table
        return isinstance(other, dict) and self.table == other

    def keys(self) -> Any:
        """See dict.keys."""
        return self.table.keys()

    def values(self) -> Any:
        """See dict.values."""
        return self.table.values()

    def items(self) -> Any:
        """See dict.items."""
        return self.table.items()

    def get(self, key: Any, default: Any = None) -> Any:
        """See dict.get."""
        return self.table.get(key, default)

    def pop(self, key: Any, *default: Any) -> Any:
        """See dict.pop."""
        if key in self.table or len(default) == 0:
            return self.table.pop(key)
        return default[0]

    def popitem(self) -> Any:
        """See dict.popitem."""
        return self.table.popitem()

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """See dict.setdefault."""
        if key not in self.table:
            self.table[key] = default
        return self.table[key]

    def update(self, other: Any = (), **more: Any) -> Any:
        """See dict.update."""
        self.table.update(other.table if isinstance(other, Mapping) else other, **more)

    def clear(self) -> Any:
        """See dict.clear."""
        self.table.clear()


class DefaultDict(Mapping):
    """See collections.defaultdict."""

    def __init__(self, default_factory: Any = None, items: Any = (), /, **more: Any) -> None:
        self.default_factory = default_factory
        self.table = {}
        self.update(items, **more)

    def __getitem__(self, key: Any) -> Any:
        if key in self.table:
            return self.table[key]
        if self.default_factory is None:
            raise KeyError(key)
        value = self.default_factory()
        self.table[key] = value
        return value

    def copy(self) -> Any:
        """See defaultdict.copy."""
        return DefaultDict(self.default_factory, self.table)


class OrderedDict(Mapping):
    """See collections.OrderedDict."""

    def __init__(self, items: Any = (), /, **more: Any) -> None:
        self.table = {}
        self.update(items, **more)

    def __getitem__(self, key: Any) -> Any:
        return self.table[key]

    def move_to_end(self, key: Any, last: Any = True) -> Any:
        """See OrderedDict.move_to_end."""
        value = self.table.pop(key)
        if last:
            self.table[key] = value
        else:
            others = dict(self.table)
            self.table.clear()
            self.table[key] = value
            self.table.update(others)

    def popitem(self, last: Any = True) -> Any:
        """See OrderedDict.popitem."""
        if len(self.table) == 0:
            raise KeyError("dictionary is empty")
        key = list(self.table)[-1 if last else 0]
        return key, self.table.pop(key)

    __hash__: Any = None

    def __eq__(self, other: Any) -> Any:
        if isinstance(other, OrderedDict):
            return list(self.table.items()) == list(other.table.items())
        if isinstance(other, Mapping):
            return self.table == other.table
        return isinstance(other, dict) and self.table == other

    def copy(self) -> Any:
        """See OrderedDict.copy."""
        return OrderedDict(self.table)
