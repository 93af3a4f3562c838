"""vmap: a function of one item as a function of many."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from checkpoint import engines
from checkpoint.api.lane_plans import plans_of
from checkpoint.errors import RunError, an
from checkpoint.functions.public import OverLanes, within_programs
from checkpoint.functions.resumption import as_function


class Mapped(OverLanes):
    """The function that vmap returns: it runs `function` once for each lane.

    function, in_axes, out_axes, exact: as in OverLanes.
    engine: runs it where it is called outside of programs.
    """

    def __init__(
        self, function: Callable[..., Any], in_axes: Any, out_axes: Any, exact: bool, engine: str | None
    ) -> None:
        if not callable(function):
            raise RunError(f"vmap takes a function, not {an(type(function).__name__)}")
        self.function = function
        self.in_axes = in_axes
        self.out_axes = out_axes
        self.exact = exact
        self.engine = engine
        functools.update_wrapper(self, function, updated=())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the results of all lanes for arguments that hold the items of all."""
        plans = plans_of(self, args, kwargs)
        if plans is None:
            return as_function(self).call(args, kwargs, self.engine).value()
        engine = engines.get(self.engine)
        planned = plans.take(self, engine, args)
        if planned is not None:
            return planned
        call = as_function(self).call(args, kwargs, self.engine)
        value = call.value()
        plans.learn(self, engine, args, call.run, value)
        return value

    def __repr__(self) -> str:
        return f"<vmap of {getattr(self.function, '__name__', self.function)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.function, self.in_axes, self.out_axes, self.exact, self.engine)


@within_programs
def vmap(
    f: Callable[..., Any],
    in_axes: Any = 0,
    out_axes: Any = 0,
    *,
    exact: bool = True,
    engine: str | None = None,
) -> Callable[..., Any]:
    """Return a function that runs f on many items: each run is a lane, with branches and loops of its own.

    The value is that of a loop over the items, lane 0 first, so values, exceptions, what is printed and
    derivatives are those of the loop. What lanes share is copied for each; none may change it.

    in_axes: the axis of each argument's arrays that holds the items: an int for all arguments, or a tuple
        with an int, None or a pytree of these for each; None shares an argument among all lanes. Keyword
        arguments hold their items along axis 0.
    out_axes: the axis along which the results are stacked: an int, or a pytree of ints like the result; None
        for what all lanes return alike.
    exact: whether the value is the loop's to the last bit. If not, f runs once on arrays of all lanes, which
        divide where they branch apart; what has no such form runs as a loop. Results are the loop's within
        rounding.

    Examples:
        >>> import numpy as np
        >>> def steps(x):
        ...     count = 0
        ...     while x > 1.0:
        ...         x, count = x / 2.0, count + 1
        ...     return count
        >>> vmap(steps)(np.array([1.0, 10.0, 1000.0])).tolist()
        [0, 4, 10]
    """
    return Mapped(f, in_axes, out_axes, exact, engine)
