"""Functions of a program that are compiled by themselves, when a run enters them."""

from __future__ import annotations

from typing import Any

import pytest

import checkpoint
from checkpoint import config
from checkpoint.cps import blocks as b
from checkpoint.cps.passes import compile_blocks, compile_separately
from checkpoint.cps.separate import nested
from checkpoint.functions import closures
from checkpoint.interp.hybrid.code import ProcedureCode
from checkpoint.interp.hybrid.later import Later
from checkpoint.lang.core import Lambda, Letrec
from checkpoint.lang.python.linking import program
from checkpoint.lang.python.linking.program import Linked, link
from checkpoint.lang.python.linking.shapes import Shape


def entered(x: float) -> float:
    return x * x


def not_entered(x: float) -> float:
    return x + 1.0


def chosen(x: float) -> float:
    return entered(x) if x > 0.0 else not_entered(x)


def with_nested(x: float) -> float:
    """Return a sum of loops inside functions inside loops, which share what they capture."""
    total = 0.0
    for i in range(3):

        def scaled(y: float, scale: int = i) -> float:
            result = y
            while result < 4.0 * scale:
                result = result * 2.0 + x
            return result

        total += sum(scaled(x) for _ in range(2)) + max([x, total], key=lambda y: -y)
    return chosen(total)


def lambdas(linked: Linked) -> dict[str, Lambda]:
    """Return the lambdas of a program's functions by their names."""
    body = linked.thunk.body
    assert isinstance(body, Letrec)
    return {str(lam.name): lam for _, lam in body.bindings}


@pytest.mark.parametrize("engine", ["hybrid", "c"])
def test_what_no_run_enters_is_not_compiled(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closures, "_programs", program.Programs())

    def f(x: float) -> float:
        return chosen(x)

    assert checkpoint.grad(f, engine=engine)(3.0) == 6.0
    (linked,) = [each for kept in closures._programs._known.values() for each in kept]
    compiled = {name: lam.compiled["hybrid"] for name, lam in lambdas(linked).items()}
    assert type(compiled["entered"]) is ProcedureCode
    assert type(compiled["not_entered"]) is Later
    assert checkpoint.grad(f, engine=engine)(-3.0) == 1.0
    assert type(lambdas(linked)["not_entered"].compiled["hybrid"]) is ProcedureCode


def outline(procedure: b.Procedure) -> Any:
    """Return what a run sees of a procedure, without the numbers in the names that the passes make."""
    blocks = procedure.blocks.values()
    shapes = [(block.cost, len(block.params), [type(step) for step in block.steps]) for block in blocks]
    return procedure.name, procedure.captures, procedure.env, shapes, [type(block.end) for block in blocks]


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("function", [chosen, with_nested])
def test_the_blocks_are_those_of_the_whole_program(function: Any, check: bool) -> None:
    linked = link(function, Shape(1))
    with config.override(check=check):
        whole = {each.lam: outline(each) for each in compile_blocks(linked.thunk, linked.scopes)}
        parts: dict[Lambda, Any] = {}
        for lam in [linked.thunk, *[lam for lam, _ in nested(linked.thunk) if lam.shown]]:
            parts |= {each.lam: outline(each) for each in compile_separately(lam, linked.scopes)}
    assert parts == whole
    assert len([lam for lam in whole if lam.shown]) > 2


@pytest.mark.parametrize("engine", ["interp", "hybrid", "c"])
@pytest.mark.parametrize("maker", ["interp", "c"])
def test_closures_of_another_engine_are_entered(maker: str, engine: str) -> None:
    """An engine that has not entered the functions around a closure compiles it when it is called."""
    made: Any = checkpoint.read("(lambda (a) (lambda (b) (lambda (c) (* a (* b c)))))", engine=maker)
    inner = made(2.0)(3.0)
    assert checkpoint.vjp(inner, 5.0, 1.0, engine=engine) == (30.0, 6.0)
