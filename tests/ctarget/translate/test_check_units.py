"""The checker of units refuses wrong units and accepts right ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from checkpoint.ctarget.translate.ops.object_ops import Keep
from checkpoint.ctarget.translate.ops.places import Constant
from checkpoint.ctarget.translate.ops.scalar_ops import Copy
from checkpoint.ctarget.translate.units.check_units import check_unit
from checkpoint.ctarget.translate.units.graph import Jump, Unit
from checkpoint.errors import InternalError
from tests.ctarget.translate.units import Maker, block, containers, late, lorenz, nested, orders


@pytest.mark.parametrize("make", [lorenz, nested, late, orders, containers])
def test_what_is_right(make: Callable[[], Unit]) -> None:
    check_unit(make())


def loop() -> tuple[Maker, Unit]:
    """Return a loop that copies its params."""
    make = Maker()
    x, n = make.place("x_0"), make.place("n_0", "integer")
    header = make.header(block("loop", "x", "n"), (x, n), 2)
    header.root.end = make.jump(header, 2, make.copy(header.root, "x_1", x), n)
    check_unit(make.unit)
    return make, make.unit


def refused(unit: Unit, text: str) -> None:
    with pytest.raises(InternalError, match=f"a unit is wrong: {text}"):
        check_unit(unit)


def test_a_place_that_is_read_before_it_is_set() -> None:
    make, unit = loop()
    unit.headers[0].root.ops.insert(0, Copy(make.place("y_0"), make.place("z_0")))
    refused(unit, "z_0 is read where it is not set")


def test_an_effect_that_reads_what_another_path_sets() -> None:
    make, unit = loop()
    unit.headers[0].root.effects.append(Keep(make.place("v_0", "value")))
    refused(unit, "v_0 is read where it is not set")


def test_a_place_that_is_set_twice() -> None:
    _, unit = loop()
    root = unit.headers[0].root
    root.ops *= 2
    refused(unit, "x_1 is set twice on a path")


def test_a_jump_of_other_kinds() -> None:
    make, unit = loop()
    header = unit.headers[0]
    header.root.end = make.jump(header, 2, Constant(1), header.params[1])
    refused(unit, "jump 1 passes other kinds than header 0 has")


def test_an_entry_that_does_not_set_all_params() -> None:
    _, unit = loop()
    header = unit.headers[0]
    assert header.entry is not None
    header.entry = header.entry[:1]
    refused(unit, "where the machine enters header 0, it does not set its params")


def test_numbers() -> None:
    _, unit = loop()
    header = unit.headers[0]
    assert isinstance(header.root.end, Jump)
    header.root.end.number = 7
    refused(unit, "a number of Jump is not its own")


def test_a_node_without_an_end() -> None:
    _, unit = loop()
    unit.headers[0].root.end = None
    refused(unit, "a node of block loop has no end")
