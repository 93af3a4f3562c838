"""Registering the primitives of Python programs, and having Python itself perform them.

For operands that a primitive does not know, Python performs the operation on its own objects, so that its
exceptions, texts included, are raised. Where Python would succeed by code of a user's class, the run ends
with an error: that code would lose the derivatives.
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Iterable
from enum import Enum, EnumType
from typing import Any

from checkpoint.ad.array_library import holds_numbers, libraries
from checkpoint.ad.arrays import Discrete, Memory, Native, current_data, entered
from checkpoint.ad.containers import CONTAINERS, TUPLE, Dict, List, Object, Record, tuple_layout
from checkpoint.ad.library import dtype_of
from checkpoint.ad.numbers import NUMBERS, fresh
from checkpoint.ad.opaque import is_constant, is_opaque
from checkpoint.ad.record import (
    PYTHON_FAILURES,
    VARIADIC,
    Operator,
    Purity,
    Rearrange,
    Select,
    Update,
    register,
)
from checkpoint.ad.storage import CONSTANT, Now
from checkpoint.ad.tables import NATIVES, held
from checkpoint.ad.values import Closure, Unusable
from checkpoint.errors import RunError, UnfitKey, an
from checkpoint.lang.python.library.stand_ins import COMPLEX
from checkpoint.prims.python.native import class_name, native

ANY_NUMBER = VARIADIC
PLAIN = frozenset((bool, int, str, bytes, type(None), range))  # values that are Python's own objects
INDEXED = frozenset((str, bytes, range))  # those of them that have items
WHOLE = frozenset((bool, int))
_NUMBERS = frozenset((bool, int, float, complex))  # classes of Python that are dtypes, too
_KEYS = frozenset((bool, int, str, bytes, type(None)))  # of dictionaries, beside constants and tuples
_ITERATORS = frozenset((types.GeneratorType, zip, map, type(re.finditer("", ""))))  # of constants


def copies_of(items: Iterable[Any]) -> list[Any]:
    """Return copies of fields, for another container."""
    return list(map(fresh, items))


def tuple_of(items: Iterable[Any]) -> Record:
    """Return a tuple of copies."""
    return Record(TUPLE, tuple(map(fresh, items)))


def list_of(now: Now, items: Iterable[Any]) -> List:
    """Return a list of copies that belongs to the run."""
    return List(copies_of(items), owner=now.owner)


def python_operands(now: Now, values: Iterable[Any]) -> list[Any]:
    """Return operands as Python's own objects; what two of them refer to is one object."""
    found = list(map(_usable, values))
    shared = [value for value in found if type(value) in CONTAINERS]
    if len(shared) < 2:
        return [value if type(value) in PLAIN else native(value, now) for value in found]
    made = iter(native(tuple(shared), now))
    return [
        value if type(value) in PLAIN else next(made) if type(value) in CONTAINERS else native(value, now)
        for value in found
    ]


def _usable(value: Any) -> Any:
    if type(value) is Unusable:
        raise value.error()
    return value


def is_tuple(value: Any) -> bool:
    """Return whether a value is a tuple, named or not."""
    return type(value) is Record and issubclass(value.layout.cls, tuple)


def is_object(value: Any) -> bool:
    """Return whether a value is an instance of a class that is no tuple."""
    return type(value) is Object or (type(value) is Record and not issubclass(value.layout.cls, tuple))


def refuse(now: Now, function: Callable[..., Any], *operands: Any) -> Any:
    """Raise what Python raises for these operands, or end the run if it does not."""
    result = python_result(now, function, *operands)
    if any(type(operand) in NATIVES and is_opaque(operand.value) for operand in operands):
        return of_constants(now, function, result, operands)
    if all(type(each) in PLAIN or is_enum(each) for each in operands):
        if type(result) in PLAIN:
            return result
        if isinstance(result, Enum | float):
            return to_value(now, result)
    names = " and ".join(class_name(operand) for operand in operands)
    raise RunError(
        f"{getattr(function, '__name__', 'this operation')} of {names} is not supported here: write a "
        f"function that does it with the fields"
    )


def no_attribute(x: Any, name: str) -> AttributeError:
    """Return Python's error for an attribute that a value has not."""
    is_class = type(x) is Native and isinstance(x.value, type)
    shown = f"type object {x.value.__name__!r}" if is_class else f"{class_name(x)!r} object"
    return AttributeError(f"{shown} has no attribute {name!r}")


def check_own(x: Any) -> None:
    """Raise RunError for the change of an object that is Python's own, which Python itself would change."""
    cls = type(x.value) if type(x) in NATIVES else int
    if issubclass(cls, type):
        raise RunError(
            f"the class {x.value.__name__}, which is only known when it runs, cannot be changed: name the "
            f"class, {x.value.__name__}.name = value"
        )
    if type(x) in NATIVES and (not is_constant(cls) or cls.__module__.startswith(("pandas", "numpy"))):
        raise RunError(
            f"this {cls.__name__} comes from outside of the function and cannot be changed: change a copy "
            f"of it outside, and pass that"
        )


def of_constants(now: Now, function: Callable[..., Any], result: Any, operands: Iterable[Any]) -> Any:
    """Return what Python gives for operands among which are dates, fractions and their kin, as a value."""
    if type(result) is float and any(type(operand) in NUMBERS for operand in operands):
        names = " and ".join(class_name(operand) for operand in operands)
        raise RunError(
            f"{getattr(function, '__name__', 'this operation')} of {names} would lose the derivative: "
            f"make a real of it first, float(q)"
        )
    return to_value(now, result)


def is_enum(value: Any) -> bool:
    """Return whether a value is an enumeration or a member of one."""
    return type(value) is Native and isinstance(value.value, Enum | EnumType)


def python_result(now: Now, function: Callable[..., Any], *operands: Any) -> Any:
    """Return what Python gives for these operands."""
    try:
        return function(*python_operands(now, operands))
    except RecursionError:
        raise RunError("a value is nested too deeply for Python itself here") from None


def plain_result(now: Now, function: Callable[..., Any], *operands: Any) -> Any:
    """Return what Python gives, or raise where that may hold a real that an object's own code made."""
    result = python_result(now, function, *operands)
    if type(result) in PLAIN:
        return result
    if type(result) is float and not any(is_object(each) or type(each) in NATIVES for each in operands):
        return result * 1.0
    return refuse(now, function, *operands)


def to_value(now: Now, value: Any) -> Any:
    """Return a result of Python's own, made of plain objects, as a value of the run."""
    kind: Any = type(value)
    if kind is list:
        return List([to_value(now, item) for item in value], owner=now.owner)
    if kind is dict or kind is types.MappingProxyType:
        items = {_settled_key(key): to_value(now, item) for key, item in value.items()}
        return Dict(items, owner=now.owner)
    if isinstance(value, tuple) and not is_opaque(value):
        layout = TUPLE if kind is tuple else tuple_layout(kind, len(value))
        return Record(layout, tuple([to_value(now, item) for item in value]))
    if kind is float:
        return value * 1.0
    if kind in PLAIN:
        return value
    if kind is complex:
        return Record(COMPLEX, (value.real, value.imag))
    if kind in _ITERATORS:
        return List([to_value(now, item) for item in value], owner=now.owner)
    if kind in libraries and holds_numbers(value):
        return entered(value, Memory(CONSTANT))
    if isinstance(value, Enum) or (isinstance(value, type) and value in _NUMBERS):
        return Native(value)
    if is_opaque(value):
        return held(value)
    dtype = dtype_of(value)
    if dtype is not None:
        return Native(dtype)
    if isinstance(value, type):
        return Native(value)
    raise RunError(f"{an(kind.__name__)} is no value of a program")


def _settled_key(key: Any) -> Any:
    """Return a key of a dictionary that Python made, or raise RunError for what is no key of a program."""
    if type(key) in _KEYS or is_constant(type(key)) or isinstance(key, Enum):
        return key
    raise RunError(f"the key {key!r} is no key of a program: use strings, ints or tuples of them")


def elements(now: Now, x: Any) -> Any:
    """Return what Python iterates over, as values, not copied; or raise Python's TypeError."""
    kind = type(x)
    if kind is List or is_tuple(x):
        return x.items
    if kind in INDEXED:
        return x
    if kind is Dict:
        return [to_value(now, key) for key in x.items]
    if kind in NATIVES and is_opaque(x.value):
        return [to_value(now, item) for item in x.value]
    if kind is Native and isinstance(x.value, EnumType):
        members: list[Any] = list(x.value)
        return [Native(member) for member in members]
    return refuse(now, iter, x)


def has_fields(x: Any) -> bool:
    """Return whether the elements of x are its fields, and not made by iterating."""
    return type(x) is List or is_tuple(x)


FUNCTIONS = types.FunctionType | types.BuiltinFunctionType  # those of Python that may be keys


def key_of(now: Now, key: Any) -> Any:
    """Return a value as a dictionary's key; raise TypeError, or RunError for what is one in Python alone."""
    kind = type(key)
    if kind is str or kind is int or kind is bool or key is None or kind is bytes:
        return key
    if kind is Discrete and current_data(now, key).shape == ():
        return key.data.item()
    if kind is Native and (isinstance(key.value, Enum | type | FUNCTIONS) or is_constant(type(key.value))):
        hash(key.value)
        return key.value
    if kind in NUMBERS:
        raise UnfitKey("a real cannot be a key here: use int(k) or str(k)")
    if is_tuple(key):
        parts = [key_of(now, item) for item in key.items]
        cls = key.layout.cls
        return tuple(parts) if cls is tuple else tuple.__new__(cls, parts)
    if kind is not Closure:
        python_result(now, hash, key)
    raise UnfitKey(f"{an(class_name(key))} cannot be a key here: use a string, or a tuple of ints")


Implements = tuple[Any, ...]


def rearrange(
    name: str,
    arity: int,
    doc: str,
    value: Callable[..., Any],
    implements: Implements = (),
    purity: Purity = Purity.MAY_FAIL,
    discrete: bool = False,
    constants: bool = False,
    inline: str | None = None,
) -> Rearrange:
    """Register a primitive that makes a container, or what holds no real; `value(now, *operands)`."""
    return register(
        Rearrange(
            name=f"py.{name}",
            arity=arity,
            purity=purity,
            doc=doc,
            failures=PYTHON_FAILURES,
            implements=implements,
            value=value,
            discrete=discrete,
            constants=constants,
            inline=inline,
        )
    )


def select(
    name: str,
    arity: int,
    doc: str,
    value: Callable[..., Any],
    place: Callable[..., Any],
    implements: Implements = (),
    inline: str | None = None,
    inline_place: str | None = None,
) -> Select:
    """Register a primitive that reads a field."""
    return register(
        Select(
            name=f"py.{name}",
            arity=arity,
            purity=Purity.MAY_FAIL,
            doc=doc,
            failures=PYTHON_FAILURES,
            implements=implements,
            value=value,
            place=place,
            inline=inline,
            inline_place=inline_place,
        )
    )


def update(
    name: str,
    arity: int,
    doc: str,
    value: Callable[..., Any],
    writes: Callable[..., Any] | None,
    puts: Callable[..., Any] | None = None,
    inline_puts: str | None = None,
) -> Update:
    """Register a primitive that changes a list or a dictionary."""
    return register(
        Update(
            name=f"py.{name}",
            arity=arity,
            purity=Purity.MAY_FAIL,
            doc=doc,
            failures=PYTHON_FAILURES,
            value=value,
            writes=writes,
            puts=puts,
            inline_puts=inline_puts,
        )
    )


def operator(
    name: str,
    arity: int,
    doc: str,
    value: Callable[..., Any],
    derivative: str,
    purity: Purity = Purity.MAY_FAIL,
    failures: tuple[type[Exception], ...] = PYTHON_FAILURES,
) -> Operator:
    """Register a primitive that differentiates itself; `value(machine, *operands)`, derivative in words."""
    return register(
        Operator(
            name=f"py.{name}",
            arity=arity,
            purity=purity,
            doc=doc,
            failures=failures,
            value=value,
            derivative=derivative,
        )
    )


def by_python(
    name: str,
    arity: int,
    doc: str,
    function: Callable[..., Any],
    implements: Implements | None = None,
    inline: str | None = None,
) -> Rearrange:
    """Register a function of Python's, on plain objects and reals, whose result has no derivative."""
    return rearrange(
        name,
        arity,
        doc,
        lambda now, *operands: plain_result(now, function, *operands),
        (function,) if implements is None else implements,
        discrete=True,
        inline=inline,
    )
