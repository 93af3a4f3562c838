"""Delimited control within functions that run as programs: what a shift leaves to do, as a function.

>>> import checkpoint
>>> from checkpoint.control import reset, shift
>>> def f(x):
...     return x + reset(lambda: 10.0 + shift(lambda k: k(k(100.0 * x)) + 1000.0))
>>> checkpoint.value_and_grad(f)(1.0)
(1121.0, 101.0)

`reset(f)` calls f; `shift(f)` within that calls f with the *continuation*: what is left to do up to the
reset, as a function of the value that the shift is to have. The value of f is then that of the reset. So the
code around a shift runs never, once, or several times. Continuations are functions like others, and have
derivatives of all orders. The objects that they refer to, such as the list that a comprehension fills, they
share with the rest of the run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from checkpoint.errors import RunError
from checkpoint.functions.public import within_programs

__all__ = ["reset", "reset_at", "shift", "shift_at"]


@within_programs
def reset(f: Callable[[], Any], /) -> Any:
    """Return f(), where what `shift` captures ends here."""
    _only_within_programs()


@within_programs
def shift(f: Callable[[Callable[[Any], Any]], Any], /) -> Any:
    """Call f with the continuation up to the nearest `reset`, which then returns what f does."""
    _only_within_programs()


@within_programs
def reset_at(tag: Any, f: Callable[[], Any], /) -> Any:
    """Return f(), where what `shift_at` with the same tag captures ends; tag: a str, int, bool or None."""
    _only_within_programs()


@within_programs
def shift_at(tag: Any, f: Callable[[Callable[[Any], Any]], Any], /) -> Any:
    """Do as `shift` with the continuation up to the nearest `reset_at` with this tag."""
    _only_within_programs()


def _only_within_programs() -> NoReturn:
    raise RunError(
        "shift and reset are for functions that run as programs: write f(x): return reset(lambda: ...), with "
        "shift inside of that, and call checkpoint.grad(f)(x), or value_and_grad, jvp, interrupt, ..."
    )
