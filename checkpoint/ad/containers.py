"""The containers of Python programs: tuples and objects, lists, dictionaries.

    tuple, named tuple, dataclass, exception, object   Record: its layout and its fields
    list                                               List
    dict                                               Dict; a key is an int, a str, a bool, None, or a
                                                       tuple of keys, as Python has it

Lists and dictionaries are values like all others: nothing that a program does can be seen through a
second reference. A program that changes a list (`xs.append(v)`) makes another value of it and goes on
with that one; an *update*. What always holds:
- An update leaves the old handle *stale* from the step of the update on: a program that looks at it later
  is one for which Python would show the change, and is refused. `stale` is the number of steps from which
  on that is so: that of the update, itself included, and one more.
- The new handle has the old one's birth, and each of its fields is the old one's location, but for those
  that were written.
- An update is done in place, on the same `items`, where the handle was made by the uninterrupted run that
  updates it (`owner`): no other state of a run can hold that handle. Otherwise it copies the items first.
  So a kept state costs each list one copy, when it is next updated, and none if it is not.
- A list that entered as an argument, or from a program's surroundings, has the owner FROZEN.

Nothing but an update changes a container. Steps are counted by each run from its own start; so a value that
goes from one run to another, into a capsule or out of one is first *settled* (checkpoint.ad.graph.settled):
what is stale by then is `dead`, stale from step 0 on and empty, and all else is not stale.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from checkpoint.errors import RunError

NEVER = 1 << 62  # a step that no run reaches
FROZEN = object()


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


class List:
    """A list, as one run sees it at one time."""

    __slots__ = ("birth", "items", "owner", "stale")
    enters_as_graph = False

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
        """What a program may hold of a list that was changed under another name."""
        return _dead(List([], self.birth))


class Dict:
    """A dictionary, as one run sees it at one time; its parts are its values in their order."""

    __slots__ = ("birth", "items", "owner", "stale")
    enters_as_graph = False

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


CHANGING = frozenset((List, Dict))
CONTAINERS = frozenset((Record, List, Dict))


class Now(Protocol):
    """The moment of a run at which a primitive is applied: every engine's machine is one.

    steps: how many steps the run has made, the present one counted; where a run makes several at once,
        all of them. An update is the last of those.
    owner: what lists that this machine makes or copies belong to; no other machine has the same.
    """

    steps: int
    owner: object


def current(now: Now, container: Any) -> Any:
    """A container's items, for a program that looks at it; RunError where the handle is stale."""
    if type(container) is not Record and now.steps >= container.stale:
        raise changed_elsewhere(container)
    return container.items


def changed_elsewhere(container: List | Dict) -> RunError:
    """What to say where a program looks at a stale handle."""
    kind = "list" if type(container) is List else "dictionary"
    return RunError(
        f"this {kind} was changed through another name or in a function it was passed to, and is looked "
        f"at here as it was before: Python would show the change. Change it through one name only, "
        f"return the changed {kind} and use the result, or change a copy of it"
    )


def fields(container: Any) -> Any:
    """The names of a container's fields, aligned with its parts: positions, or a dictionary's keys."""
    return container.items if type(container) is Dict else range(len(container.items))
