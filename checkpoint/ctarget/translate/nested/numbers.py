"""Numbers that carry derivatives, made of terms: checkpoint/ad/numbers.py, operation for operation.

In: terms (terms.py). Out: a Number is a Term, a Dual or a Node of a Tape; `apply` applies a definition of
checkpoint/scalars to any mixture. Reversing a tape gives the terms of cotangents, with their contributions
in the order and grouping of the engines.

Where the engines ask for a value (which side of a choice; whether a tangent is 0 and a partial infinite),
both ways are made, and what belongs to one of them has a *guard*: a test without which it contributes
nothing. Such a question about duals of duals is not answered: TooComplex is raised, for what they consist
of would depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any

from checkpoint.ctarget.translate.nested.terms import Arithmetic, Term
from checkpoint.dataclass import dataclass
from checkpoint.scalars import algebra
from checkpoint.scalars.definition import Definition, find

Number = Any  # Term | Dual | Node


class TooComplex(Exception):
    """Raised for derivatives that are left to the machine."""


@dataclass(frozen=True, eq=False, slots=True)
class Dual:
    """A dual number."""

    tag: int
    primal: Number
    tangent: Number


@dataclass(eq=False, slots=True)
class Node:
    """A double on a tape.

    value: the double. inputs: the nodes among its operands, each with the partial by it and, for the result
    of a choice, the test without which it receives nothing. singular: a zero adjoint contributes nothing.
    guard: the test without which it does not exist; None: it always does. adjoint: its cotangent so far.
    """

    value: Term
    inputs: tuple[tuple[Node, Term, Term | None], ...] = ()
    singular: bool = False
    guard: Term | None = None
    adjoint: Term | None = None


class Leaf(Node):
    """A double from outside of the tape. receive: called with each of its contributions, in their order."""

    __slots__ = ("receive",)

    def __init__(self, value: Term, receive: Callable[[Term], None]) -> None:
        super().__init__(value)
        self.receive = receive


class Undecided(Exception):
    """Raised by an operation that needs to know whether a test holds."""

    def __init__(self, test: Term) -> None:
        super().__init__()
        self.test = test


@dataclass(eq=False, slots=True)
class Tape:
    """The record of a run on terms.

    entries: nodes, and objects with a method `propagate`. decided: the tests that are assumed now.
    """

    arithmetic: Arithmetic
    entries: list[Any] = field(default_factory=list)
    decided: dict[Term, bool] = field(default_factory=dict)

    # Reversal

    def contribute(self, node: Node, term: Term) -> None:
        """Add to the adjoint of a node."""
        if isinstance(node, Leaf):
            node.receive(term)
            return
        node.adjoint = term if node.adjoint is None else self.arithmetic.sum(node.adjoint, term)

    def propagate(self) -> None:
        """Propagate cotangents through all entries, the last first."""
        for entry in reversed(self.entries):
            if isinstance(entry, Node):
                self._propagate(entry)
            else:
                entry.propagate()

    def _propagate(self, node: Node) -> None:
        a, adjoint = self.arithmetic, node.adjoint or self.arithmetic.zero
        for source, partial, only_if in reversed(node.inputs):
            if node.adjoint is None and (node.singular or partial.is_constant):
                continue  # it would contribute a zero, to what is never -0.0
            term = a.product(partial, adjoint)
            if node.singular:
                term = a.choose(a.compare("==", adjoint, a.zero), a.zero, term)
            for guard in (only_if, node.guard):
                term = term if guard is None else a.choose(guard, term, a.zero)
            self.contribute(source, term)

    # Questions

    def decide(self, test: Term) -> bool:
        """Return whether a test holds, where that is known or assumed."""
        if test.is_constant:
            return bool(test.content)
        if test not in self.decided:
            raise Undecided(test)
        return self.decided[test]

    def _guard(self) -> Term | None:
        guard: Term | None = None
        for test, holds in self.decided.items():
            known = test if holds else self.arithmetic.inverse(test)
            guard = known if guard is None else self.arithmetic.both(guard, known)
        return guard

    def add(self, node: Node) -> Node:
        """Append a node, which exists only under what is assumed now."""
        node.guard = self._guard()
        self.entries.append(node)
        return node

    def copied(self, number: Number) -> Number:
        """Return a new location of the same value."""
        if isinstance(number, Dual):
            return Dual(number.tag, self.copied(number.primal), self.copied(number.tangent))
        if isinstance(number, Node):
            return self.add(Node(number.value, ((number, self.arithmetic.one, None),)))
        return number

    # Application

    def apply(self, name: str, operands: Sequence[Number]) -> Number:
        """Return the result of a definition on numbers of any kind."""
        return self._either(lambda: self._applied(find(name), operands), is_nested(operands))

    def _either(self, operation: Callable[[], Number], nested: bool) -> Number:
        """Return the result of an operation both ways, wherever it asks a question."""
        mark = len(self.entries)
        try:
            return operation()
        except Undecided as question:
            if nested:
                raise TooComplex from None
            del self.entries[mark:]
            found = []
            for answer in (True, False):
                self.decided[question.test] = answer
                found.append(self._either(operation, nested))
                del self.decided[question.test]
            return self.chosen(question.test, *found)

    def chosen(self, test: Term, then: Number, otherwise: Number) -> Number:
        """Return one of two numbers of one structure."""
        if isinstance(then, Dual) or isinstance(otherwise, Dual):
            assert isinstance(then, Dual)
            assert isinstance(otherwise, Dual)
            primal = self.chosen(test, then.primal, otherwise.primal)
            return Dual(then.tag, primal, self.chosen(test, then.tangent, otherwise.tangent))
        a = self.arithmetic
        value = a.choose(test, value_of(then), value_of(otherwise))
        sides = ((then, test), (otherwise, a.inverse(test)))
        inputs = tuple([(side, a.one, only_if) for side, only_if in sides if isinstance(side, Node)])
        return self.add(Node(value, inputs)) if inputs else value

    def _applied(self, definition: Definition, operands: Sequence[Number]) -> Number:
        tags = [operand.tag for operand in operands if isinstance(operand, Dual)]
        if tags:
            return self._on_duals(definition, operands, max(tags))
        return self._on_nodes(definition, operands)

    def _on_nodes(self, definition: Definition, operands: Sequence[Number]) -> Number:
        values = [value_of(operand) for operand in operands]
        result = self.arithmetic.call(definition.name, *values)
        parts = definition.scalar_derivatives
        inputs = tuple(
            [
                (operand, self._slope(parts[i], (*values, result)), None)
                for i, operand in enumerate(operands)
                if isinstance(operand, Node) and i not in definition.flat
            ]
        )
        return self.add(Node(result, inputs, definition.singular)) if inputs else result

    def _on_duals(self, definition: Definition, operands: Sequence[Number], tag: int) -> Dual:
        primals = [self.primal_at(operand, tag) for operand in operands]
        result = self._applied(definition, primals)
        tangents = [self.tangent_at(operand, tag) for operand in operands]
        return Dual(tag, result, self._tangent(definition, primals, result, tangents))

    def tangent(
        self, definition: Definition, primals: Sequence[Number], result: Number, tangents: Sequence[Number]
    ) -> Number:
        """Return the tangent of a definition's result: the sum of partial times tangent, from the left.

        result: what the definition gives at the primals. tangents: None of operands that have none.
        """
        nested = any(isinstance(number, Dual) for number in (*primals, *tangents))
        return self._either(lambda: self._tangent(definition, primals, result, tangents), nested)

    def _tangent(
        self, definition: Definition, primals: Sequence[Number], result: Number, tangents: Sequence[Number]
    ) -> Number:
        a = self.arithmetic
        total: Number = None
        for i, part in enumerate(definition.scalar_derivatives):
            tangent = tangents[i]
            if tangent is None or i in definition.flat:
                continue
            slope = self._partial(part, (*primals, result))
            if definition.singular and self.decide(a.both(self._is_zero(tangent), self._is_infinite(slope))):
                continue
            term = self._applied(find("multiply"), (slope, tangent))
            total = term if total is None else self._applied(find("add"), (total, term))
        return a.zero if total is None else total

    def _is_zero(self, number: Number) -> Term:
        a, test = self.arithmetic, self.arithmetic.true
        for value in components(number):
            test = a.both(test, a.compare("==", value_of(value), a.zero))
        return test

    def _is_infinite(self, number: Number) -> Term:
        a, test = self.arithmetic, self.arithmetic.true
        for value in components(number):
            test = a.both(test, a.finite(value_of(value)))
        return a.inverse(test)

    def primal_at(self, number: Number, tag: int) -> Number:
        """Return the primal of a number under one tag, at whatever depth the tag is."""
        if not isinstance(number, Dual):
            return number
        if number.tag == tag:
            return number.primal
        return Dual(number.tag, self.primal_at(number.primal, tag), self.primal_at(number.tangent, tag))

    def tangent_at(self, number: Number, tag: int) -> Number:
        """Return the tangent of a number under one tag; None if it does not have the tag."""
        if not isinstance(number, Dual):
            return None
        if number.tag == tag:
            return number.tangent
        primal, tangent = self.tangent_at(number.primal, tag), self.tangent_at(number.tangent, tag)
        if primal is None and tangent is None:
            return None
        zero = self.arithmetic.zero
        return Dual(number.tag, zero if primal is None else primal, zero if tangent is None else tangent)

    # Partials

    def _partial(self, part: Any, operands: Sequence[Number]) -> Number:
        """Return the value of a partial on numbers of any kind."""
        match part:
            case algebra.Operand():
                return operands[part.position]
            case algebra.Constant():
                return self.arithmetic.constant(float(part.value))
            case algebra.Call() if algebra.find_step_function(part.name) is None:
                return self._applied(find(part.name), [self._partial(e, operands) for e in part.operands])
            case algebra.Where():
                then = self.decide(self._slope(part.test, [value_of(each) for each in operands]))
                return self._partial(part.then if then else part.otherwise, operands)
        return self._slope(part, [value_of(each) for each in operands])

    def _slope(self, part: Any, operands: Sequence[Term]) -> Term:
        """Return the value of a partial, or of a test, on doubles."""
        a = self.arithmetic
        match part:
            case algebra.Operand():
                return operands[part.position]
            case algebra.Constant():
                return a.constant(float(part.value))
            case algebra.Call():
                return a.call(part.name, *[self._slope(each, operands) for each in part.operands])
            case algebra.Where():
                sides = [self._slope(each, operands) for each in (part.then, part.otherwise)]
                return a.choose(self._slope(part.test, operands), *sides)
            case algebra.Real():
                return self._slope(part.operand, operands)
            case algebra.Compare():
                return a.compare(part.sign, self._slope(part.x, operands), self._slope(part.y, operands))
            case algebra.Both():
                return a.both(self._slope(part.x, operands), self._slope(part.y, operands))
        raise TooComplex


def value_of(number: Number) -> Term:
    """Return the double under all tags and tapes."""
    while isinstance(number, Dual):
        number = number.primal
    found: Term = number.value if isinstance(number, Node) else number
    return found


def components(number: Number) -> list[Number]:
    """Return the terms and nodes inside a number, primals before tangents."""
    if isinstance(number, Dual):
        return components(number.primal) + components(number.tangent)
    return [number]


def is_nested(operands: Sequence[Number]) -> bool:
    """Return whether an operand is a dual of duals."""
    duals = [operand for operand in operands if isinstance(operand, Dual)]
    tags = {dual.tag for dual in duals}
    parts = [part for dual in duals for part in (dual.primal, dual.tangent)]
    return len(tags) > 1 or any(isinstance(part, Dual) for part in parts)
