"""builtins.sum and math.sumprod as Python 3.12 and later have them, in the language that is translated.

In: a start and items. Out: Python's own sum, to the last bit. While the total is a float, and each item is a
float or an integer of 64 bits, Python keeps what rounding has lost of each sum of two floats in a number of
its own, and adds that at the end (Neumaier's algorithm). A total that is an integer becomes such a float with
the first float. From the first other item on Python adds with `+` alone; `lost` is None then.

What is lost has derivative zero, so that each item has the derivative 1, as without it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

from checkpoint.lang.python.library.intrinsics import prim

COMPENSATED = sys.version_info >= (3, 12)  # whether this Python's sum is the one of this file
LEAST, MOST = -(2**63), 2**63 - 1


def sum_(items: Any, /, start: Any = 0) -> Any:
    """See builtins.sum."""
    total, lost = begun(start)
    for item in items:
        total, lost = added(total, lost, item)
    return ended(total, lost)


def begun(start: Any) -> Any:
    """Return the total before any item, and what is lost of it."""
    if isinstance(start, str):
        raise TypeError("sum() can't sum strings [use ''.join(seq) instead]")
    return start, 0.0 if prim("real?", start) or type(start) is int else None


def added(total: Any, lost: Any, item: Any) -> Any:
    """Return the total with an item, and what is lost of it."""
    if lost is None:
        return total + item, None
    if prim("real?", total):
        if prim("real?", item):
            return total + item, lost + prim("py.rounding-loss", total, item)
        if isinstance(item, int) and LEAST <= item <= MOST:
            return total + item, lost
        return prim("py.made-good", total, lost) + item, None
    if not isinstance(total, int) or not LEAST <= total <= MOST:
        return total + item, None
    return total + item, lost


def ended(total: Any, lost: Any) -> Any:
    """Return the sum of all items."""
    if lost is None or not prim("real?", total):
        return total
    return prim("py.made-good", total, lost)


def sumprod_(p: Any, q: Any, /) -> Any:
    """See math.sumprod; its derivative by a number is the other number of the pair.

    Python sums exactly up to the first pair with another object than a number of its own, from there by `+`.
    """
    first, second = list(p), list(q)
    if len(first) != len(second):
        raise ValueError("Inputs are not the same length")
    count = 0
    while count < len(first) and not prim("py.holds-objects", (first[count], second[count])):
        count += 1
    total = prim("py.exact-sum-of-products", first[:count], second[:count])
    for x, y in zip(first, second, strict=True):
        if count > 0:
            count -= 1
            if isinstance(x, float) or isinstance(y, float):
                product = x * y
                if math.isfinite(product):
                    total = total + (product - prim("py.stop", product))
        else:
            total = total + x * y
    return total


FUNCTIONS: dict[Any, Callable[..., Any]] = {vars(math)["sumprod"]: sumprod_} if COMPENSATED else {}
