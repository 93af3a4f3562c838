"""Finds the formula of a function of items: what it computes, where that is one arithmetic for all items.

In: a procedure, and nests of arrays of float64 with one axis, whose items are reals. Out: the formula's text
(checkpoint/scalars/formulas.py) and a nest of zeros in place of what the procedure returns; None where it
branches on what it computes, calls what is no arithmetic, changes something, or reads arrays or large
containers that it has captured. What always holds: the answer depends on the texts of procedures and on the
structure of nests and of what is captured, not on the engine and on no real.

The procedure's body is evaluated once with the formula's numbers in place of reals: steps that only store
values or take them out of containers are done as they are, and arithmetic adds steps to the formula. Reals in
captured containers are inputs of the formula once they are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from checkpoint.ad.arrays import Native
from checkpoint.ad.containers import CONTAINERS, Dict, List
from checkpoint.ad.numbers import NUMBERS, real_part
from checkpoint.ad.record import Data, lookup
from checkpoint.ad.tensors import ALWAYS
from checkpoint.ad.values import Closure
from checkpoint.ad.walk import Branch, fold
from checkpoint.errors import RunError
from checkpoint.lang.closures import captured
from checkpoint.lang.core import App, Const, Expr, If, Lambda, Let, Letrec, Prim, Var
from checkpoint.prims.batched.transparent import OPAQUE_AT
from checkpoint.prims.lane_values import builder, is_array, is_pytree, structure
from checkpoint.prims.sums import leaves_of, of_leaves
from checkpoint.scalars import formula_derivatives, formulas
from checkpoint.scalars.definition import find

MOST_STEPS = 400  # of a formula
MOST_EVALUATIONS = 20_000  # of expressions of the body
DEEPEST = 40  # calls within each other
DEEPEST_KEY = 6  # captured functions within each other, where a formula is kept for the next call
MOST_PARTS = 200  # of a captured container whose reals are read
LARGEST_INTEGER = 2**53  # an integer beside a real is the same real
_STORING = frozenset(
    (
        *("cons", "car", "cdr", "null?", "pair?", "py.tuple", "py.list", "py.record", "py.len", "py.item"),
        *("py.unpack", "py.callee", "py.tuple-of", "py.list-of", "py.new", "py.attribute", "py.instance"),
        *("py.instance-of", "py.class-of", "py.same-class", "py.is-object", "py.kind", "py.callable"),
        *("py.truth", "py.not"),
    )
)


_WITHOUT_REALS = frozenset((Closure, Native, int, bool, str, type(None)))
_UNKNOWN = Native(object())  # a captured array or large container


class NoFormula(Exception):
    """Raised where a procedure has no formula."""


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
        key = _captured_outline(f, reals), *map(_outline, nests)
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


def _outline(nest: Any) -> Any:
    """Return what a formula depends on of a nest of arrays: its structure."""
    if is_array(nest):
        return is_array
    if is_pytree(nest):
        return _form(nest), *map(_outline, nest.parts())
    if type(nest) not in _WITHOUT_REALS:
        raise NoFormula
    return type(nest), nest


def _captured_outline(value: Any, reals: dict[int, tuple[int, Any]], depth: int = 0) -> Any:
    """Return what a formula depends on of what is captured: all but the values of reals.

    reals: the place and value of those met so far, by identity; more are added. NoFormula: functions are too
    deep within each other.
    """
    if depth > DEEPEST_KEY:
        raise NoFormula
    if type(value) is Closure:
        return value.lam, *[_captured_outline(x, reals, depth + 1) for _, x in captured(value)]
    if type(value) in _WITHOUT_REALS:
        return type(value), value
    if _is_real(value):
        return float, reals.setdefault(id(value), (len(reals), value))[0]
    if is_pytree(value) and _is_small(value):
        return _form(value), *[_captured_outline(x, reals, depth) for x in value.parts()]
    return _UNKNOWN


def _form(container: Any) -> Any:
    """Return what two containers have in common that differ in their parts alone."""
    return type(container), tuple(container.items) if type(container) is Dict else structure(container)


def _is_real(value: Any) -> bool:
    return type(value) in NUMBERS and type(real_part(value)) is float


def _is_small(container: Any) -> bool:
    """Return whether a container has at most MOST_PARTS parts, those of its parts among them."""
    waiting, count = [container], 0
    while waiting:
        part = waiting.pop()
        if is_pytree(part):
            count += len(part.items) if type(part) in CONTAINERS else 2
            if count > MOST_PARTS:
                return False
            waiting.extend(part.parts())
    return True


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
    return type(value) is Native and type(value.value) is formulas.Number


class _Evaluation:
    """The evaluation of a procedure's body, whose arithmetic makes a formula.

    shared: the reals that procedures have captured, by identity, and the inputs that stand for them.
    """

    def __init__(self, maker: formulas.Maker) -> None:
        self.maker = maker
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
                if type(test) is not bool:
                    raise NoFormula
                expr = expr.then if test else expr.other
            else:
                return self.simple(expr, lam, variables, depth)

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
        if variables[name] is _UNKNOWN:
            raise NoFormula
        return variables[name]

    def captured(self, value: Any) -> Any:
        """Return what stands for a captured value."""
        return _UNKNOWN if is_pytree(value) and not _is_small(value) else fold(value, self.stand_in)

    def stand_in(self, value: Any) -> Any:
        """Return what stands for a part of a captured value, a Branch for a container."""
        if type(value) in _WITHOUT_REALS:
            return value
        if is_pytree(value):
            return Branch(value.parts(), builder(value))
        if not _is_real(value):
            return _UNKNOWN
        if id(value) not in self.shared:
            self.shared[id(value)] = value, Native(self.maker.share())
        return self.shared[id(value)][1]

    def step(self, name: str, operands: list[Any]) -> Any:
        """Return the result of a primitive."""
        if any(map(_is_number, operands)):
            operation = _operations().get(name)
            if operation is not None and all(map(_is_operand, operands)):
                given = [x.value if _is_number(x) else float(x) for x in operands]
                return Native(self.maker.step(operation, *given)) if operation else operands[0]
        elif name in _operations() and set(map(type, operands)) == {float}:
            known: Any = lookup(name)
            return known.value(*operands)
        if name not in _STORING or any(_is_number(x) for i, x in enumerate(operands) if i in OPAQUE_AT[name]):
            raise NoFormula
        record: Any = lookup(name)
        found = record.value(*operands) if isinstance(record, Data) else record.value(ALWAYS, *operands)
        if found is _UNKNOWN:
            raise NoFormula
        return found


def _is_operand(x: Any) -> bool:
    """Return whether a value is a number of the formula, or one that is the same in all its runs."""
    return _is_number(x) or type(x) is float or (type(x) is int and abs(x) <= LARGEST_INTEGER)
