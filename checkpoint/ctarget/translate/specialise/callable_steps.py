"""Rules for steps that choose what a function that is a value does: overloads, arguments, the cotangent 1.

In: a block (steps.py), a step. Out: what is known of its result; ops of the node. A function of the library
whose value is a function returns a record of procedures, one for each number of arguments (Overloads); it
is virtual here, and a call finds its procedure when the unit is made.
"""

from __future__ import annotations

from types import NoneType

from checkpoint.ad.containers import Layout
from checkpoint.cps import terms as t
from checkpoint.cps.ownership import Uses
from checkpoint.ctarget.translate.ops.attribute_ops import Attribute
from checkpoint.ctarget.translate.ops.places import Constant
from checkpoint.ctarget.translate.ops.scalar_ops import Copy
from checkpoint.ctarget.translate.specialise.python_steps import readable_container
from checkpoint.ctarget.translate.specialise.steps import Rule, Steps, Untranslatable
from checkpoint.ctarget.translate.specialise.values import Abstract, Closure, Held, Virtual
from checkpoint.prims.python.iteration import GENERAL, MAX_APPLIED


def _overloads(layout: Layout | None) -> Layout:
    """Return the layout of a record of procedures."""
    if layout is None or layout.cls.__name__ != "Overloads":
        raise Untranslatable
    return layout


def _record(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    operand = step.operands[0]
    if isinstance(operand, str) or not isinstance(operand.value, Layout):
        raise Untranslatable
    layout = _overloads(operand.value)
    made = steps.virtual("RECORD", steps.take(list(step.operands[1:]), uses, 1), step.name)
    made.layout = layout
    return made


def _layout(value: Abstract) -> Layout:
    """Return the layout that a record of procedures has, or is expected to have."""
    match value:
        case Virtual(tag="RECORD", layout=layout):
            return _overloads(layout)
        case Held(tag="RECORD", hint=hint) if hint is not None:
            return _overloads(hint.layout)
    raise Untranslatable


def _field(steps: Steps, step: t.Compute, value: Abstract, name: str) -> Abstract:
    """Return a procedure of a record."""
    layout = _layout(value)
    position = layout.index.get(name)
    if position is None:
        raise Untranslatable
    if isinstance(value, Virtual):
        return value.cells[position]
    assert isinstance(value, Held)
    assert value.hint is not None
    place, number = readable_container(steps, value), steps.builder.reference(layout)
    hint = value.hint.fields[position] if position < len(value.hint.fields) else None
    return steps.read(step.name, hint, steps.peer, lambda to: Attribute(to, place, position, number))


def _callee(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    value, count = steps.operand(step.operands[0]), steps.operand(step.operands[1])
    if isinstance(value, Closure):
        return steps.keep_found(value, step, uses)
    if not isinstance(count, Constant):
        raise Untranslatable
    return steps.keep_found(_field(steps, step, value, str(count.value)), step, uses)


def _has_general(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    value = steps.operand(step.operands[0])
    found = not isinstance(value, Closure) and GENERAL in _layout(value).index
    if isinstance(value, Held):
        _field(steps, step, value, _layout(value).names[0])  # checks the layout
    steps.release_used(step, uses)
    return Constant(found)


def _general(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    return steps.keep_found(_field(steps, step, steps.operand(step.operands[0]), GENERAL), step, uses)


def _arguments(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    function, arguments, keywords = (steps.operand(operand) for operand in step.operands)
    is_plain = isinstance(keywords, Virtual) and keywords.tag == "DICTIONARY" and not keywords.cells
    if not is_plain or not isinstance(arguments, Virtual) or arguments.tag != "TUPLE":
        raise Untranslatable
    if isinstance(function, Closure):
        params = function.procedure.lam.params if function.procedure.lam is not None else ()
        if len(params) != len(arguments.cells) or len(params) > MAX_APPLIED:
            raise Untranslatable
    else:
        _layout(function)
    return _copied(steps, step, uses, list(arguments.cells))


def _copied(steps: Steps, step: t.Compute, uses: Uses, cells: list[Abstract]) -> Abstract:
    """Return a new tuple of elements that the operands have."""
    for cell in cells:
        steps.keep(cell)
    steps.release_used(step, uses)
    return steps.virtual("TUPLE", cells, step.name)


def _tuple_of(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    return _copied(steps, step, uses, _elements(steps, step.operands[0]))


def _elements(steps: Steps, operand: t.Operand) -> list[Abstract]:
    """Return the elements of a virtual tuple."""
    value = steps.operand(operand)
    if not isinstance(value, Virtual) or value.tag != "TUPLE":
        raise Untranslatable
    return list(value.cells)


def _slice(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    cells = _elements(steps, step.operands[0])
    bounds = [steps.operand(operand) for operand in step.operands[1:]]
    low, high, stride = [_bound(bound) for bound in bounds]
    if stride == 0:
        raise Untranslatable
    return _copied(steps, step, uses, cells[low:high:stride])


def _bound(value: Abstract) -> int | None:
    """Return a bound of a slice that is known."""
    if not isinstance(value, Constant) or type(value.value) not in (int, NoneType):
        raise Untranslatable
    return value.value  # type: ignore[return-value]


def _joined(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    """Translate x + y of two virtual tuples."""
    x, y = (_elements(steps, operand) for operand in step.operands)
    return _copied(steps, step, uses, [*x, *y])


def _keywords(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    """Check that there are no keywords."""
    value = steps.operand(step.operands[0])
    if not isinstance(value, Virtual) or value.tag != "DICTIONARY":
        raise Untranslatable
    steps.release_used(step, uses)
    return steps.virtual("DICTIONARY", [], step.name)


def _equals_text(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    """Translate x == "..." where x is None."""
    found = [operand for operand in step.operands if is_text(operand)]
    others = [steps.operand(operand) for operand in step.operands if not is_text(operand)]
    if len(found) != 1 or others != [Constant(None)]:
        raise Untranslatable
    steps.release_used(step, uses)
    return Constant(step.op == "py.ne")


def is_text(operand: t.Operand) -> bool:
    """Return whether an operand is a constant text."""
    return not isinstance(operand, str) and type(operand.value) is str


def _dict(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    if step.operands:
        raise Untranslatable
    return steps.virtual("DICTIONARY", [], step.name)


def _unit(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    birth = steps.builder.place(f"{step.name}_birth", "integer")
    steps.node.ops.append(Copy(birth, Constant(0)))
    return Virtual("UNIT", [], birth)


RULES: dict[str, Rule] = {
    "py.record": _record,
    "py.callee": _callee,
    "py.has-general": _has_general,
    "py.general": _general,
    "py.arguments": _arguments,
    "py.tuple-of": _tuple_of,
    "py.tuple-of-star": _tuple_of,
    "py.slice": _slice,
    "py.add": _joined,
    "py.keywords": _keywords,
    "py.eq": _equals_text,
    "py.ne": _equals_text,
    "py.dict": _dict,
    "py.unit": _unit,
}
