"""Definitions of scalar functions: what one states, and the list of them all.

In: `define(...)`, once for each function, in the modules of this package. Out: `Definition`s, by name. A
definition is complete or refused: a function states its partials, and a value or a formula that gives it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property
from typing import Any

from checkpoint.dataclass import dataclass
from checkpoint.errors import InternalError
from checkpoint.scalars.algebra import (
    Constant,
    Expr,
    Operand,
    Rule,
    call,
    expression,
    find_step_function,
    on_scalars,
    positions,
)
from checkpoint.scalars.python_text import on_floats

INF = float("inf")
NAN = float("nan")

Bounds = tuple[float, float]
ANY: Bounds = (-3.0, 3.0)
UNIT: Bounds = (-1.0, 1.0)
POSITIVE: Bounds = (0.1, 3.0)
NONZERO: Bounds = (0.5, 3.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Arrays:
    """What a function is on arrays, as far as it differs from the definition.

    name: the record's name, that of the library's function as users write it (np.sqrt). "": there is none,
        and arrays are computed by a loop over the definition's own value.
    others: further functions of the library that it is.
    overloads: the primitives that the record does the work of where an operand is an array.
    partials: rules that differ from the definition's, in value, rounding, or convention.
    pullbacks: rules for cotangents that are not cotangent times partial; they take the cotangent, the
        operands, the result.
    singular: whether a partial may be infinite; None: as on scalars.
    convention: what holds where the function is not differentiable; None: as on scalars.
    domain: where tests sample operands; None: as on scalars.
    shape: how shapes go together.
    complete: whether a record can be made of this; else a module of tensorlib adds what it needs besides.
    """

    name: str = ""
    others: tuple[str, ...] = ()
    overloads: tuple[str, ...] = ()
    partials: tuple[Rule, ...] | None = None
    pullbacks: tuple[Rule, ...] | None = None
    singular: bool | None = None
    convention: str | None = None
    domain: tuple[Bounds, ...] | None = None
    shape: str = "all operands broadcast together"
    complete: bool = True


@dataclass(frozen=True, kw_only=True)
class Integers:
    """What a function is on integers x and y, in C.

    given: where it is anything; it may compute the integer z. result: the value, as C's Value.
    """

    given: str
    result: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Definition:
    """A scalar function: its value, its partial derivatives, and what it is called where.

    name: by which expressions and C know it: an identifier.
    doc: what it is, in a few words.
    partials: by operand the derivative, as a rule from the operands and the result; None: the result is a
        boolean.
    formula: the value as a rule from the operands, where it is made of others. It never fails.
    value: on floats; fails as Python's own function does. Its result is a new float object.
    ieee: on floats, for use inside derivatives: never fails.
    c: C text of the same on doubles x and y; None: made of the formula; "": it is not in C.
    fails: where `value` fails, as C text on x, y and the result r; "": nowhere.
    integers: what it is on integers alone, in C, under the names of `exact`.
    language: its name in programs of the language, which takes reals alone; "": it has none.
    exact: primitives of Python programs that it is, which take integers beside reals, and alone.
    beside: primitives of Python programs that it is, which take integers beside reals only.
    python: functions of Python that it is. Left out: the definition itself, which users call.
    primitive: the primitive that does the work of these; "": py.math.NAME for math.NAME, py.NAME for others.
    singular: a partial may be infinite at finite operands; then a zero tangent or cotangent contributes
        nothing.
    convention: what holds where the function is not differentiable, in words.
    domain: where tests sample each operand.
    inline: Python text of the value for the hybrid engine, on floats in {0}, {1}. Then partials that are
        plain arithmetic are text, too: they must not divide by zero where the value has not failed.
    arrays: what it is on arrays; None: arrays have a function of their own, or none. Left out, if users call
        the definition: a loop.
    """

    name: str
    doc: str
    arity: int
    partials: tuple[Rule, ...] | None
    formula: Rule | None = None
    value: Callable[..., Any]
    ieee: Callable[..., Any]
    c: str | None = None
    fails: str = ""
    integers: Integers | None = None
    language: str = ""
    exact: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    python: tuple[Callable[..., Any], ...] = ()
    primitive: str = ""
    singular: bool = False
    convention: str = ""
    domain: tuple[Bounds, ...]
    inline: str = ""
    arrays: Arrays | None = None

    def __call__(self, *operands: Any) -> Any:
        """Return the call of the function on expressions, and its value on numbers and on arrays."""
        if any(isinstance(operand, Expr) for operand in operands):
            return call(self.name, *operands)
        if not all(isinstance(operand, float | int) for operand in operands):
            for load in array_loaders:
                load()
            if self.name in array_functions:
                return array_functions[self.name](*operands)
        return self.value(*map(float, operands))

    @cached_property
    def of_python(self) -> str:
        """The name of the primitive that does the work of its functions of Python; "": there is none."""
        if self.primitive or not self.python:
            return self.primitive
        function = self.python[0]
        return f"py.{self.name}" if function is self else f"py.math.{function.__name__}"

    @cached_property
    def operands(self) -> tuple[str, ...]:
        """The names of the operands, as the first partial or the formula has them."""
        rule = self.partials[0] if self.partials else self.formula
        assert rule is not None
        return tuple(inspect.signature(rule).parameters)[: self.arity]

    @cached_property
    def derivatives(self) -> tuple[Expr, ...]:
        """The partials, as expressions with words."""
        return tuple([applied(rule, self.arity, result=True) for rule in self.partials or ()])

    @cached_property
    def array_derivatives(self) -> tuple[Expr, ...]:
        """The partials on arrays, as expressions with words."""
        if self.arrays is None or self.arrays.partials is None:
            return self.derivatives
        return tuple([applied(rule, self.arity, result=True) for rule in self.arrays.partials])

    @cached_property
    def scalar_derivatives(self) -> tuple[Expr, ...]:
        """The partials on scalars."""
        return tuple(map(on_scalars, self.derivatives))

    @cached_property
    def needs(self) -> tuple[tuple[int, ...], ...] | None:
        """By partial the positions that it reads, the result's being `arity`."""
        return None if self.partials is None else tuple(map(positions, self.scalar_derivatives))

    @cached_property
    def flat(self) -> frozenset[int]:
        """The positions of the operands by which the derivative is 0 everywhere."""
        parts = enumerate(self.scalar_derivatives)
        return frozenset([i for i, part in parts if isinstance(part, Constant) and part.value == 0.0])

    @cached_property
    def slopes(self) -> tuple[Callable[..., float], ...] | None:
        """The partials on floats."""
        if self.partials is None:
            return None
        return tuple([on_floats(part, self.arity, ieee_of) for part in self.scalar_derivatives])


def applied(rule: Rule, arity: int, result: bool) -> Expr:
    """Return what a rule gives for symbolic operands, and the result where it takes it."""
    return expression(rule(*map(Operand, range(arity + result))))


_definitions: dict[str, Definition] = {}
array_functions: dict[str, Callable[..., Any]] = {}  # what a definition is on arrays, by its name
array_loaders: list[Callable[[], None]] = []  # what makes sure that these are known


def define(
    name: str,
    doc: str,
    *partials: Rule,
    formula: Rule | None = None,
    value: Callable[..., Any] | None = None,
    ieee: Callable[..., Any] | None = None,
    python: tuple[Callable[..., Any], ...] | None = None,
    language: str | None = None,
    domain: tuple[Bounds, ...] | None = None,
    **fields: Any,
) -> Definition:
    """Enter a definition. language left out: `name`. python left out: the definition itself, to be called."""
    if not partials:
        raise InternalError(f"the definition of {name} states no partials")
    arity = len(partials)
    return enter(
        name=name,
        doc=doc,
        arity=arity,
        partials=partials,
        formula=formula,
        value=value,
        ieee=ieee,
        python=python,
        language=name if language is None else language,
        domain=domain or (ANY,) * arity,
        **fields,
    )


def enter(*, formula: Rule | None, value: Any, ieee: Any, python: Any, **fields: Any) -> Definition:
    """Enter a definition of these fields; what it does not state of the value is made of the formula."""
    name, arity = fields["name"], fields["arity"]
    if name in _definitions:
        raise InternalError(f"{name} is defined twice")
    if value is None and formula is None:
        raise InternalError(f"the definition of {name} states neither value nor formula")
    if value is None:
        value = _of_formula(formula, arity)
    definition = Definition(
        formula=formula, value=value, ieee=ieee or value, python=() if python is None else python, **fields
    )
    if python is None:  # a function of its own, which arrays have, too
        object.__setattr__(definition, "python", (definition,))
        object.__setattr__(definition, "arrays", definition.arrays or Arrays())
    _definitions[name] = definition
    return definition


def _of_formula(formula: Rule | None, arity: int) -> Callable[..., float]:
    """Return the value on floats that a formula gives, which is read when all functions are defined."""
    assert formula is not None
    made: list[Callable[..., float]] = []

    def value(*operands: float) -> float:
        if not made:
            made.append(on_floats(on_scalars(applied(formula, arity, result=False)), arity, ieee_of))
        return made[0](*operands) * 1.0

    return value


def definitions() -> dict[str, Definition]:
    """Return all definitions by name, in the order in which they were entered."""
    return dict(_definitions)


def find(name: str) -> Definition:
    """Return the definition of a name."""
    return _definitions[name]


def ieee_of(name: str) -> Callable[..., float]:
    """Return the function of floats of a name: one that never fails."""
    found = find_step_function(name)
    function: Callable[..., float] = find(name).ieee if found is None else found.value
    return function
