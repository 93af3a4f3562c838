"""The messages of a program with tensors that fails, and the places that they name."""

from __future__ import annotations

import pytest

import checkpoint
from checkpoint.driver.engine import Engine
from checkpoint.errors import RunError, SourceError
from tests.support.corpus import engine_name, usable_engines

pytestmark = pytest.mark.engines_in_turn

ENGINES = usable_engines()

# Between « and » is what fails, and the message says how.
FAILING = {
    "(+ 1 «(+ (ones 2) (ones 3))»)": "operands could not be broadcast together",
    "«(matmul (ones '(2 3)) (ones '(2 3)))»": "mismatch in its core dimension",
    "«(* (ones 2) 'a)»": "(* #<tensor (2) (1.0 1.0)> a): operand 2 is neither a real nor a tensor",
    "«(exp (list->tensor '(1 1000)))»": "overflow encountered in exp",
    "«(/ (ones 2) 0)»": "divide by zero encountered in divide",
    "«(log (list->tensor '(1 -1)))»": "invalid value encountered in log",
    "«(sqrt (list->tensor '(-1)))»": "invalid value encountered in sqrt",
    "«(list->tensor '(1 (2 3)))»": "the lists differ in length, or the tensors in shape",
    "«(list->tensor '(1 a))»": "a list of reals is needed, or of lists of them, or of tensors",
    "«(zeros 'a)»": "(zeros a): a shape is a list of reals, such as (list 2 3)",
    "«(zeros '(2 1.5))»": "whole numbers, not 1.5",
    "«(zeros '(2 -1))»": "negative dimensions are not allowed",
    "«(fill 2 (ones 2))»": "operand 2 is not a real",
    "«(view (ones 3) 2)»": "cannot reshape array of size 3 into shape (2,)",
    "«(expand (ones 3) 2)»": "operands could not be broadcast together",
    "«(permute (ones 3) '(1))»": "axis 1 is out of bounds",
    "«(narrow (ones 3) 0 2 2)»": "axis 0 has 3 elements: there is no stretch from 2 to 4",
    "«(crop (ones 3) 1 0 0)»": "there is no axis 1 in a tensor of 1 axes, which count from 0",
    "«(sum (ones 3) -1)»": "there is no axis -1 in a tensor of 1 axes, which count from 0",
    "«(tensor-ref (ones 3) 3)»": "there is no row 3 in a tensor of 3; the first is row 0",
    "«(tensor-ref 2 0)»": "operand 1 is not a tensor",
    "«(concat (ones 3) 0)»": "operand 1 is not a list of tensors",
    "«(concat (list (ones 3) (ones '(3 1))) 0)»": "must have same number of dimensions",
    "«(addmv (ones 3) (ones 3) (ones 3))»": "operand 2 has 1 axes, not 2",
    "«(addmm 'a (ones '(3 3)) (ones '(3 3)))»": "operand 1 is neither a real nor a tensor",
    "«(addr (ones 3) (ones 2) (ones 2))»": "operands could not be broadcast together",
    "«(maxall (zeros 0))»": "zero-size array",
    "«(randn 3 2)»": "a key is an array of two uint64",
    "«(real (ones 2))»": "operand 1 is a tensor of 2 elements, not of one",
    "«(write-real (ones 1))»": "operand 1 is not a real",
    "«(car (ones 2))»": "(car #<tensor (2) (1.0 1.0)>): not a pair",
    "«((ones 2) 1)»": "(#<tensor (2) (1.0 1.0)> 1.0): not a procedure",
    "«(if (ones 1) 1 2)»": "(if #<tensor (1) (1.0)>): the test must be #t or #f",
    "«(if (< (ones 2) 1) 1 2)»": "(if #<tensor (2) (#f #f)>)",
    "«(j* sumall (ones 2) (ones 3))»": (
        "the tangent must be an array of float64 of shape (2,), not an array of float64 of shape (3,)"
    ),
    "«(*j sumall (ones 2) (ones 2))»": (
        "the cotangent must be a real, not an array of float64 of shape (2,)"
    ),
    "«(raise (ones 2))»": "uncaught raise: #<tensor (2) (1.0 1.0)>",
}


@pytest.mark.parametrize("within", ["", "j*", "*j", "checkpoint-*j"])
@pytest.mark.parametrize("marked", FAILING)
@pytest.mark.parametrize("engine", ENGINES, ids=engine_name)
def test_failures(marked: str, within: str, engine: Engine) -> None:
    start, end = marked.index("«"), marked.index("»") - 1
    text = marked.replace("«", "").replace("»", "")
    program = f"({within} (lambda (x)\n{text}) 2 1)" if within else f"(let ((x 1))\n{text})"
    with pytest.raises(RunError) as caught:
        checkpoint.read(program, engine=engine.name)
    assert FAILING[marked] in str(caught.value)
    span = caught.value.span
    assert span is not None
    assert program[span.start : span.end] == text[start:end]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(ones 2 3)", "ones takes 1 operand, but here are 2; write (ones a)"),
        ("(narrow x)", "unbound variable x"),
        ("(narrow 1)", "narrow takes 4 operands, but here is 1; write (narrow a b c d)"),
        ("(bddbmm 1 2 3)", "unbound variable bddbmm; did you mean baddbmm?"),
    ],
)
def test_texts_that_are_refused(text: str, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        checkpoint.read(text)
    assert message in str(caught.value)


def test_failures_are_handled() -> None:
    assert checkpoint.read("(handle (sumall (+ (ones 2) (ones 3))) (e) 7)") == 7.0
