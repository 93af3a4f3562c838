"""np.put, np.place and np.putmask: elements written by their positions, in the order of memory, or by a mask.

What is written is repeated as often as it takes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from checkpoint.ad.array_library import zeros_beside
from checkpoint.prims.arrays import tensor
from tensorlib.layout.moving import call, is_list, listed, shape_of
from tensorlib.layout.writing import cleared, last_written
from tensorlib.rules import unbroadcast, zeroed


def _by_positions(xp: Any, a: Any, ind: Any, count: int) -> tuple[Any, Any]:
    places = xp.ravel(xp.asarray(ind, dtype=int)) % max(a.size, 1)
    return places, xp.arange(len(places)) % max(count, 1)


def _by_mask(xp: Any, a: Any, mask: Any, count: int) -> tuple[Any, Any]:
    places = xp.flatnonzero(mask)
    return places, xp.arange(len(places)) % max(count, 1)


def _by_places(xp: Any, a: Any, mask: Any, count: int) -> tuple[Any, Any]:
    places = xp.flatnonzero(mask)
    return places, places % max(count, 1)


def _register(function: Any, written: Callable[..., tuple[Any, Any]], samples: Any) -> None:
    """Register a function of an array, of what says where, and of what is written.

    written(xp, a, where, count): the positions of the elements, and for each which of the values it takes.
    """
    name = f"np.{function.__name__}"

    def in_place(xp: Any, a: Any, where: Any, v: Any) -> Any:
        function(a, where, v)
        return a

    def a_vjp(xp: Any, g: Any, y: Any, a: Any, where: Any, v: Any) -> Any:
        return cleared(xp, xp.ravel(g), written(xp, g, where, np.size(v))[0]).reshape(g.shape)

    def v_vjp(xp: Any, g: Any, y: Any, a: Any, where: Any, v: Any) -> Any:
        places, taken = written(xp, g, where, np.size(v))
        found = zeros_beside(g, (np.size(v),), g.dtype)
        xp.add.at(found, taken, last_written(xp, xp.ravel(g), places))
        found = found.reshape(shape_of(v))
        return listed(xp, found, v) if is_list(v) else unbroadcast(xp, found, v)

    tensor(
        name,
        lambda xp, a, where, v: in_place(xp, xp.array(a), where, v),
        vjps=(a_vjp, None, v_vjp),
        jvps=(
            lambda t, y, a, where, v: call(name, t, where, 0.0),
            None,
            lambda t, y, a, where, v: call(name, call("np.zeros_like", y), where, zeroed(t)),
        ),
        needs=((1, 2), (), (1, 2)),
        changes=True,
        in_place=in_place,
        implements=(function,),
        shape="that of the first operand",
        convention="of several values written to one element the last one counts",
        samples=samples,
    )


def _of_positions(rng: Any) -> list[tuple[Any, ...]]:
    return [
        (rng.normal(size=(3, 4)), np.array([0, 5, -1]), rng.normal(size=3)),
        (rng.normal(size=(3, 4)), np.array([[0, 5], [7, 5]]), rng.normal(size=2)),
        (rng.normal(size=4), [0, 2], [1.5, 2.5]),
        (rng.normal(size=4), 1, 2.5),
    ]


def _of_masks(rng: Any) -> list[tuple[Any, ...]]:
    x = rng.normal(size=(3, 4))
    return [
        (x, x > 0.0, rng.normal(size=(3, 4))),
        (x, x > 0.0, rng.normal(size=2)),
        (x, x < 0.0, [1.5, 2.5, 3.5]),
    ]


_register(np.put, _by_positions, _of_positions)
_register(np.place, _by_mask, _of_masks)
_register(np.putmask, _by_places, _of_masks)
