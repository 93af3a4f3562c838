"""NumPy's functions of objects with `__array_ufunc__`, written in the language that is translated."""

from __future__ import annotations

from typing import Any


def overridden(ufunc: Any, name: str, inputs: Any, kinds: Any, derived: Any, keywords: dict[str, Any]) -> Any:
    """Return what the first of the inputs makes of a call whose `__array_ufunc__` does not decline it.

    kinds: the number of the class of each input, -1 if it has no such method. derived: for each such class
    the numbers of those derived from it, which are asked before it.
    """
    order: list[int] = []
    for i, kind in enumerate(kinds):
        if kind >= 0 and kind not in [kinds[k] for k in order]:
            later = [at for at, k in enumerate(order) if kind in derived[kinds[k]]]
            order.insert(later[0] if later else len(order), i)
    for i in order:
        outcome = inputs[i].__array_ufunc__(ufunc, "__call__", *inputs, **keywords)
        if outcome is not NotImplemented:
            return outcome
    passed = ", ".join([repr(value) for value in inputs])
    types = ", ".join([repr(type(value).__name__) for value in inputs])
    call = f"__array_ufunc__(<ufunc '{name}'>, '__call__', {passed})"
    raise TypeError(f"operand type(s) all returned NotImplemented from {call}: {types}")
