"""Functions that NumPy lacks, for programs without SciPy: softmax and log_softmax.

from tensorlib.special import log_softmax, softmax
"""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.ad.array_library import kernel
from checkpoint.ad.pullbacks import RESULT
from tensorlib.elementwise.pointwise import MULTIPLY, SUBTRACT
from tensorlib.linear.linalg import of_arrays
from tensorlib.rules import real_only, record, unbroadcast


def softmax(x: Any, axis: Any = None) -> Any:
    """Return exp(x) divided by its sum along an axis, or along all."""
    return _softmax(np, np.asarray(x), axis)


def log_softmax(x: Any, axis: Any = None) -> Any:
    """Return the logarithm of softmax."""
    return _log_softmax(np, np.asarray(x), axis)


def _softmax(xp: Any, x: Any, axis: Any = None) -> Any:
    real_only("softmax", x)
    x = xp.asarray(x)
    own = kernel(xp, "softmax")
    if own is not None and type(axis) is int:
        return own(x, axis)
    found = xp.exp(x - xp.max(x, axis=axis, keepdims=True))
    return found / xp.sum(found, axis=axis, keepdims=True)


def _log_softmax(xp: Any, x: Any, axis: Any = None) -> Any:
    real_only("log_softmax", x)
    x = xp.asarray(x)
    own = kernel(xp, "log_softmax")
    if own is not None and type(axis) is int:
        return own(x, axis)
    shifted = x - xp.max(x, axis=axis, keepdims=True)
    return shifted - xp.log(xp.sum(xp.exp(shifted), axis=axis, keepdims=True))


def _softmax_vjp(xp: Any, g: Any, y: Any, x: Any, axis: Any = None) -> Any:
    own = kernel(xp, "softmax_vjp")
    if own is not None and type(axis) is int:
        return own(g, y, axis)
    return unbroadcast(xp, y * (g - xp.sum(g * y, axis=axis, keepdims=True)), x)


def _log_softmax_vjp(xp: Any, g: Any, y: Any, x: Any, axis: Any = None) -> Any:
    own = kernel(xp, "log_softmax_vjp")
    if own is not None and type(axis) is int:
        return own(g, y, axis)
    return unbroadcast(xp, g - xp.exp(y) * xp.sum(g, axis=axis, keepdims=True), x)


def _summed(x: Any, axis: Any) -> Any:
    return record("np.sum")(x, axis, None, True)


def _softmax_jvp(tangent: Any, y: Any, x: Any, axis: Any = None) -> Any:
    return MULTIPLY(y, SUBTRACT(tangent, _summed(MULTIPLY(tangent, y), axis)))


def _log_softmax_jvp(tangent: Any, y: Any, x: Any, axis: Any = None) -> Any:
    return SUBTRACT(tangent, _summed(MULTIPLY(tangent, record("np.exp")(y)), axis))


def _axis_samples(rng: Any) -> list[tuple[Any, ...]]:
    x = rng.normal(size=(3, 4))
    return [(x,), (x, 0), (x, -1), (x.T, 1), (x, (0, 1)), (x[0],), (x[0, 0],), (np.float32(x), 1), (x[:0], 1)]


RULES: dict[str, Any] = {
    "softmax": (_softmax, (_softmax_vjp, None), (_softmax_jvp, None)),
    "log_softmax": (_log_softmax, (_log_softmax_vjp, None), (_log_softmax_jvp, None)),
}


def register_softmax(library: str, functions: tuple[Any, Any]) -> None:
    """Register softmax and log_softmax as a library's functions."""
    for (name, rules), function in zip(RULES.items(), functions, strict=True):
        of_arrays(
            f"{library}.{name}",
            *rules,
            implements=(function,),
            needs=((RESULT,), ()),
            shape="that of the array",
            samples=_axis_samples,
        )


register_softmax("tensorlib.special", (softmax, log_softmax))
