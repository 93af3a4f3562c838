"""Primitives of objects and their classes: what an object has, what Python says of operators on them."""

from __future__ import annotations

import dataclasses
import types
from typing import Any

from checkpoint.ad.arrays import Native
from checkpoint.ad.containers import (
    MUTABLE_CONTAINERS,
    TUPLE,
    WITH_ATTRIBUTES,
    Dict,
    Layout,
    List,
    Object,
    Record,
    Types,
)
from checkpoint.ad.library import dtype_of
from checkpoint.ad.numbers import fresh
from checkpoint.ad.storage import FROZEN, Now
from checkpoint.errors import RunError
from checkpoint.lang.python.library.stand_ins import NAMED_AS, callable_of
from checkpoint.lang.python.source.compared import compared_fields
from checkpoint.lang.python.source.members import found as found_in
from checkpoint.lang.python.source.members import is_generated
from checkpoint.prims.python.comparison import field_of, position_bounds
from checkpoint.prims.python.native import class_name, class_of, is_set, native
from checkpoint.prims.python.objects import set_attribute, set_attribute_writes
from checkpoint.prims.python.support import (
    WHOLE,
    has_fields,
    is_object,
    is_tuple,
    no_attribute,
    python_result,
    rearrange,
    to_value,
    tuple_of,
    update,
)

_MISSING = object()


def _has_own(now: Now, x: Any, name: str) -> bool:
    return type(x) in WITH_ATTRIBUTES and name in x.layout.index


_PLAIN = frozenset((list, dict, tuple, set, frozenset, str, bytes, int, float, bool, range))


def _check_method(now: Now, x: Any, name: str) -> None:
    """Raise AttributeError where reading a method of a plain value, or of a program's object, does so."""
    cls = class_of(x)
    if cls in _PLAIN and not hasattr(cls, name):
        raise no_attribute(x, name)
    is_computed = is_object(x) and (found_in(cls, "__getattr__") is not None or _has_own(now, x, name))
    if (x is None or is_object(x)) and not is_computed and found_in(cls, name) is None:
        raise no_attribute(x, name)


def _attribute_name(now: Now, name: Any) -> str:
    if type(name) is not str:
        raise TypeError(f"attribute name must be string, not {class_name(name)!r}")
    return name


def _has_attribute(now: Now, x: Any, name: Any) -> bool:
    _attribute_name(now, name)
    if _has_own(now, x, name):
        return True
    thing = x.value if type(x) is Native else callable_of(x)
    if isinstance(thing, types.ModuleType | type):
        return hasattr(thing, name)
    found = next((vars(c)[name] for c in class_of(x).__mro__ if name in vars(c)), _MISSING)
    return found is not _MISSING and not isinstance(found, types.MemberDescriptorType)


def _unsupported(now: Now, sign: str, x: Any, y: Any) -> Any:
    names = [class_name(each) for each in (x, y)]
    if sign in ("<", "<=", ">", ">="):
        raise TypeError(f"{sign!r} not supported between instances of {names[0]!r} and {names[1]!r}")
    raise TypeError(f"unsupported operand type(s) for {sign}: {names[0]!r} and {names[1]!r}")


def _same_class(now: Now, x: Any, y: Any) -> bool:
    return class_of(x) is class_of(y)


def _derives(now: Now, x: Any, y: Any) -> bool:
    """Return whether the class of x is derived from that of y, and is another one."""
    return class_of(x) is not class_of(y) and class_of(y) in class_of(x).__mro__


def _is_class(now: Now, x: Any, classes: Types) -> bool:
    return class_of(x) in classes.classes


def _class_name(now: Now, x: Any, *kind: str) -> str:
    return str(getattr(class_of(x), kind[0] if kind else "__name__"))


_EXPECTED: dict[str, tuple[type, str]] = {
    "__bool__": (bool, "__bool__ should return bool, returned {}"),
    "__str__": (str, "__str__ returned non-string (type {})"),
    "__repr__": (str, "__repr__ returned non-string (type {})"),
    "__int__": (int, "__int__ returned non-int (type {})"),
    "__index__": (int, "__index__ returned non-int (type {})"),
    "__hash__": (int, "__hash__ method should return an integer"),
}


def _checked_result(now: Now, name: str, result: Any) -> Any:
    """Return what a method of Python's own operations returns, or raise what Python raises for it."""
    cls = class_of(result)
    if name == "__len__":
        if not issubclass(cls, int):
            raise TypeError(f"{cls.__name__!r} object cannot be interpreted as an integer")
        if type(result) in WHOLE and result < 0:
            raise ValueError("__len__() should return >= 0")
        return int(result)
    expected, text = _EXPECTED[name]
    if not issubclass(cls, expected):
        raise TypeError(text.format(cls.__name__))
    return result


def _check_real(now: Now, x: Any, result: Any) -> None:
    """Raise what Python raises where `__float__` of an object returns no float."""
    cls = class_of(result)
    if not issubclass(cls, float):
        raise TypeError(f"{class_of(x).__name__}.__float__ returned non-float (type {cls.__name__})")


def _keep(now: Now, x: Any, name: str, v: Any) -> Any:
    return set_attribute(now, x, name, v) if _may_keep(x) else x


def _keep_writes(now: Now, x: Any, name: str, v: Any) -> Any:
    return set_attribute_writes(now, x, name, v) if _may_keep(x) else []


def _may_keep(x: Any) -> bool:
    return type(x) is Object and x.owner is not FROZEN


def _is_iterable_object(now: Now, x: Any) -> bool:
    return type(x) is Object and hasattr(class_of(x), "__iter__")


def _is_indexed_object(now: Now, x: Any) -> bool:
    cls = class_of(x)
    return (
        type(x) is Object and found_in(cls, "__iter__") is None and found_in(cls, "__getitem__") is not None
    )


def _iterator(now: Now, x: Any) -> Any:
    if type(x) is Object and hasattr(class_of(x), "__next__"):
        return x
    raise TypeError(f"{class_name(x)!r} object is not an iterator")


def _enum_member(now: Now, classes: Types, value: Any) -> Native:
    cls: Any = classes.classes[0]
    return Native(python_result(now, cls, value))


def _enum_named(now: Now, classes: Types, name: Any) -> Native:
    cls: Any = classes.classes[0]
    return Native(python_result(now, lambda name: cls[name], name))


def _number(member: Native) -> Any:
    """Return the int or float that a member of an enumeration is."""
    if isinstance(member.value, int):
        return int.__int__(member.value)
    return float.__float__(member.value)


def _no_class(now: Now, x: Any) -> Any:
    """End a run that calls a class which is only known when it runs, and which the program has not met."""
    raise RunError(f"the class {class_of(x).__name__} cannot be called here: name it where it is called")


def _no_constructor(now: Now, cls: Any) -> Any:
    """End a run that calls a class of which the program knows no constructor."""
    if type(cls) is not Native or not isinstance(cls.value, type):
        raise TypeError(f"object.__new__(X): X is not a type object ({class_of(cls).__name__})")
    raise RunError(f"the class {cls.value.__name__} cannot be called here: name it where it is called")


def _instance_of(now: Now, x: Any, classes: Any) -> bool:
    found = native(classes, now)
    for each in found if isinstance(found, tuple) else (found,):
        if not isinstance(each, type) and dtype_of(each) is each:
            raise RunError(
                f"isinstance(x, t), where t is a type of elements, {each}, is only known by name here: write "
                f"the type, isinstance(x, np.{each}), or compare x.dtype == t"
            )
    isinstance(None, found)  # raises Python's error for what is no class
    return issubclass(class_of(x), found)


def _subclass_of(now: Now, x: Any, classes: Any) -> bool:
    return issubclass(native(x, now), native(classes, now))


def _dispatched(now: Now, known: Native, args: Any) -> int:
    """Return the number of the function that a singledispatch calls; -1 without an argument."""
    dispatch, numbers = known.value
    if not args.items:
        return -1
    cls = class_of(args.items[0])
    number: int = numbers[dispatch(NAMED_AS.get(cls, cls))]
    return number


rearrange("dispatched", 2, "which function a singledispatch calls: it, arguments", _dispatched, discrete=True)
rearrange("type", 1, "type(x)", lambda now, x: Native(class_of(x)), discrete=True)
rearrange("instance-of", 2, "isinstance(x, c), of classes known at run time", _instance_of, discrete=True)
rearrange("subclass-of", 2, "issubclass(x, c), of classes known at run time", _subclass_of, discrete=True)
rearrange("no-constructor", 1, "the error for a call of a class without a constructor", _no_constructor)
# Containers whose items are objects with methods of their own (lang/python/library/inner.py)


def _runs_methods(now: Now, names: Record, *operands: Any) -> bool:
    """Return whether an object inside of operands has one of these methods, of the user's own."""
    pending, seen = list(operands), set()
    while pending:
        each = pending.pop()
        if is_set(each):
            pending.extend(each.items[0].items.values())
        elif type(each) in MUTABLE_CONTAINERS or type(each) is Record:
            if id(each) in seen:
                continue
            seen.add(id(each))
            members = [found_in(class_of(each), name) for name in names.items] if is_object(each) else []
            if any(isinstance(m, types.FunctionType) and not is_generated(m) for m in members):
                return True
            if not members or any(map(is_generated, members)):
                pending.extend(each.items.values() if type(each) is Dict else each.items)
    return False


def _compared(now: Now, x: Any, y: Any) -> Record | None:
    """Return the parts of two containers that Python compares; None where it finds them different at once."""
    if type(x) is Dict and type(y) is Dict:
        if x.items.keys() != y.items.keys():
            return None
        return tuple_of([tuple_of(x.items.values()), tuple_of([y.items[key] for key in x.items])])
    if type(x) is type(y) is List and len(x.items) != len(y.items):
        return None
    if (type(x) is type(y) is List) or (is_tuple(x) and is_tuple(y)):
        return tuple_of([tuple_of(x.items), tuple_of(y.items)])
    names = compared_fields(class_of(x)) if is_object(x) and class_of(x) is class_of(y) else None
    if names is None:
        return None
    return tuple_of([tuple_of([field_of(each, name) for name in names]) for each in (x, y)])


def _is_same(now: Now, x: Any, y: Any) -> bool:
    return x is y and type(x) in MUTABLE_CONTAINERS


def _positions(now: Now, x: Any, *bounds: Any) -> range:
    first, end = bounds
    return range(len(x.items))[slice(*position_bounds(now, (first,) if end is None else (first, end)))]


def _frame(now: Now, x: Any) -> Record:
    """Return what stands before, within and after the items of a container in its text."""
    cls = class_of(x)
    brackets: dict[type, tuple[str, str]] = {
        list: ("[", "]"),
        dict: ("{", "}"),
        set: ("{", "}"),
        tuple: ("(", ")"),
    }
    opening, closing = brackets.get(cls, ("", ")"))
    names = [""] * len(_items(x))
    if cls is frozenset:
        opening, closing = "frozenset({", "})"
    elif cls is tuple and len(names) == 1:
        closing = ",)"
    elif not opening:
        opening, names = f"{cls.__qualname__}(", [f"{name}=" for name in _shown_names(x)]
        opening = f"{cls.__name__}(" if issubclass(cls, tuple) else opening
    return tuple_of([opening, tuple_of(names), closing])


def _shown_names(x: Any) -> list[str]:
    if issubclass(class_of(x), tuple):
        return list(x.layout.names)
    return [field.name for field in dataclasses.fields(class_of(x)) if field.repr]


def _items(x: Any) -> list[Any]:
    if is_set(x):
        return list(x.items[0].items.values())
    if has_fields(x) or type(x) is Dict:
        return list(x.items)
    return [field_of(x, name) for name in _shown_names(x)]


rearrange(
    "runs-methods",
    -1,
    "whether objects in operands have methods: the names, operands",
    _runs_methods,
    discrete=True,
)
rearrange("compared", 2, "the parts of two containers that Python compares, or None", _compared)
rearrange("is-same", 2, "whether two values are one list, dictionary or object", _is_same, discrete=True)
rearrange("positions", 3, "the positions of a sequence between bounds: it, from, to", _positions)
rearrange("frame", 1, "the texts around the items of a container, as repr shows it", _frame, discrete=True)
rearrange("shown-items", 1, "the items of a container that repr shows", lambda now, x: tuple_of(_items(x)))
rearrange("has-own", 2, "whether an object itself has an attribute: x, the name", _has_own, discrete=True)
rearrange("attribute-name", 1, "a name, checked to be a string", _attribute_name, discrete=True)
rearrange("has-attribute", 2, "hasattr(x, name)", _has_attribute, discrete=True)
rearrange("unsupported", 3, "Python's error for an operator: its sign, x, y", _unsupported)
rearrange("same-class", 2, "type(x) is type(y)", _same_class, discrete=True)
rearrange("derives", 2, "whether the class of x is derived from that of y", _derives, discrete=True)
rearrange("is-class", 2, "whether type(x) is one of the classes: x, classes", _is_class, discrete=True)
rearrange("class-name", -1, "type(x).__name__, or another of its names: x, which", _class_name, discrete=True)
rearrange("checked-result", 2, "a method's result, or Python's error: the method, it", _checked_result)
rearrange("check-real", 2, "nothing: `__float__` of x returned a float: x, what it returned", _check_real)
rearrange("check-method", 2, "nothing, or the error for a method that x has not: x, its name", _check_method)
rearrange("is-iterable-object", 1, "whether x is an object with __iter__", _is_iterable_object, discrete=True)
rearrange(
    "is-indexed-object",
    1,
    "whether x is one that only __getitem__ iterates",
    _is_indexed_object,
    discrete=True,
)
rearrange("iterator", 1, "an iterator itself, or the error for what is none", _iterator)
rearrange("enum-member", 2, "the member of an enumeration with a value: its class, the value", _enum_member)
rearrange("enum-named", 2, "the member of an enumeration with a name: its class, the name", _enum_named)
rearrange("enum-number", 1, "the number that a member of an enumeration is", lambda now, x: _number(x))
rearrange("no-class", 1, "the error for a call of the unknown class of x", _no_class)
update(
    "keep-attribute",
    3,
    "x.name = v for a cached property; nothing where x came in from outside: x, the name, v",
    _keep,
    _keep_writes,
)


# Dataclasses, and tuples of any class


def _is_dataclass(now: Now, x: Any) -> bool:
    return type(x) in WITH_ATTRIBUTES and dataclasses.is_dataclass(x.layout.cls)


def _dataclass_fields(now: Now, x: Any) -> tuple[Any, ...]:
    if not _is_dataclass(now, x):
        raise TypeError("must be called with a dataclass type or instance")
    return dataclasses.fields(class_of(x))


def _fields(now: Now, x: Any) -> Record:
    return Record(TUPLE, tuple([Native(field) for field in _dataclass_fields(now, x)]))


def _names(now: Now, x: Any) -> Record:
    return Record(TUPLE, tuple([field.name for field in _dataclass_fields(now, x)]))


def _is_stored(now: Now, x: Any, name: str) -> bool:
    return name in x.layout.index


def _default(now: Now, x: Any, name: str) -> Any:
    return to_value(now, getattr(class_of(x), name))


def _tuple_like(now: Now, x: Record, items: List) -> Record:
    return Record(x.layout, tuple(map(fresh, items.items)))


def _named_tuple(now: Now, layout: Layout, items: Record) -> Record:
    expected, found = len(layout.names), len(items.items)
    if expected != found:
        raise TypeError(f"Expected {expected} arguments, got {found}")
    return Record(layout, tuple(map(fresh, items.items)))


rearrange("named-tuple", 2, "a named tuple of the items of a tuple: its layout, that", _named_tuple)
rearrange("is-dataclass", 1, "whether x is an object of a dataclass", _is_dataclass, discrete=True)
rearrange("dataclass-fields", 1, "dataclasses.fields of an object", _fields, discrete=True)
rearrange("field-names", 1, "the tuple of the names of a dataclass's fields", _names, discrete=True)
rearrange("is-stored", 2, "whether an object itself has a field: x, the name", _is_stored, discrete=True)
rearrange("field-default", 2, "what the class of a dataclass has for a field: x, the name", _default)
rearrange("tuple-like", 2, "a tuple of the class of another one: that, the list of the items", _tuple_like)
