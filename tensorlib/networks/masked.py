"""Softmax of the elements that a mask keeps."""

from __future__ import annotations

import math
from typing import Any

from checkpoint.ad.array_library import dtype_kind, namespace
from checkpoint.ad.pullbacks import RESULT
from checkpoint.prims.arrays import tensor
from tensorlib.layout.moving import call
from tensorlib.rules import real_only, unbroadcast


def masked_softmax(input: Any, mask: Any, axis: int = -1) -> Any:
    """Return softmax along an axis of the elements where the mask is True, and zeros elsewhere.

    Where the mask keeps no element of a row, the row is zeros, and so is its derivative.
    """
    return _value(namespace((input, mask)), input, mask, axis)


def _value(xp: Any, input: Any, mask: Any, axis: Any = -1) -> Any:
    real_only("masked_softmax", input)
    if dtype_kind(mask.dtype) != "b":
        raise TypeError(f"masked_softmax: the mask is of booleans, not of {mask.dtype}")
    scores = xp.where(mask, input, -math.inf)
    top = xp.max(scores, axis=axis, keepdims=True)
    shares = xp.exp(scores - xp.where(top == -math.inf, 0.0, top))
    total = xp.sum(shares, axis=axis, keepdims=True)
    return xp.astype(shares / xp.where(total == 0.0, 1.0, total), input.dtype)


def _vjp(xp: Any, g: Any, y: Any, input: Any, mask: Any, axis: Any = -1) -> Any:
    along = g * y
    return unbroadcast(xp, along - y * xp.sum(along, axis=axis, keepdims=True), input)


def _jvp(t: Any, y: Any, input: Any, mask: Any, axis: Any = -1) -> Any:
    along = call("np.multiply", t, y)
    return call("np.subtract", along, call("np.multiply", y, call("np.sum", along, axis, None, True)))


def _samples(rng: Any) -> list[tuple[Any, ...]]:
    keep = rng.integers(0, 2, (3, 5)).astype(bool)
    keep[0, 0] = True
    keep[1] = False
    return [
        (rng.normal(size=(3, 5)), keep),
        (rng.normal(size=(2, 3, 5)), keep, 1),
        (rng.normal(size=5), keep, 0),
        (rng.normal(size=(3, 5)).astype("f4"), keep),
    ]


tensor(
    "tensorlib.masked_softmax",
    _value,
    vjps=(_vjp, None, None),
    jvps=(_jvp, None, None),
    needs=((RESULT,), (), ()),
    implements=(masked_softmax,),
    shape="that of input and mask, which broadcast",
    samples=_samples,
)
