"""The functions of engine c that this package and the arrays' adjoints call, once the engine is loaded.

In: what checkpoint/ctarget/library.py makes of the engine's module, which nothing here imports. Out: `by_c`.
What always holds: a function of C gives the bits that Python and NumPy give; where it cannot, it says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Loop = Callable[[str, bool, Sequence[Any], Any], int | None]
Formula = Callable[[str, Sequence[Any], Sequence[Any]], bool]
Tree = Callable[[str, str | None, Sequence[Any]], bool]
Kernels = Mapping[str, Callable[..., Any]]


class ByC:
    """The functions of engine c. Those of a new object are for processes without the engine.

    loop(primitive, strict, operands, result): fills the result with a scalar function's values (loops.py);
        returns the index where it fails first, -1 if nowhere, None where C lacks the function.
    formula(text, inputs, results): fills arrays with the results of a formula (formulas.py); returns whether
        it has, which it does for NumPy's arrays only.
    tree(text, pulled, columns): the same for a tree of pairs, or for its cotangents (formulas.reduced,
        formulas.reduced_reversed).
    kernels(): returns NumPy's functions by name (kernels.py); called when the first array has been met.
    """

    def __init__(self) -> None:
        self.loop: Loop = lambda *_: None
        self.formula: Formula = lambda *_: False
        self.tree: Tree = lambda *_: False
        self.kernels: Callable[[], Kernels] = dict


by_c = ByC()
