"""Numbers in lists are reals in a gradient, duals in a product with a Hessian: each has a unit of its own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import checkpoint
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.translate.ops.check_ops import ExpectNumber
from checkpoint.ctarget.translate.ops.dual_ops import OpenDual
from checkpoint.ctarget.translate.ops.object_ops import Element
from checkpoint.ctarget.translate.ops.places import Constant, DualParts
from checkpoint.ctarget.translate.units.expected import expect_numbers
from tests.ctarget.translate.shared_objects import needs_compiler
from tests.ctarget.translate.units import Maker, block
from tests.support.translation import forced

pytestmark = needs_compiler
TURNS = 400
X, V = [0.75, 0.5], [1.0, -0.25]


class Ball:
    def __init__(self, x: float, v: float) -> None:
        self.x = x
        self.v = v


def rows(xs: list[float]) -> float:
    table = [[xs[0], xs[1]], [xs[1], 0.5 * xs[0]]]
    for _ in range(TURNS):
        table[0][0] = table[0][0] * table[1][1] - table[0][1] * 0.25
        table[0][1] = table[1][0] * 0.875
    return table[0][0]


def objects(xs: list[float]) -> float:
    balls = [Ball(xs[0], xs[1]), Ball(xs[1], xs[0])]
    for _ in range(TURNS):
        for ball in balls:
            ball.v = ball.v - ball.x * ball.x * 0.125
            ball.x = ball.x + ball.v * 0.125
    return balls[0].x * balls[1].v


def search(xs: list[float]) -> float:
    for i in range(TURNS):
        if xs[i % 2] > 10.0:
            return 1.0
    return xs[0] * xs[0] * xs[1]


PROGRAMS = [rows, objects, search]
Outcome = list[str]


def gradient(f: Callable[[list[float]], float], engine: str) -> Outcome:
    return [each.hex() for each in checkpoint.grad(f, engine=engine)(X)]


def product(f: Callable[[list[float]], float], engine: str) -> Outcome:
    return [each.hex() for each in checkpoint.hvp(f, X, V, engine=engine)]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients_and_products_by_turns_have_units_of_their_own(f: Callable[[list[float]], float]) -> None:
    taken = (gradient, product, gradient, product)
    with forced(slice=100_000):
        for take in taken:  # a unit is found in the first calls
            take(f, "c")
            take(f, "c")
        for take in taken:
            before = runtime().lib.ck_unit_runs()
            assert take(f, "c") == take(f, "hybrid")
            assert before + 1 < runtime().lib.ck_unit_runs() < before + TURNS / 2


def test_an_entry_expects_what_a_path_reads() -> None:
    """A dual at a place that is known, a real at one that only the run knows: at the first, it may be."""
    make = Maker()
    at = block("loop", "x", "y", "i")
    x, y, i = make.place("x_0", "value"), make.place("y_0", "value"), make.place("i_0", "integer")
    header = make.header(at, (x, y, i), 9)
    dual = DualParts(make.place("tag_0", "integer"), make.place("primal_0"), make.place("tangent_0"))
    value, found = make.place("value_0", "value"), make.place("at_0", "integer")
    real, found_too = make.place("real_0"), make.place("at_1", "integer")
    header.root.ops = [
        Element(value, x, Constant(2), found),
        OpenDual(dual, value, x, Constant(2)),
        Element(real, y, i, found_too),
    ]
    header.root.end = make.jump(header, 9, x, y, i)
    expect_numbers(make.unit)
    assert all(isinstance(check, ExpectNumber) for check in header.checks)
    assert [(c.place, c.route, c.is_dual) for c in header.checks if isinstance(c, ExpectNumber)] == [
        (x, (2,), True),
        (y, (0,), False),
    ]


def test_what_is_a_dual_on_one_path_alone_is_not_expected() -> None:
    make = Maker()
    at = block("loop", "x")
    x = make.place("x_0", "value")
    header = make.header(at, (x,), 9)
    dual = DualParts(make.place("tag_0", "integer"), make.place("primal_0"), make.place("tangent_0"))
    value, real = make.place("value_0", "value"), make.place("real_0")
    places = [make.place(f"at_{i}", "integer") for i in range(2)]
    header.root.ops = [
        Element(value, x, Constant(0), places[0]),
        OpenDual(dual, value, x, Constant(0)),
        Element(real, x, Constant(0), places[1]),
    ]
    header.root.end = make.jump(header, 9, x)
    expect_numbers(make.unit)
    assert header.checks == ()
