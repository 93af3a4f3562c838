"""The names of the functions of tensors in a text, and the number of operands of each.

The functions themselves are records of tensorlib.language, which is loaded when a program names one. Their
names are reserved only in programs that use them, so that other programs may call a variable `size`.
"""

from __future__ import annotations

from collections.abc import Mapping

TENSORS: Mapping[str, int] = {
    "list->tensor": 1,
    "zeros": 1,
    "ones": 1,
    "fill": 2,
    "identity": 1,
    "random-key": 1,
    "split-key": 2,
    "uniform": 2,
    "randn": 2,
    "normal": 4,
    "size": 1,
    "tensor-ref": 2,
    "view": 2,
    "reshape": 2,
    "resize": 2,
    "expand": 2,
    "transpose": 1,
    "permute": 2,
    "narrow": 4,
    "crop": 4,
    "pad": 4,
    "concat": 2,
    "where": 3,
    "sum": 2,
    "maxall": 1,
    "minall": 1,
    "matmul": 2,
    "addmv": 3,
    "addmm": 3,
    "baddbmm": 3,
    "addr": 3,
}
