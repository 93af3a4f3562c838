"""Which primitives round numbers, so that nothing can be differentiated through them.

In: a program. Out: whether it rounds anything. checkpoint.functions.roundings warns of gradients that are
zero for this reason alone, so those of programs that round nothing are not examined.
"""

from __future__ import annotations

from checkpoint.ad.arrays import Native
from checkpoint.lang.core import Const, Expr, Prim
from checkpoint.lang.walk import preorder

# What rounds, by how many operands it rounds; `astype` does where it is to integers.
ROUNDINGS = {
    "py.round": 1, "py.int": 1, "py.math.floor": 1, "py.math.ceil": 1, "py.math.trunc": 1,
    "py.floordiv": 2, "py.ifloordiv": 2, "np.floor_divide": 2,
    "np.floor": 1, "np.ceil": 1, "np.rint": 1, "np.fix": 1, "np.trunc": 1, "np.round": 1, "ndarray.round": 1,
    "np.int8": 1, "np.int16": 1, "np.int32": 1, "np.int64": 1,
    "np.uint8": 1, "np.uint32": 1, "np.uint64": 1,
    "np.astype": 1, "ndarray.astype": 1,
}  # fmt: skip


def rounds(program: Expr) -> bool:
    """Return whether a program has a primitive that rounds."""
    return any(type(expr) is Prim and is_rounding(expr) for expr in preorder(program))


def is_rounding(expr: Prim) -> bool:
    """Return whether the application of a primitive rounds."""
    if expr.op not in ROUNDINGS:
        return False
    return not expr.op.endswith("astype") or _is_to_integers(expr.args[1])


def _is_to_integers(dtype: Expr) -> bool:
    named = dtype.value if isinstance(dtype, Const) else None
    return type(named) is Native and getattr(named.value, "kind", "") in "biu"
