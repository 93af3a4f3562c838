"""Procedures of texts that meet procedures of other texts, of which some shift."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import checkpoint
from checkpoint.driver.engine import Engine
from checkpoint.driver.raised import NO_RESET_HERE
from checkpoint.errors import RunError
from checkpoint.functions.procedures import Procedure
from tests.cli.support import checkpoint as command
from tests.support.corpus import engine_name, usable_engines

engines = pytest.mark.parametrize("engine", usable_engines(), ids=engine_name)

SHIFTS = "(lambda (x) (* x (shift k (+ (k x) (k (* 2 x))))))"
OTHER = "(lambda (x) (* x (shift-at 'other k (+ (k x) (k (* 2 x))))))"

# Texts that take a list of a procedure and a number, and the same with the procedure written in.
TEXTS = {
    "reset": "(lambda ((list g x)) (reset (* 2 (g x))))",
    "tests": "(lambda ((list g x)) (reset (if (> (g x) 0) (* x x) x)))",
    "data": "(lambda ((list g x)) (reset (car (cons (* x x) (g x)))))",
    "loop": (
        "(define (turn g n x) (if (= n 0) x (turn g (- n 1) (g x)))) "
        "(lambda ((list g x)) (reset (turn g 2 x)))"
    ),
    "captured": (
        "(define (made f a) (lambda (x) (* a (f x)))) (lambda ((list g x)) (reset ((made (made g 2) x) x)))"
    ),
    "prelude": "(lambda ((list g x)) (reset (reduce + 0 (map g (list x 1)))))",
    "shifts, too": "(lambda ((list g x)) (reset (+ (g x) (shift k (* (k 1) (k 2))))))",
    "handles": "(lambda ((list g x)) (handle (reset (raise (* 2 (g x)))) (e) (* 10 e)))",
    "forward": "(lambda ((list g x)) (reset (cdr (j* g x 1))))",
    "reverse": "(lambda ((list g x)) (cdr (checkpoint-*j (lambda (x) (reset (* 2 (g x)))) x 1)))",
}


@engines
@pytest.mark.parametrize("name", TEXTS)
def test_a_procedure_of_another_text(name: str, engine: Engine) -> None:
    f, written_in = (
        checkpoint.read(TEXTS[name]),
        checkpoint.read(f"(define (g x) ({SHIFTS} x)) {_with_g(name)}"),
    )
    g = checkpoint.read(SHIFTS)
    known, slope = checkpoint.value_and_grad(written_in, engine=engine.name)(1.5)
    value, (opaque, cotangent) = checkpoint.value_and_grad(f, engine=engine.name)([g, 1.5])
    assert (value, cotangent) == (known, slope)
    assert checkpoint.jvp(f, [g, 1.5], [opaque, 1.0], engine=engine.name)[1] == pytest.approx(slope)
    steps = checkpoint.primops(f, [g, 1.5], engine=engine.name)
    for cut in range(0, steps, 1 if engine.name == "c" else steps // 5):
        assert checkpoint.resume(checkpoint.interrupt(f, [g, 1.5], cut, engine=engine.name)) == known


def _with_g(name: str) -> str:
    return TEXTS[name].replace("((list g x))", "(x)")


@engines
def test_a_shift_to_another_tag_leaves_resets(engine: Engine) -> None:
    """Also those of a text whose own shifts have one tag, which ends all of them."""
    inner = "(reset (* 2 (g (shift k (k x)))))"
    f = checkpoint.read(f"(lambda (g) (lambda (x) {inner}))")
    outer = checkpoint.read("(lambda ((list f x)) (reset-at 'other (+ 1 (f x))))")
    apart = outer([f(checkpoint.read(OTHER)), 1.5])
    assert apart == checkpoint.read(
        f"(define (g x) ({OTHER} x)) (define x 1.5) (reset-at 'other (+ 1 {inner}))"
    )


@engines
def test_steps_without_such_procedures_stay(engine: Engine) -> None:
    f, plain = checkpoint.read(TEXTS["loop"]), checkpoint.read("(lambda (x) (* x x))")
    steps = checkpoint.primops(f, [plain, 1.5], engine=engine.name)
    assert checkpoint.primops(f, [checkpoint.read(SHIFTS), 1.5], engine=engine.name) > steps
    assert checkpoint.primops(f, [plain, 1.5], engine=engine.name) == steps


@engines
def test_what_cannot_be_made_again_is_refused(engine: Engine) -> None:
    g = checkpoint.read(SHIFTS)
    rest = checkpoint.read("(define (f x) (+ x (shift k k))) (reset (f 1))")
    assert isinstance(rest, Procedure)
    with pytest.raises(RunError, match="is a continuation, or of another text, and cannot meet"):
        checkpoint.read(TEXTS["reset"])([checkpoint.read("(lambda (h) (lambda (x) (h x)))")(rest), g])
    calls: Any = checkpoint.read("(lambda ((list g x)) (if (g x) x 0))")
    with pytest.raises(RunError) as caught:
        checkpoint.value_and_grad(calls, engine=engine.name)([g, 1.5])
    assert NO_RESET_HERE in caught.value.message


def test_an_included_file_that_has_changed(tmp_path: Path) -> None:
    (tmp_path / "part.vlad").write_text("(define (twice g x) (g (g x)))")
    (tmp_path / "whole.vlad").write_text('(include "part.vlad") (lambda ((list g x)) (reset (twice g x)))')
    f = checkpoint.read(tmp_path / "whole.vlad")
    (tmp_path / "part.vlad").write_text("(define (twice g x) (let ((h (lambda (y) (g y)))) (h (h x))))")
    with pytest.raises(RunError, match=r"a file that .*whole\.vlad includes has changed since"):
        f([checkpoint.read(SHIFTS), 1.5])


def test_arguments_of_commands(tmp_path: Path) -> None:
    (tmp_path / "f.vlad").write_text(TEXTS["tests"])
    done = command("grad", "f.vlad", "--x", f"(list {SHIFTS} 1.5)", cwd=tmp_path)
    assert (done.stdout.splitlines(), done.stderr) == (["4.5", "(#<opaque> 6.0)"], "")
