"""`vmap` for use within a program: a loop over lanes, written in the translated language.

In: a function of one item, and the axes of the arguments and results that hold many. Out: a function of
whole arguments. docs/design/lanes.md says what always holds of lanes; the variable `vmap_lane` is what
names a lane in errors (checkpoint.driver.raised).
"""

from __future__ import annotations

from typing import Any

from checkpoint.lang.python.library.intrinsics import apply, prim


def vmap(f: Any, in_axes: Any = 0, out_axes: Any = 0, *, engine: Any = None) -> Any:
    """See checkpoint.vmap."""

    def mapped(*args: Any, **keywords: Any) -> Any:
        count, function, shared, named, rows, like = prim("py.lanes", f, args, keywords, in_axes)
        results: list[Any] = []
        vmap_lane = 0
        while vmap_lane < count:
            row = prim("py.item", rows, vmap_lane)
            own, own_args, own_named = prim("py.enter-lane", function, shared, named, row)
            result = apply(own, own_args, own_named)
            results.append(result)
            vmap_lane = vmap_lane + 1
        return prim("py.stack-lanes", like, results, out_axes)

    return mapped


def mapped(make: Any, f: Any, in_axes: Any, out_axes: Any) -> Any:
    """Return a function that does what one made by `vmap` outside of programs does."""

    def over_lanes(*args: Any, **keywords: Any) -> Any:
        return make(f, in_axes, out_axes)(*args, **keywords)

    return over_lanes
