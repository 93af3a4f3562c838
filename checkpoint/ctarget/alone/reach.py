"""Which primitives a program can reach, and which of them executables do not have.

In: a program's thunk, prepared. Out: SourceError at the first place of a primitive that only Python performs.
What always holds: without these there are no tensors, so the branches for them, behind `tensor?`, are never
taken. Capsules are there in programs that take no derivatives and change no references: so none has locations
of its own, and a state is resumed as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from checkpoint.ad.record import Scalar, lookup
from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.ctarget.alone.texts import DOINGS
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.tables import scalar_number
from checkpoint.errors import SourceError, Span
from checkpoint.interp.hybrid.code import ProcedureCode
from checkpoint.interp.hybrid.later import code_of
from checkpoint.lang import core

ARRAY_TEST = "tensor?"
DERIVATIVES = ("j*", "*j", "checkpoint-*j")
CAPSULES = ("interrupt", "resume")
CHANGE = ":="


def check(thunk: core.Lambda) -> None:
    """Refuse a program that can reach what executables do not have."""
    found: dict[str, Span | None] = {}
    for where in _steps(thunk):
        found.setdefault(where.op, where.span)
        if not _is_there(where):
            lacks = f"{where.op} is a step of Python's, which executables do not have"
            raise SourceError(f"{lacks}: run the program by `checkpoint run`", where.span)
    derivatives, capsules = ([name for name in names if name in found] for names in (DERIVATIVES, CAPSULES))
    if derivatives and capsules:
        lacks = f"executables have no derivatives of capsules, but this program uses {derivatives[0]}"
        message = f"{capsules[0]}: {lacks}: run it by `checkpoint run`"
        raise SourceError(message, found[capsules[0]])
    if capsules and CHANGE in found:
        lacks = "executables have no capsules of what changes, but this program has references"
        raise SourceError(f"{capsules[0]}: {lacks}: run it by `checkpoint run`", found[capsules[0]])


def _is_there(where: t.Compute | b.Control) -> bool:
    if isinstance(where, t.Compute) and isinstance(lookup(where.op), Scalar):
        return scalar_number(where) != int(runtime().lib.NO_SCALAR)
    return where.op in DOINGS


def procedures(thunk: core.Lambda) -> list[ProcedureCode]:
    """Return the code of all procedures that blocks of a program name, its own first."""
    return list(_reached(thunk, lambda code: code.procedure.blocks.values()))


def _steps(thunk: core.Lambda) -> Iterator[t.Compute | b.Control]:
    """Yield the applications of primitives in blocks that a run may enter."""
    for code in _reached(thunk, _blocks):
        for block in _blocks(code):
            yield from [step for step in block.steps if isinstance(step, t.Compute)]
            if isinstance(block.end, b.Control):
                yield block.end


def _reached(
    thunk: core.Lambda, blocks: Callable[[ProcedureCode], Iterable[b.Block]]
) -> Iterator[ProcedureCode]:
    """Yield the code of the procedures of which these blocks make closures."""
    pending, seen = [thunk], {thunk}
    while pending:
        code = code_of(pending.pop())
        yield code
        for step in [step for block in blocks(code) for step in block.steps]:
            if isinstance(step, b.MakeClosure | b.MakeMember) and step.lam not in seen:
                seen.add(step.lam)
                pending.append(step.lam)


def _blocks(code: ProcedureCode) -> Iterator[b.Block]:
    blocks = code.procedure.blocks
    pending, seen = [code.procedure.entry], {code.procedure.entry}
    while pending:
        block = blocks[pending.pop()]
        yield block
        for label in _targets(block):
            if label not in seen:
                seen.add(label)
                pending.append(label)


def _targets(block: b.Block) -> b.Slots:
    """Return the labels of the blocks that may follow one."""
    end = block.end
    if isinstance(end, b.Branch) and end.test in {
        step.name for step in block.steps if isinstance(step, t.Compute) and step.op == ARRAY_TEST
    }:
        return (end.other,)
    return b.targets(end)
