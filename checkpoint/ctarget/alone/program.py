"""Writes a program as C: its blocks, its constants, its places, and what is said when a step fails.

In: a program's thunk, prepared for engine c. Out: the text of a C file, which is linked with the runtime of
executables (checkpoint.ctarget.alone.build). SourceError where the program can reach what executables lack.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from checkpoint.ad.values import Pair, Symbol
from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.ctarget.alone.image import FORMS, Image, real
from checkpoint.ctarget.alone.reach import check, procedures
from checkpoint.ctarget.alone.texts import IF, operation, string, texts
from checkpoint.ctarget.code import block_peer, make_code, return_point
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.peers import BlockPeer, ProcedurePeer, procedure_peer
from checkpoint.ctarget.tables import is_uncounted
from checkpoint.errors import InternalError, Span
from checkpoint.interp.hybrid.machine import ENTRY, HALT, LEAVE, Split
from checkpoint.lang import core

HEAD = """/* Made by `checkpoint compile`: a program, for the runtime of executables. */
#include <math.h>

#include "alone/program.h"
#include "scalars/scalars.h"
"""


def written(thunk: core.Lambda, place: Span, memory: int | None = None) -> str:
    """Return a prepared program as C.

    place: of its last expression, for what fails outside of all steps. memory: the bytes that a run may hold;
    None: any number.
    """
    check(thunk)
    return _Writer(thunk).text(place, memory)


class _Writer:
    """Writes one program.

    places, operations, things: the identifiers of those that are written, by what they are.
    lines: their definitions.
    """

    def __init__(self, thunk: core.Lambda) -> None:
        self.image = Image()
        self.lines: list[str] = []
        self.places: dict[tuple[str, str], str] = {}
        self.operations: dict[str, str] = {}
        self.things: dict[tuple[str, str], str] = {}
        self.constants = 0
        self.built_in = [block_peer(code) for code in (ENTRY, HALT, LEAVE)]
        self.procedures = [procedure_peer(code.procedure.lam) for code in procedures(thunk)]
        self.procedures += [block.procedure for block in self.built_in]

    def text(self, place: Span, memory: int | None) -> str:
        """Return the whole file."""
        for procedure in self.procedures:
            for block in procedure.blocks.values():
                _complete(block)
        points = [return_point(block) for block in (HALT, LEAVE)]
        for number, procedure in enumerate(self.procedures):
            self.image.declare(number, procedure)
        self.image.name_scalars(self._scalars())
        for number, procedure in enumerate(self.procedures):
            self.image.write(number, procedure, self._facts(number, procedure))
        names = self.image.names
        entry = names[self.built_in[0].address]
        fields = ["&procedure_0", entry, *[names[point] for point in points], self._place(place)]
        fields.append("SIZE_MAX" if memory is None else f"UINT64_C({memory})")
        ending = [f"const Program PROGRAM = {{{', '.join(fields)}}};", *texts(memory)]
        return "\n".join([HEAD, *self.lines, *self.image.lines, *ending, ""])

    def _scalars(self) -> Iterable[str]:
        for procedure in self.procedures:
            for block in procedure.blocks.values():
                yield from [step.op for step in block.block.steps if isinstance(step, t.Compute)]

    # What Python's objects are for the runtime in Python

    def _facts(self, number: int, procedure: ProcedurePeer) -> dict[str, str]:
        """Return what is in the fields of a procedure and its blocks that hold Python's objects."""
        found = {}
        if procedure.lam is not None:
            name = f"{string(procedure.lam.name)}, {str(procedure.lam.primitive == 'resume').lower()}"
            self.lines.append(f"static const ProcedureFacts procedure_facts_{number} = {{{name}}};")
            found[f"procedure_{number}"] = f"(void *)(uintptr_t)&procedure_facts_{number}"
        for i, block in enumerate(procedure.blocks.values()):
            identifier = f"facts_{number}_{i}"
            self.lines.append(f"static const BlockFacts {identifier} = {self._block(identifier, block)};")
            found[f"blocks_{number}[{i}]"] = f"(void *)(uintptr_t)&{identifier}"
            found[f"constants_{number}[{i}]"] = self._constants(f"constants_{number}_{i}", block)
        return found

    def _block(self, identifier: str, block: BlockPeer) -> str:
        steps = [self._step(step.span, _operation_of(step)) for step in block.block.steps]
        self.lines.append(
            f"static const StepFacts {identifier}_steps[] = {{{', '.join(steps) or '{NULL, NULL}'}}};"
        )
        end = block.block.end
        return f"{{{identifier}_steps, {self._step(end.span, _operation_of_end(end))}}}"

    def _step(self, span: Span | None, name: str | None) -> str:
        doing = "NULL" if name is None else self._operation(name)
        return f"{{{doing}, {self._place(span)}}}"

    def _operation(self, name: str) -> str:
        if name not in self.operations:
            identifier = self.operations[name] = f"operation_{len(self.operations)}"
            self.lines += operation(name, identifier)
        return f"&{self.operations[name]}"

    def _place(self, span: Span | None) -> str:
        if span is None or not span.source.text:
            return "NULL"
        key = (str(span), span.excerpt())
        if key not in self.places:
            identifier = self.places[key] = f"place_{len(self.places)}"
            self.lines.append(f"static const TextPlace {identifier} = {{{', '.join(map(string, key))}}};")
        return f"&{self.places[key]}"

    # Constants

    def _constants(self, identifier: str, block: BlockPeer) -> str:
        """Return the array of a block's constants that are counted."""
        values: list[Any] = next(owned for owned in block.owned if isinstance(owned, list))
        if all(map(is_uncounted, values)):
            return self._array(identifier, ["NULL"] * len(values))
        return self._array(identifier, ["NULL" if is_uncounted(x) else self._constant(x) for x in values])

    def _array(self, identifier: str, items: list[str]) -> str:
        self.lines.append(f"static void *{identifier}[] = {{{', '.join(items) or 'NULL'}}};")
        return identifier

    def _constant(self, value: Any) -> str:
        """Return the address of a constant."""
        return f"(void *)(uintptr_t)&{self._named(value)}"

    def _named(self, value: Any) -> str:
        """Return the identifier of a constant, whose parts are written before it, the last one first."""
        items, rest = [], value
        while isinstance(rest, Pair):
            items.append(rest.car)
            rest = rest.cdr
        text = self._initialiser(rest)
        for item in reversed(items):
            first = self._initialiser(item) if not isinstance(item, Pair) else self._pair(item)
            text = f"{{.parts = {self._define('const Constant %s[]', f'{{{first}, {text}}}')}}}"
        return self._define("const Constant %s", text)

    def _pair(self, value: Pair) -> str:
        return f"{{.parts = {self._named(value)}.parts}}"

    def _define(self, declared: str, text: str) -> str:
        identifier = f"constant_{self.constants}"
        self.constants += 1
        self.lines.append(f"static {declared % identifier} = {text};")
        return identifier

    def _initialiser(self, value: Any) -> str:
        if isinstance(value, str):
            return f"{{.thing = &{self._thing(value)}}}"
        if isinstance(value, float):
            return f"{{.value = {{.tag = REAL, .real = {real(value)}}}}}"
        if isinstance(value, bool):
            return f"{{.value = {{.tag = BOOLEAN, .integer = {int(value)}}}}}"
        if value is None:
            return "{.value = {.tag = NOTHING}}"
        raise InternalError(f"a {type(value).__name__} is no constant of a text")

    def _thing(self, value: str) -> str:
        key = ("SYMBOL" if isinstance(value, Symbol) else "TEXT", str(value))
        if key not in self.things:
            identifier = self.things[key] = f"thing_{len(self.things)}"
            self.lines.append(f"static const Thing {identifier} = {{{key[0]}, {string(key[1])}, NULL}};")
        return self.things[key]


def _complete(block: BlockPeer) -> None:
    """Make what a block lacks of its code, in all forms."""
    for form in FORMS:
        if getattr(block.pointer, form) == runtime().ffi.NULL:
            make_code(block, getattr(runtime().lib, form.upper()))


def _operation_of(step: t.Step) -> str | None:
    """Return the name of the primitive of a step."""
    if isinstance(step, t.Compute):
        return step.op
    return "j*" if isinstance(step, Split) else None


def _operation_of_end(end: b.End) -> str | None:
    if isinstance(end, b.Control):
        return end.op
    return IF if isinstance(end, b.Branch) else None
