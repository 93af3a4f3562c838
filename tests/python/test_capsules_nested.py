"""Capsules of functions that a differentiated function makes: nested functions and lambdas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import checkpoint
from checkpoint.errors import CheckpointError
from tests.python.test_capsules import ENGINES, Line, long, scaled

RATE = 3.0


@dataclass
class Point:
    a: float
    b: float

    def norm(self) -> float:
        return self.a * self.a + self.b * self.b


def rated(x: float) -> float:
    return x * RATE


def plain(x: float) -> Callable[[float], float]:
    return lambda y: y * y * x


def calling(x: float) -> Callable[[float], float]:
    def inner(y: float) -> float:
        total = y
        for _ in range(3):
            total = rated(total) * x
        return total

    return inner


def of_data(x: float) -> Callable[[float], float]:
    xs, point = [x, x * x], Point(x, 2.0)

    def inner(y: float) -> float:
        return sum(xs) * y + point.norm()

    return inner


def deeper(x: float) -> Callable[[float], float]:
    def outer(k: float) -> Callable[[float], float]:
        return lambda y: k * y * x

    return outer(x * 2.0)


def of_an_object(x: float) -> Callable[[float], float]:
    return Line(x, 2.0)


MAKERS = {"object": of_an_object, "lambda": plain, "calls": calling, "data": of_data, "deeper": deeper}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", MAKERS)
def test_nested_functions(name: str, engine: str) -> None:
    """A function made inside a derivative counts the steps and takes the cotangents of one made outside."""
    make = MAKERS[name]
    steps = checkpoint.primops(make(1.5), 2.0, engine=engine)
    counted, _ = checkpoint.vjp(
        lambda x: (x, checkpoint.primops(make(x), 2.0)), 1.5, (1.0, None), engine=engine
    )
    assert counted[1] == steps
    gradient = checkpoint.grad(lambda x: make(x)(2.0), engine=engine)(1.5)
    for cut in range(steps + 1):
        z = checkpoint.interrupt(make(1.5), 2.0, cut, engine=engine)
        zbar = checkpoint.vjp(checkpoint.resume, z, 1.0)[1]

        def inside(x: float, cut: int = cut) -> Any:
            return checkpoint.interrupt(make(x), 2.0, cut)

        capsule, xbar = checkpoint.vjp(inside, 1.5, zbar, engine=engine)
        assert capsule.steps == cut
        assert xbar == pytest.approx(gradient, rel=1e-14)
        if cut:
            with pytest.raises(
                CheckpointError, match=f"not that of a capsule of .* after {cut} steps?, where"
            ):
                checkpoint.vjp(inside, 1.25, zbar, engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_another_lambda_of_the_same_text(engine: str) -> None:
    zbar = checkpoint.vjp(
        checkpoint.resume, checkpoint.interrupt(lambda y: y * y, 1.5, 6, engine=engine), 1.0
    )[1]
    _, xbar = checkpoint.vjp(lambda x: checkpoint.interrupt(lambda y: y * y, x, 6), 1.5, zbar, engine=engine)
    assert xbar == 3.0
    with pytest.raises(CheckpointError, match="which is another function"):
        checkpoint.vjp(lambda x: checkpoint.interrupt(lambda y: y + y, x, 6), 1.5, zbar, engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_hidden_inputs_are_read_once(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def whole(x: float) -> Any:
        return x * checkpoint.resume(checkpoint.interrupt(calling(x), x, 4))

    want = whole(1.5)
    z = checkpoint.interrupt(whole, 1.5, 2, engine=engine)
    monkeypatch.setitem(globals(), "RATE", 7.0)
    assert checkpoint.resume(z) == want != whole(1.5)


@pytest.mark.parametrize("engine", ENGINES)
def test_functions_of_the_program_itself(engine: str) -> None:
    """A program that captures a function has capsules that fit within the program, and nowhere else."""

    def inside(x: float, f: Callable[[float], float]) -> Any:
        def g(y: float) -> float:
            return f(y) * x

        return checkpoint.interrupt(g, x, 5)

    def both(x: float) -> Any:
        f = scaled(2.0)
        _, bar = checkpoint.vjp(checkpoint.resume, inside(x, f), 1.0)
        return checkpoint.vjp(lambda x: inside(x, f), x, bar)[1]

    assert checkpoint.vjp(lambda x: (x, both(x)), 1.5, (1.0, 0.0), engine=engine)[0][1] == 3 * 2.0 * 1.5**2
    zbar = checkpoint.vjp(checkpoint.resume, checkpoint.interrupt(long, 1.5, 5, engine=engine), 1.0)[1]
    with pytest.raises(CheckpointError) as caught:
        checkpoint.vjp(lambda x: inside(x, scaled(2.0)), 1.5, zbar, engine=engine)
    assert caught.value.message == (
        "the cotangent must be that of a capsule of test_functions_of_the_program_itself.<locals>.inside."
        "<locals>.g, a function made within the program, after 5 steps, not that of a capsule of long after "
        "5 steps, which is another function"
    )
