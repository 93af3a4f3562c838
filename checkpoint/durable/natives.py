"""Constants and objects of Python that a program holds, written; checkpoint.durable.constants reads them.

What a run can make (numbers of the library, dates, dtypes, members of enumerations) is written by its
content. What only a program has (functions, modules, primitives) is written as a text, by which it is found
there.
"""

from __future__ import annotations

import datetime
import logging
import re
import sys
from array import array
from collections.abc import Callable
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from types import BuiltinFunctionType, FunctionType, ModuleType, TracebackType
from typing import Any, Protocol

from checkpoint.ad.arrays import Native
from checkpoint.ad.state import Shared
from checkpoint.ad.twister import Block
from checkpoint.ad.values import Failure
from checkpoint.durable.buffers import DTYPES
from checkpoint.durable.code import Code
from checkpoint.durable.programs import OWN_PROGRAMS
from checkpoint.durable.stream import Writer
from checkpoint.durable.tags import OF_KIND, Tag
from checkpoint.errors import DurableError
from checkpoint.lang.constants import constant_text

_OF_PROGRAMS = (FunctionType, BuiltinFunctionType, ModuleType, logging.Logger, str)
_ARGUMENTS = frozenset((int, float, str, bool, bytes, type(None)))  # of exceptions


class Encoder(Protocol):
    """The methods of checkpoint.durable.encode.Encoder by which constants are written."""

    code: Code

    def key(self, to: Writer, key: Any) -> None:
        """Write a key of a dictionary."""

    def values(self, to: Writer, values: Any) -> None:
        """Write values after their number."""


def write_types(encoder: Encoder, to: Writer, types: Any) -> None:
    """Write the classes of a test."""
    to.u8(Tag.TYPES)
    to.u32(len(types.classes))
    for cls in types.classes:
        to.u32(encoder.code.class_(cls))


def write_failure(encoder: Encoder, to: Writer, failure: Failure) -> None:
    """Write what a handler has received; DurableError unless it is one of Python's own exceptions."""
    exception = failure.exception
    args = exception.args
    if type(exception).__module__ != "builtins" or not all(type(arg) in _ARGUMENTS for arg in args):
        raise DurableError(
            f"a capsule cannot be saved within a handler that holds a {type(exception).__qualname__}: cut "
            f"the run before or after it"
        )
    to.u8(Tag.FAILURE)
    to.u32(encoder.code.class_(type(exception)))
    encoder.values(to, args)
    to.text(failure.text)
    to.text(failure.about)


def write_named(encoder: Encoder, to: Writer, value: Any) -> None:
    """Write a constant that a program has: it is found there by its text."""
    to.u8(OF_KIND[type(value)])
    to.text(constant_text(value))


def write_class_or_member(encoder: Encoder, to: Writer, value: Any) -> None:
    """Write a class, or a member of an enumeration."""
    if isinstance(value, type):
        to.u8(Tag.CLASS)
        to.u32(encoder.code.class_(value))
    else:
        to.u8(Tag.MEMBER)
        to.u32(encoder.code.class_(type(value)))
        to.text(value.name)


def write_native(encoder: Encoder, to: Writer, native: Native) -> None:
    """Write an object of Python; DurableError for one that has no place in a file."""
    value = native.value
    if isinstance(value, type) or (isinstance(value, Enum) and value.name is not None):
        write_class_or_member(encoder, to, value)
    elif type(value) in _BY_CONTENT:
        _BY_CONTENT[type(value)](to, value)
    elif isinstance(value, _dtypes("numpy")):
        to.u8(Tag.DTYPE)
        to.u32(_dtype_number(value))
    elif isinstance(value, _dtypes("torch")):
        to.u8(Tag.TENSOR_DTYPE)
        to.text(str(value))
    elif type(value) is Shared:
        to.u8(Tag.SHARED_PLACES)
        encoder.key(to, tuple(sorted(value.paths, key=repr)))
    elif constant_text(native) == OWN_PROGRAMS:
        to.u8(Tag.FUNCTIONS)
    elif isinstance(value, _OF_PROGRAMS):
        write_named(encoder, to, native)
    else:
        kind = type(value)
        raise DurableError(
            f"a capsule cannot be saved that holds a {kind.__module__}.{kind.__qualname__}: cut the run "
            f"where it does not, or let the program make it from numbers and texts after the cut"
        )


def _dtypes(library: str) -> Any:
    """Return the class of a library's dtypes; none where it is not loaded."""
    found = sys.modules.get(library)
    return () if found is None else found.dtype


def _dtype_number(dtype: Any) -> int:
    for number, (name, _) in enumerate(DTYPES):
        if dtype.name == name and dtype.isnative:
            return number
    raise DurableError(f"a capsule cannot be saved that holds the dtype {dtype}")


def _alone(tag: Tag) -> Callable[[Writer, Any], None]:
    return lambda to, value: to.u8(tag)


def _fraction(to: Writer, value: Fraction) -> None:
    to.u8(Tag.FRACTION)
    to.integer(value.numerator)
    to.integer(value.denominator)


def _decimal(to: Writer, value: Decimal) -> None:
    to.u8(Tag.DECIMAL)
    to.text(str(value))


def _time(to: Writer, value: Any) -> None:
    if getattr(value, "tzinfo", None) is not None:
        raise DurableError("a capsule cannot be saved that holds a time with a time zone: use one without")
    to.u8(Tag.DATETIME)
    to.text(value.isoformat())
    to.u8(type(value) is datetime.datetime)


def _timedelta(to: Writer, value: datetime.timedelta) -> None:
    to.u8(Tag.TIMEDELTA)
    for number in (value.days, value.seconds, value.microseconds):
        to.i64(number)


def _pattern(to: Writer, value: re.Pattern[Any]) -> None:
    to.u8(Tag.PATTERN)
    is_text = isinstance(value.pattern, str)
    to.u8(is_text)
    to.block(value.pattern.encode("utf-8", "surrogatepass") if is_text else value.pattern)
    to.u32(value.flags)


def _twister(to: Writer, value: Block) -> None:
    to.u8(Tag.TWISTER)
    to.column("q", array("q", value.words))


_BY_CONTENT: dict[type, Callable[[Writer, Any], None]] = {
    type(...): _alone(Tag.ELLIPSIS),
    type(NotImplemented): _alone(Tag.NOT_IMPLEMENTED),
    TracebackType: _alone(Tag.TRACEBACK),
    Fraction: _fraction,
    Decimal: _decimal,
    datetime.datetime: _time,
    datetime.date: _time,
    datetime.timedelta: _timedelta,
    re.Pattern: _pattern,
    Block: _twister,
}
