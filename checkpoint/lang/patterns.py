"""Desugar patterns in parameters and in the bindings of let and let*.

    pattern ::= name | (cons pattern pattern) | (list pattern ...)

A pattern becomes one let of a car or cdr for each of its nodes, from left to right:

    (cons a b) of w        let a = (car w), b = (cdr w)
    (list a b) of w        let a = (car w), part = (cdr w), b = (car part), then the check of the end:
                           (if (null? (cdr part)) rest (raise "..."))

A node that is itself a pattern is bound to a name `part` and taken apart before the next node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from checkpoint.dataclass import dataclass
from checkpoint.errors import SourceError, Span
from checkpoint.lang.core import Const, Expr, If, Let, Prim, Raise, Var
from checkpoint.lang.expander import Expander
from checkpoint.lang.reader import Datum, Form, Name

TOO_LONG = "the list is longer than its pattern (list ...)"


@dataclass(frozen=True, slots=True)
class _Take:
    """let name = (op of)"""

    name: str
    op: str
    of: str
    span: Span


@dataclass(frozen=True, slots=True)
class _End:
    """Continue only if the rest of a list is null: `of` itself, or its cdr."""

    of: str
    is_rest: bool
    span: Span


@dataclass(slots=True)
class Matched:
    """The bindings of some patterns.

    wholes: for each pattern the internal name of the whole value.
    bound: the names that the user wrote, for Scope.enter.
    steps: the steps that take the values apart, in order.
    """

    wholes: list[str] = field(default_factory=list)
    bound: list[tuple[str, str]] = field(default_factory=list)
    steps: list[_Take | _End] = field(default_factory=list)

    def wrap(self, body: Expr) -> Expr:
        """Return a body inside the bindings that take the values apart."""
        for step in reversed(self.steps):
            body = _take(step, body) if isinstance(step, _Take) else _end(step, body)
        return body


def _take(step: _Take, body: Expr) -> Expr:
    return Let(step.span, step.name, Prim(step.span, step.op, (Var(step.span, step.of),)), body)


def _end(step: _End, body: Expr) -> Expr:
    rest: Expr = Var(step.span, step.of)
    if not step.is_rest:
        rest = Prim(step.span, "cdr", (rest,))
    test = Prim(step.span, "null?", (rest,))
    return If(step.span, test, body, Raise(step.span, Const(step.span, TOO_LONG)))


def match(x: Expander, patterns: Sequence[Datum]) -> Matched:
    """Bind patterns side by side; no name may occur in them twice."""
    result = Matched()
    matcher = _Matcher(x, result)
    for pattern in patterns:
        result.wholes.append(matcher.node(pattern))
        matcher.take_apart()
    return result


@dataclass(frozen=True, slots=True)
class _Node:
    """A pattern, and the operation that takes its value from `of`."""

    pattern: Datum
    op: str
    of: str


@dataclass(frozen=True, slots=True)
class _Rest:
    """The patterns of a (list ...) from position `at` on; `of` is the rest of the list before them."""

    pattern: Form
    at: int
    of: str


class _Matcher:
    """The parts that are still to be taken apart are in `pending`, the next one last."""

    def __init__(self, x: Expander, result: Matched) -> None:
        self.x = x
        self.result = result
        self.pending: list[_Node | _Rest] = []
        self.seen: set[str] = set()

    def node(self, pattern: Datum) -> str:
        """Return the internal name of a pattern's value, and make its parts pending."""
        if isinstance(pattern, Name):
            return self._name(pattern)
        kind, count = _kind(pattern)
        assert isinstance(pattern, Form)
        whole = self.x.fresh("part")
        if kind == "list":
            self.pending.append(_Rest(pattern, 1, whole))
        elif count == 2:
            self.pending.append(_Node(pattern.items[2], "cdr", whole))
            self.pending.append(_Node(pattern.items[1], "car", whole))
        else:
            raise SourceError("the pattern cons has two parts; write (cons a b)", pattern.span)
        return whole

    def _name(self, name: Name) -> str:
        if name.text in self.seen:
            raise SourceError(f"{name.text} is bound twice here; choose another name", name.span)
        self.seen.add(name.text)
        bound = self.x.bind(name)
        self.result.bound.append(bound)
        return bound[1]

    def take_apart(self) -> None:
        while self.pending:
            part = self.pending.pop()
            if isinstance(part, _Rest):
                self._rest(part)
            else:
                self._take(part.pattern, part.op, part.of)

    def _take(self, pattern: Datum, op: str, of: str) -> None:
        name = self.node(pattern)
        self.result.steps.append(_Take(name, op, of, pattern.span))

    def _rest(self, rest: _Rest) -> None:
        items, span = rest.pattern.items, rest.pattern.span
        if rest.at == len(items):
            self.result.steps.append(_End(rest.of, rest.at == 1, span))
            return
        if rest.at > 1:
            name = self.x.fresh("part")
            self.result.steps.append(_Take(name, "cdr", rest.of, span))
            rest = _Rest(rest.pattern, rest.at, name)
        self.pending.append(_Rest(rest.pattern, rest.at + 1, rest.of))
        self._take(items[rest.at], "car", rest.of)


def _kind(pattern: Datum) -> tuple[str, int]:
    """Return whether a pattern is a cons or a list, and the number of its parts."""
    if isinstance(pattern, Form) and pattern.tail is None and pattern.items:
        head = pattern.items[0]
        if isinstance(head, Name) and head.text in ("cons", "list"):
            return head.text, len(pattern.items) - 1
    raise SourceError("not a pattern; write a name, (cons a b) or (list a b ...)", pattern.span)
