"""The records that do not work on PyTorch's tensors: a program that applies one to a tensor is refused.

Most of them use functions that PyTorch does not have. What always holds: every other record gives on tensors
what it gives on NumPy's arrays, value and cotangents (tests/pytorch/test_records.py).
"""

from __future__ import annotations

# fmt: off
LACKING = frozenset((
    "array.setflags",
    "array.sort", "array.transpose", "list->tensor", "maxall", "minall", "normal", "np.add.reduceat",
    "np.append", "np.argpartition", "np.array2string", "np.array_equal", "np.array_repr", "np.array_str",
    "np.average", "np.bitwise_and.reduce", "np.bitwise_count", "np.bitwise_or.reduce",
    "np.bitwise_xor.reduce", "np.block", "np.bool", "np.cbrt", "np.choose", "np.compress", "np.convolve",
    "np.correlate", "np.cross", "np.delete", "np.digitize", "np.extract", "np.fabs", "np.fft.fftn",
    "np.fft.fftshift", "np.fft.ifftn", "np.fft.ifftshift", "np.fft.irfftn", "np.fft.rfftn",
    "np.fill_diagonal", "np.flatnonzero", "np.float32", "np.float64", "np.gcd", "np.gcd.reduce",
    "np.gradient", "np.insert", "np.int16", "np.int32", "np.int64", "np.int8", "np.interp", "np.iscomplex",
    "np.isin", "np.ix_", "np.lcm", "np.lcm.reduce", "np.lexsort",
    "np.lib.stride_tricks.sliding_window_view", "np.linalg.cholesky", "np.linalg.cross",
    "np.linalg.eigvalsh", "np.linalg.lstsq", "np.linalg.outer", "np.linalg.pinv", "np.linalg.svd",
    "np.linalg.trace", "np.linspace", "np.logaddexp.reduce", "np.logical_xor.reduce", "np.logspace",
    "np.maximum.at", "np.median", "np.minimum.at", "np.nan_to_num", "np.nanargmax", "np.nanargmin",
    "np.nanmax", "np.nanmin", "np.pad", "np.partition", "np.percentile", "np.ptp", "np.put_along_axis",
    "np.quantile", "np.resize", "np.result_type", "np.rollaxis", "np.searchsorted", "np.select", "np.sort",
    "np.spacing", "np.trapezoid", "np.uint32", "np.uint64", "np.uint8", "np.unique", "np.vdot", "pad",
    "real/tensor", "resize", "tensorlib.as-array", "tensorlib.basis", "tensorlib.complex",
    "tensorlib.counted", "tensorlib.draw", "tensorlib.draw-moved", "tensorlib.draw-standard",
    "tensorlib.dtype-for", "tensorlib.extreme-shares", "tensorlib.logsumexp", "tensorlib.masked",
    "tensorlib.prod_where", "tensorlib.random.exponential", "tensorlib.random.normal",
    "tensorlib.random.uniform", "tensorlib.segment_max", "tensorlib.segment_min", "tensorlib.segment_prod",
    "tensorlib.sum_where",
))
# fmt: on
