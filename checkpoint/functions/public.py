"""Public functions of this package that a program may call too.

In: functions and classes of derivatives, which checkpoint.api registers when they are defined. Out: for each
the name of its counterpart in checkpoint/lang/python/library (derivatives.py, lanes.py, sums.py), which a
program calls instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

COUNTERPARTS: dict[Callable[..., Any], str] = {}


def within_programs(function: F) -> F:
    """Register a public function: within a program, its counterpart of the same name is called instead."""
    COUNTERPARTS[function] = function.__name__
    return function


class Derived:
    """A function made of another by differentiating it.

    counterpart: the name of the function in checkpoint.lang.python.library.derivatives that makes the same;
        "": there is none.
    function: the function that is differentiated. argnums: the positions of the arguments by which.
    has_aux: whether `function` returns a pair of which only the first is differentiated.
    has_state: whether it may change what came in from outside.
    each: receives the cotangents as soon as they are final; None: nobody does.
    """

    counterpart: ClassVar[str]
    function: Callable[..., Any]
    argnums: int | tuple[int, ...]
    has_aux: bool
    has_state: bool
    each: Callable[..., object] | None


class OverLanes:
    """A function that runs another on many items at once, as `vmap` makes it.

    function: takes one item. in_axes, out_axes: the axes of its arguments and results that hold the items.
    exact: whether values must be those of a loop over the items to the last bit.
    """

    function: Callable[..., Any]
    in_axes: Any
    out_axes: Any
    exact: bool
