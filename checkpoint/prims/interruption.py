"""Primitives that count the steps of a run, and interrupt it: `primops` and `interrupt`, one step each.

(primops f x)                the number of steps of (f x)
(interrupt f x l)            the capsule after l of them
"""

from __future__ import annotations

from typing import Any

from checkpoint.ad.accumulators import accumulated, contribution_of
from checkpoint.ad.graph import enter, numbers, renew, replace
from checkpoint.ad.numbers import (
    Node,
    Number,
    components,
    fresh,
    is_real,
    real_part,
    with_components,
    without_tape,
)
from checkpoint.ad.record import OperandError, Operator, Purity, register
from checkpoint.ad.values import Capsule, Pair, is_sealed
from checkpoint.driver.engine import driver_of
from checkpoint.driver.execute import Sweep
from checkpoint.driver.schedule import Bisection
from checkpoint.lang.origins import origin_of
from checkpoint.prims.operators import Context, onto_tape, raising, tape_of
from checkpoint.prims.sealed import SealedBlock


def _primops(context: Context, f: Any, x: Any) -> float:
    operands = enter(Pair(f, x))
    found = numbers(operands)
    u = replace(operands, found, [fresh(real_part(number)) for number in found])
    start = context.engine.start(0, u, context.tags)
    end = context.engine.advance(start, None, context.effects)
    context.tags = max(context.tags, end.tags)
    return float(end.steps - start.steps)


def _interrupt(context: Context, f: Any, x: Any, steps: Any) -> Capsule:
    """Run l steps of f at x, and return the capsule; under a tape as one block, which runs them again."""
    limit = _whole(steps)
    u = enter(Pair(f, x))
    found = numbers(u)
    inputs = components(found)
    on_tape = any(type(number) is Node for number in inputs)
    if on_tape:
        u = replace(u, found, [with_components(number, without_tape) for number in found])
    capsule = _interrupt_run(context, u, limit)
    if not on_tape:
        return capsule
    later = Context(context.engine, context.tags, context.effects)

    def pullback(adjoints: list[Number]) -> list[Number]:
        engine = later.engine
        start = engine.start(0, u, later.tags)
        sweep = Sweep(
            engine,
            later.effects,
            seed=lambda end: engine.seed_capsule(end, [contribution_of(a) for a in adjoints]),
            last=start.steps + limit,
        )
        _, cotangent = sweep.run(start, Bisection())
        found = numbers(u)
        received = zip(engine.argument_cotangents(start, cotangent, found), components(found), strict=True)
        return [accumulated(accumulator, component) for accumulator, component in received]

    if is_sealed(capsule):
        tape_of(inputs).entries.append(SealedBlock(inputs, pullback))
        return capsule
    taped: Capsule = onto_tape(capsule, inputs, pullback)
    return taped


def _interrupt_run(context: Context, u: Any, limit: int) -> Capsule:
    origin = origin_of(u.car, u.cdr)
    start = context.engine.start(0, u, context.tags)
    end = context.engine.advance(start, start.steps + limit, context.effects)
    if end.steps != start.steps + limit:
        raise ValueError(too_short(end.steps - start.steps, limit))
    context.tags = max(context.tags, end.tags)
    found, own = context.engine.capsule(end), driver_of(context.engine)
    capsule: Capsule = (None if own is None else own.sealed(found)) or renew(found)
    capsule.origin = origin
    return capsule


def not_whole(number: str) -> str:
    """Return the message for a number of steps that is none."""
    return f"a number of steps must be whole and not negative, not {number}"


def too_short(steps: int, limit: int) -> str:
    """Return the message for a run that has fewer steps than those after which it was to stop."""
    return f"the run has {steps} steps: cannot stop after {limit}"


def _whole(steps: Any) -> int:
    """Return a number of steps, which is a real in the language, as an int."""
    if not is_real(steps):
        raise OperandError("operand 3 is not a real")
    number = real_part(steps)
    if not (number >= 0.0 and number.is_integer()):
        raise ValueError(not_whole(repr(number)))
    return int(number)


register(
    Operator(
        name="primops",
        arity=2,
        purity=Purity.MAY_FAIL,
        doc="the number of steps of a run",
        value=raising(_primops),
        derivative="none: a count, constant wherever it is continuous",
    )
)
register(
    Operator(
        name="interrupt",
        arity=3,
        purity=Purity.MAY_FAIL,
        doc="the capsule of a run after a number of steps",
        value=raising(_interrupt),
        derivative="forward by running on duals, reverse by running the steps again on a tape",
    )
)
