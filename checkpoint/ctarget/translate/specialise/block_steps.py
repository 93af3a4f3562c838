"""The steps of a block, translated one after another.

In: a block (steps.py) whose state is that before its first step. Out: the state before its end; ops and
effects of the node. RULES says which function translates which primitive.
"""

from __future__ import annotations

from typing import Any

from checkpoint.ad.record import Scalar, lookup
from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.cps.ownership import Uses
from checkpoint.ctarget.selection import is_null_test
from checkpoint.ctarget.translate.ops.places import Constant
from checkpoint.ctarget.translate.specialise import (
    attribute_steps,
    callable_steps,
    data_steps,
    dual_steps,
    element_steps,
    lane_steps,
    lifted,
    list_steps,
    python_steps,
    scalar_steps,
)
from checkpoint.ctarget.translate.specialise.steps import Rule, Steps, Untranslatable
from checkpoint.ctarget.translate.specialise.values import Abstract, Closure, Virtual
from checkpoint.interp.hybrid.machine import Split

RULES: dict[str, Rule] = {
    **data_steps.RULES,
    **list_steps.RULES,
    **python_steps.RULES,
    **attribute_steps.RULES,
    **lane_steps.RULES,
    **callable_steps.RULES,
}


def run(steps: Steps, stop: t.Step | None = None) -> None:
    """Translate all steps of the block, or those before one at which to stop."""
    for name in steps.owned.head:
        steps.release(steps.state.slots.pop(name))
    for step, uses in zip(steps.peer.block.steps, steps.owned.steps, strict=True):
        if step is stop:
            return
        _step(steps, step, uses)
        for name in uses.dropped:
            steps.release(steps.state.slots.pop(name))


def _step(steps: Steps, step: t.Step, uses: Uses) -> None:
    match step:
        case t.Read():
            return
        case t.Copy(name=name, operand=operand):
            steps.state.slots[name] = steps.copied(name, steps.take([operand], uses)[0])
        case t.Compute():
            steps.state.slots[step.name] = compute(steps, step, uses)
        case b.MakeClosure(name=name, lam=lam, captures=captures):
            environment = _environment(steps, name, captures, uses)
            steps.state.slots[name] = Closure(steps.peer.procedure.of(lam), environment)
        case b.MakeMember(name=name, lam=lam, env=env):
            given = [] if env is None else steps.take([env], uses)
            steps.state.slots[name] = _member(steps.peer.procedure.of(lam), *given)
        case b.Letrec():
            _letrec(steps, step, uses)
        case Split():
            steps.state.slots[step.name] = lifted.split(steps, step)
        case _:
            raise Untranslatable


def compute(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    """Translate the step of a primitive."""
    if isinstance(lookup(step.op), Scalar) and not any(map(callable_steps.is_text, step.operands)):
        for scalar in (scalar_steps.of_numbers, dual_steps.of_duals):
            done = scalar(steps, step, uses)
            if done is not None:
                return done
    done = element_steps.of_elements(steps, step, uses)
    if done is not None:
        return done
    if is_null_test(step):
        return data_steps.is_nothing(steps, step, uses)
    rule = RULES.get(step.op)
    if rule is None:
        raise Untranslatable
    return rule(steps, step, uses)


# Closures


def _environment(steps: Steps, name: str, captures: b.Slots, uses: Uses, first: int = 0) -> Virtual | None:
    if not captures:
        return None
    return steps.virtual("ENVIRONMENT", steps.take(list(captures), uses, first), name)


def _member(procedure: Any, environment: Abstract | None = None) -> Closure:
    """Return a closure as the machine makes it: without an environment where that is NOTHING."""
    if isinstance(environment, Constant):
        environment = None
    return Closure(procedure, environment)


def _letrec(steps: Steps, step: b.Letrec, uses: Uses) -> None:
    first = 0
    for group in step.groups:
        if isinstance(group, b.MakeEnvironment):
            made = _environment(steps, group.name, group.captures, uses, first)
            steps.state.slots[group.name] = Constant(None) if made is None else made
            first += len(group.captures)
            continue
        given = steps.take([source for _, source in group.pairs], uses, first)
        for (new, _), value in zip(group.pairs, given, strict=True):
            steps.state.slots[new] = steps.copied(new, value)
        first += len(group.pairs)
