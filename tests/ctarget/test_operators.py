"""Derivatives inside of programs on engine c: C does them alone where it can, with the bits of others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import checkpoint
from checkpoint.ctarget.cotangent import Reverser
from checkpoint.ctarget.foreign import PythonHelper
from checkpoint.ctarget.library import reason

pytestmark = pytest.mark.skipif(reason() is not None, reason=f"engine c: {reason()}")

MODES = ("derivative-F", "derivative-R", "checkpoint-derivative-R")
NEST = """
(lambda (x)
  (({0} (lambda (y) (* (sin y) (({1} (lambda (z)
    (+ (* x (exp (* y z))) (({2} (lambda (w) (* w w z x))) y)))) x))))
   (* 2 x)))
"""
# Shared data, closures with numbers, integers and symbols among the operands, results that are shared.
SHAPES = {
    "pairs": """(lambda (x)
      (let* ((p (cons x (cons 2.0 '()))) (r (*j (lambda (q) (* (car q) (car (cdr q)) x)) p 1.0)))
        (+ (car r) (* 3 (car (cdr r))) (car (cdr (cdr r))))))""",
    "shared": """(lambda (x)
      (let* ((p (cons x x)) (r (*j (lambda (q) (cons q q)) p (cons p (cons x 2.0)))))
        (+ (car (cdr r)) (* x (cdr (cdr r))))))""",
    "names": """(lambda (x)
      (cdr (cdr (*j (lambda (q) (* (cdr q) (if (eq? (car q) 'a) x 1.0))) (cons 'a x) 1.0))))""",
    "twice": """(lambda (x)
      (let ((f (lambda (y) (* y y x)))) (+ (cdr (*j f x x)) (cdr (checkpoint-*j f x 2.0)))))""",
    "tangents": """(lambda (x)
      (let ((r (j* (lambda (p) (cons (* (car p) x) p)) (cons x '()) (cons 2.0 '()))))
        (+ (car (car r)) (car (cdr (car r))) (car (cdr r)))))""",
    "captured": """(lambda (x)
      (let* ((k (* x 3)) (f (lambda (y) (lambda (z) (* k y z)))) (r (*j (lambda (y) ((f y) (* y x))) k 1.0)))
        (* k (cdr r))))""",
    "raise": """(lambda (x)
      (handle (cdr (*j (lambda (y) (raise (* y x))) x 1.0)) (e) (* e x)))""",
}
LONG = """
(define (turn n y x) (if (= n 0) y (turn (- n 1) (+ (* 0.999 y) (* x (sin y))) x)))
(lambda (x) (cdr (*j (lambda (z) (turn {0} z z)) x x)))
"""


def gradients(path: Path, text: str, engine: str) -> list[str]:
    """Return the steps of a program, and its derivatives in both modes, in all their bits."""
    path.write_text(text, encoding="utf-8")
    f: Any = checkpoint.read(path)
    found: list[Any] = [checkpoint.primops(f, 0.3, engine=engine)]
    for x in (0.3, 1.7):
        found += [checkpoint.vjp(f, x, 1.0, engine=engine), checkpoint.jvp(f, x, 1.0, engine=engine)]
    schedule = checkpoint.Bisection(base=7)
    found.append(checkpoint.vjp(f, 0.3, 2.0, engine=engine, schedule=schedule))
    return [repr(each) for each in found]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Return how often C has called Python for steps and their reversals."""
    found: Counter[str] = Counter()

    def counted(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            found[name] += 1
            return method(*given)

        return call

    names = {PythonHelper: ("perform", "differentiate"), Reverser: ("reverse", "again")}
    for kind, methods in names.items():
        for name in methods:
            monkeypatch.setattr(kind, name, counted(name, getattr(kind, name)))
    return found


@pytest.mark.parametrize(
    "modes", [*product(MODES, MODES, MODES[1:2]), *product(MODES[1:], MODES[:1], MODES[:2])]
)
def test_nestings_are_done_in_c(modes: tuple[str, ...], tmp_path: Path, calls: Counter[str]) -> None:
    text = NEST.format(*modes)
    expected = gradients(tmp_path / "nest.vlad", text, "hybrid")
    calls.clear()
    assert gradients(tmp_path / "nest.vlad", text, "c") == expected
    assert calls == Counter()


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name: str, tmp_path: Path, calls: Counter[str]) -> None:
    text = SHAPES[name]
    expected = gradients(tmp_path / "shape.vlad", text, "hybrid")
    calls.clear()
    assert gradients(tmp_path / "shape.vlad", text, "c") == expected
    assert (calls == Counter()) == (name != "raise")


@pytest.mark.parametrize(("turns", "again"), [(300, False), (1_500, True), (9_000, False)])
def test_runs_that_are_long_are_done_by_python(
    turns: int, again: bool, tmp_path: Path, calls: Counter[str]
) -> None:
    """So they can be interrupted, and are translated. In between C cannot reverse what it did."""
    path = tmp_path / "long.vlad"
    path.write_text(LONG.format(turns), encoding="utf-8")
    f: Any = checkpoint.read(path)
    expected = repr(checkpoint.vjp(f, 0.3, 1.0, engine="hybrid"))
    calls.clear()
    assert repr(checkpoint.vjp(f, 0.3, 1.0, engine="c")) == expected
    assert calls["perform"] == (turns == 9_000)
    assert calls["again"] == again


def test_what_needs_python_is_done_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "prints.vlad"
    path.write_text(
        "(lambda (x) (cdr (*j (lambda (y) (let ((z (write-real y))) (* z y x))) x 1.0)))", encoding="utf-8"
    )
    f: Any = checkpoint.read(path)
    for engine in ("hybrid", "c"):
        checkpoint.vjp(f, 0.25, 1.0, engine=engine)
        assert capsys.readouterr().out.count("0.25") == 1


def slope_and_scale(x: tuple[float, float]) -> float:
    def energy(y: float, k: int) -> float:
        total = 0.0
        for _ in range(k):
            total += y * y * x[1]
        return total

    slope: float = checkpoint.grad(energy)(x[0], 3)
    return slope * x[0] + x[1]


def test_gradients_in_python_functions(calls: Counter[str]) -> None:
    expected = repr(checkpoint.vjp(slope_and_scale, (0.7, 2.0), engine="hybrid"))
    calls.clear()
    assert repr(checkpoint.vjp(slope_and_scale, (0.7, 2.0), engine="c")) == expected
    assert calls["perform"] == calls["again"] == 0


def test_what_arrays_take_is_counted_to_the_end_of_the_sweep(tmp_path: Path) -> None:
    """A run within a step has a sweep of its own, whose end is not that of the counting."""
    np = pytest.importorskip("numpy", reason="NumPy is not installed")
    path = tmp_path / "inner.vlad"
    path.write_text(LONG.format(50), encoding="utf-8")
    f: Any = checkpoint.read(path)
    before = np._core.multiarray.get_handler_name()
    checkpoint.vjp(f, 0.3, 1.0, engine="c", memory="1MiB")
    assert np._core.multiarray.get_handler_name() == before
