"""Points where a function is not differentiable follow mathematics, or the convention of the record.

A zero is never returned silently: infinite slopes are infinite, undefined ones are NaN. A zero cotangent
contributes nothing where the slope is infinite.
"""

from __future__ import annotations

import math

import pytest

from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Plain
from checkpoint.functions import runs
from tests.support.corpus import engine_name, usable_engines, value_of
from tests.support.modes import MODES, with_modes
from tests.support.same import same_bits

pytestmark = [
    pytest.mark.parametrize("engine", usable_engines(), ids=engine_name),
    pytest.mark.engines_in_turn,
]

INF, NAN = math.inf, math.nan

# A function of x, a point, its derivative there.
POINTS = [
    ("(sqrt x)", 0.0, INF),
    ("(expt x 0.5)", 0.0, INF),
    ("(expt x 2)", 0.0, 0.0),
    ("(expt x 1)", 0.0, 1.0),
    ("(expt x 0)", 0.0, 0.0),
    ("(expt x 0)", 2.0, 0.0),
    ("(expt 0 x)", 2.0, 0.0),
    ("(expt 0 x)", 0.0, -INF),
    ("(expt -2 x)", 3.0, NAN),
    ("(abs x)", 0.0, 1.0),
    ("(abs x)", -0.0, 1.0),
    ("(abs x)", -1.0, -1.0),
    ("(max x 0)", 0.0, 1.0),
    ("(max 0 x)", 0.0, 0.0),
    ("(max x x)", 1.0, 1.0),
    ("(min x 0)", 0.0, 1.0),
    ("(min 0 x)", 0.0, 0.0),
    ("(floor x)", 2.0, 0.0),
    ("(floor x)", 2.5, 0.0),
    ("(modulo x 2)", 4.0, 1.0),
    ("(modulo 4 x)", 2.0, -2.0),
    ("(modulo -7 x)", 2.0, 4.0),
    ("(atan x 0)", 0.0, NAN),
    ("(atan 0 x)", -1.0, -0.0),
    ("(real x)", 0.0, 1.0),
    ("(* x (abs x))", 0.0, 0.0),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("text", "x", "slope"), POINTS)
def test_derivatives_at_singular_points(text: str, x: float, slope: float, mode: str, engine: Engine) -> None:
    f = value_of(with_modes(f"(lambda (x) (D1 (lambda (x) {text}) x))", (mode,)), engine)
    got = runs.call_values(f, x, engine)
    # The sign of a zero slope depends on the number of additions to an accumulator at +0.0.
    assert same_bits(got + 0.0, slope + 0.0)


@pytest.mark.parametrize("singular", ["(sqrt x)", "(expt x 0.5)", "(atan x 0)", "(expt 0 x)"])
def test_a_zero_cotangent_contributes_nothing(singular: str, engine: Engine) -> None:
    f = value_of(f"(lambda (x) (+ (* 3 x) (* 0 {singular})))", engine)
    assert runs.vjp_values(f, 0.0, 1.0, engine, Plain())[1] == 3.0


@pytest.mark.parametrize("mode", MODES)
def test_an_unused_singular_value_contributes_nothing(mode: str, engine: Engine) -> None:
    text = "(D1 (lambda (x) (let ((unused (sqrt x))) (* 3 x))) 0)"
    assert value_of(with_modes(text, (mode,)), engine) == 3.0


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("text", ["(sqrt (* 0 x))", "(sqrt (* (- x 2) (- x 2)))"])
def test_a_zero_tangent_contributes_nothing(text: str, mode: str, engine: Engine) -> None:
    """Forward, the zero meets the infinite slope; backward the slope comes first, and 0 times it is NaN."""
    value = value_of(with_modes(f"(D1 (lambda (x) (+ {text} (* 3 x))) 2)", (mode,)), engine)
    assert same_bits(value, 3.0 if mode == "j*" else NAN)


@pytest.mark.parametrize("text", ["(abs x)", "(max x 0)", "(min x 0)", "(floor x)", "(modulo x 2)"])
@pytest.mark.parametrize("modes", [(a, b) for a in MODES for b in MODES], ids="-".join)
def test_pieces_of_lines_have_no_second_derivative(text: str, modes: tuple[str, str], engine: Engine) -> None:
    assert value_of(with_modes(f"(D1 (lambda (x) (D2 (lambda (x) {text}) x)) 0)", modes), engine) == 0.0


@pytest.mark.parametrize("mode", MODES)
def test_huge_slopes_are_not_flushed(mode: str, engine: Engine) -> None:
    """Denormals count, and so do slopes that overflow."""
    tiny = value_of(with_modes("(D1 (lambda (x) (* x 1e-310)) 1)", (mode,)), engine)
    assert tiny == 1e-310
    assert value_of(with_modes("(D1 (lambda (x) (sqrt x)) 1e-320)", (mode,)), engine) > 1e159
    assert value_of(with_modes("(D1 (lambda (x) (/ 1 x)) 1e-200)", (mode,)), engine) == -INF
