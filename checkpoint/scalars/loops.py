"""Values of a definition for many operands: by engine c once it is loaded, else by Python.

In: flat buffers of doubles, all of one length. Out: another one, equal in every bit whoever computes it.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Any

from checkpoint.scalars.definition import Definition

# (primitive, strict, operands, result) -> the index where it fails first; -1: none; None: C does not have it.
Loop = Callable[[str, bool, Sequence[Any], Any], int | None]

_compiled: list[Loop] = []


def install(loop: Loop) -> None:
    """State how engine c computes a definition on buffers."""
    _compiled[:] = [loop]


def over(definition: Definition, strict: bool, operands: Sequence[Any], result: Any) -> None:
    """Fill `result` with the values; strict: raise what the value raises at the first operands that fail."""
    name = definition.of_python or definition.language
    failed = _compiled[0](name, strict, operands, result) if _compiled and name else None
    if failed != -1:  # where C refuses an element, Python raises the exception
        function = definition.value if strict else definition.ieee
        result[:] = array("d", map(function, *[memoryview(x).tolist() for x in operands]))
