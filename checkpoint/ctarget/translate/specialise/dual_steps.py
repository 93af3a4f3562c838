"""The rule for scalar primitives on duals: forward mode, with primal and tangent in places of their own.

In: a block (steps.py), a step of which an operand is a dual. Out: a virtual dual, made only where the unit
exits.

What always holds: the result is that of numbers_apply (numbers.c), in every bit, for duals of one tag with
reals as their parts; where there are others the unit exits.
"""

from __future__ import annotations

from checkpoint.cps import terms as t
from checkpoint.cps.ownership import Uses
from checkpoint.ctarget.translate.nested.tangents import tangent
from checkpoint.ctarget.translate.ops.check_ops import Same
from checkpoint.ctarget.translate.ops.dual_ops import OpenDual
from checkpoint.ctarget.translate.ops.places import Constant, Place
from checkpoint.ctarget.translate.specialise.builder import WITH_COTANGENTS
from checkpoint.ctarget.translate.specialise.scalar_steps import apply, kind_of_result
from checkpoint.ctarget.translate.specialise.steps import Steps
from checkpoint.ctarget.translate.specialise.values import Abstract, Held, Virtual

assert "DUAL" in WITH_COTANGENTS


def of_duals(steps: Steps, step: t.Compute, uses: Uses) -> Abstract | None:
    """Translate a scalar primitive with an operand that is a dual; None: this rule does not apply."""
    values = [_opened(steps, operand) for operand in step.operands]
    duals = [value for value in values if isinstance(value, Virtual) and value.tag == "DUAL"]
    primals = tuple([_part(value, 0) for value in values])
    numbers = [each for each in primals if isinstance(each, Place | Constant)]
    found = kind_of_result(step.op, tuple([each.kind for each in numbers]))
    if not duals or found is None or len(numbers) < len(values):
        return None
    domain, kind = found
    for other in duals[1:]:
        _unify(steps, duals[0], other)
    result = steps.builder.place(step.name, kind)
    op = apply(step.op, domain, result, tuple(numbers), step.span.line)
    steps.node.ops.append(op)
    made: Abstract = result
    if kind == "real":
        to = steps.builder.place(f"{step.name}_tangent", "real")
        tangents = _sources(tuple([_part(value, 1) if value in duals else None for value in values]))
        steps.node.ops.append(
            tangent(
                op.definition, numbers, result, tangents, to, lambda: steps.builder.place(step.name, "real")
            )
        )
        made = Virtual("DUAL", [result, to], duals[0].birth)
    steps.release_used(step, uses)
    return made


def _opened(steps: Steps, operand: t.Operand) -> Abstract:
    """Return the value of an operand; a dual that is an object is replaced by a virtual one, for good."""
    value = steps.operand(operand)
    if not isinstance(operand, str) or not isinstance(value, Held) or value.tag != "DUAL":
        return value
    if value.hint is None or any(field.tag != "REAL" for field in value.hint.fields):
        return value
    opened, parts = steps.builder.dual(operand)
    steps.node.ops.append(OpenDual(parts, value.place, None, None))
    steps.release(value)
    steps.state.slots[operand] = opened
    return opened


def _part(value: Abstract, i: int) -> Abstract:
    """Return the primal (0) or the tangent (1) of a dual, or else the value itself."""
    return value.cells[i] if isinstance(value, Virtual) and value.tag == "DUAL" else value


def _sources(values: tuple[Abstract | None, ...]) -> tuple[Place | Constant | None, ...]:
    return tuple([value if isinstance(value, Place | Constant) else None for value in values])


def _unify(steps: Steps, dual: Virtual, other: Virtual) -> None:
    """Make two duals have one tag from here on; else the unit exits."""
    if other.birth is not dual.birth:
        steps.node.ops.append(Same(dual.birth, other.birth))
        steps.state.share_tag(dual.birth, other.birth)
