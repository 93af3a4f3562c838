"""A corpus of Python functions over NumPy arrays as people write them, each with arguments to call it on."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Example:
    """A function, its arguments, and what is known of the call.

    differentiable: arguments and result hold floats, and the function is smooth around the arguments.
    raises: the exception that the call ends in, if it does.
    coarse: it computes with less than double precision.
    """

    function: Callable[..., object]
    args: tuple[object, ...]
    differentiable: bool = True
    raises: type[BaseException] | None = None
    coarse: bool = False


def filled(*shape: int) -> Any:
    """An array of that shape: numbers of both signs, none of them near another, from -1.5 to 1.5."""
    count = int(np.prod(shape))
    return (3.0 * np.modf(0.618033988749895 * np.arange(1.0, count + 1.0))[0] - 1.5).reshape(shape)


def examples() -> dict[str, Example]:
    """All examples of this package by "module.function"; a repeated name gets "#2", "#3", ..."""
    found: dict[str, Example] = {}
    for info in sorted(pkgutil.iter_modules(__path__), key=lambda info: info.name):
        module = importlib.import_module(f"{__name__}.{info.name}")
        for example in module.EXAMPLES:
            first = name = f"{info.name}.{example.function.__name__}"
            count = 1
            while name in found:
                count += 1
                name = f"{first}#{count}"
            found[name] = example
    return found
