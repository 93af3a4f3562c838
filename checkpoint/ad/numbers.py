"""Numbers that carry derivatives: duals for forward mode, nodes of a tape for reverse mode.

A number is a float or an Array (checkpoint.ad.arrays), a Dual (a tag, a primal and a tangent, both numbers),
or a Node (a float or Array on a tape). Duals nest, nodes do not: there is at most one tape under the duals,
because an operator that needs a tape of its own is one step that runs on plain numbers.

`apply` applies a scalar primitive to any mixture of them. All scalar derivative arithmetic goes through it:
- Of duals, the highest of the operands' outermost tags is split off. The tangent is the sum, from the left,
  of partial times tangent over the operands with that tag.
- A Node stores the node and the partial of each operand on the tape. Its reversal adds partial times adjoint,
  the last operand first, to accumulators that start at +0.0.
- A record with a possibly infinite partial (`singular`) contributes nothing for a zero adjoint, nor for a
  zero tangent if the partial is infinite. A finite partial is multiplied by a zero tangent, too: on a tape
  that zero still depends on its own operands.
- A partial that is 0 everywhere (`flat`) contributes nothing, not even for an infinite adjoint or tangent.
- `strict` is False inside derivatives, where arithmetic is IEEE and nothing fails.
- For a record with `otherwise`, integers and booleans beside reals are constant reals.

A number object is a location (checkpoint.ad.values): `fresh` makes another location of the same value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

from checkpoint.ad.accumulators import accumulated, contribution_of
from checkpoint.ad.arrays import Array, directions, one_like, single, zeros_like
from checkpoint.ad.record import OperandError, Scalar, lookup

Number = Any  # float | Array | Dual | Node: mypy's recursion over the union costs more than it checks


class Dual:
    """A dual number: a primal and a tangent, and the tag of the derivative that it belongs to."""

    __slots__ = ("primal", "tag", "tangent")

    def __init__(self, tag: int, primal: Number, tangent: Number) -> None:
        self.tag = tag
        self.primal = primal
        self.tangent = tangent

    def parts(self) -> tuple[Number, Number]:
        """Return primal and tangent; for traversals of a capsule, where a dual of its own is two numbers."""
        return (self.primal, self.tangent)

    def with_parts(self, parts: tuple[Number, Number]) -> Dual:
        return Dual(self.tag, *parts)

    def write(self) -> str:
        return repr(real_part(self))


class Node:
    """A float or Array on a tape.

    value: the float or Array. tape: the tape.
    inputs: the nodes among its operands, each with the partial by it.
    singular: whether a partial may be infinite; then a zero adjoint contributes nothing.
    adjoint: the accumulator of the cotangent of this location (checkpoint.ad.accumulators).
    """

    __slots__ = ("adjoint", "inputs", "singular", "tape", "value")

    def __init__(
        self, value: Any, tape: Tape, inputs: tuple[tuple[Node, float], ...], singular: bool = False
    ) -> None:
        self.value = value
        self.tape = tape
        self.inputs = inputs
        self.singular = singular
        self.adjoint: Any = 0.0

    def propagate(self) -> None:
        """Add this node's contributions to the adjoints of its inputs, the last one first."""
        adjoint = self.adjoint
        if self.singular and adjoint == 0.0:
            return
        for node, partial in reversed(self.inputs):
            node.adjoint += partial * adjoint

    def clear(self) -> None:
        """Take back what has been added to the adjoint."""
        self.adjoint = 0.0

    def write(self) -> str:
        value = self.value
        return repr(value) if type(value) is float else str(value.write())


class Copied:
    """The copying of an array's location, as an entry of a tape; source, copy: the nodes."""

    __slots__ = ("copy", "source")

    def __init__(self, source: Node, copy: Node) -> None:
        self.source = source
        self.copy = copy

    def propagate(self) -> None:
        """Add the copy's adjoint to that of its source."""
        self.source.adjoint += self.copy.adjoint

    def clear(self) -> None:
        """Take back what has been added to the adjoint of the copy."""
        self.copy.clear()


class Block:
    """The application of a whole operator, as one entry of a tape.

    outputs: the nodes of its result. inputs: the numbers that it was applied to.
    pullback: maps the cotangents of the outputs to those of the inputs, both numbers of the language.
    """

    __slots__ = ("inputs", "outputs", "pullback")

    def __init__(
        self,
        outputs: list[Number],
        inputs: list[Number],
        pullback: Callable[[list[Number]], list[Number]],
    ) -> None:
        self.outputs = outputs
        self.inputs = inputs
        self.pullback = pullback

    def received(self) -> list[Number]:
        """Return the cotangents of the outputs."""
        return [accumulated(node.adjoint, node.value) for node in self.outputs]

    def propagate(self) -> None:
        """Run the pullback and add its contributions, the last operand first."""
        contributions = self.pullback(self.received())
        for number, contribution in zip(reversed(self.inputs), reversed(contributions), strict=True):
            if type(number) is Node:
                number.adjoint += contribution_of(contribution)

    def clear(self) -> None:
        """Take back what has been added to the adjoints of the outputs."""
        for node in self.outputs:
            if type(node) is Node:
                node.clear()


class Tape:
    """The record of a taped segment of a run.

    entries: nodes and other objects with methods `propagate` and `clear`, in the order of their steps.
    """

    __slots__ = ("entries",)

    def __init__(self) -> None:
        self.entries: list[Any] = []

    def leaf(self, value: Any) -> Node:
        """Return a new node without inputs, which is no entry."""
        return Node(value, self, ())

    def applied(self, node: Node, record: Scalar, operands: Sequence[Any]) -> None:
        """Take the node that a scalar primitive has made of operands."""
        self.entries.append(node)

    def propagate(self, keeps: bool = False) -> None:
        """Propagate cotangents through all entries, the last first; free each entry after its turn.

        keeps: free none, but take back all adjoints on the way, but those of nodes that are no entries' own.
        """
        entries = self.entries
        for entry in reversed(entries) if keeps else ():
            entry.propagate()
            entry.clear()
        while entries and not keeps:
            entries.pop().propagate()


NUMBERS = frozenset((float, Array, Dual, Node))
INTEGERS = frozenset((int, bool))
DERIVED = frozenset((Dual, Node))


def takes_reals(operands: Sequence[Any]) -> bool:
    """Return whether `apply` takes these operands of a record with `otherwise`: reals, integers, booleans."""
    found = False
    for operand in operands:
        kind = type(operand)
        if kind is float or (kind in DERIVED and type(real_part(operand)) is float):
            found = True
        elif kind not in INTEGERS:
            return False
    return found


def is_real(value: Any) -> bool:
    """Return whether a value is a real, with or without derivatives."""
    kind = type(value)
    return kind is float or (kind in DERIVED and type(real_part(value)) is float)


def one(number: Number) -> Number | None:
    """Return the cotangent 1 of a real, or of an array of shape (); None for any other number."""
    value = real_part(number)
    return 1.0 if type(value) is float else one_like(value)


def zero(number: Number) -> Number:
    """Return a new zero without derivatives: a float, or for an array one of its shape and dtype."""
    value = real_part(number)
    return fresh(0.0) if type(value) is float else zeros_like(value)


def renewed(number: Number, renewal: Callable[[Array], Array]) -> Number:
    """Return a new location of the same value, whose arrays are those that `renewal` returns for the old."""
    if type(number) is Array:
        return renewal(number)
    if type(number) is Dual:
        return Dual(number.tag, renewed(number.primal, renewal), renewed(number.tangent, renewal))
    copy = fresh(number)
    if type(copy) is Node and type(copy.value) is Array:
        copy.value = renewal(copy.value)
    return copy


def fresh(value: Any) -> Any:
    """Return a new location of the same value; any value that is no number is returned itself."""
    kind = type(value)
    if kind is float:
        return value * 1.0  # a new object with the same bits
    if kind is Array:
        return Array(value.data, value.memory)
    if kind is Dual:
        return Dual(value.tag, fresh(value.primal), fresh(value.tangent))
    return _copied(value) if kind is Node else value


def _copied(node: Node) -> Node:
    tape = node.tape
    if type(node.value) is float:
        copy = Node(node.value, tape, ((node, 1.0),))
        tape.entries.append(copy)
    else:
        copy = tape.leaf(node.value)
        tape.entries.append(Copied(node, copy))
    return copy


def real_part(number: Number) -> Any:
    """Return the float or Array under all tags and tapes."""
    while type(number) is Dual:
        number = number.primal
    return number.value if type(number) is Node else number


def elements(number: Number) -> int:
    """Return the number of reals in a number: 1, or the size of an array."""
    value = real_part(number)
    return math.prod(value.data.shape) if type(value) is Array else 1


def primal_at(number: Number, tag: int) -> Number:
    """Return the primal of a number under one tag, at whatever depth the tag is."""
    if type(number) is not Dual:
        return number
    if number.tag == tag:
        return number.primal
    return Dual(number.tag, primal_at(number.primal, tag), primal_at(number.tangent, tag))


def tangent_at(number: Number, tag: int) -> Number | None:
    """Return the tangent of a number under one tag, at whatever depth; None if it does not have the tag."""
    if type(number) is not Dual:
        return None
    if number.tag == tag:
        return single(number.tangent)
    primal = tangent_at(number.primal, tag)
    tangent = tangent_at(number.tangent, tag)
    if primal is None and tangent is None:
        return None
    if primal is None:
        primal = zero(number)
    return Dual(number.tag, primal, zero(number) if tangent is None else tangent)


def with_outermost(number: Number, tags: Sequence[int]) -> Number:
    """Return a number with those of its tags that are in `tags` outermost, in that order."""
    for position, tag in enumerate(tags):
        tangent = tangent_at(number, tag)
        if tangent is not None:
            rest = tags[position + 1 :]
            return Dual(tag, with_outermost(primal_at(number, tag), rest), with_outermost(tangent, rest))
    return number


def components(numbers: Iterable[Number]) -> list[Number]:
    """Return the floats, arrays and nodes inside numbers, primals before tangents."""
    found = []
    stack = list(numbers)
    stack.reverse()
    while stack:
        number = stack.pop()
        if type(number) is Dual:
            stack.append(number.tangent)
            stack.append(number.primal)
        else:
            found.append(single(number))
    return found


def with_components(number: Number, replace: Callable[[Number], Number]) -> Number:
    """Return a number with each float, array and node in it replaced."""
    if type(number) is Dual:
        primal = with_components(number.primal, replace)
        return Dual(number.tag, primal, with_components(number.tangent, replace))
    return replace(single(number))


def without_tape(component: Number) -> Any:
    """Return the float or array of a component; a node gives a new object, since each node is a location."""
    return fresh(component.value) if type(component) is Node else component


def highest_tag(numbers: Iterable[Number]) -> int | None:
    """Return the highest of the outermost tags of numbers; None if there is no dual."""
    tags = [number.tag for number in numbers if type(number) is Dual]
    return max(tags) if tags else None


def apply(record: Scalar, operands: Sequence[Any], strict: bool = True) -> Any:
    """Return the result of a scalar primitive on operands of any kind; OperandError if one is no number."""
    for operand in operands:
        if type(operand) is not float:
            break
    else:
        return record.value(*operands) if strict else record.ieee(*operands)
    if record.otherwise is None:
        for position, operand in enumerate(operands, 1):
            if not is_real(operand):
                raise OperandError(f"operand {position} is not a real")
    if record.partials is None:
        return record.value(*map(real_part, operands))
    if record.otherwise is not None:
        operands = [float(x) if type(x) in INTEGERS else x for x in operands]
        if all(type(x) is float for x in operands):
            return apply(record, operands, strict)
    tag = highest_tag(operands)
    if tag is not None:
        return _apply_to_duals(record, operands, tag, strict)
    return _apply_to_nodes(record, operands, strict)


def _apply_to_duals(record: Scalar, operands: Sequence[Number], tag: int, strict: bool) -> Dual:
    together = directions.get()
    if together is not None and (dual := together.of_scalar(record, operands, tag, strict)) is not None:
        return cast(Dual, dual)
    primals = [primal_at(operand, tag) for operand in operands]
    result = apply(record, primals, strict)
    total: Number | None = None
    for i, partial in enumerate(cast(tuple[Any, ...], record.partials)):
        tangent = None if i in record.flat else tangent_at(operands[i], tag)
        if tangent is None:
            continue
        slope = partial(*primals, result)
        if record.singular and _is_zero(tangent) and not _is_finite(slope):
            continue
        term = apply(_multiply(), (slope, tangent), strict=False)
        total = term if total is None else apply(_add(), (total, term), strict=False)
    return Dual(tag, result, 0.0 if total is None else total)


def _apply_to_nodes(record: Scalar, operands: Sequence[Number], strict: bool) -> Node:
    values = [without_tape(operand) for operand in operands]
    result = record.value(*values) if strict else record.ieee(*values)
    slopes = cast(tuple[Any, ...], record.slopes)
    nodes = [(i, operand) for i, operand in enumerate(operands) if type(operand) is Node]
    inputs = tuple([(operand, slopes[i](*values, result)) for i, operand in nodes if i not in record.flat])
    tape: Tape = nodes[0][1].tape
    node = Node(result, tape, inputs, record.singular)
    tape.applied(node, record, operands)
    return node


def _is_zero(tangent: Number) -> bool:
    return all(without_tape(component) == 0.0 for component in components((tangent,)))


def _is_finite(slope: Number) -> bool:
    return all(math.isfinite(without_tape(component)) for component in components((slope,)))


def _multiply() -> Scalar:
    return cast(Scalar, lookup("*"))


def _add() -> Scalar:
    return cast(Scalar, lookup("+"))
