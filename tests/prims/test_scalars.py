"""Every scalar record: partials against differences, forward against reverse mode, and IEEE values."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest

from checkpoint.ad.numbers import Dual, Node, Number, Tape, apply, tangent_at
from checkpoint.ad.record import OperandError, Purity, Scalar, records
from checkpoint.prims.scalars import generic
from tests.support.check import agree
from tests.support.same import same_bits

add, multiply = generic("add"), generic("multiply")
SCALARS = [record for record in records().values() if isinstance(record, Scalar)]
SMOOTH = [record for record in SCALARS if record.partials is not None]
FOLLOWING = [record for record in SMOOTH if record.name == "py.with-derivative"]  # it has another's
ROUNDINGS = [record for record in SMOOTH if record.name == "py.rounding-loss"]
PREDICATES = [record for record in SCALARS if record.partials is None]
EDGES = (
    *(math.inf, -math.inf, math.nan, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, -2.5, 7.0),
    *(1e308, -1e308, 1e-320, -1e-320, 710.0, 2.0**53 + 2),
)


def name_of(record: Scalar) -> str:
    return record.name


every_scalar = pytest.mark.parametrize("record", SCALARS, ids=name_of)
every_smooth = pytest.mark.parametrize("record", SMOOTH, ids=name_of)


def samples(record: Scalar, count: int = 20) -> list[list[float]]:
    """Return operands from the record's domain, the same in every run."""
    random = Random(zlib.crc32(record.name.encode()))
    return [[random.uniform(i.low, i.high) for i in record.domain] for _ in range(count)]


def edges(record: Scalar) -> list[tuple[float, ...]]:
    """Return all combinations of operands at the edges, as new objects, so that identity can be tested."""
    return [tuple(x * 1.0 for x in operands) for operands in product(EDGES, repeat=record.arity)]


def forward(record: Scalar, operands: Sequence[Number], position: int, tangent: Number) -> Number:
    """Return the derivative along one operand, by a dual."""
    duals = list(operands)
    duals[position] = Dual(1000, operands[position], tangent)
    return apply(record, duals).tangent


def reverse(record: Scalar, operands: Sequence[float], position: int, adjoint: float) -> float:
    """Return what one operand receives, by a tape."""
    tape = Tape()
    nodes: list[Any] = list(operands)
    nodes[position] = tape.leaf(operands[position])
    result = apply(record, nodes)
    assert type(result) is Node
    result.adjoint = adjoint
    tape.propagate()
    received: float = nodes[position].adjoint
    return received


@every_smooth
def test_forward_and_reverse_agree_to_the_bit(record: Scalar) -> None:
    for operands in samples(record):
        for position, weight in product(range(record.arity), (1.0, -0.3, 1e-300, 0.0)):
            tangent = forward(record, operands, position, weight)
            # An adjoint is added to +0.0, which loses the sign of a zero.
            assert same_bits(tangent + 0.0, reverse(record, operands, position, weight))


@every_smooth
def test_a_derivative_that_is_0_everywhere_passes_nothing(record: Scalar) -> None:
    """Also of an infinite tangent or cotangent, of which 0 times is NaN."""
    for operands, position in product(samples(record, 2), record.flat):
        assert forward(record, operands, position, math.inf) == 0.0
        assert reverse(record, operands, position, math.inf) == 0.0


@every_smooth
def test_forward_and_reverse_agree_at_edges(record: Scalar) -> None:
    for operands in edges(record):
        try:
            record.value(*operands)
        except (ValueError, ArithmeticError):
            continue
        for position in range(record.arity):
            tangent = forward(record, operands, position, 1.0)
            assert same_bits(tangent + 0.0, reverse(record, operands, position, 1.0)), operands


def along(
    record: Scalar, operands: Sequence[float], direction: Sequence[float]
) -> Callable[[Number], Number]:
    """Return the record on a line through operands, as a function of a number of any kind."""

    def function(t: Number) -> Number:
        moved = [add(x, multiply(v, t)) if v else x for x, v in zip(operands, direction, strict=True)]
        return apply(record, moved)

    return function


def derivative(function: Callable[[Number], Number], order: int) -> Callable[[Number], Number]:
    """Return the derivative of a function, by nested duals."""
    if order == 0:
        return function
    inner = derivative(function, order - 1)

    def outer(t: Number) -> Number:
        tangent = tangent_at(inner(Dual(order, t, 1.0)), order)
        return 0.0 if tangent is None else tangent

    return outer


def test_the_derivative_of_another() -> None:
    (record,) = FOLLOWING
    assert apply(record, [2.0, 5.0]) == 2.0
    assert [forward(record, [2.0, 5.0], i, 1.0) for i in (0, 1)] == [0.0, 1.0]
    assert [reverse(record, [2.0, 5.0], i, 1.0) for i in (0, 1)] == [0.0, 1.0]


def test_what_rounding_loses() -> None:
    """It jumps everywhere, so no difference shows its derivative, which is 0."""
    (record,) = ROUNDINGS
    for x, y in samples(record):
        assert Fraction(x) + Fraction(y) == Fraction(x + y) + Fraction(apply(record, [x, y]))
        assert [forward(record, [x, y], i, 1.0) for i in (0, 1)] == [0.0, 0.0]
        assert [reverse(record, [x, y], i, 1.0) for i in (0, 1)] == [0.0, 0.0]


@pytest.mark.parametrize(
    "record", [record for record in SMOOTH if record not in FOLLOWING + ROUNDINGS], ids=name_of
)
@pytest.mark.parametrize("order", [1, 2, 3])
def test_derivatives_against_differences(record: Scalar, order: int) -> None:
    """Each derivative agrees with central differences of the next lower one, along lines of every kind."""
    random = Random(order)
    lines = [[float(i == j) for i in range(record.arity)] for j in range(record.arity)]
    lines += [[random.uniform(-1, 1) for _ in record.domain] for _ in range(2)]
    for operands, line in product(samples(record, 8), lines):
        function = along(record, operands, line)
        below, slope = derivative(function, order - 1), derivative(function, order)(0.0)
        widths = (1e-2, 1e-3, 1e-4)
        tried = [(below(h) - below(-h)) / (2 * h) for h in widths]
        finer = [(below(h / 2) - below(-h / 2)) / h for h in widths]
        best = min(((4 * b - a) / 3 for a, b in zip(tried, finer, strict=True)), key=lambda d: abs(d - slope))
        agree(best, slope, 1e-6, abs(below(0.0)))


@every_scalar
def test_values_are_taken_in_the_domain(record: Scalar) -> None:
    for operands in samples(record):
        assert math.isfinite(record.value(*operands))


@every_scalar
def test_ieee_never_fails_and_is_the_value_where_there_is_one(record: Scalar) -> None:
    for operands in edges(record):
        total = record.ieee(*operands)
        try:
            value = record.value(*operands)
        except (ValueError, ArithmeticError):
            assert record.purity is Purity.MAY_FAIL
            assert type(total) is float
            continue
        assert type(total) is type(value)
        assert same_bits(float(total), float(value)), operands


@every_smooth
def test_results_are_new_locations(record: Scalar) -> None:
    for operands in edges(record):
        try:
            result = record.value(*operands)
        except (ValueError, ArithmeticError):
            continue
        assert type(result) is float
        assert all(result is not operand for operand in operands)
        again = record.value(*operands)
        assert again is not result


@every_smooth
def test_partials_never_fail(record: Scalar) -> None:
    for operands in edges(record):
        result = record.ieee(*operands)
        for partial in record.partials or ():
            assert type(partial(*operands, result)) is float


@pytest.mark.parametrize("record", PREDICATES, ids=name_of)
def test_predicates_see_the_real_under_all_derivatives(record: Scalar) -> None:
    for operands in edges(record):
        duals = [Dual(2, Dual(1, x, 5.0), Dual(1, -7.0, 0.0)) for x in operands]
        assert apply(record, duals) is record.value(*operands)


@pytest.mark.parametrize("record", [record for record in SCALARS if record.otherwise is None], ids=name_of)
def test_other_operands_are_refused_by_position(record: Scalar) -> None:
    good: list[Any] = [1.0] * record.arity
    for position in range(record.arity):
        for wrong in (True, 1, None, "1", (1.0,)):
            operands = [*good[:position], wrong, *good[position + 1 :]]
            with pytest.raises(OperandError) as caught:
                apply(record, operands)
            assert str(caught.value) == f"operand {position + 1} is not a real"


@every_scalar
def test_a_record_that_may_fail_says_so(record: Scalar) -> None:
    """Its failures are of Python's own kinds, and a pure record never fails."""
    failures = 0
    for operands in edges(record):
        try:
            record.value(*operands)
        except (ValueError, ArithmeticError):
            failures += 1
    if record.otherwise is None:  # another record takes other operands, and may fail on those
        assert (failures > 0) == (record.purity is Purity.MAY_FAIL)
    assert record.purity is Purity.MAY_FAIL or not failures
