"""Units run and reversed in Python, as the other engines do it: what C must give in every bit.

Only what computes: reals, Apply and Copy.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from checkpoint.ctarget.translate.ops.places import Constant, Place, Source
from checkpoint.ctarget.translate.ops.scalar_ops import Apply, Copy
from checkpoint.ctarget.translate.units.graph import Fork, Go, Head, Leave, On, Unit

Values = dict[Place, float]

VALUES: dict[str, Callable[..., float]] = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
    "negate": lambda x: -x,
    "sqrt": math.sqrt,
    "sin": math.sin,
    "equal": lambda x, y: x == y,
    "less": lambda x, y: x < y,
}
# Of operands x, y, the result z and its amount s: what each operand gets.
PARTIALS: dict[str, list[Callable[[float, float, float, float], float]]] = {
    "add": [lambda x, y, z, s: s, lambda x, y, z, s: s],
    "subtract": [lambda x, y, z, s: s, lambda x, y, z, s: -s],
    "multiply": [lambda x, y, z, s: y * s, lambda x, y, z, s: x * s],
    "divide": [lambda x, y, z, s: 1.0 / y * s, lambda x, y, z, s: -(z / y) * s],
    "negate": [lambda x, y, z, s: -s],
    "sqrt": [lambda x, y, z, s: 0.0 if s == 0.0 else 0.5 / z * s],
    "sin": [lambda x, y, z, s: math.cos(x) * s],
}


class Run:
    """From the first head, as far as `stop` lets it. trail: of each path what was done, and its values."""

    def __init__(self, unit: Unit, registers: list[float], stop: int) -> None:
        self.stop = stop
        self.steps = 0
        self.trail: list[tuple[list[Apply | Copy], Values, Head, Go | Leave]] = []
        head, values = unit.heads[0], dict(zip(unit.heads[0].params, registers, strict=True))
        while True:
            done, end = self._path(head, values)
            self.trail.append((done, values, head, end))
            self.steps += end.steps
            if isinstance(end, Leave):
                self.end = end
                self.registers = {at: _value(source, values) for at, source in end.contents}
                return
            passed = [_value(source, values) for source in end.sources]
            head, values = end.head, dict(zip(end.head.params, passed, strict=True))

    def _path(self, head: Head, values: Values) -> tuple[list[Apply | Copy], Go | Leave]:
        done: list[Apply | Copy] = []
        if self.stop - self.steps < head.most:
            return done, head.leave
        node = head.root
        while True:
            before = len(done)
            for op in node.ops:
                assert isinstance(op, Apply | Copy)
                try:
                    values[op.to] = _computed(op, values)
                except (ArithmeticError, ValueError):
                    return done[:before], node.leave
                done.append(op)
            match node.end:
                case Fork(test, then, other):
                    node = then if _value(test, values) else other
                case On(after):
                    node = after
                case Go() | Leave() as end:
                    return done, end

    def reversed(self, amounts: dict[int, float]) -> list[float]:
        """The amounts of the first head's params, from those of the registers."""
        given = [amounts[at] for at, _ in self.end.contents]
        for done, values, head, end in reversed(self.trail):
            sources = end.sources if isinstance(end, Go) else [source for _, source in end.contents]
            found: Values = {}
            for source, amount in reversed(list(zip(sources, given, strict=True))):
                _add(found, source, amount)
            for op in reversed(done):
                _reverse(op, values, found)
            given = [found.get(param, 0.0) for param in head.params]
        return given


def _value(source: Source, values: Values) -> float:
    if isinstance(source, Constant):
        assert source.value is not None
        return source.value
    assert isinstance(source, Place)
    return values[source]


def _computed(op: Apply | Copy, values: Values) -> float:
    if isinstance(op, Copy):
        return _value(op.source, values)
    return VALUES[op.definition](*[_value(operand, values) for operand in op.operands])


def _add(amounts: Values, source: Source, amount: float) -> None:
    if isinstance(source, Place) and source.kind == "real":
        amounts[source] = amounts.get(source, 0.0) + amount


def _reverse(op: Apply | Copy, values: Values, amounts: Values) -> None:
    s = amounts.get(op.to, 0.0)
    if isinstance(op, Copy):
        _add(amounts, op.source, s)
    elif op.definition in PARTIALS:
        x, y = [*[_value(operand, values) for operand in op.operands], 0.0][:2]
        for i in reversed(range(len(op.operands))):
            _add(amounts, op.operands[i], PARTIALS[op.definition][i](x, y, values[op.to], s))
