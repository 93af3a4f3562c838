"""Values of a definition for many operands: by engine c once it is loaded, else by Python.

In: flat buffers of doubles, all of one length. Out: another one, equal in every bit whoever computes it.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from checkpoint.scalars.compiled import by_c
from checkpoint.scalars.definition import Definition


def over(definition: Definition, strict: bool, operands: Sequence[Any], result: Any) -> None:
    """Fill `result` with the values; strict: raise what the value raises at the first operands that fail."""
    name = definition.of_python or definition.language
    failed = by_c.loop(name, strict, operands, result) if name else None
    if failed != -1:  # where C refuses an element, Python raises the exception
        function = definition.value if strict else definition.ieee
        result[:] = array("d", map(function, *[memoryview(x).tolist() for x in operands]))
