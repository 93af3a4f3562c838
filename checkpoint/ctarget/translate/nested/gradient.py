"""Gradients of regions on numbers of any kind: `gradient` of checkpoint/prims/operators.py, on terms.

In: a region, a level, u and v, as there. Out: the value and the cotangent of u, of the same structure. At
level 0, u is a list of numbers (those of what the function has captured, and of its argument), y and v are
lists; at level k + 1 each is a Pair of such of level k: u and its tangent, y and its tangent, but for v:
the cotangent of the tangent of y comes second, as everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from checkpoint.ctarget.translate.nested.numbers import (
    Dual,
    Node,
    Number,
    Tape,
    TooComplex,
    components,
)
from checkpoint.ctarget.translate.nested.region import Region
from checkpoint.ctarget.translate.nested.terms import Arithmetic, Term
from checkpoint.dataclass import dataclass

DEEPEST = 3  # levels


class Pair(NamedTuple):
    """Two values of one structure."""

    car: Any
    cdr: Any


class Gradient(NamedTuple):
    """The value of a run, and the cotangent of its u."""

    y: Any
    u: Any


def numbers_of(value: Any) -> list[Number]:
    """Return the numbers in a value, in order."""
    if isinstance(value, Pair):
        return numbers_of(value.car) + numbers_of(value.cdr)
    return list(value)


def rebuilt(value: Any, numbers: Iterator[Number]) -> Any:
    """Return a value of the same structure, of the next numbers."""
    if isinstance(value, Pair):
        return Pair(rebuilt(value.car, numbers), rebuilt(value.cdr, numbers))
    return [next(numbers) for _ in value]


def mapped(function: Callable[[Number], Number], value: Any) -> Any:
    """Return a value with a function applied to its numbers."""
    return rebuilt(value, iter([function(number) for number in numbers_of(value)]))


def gradient(
    tape: Tape | None, arithmetic: Arithmetic, level: int, region: Region, u: Any, v: Any
) -> Gradient:
    """Return the gradient at numbers of any kind. tape: that of the nodes among them."""
    if tape is not None:
        u, v = mapped(tape.copied, u), mapped(tape.copied, v)
    found = numbers_of(u) + numbers_of(v)
    tags = [number.tag for number in found if isinstance(number, Dual)]
    if tags:
        assert tape is not None
        return _forward(tape, level, region, u, v, max(tags))
    if any(isinstance(number, Node) for number in found):
        assert tape is not None
        return _on_tape(tape, level, region, u, v)
    return _of_terms(arithmetic, level, region, u, v)


def _of_terms(arithmetic: Arithmetic, level: int, region: Region, u: Any, v: Any) -> Gradient:
    """Return the gradient at terms, by one run on a tape of its own."""
    if level >= DEEPEST:
        raise TooComplex
    tape = Tape(arithmetic)
    leaves = mapped(Node, u)
    y = _run(tape, level, region, leaves)
    for number, term in reversed(list(zip(numbers_of(y), numbers_of(v), strict=True))):
        if isinstance(number, Node):
            tape.contribute(number, term)
    tape.propagate()
    return Gradient(mapped(_plain, y), mapped(lambda leaf: leaf.adjoint or arithmetic.zero, leaves))


def _plain(number: Number) -> Term:
    term: Term = number.value if isinstance(number, Node) else number
    return term


def _run(tape: Tape, level: int, region: Region, u: Any) -> Any:
    """Return the value at a level: of the directional derivative, once for each level."""
    tags = range(level)
    for tag in tags:
        pairs = zip(numbers_of(u.car), numbers_of(u.cdr), strict=True)
        u = rebuilt(u.car, iter([Dual(tag, number, other) for number, other in pairs]))
    numbers = region.run(tape, u)
    y: Any = [tape.copied(numbers.operand(source)) for source in region.results]
    for tag in reversed(tags):
        y = Pair(*_split(tape, y, tag))
    return y


def _split(tape: Tape, value: Any, tag: int) -> tuple[Any, Any]:
    """Return the primal and the tangent of a value under a tag, both new."""

    def tangent(number: Number) -> Number:
        found = tape.tangent_at(number, tag)
        return tape.arithmetic.zero if found is None else tape.copied(found)

    return mapped(lambda number: tape.copied(tape.primal_at(number, tag)), value), mapped(tangent, value)


def _forward(tape: Tape, level: int, region: Region, u: Any, v: Any, tag: int) -> Gradient:
    (u, v), (du, dv) = _split(tape, Pair(u, v), tag)
    found = gradient(tape, tape.arithmetic, level + 1, region, Pair(u, du), Pair(dv, v))
    result, tangents = Pair(found.y.car, found.u.cdr), Pair(found.y.cdr, found.u.car)
    duals = [
        Dual(tag, number, other)
        for number, other in zip(numbers_of(result), numbers_of(tangents), strict=True)
    ]
    return Gradient(*rebuilt(result, iter(duals)))


@dataclass(frozen=True, eq=False, slots=True)
class _Pullback:
    """The reversal of a gradient on a tape. outputs: its results as nodes; u, v: as terms; of: the nodes of
    these.
    """

    tape: Tape
    level: int
    region: Region
    outputs: Pair
    u: Any
    v: Any
    of: Pair

    def propagate(self) -> None:
        """Add the contributions to the operands, the last first."""
        tape = self.tape
        a, w = mapped(lambda node: node.adjoint or tape.arithmetic.zero, self.outputs)
        found = _of_terms(tape.arithmetic, self.level + 1, self.region, Pair(self.u, w), Pair(a, self.v))
        received = numbers_of(found.u.car) + numbers_of(found.y.cdr)
        for number, term in reversed(list(zip(numbers_of(self.of), received, strict=True))):
            if isinstance(number, Node):
                tape.contribute(number, term)


def _on_tape(tape: Tape, level: int, region: Region, u: Any, v: Any) -> Gradient:
    if tape.decided:
        raise TooComplex
    plain_u, plain_v = mapped(_plain, u), mapped(_plain, v)
    found = _of_terms(tape.arithmetic, level, region, plain_u, plain_v)
    outputs = Pair(*mapped(Node, Pair(*found)))
    tape.entries.append(_Pullback(tape, level, region, outputs, plain_u, plain_v, Pair(u, v)))
    return Gradient(*outputs)


def all_components(value: Any) -> list[Number]:
    """Return the terms and nodes in a value."""
    return [part for number in numbers_of(value) for part in components(number)]
