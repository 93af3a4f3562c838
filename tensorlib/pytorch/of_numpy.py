"""PyTorch's kernels on NumPy's arrays: the same memory on both sides, nothing is copied.

A read-only array is shared, too: no kernel writes into an operand. Only one that NumPy has turned around
(a negative stride), which PyTorch lacks, is copied.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from checkpoint.ad.pullbacks import Like
from tensorlib.pytorch import kernels, piecewise_kernels, window_kernels


def found(name: str) -> Callable[..., Any] | None:
    """Return a kernel of PyTorch as a function of NumPy's arrays; None if there is none of this name."""
    parts = (kernels, window_kernels, piecewise_kernels)
    function = next((each for part in parts if (each := getattr(part, name, None))), None)
    if function is None:
        return None

    @functools.wraps(function)
    def applied(*operands: Any) -> Any:
        with torch.no_grad():
            return _array_of(function(*map(_tensor_of, operands)))

    return applied


def _tensor_of(operand: Any) -> Any:
    if isinstance(operand, np.ndarray):
        is_turned = any(stride < 0 for stride in operand.strides)
        return torch.from_numpy(operand.copy() if is_turned else operand)
    if isinstance(operand, np.generic):
        return torch.from_numpy(np.asarray(operand))
    if type(operand) is Like:
        return torch.from_numpy(np.empty(1, operand.dtype)).expand(tuple(operand.shape))
    return type(operand)(map(_tensor_of, operand)) if type(operand) in (list, tuple) else operand


def _array_of(result: Any) -> Any:
    if isinstance(result, torch.Tensor):
        array = result.numpy()
        return array if array.shape else array[()]
    return tuple([_array_of(part) for part in result]) if isinstance(result, list | tuple) else result


def _share_read_only() -> None:
    """Let PyTorch warn of a read-only array, which it does once: nothing here writes into one."""
    array = np.zeros(1)
    array.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.from_numpy(array)


_share_read_only()
