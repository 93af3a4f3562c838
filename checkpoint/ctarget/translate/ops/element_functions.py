"""Functions of single elements of NumPy's arrays: values by NumPy's own loops, cotangents by rules of arrays.

In: a definition of checkpoint/scalars that is a function of arrays; np.maximum or np.minimum; or a power.
Where NumPy might warn of the result, the unit exits, and NumPy does the step.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import cache
from typing import ClassVar

from checkpoint.ctarget.translate.ops.element_ops import has
from checkpoint.ctarget.translate.ops.operation import Adjoint, Forward, Op, Residual
from checkpoint.ctarget.translate.ops.places import Constant, Place, Source, reals
from checkpoint.ctarget.translate.ops.scalar_words import exact_integers
from checkpoint.ctarget.translate.ops.words import if_unlikely, real
from checkpoint.dataclass import dataclass
from checkpoint.scalars import c_text
from checkpoint.scalars.algebra import find_word
from checkpoint.scalars.definition import definitions, find

_MOST = 2  # operands
EXTREMES = {"np.maximum": ">", "np.minimum": "<"}
# Functions whose results are exact or whole, of which NumPy does not warn if they are finite.
_EXACT = frozenset(("float_modulo", "fmod", "floor_quotient"))
_QUOTIENT = "floor_quotient"


@cache
def functions_of_elements() -> dict[str, str]:
    """Return the definitions of the functions of arrays that are Functions of elements, by their records."""
    named = {each.arrays.name: each.name for each in definitions().values() if each.arrays is not None}
    found = {name: each for name, each in named.items() if name.startswith("np.") and _is_of_elements(each)}
    return {**found, "np.floor_divide": _QUOTIENT, "py.abs/array": found["np.absolute"]}


def operands_of_function(definition: str) -> int:
    """Return how many operands a Function has."""
    return _MOST if definition == _QUOTIENT else find(definition).arity


def _is_of_elements(name: str) -> bool:
    arity = find(name).arity
    names = (*("x", "y")[:arity], "r")
    return arity <= _MOST and all(_slope(name, i, names) is not None for i in range(arity))


def _slope(definition: str, position: int, names: Sequence[str]) -> str | None:
    """Return a partial of a function of arrays, as C; None: it is made of more than these do."""

    def function(name: str, *operands: str) -> str | None:
        if name == "array_sign":
            return f"sign_of({operands[0]})"
        arrays = _record(name)
        if not arrays.startswith("np.") or len(operands) > _MOST:
            return None
        return f"NUMPY_FUNCTION(c->heap, {_loop(arrays, operands)})"

    return c_text.slope_of_element(find(definition), position, names, function)


def _record(name: str) -> str:
    """Return the record of arrays of a definition or word; "": it has none."""
    known = find_word(name)
    if known is not None:
        return known.arrays
    arrays = find(name).arrays
    return "" if arrays is None else arrays.name


def _loop(record: str, operands: Sequence[str]) -> str:
    """Return the name of NumPy's function, and its operands, as arguments of C."""
    return f'"{record.removeprefix("np.")}", {len(operands)}, {operands[0]}, {operands[-1]}'


@dataclass(frozen=True, eq=False, slots=True)
class _OfElements(Op):
    """Computes a scalar of NumPy's, `to`, of one or two numbers, of which one is another one.

    Integers are converted where that is exact, else it exits.
    """

    to: Place
    operands: tuple[Source, ...]
    line: int

    def contributes(self, active: Set[Place]) -> Sequence[Place] | None:
        return reals(self.operands) or None if self.to in active else None

    def begin(self, out: Forward) -> list[str]:
        """Write what all begin with, and return the operands as C."""
        out.line(self.line)
        out.put(*exact_integers(self.operands, out.exit))
        return list(map(real, self.operands))

    def residuals(self) -> Sequence[Residual]:
        read = [each for each in (*self.operands, self.to) if isinstance(each, Place)]
        return [Residual(place) for place in dict.fromkeys(read)]

    def reverse(self, adjoint: Adjoint) -> None:
        g = adjoint.cotangent(self.to).text
        for i in reversed(range(len(self.operands))):
            if has(self.operands[i]):
                adjoint.add(self.operands[i], self.cotangent(g, i))

    def cotangent(self, g: str, position: int) -> str:
        """Return what an operand receives for the cotangent of the result."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False, slots=True)
class Function(_OfElements):
    """Applies a function of arrays. Adjoint: operand' += partial * to'."""

    definition: str

    def write(self, out: Forward) -> None:
        words = self.begin(out)
        value = f"NUMPY_VALUE(m->heap, {_loop(_record(self.definition), words)}, &{self.to.name})"
        test = f"is_silent({self.to.name}, {words[0]}, {words[-1]})"
        if self.definition in _EXACT:
            test = f"{words[1]} != 0.0 && isfinite({self.to.name})"
        out.put(if_unlikely(f"!({value} && {test})", out.exit()))

    def contributes(self, active: Set[Place]) -> Sequence[Place] | None:
        return None if self.definition == _QUOTIENT else _OfElements.contributes(self, active)

    def cotangent(self, g: str, position: int) -> str:
        definition = find(self.definition)
        slope = _slope(self.definition, position, [*map(real, self.operands), self.to.name])
        own = definition.arrays.singular if definition.arrays is not None else None
        is_singular = definition.singular if own is None else own
        product = g if slope == "1.0" else f"{g} * ({slope})"
        return _unless_zero(g, product) if is_singular else product


@dataclass(frozen=True, eq=False, slots=True)
class Extreme(_OfElements):
    """Applies np.maximum or np.minimum. Adjoint: of equals each receives half.

    Exits where an operand is no number, and for two zeros, which may have two signs.
    """

    record: str
    half: ClassVar[str] = "0.5"

    def write(self, out: Forward) -> None:
        x, y = self.begin(out)
        out.put(if_unlikely(f"isunordered({x}, {y}) || ({x} == 0.0 && {y} == 0.0)", out.exit()))
        out.put(f"{self.to.name} = {x} {EXTREMES[self.record]} {y} ? {x} : {y};")

    def residuals(self) -> Sequence[Residual]:
        read = [each for each in self.operands if isinstance(each, Place)]
        return [Residual(place) for place in dict.fromkeys(read)]

    def cotangent(self, g: str, position: int) -> str:
        x, y = real(self.operands[position]), real(self.operands[1 - position])
        return f"({x} {EXTREMES[self.record]} {y} ? {g} : {x} == {y} ? {self.half} * {g} : 0.0)"


@dataclass(frozen=True, eq=False, slots=True)
class Power(_OfElements):
    """Raises a number to a power. Adjoint: x' += (y * x ** (y - 1)) * to', y' += (to * log x) * to'.

    Exits where either is 0, or the base is negative and the exponent has a cotangent. An exponent that is an
    element has the rule of arrays, which computes by np.power; else it is that of `**`.
    """

    def write(self, out: Forward) -> None:
        x, y = self.begin(out)
        out.put(f"{self.to.name} = pow({x}, {y});")
        tests = [f"{x} {'<=' if has(self.operands[1]) else '=='} 0.0"]
        tests += [f"{y} == 0.0"] if isinstance(self.operands[1], Place) else []
        tests.append(f"!is_silent({self.to.name}, {x}, {x})")
        out.put(if_unlikely(" || ".join(tests), out.exit()))

    def cotangent(self, g: str, position: int) -> str:
        x, y = map(real, self.operands)
        if position:
            logarithm = f"NUMPY_FUNCTION(c->heap, {_loop('np.log', [x])})"
            return _unless_zero(g, f"{g} * ({self.to.name} * {logarithm})")
        return _unless_zero(g, f"{g} * ({y} * {self._lower(x, y)})")

    def _lower(self, x: str, y: str) -> str:
        """Return the power that is less by one."""
        exponent = self.operands[1]
        if isinstance(exponent, Constant):
            assert exponent.value is not None
            return x if exponent.value == 2 else f"pow({x}, {real(Constant(exponent.value - 1))})"
        less = f"{y} - 1.0"
        if exponent.kind == "element":
            return f"NUMPY_FUNCTION(c->heap, {_loop('np.power', [x, less])})"
        return f"({y} == 2.0 ? {x} : pow({x}, {less}))"


def _unless_zero(cotangent: str, product: str) -> str:
    """Return the text of what a cotangent contributes: nothing where it is zero, whatever the partial."""
    return f"({cotangent} == 0.0 ? 0.0 : {product})"
