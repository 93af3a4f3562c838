"""Records of pools: the largest elements of windows, and their means, along one to three axes of places."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from checkpoint.ad.array_library import kernel, namespace, zeros_beside
from checkpoint.prims.arrays import tensor
from tensorlib.networks.planes import gathered, gathered_now, planes, scattered
from tensorlib.networks.windows import offsets, padded, spans, windows
from tensorlib.reductions.axes import plain_axis
from tensorlib.rules import raw, real_only

Sizes = tuple[int, ...]


def _counts(
    name: str, x: Any, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, up: bool
) -> Sizes:
    """Return the windows along each axis; with `up` also those that extend beyond the end."""
    real_only(name, x)
    lead, places = planes(x, len(kernel))
    if len(lead) not in (1, 2):
        raise ValueError(f"{name}: an input of shape {tuple(x.shape)} is not (n, channels, *places)")
    if min((*kernel, *stride, *dilation)) < 1 or any(2 * p > k for p, k in zip(padding, kernel, strict=True)):
        raise ValueError(f"{name}: sizes are at least 1, and padding at most half of the kernel's")
    found = []
    for n, span, s, p in zip(places, spans(kernel, dilation), stride, padding, strict=True):
        room = n + 2 * p - span
        count = -(-room // s) + 1 if up else room // s + 1
        if up and (count - 1) * s >= n + p:  # begins in the padding at the end
            count -= 1
        if count < 1:
            raise ValueError(
                f"{name}: windows of {kernel} are larger than an input of shape {tuple(x.shape)}"
            )
        found.append(count)
    return tuple(found)


def _after(
    places: Sizes, found: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes
) -> Sizes:
    """Return how many elements the windows need after the places."""
    parts = zip(places, found, spans(kernel, dilation), stride, padding, strict=True)
    return tuple([max((count - 1) * s + span - n - p, 0) for n, count, span, s, p in parts])


# The largest


def largest(
    input: Any, kernel_size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool
) -> Any:
    """Return the largest element of each window; all sizes are tuples."""
    xp = namespace((input,))
    return MAX_POOL.value(xp, input, kernel_size, stride, padding, dilation, ceil_mode)


def max_saves(  # (y, (the place of each in its plane, as PyTorch counts them,))
    xp: Any,
    wanted: tuple[int, ...],
    input: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: Any,
) -> tuple[Any, tuple[Any, ...]]:
    sizes = kernel_size, stride, padding, dilation
    found = _counts("max_pool", input, *sizes, ceil_mode)
    own = kernel(xp, "max_pool")
    if own is not None:
        y, at = own(input, *sizes, ceil_mode)
        return y, (at,)
    at = _largest_places(xp, input, found, *sizes)
    return gathered(xp, input, at, len(kernel_size)), (at,)


def _largest_places(
    xp: Any, x: Any, found: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes
) -> Any:
    lead, places = planes(x, len(kernel))
    after = _after(places, found, kernel, stride, padding, dilation)
    whole = padded(xp, x, padding, after, len(lead), -np.inf)
    view = windows(xp, xp.ascontiguousarray(whole), len(lead), kernel, stride, dilation, found)
    first = xp.argmax(view.reshape((*lead, *found, prod(kernel))), axis=-1)
    total, step = 0, 1
    for axis in reversed(range(len(kernel))):
        inside = first % kernel[axis]
        first = first // kernel[axis]
        start = xp.arange(found[axis]) * stride[axis] - padding[axis]
        across = [found[axis] if i == axis else 1 for i in range(len(kernel))]
        total = total + (inside * dilation[axis] + start.reshape(across)) * step
        step *= places[axis]
    return total


def _max_pull(
    xp: Any, wanted: tuple[int, ...], g: Any, y: Any, saved: tuple[Any, ...], input: Any, *rest: Any
) -> list[Any]:
    (at,) = saved
    own = kernel(xp, "max_pool_vjp")
    if own is not None:
        return [own(g, input, at, *rest)]
    return [scattered(xp, g, at, input, len(rest[0]))]


def _max_jvp(t: Any, y: Any, input: Any, *rest: Any) -> Any:
    data = raw(input)
    xp = namespace((data,))
    sizes = [plain_axis(size) for size in rest]
    _, (at,) = max_saves(xp, (), data, *sizes)
    return gathered_now(t, y, at, len(sizes[0]))


def _max_value(
    xp: Any, input: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: Any
) -> Any:
    return max_saves(xp, (), input, kernel_size, stride, padding, dilation, ceil_mode)[0]


MAX_POOL = tensor(
    "tensorlib.max_pool",
    _max_value,
    saves=max_saves,
    pull=_max_pull,
    jvps=(_max_jvp, *[None] * 5),
    needs=((), *[()] * 5),
    implements=(largest,),
    shape="(n, c, ...) -> (n, c, ...)",
    convention="the first of equal ones has the whole derivative",
    samples=lambda rng: [
        (rng.normal(size=(2, 3, 7)), (3,), (2,), (1,), (1,), False),
        (rng.normal(size=(2, 2, 5, 6)), (2, 3), (2, 2), (1, 0), (1, 2), False),
        (rng.normal(size=(1, 6, 6)), (3, 3), (2, 2), (0, 1), (1, 1), True),
        (rng.normal(size=(1, 2, 3, 4, 4)), (2, 2, 2), (1, 2, 2), (0, 0, 1), (1, 1, 1), False),
        (rng.normal(size=(2, 3, 4)).astype("f4"), (2,), (2,), (0,), (1,), False),
    ],
)

# Means


def means(
    input: Any,
    kernel_size: Sizes,
    stride: Sizes,
    padding: Sizes,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Any:
    """Return the mean of each window; all sizes are tuples."""
    rest = kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    return AVG_POOL.value(namespace((input,)), input, *rest)


def _divisors(
    xp: Any, places: Sizes, found: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, inside: bool
) -> Any:
    """Return by how much the sum of each window is divided; inside: padding does not count."""
    total: Any = 1
    for axis, (n, count, k, s, p) in enumerate(zip(places, found, kernel, stride, padding, strict=True)):
        start = xp.arange(count) * s - p
        end = xp.minimum(start + k, n + p)
        sizes = xp.minimum(end, n) - xp.maximum(start, 0) if inside else end - start
        total = total * sizes.reshape([count if i == axis else 1 for i in range(len(places))])
    return total


def _avg_pool(
    xp: Any,
    input: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: Any,
    count_include_pad: Any,
    divisor_override: Any,
) -> Any:
    dilation = (1,) * len(kernel_size)
    found = _counts("avg_pool", input, kernel_size, stride, padding, dilation, ceil_mode)
    own = kernel(xp, "avg_pool")
    if own is not None:
        return own(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    lead, places = planes(input, len(kernel_size))
    after = _after(places, found, kernel_size, stride, padding, dilation)
    whole = padded(xp, input, padding, after, len(lead))
    total = zeros_beside(input, (*lead, *found), input.dtype)
    for _, slices in offsets(kernel_size, stride, dilation, found):
        total += whole[(..., *slices)]
    by = divisor_override or _divisors(xp, places, found, kernel_size, stride, padding, not count_include_pad)
    return xp.astype(total / by, input.dtype)


def _avg_vjp(
    xp: Any,
    g: Any,
    y: Any,
    input: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: Any,
    count_include_pad: Any,
    divisor_override: Any,
) -> Any:
    own = kernel(xp, "avg_pool_vjp")
    if own is not None:
        rest = kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        return own(g, input, *rest)
    count, dilation = len(kernel_size), (1,) * len(kernel_size)
    lead, places = planes(input, count)
    found = tuple(g.shape[len(lead) :])
    after = _after(places, found, kernel_size, stride, padding, dilation)
    sizes = [n + p + a for n, p, a in zip(places, padding, after, strict=True)]
    by = divisor_override or _divisors(xp, places, found, kernel_size, stride, padding, not count_include_pad)
    each = xp.astype(g / by, g.dtype)
    whole = zeros_beside(g, (*lead, *sizes), g.dtype)
    for _, slices in offsets(kernel_size, stride, dilation, found):
        whole[(..., *slices)] += each
    return whole[(..., *[slice(p, p + n) for n, p in zip(places, padding, strict=True)])]


AVG_POOL = tensor(
    "tensorlib.avg_pool",
    _avg_pool,
    vjps=(_avg_vjp, *[None] * 6),
    linear=True,
    needs=((), *[()] * 6),
    implements=(means,),
    shape="(n, c, ...) -> (n, c, ...)",
    samples=lambda rng: [
        (rng.normal(size=(2, 3, 7)), (3,), (2,), (1,), False, True, None),
        (rng.normal(size=(2, 2, 5, 6)), (2, 3), (2, 2), (1, 0), False, False, None),
        (rng.normal(size=(1, 6, 6)), (3, 3), (2, 2), (0, 1), True, True, None),
        (rng.normal(size=(1, 6, 5)), (3, 3), (2, 2), (1, 1), True, False, None),
        (rng.normal(size=(1, 2, 4, 4)), (2, 2), (2, 2), (0, 0), False, True, 3),
        (rng.normal(size=(1, 2, 3, 4, 4)), (2, 2, 2), (1, 2, 2), (0, 0, 1), False, True, None),
        (rng.normal(size=(2, 3, 4)).astype("f4"), (2,), (2,), (0,), False, True, None),
    ],
)
