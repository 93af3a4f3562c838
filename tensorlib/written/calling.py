"""Functions of NumPy that call a function of the user's: on lines, on elements, on pieces, on indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.errors import refusal
from checkpoint.prims.arrays import instances_translated_as, translated_as


def apply_along_axis(func1d: Any, axis: Any, arr: Any, *args: Any) -> Any:
    """See numpy.apply_along_axis."""
    rows = np.moveaxis(arr, axis, -1)
    lines = rows.reshape(-1, rows.shape[-1])
    found = np.stack([np.asarray(func1d(line, *args)) for line in lines])
    around = rows.shape[:-1]
    inner = found.shape[1:]
    whole = found.reshape(around + inner)
    place = axis % np.ndim(arr)
    for k in range(len(inner)):
        whole = np.moveaxis(whole, len(around) + k, place + k)
    return whole


def apply_over_axes(func: Any, a: Any, axes: Any) -> Any:
    """See numpy.apply_over_axes."""
    found = np.asarray(a)
    n = found.ndim
    for axis in np.atleast_1d(axes).tolist():
        place = axis + n if axis < 0 else axis
        reduced = func(found, place)
        if np.ndim(reduced) != n:
            reduced = np.expand_dims(reduced, place)
            if np.ndim(reduced) != n:
                raise ValueError("function is not returning an array of the correct shape")
        found = reduced
    return found


def fromfunction(function: Any, shape: Any, dtype: Any = "float64") -> Any:
    """See numpy.fromfunction."""
    return function(*list(np.indices(shape).astype(dtype)))


def fromiter(iter: Any, dtype: Any, count: Any = -1) -> Any:
    """See numpy.fromiter."""
    items = list(iter)
    if count >= 0:
        if len(items) < count:
            raise ValueError(
                f"iterator too short: Expected {count} but iterator had only {len(items)} items."
            )
        items = items[:count]
    return np.array(items, dtype=dtype) if items else np.zeros(0, dtype)


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any) -> Any:
    """See numpy.piecewise."""
    x = np.asarray(x)
    conditions = _conditions(x, condlist)
    functions = list(funclist)
    n = len(conditions)
    if n == len(functions) - 1:
        rest = np.logical_not(conditions[0])
        for condition in conditions[1:]:
            rest = np.logical_and(rest, np.logical_not(condition))
        conditions = [*conditions, rest]
    elif n != len(functions):
        raise ValueError(f"with {n} condition(s), either {n} or {n + 1} functions are expected")
    found = np.zeros_like(x)
    for i in range(len(functions)):
        condition, function = conditions[i], functions[i]
        if not callable(function):
            found[condition] = function
        else:
            chosen = x[condition]
            if chosen.size > 0:
                found[condition] = function(chosen, *args)
    return found


def _conditions(x: Any, condlist: Any) -> Any:
    """Return the conditions as a list of arrays: a single one may be given without a list."""
    first = condlist[0] if len(condlist) else True
    if not isinstance(condlist, list | tuple) and x.ndim == 0:
        return [np.asarray(condlist)]
    if np.ndim(first) == 0 and x.ndim != 0:
        return [np.asarray(condlist, dtype=bool)]
    return [np.asarray(condition, dtype=bool) for condition in condlist]


def vectorized(function: Any, *args: Any) -> Any:
    """Return what a function gives for each element of arrays that broadcast, as np.vectorize(function)."""
    shape: Any = ()
    for arg in args:
        shape = np.broadcast_shapes(shape, np.shape(arg))
    if 0 in shape:
        raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
    flat = [np.ravel(np.broadcast_to(arg, shape)) for arg in args]
    found = [function(*[part[i] for part in flat]) for i in range(len(flat[0]))]
    if isinstance(found[0], tuple):
        return tuple([_whole([each[k] for each in found], shape) for k in range(len(found[0]))])
    return _whole(found, shape)


def vectorize(
    pyfunc: Any,
    otypes: Any = None,
    doc: Any = None,
    excluded: Any = None,
    cache: Any = False,
    signature: Any = None,
) -> Any:
    """See numpy.vectorize; without excluded and signature."""
    if excluded is not None or signature is not None:
        raise refusal("np.vectorize: excluded and signature are not taken here: call the function in a loop")

    def call(*args: Any) -> Any:
        found = vectorized(pyfunc, *args)
        return found if otypes is None else found.astype(otypes if isinstance(otypes, str) else otypes[0])

    return call


class Broadcast:
    """The shape in which arrays broadcast, and an iterator over their elements; see numpy.broadcast."""

    def __init__(self, arrays: Any) -> None:
        shape: Any = ()
        for array in arrays:
            shape = np.broadcast_shapes(shape, np.shape(array))
        self.shape = shape
        self.nd = self.ndim = len(shape)
        self.numiter = len(arrays)
        self.size = 1
        for length in shape:
            self.size *= length
        self.index = 0
        self.flat = [np.ravel(np.broadcast_to(array, shape)) for array in arrays]

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.index == self.size:
            raise StopIteration
        found = tuple([part[self.index] for part in self.flat])
        self.index += 1
        return found

    def reset(self) -> None:
        """Begin with the first elements again."""
        self.index = 0


def broadcast(*args: Any) -> Any:
    """See numpy.broadcast."""
    return Broadcast(args)


def _whole(items: Any, shape: Any) -> Any:
    """Return elements as an array of the dtype of the first, as NumPy does."""
    found = np.array(items)
    first = np.asarray(items[0]).dtype
    return (found if found.dtype == first else found.astype(first)).reshape(shape)


_FUNCTIONS: tuple[Any, ...] = (
    apply_along_axis,
    apply_over_axes,
    fromfunction,
    fromiter,
    piecewise,
    vectorize,
    broadcast,
)
for _function in _FUNCTIONS:
    translated_as(getattr(np, _function.__name__), _function)
instances_translated_as(np.vectorize, "pyfunc", vectorized)
