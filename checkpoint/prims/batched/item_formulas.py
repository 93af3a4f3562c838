"""Finds the formula of a function of items: what it computes, where that is one arithmetic for all items.

In: a procedure, and nests of arrays of float64 with one axis, whose items are reals. Out: the formula's text
(checkpoint/scalars/formulas.py) and a nest of zeros in place of what the procedure returns; None where its
branches return different structures, or where it calls what is no arithmetic, changes something, or reads
arrays or large containers that it has captured. What always holds: the answer depends on the texts of
procedures and on the structure of nests and of what is captured, not on the engine and on no real.

The procedure's body is evaluated once with the formula's numbers in place of reals: steps that only store
values or take them out of containers are done as they are, and arithmetic adds steps to the formula. Reals in
captured containers are inputs of the formula once they are read. Both sides of a branch on what is computed
are evaluated, and the formula chooses. Where a side is not taken it computes with 1.0 in place of what it
reads, so that neither a failure nor a derivative that is not finite comes from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from checkpoint.ad.arrays import Native
from checkpoint.ad.containers import List
from checkpoint.ad.record import Data, Scalar, lookup
from checkpoint.ad.tensors import ALWAYS
from checkpoint.ad.values import Closure
from checkpoint.ad.walk import Branch, fold
from checkpoint.errors import RunError
from checkpoint.lang.closures import captured
from checkpoint.lang.core import App, Const, Expr, If, Lambda, Let, Letrec, Prim, Var
from checkpoint.prims.batched.formula_keys import (
    UNKNOWN,
    WITHOUT_REALS,
    NoFormula,
    captured_outline,
    form_of,
    is_real,
    is_small,
    outline,
)
from checkpoint.prims.batched.transparent import OPAQUE_AT
from checkpoint.prims.lane_values import builder, is_pytree
from checkpoint.prims.python.support import is_tuple
from checkpoint.prims.sums import leaves_of, of_leaves
from checkpoint.scalars import formula_derivatives, formulas
from checkpoint.scalars.definition import find

MOST_STEPS = 400  # of a formula
MOST_EVALUATIONS = 20_000  # of expressions of the body
DEEPEST = 40  # calls within each other
OFF_CENTRE = 0.125  # of a domain's centre, which may be 0
LARGEST_INTEGER = 2**53  # an integer beside a real is the same real
_STORING = frozenset(
    (
        *("cons", "car", "cdr", "null?", "pair?", "py.tuple", "py.list", "py.record", "py.len", "py.item"),
        *("py.unpack", "py.callee", "py.tuple-of", "py.list-of", "py.new", "py.attribute", "py.instance"),
        *("py.instance-of", "py.class-of", "py.same-class", "py.is-object", "py.kind", "py.callable"),
        *("py.is-class", "py.truth", "py.not", "py.tuple-of-star", "py.list-of-star"),
    )
)


_ATOMS = frozenset((int, bool, float, str, range, type(None)))
_OF_ATOMS = frozenset(("py.is", "py.index", "py.range"))  # are done where no operand is computed


class _Truth(NamedTuple):
    """Stands for whether something holds, as a number of the formula: 1.0 or 0.0."""

    number: formulas.Number


class _Side(NamedTuple):
    """A side of a branch: it is taken where `test` is 1.0. begin: the number of steps before it."""

    test: formulas.Number
    begin: int


class _Procedure(NamedTuple):
    """A procedure of the body: its text, and the variables that are visible where it stands."""

    lam: Lambda
    variables: dict[str, Any]


@cache
def _operations() -> dict[str, str]:
    """Return by the name of a primitive the step of a formula that it is; "": it returns its operand."""
    found: dict[str, str] = {}
    for name in (*formulas.OPERATIONS, *formula_derivatives.functions()):
        own = find(name)
        may_fail = own.ieee is not own.value
        step = formulas.CHECKED if name == "divide" else name + formulas.STRICT if may_fail else name
        found.update(dict.fromkeys((*own.exact, *own.beside, own.of_python, own.language), step))
    return {**found, **dict.fromkeys((*find("real").exact, *find("real").beside), "")}


# Comparisons: the step, and whether operands change places and the truth is turned round.
_COMPARISONS = {
    "less": ("less", False, False),
    "greater": ("less", True, False),
    "not_greater": ("less_equal", False, False),
    "not_less": ("less_equal", True, False),
    "equal": ("equal", False, False),
    "unequal": ("equal", False, True),
}


@cache
def _comparisons() -> dict[str, tuple[str, bool, bool]]:
    """Return by the name of a primitive the comparison that it is."""
    return {
        primitive: how
        for name, how in _COMPARISONS.items()
        for primitive in (*find(name).exact, find(name).language)
    }


class ItemFormula(NamedTuple):
    """Says what a procedure computes of items.

    text: the formula; its inputs are the reals of the items, then those that the procedure has captured.
    like: a nest of zeros like what it returns. shared: the captured reals.
    """

    text: str
    like: Any
    shared: list[Any]


def item_formula(f: Any, nests: Sequence[Any]) -> ItemFormula | None:
    """Return what a procedure computes of items of nests; None where it has no formula."""
    if type(f) is not Closure:
        return None
    reals: dict[int, tuple[int, Any]] = {}
    try:
        key = captured_outline(f, reals), *map(outline, nests)
        known: Any = f.lam.compiled.setdefault("item formulas", {})
        if key not in known:
            known[key] = _without_reals(_found(f, nests), reals)
    except (NoFormula, TypeError):  # functions are too deep, or it has captured what is no key
        return _found(f, nests)
    if known[key] is None:
        return None
    text, like, places = known[key]
    values = [real for _, real in reals.values()]
    return ItemFormula(text, like, [values[i] for i in places])


def _without_reals(found: ItemFormula | None, reals: dict[int, tuple[int, Any]]) -> Any:
    """Return a formula's text, what it returns, and the places of its captured reals among all of these."""
    return None if found is None else (found.text, found.like, [reals[id(x)][0] for x in found.shared])


def _found(f: Closure, nests: Sequence[Any]) -> ItemFormula | None:
    counts = [len(list(leaves_of(nest, nest))) for nest in nests]
    maker = formulas.Maker(sum(counts))
    numbers = iter([Native(x) for x in maker.inputs])
    items = [
        of_leaves(nest, List([next(numbers) for _ in range(n)]))
        for nest, n in zip(nests, counts, strict=True)
    ]
    evaluation, results = _Evaluation(maker), list[formulas.Number]()
    try:
        found = evaluation.call(f, items, 0)
        like = fold(found, lambda value: _result(value, results))
    except (NoFormula, ArithmeticError, LookupError, TypeError, ValueError, RunError):
        return None  # the lanes one by one raise what is raised
    needed = maker.needed(results)
    shared = [real for real, own in evaluation.shared.values() if own.value.number in needed]
    return ItemFormula(maker.finished(results).text, like, shared) if results else None


def _result(value: Any, results: list[formulas.Number]) -> Any:
    """Return 0 for a number of the result, which is added to `results`."""
    if _is_number(value):
        results.append(value.value)
        return 0
    if is_pytree(value):
        return Branch(value.parts(), builder(value))
    if value is None:
        return None
    raise NoFormula


def _is_number(value: Any) -> bool:
    return _is(value, formulas.Number)


def _is_computed(value: Any) -> bool:
    return _is_number(value) or _is(value, _Truth)


class _Evaluation:
    """The evaluation of a procedure's body, whose arithmetic makes a formula.

    shared: the reals that procedures have captured, by identity, and the inputs that stand for them.
    sides: those of branches that are evaluated, the outermost first.
    """

    def __init__(self, maker: formulas.Maker) -> None:
        self.maker = maker
        self.sides: list[_Side] = []
        self.shared: dict[int, tuple[Any, Native]] = {}
        self.evaluations = 0

    def call(self, f: Any, args: Sequence[Any], depth: int) -> Any:
        """Return what a procedure returns; depth: of calls within each other."""
        if type(f) is Closure:
            f = _Procedure(f.lam, {name: self.captured(x) for name, x in captured(f)})
        if type(f) is not _Procedure or len(f.lam.params) != len(args) or depth > DEEPEST:
            raise NoFormula
        variables = {**f.variables, **dict(zip(f.lam.params, args, strict=True))}
        return self.value(f.lam.body, f.lam, variables, depth)

    def value(self, expr: Expr, lam: Lambda, variables: dict[str, Any], depth: int) -> Any:
        """Return the value of an expression in the body of a procedure."""
        while True:
            self.evaluations += 1
            if self.evaluations > MOST_EVALUATIONS or len(self.maker.steps) > MOST_STEPS:
                raise NoFormula
            if isinstance(expr, Let):
                variables[expr.name] = self.value(expr.value, lam, variables, depth)
                expr = expr.body
            elif isinstance(expr, Letrec):
                variables = dict(variables)
                variables.update({name: _Procedure(own, variables) for name, own in expr.bindings})
                expr = expr.body
            elif isinstance(expr, If):
                test = self.value(expr.test, lam, variables, depth)
                if _is(test, _Truth):
                    return self.branch(test.value.number, expr, lam, variables, depth)
                if type(test) is not bool:
                    raise NoFormula
                expr = expr.then if test else expr.other
            else:
                return self.simple(expr, lam, variables, depth)

    def branch(
        self, test: formulas.Number, expr: If, lam: Lambda, variables: dict[str, Any], depth: int
    ) -> Any:
        """Return the value of a branch on what is computed."""
        sides = []
        for body, holds in ((expr.then, test), (expr.other, self.negated(test))):
            self.sides.append(_Side(holds, len(self.maker.steps)))
            sides.append(self.value(body, lam, dict(variables), depth))
            self.sides.pop()
        return fold(tuple(sides), lambda both: self.chosen(test, *both))

    def chosen(self, test: formulas.Number, then: Any, other: Any) -> Any:
        """Return one of two values, or a Branch for containers of one structure."""
        if then is other or (
            type(then) is type(other) and type(then) in _ATOMS and repr(then) == repr(other)
        ):
            return then
        if is_pytree(then) and is_pytree(other) and form_of(then) == form_of(other):
            return Branch(list(zip(then.parts(), other.parts(), strict=True)), builder(then))
        kind = _Truth if any(_is(x, _Truth) or type(x) is bool for x in (then, other)) else formulas.Number
        parts = [_operand(x, kind) for x in (then, other)]
        found = self.maker.step("choose", test, *parts)
        return Native(_Truth(found) if kind is _Truth else found)

    def negated(self, truth: formulas.Number) -> formulas.Number:
        """Return whether something does not hold."""
        return self.maker.step("equal", truth, 0.0)

    def within(self, x: formulas.Number | float) -> formulas.Number | float:
        """Return what a side reads of a value: 1.0 where it is not taken, if the value is from outside."""
        if not isinstance(x, formulas.Number):
            return x
        kind, at = x.number
        for side in self.sides:
            if kind != "constant" and (kind != "step" or at < side.begin):
                x = self.maker.step("choose", side.test, x, 1.0)
        return x

    def safe(self, name: str, operands: list[Any]) -> list[Any]:
        """Return operands of a step that may fail: where its side is not taken, some for which it is fine."""
        bounds = find(formulas.unchecked(name)).domain
        for side in self.sides:
            operands = [
                self.maker.step("choose", side.test, x, (low + high) / 2.0 + OFF_CENTRE)
                if isinstance(x, formulas.Number)
                else x
                for x, (low, high) in zip(operands, bounds, strict=True)
            ]
        return operands

    def simple(self, expr: Expr, lam: Lambda, variables: dict[str, Any], depth: int) -> Any:
        """Return the value of an expression that continues with no other one."""
        if isinstance(expr, Const):
            return expr.value
        if isinstance(expr, Var):
            return self.variable(expr.name, lam, variables)
        if isinstance(expr, Prim):
            return self.step(expr.op, [self.value(x, lam, variables, depth) for x in expr.args])
        if isinstance(expr, App):
            f = self.value(expr.fn, lam, variables, depth)
            return self.call(f, [self.value(x, lam, variables, depth) for x in expr.args], depth + 1)
        raise NoFormula

    def variable(self, name: str, lam: Lambda, variables: dict[str, Any]) -> Any:
        """Return the value of a variable; NoFormula for what is captured and may hold reals."""
        if name not in variables:
            if name not in lam.definitions:
                raise NoFormula
            return _Procedure(lam.definitions[name], variables)
        if variables[name] is UNKNOWN:
            raise NoFormula
        return variables[name]

    def captured(self, value: Any) -> Any:
        """Return what stands for a captured value."""
        return UNKNOWN if is_pytree(value) and not is_small(value) else fold(value, self.stand_in)

    def stand_in(self, value: Any) -> Any:
        """Return what stands for a part of a captured value, a Branch for a container."""
        if type(value) in WITHOUT_REALS:
            return value
        if is_pytree(value):
            return Branch(value.parts(), builder(value))
        if not is_real(value):
            return UNKNOWN
        if id(value) not in self.shared:
            self.shared[id(value)] = value, Native(self.maker.share())
        return self.shared[id(value)][1]

    def step(self, name: str, operands: list[Any]) -> Any:
        """Return the result of a primitive."""
        if any(map(_is_number, operands)):
            if all(map(_is_operand, operands)) and (name in _operations() or name in _comparisons()):
                return self.arithmetic(name, [x.value if _is_number(x) else float(x) for x in operands])
        elif name in ("py.truth", "py.not") and _is(operands[0], _Truth):
            truth = operands[0].value.number
            return operands[0] if name == "py.truth" else Native(_Truth(self.negated(truth)))
        elif name in _operations() or name in _comparisons():
            return _of_constants(name, operands)
        if not _is_storing(name, operands):
            raise NoFormula
        record: Any = lookup(name)
        found = record.value(*operands) if isinstance(record, Data) else record.value(ALWAYS, *operands)
        if found is UNKNOWN:
            raise NoFormula
        return found

    def arithmetic(self, name: str, operands: list[Any]) -> Native:
        """Return the result of arithmetic, a function or a comparison of numbers."""
        if name in _comparisons():
            step, swaps, turns = _comparisons()[name]
            found = self.maker.step(step, *(reversed(operands) if swaps else operands))
            return Native(_Truth(self.negated(found) if turns else found))
        step = _operations()[name]
        if not step:
            return Native(operands[0])
        may_fail = step == formulas.CHECKED or step.endswith(formulas.STRICT)
        given = self.safe(step, operands) if may_fail else list(map(self.within, operands))
        return Native(self.maker.step(step, *given))


def _is_storing(name: str, operands: list[Any]) -> bool:
    """Return whether a step only stores values, takes them out of containers, or asks what is the same."""
    if name in _OF_ATOMS:
        return _ATOMS.issuperset(map(type, operands))
    if name not in _STORING:
        return False
    return not any(_is_computed(x) for i, x in enumerate(operands) if i in OPAQUE_AT[name])


def _of_constants(name: str, operands: list[Any]) -> Any:
    """Return the result of arithmetic or a comparison of constants, or of two tuples; else NoFormula."""
    kinds, record = set(map(type, operands)), lookup(name)
    assert isinstance(record, Scalar)
    if kinds == {float}:
        return record.value(*operands)
    other: Any = None if record.otherwise is None else lookup(record.otherwise)
    if other is None or not (kinds <= _ATOMS or all(map(is_tuple, operands))):
        raise NoFormula
    return other.value(ALWAYS, *operands)


def _is(x: Any, kind: type) -> bool:
    """Return whether a value stands for a number or a truth of the formula."""
    return type(x) is Native and type(x.value) is kind


def _operand(x: Any, kind: type) -> formulas.Number | float:
    """Return a number, or a truth, or a constant that is one; NoFormula for anything else."""
    if _is(x, kind):
        found: formulas.Number = x.value.number if kind is _Truth else x.value
        return found
    if type(x) is (bool if kind is _Truth else float):
        return float(x)
    raise NoFormula


def _is_operand(x: Any) -> bool:
    """Return whether a value is a number of the formula, or one that is the same in all its runs."""
    return _is_number(x) or type(x) is float or (type(x) is int and abs(x) <= LARGEST_INTEGER)
