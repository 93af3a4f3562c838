"""Recursions that rebuild a list in its own pairs, to which nobody else refers: the same bits and steps."""

from __future__ import annotations

from typing import Any

import pytest

import checkpoint
from checkpoint.ctarget.translate.collected import units_of
from checkpoint.ctarget.translate.emit.records import Records
from checkpoint.ctarget.translate.emit.text import plain_source, taped_source
from checkpoint.ctarget.translate.units.graph import Jump
from tests.ctarget.translate.list_laws import assert_agrees, assert_keeps_references
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler
from tests.support.translation import translate_soon

pytestmark = [needs_c, needs_compiler]

# What one turn of a loop makes of a list l and a number s.
PROGRAMS = {
    # Two pairs a turn; of an odd list the last one stays. So is all but the first pair: another length.
    "rotated": (
        """(define (rotate c s l)
             (if (or (null? l) (null? (cdr l))) l
                 (cons* (- (* c (car l)) (* s (car (cdr l)))) (+ (* s (car l)) (* c (car (cdr l))))
                        (rotate c s (cdr (cdr l))))))
           (define (even c s l) (cons (car l) (rotate c s (cdr l))))""",
        "(even (cos s) (sin s) (rotate (cos (* 2 s)) (sin (* 2 s)) l))",
        "(sin (+ s (car l)))",
    ),
    # One pair a turn. Each third list is used again, so it stays; three functions rebuild it.
    "mapped": (
        """(define (sines l) (if (null? l) l (cons (sin (car l)) (sines (cdr l)))))
           (define (halves l) (if (null? l) '() (cons (* 0.5 (car l)) (halves (cdr l)))))
           (define (mixed a b)
             (if (null? a) a (cons (+ (* 0.7 (car a)) (car b)) (mixed (cdr a) (cdr b)))))""",
        "(let ((m (halves l))) (mixed (sines (sines m)) m))",
        "(* 0.9 (+ s (car l)))",
    ),
    # Three pairs a turn, which are in two rows of accumulators at times; some cotangents are 0.
    "threes": (
        """(define (turned l)
             (if (or (null? l) (null? (cdr l)) (null? (cdr (cdr l)))) l
                 (cons* (* 0 (car (cdr l))) (sin (car (cdr (cdr l)))) (* 0.9 (car l))
                        (turned (cdr (cdr (cdr l)))))))""",
        "(turned l)",
        "(* 0.9 (+ s (car (cdr l))))",
    ),
    # Turns end in the midst of the list; they change the order, or walk along what others keep.
    "found": (
        """(define (swapped l x)
             (if (or (null? l) (null? (cdr l)) (> (car l) x)) (cons 0.25 (cons x l))
                 (let ((a (car l)) (b (car (cdr l))))
                   (cons* (* b 0.9) a (swapped (cdr (cdr l)) (+ x 0.001))))))
           (define (shorter l n)
             (if (< n 1) (cdr (cdr l)) (cons (* 0.99 (car l)) (shorter (cdr l) (- n 1)))))
           (define (front l n tail)
             (if (< n 1) tail (cons (* 1.01 (car l)) (front (cdr l) (- n 1) tail))))""",
        "(shorter (swapped (front l 3 (cdr (cdr (cdr l)))) (+ 0.3 (* 0.2 s))) 5)",
        "(sin (+ s (car (cdr l))))",
    ),
}
LENGTHS = (12, 201)


def text(name: str, length: int) -> str:
    """Return a program that rebuilds a list of so many elements 12 times."""
    definitions, list, number = PROGRAMS[name]
    return f"""
        {definitions}
        (define (sum l s) (if (null? l) s (sum (cdr l) (+ (* s 0.5) (* (car l) (car l))))))
        (define (again n l s) (if (= n 0) (sum l s) (again (- n 1) {list} {number})))
        (lambda (x) (again 12 (map-n (lambda (i) (+ x (* 0.001 i))) {length}) x))
    """


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str, length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_agrees(text(name, length), (1701, 211), 16, monkeypatch)  # mostly while turns wait


@pytest.mark.parametrize("name", PROGRAMS)
def test_references_are_as_many_as_before(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_keeps_references(text(name, 60), monkeypatch)


def test_turns_wait_where_the_list_may_be_at_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A unit made within the recursion does not know whether its list has a pair: it read one of none."""
    expected = outcome(checkpoint.read(text("threes", 60), engine="hybrid"), "hybrid")
    translate_soon(monkeypatch)
    f = checkpoint.read(text("threes", 60), engine="c")
    for _ in range(2):
        assert outcome(f, "c") == expected


def outcome(f: Any, engine: str) -> tuple[int, str]:
    """Return the steps of a program, and the bits of its gradient."""
    return checkpoint.primops(f, 0.3, engine=engine), checkpoint.grad(f, engine=engine)(0.3).hex()


@pytest.mark.parametrize("name", PROGRAMS)
def test_turns_wait(name: str) -> None:
    f = checkpoint.read(text(name, 201), engine="c")
    units = units_of(lambda: checkpoint.primops(f, 0.3, engine="c"))
    assert any("turns_waited(" in plain_source(unit) for unit in units)
    assert any("turns_waited(" in each and "turns_unmade(" in each for each in map(taped_source, units))


def test_what_a_recursion_passes_on_is_recorded_once() -> None:
    f = checkpoint.read(text("rotated", 201), engine="c")
    unit, *_ = units_of(lambda: checkpoint.primops(f, 0.3, engine="c"))
    records = Records(unit)
    [turn] = [
        record
        for record in records.of_end.values()
        if isinstance(record.path.end, Jump) and record.path.end.header is record.path.header
    ]
    passed_on = {place.name for place in turn.path.header.params if place.kind == "real"}
    shared = {own.name for own, _ in turn.shared} | {each.name for each in records.prologue}
    assert passed_on <= shared
    assert not passed_on & {residual.name for residual in turn.words}
    entered = [records.prologue_at(header) for header in unit.headers if header.entry is not None]
    assert any(None in words for words in entered)
    assert any(None not in words for words in entered)
