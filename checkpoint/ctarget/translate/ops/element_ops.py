"""Operations on single elements of NumPy's arrays, and arithmetic on its scalars of doubles.

A scalar is a double in a place of the kind "element" (places.py). Arithmetic on it is that of C where NumPy
gives the same without a warning; else the unit exits, and NumPy does the step. Partials are grouped as by the
machine (ctemplates/array_steps/scalar_pulls.c).
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from checkpoint.ctarget.translate.ops.operation import (
    Adjoint,
    Effect,
    Forward,
    Op,
    Residual,
    Undifferentiated,
)
from checkpoint.ctarget.translate.ops.places import Constant, Place, Source, View, reals
from checkpoint.ctarget.translate.ops.scalar_words import exact_integers
from checkpoint.ctarget.translate.ops.words import if_unlikely, plain, real, unlike, viewed
from checkpoint.dataclass import dataclass


@dataclass(frozen=True, eq=False, slots=True)
class OpenArray(Undifferentiated, Op):
    """Finds what the elements of an array are read by, of which there is the handle.

    Exits where the handle shows another kind of array, or one that another handle has changed before the
    step of this number, from the path's header on.
    """

    view: View
    step: int

    def reads(self) -> Sequence[Source]:
        return (self.view.handle,)

    def sets(self) -> Sequence[Place]:
        return self.view.places[1:]

    def write(self, out: Forward) -> None:
        out.temporary("view", "ElementView ")
        handle = self.view.handle.name
        test = unlike(handle, self.view, f"stop - left + {self.step}")
        out.put(if_unlikely(test, out.exit()), *viewed(handle, self.view)[1:])


@dataclass(frozen=True, eq=False, slots=True)
class Locate(Undifferentiated, Op):
    """Finds the position along an axis of an index as in Python; exits where there is no such element."""

    to: Place
    index: Source
    size: Place

    def write(self, out: Forward) -> None:
        test = f"!position({plain(self.index)}, {self.size.name}, &{self.to.name})"
        out.put(if_unlikely(test, out.exit()))


@dataclass(frozen=True, eq=False, slots=True)
class ReadElement(Op):
    """Reads an element of an array, at a position along each axis. Adjoint: view'[at] += to'."""

    to: Place
    view: View
    at: tuple[Place, ...]

    def reads(self) -> Sequence[Source]:
        return (*self.view.places, *self.at)

    def write(self, out: Forward) -> None:
        out.put(f"{self.to.name} = double_at({self.view.data.name}, {offset(self.view, self.at)});")

    def contributes(self, active: Set[Place]) -> Sequence[Place] | None:
        return [self.view.handle] if self.to in active else None

    def residuals(self) -> Sequence[Residual]:
        return [Residual(place) for place in (*self.at, *self.view.sizes)]

    def reverse(self, adjoint: Adjoint) -> None:
        sizes = [size.name for size in self.view.sizes]
        at = flat(self.view, self.at)
        own, given = adjoint.sums(self.view.handle), adjoint.cotangent(self.to).text
        adjoint.put(f"give_element(c, &{own}, {at}, {given}, {len(sizes)}, {', '.join([*sizes, '1'][:2])});")


def offset(view: View, at: Sequence[Place]) -> str:
    """Return the distance of an element from the first one, in bytes."""
    pairs = zip(at, view.strides, strict=True)
    return " + ".join([f"{place.name} * {stride.name}" for place, stride in pairs])


def flat(view: View, at: Sequence[Place]) -> str:
    """Return the number of an element, in the order of C."""
    text = at[0].name
    for place, size in zip(at[1:], view.sizes[1:], strict=True):
        text = f"{text} * {size.name} + {place.name}"
    return text


@dataclass(frozen=True, eq=False, slots=True)
class ReadExact(Undifferentiated, Op):
    """Reads an integer, or a boolean, of an array at an index as in Python; exits where there is none.

    is_wide: whether it must have 64 bits.
    """

    to: Place
    row: Place
    index: Source
    is_wide: bool

    def write(self, out: Forward) -> None:
        exact = "wide_at" if self.is_wide else "whole_at"
        function = "truth_at" if self.to.kind == "boolean" else exact
        test = f"!{function}(m, {self.row.name}, {plain(self.index)}, &{self.to.name})"
        out.put(if_unlikely(test, out.exit()))


@dataclass(frozen=True, eq=False, slots=True)
class MaySet(Undifferentiated, Op):
    """Exits unless the run may change an array, and no other one that the unit reads shows its elements."""

    handle: Place
    others: tuple[Place, ...]

    def write(self, out: Forward) -> None:
        tests = [f"share(m, {self.handle.name}, {other.name})" for other in self.others]
        out.put(if_unlikely(" || ".join([f"!may_set(m, {self.handle.name})", *tests]), out.exit()))


@dataclass(frozen=True, eq=False, slots=True)
class SetElement(Effect):
    """Sets an element of an array, at a position along each axis, which a MaySet has allowed.

    to: the handle behind the change, for that of the view, whose reference it takes. old: the double before.
    step: the number of the step, from the path's header on. Adjoint: the element is put back; content' +=
    to'[at], which is removed, and view' takes over all else.
    """

    to: Place
    old: Place
    view: View
    at: tuple[Place, ...]
    content: Source
    step: int

    def reads(self) -> Sequence[Source]:
        return (*self.view.places, *self.at, self.content)

    def sets(self) -> Sequence[Place]:
        return (self.to, self.old)

    def write(self, out: Forward) -> None:
        data, where = self.view.data.name, offset(self.view, self.at)
        out.put(
            f"{self.old.name} = double_at({data}, {where});",
            f"{self.to.name} = changed(m, {self.view.handle.name}, stop - left + {self.step}, {data});",
            f"set_double({data}, {where}, {real(self.content)});",
        )

    def contributes(self, active: Set[Place]) -> Sequence[Place]:
        return [self.view.handle, *reals([self.content])]

    def residuals(self) -> Sequence[Residual]:
        view = self.view
        return [Residual(each) for each in (*self.at, self.old, view.data, *view.sizes, *view.strides)]

    def reverse(self, adjoint: Adjoint) -> None:
        view, received = self.view, f"{self.to.name}_received"
        words = [f"{{{', '.join([each.name for each in places])}}}" for places in (view.sizes, view.strides)]
        row, column = [*[place.name for place in self.at], "0"][:2]
        shown = f"(ElementView){{{view.data.name}, {', '.join(words)}}}"
        adjoint.put(f"put_back(c, {shown}, {row}, {column}, {self.old.name});")
        own = adjoint.sums(self.to)
        adjoint.put(f"const double {received} = taken_element(c, &{own}, {flat(view, self.at)});")
        adjoint.add(self.content, received)
        adjoint.add(view.handle, own)


SYMBOLS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}


@dataclass(frozen=True, eq=False, slots=True)
class Arithmetic(Op):
    """Adds, subtracts, multiplies or divides numbers of which one is a scalar of NumPy's, or negates one.

    definition: one of SYMBOLS, or "negate". Integers are converted where that is exact, else it exits; so it
    does where NumPy might warn of the result. Adjoint: of a quotient z, g / y and -((g * z) / y).
    """

    to: Place
    definition: str
    operands: tuple[Source, ...]
    line: int

    def write(self, out: Forward) -> None:
        out.line(self.line)
        out.put(*exact_integers(self.operands, out.exit))
        out.put(f"{self.to.name} = {self.recomputed() or self._quotient()};")
        if self.definition != "negate":
            out.put(if_unlikely(f"!{self._is_silent()}", out.exit()))

    def _quotient(self) -> str:
        return " / ".join(map(real, self.operands))

    def _is_silent(self) -> str:
        """Return a test that NumPy does not warn of the result."""
        x, y = map(real, self.operands)
        if self.definition in ("add", "subtract"):
            return f"isfinite({self.to.name})"
        silent = f"is_silent({self.to.name}, {x}, {x if self.definition == 'divide' else y})"
        return f"({y} != 0.0 && {silent})" if self.definition == "divide" else silent

    def recomputed(self) -> str | None:
        if self.definition == "negate":
            return f"-{real(self.operands[0])}"
        x, y = map(real, self.operands)
        return None if self.definition == "divide" else f"{x} {SYMBOLS[self.definition]} {y}"

    def contributes(self, active: Set[Place]) -> Sequence[Place] | None:
        return reals(self.operands) or None if self.to in active else None

    def residuals(self) -> Sequence[Residual]:
        if self.definition not in ("multiply", "divide"):
            return ()
        x, y = self.operands
        read = {"multiply": [y] * has(x) + [x] * has(y), "divide": [y] + [self.to] * has(y)}[self.definition]
        return [Residual(place) for place in dict.fromkeys(read) if isinstance(place, Place)]

    def reverse(self, adjoint: Adjoint) -> None:
        found = adjoint.cotangent(self.to)
        if self.definition == "negate":
            adjoint.add(self.operands[0], found.text, "-")
            return
        x, y = self.operands
        if has(y):
            adjoint.add(y, *self._for_second(found.text))
        if has(x):
            adjoint.add(x, self._for_first(found.text))

    def _for_first(self, g: str) -> str:
        scales = {"multiply": f"{g} * {real(self.operands[1])}", "divide": f"{g} / {real(self.operands[1])}"}
        return scales.get(self.definition, g)

    def _for_second(self, g: str) -> tuple[str, str]:
        """Return a term, and the sign with which it is added."""
        x, y = map(real, self.operands)
        terms = {
            "add": (g, "+"),
            "subtract": (g, "-"),
            "multiply": (f"{g} * {x}", "+"),
            "divide": (f"({g} * {self.to.name}) / {y}", "-"),
        }
        return terms[self.definition]


def has(operand: Source) -> bool:
    """Return whether an operand has a cotangent."""
    return not isinstance(operand, Constant) and bool(reals([operand]))
