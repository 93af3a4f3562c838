"""Combinators over arrays: map, reduce, scan, reduce_by_index, scatter, filter, partition, by any function.

In: functions of items, and nests: arrays, or tuples, lists, dicts and objects of arrays, whose items lie
along the first axis. Out: nests. What always holds: the tree of indices in which items are combined depends
on their number alone (checkpoint/lang/python/library/combinators.py), so values and gradients have the same
bits on every engine.

Calls of `map` leave plans, which are those of runs and of their calls (direction_plans.py, call_plans.py),
along no direction: the run of the second call is made once more on engine interp, and what it calls of the
arrays' library, such as the loop of a formula, is all that further calls do. Functions that have captured
reals have none. A plan takes a call only where an ordinary one would find the same program, with the same
data for all but the elements of arrays, unobserved. Where what it calls fails, nothing has happened yet, and
the call is an ordinary one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from checkpoint.api.call_plans import CallPlans
from checkpoint.api.direction_plans import Again, RunPlans
from checkpoint.api.gradient_plans import MAX_BYTES, MAX_NUMBERS, makes_calls_alone
from checkpoint.errors import RUN_ENDING
from checkpoint.functions.interface import Call
from checkpoint.functions.public import within_programs
from checkpoint.functions.resumption import as_function
from checkpoint.functions.small import PlansOfCodes
from checkpoint.lang.python.library import combinators
from checkpoint.lang.python.library.combinators import map_by

_MAX_PLANS = 256  # of all functions; the oldest goes
_MAX_TRIALS = 8  # of making plans for functions of one code: of more their calls differ too much
_ENGINE = "interp"  # which knows of traces
_ALONG = ("value",)  # what tells these plans from those along directions

Operator = Callable[[Any, Any], Any]


def _run(function: Callable[..., Any], *args: Any) -> Any:
    return as_function(function).call(args, {}, None).value()


class _MapPlans:
    """The plans of maps by functions of one code, of so many nests."""

    def __init__(self) -> None:
        self._runs = RunPlans(MAX_BYTES, runs=False)
        self._calls = CallPlans(self._runs, warns=False)
        self._ordinary = 0  # calls

    def take(self, f: Callable[..., Any], nests: Sequence[Any]) -> Any:
        """Return what a call returns; None: it is an ordinary one."""
        return self._calls.take(map_by(f, len(nests)), nests, {}, [])

    def learn(self, f: Callable[..., Any], nests: Sequence[Any]) -> None:
        """Make a plan for calls like an ordinary one, which is not the first."""
        self._ordinary += 1
        if not 1 < self._ordinary <= 1 + _MAX_TRIALS:
            return
        function: Callable[..., Any] = map_by(f, len(nests))
        try:
            call = as_function(function).call(nests, {}, _ENGINE)
        except RUN_ENDING:  # what an ordinary call can do as part of a larger program
            return
        if len(call.run.found) <= MAX_NUMBERS and self._has_plan(call):
            self._calls.learn(function, call, nests, {}, _ALONG, call.leave)

    def _has_plan(self, call: Call) -> bool:
        """Return whether a plan makes the run of a call, a new one unless there is one."""

        def again() -> Again | None:
            return (call.run, lambda: _value(call)) if makes_calls_alone(call) else None

        return self._runs.value(call.run, _ALONG, again) is not None


def _value(call: Call) -> Any:
    """Return the value of the run of a call; None: it fails."""
    try:
        return call.run.value()
    except Exception:  # of a second run: the call itself has returned, and merely gets no plan
        return None


_all_plans: PlansOfCodes[_MapPlans] = PlansOfCodes(_MAX_PLANS)


def _plans_of(f: Any, nests: Sequence[Any]) -> _MapPlans | None:
    """Return the plans of maps by a function; None: it has none."""
    if type(f) is not FunctionType or map_by(f, len(nests)) is None:
        return None
    return _all_plans.found(f.__code__, len(nests), _MapPlans)


@within_programs
def map(f: Callable[..., Any], *nests: Any) -> Any:
    """Return what f returns for each item, along a new first axis: `checkpoint.vmap(f)(*nests)`.

    Examples:
        >>> import numpy as np
        >>> from checkpoint import arrays
        >>> arrays.map(lambda x, y: x * y, np.array([1.0, 2.0]), np.array([3.0, 4.0])).tolist()
        [3.0, 8.0]
    """
    plans = _plans_of(f, nests)
    planned = None if plans is None else plans.take(f, nests)
    if planned is not None:
        return planned
    value = _run(combinators.map, f, *nests)
    if plans is not None:
        plans.learn(f, nests)
    return value


@within_programs
def reduce(op: Operator, items: Any, neutral: Any = None) -> Any:
    """Return all items, combined by an operator in their order.

    Of n items the left part has the greatest power of two below n, and so on in each part; the value is that
    of a loop over this tree, whatever the operator. It should be associative for the value to mean
    something: with CHECKPOINT_CHECK=1 it is tried on the first three items.

    op: takes two items, returns one. Python's and NumPy's add, max and min have rules of their own; at a tie
        the first item has the derivative.
    neutral: what is returned where there are no items.

    Raises:
        ValueError: if there are no items, and no `neutral`.
        TypeError: where the operator returns another structure, shape or dtype than that of items.

    Examples:
        >>> import numpy as np
        >>> from checkpoint import arrays, grad
        >>> def product(xs):
        ...     return arrays.reduce(lambda a, b: a * b, xs)
        >>> product(np.array([2.0, 3.0, 4.0]))
        24.0
        >>> grad(product)(np.array([2.0, 0.0, 4.0])).tolist()
        [0.0, 8.0, 0.0]
    """
    return _run(combinators.reduce, op, items, neutral)


@within_programs
def scan(op: Operator, items: Any) -> Any:
    """Return the combinations of the first 1, 2, ... items, as many as there are items.

    Those of the first n are combined from the left, of parts whose lengths are the powers of two that n is
    the sum of, the greatest first; each part in the tree of `reduce`.

    Examples:
        >>> import numpy as np
        >>> from checkpoint import arrays
        >>> arrays.scan(max, np.array([1.0, 3.0, 2.0])).tolist()
        [1.0, 3.0, 3.0]
    """
    return _run(combinators.scan, op, items)


@within_programs
def reduce_by_index(op: Operator, dest: Any, indices: Any, values: Any) -> Any:
    """Return dest with each of its items combined with the values that have its index.

    The values of an index are combined in the tree of `reduce`, in their order, and the item of dest with
    that. Items without values stay as they are; dest may hold neutral elements.

    indices: an array of integers, one for each value; negative ones count from the end.

    Raises:
        IndexError: for an index that dest does not have.

    Examples:
        >>> import numpy as np
        >>> from checkpoint import arrays
        >>> at = np.array([0, 2, 0])
        >>> arrays.reduce_by_index(lambda a, b: a + b, np.zeros(3), at, np.array([1.0, 2.0, 3.0])).tolist()
        [4.0, 0.0, 2.0]
    """
    return _run(combinators.reduce_by_index, op, dest, indices, values)


@within_programs
def scatter(dest: Any, indices: Any, values: Any) -> Any:
    """Return dest with values in place of the items at indices; of an index that occurs twice the last.

    Examples:
        >>> import numpy as np
        >>> from checkpoint import arrays
        >>> arrays.scatter(np.zeros(3), np.array([2, 0]), np.array([5.0, 7.0])).tolist()
        [7.0, 0.0, 5.0]
    """
    return _run(combinators.scatter, dest, indices, values)


@within_programs
def filter(test: Callable[[Any], Any], items: Any) -> Any:
    """Return the items for which a test holds, in their order.

    Examples:
        >>> import numpy as np
        >>> from checkpoint import arrays
        >>> arrays.filter(lambda x: x > 1.0, np.array([1.0, 3.0, 2.0])).tolist()
        [3.0, 2.0]
    """
    return _run(combinators.filter, test, items)


@within_programs
def partition(test: Callable[[Any], Any], items: Any) -> tuple[Any, Any]:
    """Return the items for which a test holds, and the others, both in their order.

    Examples:
        >>> import numpy as np
        >>> from checkpoint import arrays
        >>> low, high = arrays.partition(lambda x: x < 2.0, np.array([1.0, 3.0, 0.5]))
        >>> low.tolist(), high.tolist()
        ([1.0, 0.5], [3.0])
    """
    found: tuple[Any, Any] = _run(combinators.partition, test, items)
    return found
