"""Rules for steps of Python programs on objects: their attributes, making them, their classes.

In: a block (steps.py), a step. Out: what is known of its result; ops and effects of the node.

What always holds: an object's layout may change whenever it is changed, through any name: so each op that
reads or changes an attribute checks it (natives_read.c, natives_change.c say what the machine does).
"""

from __future__ import annotations

from checkpoint.ad.containers import Layout
from checkpoint.cps import terms as t
from checkpoint.cps.ownership import Uses
from checkpoint.ctarget.translate.ops.attribute_ops import (
    Attribute,
    ChangeableInstance,
    HasLayout,
    Holds,
    MakeInstance,
    SetAttribute,
)
from checkpoint.ctarget.translate.ops.object_ops import Birth
from checkpoint.ctarget.translate.ops.places import Constant, Place, View
from checkpoint.ctarget.translate.specialise.list_steps import changed, content, shape_of
from checkpoint.ctarget.translate.specialise.observe import WITH_LAYOUT, Shape
from checkpoint.ctarget.translate.specialise.python_steps import (
    class_of_kind,
    classes_of,
    is_container,
    readable_container,
)
from checkpoint.ctarget.translate.specialise.steps import Rule, Steps, Untranslatable
from checkpoint.ctarget.translate.specialise.values import Abstract, Closure, Held, Virtual, tag_of


def _object(steps: Steps, step: t.Compute, tags: frozenset[str] = WITH_LAYOUT) -> tuple[Held, Layout]:
    """Return the object that a step reads or changes, and the layout that it is expected to have."""
    value = steps.operand(step.operands[0])
    if not isinstance(value, Held) or value.tag not in tags or value.hint is None:
        raise Untranslatable
    if value.hint.layout is None:
        raise Untranslatable
    return value, value.hint.layout


def _name(step: t.Compute) -> str:
    """Return the name of the attribute."""
    operand = step.operands[1]
    if isinstance(operand, str) or not isinstance(operand.value, str):
        raise Untranslatable
    return operand.value


def _attribute(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    value, layout = _object(steps, step)
    position = layout.index.get(_name(step))
    if position is None:
        raise Untranslatable
    if value.place in steps.attributes:
        return steps.keep_found(_own(steps, step, value.place, position), step, uses)
    place, number = readable_container(steps, value), steps.builder.reference(layout)
    fields = value.hint.fields if value.hint is not None else ()
    hint = fields[position] if position < len(fields) else None
    found = steps.read(
        step.name,
        hint,
        steps.peer,
        lambda to: Attribute(to, place, position, number, constant=value.was_constant),
    )
    return steps.keep_found(found, step, uses)


def _own(steps: Steps, step: t.Compute, place: Place, position: int) -> Abstract:
    """Return an attribute of an instance that the node makes: a copy of what it is made of.

    That is a location of its own, to which all that the attribute receives is added, in the same order.
    """
    cell = steps.attributes[place][position]
    if isinstance(cell, Virtual | Closure):
        raise Untranslatable
    return steps.copied(step.name, cell)


def _set_attribute(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    value, layout = _object(steps, step, frozenset(("INSTANCE",)))
    name = _name(step)
    place = value.place
    if place not in steps.attributes:
        number = steps.builder.reference(layout)
        steps.node.ops.append(ChangeableInstance(readable_container(steps, value), number))
    source, shape = content(steps, step, uses)
    wider = layout if name in layout.index else layout.with_name(name)
    adds = None if wider is layout else steps.builder.reference(wider)
    new = steps.builder.place(step.name, "value")
    steps.node.effects.append(SetAttribute(new, place, wider.index[name], source, adds))
    changed(steps, step, uses, place)
    hint = _with_field(value.hint, wider, wider.index[name], shape)
    steps.state.change(place, lambda held: Held(place, held.tag, hint))
    return Held(new, "INSTANCE", hint)


def _with_field(old: Shape | None, layout: Layout, position: int, shape: Shape | None) -> Shape:
    """Return the shape of an instance after a change of an attribute."""
    fields = old.fields if old is not None else ()
    if shape is None or len(fields) < position:
        return Shape("INSTANCE", None, fields[:position], layout)
    return Shape("INSTANCE", None, (*fields[:position], shape, *fields[position + 1 :]), layout)


def _put_back(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    """Translate x.name = v after a change of x.name in place: nothing happens, unless that is an array."""
    if isinstance(steps.operand(step.operands[2]), View):
        return _set_attribute(steps, step, uses)
    owner, layout = _object(steps, step)
    value, position = steps.operand(step.operands[2]), layout.index.get(_name(step))
    if position is None or not is_container(value):
        raise Untranslatable
    place, number = readable_container(steps, owner), steps.builder.reference(layout)
    steps.node.ops.append(Holds(place, number, position, steps.readable(value)))
    return steps.keep_found(owner, step, uses)


def _new(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    layout = step.operands[0]
    if isinstance(layout, str) or not isinstance(layout.value, Layout):
        raise Untranslatable
    values = steps.take(list(step.operands[1:]), uses, 1)
    fields = [shape_of(value) for value in values]
    birth = steps.builder.place(f"{step.name}_birth", "integer")
    place = steps.builder.place(step.name, "value")
    cells = [steps.copied(f"{step.name}_cell", value) for value in values]
    steps.node.ops.append(Birth(birth))
    sources = steps.materialised(cells)
    number = steps.builder.reference(layout.value)
    steps.node.effects.append(MakeInstance(place, "INSTANCE", sources, birth, number))
    steps.fresh.add(place)
    steps.attributes[place] = cells
    known = tuple([field for field in fields if field is not None])
    shape = Shape("INSTANCE", None, known if len(known) == len(fields) else (), layout.value)
    return Held(place, "INSTANCE", shape)


def _instance(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    """Translate isinstance, or `type(x) is`, for classes that do not customise isinstance."""
    classes = classes_of(step.operands[1])
    if tag_of(steps.operand(step.operands[0])) in WITH_LAYOUT:
        value, layout = _object(steps, step)
        steps.node.ops.append(HasLayout(readable_container(steps, value), steps.builder.reference(layout)))
        cls = layout.cls
    else:
        cls = class_of_kind(steps.operand(step.operands[0]))
    steps.release_used(step, uses)
    return Constant(cls in classes if step.op == "py.is-class" else issubclass(cls, classes))


RULES: dict[str, Rule] = {
    "py.attribute": _attribute,
    "py.set-attribute": _set_attribute,
    "py.put-back-attribute": _put_back,
    "py.new": _new,
    "py.instance": _instance,
    "py.is-class": _instance,
}
