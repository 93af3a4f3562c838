"""Steps that tell of what kind a value is: `boolean?`, `real?`, `tensor?` and their like.

In: a block on its way (steps.py), a step. Out: what the machine's native step tells, which is known when the
unit is made (natives/natives_tell.c). What always holds: where kinds do not tell, the machine does it.
"""

from __future__ import annotations

from checkpoint.cps import terms as t
from checkpoint.cps.ownership import Uses
from checkpoint.ctarget.translate.ops.places import Constant
from checkpoint.ctarget.translate.specialise.steps import SPECIAL, Steps, Untranslatable, tag_of
from checkpoint.ctarget.translate.specialise.values import OTHER, Abstract

# By step: the kinds of which it is true, and those of which it depends on the value.
_DUALS = frozenset(("DUAL", "NODE"))
TOLD: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "boolean?": (frozenset(("BOOLEAN",)), frozenset((OTHER,))),
    "real?": (frozenset(("REAL",)), frozenset(("INTEGER", "FOREIGN", OTHER)) | _DUALS),
    "tensor?": (frozenset(), frozenset(("FOREIGN",)) | _DUALS),
    "py.is-array": (frozenset(), frozenset(("FOREIGN",)) | _DUALS),
    "procedure?": (frozenset(("PROCEDURE", "CLOSURE")), frozenset(("FOREIGN", OTHER)) | _DUALS),
    "symbol?": (frozenset(), frozenset(("FOREIGN",)) | _DUALS),
    "string?": (frozenset(), frozenset(("FOREIGN",)) | _DUALS),
}


def _told(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    tag = tag_of(steps.operand(step.operands[0]))
    kinds, unsure = TOLD[step.op]
    if tag in unsure:
        raise Untranslatable
    steps.looked_at(step, uses)
    return Constant(tag in kinds)


SPECIAL.update(dict.fromkeys(TOLD, _told))
