"""One expression, several readings: partials on floats and on numbers of any kind, as text and as C."""

from __future__ import annotations

from array import array
from itertools import product
from typing import Any

import pytest

from checkpoint.ad.numbers import real_part
from checkpoint.ctarget import library
from checkpoint.errors import InternalError
from checkpoint.prims.scalars import generic
from checkpoint.scalars import c_text, loops, python_text
from checkpoint.scalars.algebra import COTANGENT, Call, Operand, walk
from checkpoint.scalars.compiled import ByC, by_c
from checkpoint.scalars.definition import Definition, define, definitions, find
from tests.prims.test_scalars import EDGES
from tests.support.same import same_bits

SMOOTH = [definition for definition in definitions().values() if definition.partials is not None]
library.reason()  # loads engine c, if it is there
every_function = pytest.mark.parametrize("definition", SMOOTH, ids=lambda definition: definition.name)


@every_function
def test_partials_on_floats_are_those_on_numbers(definition: Definition) -> None:
    """Both agree in every bit, at the edges, where the sign of a zero and the kind of an infinity count."""
    assert definition.slopes is not None
    for operands in product(EDGES, repeat=definition.arity):
        z = definition.ieee(*operands)
        for part, slope in zip(definition.scalar_derivatives, definition.slopes, strict=True):
            of_numbers = python_text.on_numbers(part, definition.arity, generic, real_part)
            assert same_bits(slope(*operands, z), of_numbers(*operands, z)), operands


@every_function
def test_partials_name_what_there_is(definition: Definition) -> None:
    """Scalar formulas have no array word left, and no partial reads a cotangent."""
    for part in definition.scalar_derivatives:
        read = [x.position for x in walk(part) if isinstance(x, Operand)]
        assert COTANGENT not in read
        assert all(0 <= position <= definition.arity for position in read)
        assert all(generic(x.name) for x in walk(part) if isinstance(x, Call))


def test_text_groups_as_the_expression_does() -> None:
    x, y, z = map(Operand, range(3))
    part: Any = -(x - y) * (x / (y - 1.0)) - z
    assert c_text.on_doubles(part, ("x", "y"), "r") == "(((-(x - y)) * (x / (y - 1.0))) - r)"
    assert python_text.inline(part, 2) == "(((-({0} - {1})) * ({0} / ({1} - 1.0))) - {z})"
    assert c_text.stripped("(x) + (y)") == "(x) + (y)"


def test_a_name_is_defined_once() -> None:
    with pytest.raises(InternalError, match="sqrt is defined twice"):
        define("sqrt", "square root", lambda x, z: 0.5 / z, formula=lambda x: x)
    with pytest.raises(InternalError, match="neither value nor formula"):
        define("none", "nothing", lambda x, z: z)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("name", ["sqrt", "power", "hypot"])
def test_loops_give_values_and_fail_where_those_do(
    name: str, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loops agree by the functions of engine c, where these exist, and without them."""
    if not compiled:
        monkeypatch.setattr(by_c, "loop", ByC().loop)
    definition = find(name)
    columns = [array("d", column) for column in zip(*product(EDGES, repeat=definition.arity), strict=True)]
    result = array("d", bytes(8 * len(columns[0])))
    loops.over(definition, False, columns, result)
    assert all(map(same_bits, result, map(definition.ieee, *columns)))
    if definition.fails:
        refused = [array("d", [4.0, -1.0]), array("d", [0.5, 0.5])][: definition.arity]
        with pytest.raises(ValueError, match="math domain error"):
            loops.over(definition, True, refused, array("d", bytes(16)))
