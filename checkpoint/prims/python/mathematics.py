"""The functions of Python's module `math` that have a derivative, and other scalar functions of Python
programs.

In: the definitions of checkpoint.scalars that are functions of Python. Out: for each a Scalar with Python's
own value and failures, and a record for all other operands, which asks Python.
"""

from __future__ import annotations

from checkpoint.prims.python.arithmetic import in_python, scalar
from checkpoint.scalars.definition import Definition, definitions


def _register(definition: Definition) -> None:
    """Register the primitive that stands for a definition's functions of Python."""
    own = [function for function in definition.python if function is not definition]
    value = own[0] if own else definition.value
    name = definition.of_python.removeprefix("py.")
    scalar(definition, name, value, in_python(value), definition.python)


for _definition in definitions().values():
    if _definition.of_python:
        _register(_definition)
