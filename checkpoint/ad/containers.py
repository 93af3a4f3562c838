"""The containers of Python programs: tuples, objects, lists and dictionaries.

    tuple, named tuple, dataclass, exception, object   Record: its layout and its fields
    list                                               List
    dict                                               Dict; a key is an int, a str, a bool, None, or a
                                                       tuple of keys: Python's own objects

Lists and dictionaries are handles on storage that a program may change (checkpoint.ad.storage); each is its
own storage. The handle that an update returns has the old handle's birth, and its fields are the old handle's
locations, except for the fields that were written. Only updates change a container.

Each run counts steps from its own start. So a value that passes from one run to another, or into or out of a
capsule, is first *settled* (checkpoint.ad.graph.settled): handles that are stale by then become `dead`, that
is, empty and stale from step 0 on; all others are not stale.
"""

from __future__ import annotations

from typing import Any, TypeVar

from checkpoint.ad.storage import FROZEN, NEVER, Now, Storage, changed_elsewhere


class Layout:
    """The type of a record.

    cls: the Python class. names: the names of the fields; empty for a tuple. index: by name, the position.
    """

    __slots__ = ("cls", "index", "names")

    def __init__(self, cls: type, names: tuple[str, ...] = ()) -> None:
        self.cls = cls
        self.names = names
        self.index = {name: i for i, name in enumerate(names)}

    def __eq__(self, other: object) -> bool:
        return type(other) is Layout and other.cls is self.cls and other.names == self.names

    def __hash__(self) -> int:
        return hash((self.cls, self.names))

    def write(self) -> str:
        return f"#<layout {self.cls.__qualname__}>"


class Types:
    """Python classes as a constant: the second argument of `isinstance`, the classes of an `except`."""

    __slots__ = ("classes",)

    def __init__(self, classes: tuple[type, ...]) -> None:
        self.classes = classes

    def write(self) -> str:
        return f"#<types {' '.join(cls.__qualname__ for cls in self.classes)}>"


TUPLE = Layout(tuple)


class Record:
    """A tuple, or an object whose fields never change.

    layout: its type. items: the values of the fields. birth: see checkpoint.ad.values.
    """

    __slots__ = ("birth", "items", "layout")
    enters_as_graph = False

    def __init__(self, layout: Layout, items: tuple[Any, ...], birth: int = 0) -> None:
        self.layout = layout
        self.items = items
        self.birth = birth

    def parts(self) -> tuple[Any, ...]:
        return self.items

    def with_parts(self, parts: tuple[Any, ...]) -> Record:
        return Record(self.layout, parts)


class List(Storage):
    """A handle on a list; its parts are its items."""

    __slots__ = ("birth", "items")
    enters_as_graph = False
    noun = "list"
    copy_by = "list(...)"

    def __init__(self, items: list[Any], birth: int = 0, owner: object = None) -> None:
        self.items = items
        self.birth = birth
        self.owner = owner  # as Storage does, without its call
        self.stale = NEVER

    def parts(self) -> tuple[Any, ...]:
        return tuple(self.items)

    def with_parts(self, parts: tuple[Any, ...]) -> List:
        return _like(self, List(list(parts)))

    def dead(self) -> List:
        """Return an empty stale handle: what a state stores of a list changed under another name."""
        return _dead(List([], self.birth))


class Dict(Storage):
    """A handle on a dictionary; its parts are the values, in the order of the keys."""

    __slots__ = ("birth", "items")
    enters_as_graph = False
    noun = "dictionary"
    copy_by = "dict(...)"

    def __init__(self, items: dict[Any, Any], birth: int = 0, owner: object = None) -> None:
        self.items = items
        self.birth = birth
        self.owner = owner  # as Storage does, without its call
        self.stale = NEVER

    def parts(self) -> tuple[Any, ...]:
        return tuple(self.items.values())

    def with_parts(self, parts: tuple[Any, ...]) -> Dict:
        return _like(self, Dict(dict(zip(self.items, parts, strict=True))))

    def dead(self) -> Dict:
        """Return an empty stale handle: what a state stores of a dictionary changed under another name."""
        return _dead(Dict({}, self.birth))


Handle = TypeVar("Handle", List, Dict)


def _like(old: Handle, new: Handle) -> Handle:
    """Return a rebuilt container, which no run owns, with the old one's staleness; FROZEN stays FROZEN."""
    new.owner = FROZEN if old.owner is FROZEN else None
    new.stale = old.stale
    return new


def _dead(handle: Handle) -> Handle:
    handle.stale = 0
    return handle


MUTABLE_CONTAINERS = frozenset((List, Dict))
CONTAINERS = frozenset((Record, List, Dict))


def current(now: Now, container: Any) -> Any:
    """Return a container's items, for a program that reads it; RunError if the handle is stale."""
    if type(container) is not Record and now.steps >= container.stale:  # storage.check, without its call
        raise changed_elsewhere(container)
    return container.items


def fields(container: Any) -> Any:
    """Return the names of a container's fields, in the order of its parts: positions, or a Dict's keys."""
    return container.items if type(container) is Dict else range(len(container.items))
