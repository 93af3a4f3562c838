"""An operation that only this file knows: it is run, recorded and reversed, since a class says all of it."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from checkpoint.ctarget.translate.emit.records import Records
from checkpoint.ctarget.translate.emit.text import taped_source
from checkpoint.ctarget.translate.ops.operation import Adjoint, Forward, Op, Residual
from checkpoint.ctarget.translate.ops.places import Constant, Place
from checkpoint.ctarget.translate.units.check_units import check_unit
from checkpoint.ctarget.translate.units.graph import Unit
from tests.ctarget.translate.test_text import compiled, needs_compiler
from tests.ctarget.translate.units import Maker, block
from tests.support.processes import PATIENCE


@dataclass(frozen=True, eq=False, slots=True)
class Square(Op):
    """The square of a real; exits where it is 100 or more. Adjoint: x' += 2 x to'."""

    to: Place
    x: Place

    def write(self, out: Forward) -> None:
        square = out.temporary("square", "double ")
        out.put(f"{square} = {self.x.name} * {self.x.name};", f"if (!({square} < 100.0)) {out.exit()}")
        out.put(f"{self.to.name} = {square};")

    def contributes(self, active: Set[Place]) -> Sequence[Place] | None:
        return [self.x] if self.to in active else None

    def residuals(self) -> Sequence[Residual]:
        return (Residual(self.x),)

    def reverse(self, adjoint: Adjoint) -> None:
        adjoint.add(self.x, f"2.0 * {self.x.name} * {adjoint.cotangent(self.to).text}")


def squares() -> Unit:
    """Return a loop of x -> x * x + 0.5 that exits where x * x is 100 or more."""
    make = Maker()
    (x,) = params = make.places("x_0")
    header = make.header(block("loop", "x"), params, 3)
    square = make.place("square_0")
    header.root.ops.append(Square(square, x))
    header.root.end = make.jump(header, 3, make.apply(header.root, "x_1", "add", square, Constant(0.5)))
    check_unit(make.unit)
    return make.unit


def test_it_records_what_its_adjoint_reads() -> None:
    records = Records(squares())
    assert [residual.name for record in records.of_end.values() for residual in record.words] == ["x_0"]


@needs_compiler
def test_it_is_run_and_reversed(tmp_path: Path) -> None:
    (tmp_path / "unit.c").write_text(taped_source(squares()), encoding="utf-8")
    harness = Path(__file__).with_name("run_unit.c")
    compiled(harness, tmp_path / "run", f'-DUNIT="{tmp_path / "unit.c"}"', "-w")
    words = [str(tmp_path / "run"), "1000", (0.75).hex()]
    printed = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout
    values = [0.75]
    while values[-1] ** 2 < 100.0:
        values.append(values[-1] ** 2 + 0.5)
    cotangent = 1.0
    for x in reversed(values[:-1]):
        cotangent = 2.0 * x * cotangent
    forward, backward = (line.split() for line in printed.splitlines())
    assert int(forward[1]) == 3 * (len(values) - 1)
    assert float.fromhex(forward[2]) == values[-1]
    assert float.fromhex(backward[1]) == cotangent
