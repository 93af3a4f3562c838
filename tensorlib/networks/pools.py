"""Pools as users call them: the largest elements of windows, their places, and their means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.prims.arrays import translated_as
from tensorlib.networks.pooling import largest, means
from tensorlib.networks.unpooling import largest_places, unpooled, with_places


def _sizes(size: Any, count: Any) -> Any:
    return (size,) * count if isinstance(size, int) else tuple(size) * (count if len(size) == 1 else 1)


def _max_pool(
    input: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: Any,
    return_indices: Any,
    count: Any,
) -> Any:
    kernel_size = _sizes(kernel_size, count)
    stride = kernel_size if stride is None or stride == [] else _sizes(stride, count)
    rest = kernel_size, stride, _sizes(padding, count), _sizes(dilation, count), ceil_mode
    return (
        with_places(input, largest_places(input, *rest), count) if return_indices else largest(input, *rest)
    )


def max_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: Any = False,
    return_indices: Any = False,
) -> Any:
    """Return the largest of each window along the last axis, with return_indices the places, too."""
    return _max_pool(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices, 1)


def max_pool2d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: Any = False,
    return_indices: Any = False,
) -> Any:
    """Return the largest of each window along the last two axes, with return_indices the places, too."""
    return _max_pool(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices, 2)


def max_pool3d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: Any = False,
    return_indices: Any = False,
) -> Any:
    """Return the largest of each window along the last three axes, with return_indices the places, too."""
    return _max_pool(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices, 3)


def _mean_pool(
    input: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: Any,
    count_include_pad: Any,
    divisor_override: Any,
    count: Any,
) -> Any:
    kernel_size = _sizes(kernel_size, count)
    stride = kernel_size if stride is None or stride == [] else _sizes(stride, count)
    padding = _sizes(padding, count)
    return means(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def avg_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: Any = False,
    count_include_pad: Any = True,
) -> Any:
    """Return the mean of each window along the last axis."""
    return _mean_pool(input, kernel_size, stride, padding, ceil_mode, count_include_pad, None, 1)


def avg_pool2d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: Any = False,
    count_include_pad: Any = True,
    divisor_override: Any = None,
) -> Any:
    """Return the mean of each window along the last two axes."""
    rest = padding, ceil_mode, count_include_pad, divisor_override
    return _mean_pool(input, kernel_size, stride, *rest, 2)


def avg_pool3d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: Any = False,
    count_include_pad: Any = True,
    divisor_override: Any = None,
) -> Any:
    """Return the mean of each window along the last three axes."""
    rest = padding, ceil_mode, count_include_pad, divisor_override
    return _mean_pool(input, kernel_size, stride, *rest, 3)


def _max_unpool(
    input: Any, indices: Any, kernel_size: Any, stride: Any, padding: Any, output_size: Any, count: Any
) -> Any:
    kernel_size = _sizes(kernel_size, count)
    stride = kernel_size if stride is None or stride == [] else _sizes(stride, count)
    if output_size is None:
        sizes = zip(input.shape[-count:], kernel_size, stride, _sizes(padding, count), strict=True)
        return unpooled(input, indices, tuple([(n - 1) * s - 2 * p + k for n, k, s, p in sizes]))
    return unpooled(input, indices, tuple(output_size)[-count:])


def max_unpool1d(
    input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Any:
    """Return the elements at the places that max_pool1d returned, and zeros elsewhere."""
    return _max_unpool(input, indices, kernel_size, stride, padding, output_size, 1)


def max_unpool2d(
    input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Any:
    """Return the elements at the places that max_pool2d returned, and zeros elsewhere."""
    return _max_unpool(input, indices, kernel_size, stride, padding, output_size, 2)


def max_unpool3d(
    input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Any:
    """Return the elements at the places that max_pool3d returned, and zeros elsewhere."""
    return _max_unpool(input, indices, kernel_size, stride, padding, output_size, 3)


_FUNCTIONS: tuple[Callable[..., Any], ...] = (
    *(max_pool1d, max_pool2d, max_pool3d, avg_pool1d, avg_pool2d, avg_pool3d),
    *(max_unpool1d, max_unpool2d, max_unpool3d),
)
for _function in _FUNCTIONS:
    translated_as(_function, _function)
