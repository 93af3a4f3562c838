"""Trials: the code of a program that grows while it runs.

In: a program whose functions are known by their names, some of them when they are first called (Source). Out:
its procedures. They have no captures: another function of the program, or an input, is found by its name when
the code that refers to it is resolved. The lambdas of the program are left as they are; the code belongs to
copies of them. A run of this code has the values of a run of the program, but its procedures are other
objects, and nothing that it returns may leave the trial.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Any, Protocol

from checkpoint.ad.numbers import fresh
from checkpoint.ad.values import EMPTY, Closure
from checkpoint.interp import code
from checkpoint.interp.machine import Frame, Machine
from checkpoint.interp.resolve import Layout, Resolver, project
from checkpoint.lang import core
from checkpoint.lang.closures import Scopes
from checkpoint.lang.deep import Task


class Source(Protocol):
    """The functions of a program that grows, and its inputs, by their names."""

    def is_left(self, name: str) -> bool:
        """Return whether a function is not translated yet."""

    def procedure(self, name: str) -> core.Lambda | None:
        """Return the lambda of a function, one with its parameters if it is left; None for all else."""

    def taken_up(self, name: str) -> core.Lambda:
        """Return the lambda of a function that was left."""


class Growing:
    """The procedures of a program that grows.

    cells: the variables that the entry binds and the functions see. locked: the context in which it grows.
    value_of: returns the value of an input.
    """

    def __init__(
        self,
        source: Source,
        cells: frozenset[str],
        locked: AbstractContextManager[Any],
        value_of: Callable[[str], Any],
    ) -> None:
        self.cells = cells
        self.held: dict[str, Any] = {}  # the values of the cells
        self._source = source
        self._locked = locked
        self._value_of = value_of
        self._known: dict[str, Any] = {}

    def entry(self, lam: core.Lambda) -> Closure:
        """Return the entry of the program as a procedure."""
        return Closure(self._copied(lam, lambda: lam), EMPTY)

    def named(self, name: str) -> Any:
        """Return the function or input of a name."""
        if name not in self._known:
            lam = self._source.procedure(name)
            made = self._value_of(name) if lam is None else self._function(name, lam)
            self._known[name] = made
        return self._known[name]

    def _function(self, name: str, lam: core.Lambda) -> Closure:
        def text() -> core.Lambda:
            with self._locked:
                return self._source.taken_up(name) if self._source.is_left(name) else lam

        return Closure(self._copied(lam, text), EMPTY)

    def _copied(self, lam: core.Lambda, text: Callable[[], core.Lambda]) -> core.Lambda:
        """Return a copy of the lambda of a function; text: returns the lambda that is resolved."""

        def resolved() -> tuple[bool, Any]:
            found = text()
            return _Part(Scopes(found, is_part=True), self).body(found)

        return replace(lam, compiled={"interp": code.Body(len(lam.params), resolved)})


class _Part(Resolver):
    """The resolution of one function of a program that grows."""

    def __init__(self, scopes: Scopes, growing: Growing) -> None:
        super().__init__(scopes)
        self._growing = growing
        self._copies: dict[core.Lambda, core.Lambda] = {}

    def _copy(self, lam: core.Lambda) -> core.Lambda:
        if lam not in self._copies:
            body = code.Body(len(lam.params), partial(self.body, lam))
            self._copies[lam] = replace(lam, compiled={"interp": body})
        return self._copies[lam]

    def variable(self, expr: core.Var, layout: Layout) -> Task[code.Atom]:
        """Return the code of a variable; what has no storage is found by its name."""
        yield from ()
        if expr.name in self._growing.cells:
            held, name = self._growing.held, expr.name
            return code.Atom(lambda env: held[name], expr.span)
        if expr.name in self.scopes.outside:
            found = self._growing.named(expr.name)
            return code.Atom(lambda env: fresh(found), expr.span)
        storage = self.scopes.storage(expr.name)
        if storage == expr.name:
            return code.Atom(itemgetter(layout.index(storage)), expr.span)
        lam = self._copy(self.scopes.lambda_of[expr.name])
        if storage is None:
            closure = Closure(lam, EMPTY)
            return code.Atom(lambda env: closure, expr.span)
        slot = layout.index(storage)
        return code.Atom(lambda env: Closure(lam, env[slot]), expr.span)

    def let(self, expr: core.Let, layout: Layout) -> Task[code.Bind]:
        """Return the code of a let; the variable of a cell is seen by all functions."""
        made: code.Bind = yield super().let(expr, layout)
        if expr.name not in self._growing.cells:
            return made
        return _Shared(made, expr.name, self._growing.held)

    def closure(self, expr: core.Lambda, layout: Layout) -> Task[code.MakeClosure]:
        """Return the code of a lambda."""
        yield from ()
        return code.MakeClosure(self._copy(expr), project(layout, self.scopes.captures(expr)), expr.span)


class _Shared(code.Bind):
    """A `let` of a cell. held: the values of all cells."""

    __slots__ = ("held", "name")

    def __init__(self, made: code.Bind, name: str, held: dict[str, Any]) -> None:
        super().__init__(made.operands[0], made.keep[0], made.body, made.used, made.span, made.of_lanes)
        self.name = name
        self.held = held

    def step(self, machine: Machine, frame: Frame) -> Frame:
        self.held[self.name] = frame.values[0]
        return super().step(machine, frame)
