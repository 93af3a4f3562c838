"""Shift and reset: published examples, what becomes of the parts around them, and what they refuse."""

from __future__ import annotations

import pytest

from checkpoint.driver.engine import Engine
from checkpoint.driver.raised import NO_RESET_HERE
from checkpoint.driver.schedule import Plain
from checkpoint.errors import Lane, RunError
from checkpoint.functions import runs
from checkpoint.lang.printer import write_value
from tests.support.corpus import engine_name, usable_engines, value_of

pytestmark = [
    pytest.mark.parametrize("engine", usable_engines(), ids=engine_name),
    pytest.mark.engines_in_turn,
]

VALUES = {
    "(+ 1 (reset (+ 10 (shift k (+ (k (k 100)) 1000)))))": "1121.0",
    "(reset 3)": "3.0",
    "(* 2 (reset (+ 1 (shift k 5))))": "10.0",
    # Danvy & Filinski: a shift whose receiver shifts finds the same reset
    "(reset (cons 1 (shift k (cons 2 (shift j (j (k '())))))))": "(2.0 1.0)",
    # Asai & Kiselyov: all of a list but its end, and its copy at once
    "(reset (let at ((l '(7))) (if (null? l) (shift k (k l)) (cons (car l) (at (cdr l))))))": ("(7.0)"),
    "((reset (let ((x (shift k k))) (lambda (y) (+ x y)))) 1)": "#<procedure>",
    "(map (lambda (x) (reset (* x (shift k (+ (k x) (k 1)))))) '(2 3))": "(6.0 12.0)",
    # through procedures that know nothing of it: map, reduce and a handle
    "(reset (map (lambda (x) (shift k (cons x (k (* x x))))) '(2 3)))": "(2.0 3.0 4.0 9.0)",
    "(reset (reduce (lambda (sum x) (+ sum (shift k (max (k x) (k (- x)))))) 0 '(1 -2 3)))": "6.0",
    "(handle (reset (+ 1 (raise (shift k (k 2))))) (e) (* 10 e))": "20.0",
    # a tail call is one: the resets of a long loop leave nothing behind
    "(let loop ((i 1000) (sum 0)) (if (= i 0) sum (loop (- i 1) (reset (+ sum (shift k (k 1)))))))": "1000.0",
    # two tags
    "(reset-at 'a (+ 1 (reset-at 'b (* 2 (shift-at 'a k (+ (k 3) (k 4)))))))": "16.0",
    "(reset-at 'a (+ 1 (reset-at 'b (* 2 (shift-at 'b k (shift-at 'a j 5))))))": "5.0",
}


@pytest.mark.parametrize("text", VALUES)
def test_values(text: str, engine: Engine) -> None:
    assert write_value(value_of(text, engine)) == VALUES[text]


# j* around a shift: `k` is the rest of the derivative, and gives (y . y-tangent)
DERIVATIVES = {
    "(reset (j* (lambda (x) (* x (shift k (k 5)))) 3 1))": "(15.0 . 5.0)",
    "(reset (j* (lambda (x) (* x x (shift k (cons (cdr (k 1)) (cdr (k 2)))))) 3 1))": "(6.0 . 12.0)",
    # what one resumption returns is a constant of the next one
    "(reset (j* (lambda (x) (* x (shift k (k (cdr (k 5)))))) 3 1))": "(15.0 . 5.0)",
    "(reset (j* (lambda (x) (* x (shift k (k (car (k 5)))))) 3 1))": "(45.0 . 15.0)",
    # resumed within another derivative: 3, the derivative by z of x z at x = 3; and 1, that of its slope z
    "(reset (j* (lambda (x) (* x (shift k (cdr (j* (lambda (z) (car (k z))) 2 1))))) 3 1))": "3.0",
    "(reset (j* (lambda (x) (* x (shift k (cdr (j* (lambda (z) (cdr (k z))) 2 1))))) 3 1))": "1.0",
    # resumed within a resumption that is not over: each x has a tag of its own. With one for both, the slope
    # of x (the inner one) times x (the outer one) would be 6, and the whole (18 . 6)
    "(reset (j* (lambda (x) (* x ((shift k (k (lambda (x) (cdr (k (lambda (y) x)))))) x))) 3 1))": (
        "(9.0 . 6.0)"
    ),
    # the receiver runs outside of j*, so its x has no tangent, as with raise
    "(reset (j* (lambda (x) (* x (shift k (k (* 2 x))))) 3 1))": "(18.0 . 6.0)",
    # captured by two derivatives
    "(reset (cdr (j* (lambda (x) (cdr (j* (lambda (y) (* x y y (shift k (+ (k 1) (k 10))))) 2 1))) 3 1)))": (
        "44.0"
    ),
    # in each mode, where the reset is inside
    "(cdr (*j (lambda (x) (reset (* x (shift k (+ (k x) (k (k x))))))) 2 1))": "16.0",
    "(cdr (checkpoint-*j (lambda (x) (cdr (*j (lambda (x) (reset (* x (shift k (k (k x)))))) x 1))) 2 1))": (
        "12.0"
    ),
    # a capsule of a run that has captured, resumed twice
    "(let ((z (interrupt (lambda (x) (reset (* x (shift k (+ (k x) (k 1)))))) 3 60))) (* 12 (resume z)))": (
        "144.0"
    ),
}


@pytest.mark.parametrize("text", DERIVATIVES)
def test_derivatives(text: str, engine: Engine) -> None:
    assert write_value(value_of(text, engine)) == DERIVATIVES[text]


STEPS = ("(*j f 2 1)", "(checkpoint-*j f 2 1)", "(primops f 2)", "(interrupt f 2 500)")


@pytest.mark.parametrize("step", STEPS)
def test_a_shift_does_not_leave_a_step(step: str, engine: Engine) -> None:
    text = f"(define (f x) (* x (shift k (k x))))\n(reset {step})"
    with pytest.raises(RunError) as caught:
        value_of(text, engine)
    error = caught.value
    assert error.message == f"(find-reset {step[1:].split(maxsplit=1)[0]}): {NO_RESET_HERE}"
    assert str(error.span) == "<test>:1:20"
    assert error.__notes__ == ["the shift is inside of what runs as one step at <test>:2:8"]


def test_a_shift_does_not_leave_a_lane(engine: Engine) -> None:
    with pytest.raises(RunError) as caught:
        value_of("(reset (map (lambda (x) (* x (shift k (k x)))) (ones '(3))))", engine)
    assert caught.value.message.startswith(
        "(find-reset map): this shift has no reset in what runs as a whole here"
    )
    assert (caught.value.lanes, caught.value.__notes__) == ((Lane("vmap", 0, "lane"),), ["in lane 0 of vmap"])


def test_a_missing_reset_can_be_handled_where_the_shift_is(engine: Engine) -> None:
    text = "(cdr (*j (lambda (x) (* x (handle (shift k 1) (e) (* x x)))) 3 1))"
    assert value_of(text, engine) == 27.0


ESCAPING = "(define (g x) (* x (shift k (k 2)))) (cdr (reset (cons 1 (lambda (x) (g x)))))"


def test_a_procedure_that_is_called_from_outside(engine: Engine) -> None:
    f = value_of(ESCAPING, engine)
    calls = (
        lambda: runs.call_values(f, 3.0, engine),
        lambda: runs.primops_values(f, 3.0, engine),
        lambda: runs.jvp_values(f, 3.0, 1.0, engine),
        lambda: runs.call_of(f, 3.0, engine).vjp(1.0, Plain(), ("x", "ybar")),
    )
    for call in calls:
        with pytest.raises(RunError) as caught:
            call()
        assert caught.value.message.startswith(
            "(find-reset call): this shift has no reset in what runs as a whole here"
        )
        assert str(caught.value.span) == "<test>:1:20"


def test_a_handler_that_receives_a_missing_reset_of_a_call(engine: Engine) -> None:
    f = value_of("(lambda (x) (handle (shift k 1) (e) x))", engine)
    with pytest.raises(RunError) as caught:
        runs.call_values(f, 3.0, engine)
    assert caught.value.message.startswith("a shift has no reset in this call, and a handler received that")


def test_a_tag_must_be_comparable(engine: Engine) -> None:
    with pytest.raises(RunError) as caught:
        value_of("(define (f t) (reset-at t (+ 1 (shift-at t k 2)))) (f 3)", engine)
    assert caught.value.message == "(eq? 3.0 3.0): only symbols, strings, booleans and () can be compared"
    assert str(caught.value.span) == "<test>:1:25"


def test_a_deep_continuation(engine: Engine) -> None:
    """Capturing, resuming and reversing are not bounded by any stack."""
    deep = "(define (f n x) (if (= n 0) (shift k (+ (k x) (k 1))) (+ 1 (f (- n 1) x))))"
    f = value_of(f"{deep} (lambda (x) (reset (f {DEPTH[engine.name]} x)))", engine)
    assert runs.vjp_values(f, 2.0, 1.0, engine, Plain()) == (2.0 * DEPTH[engine.name] + 3.0, 1.0)


DEPTH = {"interp": 3_000, "hybrid": 3_000, "c": 100_000}
