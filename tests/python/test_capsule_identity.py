"""The identity of capsules: which cotangents fit, and what the error says of those that do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint.errors import CheckpointError
from tests.python.test_capsules import ENGINES, cut_by, long, scaled

RATE = 0.5


def cotangent(f: Callable[..., Any], x: Any, steps: int, engine: str) -> Any:
    return checkpoint.vjp(checkpoint.resume, checkpoint.interrupt(f, x, steps, engine=engine), 1.0)[1]


def message(f: Callable[..., Any], x: Any, steps: int, zbar: Any, engine: str) -> str:
    """Return what the error says where zbar is given for the capsule of f."""
    with pytest.raises(CheckpointError) as caught:
        checkpoint.vjp(lambda x: checkpoint.interrupt(f, x, steps), x, zbar, engine=engine)
    return caught.value.message


def twice(x: Any) -> Any:
    return x * 2.0 + RATE


def thrice(x: Any) -> Any:
    return x * 3.0 + RATE


def first_of(xs: Any) -> Any:
    return xs[0] * 2.0


WRONG = "the cotangent must be that of a capsule of {}, not that of a capsule of {}"


@pytest.mark.parametrize("engine", ENGINES)
def test_wrong_uses(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    zbar = cotangent(twice, 1.0, 6, engine)
    assert message(thrice, 1.0, 6, zbar, engine) == WRONG.format(
        "thrice after 6 steps", "twice after 6 steps, which is another function"
    )
    for other in range(checkpoint.primops(twice, 1.0) + 1):
        if other != 6:
            found = message(twice, 1.0, other, zbar, engine)
            steps = "1 step" if other == 1 else f"{other} steps"
            assert found == WRONG.format(f"twice after {steps}", "twice after 6 steps")
    pair = cotangent(first_of, (1.0, 2.0), 6, engine)
    assert message(first_of, [1.0, 2.0], 6, pair, engine) == WRONG.format(
        "first_of after 6 steps", "first_of after 6 steps, at an argument of another shape"
    )
    array = cotangent(twice, np.ones(()), 6, engine)
    assert message(twice, np.ones(2), 6, array, engine) == WRONG.format(
        "twice after 6 steps", "twice after 6 steps, at an argument of another shape"
    )
    for other_engine in ENGINES:
        if (other_engine == "interp") != (engine == "interp"):
            assert message(twice, 1.0, 6, zbar, other_engine) == WRONG.format(
                "twice after 6 steps",
                f"twice after 6 steps, taken on engine {engine} and not on {other_engine}",
            )
    with pytest.raises(CheckpointError) as caught:
        checkpoint.jvp(checkpoint.resume, checkpoint.interrupt(thrice, 1.0, 6, engine=engine), zbar)
    assert caught.value.message == WRONG.replace("cotangent", "tangent").format(
        "thrice after 6 steps", "twice after 6 steps, which is another function"
    )
    monkeypatch.setitem(globals(), "RATE", 7.0)
    assert message(twice, 1.0, 6, zbar, engine) == WRONG.format(
        "twice after 6 steps", "twice after 6 steps, where it had other hidden inputs"
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_that_share_states_share_cotangents(engine: str) -> None:
    zbar = cotangent(long, 1.5, 20, engine)
    for other in ENGINES:
        if (other == "interp") == (engine == "interp"):
            _, xbar = checkpoint.vjp(lambda x: checkpoint.interrupt(long, x, 20), 1.5, zbar, engine=other)
            assert xbar == checkpoint.grad(long)(1.5)


@pytest.mark.parametrize("engine", ENGINES)
def test_closures_of_the_same_text(engine: str) -> None:
    """The same code with other captured values is another function."""
    zbar = cotangent(scaled(2.0), 1.5, 5, engine)
    assert message(scaled(3.0), 1.5, 5, zbar, engine) == WRONG.format(
        "inner after 5 steps", "inner after 5 steps, where it had other hidden inputs"
    )
    same = scaled(2.0)
    assert checkpoint.vjp(lambda x: cut_by(same, x, 5), 1.5, zbar, engine=engine)[1] == 6.0


# Programs of the language

DEFINITIONS = """
(define (h y) (let ((b (* y y))) (if (> b 2) (+ b 1) (sin b))))
(define (g n y) (if (= n 0) y (g (- n 1) (* (h y) 0.9))))
(define (f x) (+ (g 3 x) (g 2 (* x 1.1))))
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_programs_of_the_language(engine: str) -> None:
    """F's own code counts, not the program that it is read in."""
    f = checkpoint.read(DEFINITIONS + "f", engine=engine)
    steps, (_, xbar) = checkpoint.primops(f, 1.5, engine=engine), checkpoint.vjp(f, 1.5, engine=engine)
    assert checkpoint.read(DEFINITIONS + "(primops f 1.5)", engine=engine) == steps
    for cut in range(0, steps + 1, 3):
        zbar = checkpoint.vjp(checkpoint.resume, checkpoint.interrupt(f, 1.5, cut, engine=engine), 1.0)[1]
        text = f"(define (other x) (h x)) {DEFINITIONS} (lambda (x) (interrupt f x {cut}))"
        assert checkpoint.vjp(checkpoint.read(text), 1.5, zbar, engine=engine)[1] == xbar
    for wrong, what in (
        (
            DEFINITIONS.replace("0.9", "0.8") + f"(lambda (x) (interrupt f x {cut}))",
            ", which is another function",
        ),
        (DEFINITIONS + f"(lambda (x) (interrupt f x {cut - 1}))", ""),
    ):
        with pytest.raises(CheckpointError) as caught:
            checkpoint.vjp(checkpoint.read(wrong), 1.5, zbar, engine=engine)
        assert f"not that of a capsule of f after {cut} steps{what}" in caught.value.message
