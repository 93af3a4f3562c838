"""The containers of Python programs: tuples, objects, lists and dictionaries.

    tuple, named tuple, frozen dataclass, slice     Record: its layout and its fields; immutable
    list                                            List
    dict                                            Dict; a key is an int, a str, a bool, None, or a
                                                    tuple of keys: Python's own objects
    instance of any other class                     Object: its layout and its fields

Lists, dictionaries and objects have an identity: whoever refers to one sees what is changed. A program may
change one unless it came in from outside (`changeable`); what its run's states hold of it is the affair of
checkpoint.ad.versions. They may refer to themselves.

The fields of a container are locations, known by its birth, which never changes, and their names. A change in
place leaves the locations of the fields that it does not write.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from types import MemberDescriptorType
from typing import Any, ClassVar, TypeVar

from checkpoint.ad.storage import FROZEN, OR_STATE, Now
from checkpoint.ad.versions import saving
from checkpoint.errors import RunError

_HEAP = 1 << 9  # the flag of class statements
# What Python says of an object without a `__dict__`, where a name is assigned to that it has not.
NO_NEW_ATTRIBUTES = " and no __dict__ for setting new attributes" if sys.version_info >= (3, 13) else ""


class Layout:
    """The type of a record or object.

    cls: the Python class. names: the names of the fields; empty for a tuple. index: by name, the position.
    """

    __slots__ = ("_wider", "cls", "index", "names")

    def __init__(self, cls: type, names: tuple[str, ...] = ()) -> None:
        self.cls = cls
        self.names = names
        self.index = {name: i for i, name in enumerate(names)}
        self._wider: dict[str, Layout] = {}

    def with_name(self, name: str) -> Layout:
        """Return the layout with one more field at its end; the same one each time.

        Raise Python's AttributeError where objects of the class have no such slot.
        """
        found = self._wider.get(name)
        if found is None:
            if not self.takes(name):
                message = f"{self.cls.__name__!r} object has no attribute {name!r}"
                raise AttributeError(message + NO_NEW_ATTRIBUTES)
            found = self._wider[name] = Layout(self.cls, (*self.names, name))
        return found

    def takes(self, name: str) -> bool:
        """Return whether objects of the class can have an attribute: any, or one with a slot."""
        if name.startswith("("):  # a field of the machine's own: the number that an object is hashed by
            return True
        if getattr(self.cls, "__dictoffset__", 0) or not self.cls.__flags__ & _HEAP:
            return True
        return any(isinstance(vars(base).get(name), MemberDescriptorType) for base in self.cls.__mro__)

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


class OwnCell:
    """The class of cells that each copy of a function has as its own, in a lane or a derivative.

    Such a copy can be changed, while all else that the function has captured is frozen.
    """


OWN_CELL = Layout(OwnCell, ("held",))
ITEMS = "(items)"  # the field of an object that is a list, dict, number or text, of a class that derives
TUPLE = Layout(tuple)


@lru_cache(1024)
def tuple_layout(cls: Any, count: int) -> Layout:
    """Return the layout of the objects of a class that derives from tuple: its names, or numbers."""
    return Layout(cls, tuple(getattr(cls, "_fields", [f"[{i}]" for i in range(count)])))


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


class Mutable:
    """What lists, dictionaries and objects have in common.

    items: the content. birth: see checkpoint.ad.values.
    owner: that of the machine that made it or has saved its content since its last state; FROZEN, or None.
    """

    __slots__ = ("birth", "items", "owner")
    enters_as_graph = False
    # For messages: what Python calls it, and how to copy it.
    noun: ClassVar[str]
    copy_by: ClassVar[str]
    items: Any
    birth: int
    owner: object

    def __init__(self, items: Any, birth: int = 0, owner: object = None) -> None:
        self.items = items
        self.birth = birth
        self.owner = owner

    def parts(self) -> tuple[Any, ...]:
        return tuple(self.items)

    def hollow(self: M) -> M:
        """Return a container of the same type without content, for `fill`; FROZEN if this one is."""
        raise NotImplementedError

    def fill(self, parts: list[Any]) -> None:
        """Give a hollow container its parts."""
        self.items = parts

    def with_parts(self: M, parts: tuple[Any, ...]) -> M:
        copy = self.hollow()
        copy.fill(list(parts))
        return copy

    def content(self) -> Any:
        """Return what the container now holds, to be restored."""
        return self.items

    def restore(self, content: Any) -> None:
        """Have the container hold what it held when `content` was returned."""
        self.items = content


M = TypeVar("M", bound=Mutable)


class List(Mutable):
    """A list; its parts are its items."""

    __slots__ = ()
    noun = "list"
    copy_by = "list(...)"

    def hollow(self) -> List:
        return List([], owner=FROZEN if self.owner is FROZEN else None)


class Dict(Mutable):
    """A dictionary; its parts are the values, in the order of the keys."""

    __slots__ = ()
    noun = "dictionary"
    copy_by = "dict(...)"

    def parts(self) -> tuple[Any, ...]:
        return tuple(self.items.values())

    def hollow(self) -> Dict:
        return Dict(dict.fromkeys(self.items), owner=FROZEN if self.owner is FROZEN else None)

    def fill(self, parts: list[Any]) -> None:
        self.items = dict(zip(self.items, parts, strict=True))


class Object(Mutable):
    """An instance of a class; its parts are the values of its attributes, in the order of their creation."""

    __slots__ = ("layout",)
    noun = "object"
    copy_by = "copy.copy(...)"

    def __init__(self, layout: Layout, items: list[Any], birth: int = 0, owner: object = None) -> None:
        self.layout = layout
        self.items = items
        self.birth = birth
        self.owner = owner  # as Mutable does, without its call

    def hollow(self) -> Object:
        return Object(self.layout, [], owner=FROZEN if self.owner is FROZEN else None)

    def content(self) -> Any:
        return self.items, self.layout

    def restore(self, content: Any) -> None:
        self.items, self.layout = content


MUTABLE_CONTAINERS = frozenset((List, Dict, Object))
CONTAINERS = MUTABLE_CONTAINERS | {Record}
WITH_ATTRIBUTES = frozenset((Record, Object))
WITH_POSITIONS = CONTAINERS - {Dict}  # the names of whose fields are their positions


def changeable(now: Now, container: Any) -> Any:
    """Return the items of a container for a program to change at once; RunError if it may not."""
    if container.owner is not now.owner:
        if container.owner is FROZEN:
            raise RunError(
                f"this {container.noun} came in as an argument (or was read from outside of the function) "
                f"and cannot be changed: change a copy of it, {container.copy_by}{OR_STATE}"
            )
        saving(now, container)
    return container.items


def fields(container: Any) -> Any:
    """Return the names of a container's fields, in the order of its parts: positions, or a Dict's keys."""
    return container.items if type(container) is Dict else range(len(container.items))
