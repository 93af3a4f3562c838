"""Names of functions that take, as an argument `out`, the array that they write their result to."""

from __future__ import annotations

# Methods of arrays.
METHODS = frozenset(
    (
        "all",
        "any",
        "argmax",
        "argmin",
        "choose",
        "clip",
        "compress",
        "conj",
        "conjugate",
        "cumprod",
        "cumsum",
        "dot",
        "max",
        "mean",
        "min",
        "prod",
        "ptp",
        "round",
        "std",
        "sum",
        "take",
        "trace",
        "var",
    )
)

# NumPy's functions element by element, of two and of one element, for which it may be the last argument.
OF_TWO = frozenset(
    (
        "add",
        "subtract",
        "multiply",
        "divide",
        "true_divide",
        "floor_divide",
        "power",
        "maximum",
        "minimum",
        "remainder",
        "mod",
        "matmul",
        "dot",
        "hypot",
        "arctan2",
        "logical_and",
        "logical_or",
        "greater",
        "less",
        "greater_equal",
        "less_equal",
        "equal",
        "not_equal",
    )
)
OF_ONE = frozenset(
    (
        "absolute",
        "abs",
        "negative",
        "square",
        "sqrt",
        "exp",
        "log",
        "log10",
        "log1p",
        "expm1",
        "sin",
        "cos",
        "tan",
        "tanh",
        "arctan",
        "sign",
        "floor",
        "ceil",
    )
)
