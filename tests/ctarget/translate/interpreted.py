"""Units run and reversed in Python, as by the other engines: what C must give in every bit.

Only what computes: reals, Apply and Copy.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from checkpoint.ctarget.translate.ops.places import Constant, Place, Source
from checkpoint.ctarget.translate.ops.scalar_ops import Apply, Copy
from checkpoint.ctarget.translate.units.graph import Exit, Fork, Header, Jump, Next, Unit

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
# For operands x, y, the result z and its cotangent s: what each operand gets.
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
    """A run from the first header, up to `stop` steps. trail: for each path what was done, and its values."""

    def __init__(self, unit: Unit, registers: list[float], stop: int) -> None:
        self.stop = stop
        self.steps = 0
        self.trail: list[tuple[list[Apply | Copy], Values, Header, Jump | Exit]] = []
        header, values = unit.headers[0], dict(zip(unit.headers[0].params, registers, strict=True))
        while True:
            done, end = self._path(header, values)
            self.trail.append((done, values, header, end))
            self.steps += end.steps
            if isinstance(end, Exit):
                self.end = end
                self.registers = {at: _value(source, values) for at, source in end.contents}
                return
            passed = [_value(source, values) for source in end.sources]
            header, values = end.header, dict(zip(end.header.params, passed, strict=True))

    def _path(self, header: Header, values: Values) -> tuple[list[Apply | Copy], Jump | Exit]:
        done: list[Apply | Copy] = []
        if self.stop - self.steps < header.max_steps:
            return done, header.exit
        node = header.root
        while True:
            before = len(done)
            for op in node.ops:
                assert isinstance(op, Apply | Copy)
                try:
                    values[op.to] = _computed(op, values)
                except (ArithmeticError, ValueError):
                    return done[:before], node.exit
                done.append(op)
            match node.end:
                case Fork(test, then, other):
                    node = then if _value(test, values) else other
                case Next(after):
                    node = after
                case Jump() | Exit() as end:
                    return done, end

    def reversed(self, cotangents: dict[int, float]) -> list[float]:
        """Return the cotangents of the first header's params, from those of the registers."""
        passed = [cotangents[at] for at, _ in self.end.contents]
        for done, values, header, end in reversed(self.trail):
            sources = end.sources if isinstance(end, Jump) else [source for _, source in end.contents]
            found: Values = {}
            for source, cotangent in reversed(list(zip(sources, passed, strict=True))):
                _add(found, source, cotangent)
            for op in reversed(done):
                _reverse(op, values, found)
            passed = [found.get(param, 0.0) for param in header.params]
        return passed


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


def _add(cotangents: Values, source: Source, cotangent: float) -> None:
    if isinstance(source, Place) and source.kind == "real":
        cotangents[source] = cotangents.get(source, 0.0) + cotangent


def _reverse(op: Apply | Copy, values: Values, cotangents: Values) -> None:
    s = cotangents.get(op.to, 0.0)
    if isinstance(op, Copy):
        _add(cotangents, op.source, s)
    elif op.definition in PARTIALS:
        x, y = [*[_value(operand, values) for operand in op.operands], 0.0][:2]
        for i in reversed(range(len(op.operands))):
            _add(cotangents, op.operands[i], PARTIALS[op.definition][i](x, y, values[op.to], s))
