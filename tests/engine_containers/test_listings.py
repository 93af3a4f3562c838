"""The passes show steps on containers, and their checkers know them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from checkpoint.ad.containers import TUPLE, Dict, Layout, List, Record
from checkpoint.ad.record import Update, lookup
from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.cps.check_adjoint import check_adjoint
from checkpoint.cps.compilation import Compilation
from checkpoint.cps.listings import listing
from checkpoint.cps.passes import compile_to
from checkpoint.errors import InternalError
from checkpoint.lang import core
from checkpoint.lang.closures import analyse
from checkpoint.lang.printer import write_value
from tests.engine_containers.programs import PROGRAMS
from tests.engine_containers.support import SPAN, core_of


def compiled(name: str) -> Compilation:
    """Return a program after all passes."""
    thunk = core.Lambda(SPAN, ("%unit",), core_of(PROGRAMS[name]), name="program")
    return compile_to("adjoint", thunk, analyse(thunk))


def blocks_with(compilation: Compilation, op: str) -> list[tuple[b.Procedure, b.Block]]:
    """Return the blocks that apply a primitive."""
    return [
        (procedure, block)
        for procedure in compilation.blocks
        for block in procedure.blocks.values()
        if any(isinstance(step, t.Compute) and step.op == op for step in block.steps)
    ]


def test_adjoints_are_shown() -> None:
    text = listing(compiled("growing"), "adjoint")
    assert "record origins" in text
    assert "(pick (" in text
    assert "(put (" in text
    assert "(py.append " in listing(compiled("growing"), "blocks")


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_update_ends_its_block(name: str) -> None:
    for procedure in compiled(name).blocks:
        for block in procedure.blocks.values():
            for step in block.steps:
                if isinstance(step, t.Compute) and isinstance(lookup(step.op), Update):
                    assert step is block.steps[-1]
                    assert isinstance(block.end, b.Jump)


@pytest.mark.parametrize("op", ["py.append", "py.item"])
def test_a_lost_origin_is_seen(op: str) -> None:
    compilation = compiled("growing")
    procedure, block = blocks_with(compilation, op)[0]
    found = compilation.adjoint[block]
    check_adjoint(procedure, block, found)
    with pytest.raises(InternalError, match="is not recorded"):
        check_adjoint(procedure, block, replace(found, origins=()))
    with pytest.raises(InternalError, match="and should"):
        check_adjoint(procedure, block, replace(found, actions=()))


def test_values_are_written() -> None:
    point = Layout(type("Point", (), {}), ("x", "y"))
    value = Record(
        TUPLE, (List([1.0, 2]), Dict({"a": None, (1, 2): True}), Record(point, (0.5, "s")), range(3))
    )
    assert write_value(value) == "#([1.0 2] {'a': () (1, 2): #t} #<Point x: 0.5 y: \"s\"> range(0, 3))"
