"""Fusing: sums of products that a plan makes in one loop of engine c, without an array of the products.

In: the lines of a plan. Out: lines in which a product of two arrays, or a square, that nothing reads but a
sum along its last axis, is one call with that sum. What always holds: the bits are those of the two calls,
which is found out on the arrays of the trace; where the loop refuses, the two calls are made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from checkpoint.ad.array_library import defaults
from checkpoint.ad.tracing.lines import Called, Line
from checkpoint.scalars.kernels import kernel_of

_POWERS = frozenset(("np.power", "py.pow/array"))
_LOOP = "sum_of_products"


def fused(lines: Sequence[Line], results: Sequence[str], scope: dict[str, Any]) -> list[Line]:
    """Return lines that compute the same. scope: the constants of the lines, and of those returned."""
    reads = Counter([*results, *[name for line in lines if not line.is_of_form for name in set(line.read)]])
    products = {line.made: line for line in lines if _factors(line.call) and reads[line.made] == 1}
    sums: dict[str, list[Line]] = {}  # by the names of products
    for line in lines:
        product = products.get(line.call.texts[0]) if line.call is not None else None
        if product is not None and (both := _sum_of(product, line)):
            sums[product.made] = both
    scope[_LOOP] = kernel_of(_LOOP)
    found: list[Line] = []
    for line in lines:
        if line.made in sums or (line.is_of_form and not sums.keys().isdisjoint(line.read)):
            continue
        found += next((sums[name] for name in line.read if name in sums), [line])
    return found


def _factors(call: Called | None) -> tuple[str, str] | None:
    """Return the texts of the two arrays whose elements a call multiplies."""
    if call is None or not all(map(_is_of_doubles, call.args[:1])):
        return None
    if call.key == "np.square" or (call.key in _POWERS and type(call.args[1]) is int and call.args[1] == 2):
        return call.texts[0], call.texts[0]
    if call.key == "np.multiply" and _is_of_doubles(call.args[1]):
        return (call.texts[0], call.texts[1]) if call.args[0].shape == call.args[1].shape else None
    return None


def _is_of_doubles(x: Any) -> bool:
    return isinstance(x, defaults[0].ndarray) and bool(x.dtype == defaults[0].float64)


def _sum_of(product: Line, line: Line) -> list[Line]:
    """Return the lines of a product and its sum along the last axis; none where there is no loop for them."""
    loop, call = kernel_of(_LOOP), line.call
    factors = _factors(product.call)
    if loop is None or factors is None or product.call is None or call is None or call.key != "np.sum":
        return []
    of, axis, dtype, keeps = call.args
    if type(axis) is not int or axis % of.ndim != of.ndim - 1 or dtype is not None or type(keeps) is not bool:
        return []
    one, other = product.call.args[0], product.call.args[factors[0] != factors[1]]
    made = loop(one, other, keeps)
    if made is None or made.strides != call.made.strides or made.tobytes() != call.made.tobytes():
        return []
    both = call._replace(texts=[product.call.text(), *call.texts[1:]])
    return [
        Line(f"{_LOOP}({factors[0]}, {factors[1]}, {keeps})", product.read, line.made),
        Line(f"if {line.made} is None: {line.made} = {both.text()}", (line.made, *product.read)),
    ]
