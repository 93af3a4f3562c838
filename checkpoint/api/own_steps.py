"""Functions of the user's own as single steps of programs: `primitive`.

In: a function of any library, and its derivatives. Out: a function that programs call as one step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from checkpoint.ad.values import Foreign
from checkpoint.errors import RunError, an

P = ParamSpec("P")
T = TypeVar("T")


def primitive(
    value: Callable[P, T],
    *,
    vjp: Callable[..., Any] | None = None,
    jvp: Callable[..., Any] | None = None,
) -> Callable[P, T]:
    """Return a function that is one step of every program that calls it, with derivatives of your own.

    Reverse mode needs vjp, forward mode jvp. Derivatives of derivatives do not go through it. Outside of
    a program it is `value`.

    Args:
        value: any function, of any library, that takes and returns pytrees of numbers and arrays, and
            returns the same for the same arguments whenever it is called.
        vjp: vjp(ybar, y, *args) returns the cotangents of the arguments, as a tuple with one for each, for
            the cotangent `ybar` of the value y. Each is shaped like its argument, with None where that has
            no real.
        jvp: jvp(tangents, y, *args) returns the tangent of the value, shaped like y, for the tuple of the
            arguments' tangents.

    Examples:
        >>> import math
        >>> from checkpoint import grad
        >>> cube = primitive(lambda x: x**3, vjp=lambda ybar, y, x: (3.0 * x**2 * ybar,))
        >>> cube(2.0)
        8.0
        >>> grad(lambda x: cube(math.sin(x)))(0.0)
        0.0
    """
    for what, function in (("value", value), ("vjp", vjp), ("jvp", jvp)):
        if not callable(function) and (function is not None or what == "value"):
            raise RunError(f"the {what} of a primitive is a function, not {an(type(function).__name__)}")
    return Foreign(value, vjp, jvp)
