"""The tags of values in the sections OBJECTS and STACK, and the kinds of values that are refused.

Every kind of value has a tag in OF_KIND or a reason in REFUSED; a test says so. Tags are numbers of a file
format: they are never changed, and new ones are appended.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from checkpoint.ad.arrays import Array, Discrete, Native
from checkpoint.ad.containers import Dict, Layout, List, Object, Record, Types
from checkpoint.ad.numbers import Dual, Node
from checkpoint.ad.tables import Table
from checkpoint.ad.values import (
    Capsule,
    Closure,
    Environment,
    Failure,
    Foreign,
    Opaque,
    Pair,
    Symbol,
    Unusable,
)


class Tag(IntEnum):
    """Says how a value begins: up to REF where a value is used; the others are entries of OBJECTS."""

    NULL = 0
    FALSE = 1
    TRUE = 2
    INTEGER = 3
    REAL = 4
    STRING = 5
    BYTES = 6
    SYMBOL = 7
    RANGE = 8
    REF = 9
    SHARED_REAL = 16
    PAIR = 17
    ENVIRONMENT = 18
    CLOSURE = 19
    RESUME = 20
    TUPLE = 21
    RECORD = 22
    LIST = 23
    DICT = 24
    OBJECT = 25
    FILL = 26
    MEMORY = 27
    ARRAY = 28
    DISCRETE = 29
    DUAL = 30
    CAPSULE = 31
    OPAQUE = 32
    LAYOUT = 33
    TYPES = 34
    FAILURE = 35
    FOREIGN = 36
    UNUSABLE = 37
    CLASS = 38
    DTYPE = 39
    ELLIPSIS = 40
    FUNCTIONS = 41
    HELD = 42
    FRACTION = 43
    DECIMAL = 44
    DATETIME = 45
    TIMEDELTA = 46
    SHARED_PLACES = 47
    TENSOR_DTYPE = 48
    MEMBER = 49
    NOT_IMPLEMENTED = 50
    TRACEBACK = 51
    PATTERN = 52
    TWISTER = 53


class RunTag(IntEnum):
    """How a column of frames is written."""

    REALS = 1
    INTEGERS = 2
    VALUES = 3


INLINE = frozenset((type(None), bool, int, float, str, bytes, Symbol, range))

OF_KIND: dict[type, Tag] = {
    type(None): Tag.NULL,
    bool: Tag.TRUE,
    int: Tag.INTEGER,
    float: Tag.REAL,
    str: Tag.STRING,
    bytes: Tag.BYTES,
    Symbol: Tag.SYMBOL,
    range: Tag.RANGE,
    Pair: Tag.PAIR,
    Environment: Tag.ENVIRONMENT,
    Closure: Tag.CLOSURE,
    tuple: Tag.TUPLE,
    Record: Tag.RECORD,
    List: Tag.LIST,
    Dict: Tag.DICT,
    Object: Tag.OBJECT,
    Array: Tag.ARRAY,
    Discrete: Tag.DISCRETE,
    Dual: Tag.DUAL,
    Capsule: Tag.CAPSULE,
    Opaque: Tag.OPAQUE,
    Layout: Tag.LAYOUT,
    Types: Tag.TYPES,
    Failure: Tag.FAILURE,
    Foreign: Tag.FOREIGN,
    Unusable: Tag.UNUSABLE,
    Native: Tag.HELD,
}

REFUSED: dict[type, str] = {
    Table: "a table of pandas: take its columns as arrays, x.to_numpy(), before the run",
    Node: "a number on a tape: save capsules outside of gradients",
}


def refused(value: Any) -> str:
    """Return why a value has no place in a file."""
    reason = REFUSED.get(type(value))
    return reason or f"a {type(value).__qualname__}, which is no value of a program"
