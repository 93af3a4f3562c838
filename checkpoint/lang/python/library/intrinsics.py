"""What the library (library.py) says to the translator: primitives by name."""

from __future__ import annotations

from typing import Any


def prim(name: str, *operands: Any) -> Any:
    """The primitive of the language with this name, a constant, on operands; only in translated code."""
    raise NotImplementedError(f"{name} is for translated programs")
