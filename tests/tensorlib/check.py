"""The laws of a record of arrays, for given operands.

- its tangent is the limit of central differences, in a random direction;
- its cotangent is the transpose of its tangent;
- the tangent of the tangent, and the cotangent of the tangent, are right in the same way.
Operands may be arrays, floats, what says how, and lists or tuples of such. Differences are taken in double
precision; results that are less precise even so have larger steps and tolerances.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.ad.accumulators import accumulated, contribution_of
from checkpoint.ad.arrays import Array, Memory
from checkpoint.ad.numbers import (
    Dual,
    Node,
    Tape,
    components,
    real_part,
    tangent_at,
    without_tape,
    zero,
)
from checkpoint.ad.operands import leaves, value_of, with_leaves
from checkpoint.ad.tensors import ALWAYS, Tensor, apply
from checkpoint.errors import SourceError
from checkpoint.prims.python.native import from_native

STEP, COARSE_STEP = 1e-6, 1e-2
TOLERANCE, COARSE_TOLERANCE = 1e-5, 2e-3
COARSE = frozenset(map(np.dtype, ("e", "f", "F")))  # dtypes less precise than double


def value(operand: Any) -> Any:
    """Return an operand as a value of the language."""
    return from_native(operand, lambda x: value_of(ALWAYS, x))


def random_like(rng: Any, number: Any) -> Any:
    """Return a random tangent of a number."""
    part = real_part(number)
    if type(part) is float:
        return float(rng.normal())
    data = part.data
    drawn = rng.normal(size=data.shape)
    if data.dtype.kind == "c":
        drawn = drawn + 1j * rng.normal(size=data.shape)
    return Array(np.asarray(drawn).astype(data.dtype), Memory())


def is_coarse(numbers: Any) -> bool:
    """Return whether any of the numbers has less than double precision."""
    return any(getattr(data_of(real_part(x)), "dtype", None) in COARSE for x in numbers)


def away(number: Any, tangent: Any, by: float) -> Any:
    """Return a number moved a little, in double precision; for no step exactly it, as precise as it is."""
    if type(number) is float:
        return number + by * tangent
    precise = np.result_type(number.data.dtype, np.float64)
    data = np.asarray(number.data).astype(precise) + by * np.asarray(tangent.data).astype(precise)
    return Array(data, Memory())


def step_for(record: Tensor, operands: list[Any], wanted: list[int], along: list[Any]) -> float:
    """Return the step of differences: larger where results are not precise though operands are."""
    return COARSE_STEP if is_coarse(moved(record, operands, wanted, along, 0.0)) else STEP


def moved(
    record: Tensor, operands: list[Any], wanted: list[int], tangents: list[Any], by: float
) -> list[Any]:
    """Return the numbers of the result, a little away."""
    rest = iter(tangents)

    def shift(number: Any) -> Any:
        return away(number, next(rest), by)

    shifted = [with_leaves(x, shift) if i in wanted else x for i, x in enumerate(operands)]
    return list(leaves(apply(ALWAYS, record, shifted)))


def data_of(number: Any) -> Any:
    """Return a float, or the elements of an array."""
    return np.asarray(number.data) if type(number) is Array else number


def dot(xs: list[Any], ys: list[Any]) -> float:
    """Return the dot product of numbers; of complex ones that of real plus that of imaginary parts."""
    total = 0.0
    for x, y in zip(xs, ys, strict=True):
        a, b = np.asarray(data_of(x)), np.asarray(data_of(y))
        total += float(np.sum(np.real(a) * np.real(b)))
        if a.dtype.kind == "c" or b.dtype.kind == "c":
            total += convention_sign() * float(np.sum(np.imag(a) * np.imag(b)))
    return total


def convention_sign() -> float:
    """Return the sign by which a cotangent g of a complex z pairs with a tangent t as Re(g t), as in JAX."""
    return -1.0


def wanted_of(record: Tensor, operands: list[Any]) -> list[int]:
    """Return the operands by which a record is differentiated here."""
    return [i for i, x in enumerate(operands) if record.vjp(i) is not None and any(True for _ in leaves(x))]


def tangent(record: Tensor, operands: list[Any], wanted: list[int], tangents: list[Any], tag: int = 1) -> Any:
    """Return the result on duals."""
    rest = iter(tangents)
    duals = [
        with_leaves(x, lambda n: Dual(tag, n, next(rest))) if i in wanted else x
        for i, x in enumerate(operands)
    ]
    return apply(ALWAYS, record, duals)


def tangents_at(result: Any, tag: int) -> list[Any]:
    found = []
    for number in leaves(result):
        other = tangent_at(number, tag)
        found.append(zero(number) if other is None else other)
    return found


def cotangents(
    record: Tensor, operands: list[Any], wanted: list[int], rng: Any
) -> tuple[list[Any], list[Any]]:
    """Return a random cotangent of the result, and the cotangents that the operands receive for it."""
    tape = Tape()
    nodes: list[Node] = []

    def leaf(number: Any) -> Any:
        node = tape.leaf(number)
        nodes.append(node)
        return node

    taped = [with_leaves(x, leaf) if i in wanted else x for i, x in enumerate(operands)]
    outputs = list(leaves(apply(ALWAYS, record, taped)))
    given = []
    for node in outputs:
        seed = random_like(rng, node)
        given.append(seed)
        if type(node) is Node:
            node.adjoint = contribution_of(seed)
    tape.propagate()
    return given, [accumulated(node.adjoint, node.value) for node in nodes]


def close(x: float, y: float, tolerance: float) -> bool:
    """Return whether two numbers agree, relative to their size; NaN agrees with nothing."""
    return abs(x - y) <= tolerance * max(1.0, abs(x), abs(y))


def agree(found: Any, expected: Any, tolerance: float, name: str) -> None:
    """Assert that two numbers of one shape agree, relative to the greatest of their elements."""
    expected = np.asarray(expected)
    size = max(1.0, float(np.max(np.abs(expected), initial=0.0))) if np.isfinite(expected).all() else 1.0
    np.testing.assert_allclose(data_of(found), expected, rtol=tolerance, atol=tolerance * size, err_msg=name)


def check(
    record: Tensor, given: tuple[Any, ...], seed: int = 0, tolerance: float = TOLERANCE, order: int = 2
) -> None:
    """Check all laws of a record at operands; order 1: first derivatives alone."""
    rng = np.random.default_rng(seed)
    operands = [value(x) for x in given]
    wanted = wanted_of(record, operands)
    inputs = [n for i in wanted for n in leaves(operands[i])]
    along = [random_like(rng, n) for n in inputs]
    if not wanted:
        apply(ALWAYS, record, operands)
        return
    result = tangent(record, operands, wanted, along)
    found = tangents_at(result, 1)
    coarse = is_coarse(inputs) or is_coarse(leaves(result))
    if coarse:
        tolerance = max(tolerance, COARSE_TOLERANCE)
    _limit_of_differences(record, operands, wanted, along, result, found, tolerance)
    bars, received = cotangents(record, operands, wanted, rng)
    for number, other in zip(inputs, received, strict=True):
        same_kind(other, number, record.name)
    left, right = dot(bars, found), dot(received, along)
    assert close(left, right, 1e-4 if coarse else 1e-9), f"{record.name}: {left} is not {right}"
    if order > 1:
        second(record, operands, wanted, inputs, along, rng, coarse)


def same_kind(other: Any, number: Any, name: str) -> None:
    """Assert that a tangent or cotangent has its number's type, shape and dtype."""
    primal = real_part(number)
    assert type(other) is type(primal), name
    assert np.shape(data_of(other)) == np.shape(data_of(primal)), name
    assert np.asarray(data_of(other)).dtype == np.asarray(data_of(primal)).dtype, name


def _limit_of_differences(
    record: Tensor, operands: Any, wanted: Any, along: Any, result: Any, found: Any, tolerance: float
) -> None:
    step = step_for(record, operands, wanted, along)
    plus = moved(record, operands, wanted, along, step)
    minus = moved(record, operands, wanted, along, -step)
    for number, other, high, low in zip(leaves(result), found, plus, minus, strict=True):
        same_kind(other, number, record.name)
        expected = (np.asarray(data_of(high)) - np.asarray(data_of(low))) / (2 * step)
        agree(other, expected, tolerance, record.name)


def second(
    record: Tensor, operands: list[Any], wanted: list[int], inputs: Any, along: Any, rng: Any, coarse: bool
) -> None:
    """Check the tangent of the tangent by differences of tangents, and its cotangent as the transpose."""
    other = [random_like(rng, n) for n in inputs]
    both = [Dual(2, Dual(1, n, t), Dual(1, u, zero(n))) for n, t, u in zip(inputs, along, other, strict=True)]
    rest = iter(both)
    duals = [with_leaves(x, lambda n: next(rest)) if i in wanted else x for i, x in enumerate(operands)]
    mixed = [tangent_at(primal_or_zero(n, 2), 1) for n in leaves(apply(ALWAYS, record, duals))]
    step = step_for(record, operands, wanted, along)
    high = _tangents_near(record, operands, wanted, along, other, step)
    low = _tangents_near(record, operands, wanted, along, other, -step)
    for found, a, b in zip(mixed, high, low, strict=True):
        expected = (np.asarray(data_of(a)) - np.asarray(data_of(b))) / (2 * step)
        actual = np.zeros_like(expected) if found is None else found
        agree(actual, expected, 10 * (COARSE_TOLERANCE if coarse else TOLERANCE), f"{record.name}, second")
    _reverse_over_forward(record, operands, wanted, inputs, along, other, mixed, rng, coarse)


def primal_or_zero(number: Any, tag: int) -> Any:
    found = tangent_at(number, tag)
    return zero(number) if found is None else found


def _tangents_near(record: Any, operands: Any, wanted: Any, along: Any, other: Any, by: float) -> list[Any]:
    rest = iter(other)

    def shift(number: Any) -> Any:
        return away(number, next(rest), by)

    near = [with_leaves(x, shift) if i in wanted else x for i, x in enumerate(operands)]
    precise = [away(zero(t), t, 1.0) for t in along]
    return tangents_at(tangent(record, near, wanted, precise), 1)


def _reverse_over_forward(
    record: Any,
    operands: Any,
    wanted: Any,
    inputs: Any,
    along: Any,
    other: Any,
    mixed: Any,
    rng: Any,
    coarse: bool,
) -> None:
    """Check that the cotangent of the tangent is the transpose of the tangent of the tangent."""
    tape = Tape()
    nodes = [tape.leaf(n) for n in inputs]
    rest = iter([Dual(1, node, t) for node, t in zip(nodes, along, strict=True)])
    duals = [with_leaves(x, lambda n: next(rest)) if i in wanted else x for i, x in enumerate(operands)]
    outputs = tangents_at(apply(ALWAYS, record, duals), 1)
    bars = [random_like(rng, component) for output in outputs for component in components((output,))]
    for output, bar in zip(outputs, bars, strict=True):
        if type(output) is Node:
            output.adjoint = contribution_of(bar)
    tape.propagate()
    received = [accumulated(node.adjoint, node.value) for node in nodes]
    found = [zero(without_tape(o)) if m is None else m for o, m in zip(outputs, mixed, strict=True)]
    left, right = dot(bars, found), dot(received, other)
    message = f"{record.name}, reverse over forward: {left} is not {right}"
    assert close(left, right, 1e-3 if coarse else 1e-8), message


def check_same(record: Tensor, given: tuple[Any, ...], others: tuple[Any, ...]) -> None:
    """Check that the record gives the same on operands that are the same arrays in another memory layout."""
    found = []
    for operands in ([value(x) for x in given], [value(x) for x in others]):
        wanted = wanted_of(record, operands)
        result = list(leaves(apply(ALWAYS, record, operands)))
        received = cotangents(record, operands, wanted, np.random.default_rng(0))[1] if wanted else []
        found.append([*map(data_of, result), *map(data_of, received)])
    for one, other in zip(*found, strict=True):
        assert np.asarray(one).dtype == np.asarray(other).dtype, record.name
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6, err_msg=record.name)


def check_constant(record: Tensor, given: tuple[Any, ...], position: int, operand: Any) -> None:
    """Check that the result does not move with one operand, unless in jumps: their size is not the step's."""

    def shifted(step: float) -> np.ndarray[Any, Any]:
        operands = list(given)
        operands[position] = _shifted(operand, step)
        return np.concatenate([np.zeros(0), *_floats(record(*operands))])

    try:
        with np.errstate(all="ignore"):
            at, near, far = shifted(0.0), shifted(1e-6), shifted(1e-5)
    except (ValueError, SourceError):  # a whole number, or numbers with a fixed sum
        return
    if at.shape != near.shape or at.shape != far.shape:
        return
    slopes = np.abs(near - at) / 1e-6, np.abs(far - at) / 1e-5
    moves = (slopes[0] > 1e-3) & (np.abs(slopes[0] - slopes[1]) < 1e-2 * slopes[0])
    assert not moves.any(), f"{record.name} has no rule for operand {position}, with which its result moves"


def _shifted(operand: Any, step: float) -> Any:
    """Return an operand with all its real numbers moved, each by another multiple of the step."""
    if type(operand) in (list, tuple):
        return type(operand)([_shifted(item, step) for item in operand])
    if type(operand) is float:
        return operand + 0.7 * step
    if getattr(operand, "dtype", None) != np.float64:
        return operand
    return operand + step * np.cos(np.arange(operand.size)).reshape(operand.shape)


def _floats(result: Any) -> list[np.ndarray[Any, Any]]:
    """Return the real numbers of a result, flat."""
    if isinstance(result, list | tuple):
        return [part for item in result for part in _floats(item)]
    kind = getattr(result, "dtype", np.dtype(type(result) if type(result) is float else object)).kind
    if kind not in "fc":
        return []
    found = np.asarray(result).ravel()
    return [found.real + 0.0, found.imag + 0.0]
