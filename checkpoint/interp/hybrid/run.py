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
from checkpoint.interp.hybrid.machine import HALT, Machine
from checkpoint.interp.hybrid.parts import Part

FAILURES = (ArithmeticError, ValueError, TypeError, AttributeError)


def run(machine: Machine, limit: int | None, bytes: int = NEVER) -> None:
    """Make steps until there have been `limit` of them, the tape outgrows `bytes`, or the run is finished."""
    last = NEVER if limit is None else limit
    first = machine.steps
    tape = machine.tape
    block, values = machine.block, machine.values
    while True:
        if tape is not None and tape.bytes > bytes and machine.steps > first and not machine.index:
            break
        if machine.index or machine.steps + block.cost > last:
            if block is HALT or (not machine.index and machine.steps >= last):
                break
            machine.block, machine.values = block, values
            left = run_part(machine, last)
            block, values = machine.block, machine.values
            if left:
                continue
            break
        function = block.run if tape is None else block.tape
        births = machine.births
        outcome = None
        try:
            if function is None:
                heat(block, tape is not None)
            else:
                outcome = function(machine, *values)
        except FAILURES:
            machine.births = births
        except (KeyboardInterrupt, MemoryError) as stop:
            machine.mark(stop, block)
            raise
        if outcome is None:
            machine.block, machine.values = block, values
            run_part(machine, NEVER)
            block, values = machine.block, machine.values
            continue
        machine.steps += block.cost
        if tape is not None:
            tape.ran(block)
        block, values = outcome
    machine.block, machine.values = block, values


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
