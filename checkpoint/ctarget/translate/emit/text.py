"""A unit as C: the function that runs it plainly, and those that record and reverse.

In: a unit (units/graph.py). Out: a file of C that includes nothing but machine/translated.h. What always
holds: the text determines the code but for the addresses of references, so the cache keeps code by its text.
"""

from __future__ import annotations

from checkpoint.ctarget.translate.emit import abreast
from checkpoint.ctarget.translate.emit.adjoint import MAX_JUMPS, AdjointFunction
from checkpoint.ctarget.translate.emit.definitions import used_in
from checkpoint.ctarget.translate.emit.forward import ForwardFunction
from checkpoint.ctarget.translate.emit.records import Records
from checkpoint.ctarget.translate.ops.words import comment
from checkpoint.ctarget.translate.strips.activity import checked, sharpened
from checkpoint.ctarget.translate.strips.adjoint import StripAdjoint
from checkpoint.ctarget.translate.strips.functions import StripFunction
from checkpoint.ctarget.translate.strips.plan import Plan
from checkpoint.ctarget.translate.strips.planner import find
from checkpoint.ctarget.translate.strips.records import StripRecords
from checkpoint.ctarget.translate.strips.target import chunks, pragma, pragma_of_scalars
from checkpoint.ctarget.translate.units.graph import Exit, Unit
from checkpoint.ctarget.translate.units.merging import merge
from checkpoint.ctarget.translate.units.paths import all_paths


def source(unit: Unit, *forms: str, lines: bool = True) -> str:
    """Return the file with the forms "plain" (`unit_plain`), "taped" (`unit_tape`, `unit_reverse`), or both.

    lines: whether it names lines of the program.
    """
    plan = find(unit)
    if plan is None:  # strips have vectors for params, and find out themselves which are the same
        merge(unit)
    _number(unit)
    functions = {"plain": _plain, "taped": _taped}
    return _file(unit, plan, [line for form in forms for line in ("", *functions[form](unit, plan, lines))])


def plain_source(unit: Unit, lines: bool = True) -> str:
    """Return the file with `unit_plain`."""
    return source(unit, "plain", lines=lines)


def taped_source(unit: Unit, lines: bool = True) -> str:
    """Return the file with `unit_tape` and `unit_reverse`."""
    return source(unit, "taped", lines=lines)


def _plain(unit: Unit, plan: Plan | None, lines: bool) -> list[str]:
    strips = [StripFunction(unit, plan, None)] if plan is not None else []
    forward = ForwardFunction(unit, None, lines, strips)
    return [*_strips(strips, forward), *forward.function()]


def _taped(unit: Unit, plan: Plan | None, lines: bool) -> list[str]:
    records = Records(unit)
    plans = [checked(plan), sharpened(plan)] if plan is not None and unit.jumps + 1 < MAX_JUMPS else []
    recorded = [(each, StripRecords(each)) for each in plans if each is not None]
    strips = [StripFunction(unit, each, own) for each, own in recorded]
    forward = ForwardFunction(unit, records, lines, strips)
    tape = forward.function()
    back = [line for each, own in recorded for line in (*StripAdjoint(each, own).function(), "")]
    adjoint = AdjointFunction(unit, records, forward.exits, strips, forward.rebuild).function()
    several = [] if strips else abreast.lines_of(forward)
    return [*_strips(strips, forward), *back, *tape, *several, "", *adjoint]


def _strips(strips: list[StripFunction], forward: ForwardFunction) -> list[str]:
    """Return the functions that run strips, and those by which several threads do."""
    return [*[line for strip in strips for line in (*strip.function(), "")], *forward.job()]


def prologue_words(unit: Unit) -> int:
    """Return how many words a run records once, at its entry."""
    return len(Records(unit).prologue)


def _number(unit: Unit) -> None:
    """Number the blocks where the unit is entered and left, for both files the same."""
    for path in all_paths(unit):
        unit.reference(path.header.block)
        if isinstance(path.end, Exit):
            unit.reference(path.end.block)


def _file(unit: Unit, plan: Plan | None, lines: list[str]) -> str:
    body = "\n".join(lines)
    headers = [pragma_of_scalars(), '#include "machine/translated.h"']
    if plan is not None:
        headers = [pragma(), *chunks(body, "strip_tape" in body), '#include "machine/strips.h"']
    return "\n".join([comment(unit.name), *headers, "", *used_in(body), body, ""])
