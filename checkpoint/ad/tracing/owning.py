"""Owning: copies that a plan does not make, since nobody else holds the array that they are of.

In: the lines of a plan. Out: lines in which a copy of an array that nothing reads besides is that array, if
the plan alone has it. Who has it is found out at each call, by counting references: whatever shows the
elements of an array refers to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from sys import getrefcount
from typing import Any

from checkpoint.ad.array_library import defaults
from checkpoint.ad.tracing.lines import Line

_COUNT, _ALONE, _IS_WHOLE = "references_of", "alone", "is_whole"


def owned(lines: Sequence[Line], results: Sequence[str], scope: dict[str, Any]) -> list[Line]:
    """Return lines that compute the same. scope: the constants of the lines, and of those returned."""
    reads = Counter([*results, *[name for line in lines if not line.is_of_form for name in line.read]])
    scope.update({_COUNT: getrefcount, _ALONE: _references_of_a_variable(), _IS_WHOLE: _is_whole})
    return [_owned(line) if _is_copy(line) and reads[line.read[0]] == 1 else line for line in lines]


def _is_copy(line: Line) -> bool:
    call = line.call
    return call is not None and call.key is defaults[0].array and line.read == tuple(call.texts)


def _owned(line: Line) -> Line:
    (array,) = line.read
    test = f"{_COUNT}({array}) == {_ALONE} and {_IS_WHOLE}({array})"
    return line._replace(text=f"{array} if {test} else {line.text}")


def _is_whole(array: Any) -> bool:
    """Return whether an array has its elements itself, and whoever has it may change them."""
    return array.base is None and array.flags.owndata and array.flags.writeable


def _references_of_a_variable() -> int:
    """Return the number of references to an object that one variable of a function alone has."""
    alone = object()
    return getrefcount(alone)
