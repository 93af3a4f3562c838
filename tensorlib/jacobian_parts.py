"""Parts of matrices of derivatives inside of programs: directions, and the results that they gave."""

from __future__ import annotations

from typing import Any

from checkpoint.ad.arrays import check_real
from checkpoint.prims.arrays import tensor
from tensorlib.layout.moving import call, shape_now


def _basis(xp: Any, x: Any, position: int) -> Any:
    check_real(x)
    flat = xp.zeros(x.size, x.dtype)
    flat[position] = 1.0
    return flat.reshape(x.shape)


def _along(parts: Any, axis: int) -> Any:
    """Return the shape of parts next to that of the array which they belong to, in the order of an axis."""
    return parts[0].shape if hasattr(parts[0], "shape") else ()


def _stacked(xp: Any, x: Any, parts: Any, axis: int) -> Any:
    inner = _along(parts, axis)
    shape = x.shape + inner if axis == 0 else inner + x.shape
    return xp.stack(parts, axis).reshape(shape)


def _stacked_vjp(xp: Any, g: Any, y: Any, x: Any, parts: Any, axis: int) -> Any:
    inner, count = _along(parts, axis), len(parts)
    whole = g.reshape((count, *inner) if axis == 0 else (*inner, count))
    return [whole[i] if axis == 0 else whole[..., i] for i in range(count)]


def _stacked_jvp(tangent: Any, y: Any, x: Any, parts: Any, axis: int) -> Any:
    return call("np.reshape", call("np.stack", tangent, axis), shape_now(y))


BASIS = tensor(
    "tensorlib.basis",
    _basis,
    vjps=(None, None),
    jvps=(None, None),
    overloads=("py.basis",),
    shape="that of x",
    samples=lambda rng: [(rng.normal(size=(2, 3)), 4), (rng.normal(size=()), 0)],
)
STACKED = tensor(
    "tensorlib.stacked",
    _stacked,
    vjps=(None, _stacked_vjp, None),
    jvps=(None, _stacked_jvp, None),
    needs=((), (), ()),
    overloads=("py.stacked",),
    shape="x.size parts -> the parts' shape next to that of x, after it for axis 0",
    samples=lambda rng: [
        (rng.normal(size=2), [rng.normal(size=3), rng.normal(size=3)], 0),
        (rng.normal(size=(1, 2)), [rng.normal(size=3), rng.normal(size=3)], -1),
        (rng.normal(size=2), [rng.normal(size=()), rng.normal(size=())], -1),
        (rng.normal(size=2), [1.5, 2.5], 0),
    ],
)
