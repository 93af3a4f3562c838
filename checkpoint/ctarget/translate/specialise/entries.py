"""Entries of a unit: from the content of registers to the State of a header, and back.

In: the shapes of the values in the registers of a block's parameters. Out: a State; for the State of a
header, the content that each register must have for the machine to enter there.
"""

from __future__ import annotations

from checkpoint.ctarget.peers import BlockPeer
from checkpoint.ctarget.translate.ops.check_ops import Enclosed, Expect, ExpectNumber, ExpectReal
from checkpoint.ctarget.translate.ops.object_ops import Load
from checkpoint.ctarget.translate.ops.operation import Op
from checkpoint.ctarget.translate.ops.places import VIEWS, Constant, DualParts, KnownClosure, Place, Tag, View
from checkpoint.ctarget.translate.specialise.builder import WITH_COTANGENTS, Builder
from checkpoint.ctarget.translate.specialise.observe import Shape, is_dual_of_reals
from checkpoint.ctarget.translate.specialise.steps import NUMBERS, OF_ARRAYS
from checkpoint.ctarget.translate.specialise.values import (
    Abstract,
    Closure,
    Held,
    State,
    Virtual,
    dual_parts,
    is_nested,
)
from checkpoint.ctarget.translate.units.graph import Header, Unit

Wanted = Place | Tag | KnownClosure | DualParts | View
Entry = tuple[tuple[int, Wanted], ...]


def observed(builder: Builder, peer: BlockPeer, shapes: dict[int, Shape]) -> State:
    """Return what is known of a block's parameters, from the shapes of what is in their registers."""
    tags: dict[int, Place] = {}
    return State(
        {name: known(builder, name, shapes[peer.registers[name]], tags) for name in peer.block.params}
    )


def known(builder: Builder, name: str, shape: Shape, tags: dict[int, Place]) -> Abstract:
    """Return what is known of a value of a shape, which gets the name of its slot.

    tags: the places of the tags of duals so far, by what these were: those that were equal are to be.
    """
    if shape.tag in NUMBERS:
        return builder.place(name, NUMBERS[shape.tag])
    if shape.tag in VIEWS:
        return builder.view(name, VIEWS.index(shape.tag) + 1)
    if is_dual_of_reals(shape):
        made, parts = builder.dual(name, tags.get(shape.number), shape.number)
        tags[shape.number] = parts.tag
        return made
    if shape.tag == "NOTHING":
        return Constant(None)
    if shape.tag == "PROCEDURE" and shape.procedure is not None:
        return Closure(shape.procedure, None)
    place = builder.place(name, "value")
    if shape.tag == "CLOSURE" and shape.procedure is not None:
        hint = shape.fields[0] if shape.fields else None
        return Closure(shape.procedure, Held(place, "ENVIRONMENT", hint))
    return builder.hold(place, shape.tag, shape)


def entry(builder: Builder, peer: BlockPeer, state: State) -> Entry | None:
    """Return what must be in the registers; None: some of what is known is in no register."""
    if state.frames:
        return None
    found: list[tuple[int, Wanted]] = []
    for name, value in state.slots.items():
        wanted = _wanted(builder, value)
        if wanted is None:
            return None
        found += [(peer.registers[name], each) for each in wanted]
    return tuple(found)


def _wanted(builder: Builder, value: Abstract) -> list[Wanted] | None:
    match value:
        case Place() | View():
            return [value]
        case Constant(None):
            return [Tag("NOTHING")]
        case Held(place, tag, constant=None):
            return [place, Tag(tag)]
        case Closure(procedure, None):
            return [Tag("PROCEDURE", builder.reference(procedure))]
        case Closure(procedure, Held(place)):
            return [KnownClosure(builder.reference(procedure), place)]
        case Virtual(tag="DUAL") if not is_nested(value):
            return [dual_parts(value)]
    return None


def fits(unit: Unit, block: BlockPeer, shapes: dict[int, Shape], expects: bool = True) -> bool:
    """Return whether the unit can be entered at a block with values of these shapes in its registers.

    expects: whether numbers are to be those that the unit expects.
    """
    entries = [header for header in unit.headers if header.block is block]
    return any(_can_enter(unit, header, shapes, expects) for header in entries)


def _can_enter(unit: Unit, header: Header, shapes: dict[int, Shape], expects: bool) -> bool:
    if header.entry is None or not all(_fits(unit, wanted, shapes[at]) for at, wanted in header.entry):
        return False
    known = {wanted: shapes[at] for at, wanted in header.entry if isinstance(wanted, Place)}
    for at, wanted in header.entry:
        if isinstance(wanted, KnownClosure) and wanted.environment is not None and shapes[at].fields:
            known[wanted.environment] = shapes[at].fields[0]
    checks = [check for check in header.checks if expects or not isinstance(check, ExpectReal)]
    return all(_holds(unit, check, known) for check in checks)


def _holds(unit: Unit, check: Op, known: dict[Place, Shape]) -> bool:
    """Return whether a check holds of values of known shapes. The shape of what it reads becomes known."""
    match check:
        case Expect(place, tag, procedure, count) if place in known:
            shape = known[place]
            has_length = count is None or not shape.fields or len(shape.fields) == count
            return has_length and _fits(unit, Tag(tag, procedure), shape)
        case ExpectReal(place, bits) if place in known:
            return known[place].bits == bits
        case (Load(to, owner) | Enclosed(to, owner)) as read if owner in known:
            at = read.index if isinstance(read, Load) else 0
            if at < len(known[owner].fields):
                known[to] = known[owner].fields[at]
                return _fits(unit, to, known[to])
        case ExpectNumber(place, route, is_dual) if place in known:
            found = _part(known[place], route)
            return found is None or found.tag != ("REAL" if is_dual else "DUAL")
    return True


def _part(shape: Shape, route: tuple[int, ...]) -> Shape | None:
    """Return the shape at the end of a route of parts, if it is known: in a list, of the first element."""
    for index in route:
        at = 0 if shape.tag == "LIST" else index
        if at >= len(shape.fields):
            return None
        shape = shape.fields[at]
    return shape


def _fits(unit: Unit, wanted: Wanted, shape: Shape) -> bool:
    match wanted:
        case DualParts():
            return is_dual_of_reals(shape)
        case View(tag=tag):
            return shape.tag == tag
        case Place(kind="value" | "array"):
            return True
        case Place(kind=kind):
            return NUMBERS.get(shape.tag) == kind
        case Tag("OTHER"):
            return shape.tag not in ("REAL", "TEXT", *WITH_COTANGENTS, *OF_ARRAYS)
        case Tag(tag, procedure):
            return shape.tag == tag and (procedure is None or shape.procedure is unit.references[procedure])
        case KnownClosure(procedure):
            return shape.tag == "CLOSURE" and shape.procedure is unit.references[procedure]
