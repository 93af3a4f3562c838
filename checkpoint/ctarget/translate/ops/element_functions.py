"""Functions of single elements of NumPy's arrays: values by NumPy's own loops, cotangents by rules of arrays.

In: a definition of checkpoint/scalars that is a function of arrays, or a power with a constant exponent.
Where NumPy might warn of the result, the unit exits, and NumPy does the step.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import cache

from checkpoint.ctarget.translate.ops.operation import Adjoint, Forward, Op, Residual
from checkpoint.ctarget.translate.ops.places import Constant, Place, Source
from checkpoint.ctarget.translate.ops.words import if_unlikely, real
from checkpoint.dataclass import dataclass
from checkpoint.scalars import c_text
from checkpoint.scalars.definition import definitions, find

_SIGN = "array_sign"


@cache
def functions_of_elements() -> dict[str, str]:
    """Return the definitions of the functions of arrays that are Functions of elements, by their records."""
    named = {each.arrays.name: each.name for each in definitions().values() if each.arrays is not None}
    return {name: each for name, each in named.items() if name.startswith("np.") and _slope(each) is not None}


def _slope(definition: str, x: str = "x", result: str = "r", heap: str = "") -> str | None:
    """Return the partial of a function of arrays, as C; None: it is made of more than these do."""

    def function(name: str, operand: str) -> str | None:
        if name == _SIGN:
            return f"sign_of({operand})"
        arrays = find(name).arrays
        if arrays is None or not arrays.name.startswith("np."):
            return None
        return f"NUMPY_FUNCTION({heap}, {_ufunc(name)}, {operand})"

    return c_text.slope_of_element(find(definition), x, result, function)


def _ufunc(definition: str) -> str:
    """Return the name of NumPy's function as a text of C."""
    arrays = find(definition).arrays
    assert arrays is not None
    return f'"{arrays.name.removeprefix("np.")}"'


@dataclass(frozen=True, eq=False, slots=True)
class _OfElement(Op):
    """Computes a scalar of NumPy's, `to`, of another one, `operand`."""

    to: Place
    operand: Place
    line: int

    def reads(self) -> Sequence[Source]:
        return (self.operand,)

    def sets(self) -> Sequence[Place]:
        return (self.to,)

    def contributes(self, active: Set[Place]) -> Sequence[Place] | None:
        return [self.operand] if self.to in active else None


@dataclass(frozen=True, eq=False, slots=True)
class Function(_OfElement):
    """Applies a function of arrays to a scalar of NumPy's. Adjoint: operand' += partial * to'."""

    definition: str

    def write(self, out: Forward) -> None:
        out.line(self.line)
        x, to = self.operand.name, self.to.name
        value = f"NUMPY_VALUE(m->heap, {_ufunc(self.definition)}, {x}, &{to})"
        out.put(if_unlikely(f"!({value} && is_silent({to}, {x}, {x}))", out.exit()))

    def residuals(self) -> Sequence[Residual]:
        return [Residual(self.operand), Residual(self.to)]

    def reverse(self, adjoint: Adjoint) -> None:
        definition, g = find(self.definition), adjoint.cotangent(self.to).text
        slope = _slope(self.definition, self.operand.name, self.to.name, "c->heap")
        own = definition.arrays.singular if definition.arrays is not None else None
        is_singular = definition.singular if own is None else own
        product = f"{g} * ({slope})"
        adjoint.add(self.operand, _unless_zero(g, product) if is_singular else product)


@dataclass(frozen=True, eq=False, slots=True)
class Power(_OfElement):
    """Raises a scalar of NumPy's to a constant power. Adjoint: operand' += (y * operand ** (y - 1)) * to'."""

    exponent: Constant

    def write(self, out: Forward) -> None:
        out.line(self.line)
        x, to = self.operand.name, self.to.name
        out.put(f"{to} = pow({x}, {real(self.exponent)});")
        out.put(if_unlikely(f"{x} == 0.0 || !is_silent({to}, {x}, {x})", out.exit()))

    def residuals(self) -> Sequence[Residual]:
        return [Residual(self.operand)]

    def reverse(self, adjoint: Adjoint) -> None:
        x, y, g = self.operand.name, self.exponent.value, adjoint.cotangent(self.to).text
        assert y is not None
        power = x if y == 2 else f"pow({x}, {real(Constant(y - 1))})"
        adjoint.add(self.operand, _unless_zero(g, f"{g} * ({real(self.exponent)} * {power})"))


def _unless_zero(cotangent: str, product: str) -> str:
    """Return the text of what a cotangent contributes: nothing where it is zero, whatever the partial."""
    return f"({cotangent} == 0.0 ? 0.0 : {product})"
