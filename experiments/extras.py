"""Imports of packages that only some experiments need.

In: a block of imports. Out: nothing, or an error that says what installs the package that is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

# The extras of pyproject.toml that have them.
EXTRAS = {"torch": "torch", "jax": "jax", "onnx": "onnx", "sklearn": "data", "matplotlib": "pictures"}


@contextmanager
def needed() -> Iterator[None]:
    """Say what installs a package whose import fails in the block."""
    try:
        yield
    except ModuleNotFoundError as error:
        extra = EXTRAS.get(error.name or "")
        if extra is None:
            raise
        text = f"this experiment needs {error.name}: pip install 'checkpoint-ad[{extra}]'"
        raise ModuleNotFoundError(text, name=error.name) from None
