"""Quoted lists in units: their parts are known where the path is known, and elsewhere only expected."""

from __future__ import annotations

import pytest

from checkpoint.ctarget.translate.ops.check_ops import Expect
from checkpoint.ctarget.translate.ops.object_ops import Quoted
from checkpoint.ctarget.translate.units.paths import hot_nodes
from tests.ctarget.translate.counts import units_of_text
from tests.ctarget.translate.list_laws import assert_agrees, assert_keeps_references
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler

pytestmark = [needs_c, needs_compiler]

WEIGHTED = "(define (weighted l s) (if (null? l) 0 (+ (* (car l) s) (weighted (cdr l) s))))"
TURNS = {
    # Of few elements the recursion is followed to its end; of many it is a loop, in which none is known.
    "few": "(+ (* 0.5 y) (* 0.01 (weighted '(1 2.5 -0.0 3) y)))",
    "many": "(+ (* 0.5 y) (* 0.001 (weighted '(1 2 3 4 5 6 7 8 9 10 11 -12) y)))",
    # Two constants of one shape meet behind a branch, and one of them with a list that is none.
    "either": "(+ (* 0.5 y) (* 0.1 (weighted (if (< y 0.2) '(3 1) '(-1 2)) y)))",
    "or-made": "(+ (* 0.5 y) (* 0.1 (weighted (if (< y 0.2) '(3 1) (list y 2)) y)))",
    # One is held by a pair that leaves the turn, and given back by the next turn.
    "held": "(let ((p (cons y '((0.1) . 0.3)))) (+ (* 0.9 (car p)) (* (car (car (cdr p))) (cdr (cdr p)))))",
    "kinds": "(if (car '(#t . #f)) (* y (car (cdr '(#f 0.9 . 2)))) (weighted '(a) y))",
    "symbols": "(if (eq? (car '(a b)) 'b) y (* 0.9 y))",
}


def text(turn: str) -> str:
    """Return a program that changes a number 150 times."""
    return f"{WEIGHTED} (lambda (x) (let loop ((i 0) (y x)) (if (= i 150) y (loop (+ i 1) {turn}))))"


KEPT = """
    (define (sum l) (if (null? l) 0 (+ (car (car l)) (sum (cdr l)))))
    (lambda (x)
      (let loop ((i 0) (l '((1 2))))
        (if (= i 150) (* x (sum l)) (loop (+ i 1) (cons (if (= i 100) '(3 4) '(0.5)) l)))))
"""


@pytest.mark.parametrize("turn", TURNS)
def test_values_and_gradients(turn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_agrees(text(TURNS[turn]), (7, 101), 12, monkeypatch)


def test_lists_that_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    assert_agrees(KEPT, (7, 101), 12, monkeypatch)


@pytest.mark.parametrize("program", [text(TURNS["held"]), text(TURNS["either"]), KEPT])
def test_references(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_keeps_references(program, monkeypatch)


def test_what_is_known_is_not_tested() -> None:
    (unit,) = units_of_text(text(TURNS["few"]), "0.3")
    hot = [op for header in unit.headers for node in hot_nodes(header) for op in node.ops]
    assert sum(isinstance(op, Quoted) for op in hot) == 1
    assert not any(isinstance(op, Expect) for op in hot)
