"""Objects that are called as the Python function is which they hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Wrapper:
    """An object whose calls in programs are those of a Python function. function: that."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
