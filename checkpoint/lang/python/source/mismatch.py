"""The texts of Python's TypeErrors for calls whose arguments do not fit the parameters."""

from __future__ import annotations

import ast
import builtins
import math
import re
from collections.abc import Sequence
from typing import Any

from checkpoint.errors import RunError, an


def too_many(name: str, least: int, most: int, count: int | str, keyword_only: int = 0) -> str:
    """Return the text for too many positional arguments; keyword_only: how many others were passed."""
    counted = str(most) if least == most else f"from {least} to {most}"
    plural = "" if most == 1 and least == most else "s"
    given = f"{count} {'was' if count == 1 else 'were'} given"
    if keyword_only:
        first, second = ["" if number == 1 else "s" for number in (count, keyword_only)]
        others = f"{keyword_only} keyword-only argument{second}"
        given = f"{count} positional argument{first} (and {others}) were given"
    return f"{name}() takes {counted} positional argument{plural} but {given}"


def missing(name: str, names: Sequence[str], kind: str = "positional") -> str:
    """Return the text for arguments that a call leaves out."""
    shown = [repr(each) for each in names]
    listed = shown[-1]
    if len(shown) > 1:
        listed = ", ".join(shown[:-1]) + ("," if len(shown) > 2 else "") + f" and {shown[-1]}"
    plural = "" if len(shown) == 1 else "s"
    return f"{name}() missing {len(shown)} required {kind} argument{plural}: {listed}"


def by_position(name: str, required: Sequence[str], most: int, count: int) -> str:
    """Return the text for a call by position; required: the names of the parameters without defaults."""
    if count < len(required):
        return missing(name, required[count:])
    return too_many(name, len(required), most, count)


def not_callable(cls: type) -> Exception:
    """Return the error for a call of an object: Python's, or that its `__call__` is none of the program."""
    if any("__call__" in vars(base) for base in cls.__mro__):  # hasattr would find that of the class itself
        return RunError(
            f"{an(cls.__name__)} cannot be called, for its `__call__` is not of your own code: call a "
            f"function that does the same, for polynomials np.polynomial.polynomial.polyval(x, p.coef)"
        )
    return TypeError(f"{cls.__name__!r} object is not callable")


def source_name(name: str) -> str:
    """Return the name that a variable of the core has in its Python function."""
    return name.rpartition(".")[0] or name


# Builtins

_BUILTINS = frozenset(
    (
        *(builtins.list, builtins.dict, builtins.tuple, builtins.set, builtins.frozenset, builtins.complex),
        *(builtins.sorted, builtins.enumerate, builtins.reversed, builtins.next, builtins.iter, builtins.sum),
        *(builtins.max, builtins.min, builtins.any, builtins.all, builtins.map, builtins.filter),
        math.isclose,
    )
)


def of_builtin(value: Any, node: ast.Call) -> str | None:
    """Return what Python says of a call of a builtin with so many arguments or these keywords, or None."""
    names = [keyword.arg for keyword in node.keywords]
    if None in names or value not in _BUILTINS:
        return None
    try:
        value(*[()] * len(node.args), **dict.fromkeys(map(str, names)))
    except Exception as error:
        text = str(error)
        return text if isinstance(error, TypeError) and _OF_COUNTS.search(text) else None
    return None


_OF_COUNTS = re.compile(
    r"expected (at (least|most) )?\d+ argument|takes (no|at most|exactly)|must have at least"
)
