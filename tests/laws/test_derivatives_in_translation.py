"""The laws of gradients where what is translated to C runs on duals, with a tape and without one.

Each loop of test_translation.py, taken in forward mode, and that differentiated in reverse: the tape is
one of duals. And loops that take a gradient in each turn, so that this runs on duals, too.
"""

from __future__ import annotations

import math

import pytest

from checkpoint import engines
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.translate.emit import adjoint
from checkpoint.driver.schedule import Bisection, Plain
from tests.laws.test_translation import LOOPS, POINTS, outcome, pytestmark, same, some
from tests.support.corpus import value_of
from tests.support.translation import forced

__all__ = ["pytestmark"]

FORWARD = "(lambda (x) (let ((z (j* {} x 1))) (+ (car z) (* x (cdr z)))))"
MORE = {
    "singular": """(lambda (x) (let f ((i 20) (y x))
        (if (zero? i) y (f (- i 1) (+ (sqrt (* (- x x) x)) (expt (* y y) (if (< i 10) 0.5 1)))))))""",
    "tuples": """(lambda (x) (let f ((n 12) (p (cons x (cons 2 (* x x)))))
        (if (zero? n) (car p)
            (f (- n 1) (cons (+ (car p) (cdr (cdr p))) (cons (car p) (sin (cdr (cdr p)))))))))""",
    "frames": """(lambda (x) (let f ((n 7) (y x) (p (cons x 1)))
        (if (zero? n) (* y (car p)) (+ (* y (f (- n 1) (sin (* y x)) (cons (+ y (cdr p)) y))) (car p)))))""",
    "inner": """(lambda (x) (let f ((i 20) (y x))
        (if (zero? i) y (f (- i 1) (- y (* 0.1 (cdr (*j (lambda (z) (* (sin (* z x)) (- z y))) y 1))))))))""",
    "inner-pairs": """(lambda (x) (let f ((i 15) (p (cons x 0.5)))
        (if (zero? i) (+ (car p) (cdr p))
            (let ((g (cdr (*j (lambda (q) (* (car q) (exp (* x (cdr q))))) p (car p)))))
              (f (- i 1) (cons (- (car p) (* 0.01 (car g))) (+ (cdr p) (* 0.02 (cdr g)))))))))""",
    "inner-twice": """(lambda (x) (let f ((i 10) (y x))
        (if (zero? i) y (f (- i 1) (- y (* 0.1 (cdr (*j (lambda (z)
            (* z (cdr (*j (lambda (u) (* u (* u z))) (+ z x) 1)))) y 1))))))))""",
}
ALL = {**LOOPS, **MORE}


@pytest.mark.parametrize("name", some(7, [*MORE, *LOOPS]))
def test_reverse_over_forward(name: str) -> None:
    """Values, steps and gradients are those of hybrid, for slices and tapes of any length."""
    text = FORWARD.format(ALL[name])
    f = value_of(text, engines.get("hybrid"))
    for x in POINTS:
        expected = outcome(f, x, "hybrid")
        gradient = outcome(f, x, "hybrid", Plain())
        for slice in (7, 400):
            with forced(slice):
                translated = value_of(text, engines.get("c"))
                for _ in range(2):
                    assert same(outcome(translated, x, "c"), expected)
                for schedule in (Plain(), Bisection(30)):
                    assert same(outcome(translated, x, "c", schedule), gradient), (x, slice, schedule)


STAIRS = """(lambda (x) (let f ((i 60) (y x))
    (if (zero? i) (* 1e300 (* 1e300 y)) (f (- i 1) (+ (* 0.5 y) (floor y))))))"""


def test_steps_that_are_flat_pass_nothing_of_an_infinite_cotangent() -> None:
    f = value_of(STAIRS, engines.get("interp"))
    expected = outcome(f, 2.5, "interp", Plain())
    assert expected[0][1] == math.inf
    assert same(outcome(value_of(STAIRS, engines.get("hybrid")), 2.5, "hybrid", Plain()), expected)
    assert same(outcome(value_of(STAIRS, engines.get("c")), 2.5, "c", Plain()), expected)
    with forced():
        assert same(outcome(value_of(STAIRS, engines.get("c")), 2.5, "c", Plain()), expected)


INNER = """(lambda (x) (let f ((i 60) (y x)) (if (zero? i) y
    (f (- i 1) (+ y (* 0.01 (cdr (*j (lambda (z)
        (let g ((k 40) (w z)) (if (zero? k) w (g (- k 1) (sin (* w z)))))) y 1))))))))"""


def test_loops_that_are_hot_within_short_runs_within_steps() -> None:
    """C makes such runs alone; now and then it leaves one to Python, which translates the loop."""
    expected = outcome(value_of(INNER, engines.get("hybrid")), 0.7, "hybrid", Plain())
    with forced():
        f = value_of(INNER, engines.get("c"))
        before = runtime().lib.ck_unit_runs()
        assert same(outcome(f, 0.7, "c", Plain()), expected)
        assert runtime().lib.ck_unit_runs() > before


def test_tapes_of_duals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Units with duals have a taped form, which reverses what enters and leaves as duals."""
    written: list[str] = []
    function = adjoint.AdjointFunction.function

    def writing(self: adjoint.AdjointFunction) -> list[str]:
        written.extend(text := function(self))
        return text

    monkeypatch.setattr(adjoint.AdjointFunction, "function", writing)
    text = FORWARD.format(LOOPS["real"].replace("30", "31"))
    with forced(50):
        outcome(value_of(text, engines.get("c")), 0.7, "c", Bisection(100))
    assert any("dual_accumulator(c, " in line for line in written)
