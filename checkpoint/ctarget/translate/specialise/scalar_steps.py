"""The rule for scalar primitives on numbers. (On duals: dual_steps.py.)

In: a block (steps.py), a step. Out: the place of its result; ops of the node.
"""

from __future__ import annotations

from checkpoint.cps import terms as t
from checkpoint.cps.ownership import Uses
from checkpoint.ctarget.translate.ops.places import Constant, Place
from checkpoint.ctarget.translate.specialise.scalars import apply, kind_of_result
from checkpoint.ctarget.translate.specialise.steps import Steps
from checkpoint.ctarget.translate.specialise.values import Abstract


def of_numbers(steps: Steps, step: t.Compute, uses: Uses) -> Abstract | None:
    """Translate a scalar primitive; None: an operand is no number, or of a kind that it is not defined on.

    Numbers have no references, so none is taken or released.
    """
    given = [steps.operand(operand) for operand in step.operands]
    numbers = tuple([value for value in given if isinstance(value, Place | Constant)])
    found = kind_of_result(step.op, tuple([value.kind for value in numbers]))
    if found is None or len(numbers) < len(given):
        return None
    domain, kind = found
    to = steps.builder.place(step.name, kind)
    steps.node.ops.append(apply(step.op, domain, to, numbers, step.span.line))
    return to
