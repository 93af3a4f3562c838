"""np.maximum.at and np.minimum.at: the greatest, or least, of the elements and values at an index."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.prims.arrays import tensor
from tensorlib.layout.moving import call
from tensorlib.layout.writing import to_written
from tensorlib.rules import discrete, tangent_array


def _shares(xp: Any, name: str, x: Any, index: Any, v: Any) -> Any:
    """Return the shares of the elements and of the values in the derivative of the result."""
    y = xp.array(x)
    getattr(xp, name).at(y, index, v)
    own = (x == y) * 1.0
    other = (xp.broadcast_to(v, y[index].shape) == y[index]) * 1.0
    count = xp.array(own)
    xp.add.at(count, index, other)
    count = xp.where(count == 0.0, 1.0, count)
    return own / count, other / count[index]


SHARES = discrete(
    "tensorlib.extreme-shares",
    lambda xp, name, x, index, v: tuple(_shares(xp, name, x, index, v)),
    4,
    shape="those of the array and of the values",
    samples=lambda rng: [("maximum", np.zeros(3), np.array([0, 0]), np.array([1.0, 2.0]))],
)


def _register(name: str) -> Any:
    def in_place(xp: Any, a: Any, indices: Any, b: Any) -> Any:
        getattr(xp, name).at(a, indices, b)
        return a

    def v_vjp(xp: Any, g: Any, y: Any, a: Any, indices: Any, b: Any) -> Any:
        share = _shares(xp, name, a, indices, b)[1]
        return to_written(xp, xp.asarray(g[indices] * share), b)

    def v_jvp(t: Any, y: Any, a: Any, indices: Any, b: Any) -> Any:
        share = call("tensorlib.extreme-shares", name, a, indices, b).items[1]
        part = call("np.multiply", tangent_array(t), share)
        return call("tensorlib.add_at", call("np.zeros_like", y), indices, part)

    def x_jvp(t: Any, y: Any, a: Any, indices: Any, b: Any) -> Any:
        return call("np.multiply", t, call("tensorlib.extreme-shares", name, a, indices, b).items[0])

    return tensor(
        f"np.{name}.at",
        lambda xp, a, indices, b: in_place(xp, xp.array(a), indices, b),
        vjps=(
            lambda xp, g, y, a, indices, b: (g * _shares(xp, name, a, indices, b)[0]).astype(g.dtype),
            None,
            v_vjp,
        ),
        jvps=(x_jvp, None, v_jvp),
        changes=True,
        in_place=in_place,
        implements=(getattr(np, name).at,),
        shape="that of the first operand; b broadcasts to a[indices]",
        convention="shared evenly by the element and the values that are equal",
        samples=lambda rng: [
            (rng.normal(size=(3, 4)), np.array([0, 2, 0]), rng.normal(size=(3, 4))),
            (rng.normal(size=4), np.array([0, 2, 0]), rng.normal(size=3)),
            (rng.normal(size=4), np.array([0, 2, 2]), 0.25),
            (rng.normal(size=4), [0, 2, 2], [0.25, 1.5, 3.0]),
        ],
    )


MAXIMUM_AT = _register("maximum")
MINIMUM_AT = _register("minimum")
