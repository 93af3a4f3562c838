"""Additions at an index, which may name an element several times: np.add.at, add_at, subtract_at."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.prims.arrays import tensor
from tensorlib.layout.moving import call
from tensorlib.layout.writing import to_written
from tensorlib.rules import zeroed


def add_at(x: Any, index: Any, v: Any) -> Any:
    """Return x with v added to its elements at an index, to each as often as the index names it."""
    return _accumulated("add")(np, x, index, v)


def subtract_at(x: Any, index: Any, v: Any) -> Any:
    """Return x with v subtracted from its elements at an index, from each as often as it is named."""
    return _accumulated("subtract")(np, x, index, v)


def _in_place(name: str) -> Any:
    def in_place(xp: Any, x: Any, index: Any, v: Any) -> Any:
        getattr(xp, name).at(x, index, v)
        return x

    return in_place


def _accumulated(name: str) -> Any:
    change = _in_place(name)
    return lambda xp, x, index, v: change(xp, xp.array(x), index, v)


def _index_samples(rng: Any) -> list[tuple[Any, ...]]:
    x = rng.normal(size=(3, 4))
    return [
        (x, np.array([0, 2, 0]), rng.normal(size=(3, 4))),
        (x, np.array([0, 2, 0]), 1.5),
        (x, (np.array([0, 2, 0]), np.array([1, 1, 1])), rng.normal(size=3)),
        (x, (slice(None), [0, 0]), rng.normal(size=(3, 1))),
        (x, 1, rng.normal(size=4)),
        (x, x > 0, 2.5),
        (rng.normal(size=3), [0, 0], [1.5, 2.5]),
        (rng.normal(size=3), [0, 0], 2),
    ]


def _register(name: str, function: str, sign: float, **fields: Any) -> Any:
    def v_vjp(xp: Any, g: Any, y: Any, x: Any, index: Any, v: Any) -> Any:
        return to_written(xp, sign * xp.asarray(g[index]), v)

    def v_jvp(tangent: Any, y: Any, x: Any, index: Any, v: Any) -> Any:
        return call(f"tensorlib.{function}_at", call("np.zeros_like", y), index, zeroed(tangent))

    return tensor(
        name,
        _accumulated(function),
        vjps=(lambda xp, g, y, x, index, v: g, None, v_vjp),
        jvps=(lambda t, y, x, index, v: t, None, v_jvp),
        needs=((), (), (1,)),
        shape="that of x; v broadcasts to x[index]",
        samples=_index_samples,
        **fields,
    )


ADD_AT = _register("tensorlib.add_at", "add", 1.0, implements=(add_at,))
SUBTRACT_AT = _register("tensorlib.subtract_at", "subtract", -1.0, implements=(subtract_at,))
NP_ADD_AT = _register(
    "np.add.at", "add", 1.0, implements=(np.add.at,), changes=True, in_place=_in_place("add")
)
NP_SUBTRACT_AT = _register(
    "np.subtract.at",
    "subtract",
    -1.0,
    implements=(np.subtract.at,),
    changes=True,
    in_place=_in_place("subtract"),
)
