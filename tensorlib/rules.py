"""Helpers of the rules of records.

Rules for cotangents work on a library's own arrays and return what has the operand's shape and dtype. Rules
for tangents, and partials, are made of records, so that they serve derivatives of every order; a record that
is called with a library's own arrays is just its value, so partials and gates serve both.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from checkpoint.ad.array_library import (
    as_dtype,
    dtype_kind,
    is_default,
    kernel,
    libraries,
    namespace_of_dtype,
    zeros_beside,
)
from checkpoint.ad.arrays import Array, ByRecords, Discrete, Memory
from checkpoint.ad.containers import List, Record
from checkpoint.ad.library import record_named
from checkpoint.ad.numbers import real_part
from checkpoint.ad.operands import value_of
from checkpoint.ad.record import Purity
from checkpoint.ad.tensors import ALWAYS, Tensor, record_of
from checkpoint.ad.values import Pair
from checkpoint.errors import refusal
from checkpoint.prims.arrays import tensor
from checkpoint.scalars.kernels import kernel_of
from tensorlib.short_axes import added_up

Partial = Callable[..., Any]
quietly = functools.partial(np.errstate, all="ignore")  # infinite slopes are expected where it is used


class _Constant:
    """A partial that is the same number everywhere."""

    def __init__(self, number: float) -> None:
        self.number = number

    def __call__(self, *_: Any) -> float:
        return self.number


ZERO, ONE, MINUS_ONE = _Constant(0.0), _Constant(1.0), _Constant(-1.0)
constant = _Constant

# Operands


def is_scalar(like: Any) -> bool:
    """Return whether an operand is a Python number."""
    return not hasattr(like, "dtype")


def is_complex(operand: Any) -> bool:
    """Return whether an operand is an array of complex numbers, under all derivatives, or stands for one."""
    dtype = getattr(raw(operand), "dtype", None)
    return (dtype is not None and dtype_kind(dtype) == "c") or type(operand) is complex


def raw(operand: Any) -> Any:
    """Return what is under the derivatives of an operand: a library's own array, or a Python object."""
    inner = real_part(operand)
    return getattr(inner, "data", inner) if hasattr(inner, "memory") else inner


def real_only(name: str, *operands: Any) -> None:
    """Refuse complex operands of a function whose rules are those of reals."""
    for operand in operands:
        if type(operand) in libraries and dtype_kind(operand.dtype) != "c":
            continue
        if isinstance(operand, list | tuple):
            real_only(name, *operand)
        elif is_complex(operand):
            raise refusal(f"{name} of a complex array: only real ones are taken here")


def unless_refused(kernel: Partial, check: Partial, *operands: Any) -> Any:
    """Return what a library's kernel gives; of operands that it refuses, raise the check's own error first.

    check(*operands): raises an error for operands that the record does not take. The kernel refuses all of
    these, so what it takes needs no check.
    """
    try:
        return kernel(*operands)
    except Exception:
        check(*operands)
        raise


def shape_of(like: Any) -> tuple[int, ...]:
    """Return the shape of an operand: of an array or what stands for one, a number, or a list of such."""
    if isinstance(like, list | tuple):
        return (len(like), *shape_of(like[0])) if like else (0,)
    return tuple(getattr(like, "shape", ()))


def fitted(xp: Any, g: Any, like: Any) -> Any:
    """Return an array of an operand's shape as its cotangent: of its dtype; a list for a list."""
    if isinstance(like, list | tuple):
        return [fitted(xp, part, item) for part, item in zip(g, like, strict=True)]
    if is_scalar(like):
        return float(xp.real(g))
    if g.dtype == like.dtype:
        return g
    if dtype_kind(g.dtype) == "c" and dtype_kind(like.dtype) == "f":
        g = xp.real(g)
    own = namespace_of_dtype(like.dtype)
    if own is not namespace_of_dtype(
        g.dtype
    ):  # one number of the default library beside another one's arrays
        return own.asarray(g.item(), dtype=like.dtype)[()]
    return as_dtype(g, like.dtype)


def positions(xp: Any, count: int, beside: Any) -> Any:
    """Return 0, 1, ... on the device of an array."""
    own = kernel(xp, "positions")
    return xp.arange(count) if own is None else own(count, beside)


def unbroadcast(xp: Any, g: Any, like: Any) -> Any:
    """Return the cotangent of an operand that was broadcast: summed over what was repeated, of its dtype."""
    shape = getattr(like, "shape", None)
    if shape is not None and shape == g.shape and like.dtype == g.dtype:
        return g
    if is_scalar(like) and not isinstance(like, list | tuple):
        return float(xp.real(xp.sum(g)))
    shape = shape_of(like)
    if g.shape != shape:
        further, inside = _repeated(tuple(g.shape), shape)
        if further != ():
            g = added_up(xp, g, further)
        if inside != ():
            g = added_up(xp, g, inside, keepdims=True)
    return fitted(xp, g, like)


Axes = int | tuple[int, ...]  # one, or none, or several


@functools.lru_cache(maxsize=1024)
def _repeated(shape: tuple[int, ...], own: tuple[int, ...]) -> tuple[Axes, Axes]:
    """Return the axes that an operand of its own shape has not, and those along which it has one element."""
    further = len(shape) - len(own)
    inside = [i for i, n in enumerate(own) if n == 1 and shape[further + i] != 1]
    return _axes(range(further)), _axes(inside)


def _axes(found: Sequence[int]) -> Axes:
    return found[0] if len(found) == 1 else tuple(found)


def stacked(operand: Any) -> Any:
    """Return a list of numbers as the array that NumPy takes it for; anything else as it is."""
    if type(operand) not in (List, Record, Pair):
        return operand
    return record_of(record("np.multiply"), (operand, 1.0))


def zeroed(tangent: Any) -> Any:
    """Return a tangent of a nested list, in which what is not differentiable is zero."""
    kind = type(tangent)
    if kind is List:
        return List([zeroed(item) for item in tangent.items])
    if kind is Record:
        return Record(tangent.layout, tuple([zeroed(item) for item in tangent.items]))
    if kind is Pair:
        return Pair(zeroed(tangent.car), zeroed(tangent.cdr))
    if kind is Discrete:
        return Array(zeros_beside(tangent.data, tangent.data.shape, float), Memory())
    return 0.0 if kind is int or kind is bool else tangent


def tangent_array(tangent: Any) -> Any:
    """Return the tangent of a list of numbers as that of the array; what is not differentiable has zeros."""
    if type(tangent) not in (List, Record, Pair):
        return tangent
    return stacked(zeroed(tangent))


def number(value: Any) -> Any:
    """Return a library's own array, which records may give to a rule for tangents, as a number."""
    return value_of(ALWAYS, value) if type(value) in libraries else value


def record(name: str) -> Tensor:
    """Return the record of a name, for rules that stand before it."""
    return record_named(name)


def damped(slope: Any, tangent: Any) -> Any:
    """Return slope times tangent, zero where the tangent is zero and the slope is not finite."""
    infinite = record("np.logical_not")(record("np.isfinite")(slope))
    hidden = record("np.logical_and")(record("np.equal")(tangent, 0.0), infinite)
    return record("np.multiply")(record("np.where")(hidden, 0.0, slope), tangent)


# Functions element by element, by their partials


def _pointwise_vjp(name: str, position: int, partial: Partial, singular: bool) -> Callable[..., Any] | None:
    if partial is ZERO:
        return None
    whole = f"{name.removeprefix('np.')}_vjp"

    def vjp(xp: Any, g: Any, y: Any, *operands: Any) -> Any:
        like = operands[position]
        if partial is ONE:
            return unbroadcast(xp, g, like)
        if partial is MINUS_ONE:
            return _negative_of_sum(xp, g, like)
        if not singular:
            return unbroadcast(xp, g * partial(*operands, y), like)
        own = kernel(xp, whole)
        if own is not None:
            return unbroadcast(xp, own(g, y, *operands), like)
        own = kernel(xp, "zero_beside_zero")
        if own is not None:
            return unbroadcast(xp, own(g * partial(*operands, y), g), like)
        with quietly():
            product = g * partial(*operands, y)
        return unbroadcast(xp, _zero_beside_zero(xp, product, g), like)

    return vjp


def _either(first: Callable[..., Any], second: Callable[..., Any]) -> Callable[..., Any]:
    """Return a rule that does what the first one does, or the second one where that returns None."""

    def vjp(xp: Any, g: Any, y: Any, *operands: Any) -> Any:
        found = first(xp, g, y, *operands)
        return second(xp, g, y, *operands) if found is None else found

    return vjp


def _negative_of_sum(xp: Any, g: Any, like: Any) -> Any:
    """Return the negative cotangent of an operand; what was broadcast is summed before its sign changes."""
    if isinstance(like, list | tuple):
        return unbroadcast(xp, xp.negative(g), like)
    return -unbroadcast(xp, g, like)


def _zero_beside_zero(xp: Any, product: Any, g: Any) -> Any:
    """Return a product of a cotangent g, which may be changed, with zeros where g is zero."""
    if type(product) is np.float64:
        return np.float64(0.0) if g == 0 else product
    if not is_default(product) or not product.ndim or not product.size:
        return xp.where(g == 0, 0.0, product)
    if (loop := kernel_of("zeroed")) is not None and loop(product, g):
        return product
    while g.ndim and not g.strides[-1]:  # its elements along the last axis are one
        g = g[..., 0]
    product[g == 0] = 0.0
    return product


def _pointwise_jvp(partial: Partial, singular: bool) -> ByRecords | None:
    if partial is ZERO:
        return None

    def jvp(tangent: Any, y: Any, *operands: Any) -> Any:
        tangent, operands = tangent_array(tangent), tuple(map(stacked, operands))
        if partial is ONE:
            return tangent
        if partial is MINUS_ONE:
            return number(record("np.negative")(tangent))
        if not singular:
            return number(record("np.multiply")(tangent, number(partial(*operands, y))))
        with quietly():
            return number(damped(partial(*operands, y), tangent))

    return ByRecords(jvp)


def pointwise(
    name: str,
    value: Callable[..., Any],
    *partials: Partial,
    singular: bool = False,
    purity: Purity = Purity.MAY_FAIL,
    vjps: tuple[Callable[..., Any] | None, ...] = (),
    faster: Callable[..., Any] | None = None,
    **fields: Any,
) -> Tensor:
    """Register a function element by element, with broadcasting.

    partials: for each operand the derivative by it, of all operands and the result, made of records.
    singular: a partial may be infinite at finite operands; where the (co)tangent is zero the contribution is.
        A library's kernel `NAME_vjp`(g, y, *operands) gives the bits that the partial gives.
    vjps: rules that do better than the partials, by operand.
    faster: a rule for the first operand's cotangent that has the partial's bits, or returns None.
    """
    own = [_pointwise_vjp(name, i, partial, singular) for i, partial in enumerate(partials)]
    if faster is not None and own[0] is not None:
        own[0] = _either(faster, own[0])
    return tensor(
        name,
        value,
        vjps=vjps or tuple(own),
        jvps=tuple([_pointwise_jvp(partial, singular) for partial in partials]),
        purity=purity,
        shape=fields.pop("shape", "all operands broadcast together"),
        **fields,
    )


# Functions element by element that choose


Gate = Callable[..., Any]


def _gated_vjp(position: int, gate: Gate) -> Callable[..., Any]:
    def vjp(xp: Any, g: Any, y: Any, *operands: Any) -> Any:
        return unbroadcast(xp, gate(g, *operands), operands[position])

    return vjp


def _gated_jvp(gate: Gate) -> Callable[..., Any]:
    def jvp(tangent: Any, y: Any, *operands: Any) -> Any:
        return number(gate(tangent_array(tangent), *map(stacked, operands)))

    return jvp


def gated(name: str, value: Callable[..., Any], *gates: Gate | None, **fields: Any) -> Tensor:
    """Register a function element by element which passes on elements of its operands, or leaves them out.

    gates: for each operand gate(t, *operands), which passes on of t what the result depends on; it is made
        of records. None: no derivative.
    """
    return tensor(
        name,
        value,
        vjps=tuple([gate and _gated_vjp(i, gate) for i, gate in enumerate(gates)]),
        jvps=tuple([gate and _gated_jvp(gate) for gate in gates]),
        shape=fields.pop("shape", "all operands broadcast together"),
        **fields,
    )


def discrete(name: str, value: Callable[..., Any], operands: int = 1, **fields: Any) -> Tensor:
    """Register a function whose result has no derivative."""
    return tensor(name, value, vjps=(None,) * operands, jvps=(None,) * operands, **fields)


# Samples

Samples = Callable[[Any], list[tuple[Any, ...]]]


def sampled(*intervals: tuple[float, float]) -> Samples:
    """Return samples of a function element by element from intervals: arrays that broadcast, numbers."""

    def samples(rng: Any) -> list[tuple[Any, ...]]:
        def draw(*shapes: tuple[int, ...]) -> tuple[Any, ...]:
            return tuple(
                [rng.uniform(*bounds, shape) for bounds, shape in zip(intervals, shapes, strict=True)]
            )

        count = len(intervals)
        found = [draw(*[(3, 4)] * count), draw(*[()] * count), draw(*[(0,)] * count)]
        found.append(tuple([x.T for x in draw(*[(4, 2)] * count)]))
        found.append(tuple([x.astype(np.float32) for x in draw(*[(3,)] * count)]))
        if count > 1:
            found.append(draw((2, 1, 4), *[(3, 1)] * (count - 1)))
            found.append(draw((4,), *[(3, 4)] * (count - 1)))
            found.append((draw(*[(3,)] * count)[0], *[float(x) for x in draw(*[()] * count)[1:]]))
            found.append((*[float(x) for x in draw(*[()] * count)[:-1]], draw(*[(3,)] * count)[-1]))
        return found

    return samples
