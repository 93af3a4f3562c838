"""The messages of failing runs: the exact text, file, line and column, at every level of nesting.

Each failing expression runs by itself, inside every derivative and every two of them, in a rest that is
resumed, while steps are counted, and while a gradient recomputes; the message is always the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

import checkpoint
from checkpoint.api.schedules import SCHEDULES
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Bisection, Plain
from checkpoint.errors import RunError, Source
from checkpoint.functions import runs
from checkpoint.functions.program import load
from tests.support.corpus import engine_name, usable_engines
from tests.support.modes import MODES
from tests.support.world import World

pytestmark = [
    pytest.mark.parametrize("engine", usable_engines(), ids=engine_name),
    pytest.mark.engines_in_turn,
]

NAME = "some/program.vlad"


def python_says(failing: Callable[[], float]) -> str:
    """Return the text of Python's own numerical error, which depends on the version."""
    try:
        failing()
    except (ArithmeticError, ValueError) as error:
        return str(error)
    raise AssertionError("this did not fail")


# Expressions of x, which is 2; the part between « and » fails with the message.
FAILING = {
    "«(+ x 'a)»": "(+ 2.0 a): operand 2 is not a real",
    '(* 3 «(sin "x")»)': '(sin "x"): operand 1 is not a real',
    "«(max #t x)»": "(max #t 2.0): operand 1 is not a real",
    "«(write-real '(1))»": "(write-real (1.0)): operand 1 is not a real",
    "(+ 1 «(car x)»)": "(car 2.0): not a pair",
    "(+ x «(cdr '())»)": "(cdr ()): not a pair",
    "«(car (lambda (y) x))»": "(car #<procedure>): not a pair",
    "«(/ x (- x 2))»": f"(/ 2.0 0.0): {python_says(lambda: 2.0 / 0.0)}",
    "(sqrt «(log (- x))»)": f"(log -2.0): {python_says(lambda: math.log(-2.0))}",
    "«(sqrt -1)»": f"(sqrt -1.0): {python_says(lambda: math.sqrt(-1.0))}",
    "«(expt (- x) 0.5)»": f"(expt -2.0 0.5): {python_says(lambda: math.pow(-2.0, 0.5))}",
    "«(expt 0 (- x))»": f"(expt 0.0 -2.0): {python_says(lambda: 0.0**-2.0)}",
    "«(exp (* 1000 x))»": f"(exp 2000.0): {python_says(lambda: math.exp(2000.0))}",
    "«(modulo x 0)»": f"(modulo 2.0 0.0): {python_says(lambda: 2.0 % 0.0)}",
    "«(square x x)»": "(#<procedure square> 2.0 2.0): the procedure takes 1 argument, not 2",
    "«((lambda (a b) a) x)»": "(#<procedure> 2.0): the procedure takes 2 arguments, not 1",
    "«(x 1)»": "(2.0 1.0): not a procedure",
    "«('(1 a) x)»": "((1.0 a) 2.0): not a procedure",
    "«(if x 1 2)»": "(if 2.0): the test must be #t or #f",
    "(if «(and x #t)» 1 2)": "(if 2.0): the test must be #t or #f",
    "«(eq? x x)»": "(eq? 2.0 2.0): only symbols, strings, booleans and () can be compared",
    '«(raise (list x \'stop "now"))»': 'uncaught raise: (2.0 stop "now")',
    "«(cond ((zero? x) 1) ((negative? x) 2))»": 'uncaught raise: "no clause of this cond applies"',
    "(let ((«(list a b)» (list 1 x 3))) a)": (
        'uncaught raise: "the list is longer than its pattern (list ...)"'
    ),
    "«(resume x)»": "(resume 2.0): not a capsule",
    "«(interrupt square x 4)»": (
        "(interrupt #<procedure square> 2.0 4.0): the run has 3 steps: cannot stop after 4"
    ),
    "«(interrupt square x -1)»": (
        "(interrupt #<procedure square> 2.0 -1.0): a number of steps must be whole and not negative, not -1.0"
    ),
    "«(interrupt square x 1.5)»": (
        "(interrupt #<procedure square> 2.0 1.5): a number of steps must be whole and not negative, not 1.5"
    ),
    "«(interrupt square x 'a)»": "(interrupt #<procedure square> 2.0 a): operand 3 is not a real",
    "«(interrupt resume (interrupt square x 1) 3)»": (
        "(interrupt #<procedure resume> #<capsule 1> 3.0): the run has 2 steps: cannot stop after 3"
    ),
    "«(primops x x)»": "(primops 2.0 2.0): not a procedure",
    "«(j* x x 1)»": "(j* 2.0 2.0 1.0): not a procedure",
    "«(*j (lambda () 1) x 1)»": "(*j #<procedure> 2.0 1.0): the procedure takes 0 arguments, not 1",
    "«(checkpoint-*j 'f x 1)»": "(checkpoint-*j f 2.0 1.0): not a procedure",
    "«(*j resume x 1)»": "(*j #<procedure resume> 2.0 1.0): not a capsule",
    "(+ x «(read-real)»)": "(read-real): end of input",
}

# The ways to run g, which contains the failing expression, at 2.
WITHIN = {
    "call": "(g 2)",
    "waiting": "(let loop ((n 5)) (+ 1 (if (zero? n) (g 2) (loop (- n 1)))))",
    "primops": "(primops g 2)",
    "interrupt": "(interrupt g 2 1000)",
    "resume": "(resume (interrupt g 2 0))",
    "resume-later": "(resume (interrupt (lambda (x) (g (+ x (* 0 (sin x))))) 2 7))",
    "resume-twice": "(resume (interrupt resume (interrupt g 2 0) 0))",
    "handled": "(handle (handle (raise 1) (e) (g (+ e 1))) (e) (raise e))",
    **{mode: f"({mode} g 2 1)" for mode in MODES},
    **{
        f"{inner} in {outer}": f"({outer} (lambda (x) (cdr ({inner} g x 1))) 2 1)"
        for outer, inner in product(MODES, repeat=2)
    },
    "three": "(j* (lambda (x) (*j (lambda (x) (checkpoint-*j g x 1)) x '(1 . 1))) 2 1)",
    **{f"resume in {mode}": f"({mode} (lambda (x) (resume (interrupt g x 0))) 2 1)" for mode in MODES},
    **{f"{mode} of resume": f"({mode} resume (interrupt g 2 0) 1)" for mode in ("*j", "checkpoint-*j")},
}


def program(marked: str) -> tuple[str, str, int, int]:
    """Return a program's text up to its last expression, and the place and length of its failing part."""
    line = f"  {marked})"
    start, end = line.index("«"), line.index("»") - 1
    clean = line.replace("«", "").replace("»", "")
    return f"(define (square x) (* x x))\n(define (g x)\n{clean}\n", clean, start, end


def expected(marked: str) -> str:
    _, line, start, end = program(marked)
    place = f"{NAME}:3:{start + 1}"
    return f"{place}: {FAILING[marked]}\n    3 | {line}\n      | {' ' * start}{'^' * (end - start)}"


def run(text: str, engine: Engine) -> Any:
    with World():
        return runs.run_program(load(Source(NAME, text)), engine)


@pytest.mark.parametrize("within", WITHIN)
@pytest.mark.parametrize("marked", FAILING)
def test_failing_inside_the_language(marked: str, within: str, engine: Engine) -> None:
    with pytest.raises(RunError) as caught:
        run(program(marked)[0] + WITHIN[within], engine)
    if within == "handled":  # raised again, it fails where that is done
        assert f"{caught.value.message}\n" in expected(marked)
        assert str(caught.value).startswith(f"{NAME}:4:")
    else:
        assert str(caught.value) == expected(marked)


API: dict[str, Callable[[Any, Engine], object]] = {
    "call": lambda f, engine: runs.call_values(f, 2.0, engine),
    "primops": lambda f, engine: runs.primops_values(f, 2.0, engine),
    "interrupt": lambda f, engine: runs.interrupt_values(f, 2.0, 1000, engine),
    "resume": lambda f, engine: runs.call_values(
        runs.RESUME, runs.interrupt_values(f, 2.0, 1, engine), engine
    ),
    "count rest": lambda f, engine: runs.primops_values(
        runs.RESUME, runs.interrupt_values(f, 2.0, 1, engine), engine
    ),
    "jvp": lambda f, engine: runs.jvp_values(f, 2.0, 1.0, engine),
    "plain": lambda f, engine: runs.vjp_values(f, 2.0, 1.0, engine, Plain()),
    "bisection": lambda f, engine: runs.vjp_values(f, 2.0, 1.0, engine, Bisection(1)),
    "bisection of rest": lambda f, engine: runs.vjp_values(
        runs.RESUME, runs.interrupt_values(f, 2.0, 0, engine), 1.0, engine, Bisection(2)
    ),
}


@pytest.mark.parametrize("call", API)
@pytest.mark.parametrize("marked", FAILING)
def test_failing_in_calls_from_outside(marked: str, call: str, engine: Engine) -> None:
    g = run(program(marked)[0] + "g", engine)
    with pytest.raises(RunError) as caught, World():
        API[call](g, engine)
    assert str(caught.value) == expected(marked)


@pytest.mark.parametrize("base", [1, 5, 40, 10_000])
def test_failing_long_after_the_first_base_case(base: int, engine: Engine) -> None:
    """The run fails after the first pass has left its tape; what was written before stays written."""
    text = (
        "(lambda (x)\n (let loop ((i 0) (y x))\n  (if (= i 30) (car (write-real y)) (loop (+ i 1) (sin y)))))"
    )
    f = run(text, engine)
    with World() as world, pytest.raises(RunError) as caught:
        runs.vjp_values(f, 2.0, 1.0, engine, Bisection(base))
    assert str(caught.value.span) == f"{NAME}:3:16"
    assert caught.value.message == f"(car {world.written.strip()}): not a pair"
    assert world.written.count("\n") == 1


def test_input_that_is_no_real(engine: Engine) -> None:
    for word in ("x", "1.5.2", "(1)", "--1"):
        with pytest.raises(RunError) as caught, World(f" {word} 3"):
            runs.run_program(load(Source(NAME, "(+ 1\n (read-real))")), engine)
        assert caught.value.message == f"(read-real): {word!r} on standard input is not a real"
        assert str(caught.value.span) == f"{NAME}:2:2"


# Arguments of the interface


def test_wrong_arguments_of_the_interface(engine: Engine) -> None:
    name = engine.name
    not_whole: Any = 1.0
    no_schedule: Any = checkpoint.Bisection
    f = checkpoint.read("(lambda (x) (* x x))", engine=name)
    wrong: dict[str, Callable[[], object]] = {
        "a number of steps must be an integer, not 1.0": lambda: checkpoint.interrupt(
            f, 2.0, not_whole, engine=name
        ),
        "a number of steps must be an integer, not True": lambda: checkpoint.interrupt(
            f, 2.0, True, engine=name
        ),
        "cannot interrupt after 4 steps: the run has 3": lambda: checkpoint.interrupt(f, 2.0, 4, engine=name),
        "a number of steps must be 0 or more, not -1": lambda: checkpoint.interrupt(f, 2.0, -1, engine=name),
        "resume takes a capsule, not a float": lambda: checkpoint.resume(not_whole),
        "not a capsule": lambda: checkpoint.primops(checkpoint.resume, 2.0, engine=name),
        "f must be a function, not an int": lambda: checkpoint.vjp(3, 2.0, engine=name),
        "a tuple of 3 is no pair: write a list, or nest tuples of two": lambda: checkpoint.primops(
            f, (1.0, 2.0, 3.0), engine=name
        ),
        "a procedure takes 1 argument, not 2: write it with a pattern, (lambda ((list a b)) ...), "
        "and give it a list, f([a, b])": lambda: f(2.0, 3.0),
        "read takes a path or a text, not a float": lambda: checkpoint.read(not_whole),
        f"a schedule is one such as Bisection(), or a name, not {no_schedule!r}": lambda: checkpoint.vjp(
            f, 2.0, schedule=no_schedule, engine=name
        ),
        "a schedule is one such as Bisection(), or a name, not 1.0": lambda: checkpoint.vjp(
            f, 2.0, schedule=not_whole, engine=name
        ),
        "a complex has no counterpart in the language": lambda: checkpoint.primops(f, [1j], engine=name),
        f"there is no schedule 'best'; there are: {', '.join(SCHEDULES)}": lambda: checkpoint.vjp(
            f, 2.0, schedule="best", engine=name
        ),
    }
    for message, call in wrong.items():
        with pytest.raises(RunError) as caught:
            call()
        assert caught.value.message == message


# Procedures whose number of arguments is not one, and the advice.
TAKES = {
    "(lambda () 1)": "0 arguments, not 1: write it with a parameter, (lambda (x) ...)",
    "(lambda (x y) x)": (
        "2 arguments, not 1: write it with a pattern, (lambda ((list a b)) ...), and give it a list"
    ),
    "(lambda (x y z u v) x)": (
        "5 arguments, not 1: write it with a pattern, (lambda ((list a b c d e)) ...), and give it a list"
    ),
    "(lambda (x y z u v w) x)": (
        "6 arguments, not 1: write it with a pattern, (lambda ((list a b c d e ...)) ...), and give it a list"
    ),
}
CALLS: dict[str, Callable[[Any, str], object]] = {
    "call": lambda f, engine: f(2.0),
    "primops": lambda f, engine: checkpoint.primops(f, 2.0, engine=engine),
    "interrupt": lambda f, engine: checkpoint.interrupt(f, 2.0, 0, engine=engine),
    "jvp": lambda f, engine: checkpoint.jvp(f, 2.0, 1.0, engine=engine),
    "vjp": lambda f, engine: checkpoint.vjp(f, 2.0, engine=engine),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("text", TAKES)
def test_a_procedure_of_several_arguments_from_outside(text: str, call: str, engine: Engine) -> None:
    f = checkpoint.read(f"\n  {text}", engine=engine.name)
    with pytest.raises(RunError) as caught:
        CALLS[call](f, engine.name)
    assert caught.value.message == f"the procedure takes {TAKES[text]}"
    assert str(caught.value.span) == "<text>:2:3"


def test_what_a_pattern_makes_of_several_arguments(engine: Engine) -> None:
    f = checkpoint.read("(lambda ((list a b)) (* a b))", engine=engine.name)
    assert checkpoint.vjp(f, [2.0, 3.0], engine=engine.name) == (6.0, [3.0, 2.0])


# Values that are no reals, and how an error without `ybar` shows their shape.
SHAPES = {
    "(list x x)": "(real real)",
    '(cons x (list #t \'a "s" x))': '(real #t a "s" real)',
    "(cons x (lambda (y) (* x y)))": "(real . #<procedure>)",
    "(lambda (y) (* x y))": "#<procedure>",
}


@pytest.mark.parametrize("value", SHAPES)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_cotangent_left_out(value: str, schedule: str, engine: Engine) -> None:
    f = checkpoint.read(f"(lambda (x) {value})", engine=engine.name)
    with pytest.raises(RunError) as caught:
        checkpoint.vjp(f, 2.0, schedule=schedule, engine=engine.name)
    assert str(caught.value) == f"ybar must be given: the value is no real, its shape is {SHAPES[value]}"


def test_a_value_with_nothing_to_differentiate_needs_no_cotangent(engine: Engine) -> None:
    f = checkpoint.read("(lambda (x) (positive? x))", engine=engine.name)
    assert checkpoint.vjp(f, 2.0, engine=engine.name) == (True, 0.0)


def test_a_cotangent_or_tangent_of_a_wrong_shape(engine: Engine) -> None:
    """The argument is wrong, so no place in the program is shown."""
    f = checkpoint.read("(lambda (x) (list (car x) 1 #t))", engine=engine.name)
    wrong: dict[str, Callable[[], object]] = {
        "the cotangent ybar at cdr, car must be a real, not a boolean": lambda: checkpoint.vjp(
            f, [2.0], [1.0, True, None], engine=engine.name
        ),
        "the cotangent ybar must be a pair, not a real": lambda: checkpoint.vjp(
            f, [2.0], 1.0, engine=engine.name
        ),
        "the tangent xtan at cdr must be nothing, which is (), not a pair": lambda: checkpoint.jvp(
            f, [2.0], [1.0, 1.0], engine=engine.name
        ),
    }
    for message, call in wrong.items():
        with pytest.raises(RunError) as caught:
            call()
        assert str(caught.value) == message


def test_a_negative_number_of_steps_runs_nothing(engine: Engine) -> None:
    f = checkpoint.read("(lambda (x) (write-real x))", engine=engine.name)
    with World() as world, pytest.raises(RunError):
        checkpoint.interrupt(f, 2.0, -1, engine=engine.name)
    assert world.written == ""


def test_a_capsule_of_another_engine(engine: Engine) -> None:
    other = next((each.name for each in usable_engines() if each.name not in engine.resumes), None)
    if other is None:
        pytest.skip("every engine that is asked for resumes its capsules")
    f = checkpoint.read("(lambda (x) (* x x))")
    z = checkpoint.interrupt(f, 2.0, 1, engine=engine.name)
    for call in (
        lambda: checkpoint.primops(checkpoint.resume, z, engine=other),
        lambda: checkpoint.vjp(checkpoint.resume, z, 1.0, engine=other),
        lambda: checkpoint.primops(f, [z], engine=other),
    ):
        with pytest.raises(RunError) as caught:
            call()
        said = f"the capsule is one of engine {engine.name}: engine {other} cannot resume it"
        assert caught.value.message == said


def test_a_capsule_of_an_engine_with_the_same_states(engine: Engine) -> None:
    f = checkpoint.read("(lambda (x) (* x (sin x)))")
    value, _ = checkpoint.vjp(f, 2.0, 1.0, engine=engine.name)
    for other in [each.name for each in usable_engines() if each.name in engine.resumes]:
        z = checkpoint.interrupt(f, 2.0, 3, engine=engine.name)
        assert checkpoint.primops(checkpoint.resume, z, engine=other) == checkpoint.primops(f, 2.0) - 3
        assert checkpoint.vjp(checkpoint.resume, z, 1.0, engine=other)[0] == value


def test_an_unknown_engine(engine: Engine) -> None:
    with pytest.raises(RunError, match=r"there is no engine 'fortran'; there are: .*" + engine.name):
        checkpoint.read("1", engine="fortran")
