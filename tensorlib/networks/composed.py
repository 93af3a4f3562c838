"""Rules for tangents of functions that are also written with other records; values of those that save.

In: the function as a composition of records. Out: the tangent of its result, by the tangents of the records.
So a function whose value and cotangents are a library's kernels has derivatives of every order.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from checkpoint.ad.numbers import Dual, tangent_at, zero
from checkpoint.ad.operands import leaves
from tensorlib.rules import number, raw

Rule = Callable[..., Any]


def along(composition: Rule, *positions: int, count: int) -> tuple[Rule | None, ...]:
    """Return for each operand the rule for its tangent; None for those at other positions.

    composition(*operands): the function, made of records. count: of its operands.
    """
    return tuple([_along(composition, i) if i in positions else None for i in range(count)])


def _along(composition: Rule, position: int) -> Rule:
    def jvp(tangent: Any, y: Any, *operands: Any) -> Any:
        known = [tag for operand in (tangent, *operands) for n in leaves(operand) for tag in _tags(n)]
        tag = 1 + max(known, default=0)  # no number in the operands has it
        moved = Dual(tag, operands[position], tangent)
        result = composition(*operands[:position], moved, *operands[position + 1 :])
        found = tangent_at(result, tag)
        return number(zero(result) if found is None else found)

    return jvp


def value_of(saves: Rule) -> Rule:
    """Return the value of a function whose `saves` returns it with what is saved, with the same operands."""

    def value(xp: Any, *operands: Any) -> Any:
        return saves(xp, (), *operands)[0]

    xp, _, *operands = inspect.signature(saves).parameters.values()
    value.__signature__ = inspect.Signature([xp, *operands])  # type: ignore[attr-defined]  # as `tensor` reads
    value.__module__ = saves.__module__  # where the table of functions lists it
    return value


def of_parameter(xp: Any, jvp: Any, g: Any, y: Any, *operands: Any) -> float:
    """Return the cotangent of a parameter that is a number, by the tangent of the result along it."""
    return float(xp.sum(g * raw(jvp(1.0, y, *operands))))


def _tags(n: Any) -> Iterator[int]:
    """Yield the tags of a number, at every depth."""
    if type(n) is Dual:
        yield n.tag
        yield from _tags(n.primal)
        yield from _tags(n.tangent)
