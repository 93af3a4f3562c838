"""Programs inside of JAX's functions.

    function       a program as a function that JAX differentiates, compiles around, and maps

It needs JAX, `pip install 'checkpoint-ad[jax]'`, and is imported where it is first used.
"""

from checkpoint.jax.functions import function

__all__ = ["function"]
