"""The way in which library functions name primitives to the translator."""

from __future__ import annotations

from typing import Any


def prim(name: str, *operands: Any) -> Any:
    """Apply the primitive with this name, a constant, to operands; only in translated code."""
    raise NotImplementedError(f"{name} is for translated programs")


def apply(function: Any, args: Any, keywords: Any) -> Any:
    """Call a value with a tuple of arguments and a dictionary of keywords; only in translated code."""
    raise NotImplementedError("apply is for translated programs")
