"""Recursions all of whose branches are decided when the unit is made: they are followed to their ends."""

from __future__ import annotations

import pytest

from tests.ctarget.translate.counts import Counts, total, units_of_text
from tests.ctarget.translate.list_laws import assert_agrees, assert_keeps_references
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler

pytestmark = [needs_c, needs_compiler]

# An interpreter: (0 number), (1 name), (2 f g) for f + g, (3 f g) for f g, (4 f g) for g at the value of f.
INTERPRETER = """
    (define (value name names) (if (= name (car (car names))) (cdr (car names)) (value name (cdr names))))
    (define (evaluate e names)
      (let ((sort (car e)) (first (car (cdr e))))
        (cond ((= sort 0) first)
              ((= sort 1) (value first names))
              (else (let ((a (evaluate first names)) (g (car (cdr (cdr e)))))
                      (cond ((= sort 2) (+ a (evaluate g names)))
                            ((= sort 3) (* a (evaluate g names)))
                            (else (evaluate g (cons (cons 9 a) names)))))))))
"""
# y/2 + s^2/2 + 0.01, for s = y + 0.1
PROGRAM = "'(2 (3 (0 0.5) (1 1)) (4 (2 (1 1) (0 0.1)) (2 (3 (3 (1 9) (1 9)) (0 0.5)) (0 0.01))))"
TURNS = {
    "interpreter": f"(evaluate {PROGRAM} (list (cons 2 i) (cons 1 y)))",
    # A branch that is not decided, behind which the recursion is followed; and within it, where it is not.
    "behind": f"(if (< y 0.3) (evaluate {PROGRAM} (list (cons 1 y))) (* 0.9 y))",
    "within": "(* 0.9 (down y 12))",
    # It is sure to come, and longer than there is room.
    "long": "(* 0.999 (up y 0))",
}
OTHERS = """
    (define (down y n) (if (= n 0) y (if (< y 0.2) (+ 0.01 (down y (- n 1))) (* 0.99 (down y (- n 1))))))
    (define (up y n) (if (= n 700) y (up (* y 0.9999) (+ n 1))))
"""


def text(turn: str, turns: int = 120) -> str:
    loop = f"(let loop ((i 0) (y x)) (if (= i {turns}) y (loop (+ i 1) {turn})))"
    return f"{INTERPRETER} {OTHERS} (lambda (x) {loop})"


@pytest.mark.parametrize("name", TURNS)
def test_values_and_gradients(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_agrees(text(TURNS[name], 12 if name == "long" else 120), (101,), 6, monkeypatch)


def test_references(monkeypatch: pytest.MonkeyPatch) -> None:
    assert_keeps_references(text(TURNS["interpreter"]), monkeypatch)


def test_an_interpreter_costs_nothing() -> None:
    units = units_of_text(text(TURNS["interpreter"]), "0.3")
    found = total(units)
    assert found == Counts(units=1, nodes=found.nodes)
    assert found.nodes > 50
