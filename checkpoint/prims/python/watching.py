"""Watching which numbers are rounded, in a run that finds out why a gradient is zero.

(py.watched site x)      x, with a note on the site where x has a derivative
"""

from __future__ import annotations

from typing import Any

from checkpoint.ad.graph import numbers
from checkpoint.ad.numbers import Dual
from checkpoint.errors import Span
from checkpoint.prims.python.support import rearrange


class Site:
    """A place where a number is rounded. reached: whether a number with a derivative was rounded there."""

    __slots__ = ("reached", "span")

    def __init__(self, span: Span) -> None:
        self.span = span
        self.reached = False


def _watched(_: Any, site: Any, x: Any) -> Any:
    if any(type(number) is Dual for number in numbers(x)):
        site.value.reached = True
    return x


rearrange("watched", 2, "x, noted where it is rounded: its site, x", _watched)
