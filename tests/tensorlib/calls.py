"""Calls of functions with NumPy's names, NumPy's own or another package's, on the operands of a record."""

from __future__ import annotations

import inspect
from typing import Any

from checkpoint.ad.tensors import Tensor


def arguments(function: Any, record: Tensor, operands: tuple[Any, ...]) -> tuple[list[Any], dict[str, Any]]:
    """Return optional operands by name, where the function knows the name, and the others by position."""
    parameters = list(inspect.signature(record.value).parameters.values())[1:]
    known = _names(function)
    places, names = [], {}
    for position, operand in enumerate(operands):
        parameter = parameters[min(position, len(parameters) - 1)]
        optional = parameter.default is not parameter.empty
        if optional and parameter.name in known and not record.variadic:
            names[parameter.name] = operand
        else:
            places.append(operand)
    return places, names


def _names(function: Any) -> frozenset[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return frozenset()
    return frozenset([p.name for p in parameters if p.kind is not p.POSITIONAL_ONLY])
