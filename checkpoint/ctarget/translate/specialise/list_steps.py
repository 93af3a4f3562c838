"""Rules for steps of Python programs that make and change lists: `[...]`, `x[i] = v`, `x.append(v)`.

In: a block (steps.py), a step. Out: the list, a Held; ops and effects of the node.

What always holds: only ops can fail. Later ops of a node read no list that the node changes; those
of other nodes may (natives_change.c says what the machine does).
"""

from __future__ import annotations

from checkpoint.cps import terms as t
from checkpoint.cps.ownership import Uses
from checkpoint.ctarget.translate.ops.object_ops import Birth, Changeable, HoldsElement, Make, Update
from checkpoint.ctarget.translate.ops.places import Constant, Place, Source, View
from checkpoint.ctarget.translate.specialise.observe import Shape
from checkpoint.ctarget.translate.specialise.python_steps import is_container, readable_container
from checkpoint.ctarget.translate.specialise.steps import Rule, Steps, Untranslatable
from checkpoint.ctarget.translate.specialise.values import UNSURE, Abstract, Closure, Held, Virtual, tag_of


def _list(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    values = steps.take(list(step.operands), uses)
    first = shape_of(values[0]) if values else None
    birth = steps.builder.place(f"{step.name}_birth", "integer")
    place = steps.builder.place(step.name, "value")
    cells = [steps.copied(f"{step.name}_cell", value) for value in values]
    steps.node.ops.append(Birth(birth))
    sources = steps.materialised(cells)
    steps.node.effects.append(Make(place, "LIST", sources, birth))
    steps.fresh.add(place)
    return Held(place, "LIST", _of_elements(first))


def _set(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    index = steps.operand(step.operands[1])
    if not isinstance(index, Place | Constant) or index.kind != "integer":
        raise Untranslatable
    return _changed(steps, step, uses, index)


def _assign(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    """Change a reference, which is a list of one."""
    return _changed(steps, step, uses, Constant(0))


def _append(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    return _changed(steps, step, uses, None)


def _changed(steps: Steps, step: t.Compute, uses: Uses, index: Place | Constant | None) -> Abstract:
    """Store the last operand in the list: at an index, or after all others (None)."""
    owner = steps.operand(step.operands[0])
    if not isinstance(owner, Held) or owner.tag != "LIST":
        raise Untranslatable
    old, at = readable_container(steps, owner), steps.builder.place(f"{step.name}_at", "integer")
    steps.node.ops.append(Changeable(at, old, index))
    source, shape = content(steps, step, uses)
    new = steps.builder.place(step.name, "value")
    steps.node.effects.append(Update(new, old, at, source, index is None))
    changed(steps, step, uses, old)
    known = owner.hint is not None and owner.hint.fields
    return Held(new, "LIST", owner.hint if known else _of_elements(shape))


def content(steps: Steps, step: t.Compute, uses: Uses) -> tuple[Source, Shape | None]:
    """Return what an update stores, its last operand, with a reference; and its shape."""
    if steps.operand(step.operands[0]) is steps.operand(step.operands[-1]):
        raise Untranslatable
    value = steps.take([step.operands[-1]], uses, len(step.operands) - 1)[0]
    (source,) = steps.materialised([steps.copied(f"{step.name}_value", value)])
    return source, shape_of(value)


def changed(steps: Steps, step: t.Compute, uses: Uses, place: Place) -> None:
    """Note that the node changes what is in a place, and release the operands of the update but the last."""
    steps.changed.append(place)
    last = len(step.operands) - 1
    for i in uses.moved:
        operand = step.operands[i]
        if i != last and isinstance(operand, str):
            steps.release(steps.state.slots.pop(operand))


def _put_back(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    """Translate x[i] = v after a change of x[i] in place: nothing happens, unless that is an array."""
    if isinstance(steps.operand(step.operands[2]), View):
        return _set(steps, step, uses)
    owner, index, value = (steps.operand(operand) for operand in step.operands)
    if not isinstance(owner, Held) or owner.tag not in ("LIST", "TUPLE"):
        raise Untranslatable
    if not isinstance(index, Place | Constant) or index.kind != "integer" or not is_container(value):
        raise Untranslatable
    place = readable_container(steps, owner)
    steps.node.ops.append(HoldsElement(place, index, steps.readable(value)))
    return steps.keep_found(owner, step, uses)


def _of_elements(first: Shape | None) -> Shape | None:
    """Return the shape of a list from that of its first element."""
    return None if first is None else Shape("LIST", None, (first,))


def shape_of(value: Abstract) -> Shape | None:
    """Return the shape of a value, as far as a hint for elements needs it."""
    if isinstance(value, Closure) or tag_of(value) in UNSURE:
        return None
    if isinstance(value, Held) and value.hint is not None:
        return value.hint
    if not isinstance(value, Virtual):
        return Shape(tag_of(value))
    cells = [shape_of(cell) for cell in value.cells]
    fields = tuple([cell for cell in cells if cell is not None])
    return Shape(value.tag, None, fields if len(fields) == len(cells) else ())


RULES: dict[str, Rule] = {
    "py.list": _list,
    "ref": _list,
    "py.set": _set,
    ":=": _assign,
    "py.append": _append,
    "py.put-back": _put_back,
}
