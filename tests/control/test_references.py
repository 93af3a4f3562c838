"""References: what they share with whom, where they cannot be changed, and as Python sees them."""

from __future__ import annotations

from pathlib import Path

import pytest

import checkpoint
from checkpoint.driver.engine import Engine
from checkpoint.errors import RunError
from checkpoint.lang.printer import write_value
from tests.support.corpus import engine_name, usable_engines, value_of

pytestmark = pytest.mark.parametrize("engine", usable_engines(), ids=engine_name)

VALUES = {
    "(let* ((r (ref 1)) (s r)) (begin (:= s 2) (! r)))": "2.0",
    "(let ((r (ref (inl 1)))) (:= r (inr '(2))))": "[#(inr (2.0))]",
    # a continuation shares what it refers to, a capsule has copies: each resumption counts from the cut
    "(let ((r (ref 0))) (reset (begin (shift k (begin (k 0) (k 0) (! r))) (:= r (+ (! r) 1)))))": "2.0",
    """(let* ((count (lambda (r) (! (:= r (+ (! r) 1)))))
              (z (interrupt (lambda (x) (let ((r (ref x))) (begin (count r) (count r)))) 5 16)))
         (list (resume z) (resume z)))""": "(7.0 7.0)",
    """(let ((f (lambda (x) (let ((r (ref x))) (begin (:= r (* (! r) (! r))) (! r))))))
         (list (*j f 3 1) (j* f 3 1)))""": "((9.0 . 6.0) (9.0 . 6.0))",
}


@pytest.mark.parametrize("text", VALUES)
def test_values(text: str, engine: Engine) -> None:
    assert write_value(value_of(text, engine)) == VALUES[text]


OUTSIDE = (
    "this reference was made outside of what runs here and cannot be changed: make one inside, (ref (! r)), "
    "and return it"
)


@pytest.mark.parametrize("operator", ["*j", "checkpoint-*j"])
def test_what_a_step_runs_changes_nothing_outside(operator: str, engine: Engine) -> None:
    with pytest.raises(RunError) as caught:
        value_of(f"(let ((r (ref 1))) ({operator} (lambda (x) (! (:= r x))) 2 1))", engine)
    assert caught.value.message == OUTSIDE
    assert str(caught.value.span).startswith("<test>:1:")


# Of what a j* refers to when it is captured there are copies: read as ever, changed by nobody.
CAPTURED = {
    "(reset (j* (lambda (x) (let ((r (ref (* x x)))) (begin (shift k (k 0)) (! r)))) 3 1))": "(9.0 . 6.0)",
    "(reset (j* (lambda (x) (let ((r (ref x))) (begin (:= r (* x x)) (* (shift k (k 2)) (! r))))) 3 1))": (
        "(18.0 . 12.0)"
    ),
    "(reset (j* (lambda (x) (let ((r (ref (* x (shift k (k 2)))))) (! (:= r (* (! r) x))))) 3 1))": (
        "(18.0 . 12.0)"
    ),
}


@pytest.mark.parametrize("text", CAPTURED)
def test_derivatives_that_are_captured(text: str, engine: Engine) -> None:
    assert write_value(value_of(text, engine)) == CAPTURED[text]


# By the receiver, whose change would have no tangent (8 for 5) or be lost outside; and by what is resumed.
CHANGED = (
    "(reset (j* (lambda (x) (let ((r (ref x))) (begin (shift k (begin (:= r 5) (k 0))) (* x (! r))))) 3 1))",
    "(let ((r (ref 0))) (reset (j* (lambda (x) (* x (shift k (begin (:= r 1) (k 2))))) 3 1)))",
    "(reset (j* (lambda (x) (let ((r (ref x))) (begin (shift k (k 0)) (:= r (* (! r) x)) (! r)))) 3 1))",
    "(let ((r (ref 1))) (reset (j* (lambda (x) (begin (shift k (k 0)) (! (:= r (* x x))))) 3 1)))",
)


@pytest.mark.parametrize("text", CHANGED)
def test_what_a_captured_derivative_refers_to_is_not_changed(text: str, engine: Engine) -> None:
    with pytest.raises(RunError) as caught:
        value_of(text, engine)
    assert caught.value.message == OUTSIDE


def test_as_python_sees_them(engine: Engine) -> None:
    f = checkpoint.read("(lambda (x) (list (ref x) (inl (* x x))))")
    assert f.call((3.0,), {}, engine.name).value() == [[3.0], ("inl", 9.0)]
    assert checkpoint.jvp(f, 3.0, 1.0, engine=engine.name)[1] == [[1.0], (None, 6.0)]


def test_continuations_in_files(engine: Engine, tmp_path: Path) -> None:
    """A capsule that holds continuations and references is a file as others are."""
    text = "(lambda (x) (let ((r (ref x))) (reset (* (! (:= r (+ (! r) (shift k (+ (k 1) (k x)))))) x))))"
    f = checkpoint.read(text, engine=engine.name)
    steps = checkpoint.primops(f, 2.0, engine=engine.name)
    for cut in range(0, steps, 5):
        if engine.name != "interp":
            capsule = checkpoint.interrupt(f, 2.0, cut, engine=engine.name)
            capsule.save(tmp_path / "z")
            assert checkpoint.resume(checkpoint.load(tmp_path / "z", f)) == 14.0
