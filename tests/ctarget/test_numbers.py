"""Arithmetic on duals in C against checkpoint.ad.numbers, and a taped step against hybrid's, in every bit."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest

from checkpoint.ad.numbers import Dual, apply, takes_reals
from checkpoint.ad.record import Scalar, records
from checkpoint.ctarget import library
from checkpoint.interp.hybrid.cotangent import Both, Cotangent
from checkpoint.interp.hybrid.structured import RESULT, Structured
from tests.support.same import same_bits

pytestmark = pytest.mark.skipif(library.reason() is not None, reason=str(library.reason()))

LIB: Any = getattr(library.runtime(), "lib", None)
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-310, 1e200, float("inf"), float("-inf"), float("nan"))
ROOM = 256

Piece = tuple[int, float]


def in_c() -> list[Scalar]:
    """Return the records whose primitive is in C; none without the module."""
    if library.reason() is not None:
        return []
    found = [record for record in records().values() if isinstance(record, Scalar)]
    return [record for record in found if number_of(record) != LIB.NO_SCALAR]


def number_of(record: Scalar) -> int:
    return int(library.runtime().lib.ck_scalar_number(record.name.encode()))


every_record = pytest.mark.parametrize("record", in_c(), ids=lambda record: record.name)


def random_real(random: Random, record: Scalar, position: int) -> float:
    if random.randrange(4) == 0:
        return random.choice(SPECIAL)
    interval = record.domain[position]
    return random.uniform(interval.low, interval.high)


def random_number(random: Random, tags: Sequence[int], real: Any) -> Any:
    """Return a number whose duals have some of these tags, in any order."""
    if not tags or random.randrange(5) == 0:
        return real()
    at = 0 if random.randrange(3) else random.randrange(len(tags))
    rest = [*tags[:at], *tags[at + 1 :]]
    return Dual(tags[at], random_number(random, rest, real), random_number(random, rest, real))


def random_operands(random: Random, record: Scalar, most_tags: int) -> list[Any]:
    tags = sorted(random.sample(range(6), random.randint(0, most_tags)), reverse=True)
    operands = [
        random_number(random, tags, lambda position=position: random_real(random, record, position))
        for position in range(record.arity)
    ]
    if record.otherwise is not None and record.arity == 2 and random.randrange(6) == 0:
        operands[random.randrange(2)] = random.choice((0, 1, 2, -3, True, False))
    return operands


def samples(record: Scalar, count: int) -> Iterator[tuple[Random, list[Any]]]:
    """Yield operands that hold a real, with the generator that drew them; the same in every run."""
    random = Random(zlib.crc32(record.name.encode()))
    for size in range(count):
        operands = random_operands(random, record, 1 + size % 3)
        if record.otherwise is None or takes_reals(operands):
            yield random, operands


def pieces(number: Any) -> list[Piece]:
    """Return the pieces of a number, or of its cotangent, as they cross into C."""
    if type(number) is Dual:
        return [(number.tag, 0.0), *pieces(number.primal), *pieces(number.tangent)]
    if type(number) is Both:
        return [(0, 0.0), *pieces(number.primal), *pieces(number.tangent)]
    kind = {float: LIB.PIECE_REAL, int: LIB.PIECE_INTEGER, bool: LIB.PIECE_BOOLEAN}[type(number)]
    return [(kind, float(number))]


def given(numbers: Sequence[Any]) -> Any:
    return library.runtime().ffi.new("Piece[]", [piece for number in numbers for piece in pieces(number)])


def call(function: str, *arguments: Any) -> list[Piece] | None:
    """Return the pieces that a function of C gives, or None where it leaves the work to Python."""
    module = library.runtime()
    result = module.ffi.new("Piece[]", ROOM)
    count = getattr(module.lib, function)(*arguments, result)
    assert -1 <= count <= ROOM, "memory was not given back" if count == -2 else count
    return None if count < 0 else [(piece.kind, piece.real) for piece in result[0:count]]


def agree(expected: Sequence[Piece] | None, found: Sequence[Piece] | None) -> bool:
    if expected is None or found is None:
        return expected is None and found is None
    if len(expected) != len(found):
        return False
    return all(a == b and same_bits(x, y) for (a, x), (b, y) in zip(expected, found, strict=True))


def shown(operands: Sequence[Any]) -> list[list[Piece]]:
    return list(map(pieces, operands))


@every_record
@pytest.mark.parametrize("strict", [True, False])
def test_apply(record: Scalar, strict: bool) -> None:
    for _, operands in samples(record, 600):
        try:
            expected = pieces(apply(record, operands, strict))
        except record.failures:
            expected = None
        found = call("ck_scalar_apply", number_of(record), strict, given(operands))
        assert agree(expected, found), (shown(operands), expected, found)


def random_cotangent(random: Random, number: Any) -> Any:
    """Return what a number's accumulator may have received."""
    if random.randrange(4) == 0:
        return 0.0
    if type(number) is Dual:
        return Both(random_cotangent(random, number.primal), random_cotangent(random, number.tangent))
    return random.choice((0.0, 1.0, random.uniform(-2.0, 2.0), random.choice(SPECIAL) + 0.0))


def taped(record: Scalar, operands: Sequence[Any], places: Sequence[int | None]) -> tuple[Structured, Any]:
    """Return hybrid's record of a step, and its value."""
    structured = Structured()
    slots = [None if place is None else f"x{place}" for place in places]

    def compute(*lifted: Any) -> Any:
        return apply(record, lifted)

    return structured, structured.run(list(zip(slots, operands, strict=True)), compute, lambda value: value)


def random_places(random: Random, operands: list[Any]) -> list[int | None]:
    """Return the registers of the operands, None for constants; equal registers have equal operands."""
    if len(operands) == 2 and random.randrange(4) == 0:
        operands[1] = operands[0]
        return [1, 1]
    places = random.sample(range(4), len(operands))
    return [
        None if type(x) is float and random.randrange(4) == 0 else p
        for x, p in zip(operands, places, strict=True)
    ]


@every_record
def test_a_taped_step(record: Scalar) -> None:
    number = number_of(record)
    for random, operands in samples(record, 400):
        places = random_places(random, operands)
        if record.otherwise is not None and not takes_reals(operands):
            continue
        window: dict[int, Any] = dict.fromkeys(range(4), 0.25)
        window |= {
            p: random_cotangent(random, x) for x, p in zip(operands, places, strict=True) if p is not None
        }
        try:
            structured, value = taped(record, operands, places)
        except record.failures:
            expected, received = None, 0.0
        else:
            received = random_cotangent(random, value)
            expected = [*pieces(value), *after(structured, received, window)]
        cotangents = given([received, *window.values()])
        registers = [LIB.NO_REGISTER if place is None else place for place in places]
        found = call("ck_scalar_tape", number, given(operands), registers, len(window), cotangents)
        if found is not None and expected is not None:
            found = [*found[: len(pieces(value))], *without_tags(found[len(pieces(value)) :])]
        assert agree(expected, found), (
            shown(operands),
            places,
            shown([received, *window.values()]),
            expected,
            found,
        )


def after(structured: Structured, received: Any, window: dict[int, Any]) -> list[Piece]:
    """Return the accumulators' pieces after hybrid reversed the step; a boolean has nothing to reverse."""
    slots = {RESULT: received, **{f"x{place}": cotangent for place, cotangent in window.items()}}
    if structured.results:
        structured.reverse(slots, Cotangent((), []))
    return [piece for place in window for piece in pieces(slots[f"x{place}"])]


def without_tags(cotangents: Sequence[Piece]) -> list[Piece]:
    """Return the pieces of cotangents without their tags: a cotangent has none in hybrid."""
    return [(min(kind, 0), real) for kind, real in cotangents]
