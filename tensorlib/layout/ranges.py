"""Steps between two numbers, and grids of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from checkpoint.errors import refusal
from checkpoint.prims.arrays import tensor
from tensorlib.layout.moving import call, in_place_of, is_list, keywords_first, listed, shape_now
from tensorlib.rules import real_only, tangent_array, unbroadcast
from tensorlib.short_axes import added_up


def _arange(xp: Any, start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Any:
    given = [start, *([] if stop is None and step is None else [stop]), *([] if step is None else [step])]
    return xp.arange(*given, dtype=dtype)


def _arange_step(tangent: Any, y: Any, *operands: Any) -> Any:
    return call("np.multiply", tangent, call("np.arange", float(shape_now(y)[0])))


def _arange_start_vjp(xp: Any, g: Any, y: Any, start: Any, stop: Any = None, *rest: Any) -> Any:
    return unbroadcast(xp, g if stop is not None else g * 0.0, start)


def _arange_start_jvp(tangent: Any, y: Any, start: Any, stop: Any = None, *rest: Any) -> Any:
    whole = call("np.broadcast_to", tangent, shape_now(y))
    return whole if stop is not None else call("np.multiply", whole, 0.0)


ARANGE = tensor(
    "np.arange",
    _arange,
    vjps=(
        _arange_start_vjp,
        None,
        lambda xp, g, y, start, stop, step, *rest: unbroadcast(xp, g * xp.arange(g.size), step),
        None,
    ),
    jvps=(_arange_start_jvp, None, _arange_step, None),
    needs=((0,), (), (), ()),
    implements=(np.arange,),
    shape="(ceil((stop - start) / step),)",
    convention="the number of elements is constant, and the elements are start + i * step",
    samples=lambda rng: [(5,), (2, 7), (0.25, 2.0, 0.5), (3.5,), (rng.normal(), 4.0, 1)],
)


def _linspace(
    xp: Any,
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    if retstep:
        raise refusal(
            "np.linspace with retstep=True has no rule here: the step is (stop - start) / (num - 1)"
        )
    return xp.linspace(start, stop, num, endpoint, dtype=dtype, axis=axis)


def _weights(xp: Any, like: Any, num: int, endpoint: bool, axis: int) -> Any:
    """Return how far each element of linspace is from start to stop."""
    shape = [1] * like.ndim
    shape[axis] = num
    return xp.linspace(0.0, 1.0, num, endpoint).reshape(shape)


def _linspace_vjp(of_stop: bool) -> Any:
    def vjp(
        xp: Any,
        g: Any,
        y: Any,
        start: Any,
        stop: Any,
        num: int = 50,
        endpoint: bool = True,
        retstep: bool = False,
        dtype: Any = None,
        axis: int = 0,
    ) -> Any:
        weight = _weights(xp, g, num, endpoint, axis)
        total = xp.sum(g * (weight if of_stop else 1.0 - weight), axis=axis)
        return unbroadcast(xp, total, stop if of_stop else start)

    return vjp


def _ends(start: Any, stop: Any) -> tuple[int, ...]:
    return tuple(np.broadcast_shapes(shape_now(start), shape_now(stop)))


def _linspace_jvp(of_stop: bool) -> Any:
    def jvp(tangent: Any, y: Any, start: Any, stop: Any, *rest: Any) -> Any:
        tangent = call("np.broadcast_to", tangent, _ends(start, stop))
        ends = (0.0, tangent) if of_stop else (tangent, 0.0)
        return call("np.linspace", *ends, *rest)

    return jvp


_LINES = [(0.5, 2.0, 5), (0.5, 2.0, 4, False), (0.0, 1.0, 1), (0.0, 1.0, 0), (1, 2.5, 3)]
LINSPACE = tensor(
    "np.linspace",
    _linspace,
    vjps=(_linspace_vjp(False), _linspace_vjp(True), *[None] * 5),
    jvps=(_linspace_jvp(False), _linspace_jvp(True), *[None] * 5),
    needs=((),) * 7,
    implements=(np.linspace,),
    shape="(n,), (n,) -> (num, n)",
    samples=lambda rng: [
        *_LINES,
        (rng.normal(size=3), 2.0, 4),
        (rng.normal(size=3), rng.normal(size=(2, 1)), 4, True, False, None, -1),
        (rng.normal(size=()), rng.normal(size=()), 3),
    ],
)


def _logspace(
    xp: Any,
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    real_only("np.logspace", start, stop, base)
    return xp.power(base, xp.linspace(start, stop, num, endpoint, axis=axis)).astype(dtype or float)


def _logspace_vjp(position: int) -> Any:
    def vjp(
        xp: Any,
        g: Any,
        y: Any,
        start: Any,
        stop: Any,
        num: int = 50,
        endpoint: bool = True,
        base: Any = 10.0,
        dtype: Any = None,
        axis: int = 0,
    ) -> Any:
        if position == 4:
            exponent = xp.linspace(start, stop, num, endpoint, axis=axis)
            return unbroadcast(xp, g * y * exponent / base, base)
        weight = _weights(xp, g, num, endpoint, axis)
        slope = g * y * xp.log(base) * (weight if position else 1.0 - weight)
        return unbroadcast(xp, xp.sum(slope, axis=axis), stop if position else start)

    return vjp


def _logspace_jvp(position: int) -> Any:
    def jvp(
        tangent: Any,
        y: Any,
        start: Any,
        stop: Any,
        num: int = 50,
        endpoint: bool = True,
        base: Any = 10.0,
        dtype: Any = None,
        axis: int = 0,
    ) -> Any:
        if position == 4:
            exponent = call("np.linspace", start, stop, num, endpoint, False, None, axis)
            return call("np.multiply", call("np.multiply", y, exponent), call("np.divide", tangent, base))
        tangent = call("np.broadcast_to", tangent, _ends(start, stop))
        ends = (0.0, tangent) if position else (tangent, 0.0)
        exponent = call("np.linspace", *ends, num, endpoint, False, None, axis)
        return call("np.multiply", call("np.multiply", y, exponent), call("np.log", base))

    return jvp


LOGSPACE = tensor(
    "np.logspace",
    _logspace,
    vjps=(_logspace_vjp(0), _logspace_vjp(1), None, None, _logspace_vjp(4), None, None),
    jvps=(_logspace_jvp(0), _logspace_jvp(1), None, None, _logspace_jvp(4), None, None),
    implements=(np.logspace,),
    shape="(n,), (n,) -> (num, n)",
    samples=lambda rng: [(0.5, 1.0, 4), (rng.normal(size=2), 1.0, 3), (0.0, 1.0, 3, False, math.e)],
)


# Grids


def _meshgrid(xp: Any, indexing: str, *xi: Any) -> Any:
    return tuple(xp.meshgrid(*xi, indexing=indexing))


keywords_first(_meshgrid, "xi", {"indexing": "xy"})


def _axis_of(position: int, count: int, indexing: str) -> int:
    return 1 - position if indexing == "xy" and position < 2 and count > 1 else position


def _meshgrid_vjp(xp: Any, g: Any, y: Any, indexing: str, *xi: Any, position: int) -> Any:
    number = position - 1
    like, part = xi[number], g[number]
    if part is None:
        part = xp.zeros(y[number].shape, y[number].dtype)
    own = _axis_of(number, len(xi), indexing)
    others = tuple([i for i in range(len(xi)) if i != own])
    total = added_up(xp, part, others[0] if len(others) == 1 else others)
    return listed(xp, total, like) if is_list(like) else unbroadcast(xp, total.reshape(xp.shape(like)), like)


def _meshgrid_jvp(tangent: Any, y: Any, indexing: str, *xi: Any, position: int) -> Any:
    number = position - 1
    shape = [1] * len(xi)
    shape[_axis_of(number, len(xi), indexing)] = -1
    line = call("np.reshape", tangent_array(tangent), tuple(shape))
    part = call("np.broadcast_to", line, shape_now(y.items[number]))
    return in_place_of(part, y.items, number)


MESHGRID = tensor(
    "np.meshgrid",
    _meshgrid,
    vjps=(None, _meshgrid_vjp),
    jvps=(None, _meshgrid_jvp),
    implements=(np.meshgrid,),
    shape="(n,), (m,), ... -> (m, n, ...) each; with indexing='ij', the first operand, (n, m, ...)",
    samples=lambda rng: [
        ("xy", rng.normal(size=3), rng.normal(size=2)),
        ("ij", rng.normal(size=3), rng.normal(size=2)),
        ("xy", rng.normal(size=3), rng.normal(size=2), rng.normal(size=4)),
        ("xy", rng.normal(size=3), np.arange(2)),
        ("xy", rng.normal(size=3)),
        ("xy", [0.5, 1.5], [2.5], 0.25),
    ],
)
