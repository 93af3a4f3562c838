"""Values of the language as Python's own objects, and back.

    native(value)                what Python would hold, with floats for reals (without derivatives)
    from_native(value, other)    the value of the language; `other` gives that of all else (functions)

Nothing here recurses, however deep a value is. Objects are made without running their classes' code.
An object that is reached twice becomes one object on the way out. On the way in it becomes two, and a
cycle is refused, unless objects enter as a graph (entered.py).
"""

from __future__ import annotations

import os
import types
from collections.abc import Callable
from enum import Enum
from typing import Any

from checkpoint.ad.array_library import holds_numbers, libraries
from checkpoint.ad.arrays import ARRAYS, Array, Discrete, Memory, Native, current_data, entered
from checkpoint.ad.attributes import own_attributes, set_own
from checkpoint.ad.containers import (
    ITEMS,
    MUTABLE_CONTAINERS,
    TUPLE,
    WITH_ATTRIBUTES,
    Dict,
    Layout,
    List,
    Object,
    Record,
    Types,
    tuple_layout,
)
from checkpoint.ad.entered import Entered, together
from checkpoint.ad.graph import parts_of
from checkpoint.ad.numbers import NUMBERS, real_part
from checkpoint.ad.opaque import is_of_machine, is_opaque
from checkpoint.ad.record import OperandError, WrongCall
from checkpoint.ad.storage import FROZEN, Now, check_settled
from checkpoint.ad.tables import NATIVES
from checkpoint.ad.tables import held as held_as_it_is
from checkpoint.ad.values import Closure, Failure, Pair, Symbol, Unusable
from checkpoint.ad.walk import DESCEND, Branch, Cycle, Hollow, fold, fold_shared
from checkpoint.errors import RunError, an
from checkpoint.lang.python.library.complex_numbers import Complex
from checkpoint.lang.python.library.decimals import leaving, python_class
from checkpoint.lang.python.library.stand_ins import (
    BY_STAND_IN,
    COMPLEX,
    NAMED_AS,
    VIEWS,
    Overloads,
    callable_of,
    placeholder,
    stand_in_of,
)
from checkpoint.lang.python.library.standard.namespaces import Namespace
from checkpoint.lang.python.library.standard.values import VALUES
from checkpoint.lang.python.library.tokens import unfit_part
from checkpoint.lang.python.source import mismatch
from checkpoint.lang.python.source.members import base_of, found, is_bare, is_slot, makes_record
from checkpoint.lang.python.source.plain_objects import (
    attribute_names,
    fill_items,
    getattr_of,
    is_plain_object,
    is_plain_tuple,
    items_of,
    reads_its_own_way,
)

CAUSE = "__cause__"  # the field of an exception that was raised from another one, or from None
_OF_EXCEPTIONS = frozenset(("args", "value", CAUSE))
TABLE = "(table)"  # the field of a set: the dictionary of its elements by tokens
SETS = frozenset((set, frozenset))
PLAIN = frozenset((bool, int, str, bytes, type(None), range))
_COMPOUND = frozenset((Record, Pair, tuple))


def class_of(value: Any) -> type:
    """Return the Python class of a value."""
    kind = type(value)
    if kind in NUMBERS:
        part = real_part(value)
        return float if type(part) is float else type(part.data)
    if kind in WITH_ATTRIBUTES:
        return value.layout.cls  # type: ignore[no-any-return]  # of a Layout
    if kind is Failure:
        return type(python_exception(value.exception))
    if kind is Discrete:
        return type(value.data)
    if kind in NATIVES:
        return python_class(value.value)
    if kind is Unusable:
        return type(value.thing)
    known = {List: list, Dict: dict, Closure: types.FunctionType, Symbol: str, Layout: type}
    return known.get(kind, kind)


def class_name(value: Any) -> str:
    """Return the name of the Python class of a value, as messages call it."""
    cls = class_of(value)
    thing = callable_of(value)
    if isinstance(thing, type | types.BuiltinFunctionType):
        return str(type(thing).__name__)
    return "function" if cls is Overloads else cls.__name__


def is_set(value: Any) -> bool:
    """Return whether a value is a set or frozenset."""
    return type(value) is Record and value.layout.cls in SETS


def is_namespace(value: Any) -> bool:
    """Return whether a value is the `__dict__` of an object."""
    return type(value) is Object and value.layout.cls is Namespace


def namespace_of(x: Any) -> dict[str, Any]:
    """Return what is in the `__dict__` of an object: no slots, nor what exceptions store elsewhere."""
    cls = x.layout.cls
    hidden = _OF_EXCEPTIONS if issubclass(cls, BaseException) else ()
    return {
        name: item
        for name, item in zip(x.layout.names, x.items, strict=True)
        if not name.startswith("(") and name not in hidden and not is_slot(found(cls, name))
    }


def kind_of(value: Any) -> str:
    """Return what messages call a value: its class, and of an array the dtype and shape."""
    part = real_part(value)
    if type(part) in ARRAYS:
        shape = f" of shape {tuple(part.data.shape)}" if part.data.shape else ""
        return f"an array of {part.data.dtype}{shape}"
    return an(class_of(value).__name__)


def python_exception(exception: Exception) -> Exception:
    """Return the exception that Python itself would have raised: TypeError for an operand that is refused."""
    if type(exception) is WrongCall:
        return _refused_call(exception)
    return TypeError(*exception.args) if type(exception) is OperandError else exception


def _refused_call(error: WrongCall) -> Exception:
    if type(error.procedure) is not Closure:
        return mismatch.not_callable(class_of(error.procedure))
    lam = error.procedure.lam
    names = list(map(mismatch.source_name, lam.params))
    return TypeError(mismatch.by_position(lam.name or "<lambda>", names, len(names), error.count))


def native(value: Any, now: Now | None = None, function: Callable[[Any], Any] = placeholder) -> Any:
    """Return a value as Python's own object; `now`: the moment at which arrays are read."""

    def leaf(part: Any) -> Any:
        kind = type(part)
        if kind in _COMPOUND:
            if kind is Record and part.layout.cls is Overloads:
                return placeholder(part.items[0]) if function is placeholder else function(part)
            return DESCEND
        if kind in MUTABLE_CONTAINERS:
            return Hollow(_hollow(part, function is not placeholder))
        return _leaf(part, function, now)

    return fold_shared(value, {}, leaf, _parts, _built, _fill)


def _parts(part: Any) -> Any:
    """Return the parts of which Python's object is built: of a set the elements."""
    if is_namespace(part):
        return list(namespace_of(part.items[0]).values())
    return list(part.items[0].items.values()) if is_set(part) else parts_of(part)


def _leaf(value: Any, function: Callable[[Closure], Any], now: Now | None) -> Any:
    kind = type(value)
    if kind in PLAIN:
        return value
    if kind in NUMBERS or kind is Discrete:
        part = real_part(value) if kind in NUMBERS else value
        return part if type(part) is float else _elements(part, now)
    if kind in NATIVES:
        thing = leaving(value.value) if now is None else value.value
        return NAMED_AS.get(thing, thing) if type(thing) is type else thing
    if kind is Unusable:
        return value.thing
    if kind is Closure:
        return function(value)
    if kind is Failure:
        return python_exception(value.exception)
    if kind is Layout:
        return value.cls
    if kind is Types:
        return value.classes
    return str(value) if kind is Symbol else value


def _elements(array: Array | Discrete, now: Now | None) -> Any:
    if now is None:
        check_settled(array)
    return array.data if now is None else current_data(now, array)


def _hollow(value: Any, leaves: bool) -> Any:
    """Return Python's own object for a mutable container, to be filled; leaves: whether it leaves its run."""
    kind = type(value)
    if kind is not Object:
        return [] if kind is List else dict.fromkeys(value.items)
    cls = value.layout.cls
    if cls is Namespace:
        return dict.fromkeys(namespace_of(value.items[0]))
    if cls in BY_STAND_IN:
        return BY_STAND_IN[cls].made(dict(zip(value.layout.names, value.items, strict=True)), leaves)
    if issubclass(cls, BaseException):
        return cls.__new__(cls)
    base: Any = base_of(cls) or object
    if base in VALUES:
        return base.__new__(cls, _plain(value.items[value.layout.index[ITEMS]]))
    return base.__new__(cls)


def _plain(x: Any) -> Any:
    """Return the number or text that an object is, of Python's own class."""
    part = real_part(x)
    return part.data.item() if type(part) in ARRAYS else part


def _fill(value: Any, made: Any, parts: list[Any]) -> None:
    """Give Python's own object the parts of a mutable container, without code of its class."""
    kind = type(value)
    if kind is List:
        made.extend(parts)
    elif kind is Dict:
        made.update(zip(value.items, parts, strict=True))
    elif value.layout.cls is Namespace:
        made.update(zip(namespace_of(value.items[0]), parts, strict=True))
    elif value.layout.cls in BY_STAND_IN:
        BY_STAND_IN[value.layout.cls].fill(made, dict(zip(value.layout.names, parts, strict=True)))
    else:
        base = base_of(value.layout.cls)
        if base is not None and base not in VALUES:
            fill_items(made, parts[value.layout.index[ITEMS]])
        for name, part in zip(value.layout.names, parts, strict=True):
            set_own(made, name, part)


def _built(value: Any, parts: list[Any]) -> Any:
    cls = value.layout.cls if type(value) is Record else tuple
    if issubclass(cls, tuple):
        return tuple.__new__(cls, parts)
    if cls is slice or cls is Complex:
        return slice(*parts) if cls is slice else complex(*parts)
    if cls in SETS:
        return cls(parts)
    if issubclass(cls, BaseException):
        made: Any = _exception(cls, parts[0])
        for name, part in zip(value.layout.names[1:], parts[1:], strict=True):
            set_own(made, name, part)
        return made
    made = object.__new__(cls)
    for name, part in zip(value.layout.names, parts, strict=True):
        set_own(made, name, part)
    return made


def _exception(cls: type[BaseException], args: tuple[Any, ...]) -> BaseException:
    """Return an exception with these args; only Python's own classes, which may need it, are initialized."""
    if cls.__module__ == "builtins":
        try:
            return cls(*args)
        except TypeError:
            pass  # some take other arguments than they keep: those are made like a program's own
    made = cls.__new__(cls, *args)
    made.args = args
    return made


# The way in


class NoValue(RunError):
    """Raised for a Python object that cannot enter a program. thing: the object."""

    def __init__(self, thing: Any, message: str = "") -> None:
        super().__init__(message)
        self.thing = thing


def from_native(
    value: Any,
    other: Callable[[Any], Any],
    owner: object = FROZEN,
    held: Callable[[Any], Unusable | None] | None = None,
    entered: Entered | None = None,
) -> Any:
    """Return a Python object as a value of the language; lists and dictionaries in it belong to `owner`.

    held: returns the value of an object that is only held, or None; left out if there is none.
    entered: left out for a tree. With it the object enters as a graph: each list, dictionary and object in it
        has one value, which may contain itself. Those in `entered` have the value that they have there; the
        others are added to it, unless an error is raised.
    """
    opened = _opener(other, owner, held)
    try:
        if entered is None:
            return fold(value, together(opened) if owner is FROZEN else opened)
        with entered.undone_at_error():
            return fold(value, entered.once(opened))
    except Cycle as cycle:
        noun = f"{an(type(cycle.item).__name__)} that contains itself"
        raise NoValue(cycle.item, f"{noun} cannot be an argument of a program") from None


def _opener(
    other: Callable[[Any], Any], owner: object, held: Callable[[Any], Unusable | None] | None
) -> Callable[[Any], Any]:
    """Return what gives the value of an object, or the Branch of which it is made."""
    layouts: Layouts = {}

    def opened(item: Any) -> Any:
        kind = type(item)
        if kind is float:
            return item * 1.0
        if kind in PLAIN:
            return item
        if kind in libraries and holds_numbers(item):
            return entered(item, Memory(owner))
        if is_opaque(item):
            return held_as_it_is(item)
        if isinstance(item, Enum):
            return Native(item)
        unusable = None if held is None else held(item)
        if unusable is not None:
            return unusable
        taken = _taken_apart(item, owner, layouts)
        return other(item) if taken is None else Branch(*taken, item)

    return opened


Taken = tuple[list[Any], Callable[[list[Any]], Any]]
Layouts = dict[tuple[type, tuple[str, ...]], Layout]


def _taken_apart(value: Any, owner: object, layouts: Layouts) -> Taken | None:
    """Return the parts of a Python object and what makes its value of theirs; None for what is no data."""
    cls: Any = type(value)
    if (stand_in := stand_in_of(value)) is not None:
        attributes = stand_in.taken(value)
        return list(attributes.values()), _object(Layout(stand_in.cls, tuple(attributes)), owner)
    if cls is list:
        return list(value), lambda parts: List(parts, owner=owner)
    if cls in SETS and all(type(item) in (int, str, bool, type(None)) for item in value):
        items = list(value)
        layout = Layout(cls, (TABLE,))
        return items, lambda parts: Record(layout, (Dict(dict(zip(items, parts, strict=True)), owner=owner),))
    if cls is dict or cls is type(os.environ):
        keys = [_checked_key(value, key) for key in value]
        return list(value.values()), lambda parts: Dict(dict(zip(keys, parts, strict=True)), owner=owner)
    if cls is tuple or cls in VIEWS:
        return list(value), lambda parts: Record(TUPLE, tuple(parts))
    if cls is complex:
        return [value.real, value.imag], _record(COMPLEX)
    if isinstance(value, tuple):
        layout = tuple_layout(cls, tuple.__len__(value))
        return (list(tuple.__iter__(value)), _record(layout)) if is_plain_tuple(value) else None
    if cls is slice:
        return [value.start, value.stop, value.step], _record(Layout(slice, ("start", "stop", "step")))
    if base_of(cls) is not None and not (is_of_machine(cls) or is_bare(value) or reads_its_own_way(cls)):
        names = attribute_names(value)
        layout = layouts.setdefault((cls, names), Layout(cls, (ITEMS, *names)))
        return [items_of(value), *[getattr_of(value, name) for name in names]], _object(layout, owner)
    if isinstance(value, BaseException) and not own_attributes(value):
        return [value.args], _record(Layout(cls, ("args",)))
    if isinstance(value, BaseException) or is_plain_object(value):
        names = attribute_names(value)
        layout = layouts.setdefault((cls, names), Layout(cls, names))
        made = _record(layout) if makes_record(cls) else _object(layout, owner)
        return [getattr_of(value, name) for name in names], made
    return None


def _record(layout: Layout) -> Callable[[list[Any]], Any]:
    return lambda parts: Record(layout, tuple(parts))


def _object(layout: Layout, owner: object) -> Callable[[list[Any]], Any]:
    return lambda parts: Object(layout, parts, owner=owner)


def _checked_key(dictionary: Any, key: Any) -> Any:
    """Return a dictionary's key, or raise if no program can have it."""
    unfit = unfit_part(key)
    if unfit is not None:
        raise NoValue(dictionary, unfit)
    return key
