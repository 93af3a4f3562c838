"""Operations on the objects of a lane, as statements on vectors of their cells.

In: an operation on objects (objects.py), the plan, the name of the mask of its lanes. Out: statements; or the
statements of its adjoint. A cell that is the same for all lanes is the variable of C that it was made of;
another is an array of vectors, one for each chunk. What reads one of several cells chooses, lane by lane.

What always holds: the cotangent of a cell is added to in the reverse order of the reads, from +0.0 on, as in
the map of accumulators; so it is never -0.0.
"""

from __future__ import annotations

from checkpoint.ctarget.translate.ops.attribute_ops import HasLayout
from checkpoint.ctarget.translate.ops.check_ops import Expect
from checkpoint.ctarget.translate.ops.object_ops import Element, Length, Load, Make
from checkpoint.ctarget.translate.ops.operation import Adjoint, Operation
from checkpoint.ctarget.translate.ops.places import Constant, Place, Source, places_in
from checkpoint.ctarget.translate.ops.words import if_unlikely, plain
from checkpoint.ctarget.translate.strips.objects import LaneObject, fits
from checkpoint.ctarget.translate.strips.plan import Plan
from checkpoint.ctarget.translate.strips.vectors import FAILED, TYPES, spread

MOST_CHOSEN = 8  # cells among which an adjoint chooses again, rather than that what was read is recorded
Choice = tuple[LaneObject, int, Source]
SUFFIXES = {"real": "reals", "integer": "integers", "boolean": "mask", "value": "integers"}


def statements(operation: Operation, plan: Plan, mask: str) -> list[str]:
    """Return the statements that do an operation on objects for all lanes of a mask."""
    match operation:
        case Make():
            return _made(operation, plan, mask)
        case Load() | Element():
            return _read(operation, plan, mask)
        case Expect(place=place) | HasLayout(place=place):
            return _checked(
                [each for each in plan.objects.of[place] if fits(each, operation)], place, plan, mask
            )
        case Length(to=to, owner=owner):
            count = len(next(iter(plan.objects.of[owner])).cells)
            return [f"{to.name} = {count};"]
    return []


def cell(own: LaneObject, index: int, plan: Plan) -> str:
    """Return a cell of an object as a vector."""
    source = own.cells[index]
    if source.kind == "value" or (own.is_first and plan.is_uniform(source)):
        return spread(source, plan)
    return f"{own.name(index)}[u]"


def arrays(own: LaneObject, plan: Plan) -> list[Place]:
    """Return the cells of an object that are arrays of vectors, by their names."""
    return [
        Place(own.name(i), source.kind)
        for i, source in enumerate(own.cells)
        if own.makes and source.kind != "value" and not (own.is_first and plan.is_uniform(source))
    ]


def _made(make: Make, plan: Plan, mask: str) -> list[str]:
    own = plan.objects.made(make)
    assert own is not None
    kept = {place.name for place in arrays(own, plan)}
    lines = []
    for i, source in enumerate(make.cells):
        if own.name(i) in kept:
            at = f"{own.name(i)}[u]"
            lines.append(f"{at} = either_{SUFFIXES[source.kind]}({mask}, {spread(source, plan)}, {at});")
    if own in plan.leaving:
        at = f"{own.birth}[u]"
        lines.append(f"{at} = either_integers({mask}, {make.birth.name}, {at});")
    return lines


def _checked(good: list[LaneObject], place: Place, plan: Plan, mask: str) -> list[str]:
    """End the strip where a place is none of some objects."""
    if len(good) == len(plan.objects.of[place]):
        return []
    tests = [f"MASK({place.name} == {each.number})" for each in good]
    found = " | ".join(tests) if tests else "NO_LANES"
    if plan.objects.only(place) is not None:
        found = "NO_LANES"
    return [if_unlikely(f"any({mask} & ~({found}))", FAILED)]


def _read(read: Load | Element, plan: Plan, mask: str) -> list[str]:
    choices, objects = plan.objects.choices(read), plan.objects
    lines = _position(read, plan)
    owners = dict.fromkeys(own for own, _, _ in choices)
    lines += _checked(list(owners), read.owner, plan, mask)
    if isinstance(read, Element) and not isinstance(read.index, Constant):
        first, last = choices[0][1], choices[-1][1]
        at = read.at.name
        lines.append(if_unlikely(f"any({mask} & (MASK({at} < {first}) | MASK({at} > {last})))", FAILED))
    to = read.to
    if to.kind == "value" and objects.only(to) is not None:
        return lines
    if to in plan.uniform:
        ((_, _, source),) = choices
        return [*lines, f"{to.name} = {plain(source)};"]
    return [*lines, f"const {TYPES[to.kind]} {to.name} = {chosen(read, plan)};"]


def chosen(read: Load | Element, plan: Plan) -> str:
    """Return what an operation reads as a vector, chosen lane by lane among the cells that it may read."""
    (own, index, _), *others = plan.objects.choices(read)
    text = cell(own, index, plan)
    for own, index, _ in others:
        tests = " & ".join(_tests(read, own, index, plan))
        text = f"either_{SUFFIXES[read.to.kind]}({tests}, {cell(own, index, plan)}, {text})"
    return text


def read_from(read: Load | Element, plan: Plan) -> list[Place] | None:
    """Return the places from which an adjoint chooses again what an operation reads; None: it is recorded."""
    choices = plan.objects.choices(read)
    if read.to.kind == "boolean" or len(choices) > MOST_CHOSEN:
        return None
    if not all(_is_known(own, source, plan) for own, _, source in choices):
        return None
    numbers = places_in(source for _, _, source in choices if source.kind != "value")
    return [*[residual.place for residual in plan.objects.residuals(read)], *numbers]


def _is_known(own: LaneObject, source: Source, plan: Plan) -> bool:
    """Return whether a cell is the same for all lanes, or always one object."""
    return (
        plan.objects.only(source) is not None
        if source.kind == "value"
        else own.is_first and plan.is_uniform(source)
    )


def _tests(read: Load | Element, own: LaneObject, index: int, plan: Plan) -> list[str]:
    """Return what holds in the lanes that read a cell, as masks."""
    tests = [] if plan.objects.only(read.owner) else [f"MASK({read.owner.name} == {own.number})"]
    if isinstance(read, Element) and not isinstance(read.index, Constant):
        tests.append(f"MASK({read.at.name} == {index})")
    return tests


def _position(read: Load | Element, plan: Plan) -> list[str]:
    """Set where an element is: an index below 0 is from the end."""
    if not isinstance(read, Element) or isinstance(read.index, Constant):
        return []
    count = len(next(iter(plan.objects.of[read.owner])).cells)
    index = spread(read.index, plan)
    lines = [f"const Integers {read.at.name}_given = {index};"]
    given = f"{read.at.name}_given"
    return [
        *lines,
        f"const Integers {read.at.name} = either_integers(MASK({given} < 0), {given} + {count}, {given});",
    ]


# Adjoints


def differentiated(own: LaneObject, plan: Plan) -> list[int]:
    """Return which cells of an object have cotangents: not those that are always constants."""
    return [i for i in range(len(own.cells)) if any(plan.is_wanted(each.cells[i]) for each in own.makes)]


def cotangent(own: LaneObject, index: int) -> str:
    """Return the name of the array with the cotangents of a cell."""
    return f"{own.name(index)}_c"


def reverse(operation: Operation, plan: Plan, adjoint: Adjoint) -> list[str]:
    """Write the adjoint of an operation on objects; return the arrays of cotangents that it names."""
    if isinstance(operation, Make):
        return _reverse_make(operation, plan, adjoint)
    assert isinstance(operation, Load | Element)
    given = adjoint.cotangent(operation.to).text
    names = []
    for own, index, _ in plan.objects.choices(operation):
        if index not in differentiated(own, plan):
            continue
        name = cotangent(own, index)
        at, lanes = f"{name}[u]", " & ".join(["mask", *_tests(operation, own, index, plan)])
        adjoint.put(f"{at} = either_reals({lanes}, {at} + {given}, {at});")
        names.append(name)
    return names


def _reverse_make(make: Make, plan: Plan, adjoint: Adjoint) -> list[str]:
    own = plan.objects.made(make)
    assert own is not None
    names = []
    for i in reversed(differentiated(own, plan)):
        name = cotangent(own, i)
        taken = f"{name}_{make.to.name}"
        adjoint.put(f"const Reals {taken} = {name}[u];")
        if not own.is_first:
            adjoint.put(f"{name}[u] = either_reals(mask, all_reals(0.0), {taken});")
        adjoint.add(make.cells[i], taken, never_minus_zero=True)
        names.append(name)
    return names
