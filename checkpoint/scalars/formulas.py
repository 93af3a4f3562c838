"""Formulas: straight-line arithmetic on the reals of an item, done for many items at once.

In: a formula as text, which programs pass on and capsules keep; arrays of the reals of all items. Out: an
array for each result. What always holds: an item's results have the bits that it has alone, whoever computes
them: engine c, block by block and in several threads, or the library's functions. For each step rounds
correctly, or is the definition's own value. The derivatives of a formula are formulas, too
(formula_derivatives.py).

    text    ::= inputs|constant,...|step,...|result,...
    step    ::= name operand ...
    operand, result: the number of a value: of an input, then of a constant, then of a step

A step is one of OPERATIONS; CHECKED, a quotient of which the run fails where it is not finite, since Python's
own might raise; one of CHOICES, where truth is 1.0 and anything but 0.0 is true; or the name of another
definition that has derivatives by such steps. Its value is that of IEEE 754, or with "!" behind the name
Python's, of which the run fails where Python raises.

    less x y, less_equal x y, equal x y     whether it is so
    choose test x y                         x where the test is true, else y
"""

from __future__ import annotations

import operator
from array import array
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from checkpoint.scalars import loops
from checkpoint.scalars.compiled import by_c
from checkpoint.scalars.definition import Definition, find

OPERATIONS = (
    "add",
    "subtract",
    "multiply",
    "divide",
    "negate",
)  # as the enum of ctemplates/scalars/formulas.h
CHECKED = "quotient"
CHOICES = ("less", "less_equal", "equal", "choose")
CODES = {name: code for code, name in enumerate((*OPERATIONS, CHECKED, *CHOICES))}
STRICT = "!"  # behind the name of a definition


class NotFinite(ArithmeticError):
    """Raised where a checked quotient of some item is not finite, or a function of Python's raises."""


def unchecked(name: str) -> str:
    """Return the name of a step that never fails in place of another."""
    return "divide" if name == CHECKED else name.removesuffix(STRICT)


def primitive_of(definition: Definition) -> str:
    """Return the name of a primitive that is the definition, by which C knows it."""
    return next(filter(None, (definition.of_python, definition.language, *definition.beside)), "")


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


def encoded(text: str, number: Callable[[str], int]) -> list[tuple[str, list[Any]]]:
    """Return a formula for C: the types and values of arrays of counts, constants, steps and results.

    Each input, each constant has a place; values of steps share places where one is read before the other is.
    number: returns C's number of a primitive, of whose steps the code is twice that, behind all CODES.
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
        given = [places[operands[min(k, len(operands) - 1)]] for k in range(3)]
        free += {places[k] for k in operands if k >= known and last[k] == i}
        count += not free
        places.append(free.pop() if free else count - 1)
        steps += [_code(name, number), *given, places[-1]]
    counts = [formula.inputs, len(formula.constants), len(formula.steps), len(formula.results), count]
    results = [places[k] for k in formula.results]
    return [
        ("int32_t[]", counts),
        ("double[]", [*formula.constants, 0.0]),
        ("int32_t[]", [*steps, 0]),
        ("int32_t[]", [*results, 0]),
    ]


def _code(name: str, number: Callable[[str], int]) -> int:
    """Return the code of a step in C."""
    if name in CODES:
        return CODES[name]
    function = number(primitive_of(find(unchecked(name))))
    return len(CODES) + 2 * function + name.endswith(STRICT)


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


_POWERS = frozenset(("power", "float_power"))
_COMPUTED: dict[str, Callable[..., float]] = {
    **{name: find(name).ieee for name in OPERATIONS},
    "less": operator.lt,
    "less_equal": operator.le,
    "equal": operator.eq,
}


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
        simpler = self._simplified(name, given)
        if simpler is not None:
            return simpler
        key = name, *[x.number for x in given]
        if key not in self._known:
            self._known[key] = Number(self, ("step", len(self.steps)))
            self.steps.append((name, given))
        return self._known[key]

    def _simplified(self, name: str, operands: Sequence[Number]) -> Number | None:
        """Return a value with the bits of a step that needs none, since some operands are constants."""
        known = [float.fromhex(x.number[1]) if x.number[0] == "constant" else None for x in operands]
        if name == "choose" and known[0] is not None:
            return operands[1] if known[0] != 0.0 else operands[2]
        if unchecked(name) in _POWERS and known[1] == 1.0:
            return operands[0]
        if None in known or name not in _COMPUTED:
            return None
        return self.constant(float(_COMPUTED[name](*known)))

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


# Values


def reduced(text: str, columns: Sequence[Any], results: Sequence[Any]) -> bool:
    """Fill arrays of one real with what all items are combined to; return whether that was possible.

    text: the formula of a pair. The tree is that of tensorlib/layout/item_formulas.py.
    """
    return by_c.tree(text, None, [*columns, *results])


def reduced_reversed(
    text: str, pulled: str, columns: Sequence[Any], given: Sequence[Any], received: Sequence[Any]
) -> bool:
    """Fill arrays with the cotangents of all items; return whether that was possible.

    pulled: the formula of the cotangents of a pair. given: the cotangent of what `reduced` gives.
    """
    return by_c.tree(text, pulled, [*columns, *given, *received])


def fill(xp: Any, text: str, inputs: Sequence[Any], results: Sequence[Any]) -> None:
    """Fill arrays with the results of a formula for arrays of its inputs, all with one axis, of one length.

    xp: the namespace of the arrays' library. NotFinite: some item fails.
    """
    if by_c.formula(text, inputs, results):
        return
    for result, value in zip(results, _values(xp, text, inputs), strict=True):
        result[...] = value


def _values(xp: Any, text: str, inputs: Sequence[Any]) -> list[Any]:
    """Return the results of a formula by the functions of the arrays' library, and by loops."""
    formula = parsed(text)
    values = [*inputs, *formula.constants]
    for name, operands in formula.steps:
        values.append(_value(xp, name, [values[i] for i in operands], inputs[0]))
    return [values[i] for i in formula.results]


def _value(xp: Any, name: str, operands: list[Any], like: Any) -> Any:
    """Return the value of a step, an array like another one, or a number where all operands are."""
    if name == "choose":
        test, x, y = operands
        return xp.where(test != 0.0, x, y)
    if name in CHOICES:
        return getattr(xp, name)(*operands) * 1.0
    definition = find(unchecked(name))
    if definition.name not in OPERATIONS:
        return _by_loop(xp, definition, name.endswith(STRICT), operands, like)
    assert definition.arrays is not None
    value = getattr(xp, definition.arrays.name.removeprefix("np."))(*operands)
    if name == CHECKED and not bool((value - value == 0.0).all()):
        raise NotFinite("a quotient that is not finite")
    return value


def _by_loop(xp: Any, definition: Definition, strict: bool, operands: list[Any], like: Any) -> Any:
    """Return the value of a definition for arrays, and numbers, element by element."""
    count = like.shape[0]
    columns = [array("d", [x] * count if isinstance(x, float) else x.tolist()) for x in operands]
    result = array("d", bytes(8 * count))
    try:
        loops.over(definition, strict, columns, result)
    except (ArithmeticError, ValueError):
        raise NotFinite(definition.name) from None
    found = xp.zeros_like(like)
    found[...] = xp.asarray(result.tolist())
    return found
