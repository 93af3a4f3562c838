"""Combinators over arrays: map, reduce, scan, reduce_by_index, scatter, filter, partition, by any function.

In: functions of items, and nests: arrays, or tuples, lists, dicts and objects of arrays, whose items lie
along the first axis. Out: nests. What always holds: the tree of indices in which items are combined depends
on their number alone (checkpoint/lang/python/library/combinators.py), so values and gradients have the same
bits on every engine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.functions.public import within_programs
from checkpoint.functions.resumption import as_function
from checkpoint.lang.python.library import combinators

Operator = Callable[[Any, Any], Any]


def _run(function: Callable[..., Any], *args: Any) -> Any:
    return as_function(function).call(args, {}, None).value()


@within_programs
def map(f: Callable[..., Any], *nests: Any) -> Any:
    """Return what f returns for each item, along a new first axis: `checkpoint.vmap(f)(*nests)`.

    Examples:
        >>> import numpy as np
        >>> from checkpoint import arrays
        >>> arrays.map(lambda x, y: x * y, np.array([1.0, 2.0]), np.array([3.0, 4.0])).tolist()
        [3.0, 8.0]
    """
    return _run(combinators.map, f, *nests)


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
