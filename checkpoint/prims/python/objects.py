"""Primitives of objects: making them, their attributes and classes; and plain reals of any value."""

from __future__ import annotations

import inspect
from contextlib import suppress
from enum import Enum, EnumType
from types import MemberDescriptorType, ModuleType
from typing import Any, cast

from checkpoint.ad.arrays import ARRAYS, DeepCopies, Native
from checkpoint.ad.containers import WITH_ATTRIBUTES, Layout, Object, Record, Types, changeable
from checkpoint.ad.graph import numbers, reach, renew, replace
from checkpoint.ad.library import dtype_of
from checkpoint.ad.numbers import NUMBERS, apply, fresh, real_part
from checkpoint.ad.opaque import is_opaque
from checkpoint.ad.record import Purity, Scalar, lookup
from checkpoint.ad.storage import Now
from checkpoint.ad.tables import NATIVES
from checkpoint.ad.tangent import unfrozen
from checkpoint.ad.values import Capsule, Closure
from checkpoint.errors import RunError, an
from checkpoint.lang.python.library.stand_ins import BY_STAND_IN, COMPLEX, Overloads
from checkpoint.lang.python.library.tables import is_file_of_library
from checkpoint.lang.python.source.members import found, is_slot
from checkpoint.prims.python.native import CAUSE, class_of, from_native
from checkpoint.prims.python.sequences import builds
from checkpoint.prims.python.support import (
    check_own,
    no_attribute,
    operator,
    python_result,
    rearrange,
    refuse,
    select,
    to_value,
    update,
)
from checkpoint.prims.python.updates import Writes, check_holder, keeps_identity

_OF_NUMBERS = frozenset(("real", "imag", "numerator", "denominator"))
_WITH_METHODS = frozenset((list, dict, str, tuple, float, int, bool))
_OF_RANGES = frozenset(("start", "stop", "step"))


def _new(layout: Layout, *items: Any) -> Object:
    return Object(layout, list(map(fresh, items)))


_OF_HANDLERS = {  # what a handler asks of an exception that no run keeps, with what to write instead
    "add_note": "write the note into a new exception, `raise ValueError(text) from error`",
    "__context__": "write `raise ... from error`, and ask for `__cause__`",
}


def _attribute(now: Now, x: Any, name: str) -> Any:
    """Return the attribute of a value; raise what Python raises, or say why a program cannot have it."""
    if type(x) in WITH_ATTRIBUTES:
        position = x.layout.index.get(name)
        if position is not None:
            return fresh(x.items[position])
    if (type(x) in (int, bool) and name in _OF_NUMBERS) or (type(x) is range and name in _OF_RANGES):
        return getattr(x, name)
    if type(x) in NATIVES and (is_opaque(x.value) or dtype_of(x.value) is x.value):
        is_of_type = name == "__name__" and not hasattr(x.value, name)  # of np.float64, which is a dtype here
        found = getattr(x.value.type if is_of_type else x.value, name)
        if not callable(found) or isinstance(found, type) or is_opaque(found) or dtype_of(found) is not None:
            return to_value(now, found)
    if type(x) is Capsule and name == "steps":
        return x.steps
    if type(x) in NUMBERS and name == "imag":
        return 0.0
    if type(x) is Native and isinstance(x.value, Enum | type):
        return of_enum(now, x.value, name) if isinstance(x.value, Enum) else _of_class(now, x.value, name)
    if type(x) is Layout:
        return _of_class(now, x.cls, name)
    if type(x) is Native and type(x.value) is ModuleType:
        getattr(x.value, name)  # Python's own error
    if name == CAUSE and issubclass(class_of(x), BaseException):
        return None  # one that was raised from another one has a field of this name
    if name == "__name__" and (found := _procedure_of(x)) is not None:
        if is_file_of_library(found.lam.span.source.name):  # what stands for an object, as for a partial one
            raise no_attribute(x, name)
        return found.lam.name.rpartition(".")[2]
    raise _without_value(x, name)


def _without_value(x: Any, name: str) -> BaseException:
    """Return the error for an attribute that is no value of the language, or that there is not."""
    cls, missing = class_of(x), object()
    if issubclass(cls, BaseException) and name in _OF_HANDLERS:
        return RunError(f"{name} of an exception is not kept by a run: {_OF_HANDLERS[name]}")
    found = inspect.getattr_static(cls, name, missing)
    if found is missing or (isinstance(found, MemberDescriptorType) and type(x) in WITH_ATTRIBUTES):
        if inspect.getattr_static(cls, "__getattr__", None) is not None:
            return RunError(
                f"the attribute {name} of {an(cls.__name__)} comes from its `__getattr__`, which no program "
                f"runs: read it outside of the function, and pass it"
            )
        if cls in BY_STAND_IN and hasattr(BY_STAND_IN[cls].of, name):
            return RunError(
                f"{name} of {an(cls.__name__)} has no rule here: do what needs it outside of the function, "
                f"and pass the result"
            )
        return no_attribute(x, name)
    advice = f": call it where it stands, x.{name}(...)" if _is_called(cls, name) else ""
    return RunError(f"the attribute {name} of {an(cls.__name__)} cannot be used as a value here{advice}")


def _procedure_of(x: Any) -> Closure | None:
    """Return the procedure that a value is, or one of those that a record of procedures holds."""
    first = x.items[0] if class_of(x).__name__ == "Overloads" else x
    return first if type(first) is Closure else None


def _wrapping(now: Now, wrapper: Any, wrapped: Any, is_named: bool) -> Any:
    """Return a function with what functools.update_wrapper sets: `__wrapped__`, and the name of that."""
    procedure = _procedure_of(wrapper)
    if procedure is None:
        return wrapper
    fields = {str(len(procedure.lam.params)): wrapper}
    if type(wrapper) is Record:
        fields = dict(zip(wrapper.layout.names, wrapper.items, strict=True))
    fields["__wrapped__"] = wrapped
    if is_named:
        with suppress(AttributeError):
            fields["__name__"] = _attribute(now, wrapped, "__name__")
    return Record(Layout(Overloads, tuple(fields)), tuple(map(fresh, fields.values())))


def _of_class(now: Now, cls: type, name: str) -> Any:
    """Return an attribute of a class that is a value."""
    found = getattr(cls, name)
    if type(found) is str or found is None:
        return found
    if isinstance(cls, EnumType) and (name == "__members__" or isinstance(found, Enum)):
        return to_value(now, dict(found) if name == "__members__" else found)
    raise RunError(
        f"the attribute {name} of the class {cls.__name__} cannot be used here: name the class where it is "
        f"read"
    )


def of_enum(now: Now, member: Enum, name: str) -> Any:
    """Return an attribute of a member of an enumeration, a constant."""
    return from_native(getattr(member, name), _no_constant)


def _no_constant(value: Any) -> Any:
    raise RunError(f"{an(type(value).__name__)} in an enumeration is no value of a program")


def _is_called(cls: type, name: str) -> bool:
    return cls in _WITH_METHODS and not name.startswith("__")


def _attribute_place(now: Now, x: Any, name: str) -> Any:
    return x.layout.index[name] if type(x) in WITH_ATTRIBUTES else None


def classes_of(types: Any) -> tuple[type, ...]:
    """Return the classes that a constant is or holds."""
    return (types.cls,) if type(types) is Layout else types.classes


def _instance(now: Now, x: Any, types: Types) -> bool:
    return issubclass(class_of(x), classes_of(types))


select(
    "attribute",
    2,
    "x.name: x, the name",
    _attribute,
    _attribute_place,
    inline="({0}.items[{0}.layout.index[{1}]] if type({0}) in WITH_ATTRIBUTES else {p}(m, {0}, {1}))",
    inline_place="{0}.layout.index[{1}]",
)


rearrange(
    "wrapping", 3, "functools.update_wrapper: the wrapper, what it wraps, if it has its name", _wrapping
)


# Changing attributes


# What to write instead of an assignment to an attribute of an array.
_OF_ARRAYS = {
    "shape": "a = a.reshape(shape)",
    "dtype": "a = a.astype(dtype)",
    "flat": "a = np.full(a.shape, value)",
    "real": "a = value + 1j * a.imag",
    "imag": "a = a.real + 1j * value",
    "T": "a = value.T",
}


def set_attribute(now: Now, x: Any, name: str, v: Any) -> Object:
    """Perform x.name = v."""
    if name in _OF_ARRAYS and is_array(x):
        raise RunError(f"the attribute {name} of an array cannot be assigned to: write {_OF_ARRAYS[name]}")
    if type(x) is not Object:
        if _procedure_of(x) is not None:
            raise RunError(
                f"the attribute {name} of a function cannot be assigned to: keep the value in a variable "
                f"that the function has as nonlocal, or in an object whose class has a __call__"
            )
        check_own(x)
        python_result(now, lambda x, v: setattr(x, name, v), x, v)  # raises Python's own error
        raise RunError(
            f"the attribute {name} of {an(class_of(x).__name__)} cannot be assigned to here: give its class "
            f"an __init__ that assigns it, or keep the value elsewhere"
        )
    items = changeable(now, x)
    position = x.layout.index.get(name)
    if position is None:
        items.append(fresh(v))
        x.layout = x.layout.with_name(name)
    else:
        items[position] = fresh(v)
    return x


def set_attribute_writes(now: Now, x: Any, name: str, v: Any) -> Writes:
    """Return what x.name = v writes."""
    return [(x.layout.index.get(name, len(x.items)), 2, None)] if type(x) is Object else []


def _set_attribute_place(now: Now, result: Any, x: Any, name: str, v: Any) -> Any:
    return result.layout.index[name]


def _delete_attribute(now: Now, x: Any, name: str) -> Object:
    if type(x) is not Object:
        check_own(x)
        result: Object = refuse(now, lambda x: delattr(x, name), x)
        return result
    position = x.layout.index.get(name)
    if position is None and is_slot(found(x.layout.cls, name)):
        raise AttributeError(name)
    if position is None:
        x.layout.with_name(name)  # raises Python's error where there is no such slot
        raise no_attribute(x, name)
    items = changeable(now, x)
    items[:] = map(fresh, [*items[:position], *items[position + 1 :]])
    x.layout = Layout(x.layout.cls, tuple(n for n in x.layout.names if n != name))
    return x


def _put_back(now: Now, x: Any, name: str, v: Any) -> Any:
    if keeps_identity(v):
        return x
    check_holder(x)
    return set_attribute(now, x, name, v)


def _put_back_writes(now: Now, x: Any, name: str, v: Any) -> Writes:
    return [] if keeps_identity(v) else set_attribute_writes(now, x, name, v)


builds("new", "a mutable object: its layout, its attributes", _new, header=1, mutable=True)
update(
    "set-attribute",
    3,
    "x.name = v: x, the name, v",
    set_attribute,
    set_attribute_writes,
    _set_attribute_place,
)
update("delete-attribute", 2, "del x.name: x, the name", _delete_attribute, None)
update(
    "put-back-attribute",
    3,
    "x.name = v after a change of x.name, unless that has an identity: x, the name, v",
    _put_back,
    _put_back_writes,
)


def _variable(now: Now, cell: Any, name: str) -> Any:
    return fresh(cell.items[0])


select("variable", 2, "a variable that functions share: its cell, its name", _variable, lambda *_: 0)
rearrange("instance", 2, "isinstance(x, classes)", _instance, discrete=True)


def _is_dtype(now: Now, x: Any) -> bool:
    return type(x) in NATIVES and dtype_of(x.value) is x.value


def _is_constant(now: Now, x: Any) -> bool:
    return type(x) in NATIVES and is_opaque(x.value)


rearrange("is-dtype", 1, "whether x is a type of elements, such as np.float32", _is_dtype, discrete=True)
rearrange("is-constant", 1, "whether x is a date, pattern or other constant", _is_constant, discrete=True)


def is_array(x: Any) -> bool:
    """Return whether a value is an array, of numbers or others."""
    return type(x) in ARRAYS or (type(x) in NUMBERS and type(real_part(x)) in ARRAYS)


def _stopped(_: Any, x: Any) -> Any:
    found = numbers(x)
    return replace(x, found, [fresh(real_part(number)) for number in found])


operator(
    "stop", 1, "x, its reals without derivatives", _stopped, "zero: its reals are constants", Purity.PURE
)


def _deep_copy(_: Any, x: Any) -> Any:
    return unfrozen(renew(x, DeepCopies()))


operator(
    "deep-copy",
    1,
    "copy.deepcopy(x): new containers, sharing kept",
    _deep_copy,
    "that of the numbers in it",
    Purity.PURE,
)


def _conjugated(_: Any, x: Any) -> Any:
    found, others = reach(x)
    negative = {id(part.items[1]) for part in others if type(part) is Record and part.layout == COMPLEX}
    new = [_negated(number) if id(number) in negative else fresh(number) for number in found]
    return replace(x, found, new)


def _negated(number: Any) -> Any:
    return apply(cast(Scalar, lookup("-")), (0.0, number), strict=False)


operator(
    "conjugated",
    1,
    "x, a tangent or cotangent, with the complex numbers in it conjugated",
    _conjugated,
    "the same of the tangent",
    Purity.PURE,
)
