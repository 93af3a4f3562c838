"""What shift and reset become: what may shift is changed, and nothing else."""

from __future__ import annotations

from checkpoint.lang.printer import show
from tests.lang.support import core, shown


def test_without_a_shift_a_reset_is_its_expression() -> None:
    assert shown("(+ 1 (reset (* 2 3)))") == "(+ 1.0 (* 2.0 3.0))"


def test_only_what_may_shift_is_changed() -> None:
    text = "(define (f x) (* x (sin x))) (define (g y) (shift k (k (f y)))) (reset (+ (f 1) (g 2)))"
    assert "(f (lambda (x) (* x (sin x))))" in shown(text)
    rest = "(then (g 2.0) (lambda (operand.2) (+ operand operand.2)))"
    assert shown(text).endswith(f"(delimit '%default (let ((operand (f 1.0))) {rest}))))")


def test_a_continuation_to_the_only_tag_is_whole() -> None:
    assert "(lambda (k.2) (+ (k.2 1.0) (k.2 2.0)))" in shown("(reset (* 2 (shift k (+ (k 1) (k 2)))))")


def test_the_core_reads_back() -> None:
    text = "(define (f x) (handle (shift k (k x)) (e) e)) (reset (+ 1 (f 2)))"
    assert shown(text) == shown(show(core(text)))
