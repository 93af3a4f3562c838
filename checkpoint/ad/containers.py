"""The containers of Python programs: tuples and objects, lists, dictionaries.

    tuple, named tuple, dataclass, exception, object   Record: its layout and its fields
    list                                               List
    dict                                               Dict; a key is an int, a str, a bool, None, or a
                                                       tuple of keys, as Python has it

Lists and dictionaries are handles on storage that a program may change (checkpoint.ad.storage); each is its
own storage. An updated handle has the old one's birth, and each of its fields is the old one's location,
except for those that were written. Nothing but an update changes a container.

Steps are counted by each run from its own start. So a value that passes from one run to another, into a
capsule or out of one is first *settled* (checkpoint.ad.graph.settled): what is stale by then is `dead`,
stale from step 0 on and empty, and all else is not stale.
"""

from __future__ import annotations

from typing import Any, TypeVar

from checkpoint.ad.storage import FROZEN, NEVER, Now, Storage, changed_elsewhere


class Layout:
    """What a record is one of: its Python class, and the names of its fields (none for a tuple's)."""

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
    """Python classes as a constant: what `isinstance` and `except` ask for."""

    __slots__ = ("classes",)

    def __init__(self, classes: tuple[type, ...]) -> None:
        self.classes = classes

    def write(self) -> str:
        return f"#<types {' '.join(cls.__qualname__ for cls in self.classes)}>"


TUPLE = Layout(tuple)


class Record:
    """A tuple, or an object that nothing changes."""

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
    """A list, as one run sees it at one time."""

    __slots__ = ("birth", "items")
    enters_as_graph = False
    noun = "list"
    copy_by = "list(...)"

    def __init__(self, items: list[Any], birth: int = 0, owner: object = None) -> None:
        self.items = items
        self.birth = birth
        self.owner = owner
        self.stale = NEVER

    def parts(self) -> tuple[Any, ...]:
        return tuple(self.items)

    def with_parts(self, parts: tuple[Any, ...]) -> List:
        return _like(self, List(list(parts)))

    def dead(self) -> List:
        """Return what a program may hold of a list that was changed under another name."""
        return _dead(List([], self.birth))


class Dict(Storage):
    """A dictionary, as one run sees it at one time; its parts are its values in their order."""

    __slots__ = ("birth", "items")
    enters_as_graph = False
    noun = "dictionary"
    copy_by = "dict(...)"

    def __init__(self, items: dict[Any, Any], birth: int = 0, owner: object = None) -> None:
        self.items = items
        self.birth = birth
        self.owner = owner
        self.stale = NEVER

    def parts(self) -> tuple[Any, ...]:
        return tuple(self.items.values())

    def with_parts(self, parts: tuple[Any, ...]) -> Dict:
        return _like(self, Dict(dict(zip(self.items, parts, strict=True))))

    def dead(self) -> Dict:
        """What a program may hold of a dictionary that was changed under another name."""
        return _dead(Dict({}, self.birth))


Handle = TypeVar("Handle", List, Dict)


def _like(old: Handle, new: Handle) -> Handle:
    """A rebuilt container, which no run has made: it is stale when the old one is."""
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
    """The names of a container's fields, aligned with its parts: positions, or a dictionary's keys."""
    return container.items if type(container) is Dict else range(len(container.items))
