"""Calls that become jumps are visible in the frames that blocks push: ends with a return point."""

from __future__ import annotations

import pytest

from checkpoint.cps import blocks as b
from tests.cps.support import all_blocks, compiled

COUNT = "(let loop ((i x) (y 1)) (if (zero? i) y (loop (- i 1) (* y i))))"

# Texts with the names that become loops.
LOOPS = {
    "a loop": (f"(lambda (x) {COUNT})", {"loop"}),
    "a loop whose value is used": (f"(lambda (x) (+ 1 {COUNT}))", {"loop"}),
    "a loop within a loop": (
        (
            "(lambda (x) (let outer ((i x)) (if (zero? i) x"
            " (outer (let inner ((k i)) (if (zero? k) (- i 1) (inner (- k 1))))))))"
        ),
        {"outer", "inner"},
    ),
    "three loops, each within the last": (
        (
            "(lambda (x) (let a ((i x)) (if (zero? i) 0 (a (let b ((j i)) (if (zero? j) (- i 1)"
            " (b (let c ((k j)) (if (zero? k) (- j 1) (c (- k 1)))))))))))"
        ),
        {"a", "b", "c"},
    ),
    "a loop that leaves from the middle of another": (
        (
            "(lambda (x) (let outer ((i x)) (if (zero? i) x"
            " (let inner ((k i)) (if (zero? k) (outer (- i 1)) (inner (- k 1)))))))"
        ),
        {"outer", "inner"},
    ),
    "mutual tail recursion": (
        (
            "(lambda (x) (letrec ((even (lambda (i) (if (zero? i) #t (odd (- i 1)))))"
            " (odd (lambda (i) (if (zero? i) #f (even (- i 1)))))) (even x)))"
        ),
        {"even", "odd"},
    ),
    "a loop called inside a handler": (f"(lambda (x) (handle {COUNT} (e) 0))", {"loop"}),
    "a loop in what handles": (f"(lambda (x) (handle (raise x) (e) {COUNT}))", {"loop"}),
    "two calls with one continuation": (
        (
            "(lambda (x) (letrec ((loop (lambda (i) (if (zero? i) i (loop (- i 1))))))"
            " (if (< x 5) (loop x) (loop (+ x 1)))))"
        ),
        {"loop"},
    ),
}

# Texts with a name that does not become a loop.
FUNCTIONS = {
    "recursion that is no tail call": (
        "(lambda (x) (let down ((i x)) (if (zero? i) 1 (* i (down (- i 1))))))",
        "down",
    ),
    "a function that escapes": (
        "(lambda (x) (letrec ((f (lambda (i) (if (zero? i) i (f (- i 1)))))) (cons (f x) f)))",
        "f",
    ),
    "a function with two continuations": (
        "(lambda (x) (letrec ((f (lambda (i) (if (zero? i) i (f (- i 1)))))) (+ (f x) (f 3))))",
        "f",
    ),
    "a function called from another": (
        "(lambda (x) (letrec ((f (lambda (i) (if (zero? i) i (f (- i 1)))))) (lambda (y) (f y))))",
        "f",
    ),
    "a call in a handler, of a loop outside of it": (
        "(lambda (x) (let f ((i x)) (if (zero? i) i (handle (f (- i 1)) (e) 0))))",
        "f",
    ),
    "a call with the wrong number of arguments": (
        "(lambda (x) (letrec ((f (lambda (i) (if (zero? i) i (f (- i 1)))))) (f x x)))",
        "f",
    ),
    "a function that nobody calls": ("(lambda (x) (letrec ((f (lambda (i) (f i)))) x))", "f"),
}


def frames(blocks: list[b.Block]) -> int:
    """Return the number of ends that push a frame."""
    return sum(isinstance(block.end, b.Call | b.Control) and block.end.ret is not None for block in blocks)


@pytest.mark.parametrize(("text", "names"), LOOPS.values(), ids=LOOPS)
def test_becomes_loops_without_frames(text: str, names: set[str]) -> None:
    found = compiled(text)
    blocks = all_blocks(found)
    assert set(found.loops.of_name) == names
    assert {procedure.name for procedure in found.blocks} == {"program", "lambda"}
    assert frames(blocks) == 0
    assert not any(isinstance(block.end, b.Call) for block in blocks)


@pytest.mark.parametrize(("text", "name"), FUNCTIONS.values(), ids=FUNCTIONS)
def test_stays_a_function(text: str, name: str) -> None:
    found = compiled(text)
    assert not found.loops.of_name
    assert name in {procedure.name for procedure in found.blocks}


def test_recursion_pushes_a_frame_for_each_call_that_is_no_tail_call() -> None:
    text = "(lambda (x) (let fib ((i x)) (if (< i 2) i (+ (fib (- i 1)) (fib (- i 2))))))"
    assert frames(all_blocks(compiled(text))) == 2


def test_a_loop_in_a_function_that_is_none() -> None:
    text = f"(lambda (x) (let f ((x x)) (if (zero? x) 1 (+ {COUNT} (f (- x 1))))))"
    found = compiled(text)
    assert set(found.loops.of_name) == {"loop"}
    assert frames(all_blocks(found)) == 1
