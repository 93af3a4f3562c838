"""Running: from block to block, by emitted functions where there are any, else step by step.

The function of a block takes the machine and the values of its parameters, and answers with the next
block and the values of its parameters, or with None: run me step by step. Before each block the limit is
tested; a block that would pass it is run step by step, which stops at any step.

What fails inside a function is found out by running that block again step by step: before its end a
block changes no register but `births`, which is put back, and effects have blocks of their own.
"""

from __future__ import annotations

from checkpoint.interp.hybrid.code import COLD_RUNS, NEVER, BlockCode
from checkpoint.interp.hybrid.emit import emit_plain, emit_taped
from checkpoint.interp.hybrid.machine import HALT, Machine, Values
from checkpoint.interp.hybrid.parts import Part

FAILURES = (ArithmeticError, ValueError, TypeError, AttributeError)


def run(machine: Machine, limit: int | None, bytes: int = NEVER) -> None:
    """Make steps until there have been `limit` of them, the tape outgrows `bytes`, or the run is finished."""
    last = NEVER if limit is None else limit
    tape, first = machine.tape, machine.steps
    block, values = machine.block, machine.values
    try:
        while True:
            if tape is not None and tape.bytes > bytes and machine.steps > first and not machine.index:
                break
            outcome: tuple[BlockCode, Values] | None = None
            if not machine.index and machine.steps + block.cost <= last:
                outcome = run_block(machine, block, values)
            elif block is HALT or (not machine.index and machine.steps >= last):
                break
            if outcome is not None:
                machine.steps += block.cost
                if tape is not None:
                    tape.ran(block)
                block, values = outcome
                continue
            machine.block, machine.values = block, values
            left = run_part(machine, last)
            block, values = machine.block, machine.values
            if not left:
                break
    except (KeyboardInterrupt, MemoryError) as stop:
        values, outcome = (), None  # what is held may be all the memory there is
        machine.mark(stop, block)
        raise
    machine.block, machine.values = block, values


def run_block(machine: Machine, block: BlockCode, values: Values) -> tuple[BlockCode, Values] | None:
    """Run a whole block by its function; None where it has none or the function cannot do it."""
    function = block.run if machine.tape is None else block.tape
    if function is None:
        heat(block, machine.tape is not None)
        return None
    births = machine.births
    try:
        outcome: tuple[BlockCode, Values] | None = function(machine, *values)
    except FAILURES:
        machine.births = births
        return None
    return outcome


def heat(block: BlockCode, taping: bool) -> None:
    """A block without a function is run step by step; when that has happened often it gets one."""
    if block.emittable:
        block.runs += 1
        if block.runs >= COLD_RUNS:
            emit_taped(block) if taping else emit_plain(block)


def run_part(machine: Machine, last: int) -> bool:
    """Run from the present point step by step, at most to `last` steps; whether the block was left."""
    part = Part(machine)
    left = part.forward(machine, last)
    if machine.tape is not None:
        machine.tape.add_part(part)
    return left
