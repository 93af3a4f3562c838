"""Questions about classes: their members, their fields, and how their objects are made.

In: a class. Out: the member under a name; the names of fields; whether its objects are records (named tuples,
frozen dataclasses), which never change, or objects with attributes of their own.
"""

from __future__ import annotations

import abc
import collections
import dataclasses
import dis
import functools
import types
from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import Any

from checkpoint.lang.python.library.standard import values
from checkpoint.lang.python.library.standard.bases import BASES
from checkpoint.lang.python.library.standard.mixins import STORED
from checkpoint.lang.python.library.standard.values import value_base_of

_HEAP = 1 << 9  # the flag of classes made by a class statement


# What a class stores that is called with the object first.
METHOD_TYPES = (types.FunctionType, functools.partialmethod, functools.singledispatchmethod)
# What a class stores that an attribute of the object itself comes before.
FOLLOWING = (*METHOD_TYPES, staticmethod, classmethod)


@cache
def is_enum_of_numbers(cls: type) -> bool:
    """Return whether the members of an enumeration are numbers, with Python's own operators."""
    if not issubclass(cls, Enum) or not issubclass(cls, int | float):
        return False
    own = [base for base in cls.__mro__ if base.__flags__ & _HEAP and base.__module__ != "enum"]
    return not any(f"__{name}__" in vars(base) for base in own for name in _ARITHMETIC)


_ARITHMETIC = (
    *("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "pow", "rpow", "neg", "eq", "lt"),
    *("le", "gt", "ge"),
)


NO_MEMBER = object()


def is_fraction(cls: type) -> bool:
    """Return whether a class is fractions.Fraction, which a program without fractions does not load."""
    return cls.__module__ == "fractions" and cls.__name__ == "Fraction"


def _stored_in_fractions() -> Mapping[str, Any]:
    """Return the methods that the library has for Fraction."""
    from checkpoint.lang.python.library.standard import fractional  # noqa: PLC0415  (as above)

    return fractional.STORED


def derives(cls: type, base: type) -> bool:
    """Return whether a class derives from another one; of a protocol `issubclass` may refuse to say it."""
    return base in cls.__mro__ if getattr(base, "_is_protocol", False) else issubclass(cls, base)


@cache
def method_names(cls: type) -> frozenset[str]:
    """Return the names of the methods of a class before which attributes of its objects come."""
    of_people = (base for base in cls.__mro__ if base.__module__ != "builtins")
    members = (each for base in of_people for each in vars(base).items())
    return frozenset(name for name, member in members if isinstance(member, FOLLOWING) and name[:2] != "__")


def member_of(cls: type, name: str) -> Any:
    """Return the member of a class under a name, as stored in the class; None for a field or no member."""
    member = any_member_of(cls, name)
    return None if member is NO_MEMBER else member


def any_member_of(cls: type, name: str) -> Any:
    """Return the member of a class under a name, which may be None; NO_MEMBER for a field or no member."""
    if is_fraction(cls):
        return _stored_in_fractions().get(name, NO_MEMBER)
    for base in cls.__mro__:
        of_python = not base.__flags__ & _HEAP or base.__module__ == "enum"
        if of_python and base not in BASES and (base not in values.STORED or base is not base_of(cls)):
            continue
        if name in stored_in(base, cls):
            value = without_cache(stored_in(base, cls)[name])
            is_none = isinstance(value, _OF_C) or is_slot(value) or is_generated(value)
            return NO_MEMBER if is_none else value
    return NO_MEMBER


def without_cache(member: Any) -> Any:
    """Return the function that `functools.lru_cache` decorates, which becomes a method as it does alone."""
    return member.__wrapped__ if isinstance(member, functools._lru_cache_wrapper) else member


_OF_C = (types.MethodDescriptorType, types.WrapperDescriptorType, types.BuiltinFunctionType)


def found(cls: type, name: str) -> Any:
    """Return what a class or one that it derives from stores under a name; None if none does."""
    return next((stored_in(base, cls)[name] for base in cls.__mro__ if name in stored_in(base, cls)), None)


def stored_in(cls: type, derived: type | None = None) -> Mapping[str, Any]:
    """Return what a class stores: of Python's own bases of the user's classes what the library has for them.

    derived: the class whose objects it is for, since a number or text has the library's methods only in those
    of classes that derive from it; None: the class itself.
    """
    if is_fraction(cls):
        return _stored_in_fractions()
    found: Mapping[str, Any] | None = STORED.get(cls)
    if found is None and cls in values.STORED and derived is not None:
        found = values.STORED[cls] if derived is cls or value_base_of(derived) is cls else None
    return vars(BASES.get(cls, cls)) if found is None else found


def bound_mixin(value: Any, name: str) -> Any:
    """Return a method as a class gives it that inherits it from an abstract collection; None for all else."""
    if not isinstance(value, abc.ABCMeta):
        return None
    owner = next((base for base in value.__mro__ if name in stored_in(base)), None)
    if owner not in STORED or stored_in(owner)[name] is vars(owner).get(name):
        return None
    return stored_in(owner)[name].__get__(None, value)


def base_of(cls: type) -> Any:
    """Return the class dict, list, float, int or str from which a class of the user's derives, or None."""
    if not cls.__flags__ & _HEAP:
        return None
    return next((base for base in cls.__mro__ if base in BASES), None) or value_base_of(cls)


def is_bare(value: Any) -> bool:
    """Return whether an object is a number or text whose class adds nothing but a name and a docstring."""
    cls = type(value)
    if value_base_of(cls) is None or not set(getattr(value, "__dict__", ())) <= {"__doc__"}:
        return False
    own = [base for base in cls.__mro__ if base.__flags__ & _HEAP]
    return all(name in _OF_EVERY_CLASS for base in own for name in vars(base))


def next_member(cls: type, after: type, name: str) -> tuple[type, Any] | None:
    """Return the class and member that `super()` in a class finds for objects of a derived class, or None."""
    order = cls.__mro__
    for base in order[order.index(after) + 1 :]:
        if name in stored_in(base, cls):
            return base, without_cache(stored_in(base, cls)[name])
    return None


def has_members(cls: type) -> bool:
    """Return whether a class has members that its first base has not got.

    It stores more than Python itself puts into every class; or it has several bases, whose order decides.
    """
    own = bool(cls.__flags__ & _HEAP) and any(name not in _OF_EVERY_CLASS for name in vars(cls))
    return own or len(cls.__bases__) > 1 or base_of(cls) is not None


_OF_EVERY_CLASS = frozenset(
    (
        *("__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__annotations__", "__slots__"),
        *("__firstlineno__", "__static_attributes__"),
    )
)


def is_slot(value: Any) -> bool:
    """Return whether a member is the descriptor of a field: of __slots__, or of a named tuple."""
    return isinstance(value, types.MemberDescriptorType | types.GetSetDescriptorType) or (
        type(value).__name__ == "_tuplegetter"
    )


def slot_of(cls: type, name: str) -> Any:
    """Return the descriptor of a field of `__slots__` that a class finds first under a name, or None."""
    member = found(cls, name)
    return member if isinstance(member, types.MemberDescriptorType) else None


def defaults_of(function: types.FunctionType) -> dict[str, Any]:
    """Return the default values that a function has now, by the names of its parameters."""
    code, values = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount][-len(values) :] if values else ()
    only = code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
    by_name = {name: v for name, v in (function.__kwdefaults__ or {}).items() if name in only}
    return {**dict(zip(names, values, strict=False)), **by_name}


def default_of(function: types.FunctionType, name: str) -> Any:
    """Return the default value that a function has now for a parameter, as `defaults_of` has it."""
    code, values = function.__code__, function.__defaults__ or ()
    names = code.co_varnames  # made anew by each access
    position, count = names.index(name) if name in names else len(names), code.co_argcount
    if count <= position < count + code.co_kwonlyargcount:
        return (function.__kwdefaults__ or {})[name]
    first = count - len(values)
    return values[position - first] if 0 <= first <= position < count else defaults_of(function)[name]


def is_generated(function: Any) -> bool:
    """Return whether `dataclasses` made a method, so that it has no text."""
    while isinstance(function, types.FunctionType) and hasattr(function, "__wrapped__"):
        function = function.__wrapped__  # its __repr__
    return isinstance(function, types.FunctionType) and function.__code__.co_filename == "<string>"


def is_named_tuple(cls: type) -> bool:
    return issubclass(cls, tuple) and hasattr(cls, "_fields")


def is_derived_tuple(cls: type) -> bool:
    """Return whether a class of the user's derives from tuple, without names of fields.

    Its objects are records, with numbers for names (prims/python/native.py, `tuple_layout`).
    """
    named = hasattr(cls, "_fields") or hasattr(cls, "n_sequence_fields")  # of C's
    return issubclass(cls, tuple) and bool(cls.__flags__ & _HEAP) and not named and not issubclass(cls, Enum)


def is_made_by_namedtuple(cls: type) -> bool:
    """Return whether calling a named tuple runs no code of the user's."""
    makers = [next(base for base in cls.__mro__ if name in vars(base)) for name in ("__new__", "__init__")]
    return "_field_defaults" in vars(makers[0]) and makers[1] in (tuple, object)


def field_names(cls: type) -> tuple[str, ...]:
    """Return the fields of a dataclass or named tuple, in order."""
    if dataclasses.is_dataclass(cls):
        return tuple([f.name for f in dataclasses.fields(cls)])
    return tuple(cls._fields)  # type: ignore[attr-defined]


def all_fields(cls: type) -> tuple[str, ...]:
    """Return the names that all objects of the class have as attributes of their own."""
    if dataclasses.is_dataclass(cls):
        return tuple([f.name for f in dataclasses.fields(cls) if is_initialised(cls, f)])
    return field_names(cls) if is_named_tuple(cls) else ()


def is_initialised(cls: type, field: Any) -> bool:
    """Return whether the generated `__init__` of a dataclass assigns a field."""
    if field.init or field.default_factory is not dataclasses.MISSING:
        return True
    return is_slot(vars(cls).get(field.name)) and field.default is not dataclasses.MISSING


@cache
def assigned_names(cls: type) -> frozenset[str]:
    """Return the names of the attributes to which the methods of a class assign, of whatever object."""
    functions = [member for member in vars(cls).values() if isinstance(member, types.FunctionType)]
    steps = [step for function in functions for step in dis.get_instructions(function.__code__)]
    return frozenset(str(step.argval) for step in steps if step.opname == "STORE_ATTR")


def makes_record(cls: type) -> bool:
    """Return whether the objects of a class never change: of a named tuple or frozen dataclass."""
    if is_named_tuple(cls) or is_derived_tuple(cls):
        return True
    params = getattr(cls, "__dataclass_params__", None)
    return bool(getattr(params, "frozen", False))


def is_made_as_record(cls: type) -> bool:
    """Return whether a call of a class makes a record of its arguments, without running code of the class."""
    if is_named_tuple(cls):
        return True
    generated = makes_record(cls) and all(is_generated(found(cls, n)) for n in ("__init__", "__setattr__"))
    return generated and member_of(cls, "__post_init__") is None and why_not_made(cls) is None


def why_not_made(cls: type) -> str | None:
    """Return why a program cannot make objects of a class; None if it can."""
    for base in cls.__mro__[:-1]:
        if base in BASES or base is base_of(cls) or (base is tuple and is_derived_tuple(cls)):
            continue
        if not base.__flags__ & _HEAP or isinstance(vars(base).get("__new__"), types.BuiltinFunctionType):
            return f"which derives from {base.__name__}"
    if found(type(cls), "__call__") is not type.__call__:
        return f"whose metaclass {type(cls).__name__} makes its objects"
    for name in ("__getattribute__", "__del__"):
        if any(name in stored_in(base, cls) for base in cls.__mro__[:-1] if base is not tuple):
            return f"which has a {name} of its own"
    if is_derived_tuple(cls):
        return None
    if makes_record(cls) and own_new(cls) is not None:
        return "which is frozen and has a __new__ of its own"
    return None


def own_new(cls: type) -> Any:
    """Return the `__new__` that a class stores, or one that it derives from; None if it is Python's own."""
    new = found(cls, "__new__")
    if isinstance(new, types.BuiltinFunctionType) or is_generated(getattr(new, "__func__", None)):
        return None
    return new


def is_made_by_new(cls: type) -> bool:
    """Return whether a program makes the objects of a class by a `__new__` of the user's."""
    by_new = own_new(cls) is not None or value_base_of(cls) is not None or is_derived_tuple(cls)
    if not by_new or issubclass(cls, BaseException):
        return False
    if is_named_tuple(cls):
        return found(type(cls), "__call__") is type.__call__
    return why_not_made(cls) is None


def abstract_error(cls: type) -> str | None:
    """Return the text of Python's error for making an object of an abstract class; None for others."""
    if not isinstance(cls, abc.ABCMeta) or not cls.__abstractmethods__:
        return None
    instance: Any = cls
    try:
        object.__new__(instance)
    except TypeError as error:
        return str(error)
    return None


def own_init(cls: type) -> Any:
    """Return the `__init__` of a class or of one that it derives from; None if it is Python's own."""
    init = found(cls, "__init__")
    return init if isinstance(init, types.FunctionType) else None


# Descriptors

_NO_DESCRIPTORS = (types.FunctionType, staticmethod, classmethod, property, functools.cached_property)


def is_descriptor(member: Any, *methods: str) -> bool:
    """Return whether a member of a class is an object of the user's with methods of a descriptor."""
    if isinstance(member, (*_NO_DESCRIPTORS, type)):
        return False
    return is_descriptor_class(type(member), *methods)


def is_descriptor_class(cls: Any, *methods: str) -> bool:
    """Return whether a thing is a class of the user's whose objects are descriptors."""
    names = methods or ("__get__", "__set__", "__delete__")
    return isinstance(cls, type) and any(isinstance(found(cls, name), types.FunctionType) for name in names)


def is_data_descriptor(member: Any) -> bool:
    """Return whether a descriptor comes before the attributes of the object itself."""
    return is_descriptor(member, "__set__", "__delete__")


def deciding(members: list[tuple[type, Any]]) -> list[tuple[type, Any]]:
    """Return the classes, of those with a member of one name, where it decides how the attribute is changed.

    Such members are properties, descriptors and slots, and what takes their place in a derived class.
    """
    first = [c for c, m in members if isinstance(m, property) or is_slot(m) or is_data_descriptor(m)]
    return [(c, m) for c, m in members if any(derives(c, base) for base in first)]


# Functions that functools and collections make


def is_single_dispatch(value: Any) -> bool:
    """Return whether a function was made by `functools.singledispatch`."""
    return getattr(value, "__code__", None) is getattr(_dispatcher, "__code__", type)


@functools.singledispatch
def _dispatcher(x: Any) -> None: ...


def registry(value: Any) -> Mapping[type, Any]:
    """Return the functions of a singledispatch, or of its method, by the classes of their objects."""
    found: Mapping[type, Any] = getattr(value, "dispatcher", value).registry
    return found


def makes_named_tuple(value: Any) -> bool:
    """Return whether an object is the `_make` of a named tuple."""
    function = getattr(value, "__func__", None)
    return getattr(function, "__code__", None) is _Pair._make.__func__.__code__  # type: ignore[attr-defined]  # of a class method


_Pair = collections.namedtuple("_Pair", ("x", "y"))
