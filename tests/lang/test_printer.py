"""Values as text."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkpoint.ad.values import EMPTY, Closure, Failure, Opaque, Pair, Symbol, list_value
from checkpoint.errors import InternalError, Source, Span
from checkpoint.lang.core import Const, Lambda
from checkpoint.lang.printer import show, write_value
from tests.lang.support import core

NOWHERE = Span(Source("t", ""), 0, 0)


@dataclass(frozen=True)
class Tagged:
    """A kind of value with a method that writes it."""

    text: str

    def write(self) -> str:
        return f"<{self.text}>"


def procedure(name: str | None) -> Closure:
    return Closure(Lambda(NOWHERE, (), Const(NOWHERE, 1.0), name=name), EMPTY)


VALUES: list[tuple[object, str]] = [
    (1.0, "1.0"),
    (-0.0, "-0.0"),
    (8.246324826140356e-06, "8.246324826140356e-06"),
    (1e22, "1e+22"),
    (math.inf, "+inf.0"),
    (-math.inf, "-inf.0"),
    (math.nan, "+nan.0"),
    (12, "12"),
    (-12, "-12"),
    (-(16**4000), "#e#x-1" + "0" * 4000),
    (True, "#t"),
    (False, "#f"),
    (None, "()"),
    ("a b", '"a b"'),
    ('\\"\n\t\r\x00é', r'"\\\"\n\t\r\x0;é"'),
    (Symbol("a"), "a"),
    (Pair(1.0, 2.0), "(1.0 . 2.0)"),
    (Pair(1.0, Pair(2.0, 3.0)), "(1.0 2.0 . 3.0)"),
    (list_value([1.0, list_value([True, None]), "s"]), '(1.0 (#t ()) "s")'),
    (Pair(None, None), "(())"),
    ((), "#()"),
    ((1.0, (2.0, 3), None), "#(1.0 #(2.0 3) ())"),
    (procedure("f"), "#<procedure f>"),
    (procedure(None), "#<procedure>"),
    (Opaque((1.0,)), "#<opaque>"),
    (Failure(ZeroDivisionError(), "division by zero"), "#<failure division by zero>"),
    (Tagged("x"), "<x>"),
    (list_value([Tagged("x"), Tagged("y")]), "(<x> <y>)"),
    (1j, "#<complex>"),
]


@pytest.mark.parametrize(("value", "text"), VALUES, ids=range(len(VALUES)))
def test_written(value: object, text: str) -> None:
    assert write_value(value) == text


@given(st.floats())
def test_reals_read_back(value: float) -> None:
    expr = core(write_value(value))
    assert isinstance(expr, Const)
    assert isinstance(expr.value, float)
    assert math.isnan(value) if math.isnan(expr.value) else expr.value.hex() == value.hex()


@given(st.text())
def test_strings_read_back(value: str) -> None:
    expr = core(write_value(value))
    assert isinstance(expr, Const)
    assert expr.value == value


@given(st.integers())
def test_integers_of_programs_read_back(value: int) -> None:
    expr = core(show(Const(NOWHERE, value)))
    assert isinstance(expr, Const)
    assert type(expr.value) is int
    assert expr.value == value


def test_huge_integers_of_programs_read_back() -> None:
    expr = core(show(Const(NOWHERE, -(3**10_000))))
    assert isinstance(expr, Const)
    assert expr.value == -(3**10_000)


def test_long_and_deep_values() -> None:
    count = 300_000
    assert write_value(list_value([0.0] * 1_000_000)) == "(" + " ".join(["0.0"] * 1_000_000) + ")"
    deep: object = None
    nested: object = ()
    for _ in range(count):
        deep = Pair(deep, None)
        nested = (nested,)
    assert write_value(deep) == "(" * count + "()" + ")" * count
    assert write_value(nested) == "#(" * count + "#()" + ")" * count


@pytest.mark.parametrize(
    ("limit", "text"),
    [(20, "(1.0 2.0 3.0)"), (13, "(1.0 2.0 3.0)"), (12, "(1.0 2.0 ..."), (3, "..."), (0, "...")],
)
def test_limit(limit: int, text: str) -> None:
    assert write_value(list_value([1.0, 2.0, 3.0]), limit) == text


def test_limit_stops_early() -> None:
    endless = Pair(1.0, None)
    endless.cdr = endless
    assert write_value(endless, 12) == "(1.0 1.0 ..."


def test_layout() -> None:
    text = show(
        core("(define (f x y) (if (< x y) (let ((z (+ x y))) (f z (* z z z z z))) (cons x y))) (f 1 2)")
    )
    assert text == (
        "(letrec ((f (lambda (x y)\n"
        "              (if (< x y) (let ((z (+ x y))) (f z (* (* (* (* z z) z) z) z))) (cons x y)))))\n"
        "  (f 1.0 2.0))"
    )


def test_what_is_no_expression_is_not_printed() -> None:
    with pytest.raises(InternalError, match="str is not a core expression"):
        show("x")  # type: ignore[arg-type]
