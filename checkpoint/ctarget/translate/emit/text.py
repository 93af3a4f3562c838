"""A unit as C: the function that runs it plainly, and those that record and reverse.

In: a unit (units/graph.py). Out: a file of C that includes nothing but machine/translated.h. What always
holds: the text determines the code but for the addresses of references, so the cache keeps code by its text.
"""

from __future__ import annotations

from checkpoint.ctarget.translate.emit.adjoint import AdjointFunction
from checkpoint.ctarget.translate.emit.definitions import used_in
from checkpoint.ctarget.translate.emit.forward import ForwardFunction
from checkpoint.ctarget.translate.emit.records import Records
from checkpoint.ctarget.translate.ops.words import comment
from checkpoint.ctarget.translate.units.graph import Unit
from checkpoint.ctarget.translate.units.paths import all_paths


def source(unit: Unit, *forms: str, lines: bool = True) -> str:
    """Return the file with the forms "plain" (`unit_plain`), "taped" (`unit_tape`, `unit_reverse`), or both.

    lines: whether it names lines of the program.
    """
    _number(unit)
    functions = {"plain": _plain, "taped": _taped}
    return _file(unit, [line for form in forms for line in ("", *functions[form](unit, lines))])


def plain_source(unit: Unit, lines: bool = True) -> str:
    """Return the file with `unit_plain`."""
    return source(unit, "plain", lines=lines)


def taped_source(unit: Unit, lines: bool = True) -> str:
    """Return the file with `unit_tape` and `unit_reverse`."""
    return source(unit, "taped", lines=lines)


def _plain(unit: Unit, lines: bool) -> list[str]:
    return ForwardFunction(unit, None, lines).function()


def _taped(unit: Unit, lines: bool) -> list[str]:
    records = Records(unit)
    forward = ForwardFunction(unit, records, lines)
    tape = forward.function()
    return [*tape, "", *AdjointFunction(unit, records, forward.exits).function()]


def prologue_words(unit: Unit) -> int:
    """Return how many words a run records once, at its entry."""
    return len(Records(unit).prologue)


def _number(unit: Unit) -> None:
    """Number the blocks where the unit is entered and left, for both files the same."""
    for path in all_paths(unit):
        unit.reference(path.header.block)
        unit.reference(getattr(path.end, "block", path.header.block))


def _file(unit: Unit, lines: list[str]) -> str:
    body = "\n".join(lines)
    return "\n".join([comment(unit.name), '#include "machine/translated.h"', "", *used_in(body), body, ""])
