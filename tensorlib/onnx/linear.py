"""Operators that are linear in their weights: products of matrices, convolutions, einsum."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.errors import refusal
from checkpoint.prims.arrays import onnx_operator
from tensorlib.networks.affine import linear
from tensorlib.networks.convolution import convolution
from tensorlib.networks.padding import pad


@onnx_operator("MatMul")
def matmul(a: Any, b: Any) -> Any:
    """Return the product of matrices, or of many."""
    return np.matmul(a, b)


@onnx_operator("Gemm")
def gemm(
    a: Any, b: Any, c: Any = None, *, alpha: Any = 1.0, beta: Any = 1.0, transA: Any = 0, transB: Any = 0
) -> Any:
    """Return alpha a b + beta c, of either matrix its transpose."""
    if transA:
        a = np.transpose(a)
    if transB and alpha == 1.0 and beta == 1.0 and c is not None and len(c.shape) == 1:
        return linear(a, b, c)
    y = np.matmul(a, np.transpose(b) if transB else b)
    if alpha != 1.0:
        y = alpha * y
    if c is None:
        return y
    return y + c if beta == 1.0 else y + beta * c


@onnx_operator("Einsum")
def einsum(*xs: Any, equation: Any) -> Any:
    """Return the sum of products that an equation states."""
    if len(xs) == 1:
        return np.einsum(equation, xs[0])
    if len(xs) == 2:
        return np.einsum(equation, xs[0], xs[1])
    if len(xs) == 3:
        return np.einsum(equation, xs[0], xs[1], xs[2])
    if len(xs) == 4:
        return np.einsum(equation, xs[0], xs[1], xs[2], xs[3])
    raise refusal(f"Einsum of {len(xs)} arrays has no rule: only of up to four")


# Convolutions


def same_pads(sizes: Any, kernel: Any, strides: Any, dilations: Any, auto_pad: Any) -> Any:
    """Return the padding, before then after each axis, by which the windows cover the input."""
    before, after = [], []
    for n, k, s, d in zip(sizes, kernel, strides, dilations, strict=True):
        whole = max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0)
        less = whole // 2
        before.append(less if auto_pad == "SAME_UPPER" else whole - less)
        after.append(whole - less if auto_pad == "SAME_UPPER" else less)
    return before + after


def pairs_of(pads: Any) -> Any:
    """Return the padding of all axes in the order of networks.pad: of the last axis, of the one before it."""
    rank = len(pads) // 2
    pairs = []
    for i in range(rank - 1, -1, -1):
        pairs.append(pads[i])
        pairs.append(pads[i + rank])
    return tuple(pairs)


@onnx_operator("Conv")
def conv(
    x: Any,
    w: Any,
    b: Any = None,
    *,
    auto_pad: Any = "NOTSET",
    dilations: Any = None,
    group: Any = 1,
    kernel_shape: Any = None,
    pads: Any = None,
    strides: Any = None,
) -> Any:
    """Return the convolution of x along its axes of places, one, two or three."""
    rank = _rank("Conv", w)
    nothing = (0,) * rank
    strides = (1,) * rank if strides is None else tuple(strides)
    dilations = (1,) * rank if dilations is None else tuple(dilations)
    if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        pads = same_pads(x.shape[2:], w.shape[2:], strides, dilations, auto_pad)
    padding = nothing if pads is None or auto_pad == "VALID" else tuple(pads[:rank])
    if pads is not None and auto_pad != "VALID" and padding != tuple(pads[rank:]):
        x = pad(x, pairs_of(pads))
        padding = nothing
    return convolution(x, w, b, strides, padding, dilations, False, nothing, group)


def _rank(name: Any, w: Any) -> Any:
    """Return the number of axes of places of a weight."""
    rank = len(w.shape) - 2
    if rank not in (1, 2, 3):
        raise refusal(f"{name} along {rank} axes has no rule: only along one, two and three")
    return rank


@onnx_operator("ConvTranspose")
def conv_transpose(
    x: Any,
    w: Any,
    b: Any = None,
    *,
    auto_pad: Any = "NOTSET",
    dilations: Any = None,
    group: Any = 1,
    kernel_shape: Any = None,
    output_padding: Any = None,
    output_shape: Any = None,
    pads: Any = None,
    strides: Any = None,
) -> Any:
    """Return the transpose of a convolution of x along its axes of places, one, two or three."""
    rank = _rank("ConvTranspose", w)
    nothing = (0,) * rank
    strides = (1,) * rank if strides is None else tuple(strides)
    dilations = (1,) * rank if dilations is None else tuple(dilations)
    extra = [0] * rank if output_padding is None else list(output_padding)
    if pads is None:
        pads = [0] * (2 * rank)
    spans = [(k - 1) * d + 1 for k, d in zip(w.shape[2:], dilations, strict=True)]
    whole = [(n - 1) * s + k for n, s, k in zip(x.shape[2:], strides, spans, strict=True)]
    if auto_pad in ("SAME_UPPER", "SAME_LOWER") and output_shape is None:
        output_shape = [n * s for n, s in zip(x.shape[2:], strides, strict=True)]
    if output_shape is not None:
        cut = [m + e - n for m, e, n in zip(whole, extra, output_shape[-rank:], strict=True)]
        up = auto_pad == "SAME_UPPER"
        before = [max(c, 0) // 2 if up else max(c, 0) - max(c, 0) // 2 for c in cut]
        pads = before + [c - b for c, b in zip(cut, before, strict=True)]
    y = convolution(x, w, b, strides, nothing, dilations, True, nothing, group)
    ends = [e - after for e, after in zip(extra, pads[rank:], strict=True)]
    around = [-before for before in pads[:rank]] + ends
    if any(n != 0 for n in around):
        y = _bordered(y, b, around, rank)
    return y


def _bordered(y: Any, b: Any, around: Any, rank: Any) -> Any:
    """Return a result with less, or with more, at its ends: there it is the bias alone."""
    if b is None or max(around) <= 0:
        return pad(y, pairs_of(around))
    bias = np.reshape(b, (-1, *[1] * rank))
    return pad(y - bias, pairs_of(around)) + bias
