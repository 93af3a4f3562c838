"""Rules for steps on NumPy's arrays and scalars: elements, lengths, arithmetic, comparisons.

In: a block (steps.py), a step. Out: what is known of its result; ops of the node. What is not sure to be what
NumPy gives, without a warning, is left to the machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from checkpoint.ad.library import overloads
from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.cps.ownership import Uses
from checkpoint.cps.rewrite import operands_of
from checkpoint.ctarget.peers import BlockPeer
from checkpoint.ctarget.tables import is_uncounted, ownership_of
from checkpoint.ctarget.translate.ops.element_functions import (
    EXTREMES,
    Extreme,
    Function,
    Power,
    functions_of_elements,
    operands_of_function,
)
from checkpoint.ctarget.translate.ops.element_ops import (
    SYMBOLS,
    Arithmetic,
    Locate,
    MaySet,
    ReadElement,
    ReadExact,
    SetElement,
)
from checkpoint.ctarget.translate.ops.places import ROWS, VIEWS, Constant, Kind, Place, View
from checkpoint.ctarget.translate.ops.scalar_ops import Convert, Copy
from checkpoint.ctarget.translate.specialise.python_steps import OF_REALS
from checkpoint.ctarget.translate.specialise.scalar_steps import apply, definition_named, kind_of_result
from checkpoint.ctarget.translate.specialise.steps import Steps, Untranslatable
from checkpoint.ctarget.translate.specialise.values import Abstract, Held, Virtual

COMPARISONS = frozenset(("py.lt", "py.le", "py.gt", "py.ge", "py.eq", "py.ne"))
NUMBERS = frozenset(("real", "integer", "element"))
OF_PYTHON = frozenset(("py.int", "py.index", "py.truth"))  # make numbers of NumPy's ones of Python's
CHANGES = frozenset(("py.item-to-change", "py.set"))
MOVES = frozenset(("py.add", "py.sub"))
IN_PLACE = frozenset(("py.ipow", "py.imod", "py.ifloordiv"))  # of scalars, which never change


def of_elements(steps: Steps, step: t.Compute, uses: Uses) -> Abstract | None:
    """Translate a step on an array, or on a scalar of NumPy's; None: it has no such operand."""
    given = [steps.state.slots.get(operand) for operand in step.operands if isinstance(operand, str)]
    first = given[0] if given and isinstance(step.operands[0], str) else None
    if step.operands and step.operands[0] in steps.rows:
        return _of_row(steps, step, uses, *steps.rows[step.operands[0]])
    if isinstance(first, View):
        return _of_array(steps, step, uses, first)
    if isinstance(first, Held) and first.tag in ROWS and step.op == "py.item":
        return _exact(steps, step, uses, first)
    if not any(isinstance(value, Place) and value.kind == "element" for value in given):
        return None
    if any(not isinstance(each, str) and not is_uncounted(each.value) for each in step.operands):
        return None
    operands = [steps.operand(operand) for operand in step.operands]
    numbers = [value for value in operands if isinstance(value, Place | Constant) and value.kind in NUMBERS]
    if len(numbers) < len(operands):
        return None
    definition = definition_named(step.op)
    if definition in SYMBOLS or definition == "negate":
        to = steps.builder.place(step.name, "element")
        steps.node.ops.append(Arithmetic(to, definition, tuple(numbers), step.span.line))
        return to
    if step.op in COMPARISONS and _only_decides(steps.peer, step.name, step):
        to = steps.builder.place(step.name, "boolean")
        steps.node.ops.append(apply(step.op, "reals", to, tuple(numbers), step.span.line))
        return to
    if step.op == "py.float":
        return _as_float(steps, step.name, numbers[0])
    return _of_floats(steps, step, numbers) or _of_scalars(steps, step, numbers)


def _of_scalars(steps: Steps, step: t.Compute, numbers: Sequence[Place | Constant]) -> Place | None:
    """Apply a function that gives a scalar of NumPy's; None: it is another one."""
    op = f"py.{step.op.removeprefix('py.i')}" if step.op in IN_PLACE else step.op
    record = overloads[op].name if op in overloads else op
    definition = functions_of_elements().get(record)
    operands, line = tuple(numbers), step.span.line
    to = steps.builder.place(step.name, "element")
    if definition is not None and len(operands) == operands_of_function(definition):
        steps.node.ops.append(Function(to, operands, line, definition))
    elif record == "np.positive":
        steps.node.ops.append(Copy(to, operands[0]))
    elif record in EXTREMES and len(operands) == len(("x", "y")):
        steps.node.ops.append(Extreme(to, operands, line, record))
    elif op == "py.pow" and _is_exponent(operands[1]):
        steps.node.ops.append(Power(to, operands, line))
    else:
        return None
    return to


def _is_exponent(number: Place | Constant) -> bool:
    """Return whether C has the power and its partials."""
    if isinstance(number, Place):
        return True
    value = number.value
    return type(value) in (int, float) and value != 0 and abs(float(value)) < 1e3  # type: ignore[arg-type]


def _of_floats(steps: Steps, step: t.Compute, numbers: Sequence[Place | Constant]) -> Place | None:
    """Apply one of Python's functions of floats, which take a scalar as one; None: it is none of these."""
    whole = OF_REALS.get(step.op)
    found = None if step.op in overloads else kind_of_result(step.op, tuple(map(_kind_as_float, numbers)))
    if whole is None and found is None:
        return None
    operands = tuple([_as_float(steps, f"{step.name}_float", each) for each in numbers])
    if whole is not None:
        to = steps.builder.place(step.name, whole[1])
        steps.node.ops.append(Convert(to, whole[0], operands))
        return to
    assert found is not None
    domain, kind = found
    to = steps.builder.place(step.name, kind)
    steps.node.ops.append(apply(step.op, domain, to, operands, step.span.line))
    return to


def _kind_as_float(number: Place | Constant) -> Kind:
    return "real" if number.kind == "element" else number.kind


def _as_float(steps: Steps, name: str, number: Place | Constant) -> Place | Constant:
    """Return the float of a scalar; other numbers are as they are."""
    if number.kind != "element":
        return number
    to = steps.builder.place(name, "real")
    steps.node.ops.append(Copy(to, number))
    return to


def _only_decides(peer: BlockPeer, name: str, step: t.Compute | None = None) -> bool:
    """Return whether a slot is nothing but the test of a branch, in its block or one that this jumps to.

    NumPy's booleans are objects; those that are used otherwise are the machine's. step: what sets the slot.
    """
    block = peer.block
    if any(name in operands_of(each) for each in block.steps if each is not step):
        return False
    match block.end:
        case b.Branch(test=test):
            return test == name and all(name in edge.dropped for edge in ownership_of(peer).edges)
        case b.Jump(label=label, args=args) if args.count(name) == 1:
            target = peer.target(label)
            passed = target.block.params[: len(args)]
            return not target.block.steps and _only_decides(target, passed[args.index(name)])
    return False


# Arrays of integers and booleans


def _exact(steps: Steps, step: t.Compute, uses: Uses, row: Held) -> Place | None:
    """Read an element that need not be a scalar of NumPy's; None: it may."""
    kind: Kind = "integer" if row.tag == "WHOLE_ROW" else "boolean"
    index = steps.operand(step.operands[1])
    if not isinstance(index, Place | Constant) or index.kind != "integer":
        return None
    if not _is_place(steps, step.name, kind):
        return None
    to = steps.builder.place(step.name, kind)
    steps.node.ops.append(ReadExact(to, steps.readable(row), index, _is_moved(steps, step.name)))
    steps.release_used(step, uses)
    return to


def _is_place(steps: Steps, name: str, kind: Kind) -> bool:
    """Return whether an integer or boolean is only used in its block, where it may as well be Python's."""
    if name in steps.peer.block.live[-1]:
        return False
    return all(_takes_place(steps, name, kind, each) for each in _readers(steps, name))


def _readers(steps: Steps, name: str) -> list[t.Step]:
    return [each for each in steps.peer.block.steps if name in operands_of(each)]


def _is_moved(steps: Steps, name: str) -> bool:
    """Return whether such an integer is added to others."""
    return any(
        _is_moved(steps, each.name) if isinstance(each, t.Copy) else getattr(each, "op", "") in MOVES
        for each in _readers(steps, name)
    )


def _takes_place(steps: Steps, name: str, kind: Kind, step: t.Step) -> bool:
    if isinstance(step, t.Copy):
        return _is_place(steps, step.name, kind)
    if not isinstance(step, t.Compute):
        return isinstance(step, t.Read)
    if step.op in OF_PYTHON:
        return True
    if kind == "boolean":  # as an index it has another meaning
        return False
    first, *others = step.operands
    if step.op == "py.item" or (step.op in CHANGES and _is_view(steps, first)):
        return name not in (first, *others[1:])
    if step.op in COMPARISONS and _only_decides(steps.peer, step.name, step):
        return all(each == name or _is_number(steps, each) for each in step.operands)
    if definition_named(step.op) in SYMBOLS and any(_is_element(steps, each) for each in step.operands):
        return True
    is_moved = step.op in MOVES and all(each == name or _is_integer(each) for each in step.operands)
    return is_moved and _is_place(steps, step.name, kind)


def _is_view(steps: Steps, operand: t.Operand) -> bool:
    return isinstance(operand, str) and isinstance(steps.state.slots.get(operand), View)


def _is_element(steps: Steps, operand: t.Operand) -> bool:
    """Return whether an operand is a scalar of doubles, or will be, in the block."""
    if not isinstance(operand, str):
        return False
    value = steps.state.slots.get(operand)
    if value is not None:
        return isinstance(value, Place) and value.kind == "element"
    return _is_read_from(steps, operand, frozenset(VIEWS)) or any(
        _is_element(steps, each) for each in _operands_of_sum(steps, operand)
    )


def _is_number(steps: Steps, operand: t.Operand) -> bool:
    """Return whether an operand is a number, or will be: an element of any array, or made of numbers."""
    if not isinstance(operand, str):
        return type(operand.value) in (int, float)
    value = steps.state.slots.get(operand)
    if value is not None:
        return isinstance(value, Place | Constant) and value.kind in NUMBERS
    made = _operands_of_sum(steps, operand)
    is_made = bool(made) and all(_is_number(steps, each) for each in made)
    return is_made or _is_read_from(steps, operand, frozenset((*VIEWS, "WHOLE_ROW")))


def _operands_of_sum(steps: Steps, name: str) -> Sequence[t.Operand]:
    """Return the operands of the step of the block that makes a slot by + - * or /; none: it is another."""
    made = _maker(steps, name)
    return made.operands if made is not None and definition_named(made.op) in SYMBOLS else ()


def _is_read_from(steps: Steps, name: str, tags: frozenset[str]) -> bool:
    """Return whether a step of the block that is still to come reads a slot from an array of these kinds."""
    made = _maker(steps, name)
    if made is None or made.op != "py.item":
        return False
    owner = made.operands[0]
    value = steps.state.slots.get(owner) if isinstance(owner, str) else None
    return isinstance(value, View | Held) and value.tag in tags


def _maker(steps: Steps, name: str) -> t.Compute | None:
    """Return the step of the block that computes a slot, if there is one."""
    made = (each for each in steps.peer.block.steps if isinstance(each, t.Compute) and each.name == name)
    return next(made, None)


def _is_integer(operand: t.Operand) -> bool:
    return not isinstance(operand, str) and type(operand.value) is int


# Arrays


def _of_array(steps: Steps, step: t.Compute, uses: Uses, view: View) -> Abstract | None:
    if step.op == "py.len":
        steps.release_used(step, uses)
        return view.sizes[0]
    if step.op == "py.attribute":
        return _attribute(steps, step, uses, view)
    if any(isinstance(effect, SetElement) for effect in steps.node.effects):
        raise Untranslatable  # ops come before effects
    if step.op == "py.set":
        return _changed(steps, step, uses, view)
    if step.op in ("py.item", "py.item-to-change"):
        return _element(steps, step, uses, view)
    return None


def _attribute(steps: Steps, step: t.Compute, uses: Uses, view: View) -> Abstract | None:
    """Return the shape of an array, or what follows of it; None: another attribute."""
    name = step.operands[1]
    if isinstance(name, str) or name.value not in ("shape", "ndim", "size"):
        return None
    steps.release_used(step, uses)
    if name.value == "shape":
        return steps.virtual("TUPLE", list(view.sizes), step.name)
    if name.value == "ndim":
        return Constant(len(view.sizes))
    size, *others = view.sizes
    for other in others:
        to = steps.builder.place(step.name, "integer")
        steps.node.ops.append(apply("py.mul", "integers", to, (size, other), step.span.line))
        size = to
    return size


def _element(steps: Steps, step: t.Compute, uses: Uses, view: View) -> Abstract:
    if _is_row(steps, step, view):
        return _begin_row(steps, step, uses, view)
    at = _located(steps, step, view)
    to = steps.builder.place(step.name, "element")
    steps.node.ops.append(ReadElement(to, view, at))
    steps.release_used(step, uses)
    return to


# Rows


def _is_row(steps: Steps, step: t.Compute, view: View) -> bool:
    """Return whether a step reads a row of which the block reads one element, and nothing else."""
    index = steps.operand(step.operands[1])
    if len(view.sizes) == 1 or not isinstance(index, Place | Constant) or step.op != "py.item":
        return False
    readers = _readers(steps, step.name)
    if step.name in steps.peer.block.live[-1] or len(readers) != 1 or index.kind != "integer":
        return False
    reader = readers[0]
    return isinstance(reader, t.Compute) and reader.op == "py.item" and reader.operands[1] != step.name


def _begin_row(steps: Steps, step: t.Compute, uses: Uses, view: View) -> Constant:
    """Find a row, which is in no place: the slot has nothing."""
    index = steps.operand(step.operands[1])
    assert isinstance(index, Place | Constant)
    at = steps.builder.place(f"{step.name}_at", "integer")
    steps.node.ops.append(Locate(at, index, view.sizes[0]))
    steps.rows[step.name] = view, at, len(steps.node.ops)
    steps.release_used(step, uses)
    return Constant(None)


def _of_row(steps: Steps, step: t.Compute, uses: Uses, view: View, row: Place, count: int) -> Place:
    """Read an element of a row. What it receives goes to the array at once: as if where the row was found.

    count: the ops before that. None since then may give to the array.
    """
    index = steps.operand(step.operands[1])
    is_last = all(view.handle not in op.reads() for op in steps.node.ops[count:])
    has_changed = any(isinstance(effect, SetElement) for effect in steps.node.effects)
    if not isinstance(index, Place | Constant) or index.kind != "integer" or not is_last or has_changed:
        raise Untranslatable
    column = steps.builder.place(f"{step.name}_at", "integer")
    to = steps.builder.place(step.name, "element")
    steps.node.ops += [Locate(column, index, view.sizes[1]), ReadElement(to, view, (row, column))]
    steps.release_used(step, uses)
    return to


def _located(steps: Steps, step: t.Compute, view: View) -> tuple[Place, ...]:
    """Return the position along each axis that the second operand, an index, names."""
    index = steps.operand(step.operands[1])
    indices = index.cells if isinstance(index, Virtual) and index.tag == "TUPLE" else [index]
    found = [each for each in indices if isinstance(each, Place | Constant) and each.kind == "integer"]
    if len(found) < len(indices) or len(found) != len(view.sizes):
        raise Untranslatable
    at = tuple([steps.builder.place(f"{step.name}_at", "integer") for _ in found])
    for place, each, size in zip(at, found, view.sizes, strict=True):
        steps.node.ops.append(Locate(place, each, size))
    return at


def _changed(steps: Steps, step: t.Compute, uses: Uses, view: View) -> View:
    """Set an element; no other array that the path may read shows it."""
    content = steps.operand(step.operands[2])
    if not isinstance(content, Place | Constant) or content.kind not in NUMBERS or 0 not in uses.moved:
        raise Untranslatable
    at = _located(steps, step, view)
    steps.take([step.operands[0]], uses)
    others = tuple([other.handle for other in steps.state.views() if other.handle is not view.handle])
    steps.node.ops.append(MaySet(view.handle, others))
    to, old = steps.builder.place(step.name, "array"), steps.builder.place(f"{step.name}_old", "real")
    number = steps.node.steps + steps.peer.block.steps.index(step)
    steps.node.effects.append(SetElement(to, old, view, at, _as_double(steps, step, content), number))
    for i in uses.moved:
        operand = step.operands[i]
        if i and isinstance(operand, str):
            steps.release(steps.state.slots.pop(operand))
    return replace(view, handle=to)


def _as_double(steps: Steps, step: t.Compute, content: Place | Constant) -> Place | Constant:
    """Return a number as a double; the unit exits where an integer is none."""
    if content.kind != "integer":
        return content
    to = steps.builder.place(f"{step.name}_double", "real")
    steps.node.ops.append(Convert(to, "of_whole", (content,)))
    return to
