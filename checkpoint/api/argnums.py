"""`argnums`: which arguments of a function a derivative is taken by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from checkpoint.ad.attributes import stored
from checkpoint.errors import RunError

ArgNums = int | tuple[int, ...]


def picked_positions(function: Any, argnums: ArgNums, args: Sequence[Any]) -> list[int]:
    """Return the positions of the arguments that argnums selects; RunError where one is missing."""
    wanted = (argnums,) if isinstance(argnums, int) else argnums
    for i in wanted:
        if not -len(args) <= i < len(args):
            given = f"{len(args)} positional argument" + ("" if len(args) == 1 else "s")
            raise RunError(f"there is no argument {i}: {name_of(function)} was called with {given}")
    return [i % len(args) for i in wanted]


def check_argnums(argnums: ArgNums) -> None:
    """Raise RunError for what selects no arguments."""
    picks = (argnums,) if isinstance(argnums, int) else argnums
    if not isinstance(picks, tuple) or not picks or any(type(i) is not int for i in picks):
        raise RunError(f"argnums is an int or a tuple of ints, not {argnums!r}")


def name_of(function: Any) -> str:
    """Return the name of a function in messages."""
    return stored(function, "__qualname__") or type(function).__name__
