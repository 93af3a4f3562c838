"""Programs without control that are given functions that shift: all is as if they had been written with them.

A function that shifts reaches a program as an argument, in data, in what a class or a closure holds, as a
procedure of a text, or out of a capsule. The oracle is the program that reads the same things as constants.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import checkpoint
from checkpoint.control import reset, reset_at, shift, shift_at
from checkpoint.driver.engine import Engine
from checkpoint.errors import RunError
from checkpoint.functions import closures
from checkpoint.lang.python.linking import methods
from checkpoint.lang.python.linking.program import Programs
from tests.support.corpus import engine_name, usable_engines

pytestmark = [
    pytest.mark.parametrize("engine", usable_engines(), ids=engine_name),
    pytest.mark.engines_in_turn,
]


def shifts(x: Any) -> Any:
    return x * shift(lambda k: k(x) + k(2.0 * x))


def scaled(a: Any, x: Any) -> Any:
    return a * x + shift(lambda k: k(x) + k(a * x))


def leaves(x: Any) -> Any:
    return x + shift(lambda k: 3.0 * x)


def other_tag(x: Any) -> Any:
    return x * shift_at("other", lambda k: k(x) - k(3.0))


def plain(x: Any) -> Any:
    return 3.0 * x


text_shifts = checkpoint.read("(lambda (x) (* x (shift k (+ (k x) (k (* 2 x))))))")
text_calls = checkpoint.read("(lambda (g) (lambda (x) (* 2 (g (+ x 1)))))")
text_tests = checkpoint.read("(lambda (g) (lambda (x) (if (> (g x) 100) x (* 3 x))))")


class Holder:
    def __init__(self, h: Any) -> None:
        self.h = h


class Shifting:
    def method(self, x: Any) -> Any:
        return shifts(x)

    def __mul__(self, x: Any) -> Any:
        return shifts(x)

    def __call__(self, x: Any) -> Any:
        return leaves(x)


# Functions without control; x is the last argument.


def computes(h: Any, x: Any) -> Any:
    return 2.0 * h(x) + 1.0


def drops(h: Any, x: Any) -> Any:
    h(x)
    return x * x


def decides(h: Any, x: Any) -> Any:
    return x * x if h(x) else 2.0 * x


def compares(h: Any, x: Any) -> Any:
    return x * x if h(x) is None else 5.0 * x


def holds(h: Any, x: Any) -> Any:
    held = [h(x), {"y": h(x)}]
    return x * len(held) + held[1]["y"]


def loops(h: Any, x: Any) -> Any:
    total = 0.0
    for i in range(2):
        total = total + h(x) * i
        while total > 10.0:
            total = total / 2.0
    return total


def handles(h: Any, x: Any) -> Any:
    try:
        if h(x) > 4.0:
            raise ValueError(x * x)
    except ValueError as error:
        return error.args[0] * 2.0
    return x


def in_list(hs: Any, x: Any) -> Any:
    return sum([h(x) for h in hs])


def in_data(held: Any, x: Any) -> Any:
    return held["a"][0](x) + x


def by_key(h: Any, x: Any) -> Any:
    return x * len([y for y in [x, 2.0 * x] if h(y)])


def maps(h: Any, x: Any) -> Any:
    return sum(list(map(h, [x, 2.0])))


def reduces(h: Any, x: Any) -> Any:
    return functools.reduce(lambda y, z: y + h(z), [x, 2.0], 0.0)


def partial(h: Any, x: Any) -> Any:
    return functools.partial(h, x)() * 2.0


def attribute(holder: Any, x: Any) -> Any:
    return holder.h(x) + x


def method(thing: Any, x: Any) -> Any:
    return thing.method(x) + x


def operator(thing: Any, x: Any) -> Any:
    return (thing * x) + 1.0


def through(g: Any, h: Any, x: Any) -> Any:
    return g(h, x)


def nested(h: Any, x: Any) -> Any:
    def inner(y: Any) -> Any:
        return h(y) * x

    return computes(inner, x)


def forward(h: Any, x: Any) -> Any:
    return checkpoint.jvp(h, x, 1.0)[1] * x


def text(p: Any, h: Any, x: Any) -> Any:
    return p(h)(x) + 1.0


GIVEN: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "computes": (computes, (shifts,)),
    "leaves": (computes, (leaves,)),
    "drops": (drops, (shifts,)),
    "drops, and leaves": (drops, (leaves,)),
    "decides": (decides, (shifts,)),
    "compares": (compares, (shifts,)),
    "holds": (holds, (shifts,)),
    "loops": (loops, (shifts,)),
    "handles": (handles, (shifts,)),
    "in a list": (in_list, ([shifts, plain, leaves],)),
    "in data": (in_data, ({"a": (shifts,)},)),
    "filters": (by_key, (shifts,)),
    "maps": (maps, (shifts,)),
    "reduces": (reduces, (shifts,)),
    "partial": (partial, (shifts,)),
    "a partial function": (computes, (functools.partial(scaled, 2.0),)),
    "an attribute": (attribute, (Holder(shifts),)),
    "a method": (method, (Shifting(),)),
    "an operator": (operator, (Shifting(),)),
    "called": (computes, (Shifting(),)),
    "bound": (drops, (Shifting().method,)),
    "through another": (through, (drops, shifts)),
    "through two": (through, (computes, shifts)),
    "nested": (nested, (shifts,)),
    "forward mode": (forward, (shifts,)),
    "derived": (drops, (checkpoint.jacfwd(shifts),)),
    "a text": (drops, (text_shifts,)),
    "through a text": (text, (text_calls, shifts)),
    "through a text that tests": (text, (text_tests, shifts)),
    "from text to text": (text, (text_calls, text_shifts)),
}
X = 1.5


def knows(name: str) -> Callable[[Any], Any]:
    """Return the function of x that reads all else as it is."""
    f, given = GIVEN[name]
    return lambda x: reset(lambda: f(*given, x))


def is_given(x: Any, f: Any, given: Any) -> Any:
    return reset(lambda: f(*given, x))


@functools.cache
def expected(name: str, operator_name: str, *more: Any) -> Any:
    """Return what an operator gives for the program that knows, on the first engine."""
    return getattr(checkpoint, operator_name)(knows(name), *more, engine=usable_engines()[0].name)


@pytest.mark.parametrize("name", GIVEN)
def test_values_and_gradients(name: str, engine: Engine) -> None:
    known = expected(name, "vjp", X)
    assert checkpoint.value_and_grad(is_given, engine=engine.name)(X, *GIVEN[name]) == known


FEW = ("computes", "drops", "holds", "handles", "through another", "forward mode", "from text to text")


@pytest.mark.parametrize("name", FEW)
def test_every_operator_at_every_cut(name: str, engine: Engine) -> None:
    more, own = GIVEN[name], engine.name

    def one(x: Any) -> Any:
        return is_given(x, *more)

    known = expected(name, "vjp", X)
    assert checkpoint.vjp(one, X, engine=own, schedule="plain") == known
    assert checkpoint.vjp(one, X, engine=own, schedule="bisection") == known
    assert checkpoint.jvp(one, X, 1.0, engine=own) == expected(name, "jvp", X, 1.0)
    assert checkpoint.hvp(one, X, 1.0, engine=own) == expected(name, "hvp", X, 1.0)
    steps = checkpoint.primops(one, X, engine=own)
    for cut in range(0, steps, 1 if own == "c" else steps // 5):
        assert checkpoint.resume(checkpoint.interrupt(one, X, cut, engine=own)) == known[0]

    def by_parts(x: Any, cut: int) -> Any:
        return checkpoint.resume(checkpoint.interrupt(one, x, cut))

    assert checkpoint.value_and_grad(by_parts, engine=own)(X, steps // 2) == known


@pytest.mark.parametrize("name", FEW)
def test_large_programs(name: str, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    known = expected(name, "vjp", X)
    monkeypatch.setattr(methods, "LIMIT", 0)
    monkeypatch.setattr(closures, "_programs", Programs(written_out=closures.written_out))
    assert checkpoint.value_and_grad(is_given, engine=engine.name)(X, *GIVEN[name]) == known


@pytest.mark.parametrize("name", GIVEN)
def test_without_a_reset_they_fail(name: str, engine: Engine) -> None:
    f, given = GIVEN[name]
    for call in (
        lambda: checkpoint.grad(f, argnums=len(given), engine=engine.name)(*given, X),
        lambda: checkpoint.primops(lambda x: f(*given, x), X, engine=engine.name),
    ):
        with pytest.raises(Exception, match="this shift has no reset in what runs as a whole here"):
            call()


def two_tags(x: Any, f: Any, h: Any) -> Any:
    return reset_at("other", lambda: 1.0 + reset(lambda: x * f(h, x)))


def test_a_shift_leaves_resets_of_programs_that_do_not_know_its_tag(engine: Engine) -> None:
    known = checkpoint.value_and_grad(lambda x: two_tags(x, computes, other_tag), engine=engine.name)(X)
    assert checkpoint.value_and_grad(two_tags, engine=engine.name)(X, computes, other_tag) == known
    text = checkpoint.read("(lambda (g) (lambda (x) (+ (reset (* 2 (g x))) (reset (shift k (k 1))))))")
    assert checkpoint.value_and_grad(
        lambda x: reset_at("other", lambda: text(other_tag)(x)), engine=engine.name
    )(X) == (2.0 * X * X - 6.0 * X, 4.0 * X - 6.0)


def test_steps_without_such_functions_stay(engine: Engine) -> None:
    """Check that steps do not depend on what the function, or a procedure of a text, was given before."""
    before = checkpoint.primops(lambda x: computes(plain, x), X, engine=engine.name)
    given = checkpoint.value_and_grad(lambda x, h: computes(h, x), engine=engine.name)

    def steps(h: Any) -> Any:
        return checkpoint.primops(lambda x: in_data({"a": (h,)}, x), X, engine=engine.name)

    def outside(h: Any, f: Any) -> Any:
        return checkpoint.jvp(lambda x: f(h, x), X, 1.0, engine=engine.name)

    first = steps(plain)
    assert given(X, plain) == (10.0, 6.0)
    with pytest.raises(Exception, match="this shift has no reset"):
        given(X, shifts)
    with pytest.raises(Exception, match="this shift has no reset"):
        steps(shifts)
    assert checkpoint.value_and_grad(is_given, engine=engine.name)(X, computes, (plain,)) == (10.0, 6.0)
    assert steps(plain) == first
    assert checkpoint.primops(lambda x: computes(plain, x), X, engine=engine.name) == before
    assert outside(plain, computes) == (10.0, 6.0)


# Capsules


def in_files(z: Any, engine: Engine, folder: Path, f: Any, known: Any = ()) -> list[Any]:
    """Return a capsule as it is loaded, where its engine has it in files."""
    if engine.name == "interp":
        return []
    z.save(folder / "z")
    return [checkpoint.load(folder / "z", f, known=known)]


def makes(x: Any) -> Any:
    return lambda y: x * shifts(y)


def uses(z: Any, x: Any) -> Any:
    g = checkpoint.resume(z)
    return x * x if g(x) is not None else x


def test_a_capsule_may_return_a_function_that_shifts(engine: Engine, tmp_path: Path) -> None:
    for cut in range(checkpoint.primops(makes, 2.0, engine=engine.name)):
        z = checkpoint.interrupt(makes, 2.0, cut, engine=engine.name)
        for capsule in [z, *in_files(z, engine, tmp_path, makes)]:
            assert checkpoint.value_and_grad(is_given, engine=engine.name)(X, uses, (capsule,)) == (4.5, 6.0)
            with pytest.raises(Exception, match="this shift has no reset"):
                checkpoint.grad(uses, argnums=1, engine=engine.name)(capsule, X)


def test_capsules_in_files(engine: Engine, tmp_path: Path) -> None:
    f, given = GIVEN["loops"]
    steps = checkpoint.primops(is_given_at, (X, f, given), engine=engine.name)
    for cut in range(0, steps, 307):
        z = checkpoint.interrupt(is_given_at, (X, f, given), cut, engine=engine.name)
        for loaded in in_files(z, engine, tmp_path, is_given_at, known=(f, *given)):
            assert checkpoint.resume(loaded) == expected("loops", "vjp", X)[0]


def is_given_at(packed: Any) -> Any:
    return is_given(*packed)


# Functions that runs have returned


def returns_caller(x: Any) -> Any:
    return lambda h: x * x if h(x) is not None else x


def returns_caller_that_resets(x: Any) -> Any:
    return lambda h: reset(lambda: x * x if h(x) is not None else x)


def test_functions_that_runs_have_returned(engine: Engine) -> None:
    made = checkpoint.resume(checkpoint.interrupt(returns_caller_that_resets, X, 0, engine=engine.name))
    assert made(shifts) == 2.0 * X * X
    made = checkpoint.resume(checkpoint.interrupt(returns_caller, X, 0, engine=engine.name))
    assert made(plain) == X * X
    with pytest.raises(
        RunError, match=r"was returned by a run that has no shift, and cannot be given a .* call"
    ):
        made(shifts)


def calls_resumed(x: Any, z: Any) -> Any:
    return reset(lambda: checkpoint.resume(z)(shifts))


def multiplies_resumed(x: Any, z: Any) -> Any:
    return reset(lambda: checkpoint.resume(z) * shifts(x))


def test_functions_of_capsules_without_shift(engine: Engine) -> None:
    """They may not meet functions that shift; their data may."""
    z = checkpoint.interrupt(returns_caller, X, 0, engine=engine.name)
    with pytest.raises(
        RunError, match="comes from a capsule of a program without shift, and cannot be called here"
    ):
        checkpoint.grad(calls_resumed, engine=engine.name)(X, z)
    z = checkpoint.interrupt(plain, X, 1, engine=engine.name)
    assert checkpoint.grad(multiplies_resumed, engine=engine.name)(X, z) == 2.0 * 4.5 * 3.0 * X
