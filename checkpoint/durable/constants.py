"""Constants in the section OBJECTS: what is written as a text, and looked up or made when it is read.

In: the section, and what the caller's program knows. Out: atoms of the language. Primitives, functions,
modules and classes are those of the program; numbers and dates are made anew.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from enum import EnumMeta
from fractions import Fraction
from typing import Any

from checkpoint.ad.arrays import Native
from checkpoint.ad.state import Shared
from checkpoint.ad.twister import WORDS, Block
from checkpoint.ad.values import Foreign, Unusable
from checkpoint.durable.buffers import DTYPES, library
from checkpoint.durable.code import Known
from checkpoint.durable.programs import OWN_PROGRAMS
from checkpoint.durable.stream import Reader
from checkpoint.durable.tags import Tag
from checkpoint.lang.python.context.builder import NOT_IMPLEMENTED
from checkpoint.prims.python.exceptions import TRACEBACK

_DEEPEST = 50  # places within places


def _constant(kind: type) -> Callable[[Known, Reader], Any]:
    def read(known: Known, reader: Reader) -> Any:
        found = known.program.constant(reader.text())
        if type(found) is not kind:
            raise reader.damaged()
        return found

    return read


def _functions(known: Known, reader: Reader) -> Any:
    return known.program.constant(OWN_PROGRAMS)


def _class(known: Known, reader: Reader) -> Native:
    return Native(known.class_(reader))


def _dtype(known: Known, reader: Reader) -> Native:
    name, _ = DTYPES[reader.below(len(DTYPES) - 1)]  # the last is PyTorch's alone
    return Native(library("numpy").dtype(name))


def _tensor_dtype(known: Known, reader: Reader) -> Native:
    torch = library("torch")
    found = vars(torch).get(reader.text().removeprefix("torch."))
    if not isinstance(found, torch.dtype):
        raise reader.damaged()
    return Native(found)


def class_or_member(known: Known, reader: Reader, tag: int) -> Any:
    """Read a class, or a member of an enumeration, after its tag."""
    cls = known.class_(reader)
    if tag == Tag.CLASS:
        return cls
    members: Mapping[str, Any] = cls.__members__ if isinstance(cls, EnumMeta) else {}
    name = reader.text()
    if name not in members:
        raise reader.damaged()
    return members[name]


def _member(known: Known, reader: Reader) -> Native:
    return Native(class_or_member(known, reader, Tag.MEMBER))


def _not_implemented(known: Known, reader: Reader) -> Native:
    return NOT_IMPLEMENTED


def _traceback(known: Known, reader: Reader) -> Native:
    return TRACEBACK


def _pattern(known: Known, reader: Reader) -> Native:
    is_text, pattern, flags = reader.u8(), reader.block(), reader.u32()
    try:
        text = pattern.decode("utf-8", "surrogatepass") if is_text else pattern
        return Native(re.compile(text, flags))
    except (re.error, UnicodeDecodeError, ValueError):
        raise reader.damaged() from None


def _twister(known: Known, reader: Reader) -> Native:
    words = reader.column("q", WORDS)
    if not all(0 <= word < 1 << 32 for word in words):
        raise reader.damaged()
    return Native(Block(words))


def _ellipsis(known: Known, reader: Reader) -> Native:
    return Native(...)


def _fraction(known: Known, reader: Reader) -> Native:
    numerator, denominator = reader.integer(), reader.integer()
    if not denominator:
        raise reader.damaged()
    return Native(Fraction(numerator, denominator))


def _decimal(known: Known, reader: Reader) -> Native:
    try:
        return Native(Decimal(reader.text()))
    except InvalidOperation:
        raise reader.damaged() from None


def _datetime(known: Known, reader: Reader) -> Native:
    text, has_time = reader.text(), reader.u8()
    try:
        made = datetime.datetime if has_time else datetime.date
        return Native(made.fromisoformat(text))
    except ValueError:
        raise reader.damaged() from None


def _timedelta(known: Known, reader: Reader) -> Native:
    try:
        return Native(datetime.timedelta(reader.i64(), reader.i64(), reader.i64()))
    except OverflowError:
        raise reader.damaged() from None


def _shared_places(known: Known, reader: Reader) -> Native:
    paths = _path(reader, 0)
    if type(paths) is not tuple or not all(type(path) is tuple for path in paths):
        raise reader.damaged()
    return Native(Shared(frozenset(paths)))


def _path(reader: Reader, depth: int) -> Any:
    tag = reader.u8()
    if tag == Tag.TUPLE and depth < _DEEPEST:
        return tuple([_path(reader, depth + 1) for _ in range(reader.count())])
    if tag == Tag.INTEGER:
        return reader.integer()
    if tag == Tag.STRING:
        return reader.text()
    raise reader.damaged()


CONSTANTS: dict[int, Callable[[Known, Reader], Any]] = {
    Tag.FOREIGN: _constant(Foreign),
    Tag.UNUSABLE: _constant(Unusable),
    Tag.HELD: _constant(Native),
    Tag.FUNCTIONS: _functions,
    Tag.CLASS: _class,
    Tag.DTYPE: _dtype,
    Tag.TENSOR_DTYPE: _tensor_dtype,
    Tag.ELLIPSIS: _ellipsis,
    Tag.FRACTION: _fraction,
    Tag.DECIMAL: _decimal,
    Tag.DATETIME: _datetime,
    Tag.TIMEDELTA: _timedelta,
    Tag.SHARED_PLACES: _shared_places,
    Tag.MEMBER: _member,
    Tag.NOT_IMPLEMENTED: _not_implemented,
    Tag.TRACEBACK: _traceback,
    Tag.PATTERN: _pattern,
    Tag.TWISTER: _twister,
}
