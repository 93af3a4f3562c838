"""The fixed desugaring, form by form; a change here changes the step counts of users' programs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from checkpoint.lang import prelude
from checkpoint.lang.core import App, Expr, Lambda, Let, Letrec
from checkpoint.lang.names import KEYWORDS
from checkpoint.lang.walk import preorder
from tests.lang.support import ARITIES, core, one_line, shown
from tests.lang.table import CORE


@pytest.mark.parametrize("case", CORE)
def test_core_of(case: str) -> None:
    text, expected = CORE[case]
    assert shown(text) == one_line(expected)


def lambdas(expr: Expr) -> list[Lambda]:
    return [inner for inner in preorder(expr) if isinstance(inner, Lambda)]


def test_lambdas_are_named_after_what_binds_them() -> None:
    text = """
    (define (f x) x)
    (define ((g x) y) y)
    (define h (lambda (x) x))
    (define a (f 1))
    (let ((i (lambda (x) x)))
      (let* ((j (lambda (x) x)))
        (letrec ((k (lambda (x) x)))
          (let loop ((n 0)) ((lambda (x) (loop x)) (i (j (k h))))))))
    """
    names = [lam.name for lam in lambdas(core(text))]
    assert names == ["f", "g", "g", "h", "i", "j", "k", "loop", None]


def test_a_shadowed_function_keeps_its_name_for_messages() -> None:
    program = core("(define (sqr x) x) (let ((sqr (lambda (x) (sqr x)))) (sqr 1))")
    assert [lam.name for lam in lambdas(program)] == ["sqr", "sqr"]


def test_primitives_as_values_are_marked() -> None:
    program = core("(list - atan j*)")
    found = [(lam.primitive, lam.name, len(lam.params)) for lam in lambdas(program)]
    assert found == [("-", "-", 2), ("atan2", "atan", 2), ("j*", "j*", 3)]


def test_spans() -> None:
    text = "(define (f x)\n  (+ x 1 2))\n(f 3)"
    program = core(text)
    assert isinstance(program, Letrec)
    lam = program.bindings[0][1]
    call = program.body
    assert isinstance(call, App)
    assert text[lam.span.start : lam.span.end] == "(define (f x)\n  (+ x 1 2))"
    assert text[lam.body.span.start : lam.body.span.end] == "(+ x 1 2)"
    assert text[call.span.start : call.span.end] == "(f 3)"
    assert str(call.args[0].span) == "test.vlad:3:4"


def test_span_of_a_pattern_is_that_of_its_node() -> None:
    text = "(lambda ((cons a b)) b)"
    program = core(text)
    assert isinstance(program, Lambda)
    take = program.body
    assert isinstance(take, Let)
    assert text[take.span.start : take.span.end] == "a"


def test_the_same_text_gives_the_same_core() -> None:
    text = "(multivariate-max-F (lambda ((list a b)) (+ a b)) (list 1 2))"
    assert shown(text) == shown(text)


# Includes


def test_include_stands_for_the_definitions_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "a.vlad").write_text('(include "b.vlad") (define (f x) (g x))')
    (tmp_path / "inner" / "b.vlad").write_text("; nothing but\n(define (g x) x)")
    program = core('(include "inner/a.vlad") (f 1)', include_path=tmp_path)
    assert isinstance(program, Letrec)
    assert [name for name, _ in program.bindings] == ["g", "f"]
    assert str(program.bindings[0][1].span) == f"{tmp_path}/inner/b.vlad:2:1"


def test_include_may_hold_the_expression(tmp_path: Path) -> None:
    (tmp_path / "a.vlad").write_text("(+ x 1)")
    program = core('(define x 1) (include "a.vlad")', include_path=tmp_path)
    assert isinstance(program, Let)
    assert str(program.body.span).endswith("a.vlad:1:1")


def test_without_a_path_includes_are_beside_the_source(tmp_path: Path) -> None:
    main = tmp_path / "main.vlad"
    main.write_text('(include "a.vlad") a')
    (tmp_path / "a.vlad").write_text("(define a 1)")
    assert isinstance(core(main.read_text(), str(main)), Let)


# The prelude


def test_prelude_names_are_no_other_names() -> None:
    names = set(prelude.definitions())
    assert not names & set(ARITIES)
    assert not names & set(KEYWORDS)


@pytest.mark.parametrize("name", prelude.definitions())
def test_each_prelude_definition_is_a_program(name: str) -> None:
    program = core(name)
    assert isinstance(program, Letrec)
    assert name in dict(program.bindings)


REACHED = {
    "(+ 1 2)": [],
    "(rest '())": ["rest"],
    "(map sqr '())": ["map", "map-list", "map-tensor", "sqr"],
    "(map + '() '())": ["map2", "map-end"],
    "(map max '() '() '())": ["map3", "map-end"],
    "(map-reduce + 0 * '() '())": ["map-reduce2", "map-reduce-end"],
    "(lambda (map) (map + '() '()))": [],
    "(magnitude '())": ["map-reduce", "sqr", "magnitude-squared", "magnitude"],
    "(gradient-F sqr)": ["length", "map-n", "sqr", "unit-vector", "gradient-F"],
}


@pytest.mark.parametrize("text", REACHED)
def test_only_what_is_reachable_enters(text: str) -> None:
    program = core(text)
    found = [name for name, _ in program.bindings] if isinstance(program, Letrec) else []
    assert found == REACHED[text]


# Size

DEEP = {
    "a long list": "(list " + " ".join(map(str, range(20_000))) + ")",
    "deep operands": "(- " * 5_000 + "1" + ")" * 5_000,
    "deep lets": "(let ((x 1)) " * 5_000 + "x" + ")" * 5_000,
    "deep let*": "(let* (" + "(x 1)" * 5_000 + ") x)",
    "deep lambdas": "(lambda (x) " * 5_000 + "x" + ")" * 5_000,
    "deep quotes": "'" * 5_000 + "x",
    "deep quoted data": "'" + "(" * 5_000 + ")" * 5_000,
    "deep patterns": "(lambda ((cons a"
    + "".join(f" (cons b{i}" for i in range(5_000))
    + " c"
    + ")" * 5_002
    + " c)",
    "a long sum": "(+ " + "1 " * 20_000 + ")",
    "a long cond": "(cond " + "(#f 1) " * 5_000 + ")",
    "a long or": "(or " + "#f " * 5_000 + ")",
    "many definitions": "".join(f"(define (f{i} x) (f{(i + 1) % 5000} x)) " for i in range(5_000)) + "(f0 1)",
    "many values": "".join(f"(define x{i} {i}) " for i in range(5_000)) + "x0",
    "deep currying": "(define " + "(" * 5_000 + "f" + " x)" * 5_000 + " x) f",
}


@pytest.mark.parametrize("case", DEEP)
def test_long_and_deep_texts(case: str) -> None:
    before = sys.getrecursionlimit()
    printed = shown(DEEP[case])
    assert shown(printed) == printed
    assert sys.getrecursionlimit() == before
