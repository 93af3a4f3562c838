"""The cotangents of places within an adjoint, as expressions of C that operations add to.

In: contributions, in their order. Out: statements, and for each place an expression of its cotangent so far.
"""

from __future__ import annotations

from checkpoint.ctarget.translate.ops.operation import Accumulator
from checkpoint.ctarget.translate.ops.places import DualParts, Place, Source, has_accumulator, is_real


class Accumulators:
    """The cotangents of places, to which operations write their statements (ops/operation.py, Adjoint).

    That of an element is -0.0 where nothing was added; that of an array is an ElementSums.

    text: the statements so far.
    """

    c_type = "double"

    def __init__(self) -> None:
        self.text: list[str] = []
        self.of: dict[Place, Accumulator] = {}
        self._received = 0

    def put(self, *lines: str) -> None:
        """Append statements."""
        self.text += lines

    def cotangent(self, place: Place) -> Accumulator:
        """Return the cotangent of a place, of a real 0.0 where nothing contributed to it."""
        found = self.of.get(place)
        return found if found is not None else _NOTHING.get(place.kind, _NO_REAL)

    def receive(self, source: Source, text: str) -> None:
        """Add the accumulator that an expression of the type Value takes, to a source that is a dual."""
        assert isinstance(source, DualParts)
        name = f"received_{self._received}"
        self._received += 1
        self.put(f"const Value {name} = {text};")
        for i in (1, 0):
            self.add(source.parts[i], f"half({name}, {i})")
        self.put(f"drop(c->heap, {name});")

    def add(self, source: Source, text: str, sign: str = "+", never_minus_zero: bool = False) -> None:
        """Add (or subtract) an expression to the cotangent of a source that is a real place."""
        if not isinstance(source, Place) or not has_accumulator(source):
            return
        if not is_real(source):
            self._join(source, text)
            return
        before, own = self.of.get(source), f"{source.name}_a"
        if before is None and sign == "+" and text.isidentifier():
            self.of[source] = Accumulator(text, is_own=False, never_minus_zero=never_minus_zero)
            return
        if before is None:
            self.put(f"{self.c_type} {own} = {'-' if sign == '-' else ''}{text};")
        elif before.is_own:
            self.put(f"{own} {sign}= {text};")
        else:
            self.put(f"{self.c_type} {own} = {before.text} {sign} {text};")
        # A sum, or difference, is -0.0 only if both terms are.
        if before is not None:
            never_minus_zero = before.never_minus_zero or (never_minus_zero and sign == "+")
        self.of[source] = Accumulator(own, is_own=True, never_minus_zero=never_minus_zero)

    def _join(self, array: Place, text: str) -> None:
        """Add an expression of the type ElementSums to the accumulator of an array."""
        if array in self.of:
            self.put(f"join_sums(c, &{self.of[array].text}, {text});")
        else:
            self.sums(array, text)

    def sums(self, array: Place, text: str = "no_sums()") -> str:
        """Return the variable of the accumulator of an array, which begins with an expression."""
        if array not in self.of:
            own = f"{array.name}_a"
            self.put(f"ElementSums {own} = {text};")
            self.of[array] = Accumulator(own, is_own=True, never_minus_zero=False)
        return self.of[array].text


# What places to which nothing contributed have, by their kinds; -0.0 is added to nothing.
_NO_REAL = Accumulator("0.0", is_own=False, never_minus_zero=True)
_NOTHING = {
    "element": Accumulator("-0.0", is_own=False, never_minus_zero=False),
    "array": Accumulator("no_sums()", is_own=False, never_minus_zero=False),
}
