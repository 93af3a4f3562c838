"""Steps of Python programs that make and change lists: `[...]`, `x[i] = v`, `x.append(v)`.

In: a block on its way (steps.py), a step. Out: the list that it makes, a Held; ops and effects of the node.

What always holds: all that can fail is an op. What a node has changed, its later ops do not look at: those of
other nodes may (ctemplates/natives/natives_change.c says what the machine does).
"""

from __future__ import annotations

from checkpoint.cps import terms as t
from checkpoint.cps.ownership import Uses
from checkpoint.ctarget.translate.ops.object_ops import Birth, Changeable, Make, Update
from checkpoint.ctarget.translate.ops.places import Constant, Place
from checkpoint.ctarget.translate.specialise.observe import Shape
from checkpoint.ctarget.translate.specialise.python_steps import looked_into
from checkpoint.ctarget.translate.specialise.steps import SPECIAL, Steps, Untranslatable, tag_of
from checkpoint.ctarget.translate.specialise.values import OTHER, Abstract, Closure, Held, Virtual


def _list(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    given = steps.taken(list(step.operands), uses)
    first = _shape(given[0]) if given else None
    birth = steps.builder.place(f"{step.name}_birth", "integer")
    place = steps.builder.place(step.name, "value")
    cells = [steps.renamed(f"{step.name}_cell", value) for value in given]
    steps.node.ops.append(Birth(birth))
    sources = steps.made_now(cells)
    steps.node.effects.append(Make(place, "LIST", sources, birth))
    steps.fresh.add(place)
    return Held(place, "LIST", _of_elements(first))


def _set(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    index = steps.operand(step.operands[1])
    if not isinstance(index, Place | Constant) or index.kind != "integer":
        raise Untranslatable
    return _changed(steps, step, uses, index)


def _append(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    return _changed(steps, step, uses, None)


def _changed(steps: Steps, step: t.Compute, uses: Uses, index: Place | Constant | None) -> Abstract:
    """The list gets the last operand."""
    owner = steps.operand(step.operands[0])
    if not isinstance(owner, Held) or owner.tag != "LIST" or steps.operand(step.operands[-1]) is owner:
        raise Untranslatable
    old, at = looked_into(steps, owner), steps.builder.place(f"{step.name}_at", "integer")
    steps.node.ops.append(Changeable(at, old, index, steps.made))
    last = len(step.operands) - 1
    value = steps.taken([step.operands[-1]], uses, last)[0]
    shape = _shape(value)
    (source,) = steps.made_now([steps.renamed(f"{step.name}_value", value)])
    new = steps.builder.place(step.name, "value")
    steps.node.effects.append(Update(new, old, at, source, index is None, steps.made))
    steps.changed.append(old)
    steps.fresh.add(new)
    for i in uses.moved:
        operand = step.operands[i]
        if i != last and isinstance(operand, str):
            steps.release(steps.state.slots.pop(operand))
    known = owner.hint is not None and owner.hint.fields
    return Held(new, "LIST", owner.hint if known else _of_elements(shape))


def _of_elements(first: Shape | None) -> Shape | None:
    """What a list looks like, from its first element."""
    return None if first is None else Shape("LIST", None, (first,))


def _shape(value: Abstract) -> Shape | None:
    """What a value looks like, as far as elements need it."""
    if isinstance(value, Closure) or tag_of(value) == OTHER:
        return None
    if isinstance(value, Held) and value.hint is not None:
        return value.hint
    if not isinstance(value, Virtual):
        return Shape(tag_of(value))
    cells = [_shape(cell) for cell in value.cells]
    fields = tuple([cell for cell in cells if cell is not None])
    return Shape(value.tag, None, fields if len(fields) == len(cells) else ())


SPECIAL["py.list"] = _list
SPECIAL["py.set"] = _set
SPECIAL["py.append"] = _append
