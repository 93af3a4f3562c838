"""The checker of procedures and their blocks: what holds after `closures`, and still after `blocks`.

In: the procedures of a program. Out: nothing, or an InternalError that names procedure, block and step. What
holds only after `blocks` is checked in check_blocks.py.
"""

from __future__ import annotations

from collections import Counter
from typing import NoReturn

from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.cps.forms import Forms, of_blocks, same_forms
from checkpoint.cps.rewrite import defined, operands_of
from checkpoint.errors import InternalError, Span
from checkpoint.lang import core

Procedures = dict[core.Lambda, b.Procedure]
Apart = dict[core.Lambda, b.Slots]  # lambdas that are compiled by themselves, with their captures

# Ends that are a step, and must have a span; the others must have none.
_STEPS = (b.Enter, b.Branch, b.Call, b.Control, b.Throw, b.Install)


def check_closures(procedures: list[b.Procedure], expected: Forms, apart: Apart) -> None:
    """Raise InternalError unless the procedures are right and have the same steps as the core."""
    for procedure in procedures:
        for block in procedure.blocks.values():
            if block.explicit != len(block.params):
                place = Place("closures", procedure, block)
                place.fail("has parameters for which no block has an explicit argument")
    check_procedures("closures", procedures, apart)
    blocks = [block for procedure in procedures for block in procedure.blocks.values()]
    same_forms(of_blocks(blocks), expected, "closures")


class Place:
    """The place that a checker has reached, for messages."""

    def __init__(self, language: str, procedure: b.Procedure, block: b.Block) -> None:
        self.text = f"{language}: {procedure.name}, block {block.label}"
        self.where = "head"
        self.span: Span | None = procedure.lam.span

    def at(self, where: str, span: Span | None) -> None:
        self.where, self.span = where, span

    def fail(self, message: str) -> NoReturn:
        raise InternalError(f"{self.text}, {self.where}: {message}", self.span)


def check_procedures(language: str, procedures: list[b.Procedure], apart: Apart) -> None:
    """Check what holds of procedures in both languages."""
    by_lambda: Procedures = {}
    for procedure in procedures:
        if procedure.lam in by_lambda:
            raise InternalError(f"{language}: {procedure.name} is there twice", procedure.lam.span)
        by_lambda[procedure.lam] = procedure
    for procedure in procedures:
        _check_entry(language, procedure)
        _check_definitions(language, procedure)
        for block in procedure.blocks.values():
            _BlockChecker(language, by_lambda, apart, procedure, block).run()


def _check_entry(language: str, procedure: b.Procedure) -> None:
    place = f"{language}: {procedure.name}"
    entry = procedure.blocks.get(procedure.entry)
    if entry is None:
        raise InternalError(f"{place} has no block {procedure.entry}", procedure.lam.span)
    env = () if procedure.env is None else (procedure.env,)
    params = (*procedure.captures, *env, *procedure.lam.params)
    if entry.params != params or entry.explicit != len(params):
        found, wanted = " ".join(entry.params), " ".join(params)
        raise InternalError(
            f"{place}: the entry's parameters are ({found}), not ({wanted})", procedure.lam.span
        )
    for label, block in procedure.blocks.items():
        if label != block.label:
            raise InternalError(f"{place}: block {block.label} is kept as {label}", procedure.lam.span)


def _check_definitions(language: str, procedure: b.Procedure) -> None:
    """Check that each slot is defined once, by one step or as an explicit parameter of one block."""
    found: Counter[str] = Counter()
    for block in procedure.blocks.values():
        found.update(block.params[: block.explicit])
        for step in block.steps:
            found.update(defined(step))
    for name, times in found.items():
        if times > 1:
            raise InternalError(f"{language}: {procedure.name} defines {name} twice", procedure.lam.span)


class _BlockChecker:
    """One block: its steps define what they may, and its end passes what its targets take."""

    def __init__(
        self, language: str, known: Procedures, apart: Apart, procedure: b.Procedure, block: b.Block
    ) -> None:
        self.place = Place(language, procedure, block)
        self.known = known
        self.apart = apart
        self.procedure = procedure
        self.block = block

    def run(self) -> None:
        block, place = self.block, self.place
        if len(set(block.params)) != len(block.params):
            place.fail("a parameter is there twice")
        for index, step in enumerate(block.steps):
            place.at(f"step {index}", step.span)
            self.step(step)
        place.at("end", block.end.span)
        self.end(block.end)
        if block.cost != len(block.steps) + isinstance(block.end, _STEPS):
            place.fail(f"the block costs {block.cost}, which is not its steps")

    def step(self, step: t.Step) -> None:
        if not isinstance(step.span, Span):
            self.place.fail("has no span")
        operands_of(step)  # refuses what is no step of a block
        if isinstance(step, b.MakeClosure):
            self.closure(step.lam, len(step.captures))
        if isinstance(step, b.MakeMember):
            captured = self.captures(step.lam)
            if captured and step.env is None:
                name = step.lam.name or "lambda"
                self.place.fail(f"the member {name} captures slots, and has no environment")

    def captures(self, lam: core.Lambda) -> b.Slots:
        if lam in self.apart:
            return self.apart[lam]
        if lam not in self.known:
            self.place.fail(f"there is no procedure of the lambda {lam.name or ''}")
        return self.known[lam].captures

    def closure(self, lam: core.Lambda, captures: int) -> None:
        found, name = self.captures(lam), lam.name or "lambda"
        if len(found) != captures:
            self.place.fail(f"{name} captures {len(found)} slots, not {captures}")
        if lam in self.known and self.known[lam].env is not None:
            self.place.fail(f"{name} uses a group's environment, and is no member")

    def end(self, end: b.End) -> None:
        if isinstance(end, _STEPS) != isinstance(end.span, Span):
            self.place.fail(f"a {type(end).__name__} with{'' if end.span else 'out'} a span")
        for label in b.targets(end):
            if label not in self.procedure.blocks:
                self.place.fail(f"there is no block {label}")
        for label, count in passed(end):
            target = self.procedure.blocks[label]
            if target.explicit != count:
                self.place.fail(f"{label} receives {count} explicit arguments, and takes {target.explicit}")


def passed(end: b.End) -> list[tuple[str, int]]:
    """Return each target of an end with the number of explicit arguments; a frame passes the value."""
    match end:
        case b.Jump() | b.Enter():
            return [(end.label, len(end.args))]
        case b.Branch():
            return [(end.then, 0), (end.other, 0)]
        case b.Call() | b.Control():
            return [] if end.ret is None else [(end.ret, 1)]
        case b.Install():
            return [(end.body, 0), (end.leave, 1), (end.handler, 1)]
    return []
