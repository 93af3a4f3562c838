"""Gradients made of terms (translate/nested), beside checkpoint.ad.numbers on a tape of its own: bit for
bit.

Random straight-line functions of all scalars that C has, at points where partials are infinite, where
operands are equal, at zeros of both signs and at infinities.
"""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import pytest

from checkpoint.ad import numbers as reference
from checkpoint.ad.record import Scalar, lookup
from checkpoint.ctarget.translate.nested.gradient import Pair, gradient, numbers_of
from checkpoint.ctarget.translate.nested.numbers import TooComplex
from checkpoint.ctarget.translate.nested.region import Region
from checkpoint.ctarget.translate.nested.terms import Arithmetic, evaluated
from checkpoint.ctarget.translate.ops.places import Constant, Place
from checkpoint.ctarget.translate.ops.scalar_ops import Apply, Copy
from checkpoint.scalars.c_text import is_in_c
from checkpoint.scalars.definition import Definition, definitions

POINTS = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.5, 3.0, 1e-300, 1e200, math.inf, -math.inf, math.nan)
SCALARS = [each for each in definitions().values() if each.partials is not None and is_in_c(each)]
Step = tuple[str, tuple[int | float, ...]]  # a definition, and its operands: values so far, or constants


def record_of(name: str) -> Scalar:
    definition = definitions()[name]
    names = (definition.language, definition.of_python, *definition.exact, *definition.beside)
    record = lookup(next(each for each in names if each))
    assert isinstance(record, Scalar)
    return record


def drawn(generator: random.Random) -> list[Step]:
    """Return a function of two numbers."""
    steps: list[Step] = []
    for i in range(generator.randint(1, 4)):
        definition = generator.choice(SCALARS)
        operands: list[int | float] = [generator.randrange(i + 2) for _ in range(definition.arity)]
        if definition.arity == 2 and generator.random() < 0.3:
            operands[generator.randrange(2)] = generator.choice((0.5, 2.0, -1.0, 0.0))
        steps.append((definition.name, tuple(operands)))
    return steps


def region_of(steps: list[Step]) -> Region:
    places = [Place("x", "real"), Place("y", "real")]
    ops: list[Any] = []
    for i, (name, operands) in enumerate(steps):
        sources = tuple([Constant(each) if isinstance(each, float) else places[each] for each in operands])
        places.append(Place(f"t{i}", "real"))
        ops.append(Apply(places[-1], name, "reals", sources, definitions()[name].singular, None, 0))
    places.append(Place("copy", "real"))
    ops.append(Copy(places[-1], places[-2]))
    return Region(tuple(places[:2]), tuple(ops), {}, (places[-1],))


def referred(steps: list[Step], level: int, u: list[float], v: list[float]) -> list[float] | None:
    """Return y and the cotangent of u, as numbers of all levels in order; None: the run fails."""
    tape = reference.Tape()
    leaves = [tape.leaf(number) for number in u]
    inputs: list[Any] = list(leaves)
    for tag in range(level):
        half = len(inputs) // 2
        inputs = [reference.Dual(tag, *pair) for pair in zip(inputs[:half], inputs[half:], strict=True)]
    values = list(inputs)
    for name, operands in steps:
        given = [each if isinstance(each, float) else values[each] for each in operands]
        try:
            values.append(reference.apply(record_of(name), given))
        except (ArithmeticError, ValueError):
            return None
    y = [reference.fresh(values[-1])]
    for tag in reversed(range(level)):
        zero = 0.0
        y = [reference.fresh(reference.primal_at(number, tag)) for number in y] + [
            reference.fresh(zero if (t := reference.tangent_at(number, tag)) is None else t) for number in y
        ]
    for number, cotangent in zip(reversed(y), reversed(v), strict=True):
        if type(number) is reference.Node:
            number.adjoint += cotangent
    tape.propagate()
    plain = [number.value if type(number) is reference.Node else number for number in y]
    return [*plain, *[leaf.adjoint for leaf in leaves]]


def ours(steps: list[Step], level: int, u: list[float], v: list[float]) -> list[float]:
    arithmetic = Arithmetic()
    names = [f"u{i}" for i in range(len(u))], [f"v{i}" for i in range(len(v))]
    structures = [nested([arithmetic.leaf(name) for name in group], level) for group in names]
    found = gradient(None, arithmetic, level, region_of(steps), *structures)
    values = dict(zip(itertools.chain(*names), [*u, *v], strict=True))
    count = len(numbers_of(found.y))
    numbers = evaluated([*numbers_of(found.y), *numbers_of(found.u)], values)
    return [*numbers[:count], *[0.0 + number for number in numbers[count:]]]


def nested(numbers: list[Any], level: int) -> Any:
    if not level:
        return numbers
    half = len(numbers) // 2
    return Pair(nested(numbers[:half], level - 1), nested(numbers[half:], level - 1))


def shown(numbers: list[float]) -> list[str]:
    return ["nan" if math.isnan(number) else number.hex() for number in numbers]


def agrees(steps: list[Step], level: int, generator: random.Random) -> bool:
    """Check a function at a random point; return whether it has a value there."""
    u = [generator.choice(POINTS) if generator.random() < 0.7 else generator.uniform(-3, 3) for _ in "xy"]
    u += [generator.choice((0.0, 1.0, -0.5)) for _ in range(2 * (2**level - 1))]
    v = [generator.choice((0.0, 1.0, -0.75)) for _ in range(2**level)]
    expected = referred(steps, level, u, v)
    if expected is None:
        return False
    assert shown(ours(steps, level, u, v)) == shown(expected), (steps, level, u, v)
    return True


@pytest.mark.parametrize("level", [0, 1])
def test_random_functions(level: int) -> None:
    generator = random.Random(level)
    found = sum(agrees(drawn(generator), level, generator) for _ in range(500))
    assert found > 150


@pytest.mark.parametrize("definition", SCALARS, ids=lambda each: each.name)
def test_each_scalar(definition: Definition) -> None:
    generator = random.Random(definition.name)
    steps: list[Step] = [(definition.name, (0, 1)[: definition.arity])]
    assert sum(agrees(steps, level, generator) for level in (0, 1) for _ in range(20))


def test_second_derivatives() -> None:
    """Duals of duals: equal, or left to the machine where a question is asked of them."""
    generator = random.Random(2)
    found = left = 0
    for _ in range(150):
        steps = drawn(generator)
        try:
            found += agrees(steps, 2, generator)
        except TooComplex:
            left += 1
    assert found > 25
    assert left < 100
