"""Rules for steps of Python programs: elements, lengths, truth, integers made of reals, bits, classes.

In: a block (steps.py), a step. Out: what is known of its result; ops of the node.

What always holds: a step has the result of the machine's native step (natives_read.c, natives_integer.c,
peek.c), or Python where the machine asks it; if that is uncertain, the unit exits.
"""

from __future__ import annotations

from types import FunctionType, NoneType
from typing import TypeGuard

from checkpoint.ad.containers import Layout, Types
from checkpoint.cps import terms as t
from checkpoint.cps.ownership import Uses
from checkpoint.ctarget.translate.nested.choice_ops import Pick, Position
from checkpoint.ctarget.translate.ops.check_ops import Apart, Divides, Expect, IsOne
from checkpoint.ctarget.translate.ops.object_ops import Element, Length
from checkpoint.ctarget.translate.ops.places import Constant, Kind, Place, Source
from checkpoint.ctarget.translate.ops.scalar_ops import Convert, Domain
from checkpoint.ctarget.translate.specialise.dual_steps import number_under
from checkpoint.ctarget.translate.specialise.observe import Shape
from checkpoint.ctarget.translate.specialise.scalar_steps import apply
from checkpoint.ctarget.translate.specialise.steps import Rule, Steps, Untranslatable
from checkpoint.ctarget.translate.specialise.values import OTHER, UNSURE, Abstract, Held, Virtual, tag_of

SEQUENCES = frozenset(("TUPLE", "LIST", OTHER))

# For each step on reals, and on integers: a function of translated.h, and the kind of its result.
OF_REALS: dict[str, tuple[str, Kind]] = {
    "py.int": ("whole_part", "integer"),
    "py.round": ("whole_nearest", "integer"),
    "py.math.floor": ("whole_down", "integer"),
    "py.math.ceil": ("whole_up", "integer"),
    "py.math.trunc": ("whole_part", "integer"),
    "py.math.isfinite": ("tells_finite", "boolean"),
    "py.math.isinf": ("tells_infinite", "boolean"),
    "py.math.isnan": ("tells_nan", "boolean"),
}
OF_INTEGERS: dict[str, tuple[str, Kind]] = {
    "py.float": ("of_whole", "real"),
    "py.pow": ("raised", "integer"),
    "py.ipow": ("raised", "integer"),
    "py.and": ("bits_and", "integer"),
    "py.iand": ("bits_and", "integer"),
    "py.or": ("bits_or", "integer"),
    "py.ior": ("bits_or", "integer"),
    "py.xor": ("bits_xor", "integer"),
    "py.ixor": ("bits_xor", "integer"),
    "py.invert": ("bits_not", "integer"),
    "py.lshift": ("shifted_left", "integer"),
    "py.ilshift": ("shifted_left", "integer"),
    "py.rshift": ("shifted_right", "integer"),
    "py.irshift": ("shifted_right", "integer"),
}
TRUTHS = {"NOTHING": False, "PAIR": True, "PROCEDURE": True, "CLOSURE": True}
STAYS = frozenset(("py.int", "py.round", "py.math.floor", "py.math.ceil", "py.math.trunc", "py.index"))
# The Python class of values of a kind, where the kind determines it.
CLASSES: dict[str, type] = {
    "REAL": float,
    "DUAL": float,
    "INTEGER": int,
    "BOOLEAN": bool,
    "NOTHING": NoneType,
    "TUPLE": tuple,
    "LIST": list,
    "DICTIONARY": dict,
    "RANGE": range,
    "PROCEDURE": FunctionType,
    "CLOSURE": FunctionType,
}


# Elements


def _item(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    value, index = (steps.operand(operand) for operand in step.operands)
    if not isinstance(index, Place | Constant) or index.kind != "integer":
        raise Untranslatable
    if isinstance(value, Virtual) and value.tag == "TUPLE" and isinstance(index, Place):
        found: Abstract = _picked(steps, step, value, index)
    elif isinstance(value, Virtual):
        found = steps.copied(step.name, _cell(value, index))
    elif isinstance(value, Held) and value.tag in SEQUENCES:
        found = _element(steps, step, value, index)
    else:
        raise Untranslatable
    return steps.keep_found(found, step, uses)


def _cell(value: Virtual, index: Source) -> Abstract:
    """Return an element of a virtual tuple."""
    count = len(value.cells)
    if value.tag != "TUPLE" or not isinstance(index, Constant) or not isinstance(index.value, int):
        raise Untranslatable
    if not -count <= index.value < count:
        raise Untranslatable
    return value.cells[index.value]


def _picked(steps: Steps, step: t.Compute, value: Virtual, index: Place) -> Place:
    """Return an element of a virtual tuple of reals, at an index that is not known."""
    cells = tuple(
        [cell for cell in value.cells if isinstance(cell, Place | Constant) and cell.kind == "real"]
    )
    if not cells or len(cells) < len(value.cells):
        raise Untranslatable
    at, to = steps.builder.place(f"{step.name}_at", "integer"), steps.builder.place(step.name, "real")
    steps.node.ops += [Position(at, index, len(cells)), Pick(to, at, cells)]
    return to


def _element(steps: Steps, step: t.Compute, value: Held, index: Place | Constant) -> Abstract:
    known = index.value if isinstance(index, Constant) else None
    if value.tag == "TUPLE" and isinstance(known, int) and known >= 0:
        steps.node.ops.append(Expect(steps.readable(value), "TUPLE"))
        return steps.load(step.name, value, known, steps.peer)
    place = readable_container(steps, value)
    at = steps.builder.place(f"{step.name}_at", "integer")
    return steps.read(
        step.name,
        _hint(value, known),
        steps.peer,
        lambda to: Element(to, place, index, at, constant=value.was_constant),
    )


def readable_container(steps: Steps, value: Held) -> Place:
    """Return the place of a container for an op to read: none that the node changes."""
    place = steps.readable(value)
    if place in steps.changed:
        raise Untranslatable
    if value.tag != "TUPLE":
        steps.node.ops += [Apart(place, other) for other in steps.changed]
    return place


def _hint(value: Held, index: object) -> Shape | None:
    """Return the expected shape of an element: that of the first one, if nothing else is known."""
    fields = value.hint.fields if value.hint is not None else ()
    if value.tag == "TUPLE" and isinstance(index, int) and -len(fields) <= index < len(fields):
        return fields[index]
    first = value.hint.first if value.hint is not None else None
    return fields[0] if fields else first


def length(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    """Return how many elements the first operand has, a tuple or list."""
    value = steps.operand(step.operands[0])
    if isinstance(value, Virtual) and value.tag == "TUPLE":
        steps.release_used(step, uses)
        return Constant(len(value.cells))
    length = _length_of(steps, step, value)
    steps.release_used(step, uses)
    return length


def _length_of(steps: Steps, step: t.Compute, value: Abstract) -> Place:
    if not isinstance(value, Held) or value.tag not in SEQUENCES:
        raise Untranslatable
    length = steps.builder.place(f"{step.name}_length", "integer")
    steps.node.ops.append(Length(length, readable_container(steps, value)))
    return length


def _sequence(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    """Return a tuple or list as it is: it can be indexed and iterated."""
    value = steps.operand(step.operands[0])
    if not isinstance(value, Virtual) or value.tag != "TUPLE":
        _length_of(steps, step, value)  # checks that it is one
    return steps.keep_found(value, step, uses)


def _truth(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    return _compared_with_zero(steps, step, uses, "py.ne")


def _not(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    return _compared_with_zero(steps, step, uses, "py.eq")


def _compared_with_zero(steps: Steps, step: t.Compute, uses: Uses, op: str) -> Abstract:
    """Compare a number, or the length of a container, with 0."""
    value = number_under(steps, step.operands[0])
    if isinstance(value, Place | Constant) and value.kind != "value":
        steps.release_used(step, uses)
        return value if value.kind == "boolean" and op == "py.ne" else _compare(steps, step, value, op)
    if tag_of(value) in TRUTHS:
        steps.release_used(step, uses)
        return Constant(TRUTHS[tag_of(value)] == (op == "py.ne"))
    if isinstance(value, Held) and value.tag in UNSURE:
        raise Untranslatable  # it need not be a container
    return _compare(steps, step, length(steps, step, uses), op)


def _compare(steps: Steps, step: t.Compute, value: Abstract, op: str) -> Place | Constant:
    """Compare a number with the 0 of its kind; booleans are compared as reals."""
    assert isinstance(value, Place | Constant)
    if isinstance(value, Constant):
        return Constant((value.value != 0) == (op == "py.ne"))
    whole = value.kind == "integer"
    test = steps.builder.place(step.name, "boolean")
    zero = Constant(0 if whole else 0.0)
    domain: Domain = "integers" if whole else "reals"
    steps.node.ops.append(apply(op, domain, test, (value, zero), step.span.line))
    return test


# Numbers


def _converted(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    """Convert numbers by a function of translated.h; some conversions leave an integer as it is."""
    given = [number_under(steps, operand) for operand in step.operands]
    numbers = [value for value in given if isinstance(value, Place | Constant) and value.kind != "value"]
    kinds = {number.kind for number in numbers}
    if not numbers or len(numbers) < len(given):
        raise Untranslatable
    if kinds == {"integer"} and step.op in STAYS and len(given) == 1:
        return steps.copied(step.name, given[0])
    table = {"real": OF_REALS, "integer": OF_INTEGERS}.get(numbers[0].kind, {})
    if len(kinds) > 1 or step.op not in table or (table is OF_REALS and len(given) > 1):
        raise Untranslatable
    function, kind = table[step.op]
    to = steps.builder.place(step.name, kind)
    steps.node.ops.append(Convert(to, function, tuple(numbers)))
    steps.release_used(step, uses)
    return to


def _divides(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    """Check that divmod does not raise: the quotient and the remainder are steps of their own."""
    numbers = [number_under(steps, operand) for operand in step.operands]
    if not all(isinstance(each, Place | Constant) and each.kind in ("real", "integer") for each in numbers):
        raise Untranslatable
    divisor = numbers[1]
    assert isinstance(divisor, Place | Constant)
    steps.node.ops.append(Divides(divisor))
    steps.release_used(step, uses)
    return Constant(None)


def class_of_kind(value: Abstract) -> type:
    """Return the class of a value whose kind has one class."""
    cls = CLASSES.get(tag_of(value))
    if cls is None:
        raise Untranslatable
    return cls


def classes_of(types: t.Operand) -> tuple[type, ...]:
    """Return the classes of an isinstance, or of a comparison of a class."""
    if isinstance(types, str) or not isinstance(types.value, Types | Layout):
        raise Untranslatable
    classes = types.value.classes if isinstance(types.value, Types) else (types.value.cls,)
    if any(type(other) is not type for other in classes):
        raise Untranslatable
    return classes


def _variable(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    """Read a cell, which is a list of one."""
    value = steps.operand(step.operands[0])
    if not isinstance(value, Held) or value.tag != "LIST":
        raise Untranslatable
    return steps.keep_found(_element(steps, step, value, Constant(0)), step, uses)


def is_container(value: Abstract) -> TypeGuard[Held]:
    """Return whether a value is known to be a mutable container."""
    return isinstance(value, Held) and value.tag in ("LIST", "DICTIONARY", "INSTANCE")


def _is_one(steps: Steps, step: t.Compute, uses: Uses, x: Held, y: Held) -> Abstract:
    """Compare the identities of two mutable containers."""
    test: Abstract = Constant(False)
    if x.tag == y.tag:
        to = test = steps.builder.place(step.name, "boolean")
        steps.node.ops.append(IsOne(to, steps.readable(x), steps.readable(y)))
    steps.release_used(step, uses)
    return test


def _is(steps: Steps, step: t.Compute, uses: Uses) -> Abstract:
    """Translate `x is None`, and `x is y` of mutable containers."""
    values = [steps.operand(operand) for operand in step.operands]
    containers = [value for value in values if is_container(value)]
    if len(containers) == 2:
        return _is_one(steps, step, uses, *containers)
    others = [value for value in values if value != Constant(None)]
    if len(others) > 1 or (others and tag_of(others[0]) in UNSURE):
        raise Untranslatable
    steps.release_used(step, uses)
    return Constant(not others)


RULES: dict[str, Rule] = {
    "py.item": _item,
    "py.item-to-change": _item,
    "py.len": length,
    "py.truth": _truth,
    "py.not": _not,
    "py.sequence": _sequence,
    "py.variable": _variable,
    "!": _variable,
    "py.is": _is,
    "py.divmod-check": _divides,
    **dict.fromkeys((*STAYS, *OF_REALS, *OF_INTEGERS), _converted),
}
