"""Loops and recursions along lists that are used again: they count references only where they end."""

from __future__ import annotations

import pytest

import checkpoint
from checkpoint.ctarget.translate.collected import units_of
from checkpoint.ctarget.translate.emit.text import plain_source, taped_source
from tests.ctarget.translate.list_laws import assert_agrees, assert_keeps_references
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler

pytestmark = [needs_c, needs_compiler]

# Of a list l, which is used again, and a number s: what one turn adds.
PROGRAMS = {
    "loop": ("(define (sum l s) (if (null? l) s (sum (cdr l) (+ s (* (car l) (car l))))))", "(sum l s)"),
    "recursion": ("(define (sum l) (if (null? l) 0 (+ (sin (car l)) (sum (cdr l)))))", "(* s (sum l))"),
    # The walk ends in the midst of the list, and what it has reached is used.
    "found": (
        """(define (after l x) (if (or (null? l) (> (car l) x)) l (after (cdr l) (+ x 0.0001))))
           (define (first l s) (if (null? l) s (* s (car l))))""",
        "(first (after l (* 1.5 (car l))) s)",
    ),
    # Its turns have several paths, of which one keeps what it has reached.
    "paths": (
        """(define (last-large l found s)
             (if (null? l)
                 (if (null? found) s (+ s (car found)))
                 (if (> (sin (* 90 (car l))) 0.9)
                     (last-large (cdr l) l (+ s 0.1))
                     (last-large (cdr l) found (+ s (* 0.01 (car l)))))))""",
        "(last-large l '() s)",
    ),
    # Other lists are made meanwhile; one is of pieces of the first.
    "made": (
        """(define (reversed l m) (if (null? l) m (reversed (cdr l) (cons (cos (car l)) m))))
           (define (rests l m) (if (null? l) m (rests (cdr l) (cons (cdr l) m))))
           (define (own m s) (if (null? (cdr m)) s (own (cdr m) (+ s (car (car (cdr m)))))))""",
        "(own (rests l '()) (* s (car (reversed l '()))))",
    ),
    # The beginning is the walk's alone, the rest is not.
    "front": (
        "(define (sum l s) (if (null? l) s (sum (cdr l) (+ s (car l)))))",
        "(* 0.1 (sum (cons* s (* s s) 0.3 l) 0.0))",
    ),
    # What it walks along is dropped by nobody else but the walk.
    "alone": (
        """(define (sum l s) (if (null? l) s (sum (cdr l) (+ s (car l)))))
           (define (twice l m) (if (null? l) m (twice (cdr l) (cons* (car l) 0.25 m))))""",
        "(* 0.1 (sum (twice l '()) s))",
    ),
    # The next pair is near or far; two lists are walked along at once, one of them by two pairs a turn.
    "scattered": (
        """(define (mixed a b m)
             (if (null? a) m (if (> (sin (* 70 (car a))) 0.2) (mixed (cdr a) (cdr b) (cons (car a) m))
               (mixed (cdr a) (cdr b) (cons* (car b) (* 0.5 (car a)) m)))))
           (define (zipped a b s)
             (if (or (null? a) (null? b)) s
               (if (null? (cdr b)) s (zipped (cdr a) (cdr (cdr b)) (+ s (* (car a) (car (cdr b))))))))""",
        "(let ((m (mixed l l '()))) (* s (+ (zipped m m 0) (zipped l m 0) (zipped (mixed m m '()) l 0))))",
    ),
    # Elements are objects.
    "objects": (
        """(define (pairs l m) (if (null? l) m (pairs (cdr l) (cons (cons (car l) l) m))))
           (define (sum p s) (if (null? p) s (sum (cdr p) (+ s (* (car (car p)) (car (cdr (car p))))))))""",
        "(let ((p (pairs l '()))) (+ (* 0.1 (sum p s)) (* 0.1 (sum p 0.0))))",
    ),
}
LENGTHS = (7, 401)


def text(name: str, length: int) -> str:
    """Return a program that walks along a list of so many elements 9 times."""
    definitions, turn = PROGRAMS[name]
    return f"""
        {definitions}
        (define (again n l s) (if (= n 0) (+ s (car l)) (again (- n 1) l (sin {turn}))))
        (lambda (x) (again 9 (map-n (lambda (i) (+ x (* 0.001 i))) {length}) x))
    """


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str, length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_agrees(text(name, length), (701,), 4, monkeypatch)  # mostly in the midst of a walk


@pytest.mark.parametrize("name", PROGRAMS)
def test_references_are_as_many_as_before(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_keeps_references(text(name, 60), monkeypatch)


@pytest.mark.parametrize("name", ["loop", "recursion", "found"])
def test_a_turn_counts_nothing(name: str) -> None:
    f = checkpoint.read(text(name, 200), engine="c")
    units = units_of(lambda: checkpoint.primops(f, 0.3, engine="c"))
    for source in (plain_source, taped_source):
        assert any("walk_on(" in source(unit) and "walk_ended(" in source(unit) for unit in units)


def test_turns_expect_the_next_pair_where_it_was_in_the_last_one() -> None:
    f = checkpoint.read(text("scattered", 200), engine="c")
    units = units_of(lambda: checkpoint.primops(f, 0.3, engine="c"))
    for source in (plain_source, taped_source):
        assert any(source(unit).count("rest_from(") >= 2 for unit in units)


def test_a_turn_that_keeps_what_it_has_reached_counts() -> None:
    definition = "(define (rests l m) (if (null? l) m (rests (cdr l) (cons (cdr l) m))))"
    f = checkpoint.read(
        f"""{definition}
        (define (again n l s) (if (= n 0) s (again (- n 1) l (+ s (car (car (cdr (rests l '()))))))))
        (lambda (x) (again 40 (map-n (lambda (i) (+ x i)) 100) x))""",
        engine="c",
    )
    texts = [plain_source(unit) for unit in units_of(lambda: checkpoint.primops(f, 0.3, engine="c"))]
    assert any("rests" in each for each in texts)
    assert not any("walk_on(" in each for each in texts if "rests" in each)
