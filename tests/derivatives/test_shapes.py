"""Tangents and cotangents have the shapes of their values; another shape is an error that names the path."""

from __future__ import annotations

import pytest

import checkpoint
from checkpoint.driver.engine import Engine
from checkpoint.errors import RunError
from checkpoint.lang.printer import write_value
from tests.support.corpus import engine_name, usable_engines, value_of

pytestmark = [
    pytest.mark.parametrize("engine", usable_engines(), ids=engine_name),
    pytest.mark.engines_in_turn,
]

NOTHING = "nothing, which is ()"

WRONG = {
    "(j* car '(1 2) 1)": "(j* #<procedure car> (1.0 2.0) 1.0): the tangent must be a pair, not a real",
    "(j* car '(1 2) '(1 a))": (
        "(j* #<procedure car> (1.0 2.0) (1.0 a)): the tangent at cdr, car must be a real, not a symbol"
    ),
    "(j* sin 1 '())": "(j* #<procedure sin> 1.0 ()): the tangent must be a real, not ()",
    "(j* sin 1 #t)": "(j* #<procedure sin> 1.0 #t): the tangent must be a real, not a boolean",
    "(j* car '(1 #t) '(1 1))": (
        f"(j* #<procedure car> (1.0 #t) (1.0 1.0)): the tangent at cdr, car must be {NOTHING}, not a real"
    ),
    "(*j car '(1 2) '(1))": (
        "(*j #<procedure car> (1.0 2.0) (1.0)): the cotangent must be a real, not a pair"
    ),
    "(checkpoint-*j cdr '(1 (2 . a) 3) '((1 . 1) 1))": (
        "(checkpoint-*j #<procedure cdr> (1.0 (2.0 . a) 3.0) ((1.0 . 1.0) 1.0)): "
        f"the cotangent at car, cdr must be {NOTHING}, not a real"
    ),
    '(*j (lambda (x) (list x "s")) 1 \'(1 "s"))': (
        f'(*j #<procedure> 1.0 (1.0 "s")): the cotangent at cdr, car must be {NOTHING}, not a str'
    ),
    "(*j (lambda (x) (list 1 (lambda (y) x))) 1 '(1 1))": (
        "(*j #<procedure> 1.0 (1.0 1.0)): the cotangent at cdr, car must be that of a procedure or capsule "
        "that holds 1 real, not a real"
    ),
    "(*j (lambda (x) (lambda (y) (* x y))) 1 (lambda (y) y))": (
        "(*j #<procedure> 1.0 #<procedure>): the cotangent must be that of a procedure or capsule that holds "
        "1 real, not a closure"
    ),
    "(let ((a 1) (b 2)) (j* (lambda (f) (f 1)) (lambda (x) (* a b x)) 1))": (
        "(j* #<procedure> #<procedure> 1.0): the tangent must be that of a procedure or capsule that holds "
        "2 reals, not a real"
    ),
    "(*j (lambda (x) (lambda (y) (* x y))) 1 (cdr (*j (lambda (f) 1) (let ((a 1) (b 2)) "
    "(lambda (x) (+ a b))) 1)))": (
        "(*j #<procedure> 1.0 #<opaque>): the cotangent must be that of a procedure or capsule that holds "
        "1 real, not that of another procedure or capsule"
    ),
}

OPAQUE = {
    "(F 2)": "(#<opaque> 2.0): not a procedure",
    "(car F)": "(car #<opaque>): not a pair",
    "(+ 1 F)": "(+ 1.0 #<opaque>): operand 2 is not a real",
    "(resume F)": "(resume #<opaque>): not a capsule",
    "(if F 1 2)": "(if #<opaque>): the test must be #t or #f",
    "(eq? F F)": "(eq? #<opaque> #<opaque>): only symbols, strings, booleans and () can be compared",
}


@pytest.mark.parametrize("text", WRONG)
def test_wrong_shapes(text: str, engine: Engine) -> None:
    with pytest.raises(RunError) as caught:
        value_of(text, engine)
    assert caught.value.message == WRONG[text]


@pytest.mark.parametrize("text", OPAQUE)
def test_what_is_opaque_cannot_be_used(text: str, engine: Engine) -> None:
    tangent = "(let ((F (cdr (j* (lambda (x) (lambda (y) (* x y))) 3 1)))) {})"
    with pytest.raises(RunError) as caught:
        value_of(tangent.format(text), engine)
    assert caught.value.message == OPAQUE[text]


def test_what_is_opaque_is_no_data(engine: Engine) -> None:
    text = """
    (let ((f (cdr (j* (lambda (x) (lambda (y) (* x y))) 3 1))))
      (list (procedure? f) (pair? f) (real? f) (null? f) (boolean? f) (symbol? f) (string? f) f))"""
    assert write_value(value_of(text, engine)) == "(#f #f #f #f #f #f #f #<opaque>)"


def test_everything_without_reals_has_nothing(engine: Engine) -> None:
    text = """
    (define (f x) (list #t 'a "s" '() x))
    (list (cdr (j* f 1 2)) (cdr (*j f 1 '(() () () () 3)))
          (cdr (*j (lambda (l) 1) (list 1 #t 'a "s" '() (cons 2 'b)) 5)))"""
    value = write_value(value_of(text, engine))
    assert value == "((() () () () 2.0) 3.0 (0.0 () () () () (0.0)))"


# The same at the boundary of Python


def read(text: str, engine: Engine) -> object:
    return checkpoint.read(text, engine=engine.name)


def test_wrong_cotangents_from_python(engine: Engine) -> None:
    f = read("(lambda (x) (list x (* x x)))", engine)
    wrong: list[tuple[object, str]] = [
        (None, "ybar must be given: the value is no real, its shape is (real real)"),
        (1.0, "the cotangent ybar must be a pair, not a real"),
        ([1.0], "the cotangent ybar at cdr must be a pair, not ()"),
        ([1.0, 1.0, 1.0], f"the cotangent ybar at cdr, cdr must be {NOTHING}, not a pair"),
        ([1.0, True], "the cotangent ybar at cdr, car must be a real, not a boolean"),
        ([1.0, None], "the cotangent ybar at cdr, car must be a real, not ()"),
    ]
    for ybar, message in wrong:
        with pytest.raises(RunError) as caught:
            checkpoint.vjp(f, 2.0, ybar, engine=engine.name)
        assert str(caught.value) == message


def test_wrong_tangents_from_python(engine: Engine) -> None:
    f = read("(lambda (x) (car x))", engine)
    for xtan, message in [
        (1.0, "the tangent xtan must be a pair, not a real"),
        ((1.0, None), "the tangent xtan at cdr must be a real, not ()"),
    ]:
        with pytest.raises(RunError) as caught:
            checkpoint.jvp(f, (1.0, 2.0), xtan, engine=engine.name)
        assert caught.value.message == message


def test_cotangents_of_python_arguments_have_their_structure(engine: Engine) -> None:
    f = read("(lambda (x) (* (car x) (car (cdr (cdr (car (cdr x)))))))", engine)
    x = [2.0, ["name", True, 3.0, []], (1.0, False)]
    y, xbar = checkpoint.vjp(f, x, engine=engine.name)
    assert y == 6.0
    assert xbar == [3.0, [None, None, 2.0, []], (0.0, None)]


def test_arguments_without_a_real_are_refused(engine: Engine) -> None:
    f = read("(lambda (x) 1)", engine)
    for x in (True, [], "text", [None, "text"]):
        with pytest.raises(RunError) as caught:
            checkpoint.vjp(f, x, engine=engine.name)
        assert caught.value.message == "the argument holds no real: there is nothing to differentiate"


def test_the_cotangent_of_a_real_is_one_unless_given(engine: Engine) -> None:
    f = read("(lambda (x) (* x x x))", engine)
    assert checkpoint.vjp(f, 2, engine=engine.name) == (8.0, 12.0)
    assert checkpoint.vjp(f, 2.0, 2, engine=engine.name) == (8.0, 24.0)


def test_procedures_and_capsules_cross_the_boundary(engine: Engine) -> None:
    """A cotangent of a capsule is opaque to Python, too, and continues through the chain rule."""
    f = read("(lambda (x) (let ((y (* x x))) (* y (sin y))))", engine)
    cut = read("(lambda (f) (lambda (x) (interrupt f x 4)))", engine)
    z = checkpoint.interrupt(f, 0.5, 4, engine=engine.name)
    y, zbar = checkpoint.vjp(checkpoint.resume, z, 1.0)
    assert (y, checkpoint.primops(checkpoint.resume, z)) == (
        checkpoint.resume(z),
        checkpoint.primops(f, 0.5, engine=engine.name) - 4,
    )
    again, xbar = checkpoint.vjp(cut(f), 0.5, zbar, engine=engine.name)  # type: ignore[operator]
    assert again.steps == 4
    assert (y, xbar) == checkpoint.vjp(f, 0.5, 1.0, engine=engine.name)
