"""The ends of lists of unknown length: what a loop or recursion does there is part of its unit."""

from __future__ import annotations

from typing import Any

import pytest

import checkpoint
from checkpoint.ctarget.translate.collected import units_of
from checkpoint.ctarget.translate.ops.check_ops import EndTest
from checkpoint.ctarget.translate.units.graph import Exit, Fork, Node, Unit
from checkpoint.ctarget.translate.units.paths import hot_nodes
from checkpoint.errors import RunError
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler
from tests.support.translation import translate_soon

pytestmark = [needs_c, needs_compiler]

PROGRAMS = {
    # A list is made while the recursion returns.
    "map": (
        "(define (twist l) (if (null? l) '() (cons (sin (* 1.1 (car l))) (twist (cdr l)))))",
        "(twist y)",
    ),
    # The rest is looked at before it is walked along; a last element is kept as it is.
    "pairs": (
        """(define (rotated c s l)
             (if (or (null? l) (null? (cdr l)))
                 l
                 (let (((cons a (cons b others)) l))
                   (cons* (- (* c a) (* s b)) (+ (* s a) (* c b)) (rotated c s others)))))""",
        "(rotated (cos (car y)) (sin (car y)) y)",
    ),
    # A loop, behind which something else comes; the list is also held elsewhere.
    "loop": (
        """(define (norm l)
             (let loop ((l l) (n 0)) (if (null? l) (sqrt n) (loop (cdr l) (+ n (* (car l) (car l)))))))
           (define (scaled k l) (if (pair? l) (cons (* k (car l)) (scaled k (cdr l))) l))""",
        "(scaled (/ 3 (+ (norm y) (* 0.1 (norm x)))) y)",
    ),
    # Rests are stored in pairs, and returned; the last one is no element's.
    "rests": (
        """(define (rests l) (if (null? l) '() (cons (cdr l) (rests (cdr l)))))
           (define (rest-of l) (cdr l))
           (define (firsts l x)
             (if (null? l)
                 '()
                 (let ((first (if (null? (car l)) (* 0.5 (car x)) (sin (car (car l))))))
                   (cons first (firsts (rest-of l) (rest-of x))))))""",
        "(firsts (rests y) y)",
    ),
    # The end is a number, which only some of the procedures allow.
    "improper": (
        """(define (grown l) (if (pair? l) (cons (sin (car l)) (grown (cdr l))) (if (null? l) 0.5 (cos l))))
           (define (proper l) (if (pair? l) (cons (car l) (proper (cdr l))) (if (null? l) '() (list l))))""",
        "(proper (grown y))",
    ),
}
LENGTHS = (1, 8, 31)


def text(name: str, length: int) -> str:
    """Return a program that changes a list of so many elements 20 times."""
    definitions, turn = PROGRAMS[name]
    return f"""
        (define (sum l) (if (null? l) 0 (+ (car l) (sum (cdr l)))))
        {definitions}
        (define (again n x y) (if (= n 0) (sum y) (again (- n 1) x {turn})))
        (lambda (x) (let ((l (map-n (lambda (i) (+ x (* 0.1 i))) {length}))) (again 20 l l)))
    """


def outcomes(name: str, length: int, engine: str) -> list[Any]:
    f = checkpoint.read(text(name, length), engine=engine)
    found: list[Any] = [checkpoint.primops(f, 0.3, engine=engine)]
    for schedule in (None, checkpoint.Bisection(base=701)):
        found.append([y.hex() for y in checkpoint.vjp(f, 0.3, 1.0, engine=engine, schedule=schedule)])
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = {length: outcomes(name, length, "hybrid") for length in LENGTHS}
    translate_soon(monkeypatch)
    for length in reversed(LENGTHS):
        assert outcomes(name, length, "c") == expected[length]


def test_one_function_at_lists_of_several_lengths(monkeypatch: pytest.MonkeyPatch) -> None:
    """Units that are made for long lists are entered with short ones, empty ones and wrong ones."""
    source = f"""
        {PROGRAMS["pairs"][0]}
        (define (sum l) (if (null? l) 0 (+ (car l) (sum (cdr l)))))
        (define (again n y) (if (= n 0) (sum y) (again (- n 1) (rotated 0.8 0.6 y))))
        (lambda (l) (again 60 l))
    """
    functions = {engine: checkpoint.read(source, engine=engine) for engine in ("hybrid", "c")}
    translate_soon(monkeypatch)
    for text in ("(1 2 3 4 5 6 7 8 9 10 11 12)", "()", "(1)", "(1 2)", "(1 2 3)", "(1 2 . 3)", "(1 . 2)"):
        found = {}
        for engine, f in functions.items():
            x = checkpoint.read(f"'{text}", engine=engine)
            try:
                found[engine] = repr(checkpoint.vjp(f, x, 1.0, engine=engine))
            except RunError as error:
                found[engine] = str(error)
        assert found["c"] == found["hybrid"], text


def both_ways(unit: Unit) -> list[Node]:
    """Return the hot nodes of a unit at which a list may end, and what follows then is part of the unit."""
    hot = [node for header in unit.headers for node in hot_nodes(header)]
    tests = [node for node in hot if any(isinstance(op, EndTest) for op in node.ops)]
    return [node for node in tests if isinstance(node.end, Fork) and not isinstance(node.end.other.end, Exit)]


@pytest.mark.parametrize("name", ["map", "pairs"])
def test_a_recursion_ends_within_its_unit(name: str) -> None:
    f = checkpoint.read(text(name, 200), engine="c")
    units = units_of(lambda: checkpoint.primops(f, 0.3, engine="c"))
    assert any(both_ways(unit) for unit in units)
