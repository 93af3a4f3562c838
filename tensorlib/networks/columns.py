"""Windows as columns, and their sum at their places again: unfold and fold of two axes of places."""

from __future__ import annotations

from math import prod
from typing import Any

from checkpoint.ad.array_library import kernel, namespace, zeros_beside
from checkpoint.prims.arrays import tensor, translated_as
from tensorlib.networks.windows import counts, offsets, padded, windows
from tensorlib.rules import real_only

Sizes = tuple[int, ...]


def unfolded(input: Any, kernel_size: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes) -> Any:
    """Return (n, channels * elements of a window, windows) of input (n, channels, *places)."""
    return UNFOLD.value(namespace((input,)), input, kernel_size, dilation, padding, stride)


def folded(
    input: Any, output_size: Sizes, kernel_size: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes
) -> Any:
    """Return (n, channels, *output_size) with the columns of each place added."""
    xp = namespace((input,))
    return FOLD.value(xp, input, output_size, kernel_size, dilation, padding, stride)


def _found(name: str, places: Sizes, kernel: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes) -> Sizes:
    found = counts(places, kernel, stride, padding, dilation)
    if min((*kernel, *dilation, *stride)) < 1 or min(padding) < 0 or min(found) < 1:
        raise ValueError(f"{name}: there are no windows of {kernel} in places {places}")
    return found


def _unfold(xp: Any, input: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    real_only("unfold", input)
    shape, count = tuple(input.shape), len(kernel_size)
    if len(shape) != count + 2:
        raise ValueError(f"unfold: an input of shape {shape} has not {count} axes of places")
    found = _found("unfold", shape[2:], kernel_size, dilation, padding, stride)
    own = kernel(xp, "unfold")
    if own is not None:
        return own(input, kernel_size, dilation, padding, stride)
    whole = xp.ascontiguousarray(padded(xp, input, padding, padding, 2))
    view = windows(xp, whole, 2, kernel_size, stride, dilation, found)
    order = (0, 1, *range(2 + count, 2 + 2 * count), *range(2, 2 + count))
    return xp.transpose(view, order).reshape((shape[0], shape[1] * prod(kernel_size), prod(found)))


def _fold(
    xp: Any, input: Any, output_size: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any
) -> Any:
    real_only("fold", input)
    found = _found("fold", output_size, kernel_size, dilation, padding, stride)
    shape, elements = tuple(input.shape), prod(kernel_size)
    if len(shape) != 3 or shape[1] % elements or shape[2] != prod(found):
        raise ValueError(
            f"fold: columns of shape {shape} are not (n, channels * {elements}, {prod(found)}), as places "
            f"{output_size} have"
        )
    own = kernel(xp, "fold")
    if own is not None:
        return own(input, output_size, kernel_size, dilation, padding, stride)
    channels = shape[1] // elements
    parts = input.reshape((shape[0], channels, *kernel_size, *found))
    sizes = [n + 2 * p for n, p in zip(output_size, padding, strict=True)]
    whole = zeros_beside(input, (shape[0], channels, *sizes), input.dtype)
    for at, slices in offsets(kernel_size, stride, dilation, found):
        whole[(..., *slices)] += parts[(slice(None), slice(None), *at)]
    return whole[(..., *[slice(p, p + n) for n, p in zip(output_size, padding, strict=True)])]


def _unfold_vjp(xp: Any, g: Any, y: Any, input: Any, *sizes: Any) -> Any:
    return _fold(xp, g, tuple(input.shape[2:]), *sizes)


def _fold_vjp(xp: Any, g: Any, y: Any, input: Any, output_size: Any, *sizes: Any) -> Any:
    return _unfold(xp, g, *sizes)


UNFOLD = tensor(
    "tensorlib.unfold",
    _unfold,
    vjps=(_unfold_vjp, None, None, None, None),
    linear=True,
    needs=((), (), (), (), ()),
    implements=(unfolded,),
    shape="(n, c, *places) -> (n, c * elements, windows)",
    samples=lambda rng: [
        (rng.normal(size=(2, 2, 4, 5)), (2, 3), (1, 1), (0, 1), (1, 2)),
        (rng.normal(size=(1, 2, 5, 5)), (2, 2), (2, 1), (1, 0), (2, 1)),
        (rng.normal(size=(1, 1, 3, 3)).astype("f4"), (2, 2), (1, 1), (0, 0), (1, 1)),
    ],
)
FOLD = tensor(
    "tensorlib.fold",
    _fold,
    vjps=(_fold_vjp, None, None, None, None, None),
    linear=True,
    needs=((), (), (), (), (), ()),
    implements=(folded,),
    shape="(n, c * elements, windows) -> (n, c, *output_size)",
    samples=lambda rng: [
        (rng.normal(size=(2, 12, 9)), (4, 5), (2, 3), (1, 1), (0, 1), (1, 2)),
        (rng.normal(size=(1, 4, 4)).astype("f4"), (3, 3), (2, 2), (1, 1), (0, 0), (1, 1)),
    ],
)


def _pair(size: Any) -> Any:
    return (size, size) if isinstance(size, int) else tuple(size)


def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Return the windows of input (n, channels, *places) as columns, (n, channels * elements, windows)."""
    if len(input.shape) == 3:
        return unfold(input[None], kernel_size, dilation, padding, stride)[0]
    return unfolded(input, _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))


def fold(
    input: Any,
    output_size: Any,
    kernel_size: Any,
    dilation: Any = 1,
    padding: Any = 0,
    stride: Any = 1,
) -> Any:
    """Return (n, channels, *output_size) with the columns of each place added."""
    if len(input.shape) == 2:
        return fold(input[None], output_size, kernel_size, dilation, padding, stride)[0]
    sizes = [_pair(size) for size in (output_size, kernel_size, dilation, padding, stride)]
    return folded(input, sizes[0], sizes[1], sizes[2], sizes[3], sizes[4])


for _function in (unfold, fold):
    translated_as(_function, _function)
