"""Every scalar primitive in C against its record: value, failure, partials, and integers, in every bit."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator, Sequence
from itertools import product
from random import Random
from typing import Any

import pytest

from checkpoint.ad.record import Purity, Scalar, lookup, records
from checkpoint.ctarget import library
from tests.support.same import same_bits

pytestmark = pytest.mark.skipif(library.reason() is not None, reason=str(library.reason()))

SPECIAL = (
    *(0.0, 1.0, 2.0, 3.0, 0.5, 1.5, 2.5, 0.1, 10.0, math.pi, math.e, 0.49999999999999994),
    *(1e-320, 5e-324, 2.2250738585072014e-308, 1e-300, 1e-8, 1e8, 1e16, 2.0**52, 2.0**53 - 1, 2.0**53),
    *(709.5, 710.0, 1023.0, 1024.0, 1100.0, 1e300, 1.7976931348623157e308, math.inf, math.nan),
)
REALS = (*SPECIAL, *(-x for x in SPECIAL))
WHOLE = (0, 1, -1, 2, -2, 3, -7, 10, 2**31, -(2**31), 2**53, -(2**53), 2**53 + 1, 2**62, -(2**62))
INTEGERS = (*WHOLE, 2**63 - 1, -(2**63), -(2**63) + 1)

# Records that are left to Python: those of three operands, and what is not a function of the C library.
IN_PYTHON = {"py.math.gamma", "py.math.lgamma", "py.polygamma", "py.math.fma"}
IN_PYTHON |= {name for name in records() if name.startswith("py.cmath.")}


def in_c(name: str) -> int:
    """Return the number of a record's primitive."""
    return int(library.runtime().lib.ck_scalar_number(name.encode()))


def known() -> list[Scalar]:
    """Return the records that are expected to be in C."""
    found = [record for record in records().values() if isinstance(record, Scalar)]
    return [record for record in found if record.name not in IN_PYTHON]


every_record = pytest.mark.parametrize("record", known(), ids=lambda record: record.name)


def any_real(random: Random) -> float:
    """Return a real of any size: by its bits, a short one, or a whole one."""
    kind = random.randrange(6)
    if kind == 0:
        return float(struct.unpack("<d", random.randbytes(8))[0])
    if kind == 1:
        return float(random.randint(-20, 20)) / 2.0
    if kind == 2:
        return random.choice(REALS)
    return random.uniform(-1.0, 1.0) * 10.0 ** random.randint(-3, 3)


def operands_of(record: Scalar, count: int = 1000) -> Iterator[list[float]]:
    """Yield all special operands, then random ones, the same in every run."""
    yield from map(list, product(REALS, repeat=record.arity))
    random = Random(zlib.crc32(record.name.encode()))
    for _ in range(count):
        yield [any_real(random) for _ in range(record.arity)]
        yield [random.uniform(i.low, i.high) for i in record.domain]
    for _ in range(count // 4):
        x = any_real(random)
        yield [x, x * random.randint(-9, 9)][: record.arity]


def value_in_c(number: int, operands: Sequence[float], strict: bool) -> float | None:
    module = library.runtime()
    result = module.ffi.new("double *")
    given = module.ffi.new("double[]", operands)
    return float(result[0]) if module.lib.ck_scalar_value(number, strict, given, result) else None


def value_of(record: Scalar, operands: Sequence[float]) -> float | None:
    """Return the value by the record, or None where the record fails."""
    try:
        result = record.value(*operands)
    except record.failures:
        return None
    assert type(result) is (bool if record.partials is None else float)
    return float(result)


def same(a: float | None, b: float | None) -> bool:
    return a is None and b is None if a is None or b is None else same_bits(a, b)


def test_those_left_to_python_are_these() -> None:
    assert all(in_c(record.name) != library.runtime().lib.NO_SCALAR for record in known())
    assert all(in_c(name) == library.runtime().lib.NO_SCALAR for name in IN_PYTHON)
    assert in_c("no such record") == library.runtime().lib.NO_SCALAR


@every_record
def test_it_states_what_the_record_states(record: Scalar) -> None:
    facts = library.runtime().lib.ck_scalar_facts(in_c(record.name))
    assert facts.arity == record.arity
    assert facts.is_predicate == (record.partials is None)
    assert facts.takes_integers == (record.otherwise is not None)
    assert facts.singular == record.singular


@every_record
def test_values_and_failures(record: Scalar) -> None:
    number = in_c(record.name)
    for operands in operands_of(record):
        expected, found = value_of(record, operands), value_in_c(number, operands, strict=True)
        assert same(expected, found), (operands, expected, found)
        if record.purity is Purity.PURE:
            assert found is not None


@every_record
def test_values_inside_derivatives(record: Scalar) -> None:
    number = in_c(record.name)
    for operands in operands_of(record):
        expected, found = float(record.ieee(*operands)), value_in_c(number, operands, strict=False)
        assert same(expected, found), (operands, expected, found)


@every_record
def test_partials(record: Scalar) -> None:
    module, number = library.runtime(), in_c(record.name)
    for operands in operands_of(record) if record.partials is not None else ():
        result = record.ieee(*operands)
        given = module.ffi.new("double[]", operands)
        for position, partial in enumerate(record.partials or ()):
            expected = partial(*operands, result)
            found = module.lib.ck_scalar_partial(number, position, given, result)
            assert same_bits(expected, found), (operands, position, expected, found)


def on_integers(number: int, operands: Sequence[int]) -> Any:
    """Return the result of C for integers, or None where C leaves them to Python."""
    module = library.runtime()
    kind, integer = module.ffi.new("int *"), module.ffi.new("int64_t *")
    real = module.ffi.new("double *")
    given = module.ffi.new("int64_t[]", operands)
    if not module.lib.ck_scalar_integers(number, given, kind, integer, real):
        return None
    kinds = {module.lib.REAL: float(real[0]), module.lib.INTEGER: int(integer[0])}
    return kinds.get(kind[0], bool(integer[0]))


@every_record
def test_integers(record: Scalar) -> None:
    number = in_c(record.name)
    if not library.runtime().lib.ck_scalar_facts(number).has_integers:
        return
    assert record.otherwise is not None
    otherwise: Any = lookup(record.otherwise)
    random = Random(zlib.crc32(record.name.encode()))
    near = [[random.randint(-99, 99) for _ in range(record.arity)] for _ in range(1000)]
    for operands in [*map(list, product(INTEGERS, repeat=record.arity)), *near]:
        found = on_integers(number, operands)
        if found is None:
            assert max(map(abs, operands)) > 99 or operands[-1] in (0, -1), operands
            continue
        expected = plainly(record, otherwise, operands)
        assert type(found) is type(expected), (operands, expected, found)
        assert found == expected, (operands, expected, found)
        assert type(found) is not float or same_bits(found, expected)


def plainly(record: Scalar, otherwise: Any, operands: Sequence[int]) -> Any:
    """Return the result of the record for integers; in-place operations use the plain ones."""
    if record.name in ("py.iadd", "py.imul"):
        otherwise = lookup(record.name.replace("py.i", "py.") + "/any")
    return otherwise.value(None, *operands)


# Points of which the two ways of ctemplates/scalars/norms.h have different norms.
CLOSE = (
    ("0x1.6a7ef9db22d0ep+2", "0x1.2e147ae147ae1p+1"),
    ("0x1.d666666666667p+2", "0x1.399999999999ap+3"),
    ("0x1.70a3d70a3d70ap+2", "0x1.3333333333333p+1"),
    ("0x1.19db22d0e5604p+3", "0x1.48d4fdf3b645ap+1"),
)


def test_norms_are_those_of_this_python() -> None:
    random, number = Random(5), in_c("py.math.hypot")
    points = [(float.fromhex(x), float.fromhex(y)) for x, y in CLOSE]
    for scale in (1.0, 1e-300, 5e-309, 5e-324 * 2**20, 1e300, 1e308):
        points += [
            (random.uniform(-1.0, 1.0) * scale, random.uniform(-1.0, 1.0) * scale) for _ in range(2000)
        ]
    for x, y in points:
        assert same(value_in_c(number, (x, y), True), math.hypot(x, y)), (x.hex(), y.hex())
