"""builtins.sum and math.sumprod as Python 3.12 and later have them, in the language that is translated.

In: a start and items. Out: Python's own sum, to the last bit. While the total is a float, and each item is a
float or an integer of 64 bits, Python keeps what rounding has lost of each sum of two floats in a number of
its own, and adds that at the end (Neumaier's algorithm). A total that is an integer becomes such a float with
the first float. From the first other item on Python adds with `+` alone.

What always holds: `lost` is a float where the total is one that is made good, 0 where it is an integer, and
else None. The usual step of a loop is in the loop itself, here and in control/comprehensions.py.

What is lost has derivative zero, so that each item has the derivative 1, as without it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

from checkpoint.lang.python.library.intrinsics import prim

COMPENSATED = sys.version_info >= (3, 12)  # whether this Python's sum is the one of this file


def sum_(items: Any, /, start: Any = 0) -> Any:
    """See builtins.sum."""
    total, lost = begun(start)
    for item in items:
        if prim("real?", item) and prim("real?", lost):
            lost = lost + prim("py.rounding-loss", total, item)
            total = total + item
        else:
            total, lost = added(total, lost, item)
    return ended(total, lost)


def begun(start: Any) -> Any:
    """Return the total before any item, and what is lost of it."""
    if type(start) is int:
        return start, 0
    if isinstance(start, str):
        raise TypeError("sum() can't sum strings [use ''.join(seq) instead]")
    return start, 0.0 if prim("real?", start) else None


def added(total: Any, lost: Any, item: Any) -> Any:
    """Return the total with an item, and what is lost of it, where the total or the item is no float."""
    if lost is None:
        return total + item, None
    if prim("real?", lost):
        if isinstance(item, int) and is_kept(item):
            return total + item, lost
        return prim("py.made-good", total, lost) + item, None
    if not is_kept(total):
        return total + item, None
    total = total + item
    return total, 0.0 if prim("real?", total) else 0 if isinstance(total, int) else None


def is_kept(number: Any) -> Any:
    """Return whether an integer has 64 bits; in literals, since a program reads each global at each call."""
    return -0x7FFF_FFFF_FFFF_FFFF - 1 <= number <= 0x7FFF_FFFF_FFFF_FFFF


def ended(total: Any, lost: Any) -> Any:
    """Return the sum of all items."""
    return prim("py.made-good", total, lost) if prim("real?", lost) else total


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
