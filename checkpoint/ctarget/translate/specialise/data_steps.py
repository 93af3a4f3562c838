"""Rules for steps that make and read pairs and tuples, and for those that test the kind of a value.

In: a block (steps.py), a step. Out: what is known of its result; ops of the node. Pairs and tuples are
virtual: nothing is made until somebody outside the unit needs them. Of a kind (natives_predicate.c) it is
known what it is when the unit is made; where the kind does not determine the result, the machine does it.
"""

from __future__ import annotations

from checkpoint.cps import terms as t
from checkpoint.cps.ownership import Uses
from checkpoint.ctarget.translate.ops.check_ops import EndTest, Expect, IsKind
from checkpoint.ctarget.translate.ops.places import Constant
from checkpoint.ctarget.translate.specialise.steps import OF_ARRAYS, Rule, Steps, Untranslatable
from checkpoint.ctarget.translate.specialise.values import (
    OTHER,
    UNSURE,
    Abstract,
    Held,
    Virtual,
    is_chain,
    is_dual,
    tag_of,
)

FIELDS = {"car": 0, "cdr": 1}


def _cons(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    return steps.virtual("PAIR", steps.take(list(step.operands), uses), step.name)


def _tuple(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    return steps.virtual("TUPLE", steps.take(list(step.operands), uses), step.name)


def _field(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    value, index = steps.operand(step.operands[0]), FIELDS[step.op]
    if isinstance(value, Virtual) and value.tag == "PAIR":
        found = steps.copied(step.name, value.cells[index])
    elif isinstance(value, Held) and (value.tag == "PAIR" or value.tag in UNSURE):
        if value.tag in UNSURE:
            steps.expect_pair(steps.readable(value))
        found = steps.load(step.name, value, index, steps.peer, of_pair=True)
    else:
        raise Untranslatable
    return steps.keep_found(found, step, uses)


def _unpack(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    """Make a new tuple of the elements of one that has so many."""
    value, count = steps.operand(step.operands[0]), step.operands[1]
    if isinstance(count, str) or type(count.value) is not int:
        raise Untranslatable
    cells = _elements(steps, step, value, count.value)
    for cell in cells:
        steps.keep(cell)
    steps.release_used(step, uses)
    return steps.virtual("TUPLE", cells, step.name)


def _elements(steps: Steps, step: t.Compute, value: Abstract, count: int) -> list[Abstract]:
    if isinstance(value, Virtual) and value.tag == "TUPLE" and len(value.cells) == count:
        return list(value.cells)
    if not isinstance(value, Held) or value.tag not in ("TUPLE", OTHER):
        raise Untranslatable
    steps.node.ops.append(Expect(steps.readable(value), "TUPLE", count=count))
    return [steps.load(f"{step.name}_{i}", value, i, steps.peer) for i in range(count)]


def is_nothing(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    """Translate a test whether a value is NOTHING."""
    return _has_tag("NOTHING", steps, step, uses)


def _is_pair(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    return _has_tag("PAIR", steps, step, uses)


def _has_tag(tag: str, steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    """Translate a test of a value's tag: mostly that is known when the unit is made."""
    value = steps.operand(step.operands[0])
    steps.release_used(step, uses)
    if not isinstance(value, Held) or value.tag not in UNSURE:
        return Constant(tag_of(value) == tag)
    test = steps.builder.place(step.name, "boolean")
    steps.node.ops.append((EndTest if is_chain(value) else IsKind)(test, value.place, tag))
    steps.checked(value.place)
    steps.state.facts[test] = (value.place, tag)
    return test


# Kinds

_DUALS = frozenset(("DUAL", "NODE")) | OF_ARRAYS
# For each test the kinds for which it is true, and those for which it depends on the value.
TESTS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "boolean?": (frozenset(("BOOLEAN",)), frozenset((OTHER,))),
    "real?": (frozenset(("REAL",)), frozenset(("DUAL", "NODE", "FOREIGN", OTHER))),
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


RULES: dict[str, Rule] = {
    **dict.fromkeys(TESTS, _is_of_kind),
    "cons": _cons,
    "car": _field,
    "cdr": _field,
    "null?": is_nothing,
    "pair?": _is_pair,
    "py.tuple": _tuple,
    "tagged": _tuple,
    "py.unpack": _unpack,
}
