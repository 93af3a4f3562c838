"""Derivatives of formulas, as formulas: cotangents of inputs, tangents of results, operators on dual numbers.

In: the text of a formula (formulas.py). Out: the text of another one, made by the rules of the definitions,
and by those below for choices. What always holds: nothing in it fails; where a partial may be infinite, a
zero cotangent or tangent contributes nothing; so does what was not chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from checkpoint.scalars.algebra import (
    Both,
    Call,
    Compare,
    Constant,
    Expr,
    Operand,
    Test,
    Where,
    walk,
)
from checkpoint.scalars.definition import Definition, definitions, find
from checkpoint.scalars.formulas import (
    CHOICES,
    OPERATIONS,
    Formula,
    Maker,
    Number,
    parsed,
    primitive_of,
    unchecked,
)

# Rules


@cache
def functions() -> frozenset[str]:
    """Return the names of the definitions that steps may be, beside OPERATIONS."""
    allowed = {name for name, each in definitions().items() if _is_scalar_of_c(each)}
    while True:
        kept = {name for name in allowed if all(_is_of(x, allowed) for x in find(name).scalar_derivatives)}
        if kept == allowed:
            return frozenset(allowed.difference(OPERATIONS))
        allowed = kept


def _is_scalar_of_c(definition: Definition) -> bool:
    is_known = definition.c != "" and primitive_of(definition) != ""
    return is_known and definition.partials is not None and definition.arity <= MOST_OPERANDS


def _is_of(part: Expr, allowed: set[str]) -> bool:
    """Return whether an expression consists of what steps may be."""
    known = {*allowed, *OPERATIONS}
    return all(
        each.name in known if isinstance(each, Call) else isinstance(each, _PARTS) for each in walk(part)
    )


MOST_OPERANDS = 2  # of a scalar in C
_PARTS = (Operand, Constant, Where, Compare, Both)


class _Rules:
    """Writes expressions of the algebra as steps of a formula. values: of the operands and the result."""

    def __init__(self, maker: Maker, values: Sequence[Number]) -> None:
        self.maker = maker
        self.values = values

    def number(self, part: Expr) -> Number:
        """Return the value of an expression."""
        match part:
            case Operand():
                return self.values[part.position]
            case Constant():
                return self.maker.constant(part.value)
            case Call():
                return self.maker.step(part.name, *map(self.number, part.operands))
            case Where():
                parts = self.test(part.test), self.number(part.then), self.number(part.otherwise)
                return self.maker.step("choose", *parts)
        raise AssertionError(f"{part} is no step")

    def test(self, part: Test) -> Number:
        """Return whether a test holds, as 1.0 or 0.0."""
        if isinstance(part, Both):
            return self.test(part.x) * self.test(part.y)
        assert isinstance(part, Compare)
        x, y = self.number(part.x), self.number(part.y)
        if part.sign in (">", ">="):
            x, y = y, x
        name = {"<": "less", ">": "less", "<=": "less_equal", ">=": "less_equal"}.get(part.sign, "equal")
        found = self.maker.step(name, x, y)
        return self.maker.step("equal", found, 0.0) if part.sign == "!=" else found


def _scaled(factor: Number, x: Number) -> Number:
    """Return a product with a factor that may be the constant 1.0 or -1.0."""
    if factor.number == x.maker.constant(1.0).number:
        return x
    return -x if factor.number == x.maker.constant(-1.0).number else x * factor


def _times_partial(definition: Definition, position: int, along: Number, values: Sequence[Number]) -> Number:
    """Return a cotangent or tangent times a partial. values: the operands, and the result."""
    maker = along.maker
    partial = _Rules(maker, values).number(definition.scalar_derivatives[position])
    found = _scaled(partial, along)
    return maker.step("choose", maker.step("equal", along, 0.0), 0.0, found) if definition.singular else found


def _contribution(name: str, position: int, g: Number, values: Sequence[Number]) -> Number | None:
    """Return what an operand of a step receives; None: nothing."""
    if name in CHOICES:
        if name != "choose" or position == 0:
            return None
        return g.maker.step("choose", values[0], *((g, 0.0) if position == 1 else (0.0, g)))
    definition = find(name)
    if position in definition.flat:
        return None
    pullbacks = definition.arrays.pullbacks if definition.arrays is not None else None
    if name in OPERATIONS and pullbacks is not None:
        found: Number = pullbacks[position](g, *values)
        return found
    return _times_partial(definition, position, g, values)


def _tangent(
    name: str, along: Sequence[Number | None], values: Sequence[Number], maker: Maker
) -> Number | None:
    """Return the tangent of a step's result; along: those of its operands; None: zero."""
    if name in CHOICES:
        if name != "choose" or along[1] is along[2] is None:
            return None
        return maker.step("choose", values[0], *[maker.constant(0.0) if x is None else x for x in along[1:]])
    found = None
    for position, x in enumerate(along):
        if x is not None and position not in find(name).flat:
            part = _times_partial(find(name), position, x, values)
            found = part if found is None else found + part
    return found


# Formulas


def _replayed(formula: Formula, maker: Maker, inputs: Sequence[Number]) -> list[Number]:
    """Return all values of a formula, made again within another one, where nothing is checked any more."""
    values = [*inputs, *map(maker.constant, formula.constants)]
    for name, operands in formula.steps:
        values.append(maker.step(unchecked(name), *[values[i] for i in operands]))
    return values


@cache
def cotangents(text: str) -> str:
    """Return the formula of the inputs' cotangents, for the inputs and the results' cotangents."""
    formula = parsed(text)
    maker = Maker(formula.inputs + len(formula.results))
    inputs, given = maker.inputs[: formula.inputs], maker.inputs[formula.inputs :]
    values = _replayed(formula, maker, inputs)
    received: dict[int, Number] = {}

    def add(number: int, contribution: Number | None) -> None:
        if contribution is not None:
            received[number] = received[number] + contribution if number in received else contribution

    for number, g in zip(reversed(formula.results), reversed(given), strict=True):
        add(number, g)
    first = formula.inputs + len(formula.constants)
    for i in reversed(range(len(formula.steps))):
        name, operands = formula.steps[i]
        own = received.get(first + i)
        if own is None:
            continue
        read = [*[values[k] for k in operands], values[first + i]]
        for position in reversed(range(len(operands))):
            add(operands[position], _contribution(unchecked(name), position, own, read))
    zero = maker.constant(0.0)
    return maker.finished([received.get(i, zero) for i in range(formula.inputs)]).text


def _with_tangents(
    formula: Formula, maker: Maker, inputs: Sequence[Number], tangents: Sequence[Number]
) -> tuple[list[Number], list[Number]]:
    """Return the results of a formula and their tangents, made within another one."""
    values = _replayed(formula, maker, inputs)
    along: dict[int, Number] = dict(enumerate(tangents))
    first = formula.inputs + len(formula.constants)
    for i, (name, operands) in enumerate(formula.steps):
        read = [*[values[k] for k in operands], values[first + i]]
        tangent = _tangent(unchecked(name), [along.get(k) for k in operands], read, maker)
        if tangent is not None:
            along[first + i] = tangent
    zero = maker.constant(0.0)
    return [values[i] for i in formula.results], [along.get(i, zero) for i in formula.results]


@cache
def tangents(text: str, shared: int) -> str:
    """Return the formula of the results' tangents.

    Its inputs are those of the formula and their tangents, then the last `shared` inputs and theirs.
    """
    formula = parsed(text)
    maker = Maker(2 * formula.inputs)
    (items, along), (alike, alike_along) = _halves(maker.inputs, 2 * shared)
    given = [*items, *alike], [*along, *alike_along]
    return maker.finished(_with_tangents(formula, maker, *given)[1]).text


@cache
def on_duals(text: str, shared: int) -> str:
    """Return an operator on pairs of items as one on items beside their tangents, which returns both.

    Its inputs end with the last `shared` inputs of the operator, and their tangents.
    """
    formula = parsed(text)
    maker = Maker(2 * formula.inputs)
    (left, right), (alike, alike_along) = _halves(maker.inputs, 2 * shared)
    (x, x_along), (y, y_along) = _halves(left, 0)[0], _halves(right, 0)[0]
    given = [*x, *y, *alike], [*x_along, *y_along, *alike_along]
    results, along = _with_tangents(formula, maker, *given)
    return maker.finished([*results, *along]).text


def _halves(numbers: list[Number], behind: int) -> list[list[list[Number]]]:
    """Return two halves of numbers, and two of those behind these."""
    front, rest = numbers[: len(numbers) - behind], numbers[len(numbers) - behind :]
    return [[part[: len(part) // 2], part[len(part) // 2 :]] for part in (front, rest)]
