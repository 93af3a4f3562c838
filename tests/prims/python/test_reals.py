"""Reals: values against Python, integers beside reals, derivatives through duals and tapes, polygamma."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint.ad.numbers import Dual, Tape, apply, real_part
from checkpoint.ad.record import Scalar, lookup, records
from checkpoint.scalars.gamma import digamma
from checkpoint.scalars.gamma import value_of_polygamma as polygamma
from checkpoint.scalars.powers import COMPLEX
from tests.prims.python.support import Moment, perform, same_as_python
from tests.prims.test_scalars import EDGES
from tests.support.check import agree
from tests.support.same import same_bits

PYTHON = [r for r in records().values() if isinstance(r, Scalar) and r.name.startswith("py.")]
INLINE = [record for record in PYTHON if record.inline is not None]


@pytest.mark.parametrize("record", [r for r in PYTHON if r.implements], ids=lambda r: r.name)
def test_values_on_reals(record: Scalar) -> None:
    for operands in product(EDGES, repeat=record.arity):
        if record.name in ("py.pow", "py.ipow") and type(_tried(operator.pow, *operands)) is complex:
            continue
        same_as_python(record.name.removeprefix("py."), record.implements[0], *operands)


def _tried(function: Callable[..., Any], *operands: Any) -> Any:
    try:
        return function(*operands)
    except ArithmeticError:
        return None


def test_complex_results_are_refused() -> None:
    with pytest.raises(ValueError, match="complex") as caught:
        perform(Moment(), "pow", -8.0, 1 / 3)
    assert str(caught.value) == COMPLEX
    assert perform(Moment(), "pow", -8.0, 3) == -512.0


@pytest.mark.parametrize("record", INLINE, ids=lambda r: r.name)
def test_inline_text_says_the_same(record: Scalar) -> None:
    """The text of a record gives the same values, on integers as well."""
    assert record.inline is not None
    value, *partials = (_compiled(record, text) for text in record.inline)
    for operands in product((*EDGES, 3, -2, True), repeat=record.arity):
        same_as_python(record.name.removeprefix("py."), value, *operands)
    for operands in product(EDGES, repeat=record.arity):
        z = _tried(value, *operands)
        if z is not None and record.partials is not None:
            for inlined, partial in zip(partials or record.partials, record.partials, strict=True):
                assert same_bits(inlined(*operands, z), partial(*operands, z)), operands


def _compiled(record: Scalar, text: str) -> Callable[..., Any]:
    names = [f"x{i}" for i in range(record.arity)]
    function: Callable[..., Any] = eval(f"lambda {', '.join(names)}, z=None: {text.format(*names, z='z')}")
    return function


@given(st.floats(-3, 3), st.integers(-3, 3), st.sampled_from(["add", "sub", "mul", "truediv", "lt", "eq"]))
def test_integers_beside_reals_are_constants(x: float, n: int, name: str) -> None:
    """In derivatives of every kind an integer operand counts as the same real, and has none of its own."""
    for operands in ((x, n), (n, x)):
        same_as_python(name, getattr(operator, name), *operands)
    record = lookup(f"py.{name}")
    assert isinstance(record, Scalar)
    if record.partials is None or x == 0.0 or (name == "truediv" and n == 0):
        return
    dual, tape = Dual(1, x, 1.0), Tape()
    slope = record.partials[0](x, float(n), record.ieee(x, float(n)))
    assert apply(record, (dual, n)).tangent == slope
    node = apply(record, (tape.leaf(x), n))
    assert node.inputs[0][1] == slope


def test_comparisons_of_integers_and_reals_are_exact() -> None:
    assert perform(Moment(), "eq", 2**53 + 1, float(2**53)) is False
    assert perform(Moment(), "lt", float(2**53), 2**53 + 1) is True
    assert perform(Moment(), "lt", 10**400, math.inf) is True
    assert perform(Moment(), "eq", Dual(1, 2.0, 5.0), 2) is True


def test_second_derivatives() -> None:
    """Nested duals, and a tape under a dual, give the second derivative of x -> x ** 3 / exp(sin x)."""

    def f(x: Any) -> Any:
        top = apply(_scalar("py.mul"), (x, apply(_scalar("py.pow"), (x, 2))))
        return apply(_scalar("py.truediv"), (top, apply(_scalar("py.math.exp"), (_sin(x),))))

    x, h = 1.3, 1e-4
    second = f(Dual(2, Dual(1, x, 1.0), 1.0)).tangent.tangent
    tape = Tape()
    leaf = tape.leaf(x)
    slope = f(Dual(1, leaf, 1.0)).tangent
    slope.adjoint = 1.0
    tape.propagate()
    agree(second, leaf.adjoint, 1e-14)
    agree(second, (f(x + h) - 2 * f(x) + f(x - h)) / h**2, 1e-6)
    assert real_part(slope) == f(Dual(1, x, 1.0)).tangent


def _scalar(name: str) -> Scalar:
    record = lookup(name)
    assert isinstance(record, Scalar)
    return record


def _sin(x: Any) -> Any:
    return apply(_scalar("py.math.sin"), (x,))


def test_remainders_at_their_hardest() -> None:
    """1.0 / 0.1 rounds to 10, but 0.1 is contained in 1.0 only 9 times."""
    for name in ("mod", "math.fmod"):
        partials = _scalar(f"py.{name}").partials
        assert partials is not None
        assert partials[1](1.0, 0.1, 1.0 % 0.1) == -9.0


def test_parts_of_reals() -> None:
    for x in (0.0, -0.0, 1.0, 3.7, -1e-310, 1e300, -2.5):
        mantissa, exponent = math.frexp(x)
        assert same_bits(perform(Moment(), "math.frexp-mantissa", x), mantissa)
        assert perform(Moment(), "math.frexp-exponent", x) == exponent
        fraction, rest = math.modf(x)
        assert same_bits(perform(Moment(), "math.modf-fraction", x), fraction)
        assert same_bits(perform(Moment(), "math.modf-whole", x), rest)
        for i in (0, 3, 12, -2000):
            assert same_bits(perform(Moment(), "math.ldexp", x, i), math.ldexp(x, i))
    exponents: list[Any] = [3, True, -1, 1.0, "a", None]
    for i in exponents:
        same_as_python("math.ldexp-exponent", lambda i: math.ldexp(1.0, i) and int(i), i)
    assert perform(Moment(), "math.ldexp-exponent", 10**30) == 5000


# Polygamma

EULER = 0.57721566490153286061
KNOWN = [
    *(
        (0, 1.0, -EULER),
        (0, 0.5, -EULER - 2 * math.log(2.0)),
        (0, 0.25, -EULER - math.pi / 2 - 3 * math.log(2.0)),
    ),
    *((0, 10.0, 2.2517525890667211076), (0, -0.5, -EULER - 2 * math.log(2.0) + 2.0)),
    *((1, 1.0, math.pi**2 / 6), (1, 0.5, math.pi**2 / 2), (1, -0.5, math.pi**2 / 2 + 4.0)),
    *((2, 1.0, -2 * 1.2020569031595942854), (2, 0.5, -14 * 1.2020569031595942854)),
    *((3, 1.0, math.pi**4 / 15), (3, 0.5, math.pi**4), (4, 1.0, -24 * 1.0369277551433699263)),
    *((5, 1.0, 8 * math.pi**6 / 63), (9, 1.0, math.factorial(9) * 1.0009945751278180853)),
    *((0, 1e6, 13.815510057964191), (0, 1e-5, -100000.57719921568)),
]


@pytest.mark.parametrize(("order", "x", "value"), KNOWN, ids=str)
def test_polygamma_where_it_is_known(order: int, x: float, value: float) -> None:
    agree(polygamma(order, x), value, 3e-15, 1.0)


@given(st.integers(0, 20), st.floats(-40.0, 40.0))
def test_polygamma_recurs(order: int, x: float) -> None:
    """psi_n(x + 1) = psi_n(x) + (-1)^n n! / x^(n + 1)."""
    if abs(x - round(x)) < 1e-2:
        return
    step = (-1) ** order * math.factorial(order) / x ** (order + 1)
    here, next_ = polygamma(order, x), polygamma(order, x + 1.0)
    agree(next_, here + step, 1e-12, max(abs(here), abs(step)))


@given(st.integers(0, 20), st.floats(-40.0, 40.0))
def test_polygamma_is_reflected(order: int, x: float) -> None:
    """(-1)^n psi_n(1 - x) - psi_n(x) is pi times the n-th derivative of cot(pi x): odd or even around 1/2."""
    if abs(x - round(x)) < 1e-2:
        return

    def difference(x: float) -> float:
        sign = -1.0 if order % 2 else 1.0
        return sign * polygamma(order, 1.0 - x) - polygamma(order, x)

    size = abs(polygamma(order, 1.0 - x)) + abs(polygamma(order, x))
    agree(difference(x), difference(x - 1.0), 1e-11, size + abs(polygamma(order, x - 1.0)))


def test_polygamma_at_its_poles_and_ends() -> None:
    for x in (0.0, -0.0, -1.0, -100.0, -1e20, -math.inf, math.nan):
        assert math.isnan(digamma(x))
        assert math.isnan(polygamma(3, x))
    assert digamma(math.inf) == math.inf
    assert polygamma(2, math.inf) == 0.0
    record = _scalar("py.polygamma")
    with pytest.raises(ValueError, match="pole"):
        record.value(0.0, -3.0)
    assert record.ieee(3.0, 1e-200) == math.inf
    assert record.ieee(2.0, 1e-200) == -math.inf
