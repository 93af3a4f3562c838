"""Methods that only arrays have; tensorlib's records overload them.

With any other first operand they fail as Python does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.ad.arrays import ARRAYS
from checkpoint.ad.containers import List, Record
from checkpoint.ad.numbers import real_part
from checkpoint.ad.operands import holds_array
from checkpoint.ad.storage import Now
from checkpoint.lang.python.library.stand_ins import COMPLEX
from checkpoint.prims.python.native import class_name
from checkpoint.prims.python.support import is_tuple, rearrange


def _missing(method: str) -> Callable[..., Any]:
    """Return what a method of arrays does with anything else: it raises AttributeError."""

    def value(now: Now, x: Any, *operands: Any) -> Any:
        raise AttributeError(f"{class_name(x)!r} object has no attribute {method!r}")

    return value


def _is_array(now: Now, x: Any) -> bool:
    return type(x) in ARRAYS or holds_array((x,))


def _was_changed(now: Now, x: Any) -> bool:
    part = real_part(x)
    return type(part) in ARRAYS and now.steps >= part.memory.stale


def _holds_complex(now: Now, x: Any) -> bool:
    """Return whether a list or tuple holds a complex number of Python's, in it or in those in it."""
    pending = [x]
    while pending:
        part = pending.pop()
        if type(part) is Record and part.layout == COMPLEX:
            return True
        if type(part) is List or is_tuple(part):
            pending.extend(part.items)
    return False


rearrange("is-array", 1, "whether x is an array", _is_array, discrete=True)
rearrange("was-changed", 1, "whether x is an array that was changed since", _was_changed, discrete=True)
rearrange("holds-complex", 1, "whether a list or tuple holds a complex number", _holds_complex, discrete=True)
rearrange("fill", 2, "x.fill(v) of an array: x, v", _missing("fill"))
rearrange("set-flags", 2, "x.setflags(write) of an array: x, write", _missing("setflags"))
rearrange("array-sorted", 3, "an array, sorted: x, axis, kind", _missing("sort"))
rearrange("basis", 2, "the array like x that is 1 at one place, 0 elsewhere: x, place", _missing("size"))
rearrange("complex-array", 3, "a complex number as an array: its parts, a like array", _missing("dtype"))
rearrange("stacked", 3, "parts for each element of x, as one array: x, parts, axis", _missing("size"))
