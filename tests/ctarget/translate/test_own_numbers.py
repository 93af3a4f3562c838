"""Numbers that a procedure holds decide branches of its unit, which is entered where they are the same."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import checkpoint
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.translate.collected import units_of
from checkpoint.ctarget.translate.ops.check_ops import ExpectReal
from checkpoint.ctarget.translate.units.graph import Unit
from checkpoint.ctarget.translate.units.paths import nodes
from tests.ctarget.translate.counts import Counts, total, units_of_text
from tests.ctarget.translate.list_laws import assert_agrees, assert_keeps_references
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler
from tests.ctarget.translate.test_decided import INTERPRETER
from tests.support.translation import translate_soon

pytestmark = [needs_c, needs_compiler]

X = 0.3
# y/2 + s^2/2 + 0.01 for s = y + 0.1, as of test_decided; each list is made when the text is run.
MADE = """
    (define (constant value) (list 0 value))
    (define (name number) (list 1 number))
    (define (sum a b) (list 2 a b))
    (define (product a b) (list 3 a b))
    (define (let-nine a b) (list 4 a b))
    (define square (product (name 9) (name 9)))
    (define one
      (sum (product (constant 0.5) (name 1))
           (let-nine (sum (name 1) (constant 0.1)) (sum (product square (constant 0.5)) (constant 0.01)))))
    (define (shaped f g) (f (g (constant 0.5) (name 1)) (g (constant 0.25) (f (name 2) (constant 0.1)))))
    (define two (shaped sum product))
    (define three (shaped product sum))
    (define four (shaped sum sum))
"""
OVER = """
    (define (over program)
      (lambda (x)
        (let loop ((i 0) (y x))
          (if (= i 150) y (loop (+ i 1) (evaluate program (list (cons 2 (* 0.01 y)) (cons 1 y))))))))
"""
ALL = f"{INTERPRETER} {MADE} {OVER}"


def many(count: int) -> str:
    """Return a text whose value is a list of procedures of one text, each with a program of its own."""
    parts, sorts = ["(constant 0.1)", "(name 1)", "(name 2)"], ["product", "sum"]
    programs = [
        f"({sorts[k % 2]} {parts[k % 3]} (sum (product (constant 0.{k + 1}) (name 1)) {parts[k % 5 % 3]}))"
        for k in range(count)
    ]
    return f"{ALL} (list {' '.join(f'(over {each})' for each in programs)})"


def expects(unit: Unit) -> bool:
    return any(isinstance(check, ExpectReal) for header in unit.headers for check in header.checks)


def gradient(f: Any, engine: str, x: float = X) -> list[str]:
    return [y.hex() for y in checkpoint.vjp(f, x, 1.0, engine=engine)]


# What is known


@pytest.mark.parametrize("program", ["one", "(sum (name 1) (constant 5e-324))"])
def test_a_program_that_is_held_costs_nothing(program: str) -> None:
    units = units_of_text(f"{ALL} (over {program})", str(X))
    found = total(units)
    assert found == Counts(units=1, nodes=found.nodes)
    assert found.nodes > 15
    assert expects(units[0]) == (program == "one"), "a unit that costs nothing anyhow is for any numbers"
    ops = [op for node in nodes(units[0]) for op in node.ops]
    assert not any(isinstance(op, ExpectReal) for op in ops)


@pytest.mark.parametrize("program", ["one", "two", "three"])
def test_values_and_gradients(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_agrees(f"{ALL} (over {program})", (101,), 6, monkeypatch)


def test_references(monkeypatch: pytest.MonkeyPatch) -> None:
    assert_keeps_references(f"{ALL} (over one)", monkeypatch)


def test_numbers_of_an_argument_are_not_expected() -> None:
    """They are those of one call: the next one may have others."""
    turn = "(evaluate (list s y) '())"
    text = f"{ALL} (lambda (s) (let loop ((i 0) (y 0.5)) (if (= i 150) y (loop (+ i 1) {turn}))))"
    assert not any(map(expects, units_of_text(text, "0")))


def test_numbers_that_change_from_turn_to_turn_are_not_expected() -> None:
    """A loop along a list of its own meets other numbers in each turn."""
    text = """
        (define rules (list 1 0 1 1 0 0 1 0 1 1 1 0 1 0 0 1))
        (define (along l y)
          (cond ((null? l) y)
                ((= (car l) 0) (* 0.9 (along (cdr l) y)))
                (else (+ 0.1 (along (cdr l) y)))))
        (lambda (x) (let loop ((i 0) (y x)) (if (= i 150) y (loop (+ i 1) (along rules y)))))
    """
    units = units_of_text(text, str(X))
    assert units
    inside = [op for unit in units for node in nodes(unit) for op in node.ops]
    assert not any(isinstance(op, ExpectReal) for op in inside)


# Other numbers in the same places


def outcomes(procedures: list[Any], engine: str) -> list[list[Any]]:
    """Return the gradients of procedures, each taken twice, and the values of their runs."""
    found: list[list[Any]] = []
    for f in procedures:
        found += [gradient(f, engine), gradient(f, engine, 0.25), [checkpoint.primops(f, X, engine=engine)]]
    return found


@pytest.mark.parametrize("order", ["two three four one", "two three two one four two"])
def test_procedures_of_one_text_that_hold_other_programs(order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A unit made for one of them is met by the others, with the same kinds in the same registers."""
    text = f"{ALL} (list {' '.join(f'(over {name})' for name in order.split())})"
    expected = outcomes(checkpoint.read(text, engine="interp"), "interp")
    assert outcomes(checkpoint.read(text, engine="hybrid"), "hybrid") == expected
    procedures = checkpoint.read(text, engine="c")
    before = runtime().lib.ck_unit_runs()
    translate_soon(monkeypatch)
    assert outcomes(procedures, "c") == expected
    assert outcomes(procedures, "c") == expected
    assert runtime().lib.ck_unit_runs() > before
    for f in procedures:
        assert checkpoint.resume(checkpoint.interrupt(f, X, 1_234, engine="c")) == f(X)


def test_numbers_that_differ_in_sign_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """0 and -0 are equal, but what is computed of them is not."""
    text = f"{ALL} (define (over-zero z) (over (sum (product (list z 0.5) (name 1)) (list z z))))"
    text = f"{text} (list (over-zero 0) (over-zero (* -1 0)) (over-zero (- 0 0)))"
    expected = outcomes(checkpoint.read(text, engine="interp"), "interp")
    translate_soon(monkeypatch)
    assert outcomes(checkpoint.read(text, engine="c"), "c") == expected


def python_program(rules: tuple[tuple[float, float], ...]) -> Callable[[float], float]:
    def run(y: float, k: int) -> float:
        if k == len(rules):
            return y
        sort, number = rules[k]
        return run(y * number if sort == 0.0 else y + number, k + 1)

    def turning(x: float) -> float:
        for _ in range(150):
            x = run(x, 0)
        return x

    return turning


def test_python_functions_of_one_text(monkeypatch: pytest.MonkeyPatch) -> None:
    programs = [((0.0, 0.5), (1.0, 0.1)), ((1.0, 0.5), (0.0, 0.1)), ((0.0, 0.5), (1.0, 0.1)), ((0.0, 0.9),)]
    expected = [gradient(python_program(rules), "hybrid") for rules in programs]
    translate_soon(monkeypatch)
    for _ in range(2):
        assert [gradient(python_program(rules), "c") for rules in programs] == expected


def test_a_list_that_is_changed_between_two_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = [[0.0, 0.5], [1.0, 0.1]]

    def f(x: float) -> float:
        for _ in range(150):
            for sort, number in rules:
                x = x * number if sort == 0.0 else x + number
        return x

    translate_soon(monkeypatch)
    for sort in (0.0, 1.0, 0.0, 1.0):
        rules[0][0] = sort
        for _ in range(2):
            assert gradient(f, "c") == gradient(f, "hybrid")


# How many units there are


def test_a_block_has_one_unit_that_expects_numbers() -> None:
    """Once its numbers were found to be others, the next units are for any: each has numbers of its own."""
    procedures = checkpoint.read(many(6), engine="c")
    units = [units_of(partial(checkpoint.primops, f, X, engine="c")) for f in procedures]
    assert [any(map(expects, each)) for each in units] == [True] + 5 * [False]
    assert any(units[1:])
