"""Helpers of functions along axes: cotangents expanded over the axes, and axes moved to the end."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from checkpoint.ad.operands import native
from checkpoint.ad.tensors import ALWAYS
from tensorlib.layout.moving import as_axes, as_like, call, listed, shape_now
from tensorlib.moves import raised

Rule = Callable[..., Any]


def on_lists(vjp: Rule) -> Rule:
    """Return a rule for arrays as one for arrays, reals and nested lists, whose elements it reads."""

    def rule(xp: Any, g: Any, y: Any, a: Any, *rest: Any) -> Any:
        if hasattr(a, "dtype"):
            return as_like(vjp(xp, g, y, a, *rest), a)
        return listed(xp, vjp(xp, g, y, xp.asarray(a), *rest), a)

    return rule


def kept(xp: Any, g: Any, ndim: int, axis: Any, keepdims: Any) -> Any:
    """Return a reduced array with the axes of the reduction as axes of length 1."""
    if keepdims or ndim == 0:
        return g
    return g.reshape((1,) * ndim) if axis is None else raised(xp, g, axis)


def count(shape: tuple[int, ...], axis: Any) -> int:
    """Return how many elements are reduced to one."""
    return math.prod([shape[i] for i in as_axes(axis, len(shape))])


def order_of(ndim: int, axis: Any) -> list[int]:
    """Return the axes, those that are reduced at the end."""
    last = as_axes(axis, ndim)
    return [i for i in range(ndim) if i not in last] + list(last)


def lined_up(xp: Any, a: Any, axis: Any) -> Any:
    """Return an array with the axes that are reduced as one, the last."""
    if axis is None:
        return a.reshape((count(a.shape, axis),))
    order = order_of(a.ndim, axis)
    kept_shape = [a.shape[i] for i in order[: a.ndim - len(as_axes(axis, a.ndim))]]
    return xp.transpose(a, order).reshape((*kept_shape, count(a.shape, axis)))


def put_back(xp: Any, lines: Any, shape: tuple[int, ...], axis: Any) -> Any:
    """Return what `lined_up` gave, in its own shape."""
    if axis is None:
        return lines.reshape(shape)
    order = order_of(len(shape), axis)
    back = sorted(range(len(order)), key=order.__getitem__)
    return xp.transpose(lines.reshape([shape[i] for i in order]), back)


def lines_now(x: Any, axis: Any) -> Any:
    """Return `lined_up` of an array, in rules for tangents."""
    shape = shape_now(x)
    axis = plain_axis(axis)
    order = order_of(len(shape), axis)
    rest = [shape[i] for i in order[: len(shape) - len(as_axes(axis, len(shape)))]]
    return call("np.reshape", call("np.transpose", x, tuple(order)), (*rest, count(shape, axis)))


def plain_axis(axis: Any) -> Any:
    """Return an axis operand in rules for tangents, as Python's own object."""
    return native(ALWAYS, axis)


def like_result(x: Any, y: Any) -> Any:
    """Return a tangent in the shape of the result."""
    return call("np.reshape", x, shape_now(y))
