"""Rules that the records of functions that move elements share: for arrays, reals and nested lists."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from math import prod
from typing import Any

from checkpoint.ad.accumulators import Scattered
from checkpoint.ad.array_library import as_dtype, dtype_kind, zeros_beside
from checkpoint.ad.arrays import ByRecords
from checkpoint.ad.numbers import NUMBERS, real_part
from checkpoint.ad.tensors import Tensor, record_of
from checkpoint.prims.arrays import parameters_of, tensor
from tensorlib.rules import record, unbroadcast, zeroed

Rule = Callable[..., Any]


def linear(name: str, value: Rule, vjp: Rule, **fields: Any) -> Tensor:
    """Register a function that is linear in its first operand, an array, a real, or a nested list of such.

    vjp(xp, g, y, like, *rest): as in Tensor; `like` has shape and dtype where the operand is no list.
    """
    rest = parameters_of(value)[0] - 2
    fields.setdefault("needs", ((),))
    return tensor(
        name,
        value,
        vjps=(spread_over(vjp), *[None] * rest),
        jvps=(along(name), *[None] * rest),
        **fields,
    )


def along(name: str) -> Rule:
    """Return the rule for the tangent of the only differentiable operand, the first, of a linear function."""

    def jvp(tangent: Any, y: Any, x: Any, *rest: Any) -> Any:
        return record_of(record(name), (zeroed(tangent), *rest))

    return ByRecords(jvp, (name, zeroed))


def call(name: str, *operands: Any) -> Any:
    """Return a record applied in a rule for tangents, where no operand need be an array."""
    return record_of(record(name), operands)


def shape_now(number: Any) -> tuple[int, ...]:
    """Return the shape of a number of the language, whatever derivatives it carries."""
    part = real_part(number)
    return tuple(part.data.shape) if hasattr(part, "data") else ()


def in_place_of(tangent: Any, items: Any, position: int) -> tuple[Any, ...]:
    """Return the tangents of the numbers among a result's items: that of one of them, zero for the others."""
    return tuple([tangent if i == position else None for i, x in enumerate(items) if type(x) in NUMBERS])


def is_list(operand: Any) -> bool:
    """Return whether an operand is a nested list."""
    return isinstance(operand, list | tuple)


def spread_over(vjp: Rule) -> Rule:
    """Return a rule for arrays as one for arrays, reals and nested lists."""

    def rule(xp: Any, g: Any, y: Any, x: Any, *rest: Any) -> Any:
        if hasattr(x, "dtype"):
            return as_like(vjp(xp, g, y, x, *rest), x)
        return listed(xp, vjp(xp, g, y, outline(xp, x), *rest), x)

    return rule


class Outline:
    """Shape and dtype of a nested list as an array."""

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape = shape
        self.dtype = dtype
        self.ndim = len(shape)
        self.size = 1
        for n in shape:
            self.size *= n


def outline(xp: Any, operand: Any) -> Any:
    """Return shape and dtype of an operand as an array."""
    if hasattr(operand, "dtype"):
        return operand
    return Outline(shape_of(operand), xp.dtype(float))


def shape_of(operand: Any) -> tuple[int, ...]:
    """Return the shape of an array, a real, a nested list of such."""
    if hasattr(operand, "shape"):
        return tuple(operand.shape)
    if is_list(operand):
        return (len(operand), *(shape_of(operand[0]) if len(operand) else ()))
    return ()


def as_like(g: Any, like: Any) -> Any:
    """Return a cotangent of the operand's dtype."""
    if type(g) is Scattered or g.dtype == like.dtype:
        return g
    return as_dtype(g.real if dtype_kind(g.dtype) == "c" and dtype_kind(like.dtype) == "f" else g, like.dtype)


def listed(xp: Any, g: Any, operand: Any) -> Any:
    """Return a cotangent of an array's shape as that of the nested list which the array was made of."""
    if type(g) is Scattered:
        g = g.dense()
    if is_list(operand):
        return [listed(xp, part, item) for part, item in zip(g, operand, strict=True)]
    if isinstance(operand, bool | int) or operand is None:
        return None
    return unbroadcast(xp, g, operand)


def keywords_first(value: Rule, rest: str, keywords: dict[str, Any]) -> None:
    """State how a variadic function is called: operands passed by keywords come before the others.

    value: its parameters are the namespace, the positional ones, the keywords, and *rest.
    """
    given = inspect.signature(value).parameters.values()
    named = [p for p in given if p.name not in keywords and p.kind is not p.VAR_POSITIONAL]
    many = inspect.Parameter(rest, inspect.Parameter.VAR_POSITIONAL)
    last = [inspect.Parameter(k, inspect.Parameter.KEYWORD_ONLY, default=v) for k, v in keywords.items()]
    value.__signature__ = inspect.Signature([*named, many, *last])  # type: ignore[attr-defined]


def as_axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """Return axes as numbers from 0 on; None: all."""
    if axis is None:
        return tuple(range(ndim))
    axes = axis if is_list(axis) else (axis,)
    return tuple([int(a) % ndim if ndim else 0 for a in axes])


def by_positions(value: Rule) -> Rule:
    """Return the cotangent of an array of which `value` copies elements: found by moving their positions."""

    def rule(xp: Any, g: Any, y: Any, x: Any, *rest: Any) -> Any:
        source = value(xp, xp.arange(x.size).reshape(x.shape), *rest)
        return added_at(xp, x, source, g)

    return rule


def added_at(xp: Any, like: Any, source: Any, g: Any) -> Any:
    """Return zeros like an array, with g added at positions of its elements; negative ones are nowhere."""
    whole = zeros_beside(g, (prod(like.shape) + 1,), g.dtype)
    xp.add.at(whole, xp.maximum(source, -1).ravel(), xp.asarray(g).ravel())
    return whole[:-1].reshape(like.shape)


def copied(name: str, value: Rule, **fields: Any) -> Tensor:
    """Register a function whose result has elements of its first operand, whichever."""
    return linear(name, value, by_positions(value), **fields)


def viewed(result: Any, x: Any) -> Any:
    """Return a result that is a handle of its own, where the function gives the operand itself."""
    if result is not x:
        return result
    return result[...] if hasattr(x, "__setitem__") else x.copy()  # a scalar of NumPy's stays one


def matrices(rng: Any) -> list[tuple[Any, ...]]:
    """Return arrays of all kinds, for functions of one array."""
    x = rng.normal(size=(3, 4))
    return [
        (x,),
        (x.T,),
        (x[:, ::2],),
        (rng.normal(size=5),),
        (rng.normal(size=()),),
        (rng.normal(size=(2, 3, 2)),),
        (rng.normal(size=(0, 3)),),
        (x.astype("float32"),),
    ]


def with_options(
    *options: tuple[Any, ...], low: int = 0, high: int = 9
) -> Callable[[Any], list[tuple[Any, ...]]]:
    """Return as samples each array with low <= ndim <= high beside each tuple of further operands."""

    def samples(rng: Any) -> list[tuple[Any, ...]]:
        arrays = [x for (x,) in matrices(rng) if low <= x.ndim <= high]
        return [(x, *rest) for rest in options for x in arrays]

    return samples
