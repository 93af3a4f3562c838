"""Formulas: straight-line arithmetic on the reals of an item, done for many items at once.

In: a formula as text, which programs pass on and capsules keep; arrays of the reals of all items. Out: an
array for each result. What always holds: each step rounds correctly, so an item's results have the bits that
it has alone, whoever computes them: engine c, block by block and in several threads, or the library's
functions. The derivatives of a formula are formulas, too, made by the rules of the definitions.

    text    ::= inputs|constant,...|step,...|result,...
    step    ::= name operand [operand]
    operand, result: the number of a value: of an input, then of a constant, then of a step

A step is a definition of OPERATIONS, or CHECKED: a quotient of which the run fails where it is not finite,
since Python's own might raise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from checkpoint.scalars.definition import Definition, find

OPERATIONS = (
    "add",
    "subtract",
    "multiply",
    "divide",
    "negate",
)  # as the enum of ctemplates/scalars/formulas.h
CHECKED = "quotient"
CODES = {name: code for code, name in enumerate((*OPERATIONS, CHECKED))}


class NotFinite(ArithmeticError):
    """Raised where a checked quotient of some item is not finite."""


class Formula(NamedTuple):
    """A formula. inputs: how many. steps: (name, numbers of operands). results: numbers of values."""

    inputs: int
    constants: tuple[float, ...]
    steps: tuple[tuple[str, tuple[int, ...]], ...]
    results: tuple[int, ...]

    @property
    def text(self) -> str:
        """The formula as text."""
        steps = ",".join([" ".join((name, *map(str, operands))) for name, operands in self.steps])
        constants, results = ",".join(map(repr, self.constants)), ",".join(map(str, self.results))
        return f"{self.inputs}|{constants}|{steps}|{results}"


@cache
def parsed(text: str) -> Formula:
    """Return the formula of a text."""
    inputs, constants, steps, results = text.split("|")
    words = [step.split(" ") for step in steps.split(",") if step]
    return Formula(
        int(inputs),
        tuple([float(each) for each in constants.split(",") if each]),
        tuple([(name, tuple(map(int, operands))) for name, *operands in words]),
        tuple([int(each) for each in results.split(",") if each]),
    )


def encoded(text: str) -> list[tuple[str, list[Any]]]:
    """Return a formula for C: the types and values of arrays of counts, constants, steps and results.

    Each input, each constant has a place; values of steps share places where one is read before the other is.
    """
    formula = parsed(text)
    known = formula.inputs + len(formula.constants)
    last = dict.fromkeys(formula.results, len(formula.steps))
    for i in reversed(range(len(formula.steps))):
        for operand in formula.steps[i][1]:
            last.setdefault(operand, i)
    places, free, steps = list(range(known)), list[int](), list[int]()
    count = known
    for i, (name, operands) in enumerate(formula.steps):
        x, y = places[operands[0]], places[operands[-1]]
        free += {places[k] for k in operands if k >= known and last[k] == i}
        count += not free
        places.append(free.pop() if free else count - 1)
        steps += [CODES[name], x, y, places[-1]]
    counts = [formula.inputs, len(formula.constants), len(formula.steps), len(formula.results), count]
    results = [places[k] for k in formula.results]
    return [
        ("int32_t[]", counts),
        ("double[]", [*formula.constants, 0.0]),
        ("int32_t[]", [*steps, 0]),
        ("int32_t[]", [*results, 0]),
    ]


# Making formulas


class Number:
    """A value of a formula in the making: an input, a shared one, a constant, or the result of a step."""

    __slots__ = ("maker", "number")

    def __init__(self, maker: Maker, number: tuple[str, Any]) -> None:
        self.maker = maker
        self.number = number

    def __add__(self, other: Number | float) -> Number:
        return self.maker.step("add", self, other)

    def __mul__(self, other: Number | float) -> Number:
        return self.maker.step("multiply", self, other)

    def __truediv__(self, other: Number | float) -> Number:
        return self.maker.step("divide", self, other)

    def __rtruediv__(self, other: float) -> Number:
        return self.maker.step("divide", other, self)

    def __neg__(self) -> Number:
        return self.maker.step("negate", self)


class Maker:
    """Makes a formula of so many inputs. The same step on the same values is one value.

    shared: further inputs, of which the formula has those that its results need.
    """

    def __init__(self, inputs: int) -> None:
        self.inputs = [Number(self, ("input", i)) for i in range(inputs)]
        self.shared: list[Number] = []
        self.steps: list[tuple[str, tuple[Number, ...]]] = []
        self._known: dict[Any, Number] = {}

    def share(self) -> Number:
        """Return one more input that is shared."""
        self.shared.append(Number(self, ("shared", len(self.shared))))
        return self.shared[-1]

    def constant(self, value: float) -> Number:
        """Return a constant."""
        return Number(self, ("constant", value.hex()))

    def step(self, name: str, *operands: Number | float) -> Number:
        """Return the result of a step."""
        given = tuple([x if isinstance(x, Number) else self.constant(float(x)) for x in operands])
        key = name, *[x.number for x in given]
        if key not in self._known:
            self._known[key] = Number(self, ("step", len(self.steps)))
            self.steps.append((name, given))
        return self._known[key]

    def needed(self, results: Sequence[Number]) -> set[tuple[str, Any]]:
        """Return the numbers of the values that some results need."""
        needed = {x.number for x in results}
        for i in reversed(range(len(self.steps))):
            if ("step", i) in needed:
                needed.update([x.number for x in self.steps[i][1]])
        return needed

    def finished(self, results: Sequence[Number]) -> Formula:
        """Return the formula of some results, with the shared inputs and the steps that these need."""
        needed = self.needed(results)
        constants = sorted(value for kind, value in needed if kind == "constant")
        kept = [i for i in range(len(self.steps)) if ("step", i) in needed]
        inputs = [x.number for x in self.inputs] + [x.number for x in self.shared if x.number in needed]
        order = [*inputs, *[("constant", value) for value in constants]]
        at = {number: i for i, number in enumerate([*order, *[("step", i) for i in kept]])}
        steps = [(self.steps[i][0], tuple([at[x.number] for x in self.steps[i][1]])) for i in kept]
        values = tuple(map(float.fromhex, constants))
        return Formula(len(inputs), values, tuple(steps), tuple([at[x.number] for x in results]))


# Derivatives


def _replayed(formula: Formula, maker: Maker, inputs: Sequence[Number]) -> list[Number]:
    """Return all values of a formula, made again within another one, where nothing is checked any more."""
    values = [*inputs, *map(maker.constant, formula.constants)]
    for name, operands in formula.steps:
        values.append(maker.step(_unchecked(name), *[values[i] for i in operands]))
    return values


def _unchecked(name: str) -> str:
    return "divide" if name == CHECKED else name


def _scaled(factor: Any, x: Number) -> Number:
    """Return a product with a factor that may be 1.0 or -1.0."""
    if isinstance(factor, Number):
        return x * factor
    return x if factor == 1.0 else -x if factor == -1.0 else x * factor


def _contribution(definition: Definition, position: int, g: Number, values: list[Number]) -> Number:
    """Return what an operand of a step receives. values: the operands, and the result."""
    pullbacks = definition.arrays.pullbacks if definition.arrays is not None else None
    if pullbacks is not None:
        found: Number = pullbacks[position](g, *values)
        return found
    assert definition.partials is not None
    return _scaled(definition.partials[position](*values), g)


@cache
def cotangents(text: str) -> str:
    """Return the formula of the inputs' cotangents, for the inputs and the results' cotangents."""
    formula = parsed(text)
    maker = Maker(formula.inputs + len(formula.results))
    inputs, given = maker.inputs[: formula.inputs], maker.inputs[formula.inputs :]
    values = _replayed(formula, maker, inputs)
    received: dict[int, Number] = {}

    def add(number: int, contribution: Number) -> None:
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
            add(operands[position], _contribution(find(_unchecked(name)), position, own, read))
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
        partials = find(_unchecked(name)).partials
        assert partials is not None
        read = [*[values[k] for k in operands], values[first + i]]
        for position, k in enumerate(operands):
            if k in along:
                part = _scaled(partials[position](*read), along[k])
                along[first + i] = along[first + i] + part if first + i in along else part
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


# Values

# (text, inputs, results) -> whether it has filled the results, which are arrays: only of NumPy's it does.
Compiled = Callable[[str, Sequence[Any], Sequence[Any]], bool]

_compiled: list[Compiled] = []


def install(run: Compiled) -> None:
    """State how engine c computes formulas."""
    _compiled[:] = [run]


def installed() -> Compiled:
    """Return how engine c computes formulas; where it is not loaded, it never does."""
    return _compiled[0] if _compiled else lambda *_: False


def fill(xp: Any, text: str, inputs: Sequence[Any], results: Sequence[Any]) -> None:
    """Fill arrays with the results of a formula for arrays of its inputs, all with one axis, of one length.

    xp: the namespace of the arrays' library. NotFinite: of a checked quotient, an element is not finite.
    """
    if _compiled and _compiled[0](text, inputs, results):
        return
    for array, value in zip(results, _values(xp, text, inputs), strict=True):
        array[...] = value


def _values(xp: Any, text: str, inputs: Sequence[Any]) -> list[Any]:
    """Return the results of a formula by the functions of the arrays' library."""
    formula = parsed(text)
    values = [*inputs, *formula.constants]
    for name, operands in formula.steps:
        definition = find(_unchecked(name))
        assert definition.arrays is not None
        function = getattr(xp, definition.arrays.name.removeprefix("np."))
        value = function(*[values[i] for i in operands])
        if name == CHECKED and not bool((value - value == 0.0).all()):
            raise NotFinite("a quotient that is not finite")
        values.append(value)
    return [values[i] for i in formula.results]
