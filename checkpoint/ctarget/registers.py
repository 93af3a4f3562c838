"""Assigns a register to each slot of a procedure.

In: a procedure's blocks. Out: a table from slots to registers: the entry's parameters have 0, 1, ... in their
order, the others follow. Every slot has a register of its own, so that what a block has computed stays there
until the block ends, with one exception: where a block makes %t, uses it for nothing but (x (copy %t)), and x
is not live in between, both have one register. Such a copy needs no instruction; its adjoint would add to 0
what it moves, and needs none either.
"""

from __future__ import annotations

from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.cps.rewrite import defined, operands_of
from checkpoint.interp.hybrid.machine import Split


def results(step: t.Step) -> b.Slots:
    """Return the slots that a step defines, in built-in blocks too."""
    return (step.name,) if type(step) is Split else defined(step)


def operands(step: t.Step) -> tuple[t.Operand, ...]:
    """Return the operands of a step, in built-in blocks too."""
    if type(step) is Split:
        return step.operands
    return () if type(step) is t.Read else operands_of(step)


def assign(blocks: dict[str, b.Block], entry: str) -> dict[str, int]:
    """Return the register of each slot."""
    table = {name: i for i, name in enumerate(blocks[entry].params)}
    for block in blocks.values():
        copies = elided(block)
        sources = {copy.name: source for source, copy in copies}
        targets = {source: copy.name for source, copy in copies}
        for name in (*block.params, *[name for step in block.steps for name in results(step)]):
            if name not in table:
                others = [other for other in (sources.get(name), targets.get(name)) if other in table]
                table[name] = table[others[0]] if others else len(table)
    numbers = {old: new for new, old in enumerate(dict.fromkeys(table.values()))}
    return {name: numbers[old] for name, old in table.items()}


def elided(block: b.Block) -> list[tuple[str, t.Copy]]:
    """Return the copies that need no instruction, each with its source."""
    if not any(type(step) is t.Copy for step in block.steps):
        return []
    made: dict[str, int] = {}
    uses: dict[str, int] = {}
    found = []
    for i, step in enumerate(block.steps):
        for operand in operands(step):
            if isinstance(operand, str):
                uses[operand] = uses.get(operand, 0) + 1
        if isinstance(step, t.Copy) and isinstance(step.operand, str) and step.operand in made:
            between = block.live[made[step.operand] + 1 : i + 1]
            dies = step.operand not in block.live[i + 1]
            if dies and uses[step.operand] == 1 and not any(step.name in live for live in between):
                found.append((step.operand, step))
                made[step.name] = made[step.operand]
                continue
        made.update(dict.fromkeys(results(step), i))
    return found
