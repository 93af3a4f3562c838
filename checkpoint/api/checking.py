"""Asking, before anything runs, what a function does that no gradient can be taken of."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from checkpoint.errors import RunError, an

if TYPE_CHECKING:
    from checkpoint.functions.refused import Refusal


def check(f: Callable[..., Any], *args: Any, **named: Any) -> list[Refusal]:
    """Return what is refused in a function and in the functions that it reaches, without running it.

    A refusal ends a run only when it is reached; a function with some can be differentiated wherever its runs
    do not come to them. Each has the fields `file`, `line`, `column`, `what` and `instead`; its `str` is one
    line. `checkpoint check FILE.py:NAME` prints them.

    Args:
        f: the function.
        args: examples of its arguments; what depends on their classes is found only with them. Without any,
            it is called with all that it requires.
        named: examples of arguments that are passed by name.

    Examples:
        >>> import checkpoint
        >>> def f(x):
        ...     if x < 0.0:
        ...         return eval("x")
        ...     return x * x
        >>> [(each.line, each.what, each.instead) for each in checkpoint.check(f)]
        [(3, '`eval`', 'write the expression')]
        >>> checkpoint.grad(f)(3.0)
        6.0
    """
    # Local: `.vlad` programs need no translation of Python.
    from checkpoint.functions.refused import refusals_in  # noqa: PLC0415
    from checkpoint.lang.python.linking.shapes import Shape  # noqa: PLC0415
    from checkpoint.lang.python.linking.surveys import classes_in  # noqa: PLC0415

    if not callable(f):
        raise RunError(f"check needs a function, not {an(type(f).__name__)}")
    shape = Shape(len(args), tuple(named)) if args or named else Shape(*required(f))
    return refusals_in(f, shape, classes_in((*args, *named.values())))


def required(f: Callable[..., Any]) -> tuple[int, tuple[str, ...]]:
    """Return how many positional arguments a function requires, and which keyword arguments."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):  # a function of a compiled module
        return 1, ()
    needed = [p for p in parameters if p.default is p.empty]
    positional = [p for p in needed if p.kind in {p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD}]
    return len(positional), tuple([p.name for p in needed if p.kind is p.KEYWORD_ONLY])
