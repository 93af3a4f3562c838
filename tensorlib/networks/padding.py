"""Padding of the last axes: by a number, by reflection, by the last element, in a circle."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.ad.array_library import namespace, zeros_beside
from checkpoint.prims.arrays import tensor, translated_as
from tensorlib.layout.moving import call
from tensorlib.rules import number


def pad_with(input: Any, pads: tuple[int, ...], value: float = 0.0) -> Any:
    """Return input with `value` around it; pads: before and after the last axis, the one before it, ..."""
    return PAD.value(namespace((input,)), input, pads, value)


def _places(shape: tuple[int, ...], pads: tuple[int, ...]) -> tuple[tuple[int, ...], Any, Any]:
    """Return the padded shape, the index of the input in it, and of the input that is there."""
    if len(pads) % 2 or len(pads) > 2 * len(shape):
        raise ValueError(f"pad: {pads} are not pairs for the last axes of an array of shape {shape}")
    whole = list(shape)
    inside, taken = [slice(None)] * len(shape), [slice(None)] * len(shape)
    for i in range(len(pads) // 2):
        axis, (before, after) = len(shape) - 1 - i, pads[2 * i : 2 * i + 2]
        whole[axis] += before + after
        if whole[axis] < 0:
            raise ValueError(f"pad: {pads} take more than there is of an array of shape {shape}")
        low, high = max(-before, 0), shape[axis] - max(-after, 0)
        taken[axis] = slice(low, high)
        inside[axis] = slice(low + before, high + before)
    return tuple(whole), tuple(inside), tuple(taken)


def _pad(xp: Any, input: Any, pads: Any, value: Any = 0.0) -> Any:
    shape, inside, taken = _places(tuple(input.shape), pads)
    whole = zeros_beside(input, shape, input.dtype)
    whole[...] = value
    whole[inside] = input[taken]
    return whole


def _pad_vjp(xp: Any, g: Any, y: Any, input: Any, pads: Any, value: Any = 0.0) -> Any:
    _, inside, taken = _places(tuple(input.shape), pads)
    whole = zeros_beside(g, tuple(input.shape), g.dtype)
    whole[taken] = g[inside]
    return whole


def _value_vjp(xp: Any, g: Any, y: Any, input: Any, pads: Any, value: Any = 0.0) -> float:
    _, inside, _ = _places(tuple(input.shape), pads)
    return float(xp.sum(g)) - float(xp.sum(g[inside]))


def _value_jvp(t: Any, y: Any, input: Any, pads: Any, value: Any = 0.0) -> Any:
    zeros = call("np.multiply", input, 0.0)
    return number(call("tensorlib.pad", zeros, pads, t))


PAD = tensor(
    "tensorlib.pad",
    _pad,
    vjps=(_pad_vjp, None, _value_vjp),
    jvps=(lambda t, y, input, pads, value=0.0: call("tensorlib.pad", t, pads, 0.0), None, _value_jvp),
    needs=((), (), ()),
    implements=(pad_with,),
    shape="(..., n) -> (..., before + n + after)",
    samples=lambda rng: [
        (rng.normal(size=(2, 3)), (1, 2)),
        (rng.normal(size=(2, 3)), (0, 1, 2, 0), 1.5),
        (rng.normal(size=(3, 4)), (-1, 2, 1, -2), 0.5),
        (rng.normal(size=3).astype("f4"), (1, 1)),
    ],
)


def pad(input: Any, pad: Any, mode: Any = "constant", value: Any = None) -> Any:
    """Return input with its last axes padded; pad: before and after the last one, the one before it, ...

    mode: "constant" (by value, 0 without one), "reflect", "replicate" or "circular".
    """
    if mode == "constant":
        return pad_with(input, tuple(pad), 0.0 if value is None else value)
    if mode not in ("reflect", "replicate", "circular"):
        raise ValueError(f"pad: mode is constant, reflect, replicate or circular, not {mode!r}")
    for i in range(len(pad) // 2):
        axis = len(input.shape) - 1 - i
        size = input.shape[axis]
        before, after = pad[2 * i], pad[2 * i + 1]
        if mode != "replicate" and max(before, after) >= size + (mode == "circular"):
            raise ValueError(
                f"pad: {before} and {after} places of mode {mode!r} are more than axis {axis} has"
            )
        places = [_place(k, size, mode) for k in range(-before, size + after)]
        input = np.take(input, places, axis=axis)
    return input


def _place(k: Any, size: Any, mode: Any) -> Any:
    """Return which element is at a place that may be outside."""
    if mode == "circular":
        return k % size
    if mode == "replicate":
        return min(max(k, 0), size - 1)
    k = abs(k)
    return k if k < size else 2 * (size - 1) - k


translated_as(pad, pad)
