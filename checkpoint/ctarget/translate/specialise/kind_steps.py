"""Rules for steps that test the kind of a value: `boolean?`, `real?`, `tensor?` and their like.

In: a block (steps.py), a step. Out: the result of the machine's native step (natives_predicate.c), which is
known when the unit is made. What always holds: where the kind does not determine the result, the machine does
it.
"""

from __future__ import annotations

from checkpoint.cps import terms as t
from checkpoint.cps.ownership import Uses
from checkpoint.ctarget.translate.ops.places import Constant
from checkpoint.ctarget.translate.specialise.steps import Rule, Steps, Untranslatable
from checkpoint.ctarget.translate.specialise.values import OTHER, Abstract, is_dual, tag_of

_DUALS = frozenset(("DUAL", "NODE"))
# For each test the kinds for which it is true, and those for which it depends on the value.
TESTS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "boolean?": (frozenset(("BOOLEAN",)), frozenset((OTHER,))),
    "real?": (frozenset(("REAL",)), frozenset(("INTEGER", "FOREIGN", OTHER)) | _DUALS),
    "tensor?": (frozenset(), frozenset(("FOREIGN",)) | _DUALS),
    "py.is-array": (frozenset(), frozenset(("FOREIGN",)) | _DUALS),
    "py.was-changed": (frozenset(), frozenset(("FOREIGN",)) | _DUALS),
    "procedure?": (frozenset(("PROCEDURE", "CLOSURE")), frozenset(("FOREIGN", OTHER)) | _DUALS),
    "symbol?": (frozenset(), frozenset(("FOREIGN", "TEXT")) | _DUALS),
    "string?": (frozenset(), frozenset(("FOREIGN", "TEXT")) | _DUALS),
}


def _is_of_kind(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    value = steps.operand(step.operands[0])
    tag = "REAL" if is_dual(value) else tag_of(value)
    kinds, unsure = TESTS[step.op]
    if tag in unsure:
        raise Untranslatable
    steps.release_used(step, uses)
    return Constant(tag in kinds)


RULES: dict[str, Rule] = dict.fromkeys(TESTS, _is_of_kind)
