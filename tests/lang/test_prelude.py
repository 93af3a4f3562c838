"""The results of the prelude's procedures, on the reference engine."""

from __future__ import annotations

import pytest

from checkpoint import engines
from checkpoint.errors import RunError, Source
from checkpoint.functions.program import load
from checkpoint.functions.runs import run_program
from checkpoint.lang.expander import CURRIED
from checkpoint.lang.prelude import definitions
from checkpoint.lang.printer import write_value

SUM_OF_SQUARES = "(lambda ((list a b)) (+ (sqr a) (sqr b)))"
HILL = "(lambda ((list a b)) (- 3 (sqr (- a 1)) (sqr (- b 2))))"
# The minimiser stops within this distance of the optimum.
NEAR = "(lambda (v w) (< (distance v w) 1e-4))"

VALUES = {
    "(list (not #t) (not #f))": "(#f #t)",
    "(list (first '(1 2 3)) (second '(1 2 3)) (third '(1 2 3)) (rest '(1 2 3)))": "(1.0 2.0 3.0 (2.0 3.0))",
    "(list (length '()) (length '(a b c)))": "(0.0 3.0)",
    "(list (list-ref '(a b c) 0) (list-ref '(a b c) 2))": "(a c)",
    "(list (append '() '(1)) (append '(1 2) '(3)) (append '(1) '()))": "((1.0) (1.0 2.0 3.0) (1.0))",
    "(list (reverse '()) (reverse '(a b c)))": "(() (c b a))",
    "(list (iota 0) (iota 1) (iota 4))": "(() (0.0) (0.0 1.0 2.0 3.0))",
    "(list (map sqr '()) (map sqr '(1 2 3)))": "(() (1.0 4.0 9.0))",
    "(map-tensor sqr (list->tensor '(1 2 3)))": "#<tensor (3) (1.0 4.0 9.0)>",
    "(map sqr (list->tensor '(1 2 3)))": "#<tensor (3) (1.0 4.0 9.0)>",
    "(map - '(1 2) '(10 20))": "(-9.0 -18.0)",
    "(map (lambda (a b c) (+ a b c)) '(1 2) '(10 20) '(100 200))": "(111.0 222.0)",
    "(map (lambda (a b c d) (list a b c d)) '(1) '(2) '(3) '(4))": "((1.0 2.0 3.0 4.0))",
    "(list (map-n sqr 0) (map-n sqr 4))": "(() (0.0 1.0 4.0 9.0))",
    "(list (reduce - 10 '()) (reduce - 10 '(1 2 3)))": "(10.0 4.0)",
    "(reduce (lambda (l x) (cons x l)) '() '(a b c))": "(c b a)",
    "(list (reduce-tensor - 9 (list->tensor '(5 3 1))) (reduce-tensor + 9 (zeros 0)))": "(8.0 9.0)",
    "(list (scan - '()) (scan - '(5 3 1 1)) (scan * (list->tensor '(1 2 3))))": (
        "(() (5.0 2.0 1.0 2.0) #<tensor (3) (1.0 2.0 6.0)>)"
    ),
    "(let ((at '(0 3 3 0 3)) (l '(a b c d)))"
    " (list (reduce-by-index cons l at '(1 2 3 4 5)) (scatter l at at)))": (
        "(((a 1.0 . 4.0) b c (d (2.0 . 3.0) . 5.0)) (0.0 b c 3.0))"
    ),
    "(list (filter zero? '(0 1 0)) (filter zero? (list->tensor '(1 2))) (partition zero? '(0 1 2)))": (
        "((0.0 0.0) #<tensor (0) ()> ((0.0) (1.0 2.0)))"
    ),
    "(list (case (inl 1) ((inl x) x) ((inr y) 0)) (case (inr 2) ((inl x) 0) ((inr y) y)))": "(1.0 2.0)",
    "(list (map-reduce + 0 sqr '()) (map-reduce + 0 sqr '(1 2 3)))": "(0.0 14.0)",
    "(map-reduce + 1 * '(1 2) '(3 4))": "12.0",
    "(map-reduce + 0 (lambda (a b c) (* a b c)) '(1 2) '(3 4) '(5 6))": "63.0",
    "(list ((map sqr) '(1 2)) ((map-n sqr) 3) ((reduce - 10) '(1 2 3)) ((map-reduce + 0 sqr) '(1 2 3)))": (
        "((1.0 4.0) (0.0 1.0 4.0) 4.0 14.0)"
    ),
    "(list ((map2 -) '(1) '(2)) ((map3 (lambda (a b c) (- a b c))) '(9) '(2) '(1))"
    " ((map4 (lambda (a b c d) (list a b c d))) '(1) '(2) '(3) '(4)))": "((-1.0) (6.0) ((1.0 2.0 3.0 4.0)))",
    "(map (lambda (f) (f '(1 4))) ((map (lambda (f) (map f))) (list sqr sqrt)))": "((1.0 16.0) (1.0 2.0))",
    "(let ((map (lambda (f) (f 3)))) (map sqr))": "9.0",
    "(list (v+ '(1 2) '(3 4)) (v- '(1 2) '(3 5)) (k*v 2 '(1 2)) (dot '(1 2) '(3 4)))": (
        "((4.0 6.0) (-2.0 -3.0) (2.0 4.0) 11.0)"
    ),
    "(list (magnitude-squared '(3 4)) (magnitude '(3 4)))": "(25.0 5.0)",
    "(list (distance-squared '(1 1) '(4 5)) (distance '(1 1) '(4 5)))": "(25.0 5.0)",
    "(map-n (lambda (i) (unit-vector i 2)) 2)": "((1.0 0.0) (0.0 1.0))",
    "(tensor->list (list->tensor '((1 2) (3 4))))": "((1.0 2.0) (3.0 4.0))",
    "(list ((derivative-F sqr) 3) ((derivative-R sqr) 3) ((checkpoint-derivative-R sqr) 3))": "(6.0 6.0 6.0)",
    f"(let ((f {SUM_OF_SQUARES}) (v '(3 4)))"
    " (list ((gradient-F f) v) ((gradient-R f) v) ((checkpoint-gradient-R f) v)))": (
        "((6.0 8.0) (6.0 8.0) (6.0 8.0))"
    ),
    f"(gradient-descent {SUM_OF_SQUARES} '(4 8) 0 0.25)": "(4.0 8.0)",
    f"(gradient-descent {SUM_OF_SQUARES} '(4 8) 2 0.25)": "(1.0 2.0)",
    f"(gradient-ascent {SUM_OF_SQUARES} '(4 8) 2 0.5)": "(16.0 32.0)",
    f"(let ((f {SUM_OF_SQUARES}) (x '(4 8)))"
    " (list (gradient-ascent-F f x 2 0.5) (gradient-ascent-R f x 2 0.5)"
    " (checkpoint-gradient-ascent-R f x 0 0.5)))": (
        "(((16.0 32.0) 1280.0 (32.0 64.0)) ((16.0 32.0) 1280.0 (32.0 64.0)) ((4.0 8.0) 80.0 (8.0 16.0)))"
    ),
    "((negated sqr) 3)": "-9.0",
    "(size (dropout (ones '(2 3)) 0.5 (random-key 1)))": "(2.0 3.0)",
    "(size (dropout-planewise (ones '(2 3 4)) 0.5 (random-key 1)))": "(2.0 3.0 4.0)",
    "(initialize-batch-normalization 2)": "(#<tensor (2) (0.0 0.0)> #<tensor (2) (1.0 1.0)>)",
    "(second (batch-normalization-training (list->tensor '((1) (3))) (ones 1) (zeros 1)"
    " (initialize-batch-normalization 1)))": "(#<tensor (1) (0.2)> #<tensor (1) (1.1)>)",
    "(batch-normalization-test (list->tensor '((1) (3))) (ones 1) (ones 1)"
    " (list (ones 1) (fill 1 0.99999)))": "#<tensor (2 1) ((1.0) (3.0))>",
    "(cross-entropy-loss (zeros '(3 4)) (list->tensor '(0 1 3)))": "1.3862943611198906",
}


def value(text: str) -> str:
    return write_value(run_program(load(Source("t", text)), engines.get(None)))


@pytest.mark.parametrize("text", VALUES)
def test_value(text: str) -> None:
    assert value(text) == VALUES[text]


@pytest.mark.parametrize("argmax", [name for name in definitions() if "argmax" in name])
def test_argmax(argmax: str) -> None:
    assert value(f"({NEAR} ({argmax} {HILL} '(0 0)) '(1 2))") == "#t"


@pytest.mark.parametrize("argmin", [name for name in definitions() if "multivariate-argmin" in name])
def test_argmin(argmin: str) -> None:
    assert value(f"({NEAR} ({argmin} {SUM_OF_SQUARES} '(1 2)) '(0 0))") == "#t"


@pytest.mark.parametrize("maximum", [name for name in definitions() if "multivariate-max-" in name])
def test_max(maximum: str) -> None:
    assert value(f"(< (abs (- ({maximum} {HILL} '(0 0)) 3)) 1e-8)") == "#t"


def test_the_minimiser_stays_at_a_minimum() -> None:
    assert value(f"(multivariate-argmin-R {SUM_OF_SQUARES} '(0 0))") == "(0.0 0.0)"


@pytest.mark.parametrize(
    "lists", ["'(1 2) '(1)", "'(1) '(1 2)", "'(1) '(1 2) '(1)", "'(1) '(1) '(1 2)", "'(1) '(1) '(1) '(1 2)"]
)
def test_lists_of_unequal_length(lists: str) -> None:
    count = lists.count("'")
    params = " ".join("abcd"[:count])
    with pytest.raises(RunError):
        value(f"(map (lambda ({params}) a) {lists})")
    if count < 4:
        with pytest.raises(RunError):
            value(f"(map-reduce + 0 (lambda ({params}) a) {lists})")


def test_what_is_raised_for_lists_of_unequal_length() -> None:
    assert value("(handle (v+ '(1) '(1 2)) (e) e)") == '"map: the lists differ in length"'
    assert value("(handle (dot '(1) '(1 2)) (e) e)") == '"map-reduce: the lists differ in length"'


def test_every_procedure_is_tried_here() -> None:
    tried = " ".join(VALUES)
    helpers = {
        "argmin",
        "map-end",
        "map-list",
        "map-reduce-end",
        "map2",
        "map3",
        "map4",
        "map-reduce2",
        "map-reduce3",
        "drop",
        "climb",
        *("items-of", "some-items", "chosen", "combined", "combined-first", "prefixes", "pairwise"),
        *("between", "by-index", "first-of", "after"),
        *[f"curried-{name}" for name in CURRIED],
    }
    left = {name for name in definitions() if f"({name} " not in tried} - helpers
    assert {name for name in left if not name.replace("checkpoint-", "").startswith("multivariate-")} == set()
