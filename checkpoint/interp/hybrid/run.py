"""Running: from block to block, by emitted functions where there are any, else step by step.

The function of a block takes the machine and the values of its parameters, and answers with the next
block and the values of its parameters, or with None: run me step by step. Before each block the limit is
tested; a block that would pass it is run step by step, which stops at any step.

What fails inside a function is found out by running that block again step by step: before its end a
block changes nothing but `births` and the tape, which are put back; effects have blocks of their own, and
an update is the last step of its block. While a function runs, all steps of its block count as made.
"""

from __future__ import annotations

from checkpoint.ad.arrays import Array
from checkpoint.driver.raised import left_open
from checkpoint.errors import RunError
from checkpoint.interp.hybrid.code import COLD_RUNS, NEVER, BlockCode
from checkpoint.interp.hybrid.emit import emit_plain, emit_taped
from checkpoint.interp.hybrid.machine import HALT, Machine, Values
from checkpoint.interp.hybrid.parts import Part

LARGE = 1 << 20  # bytes of arrays; the work on them takes longer than what a step costs

FAILURES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RunError)


def run(machine: Machine, limit: int | None, bytes: int = NEVER) -> None:
    """Make steps until there have been `limit` of them, the tape outgrows `bytes`, or the run is finished.

    The handler is in a short function of its own: where memory has run out CPython 3.11 cannot make the
    integer that a handler far into a function's code needs, and tries forever.
    """
    try:
        run_blocks(machine, NEVER if limit is None else limit, bytes)
    except (KeyboardInterrupt, MemoryError) as stop:
        machine.interrupted(stop)
        raise
    except RunError as error:
        left_open(error, machine.frame)
        raise


def run_blocks(machine: Machine, last: int, bytes: int) -> None:
    """The loop of `run`; `machine.block` is the present block all the time."""
    tape, first = machine.tape, machine.steps
    block, values = machine.block, machine.take_values()
    while True:
        if tape is not None and tape.bytes > bytes and is_full_stop(machine, block, first):
            break
        whole = not machine.index and machine.steps + block.cost <= last
        if whole and not (block.meets_arrays and are_large(values)):
            machine.block = block
            machine.steps += block.cost
            outcome = run_block(machine, block, values)
            if outcome is not None:
                if tape is not None:
                    tape.ran(machine.ran)
                block, values = outcome
                outcome = None  # nothing but `values` holds on to arrays
                continue
            machine.steps -= block.cost
        elif block is HALT or (not machine.index and machine.steps >= last):
            break
        machine.block, machine.values = block, values
        values = ()
        left = run_part(machine, last)
        block, values = machine.block, machine.take_values()
        if not left:
            break
    machine.block, machine.values = block, values


def are_large(values: Values) -> bool:
    """Whether a block starts from so much in arrays that it should let go of each as soon as it can.

    Step by step it does; its function holds on to what it was given, and may have to be run again.
    """
    size = 0
    for value in values:
        if type(value) is Array:
            size += value.data.nbytes
    return size > LARGE


def is_full_stop(machine: Machine, block: BlockCode, first: int) -> bool:
    """Whether the run has got on and is at the point to which `advance` to the same step comes.

    That point is just before a step, so not at the head of a block that takes none.
    """
    return not machine.index and machine.steps > first and block.cost > 0


def run_block(machine: Machine, block: BlockCode, values: Values) -> tuple[BlockCode, Values] | None:
    """Run a whole block by its function; None where it has none or the function cannot do it."""
    function = block.run if machine.tape is None else block.tape
    if function is None:
        heat(block, values, machine.tape is not None)
        return None
    births, records = machine.births, machine.tape and len(machine.tape.records)
    outcome: tuple[BlockCode, Values] | None
    try:
        outcome = function(machine, *values)
    except FAILURES:
        outcome = None
    if outcome is None:
        machine.births = births
        if records is not None:
            del machine.tape.records[records:]
    return outcome


def heat(block: BlockCode, values: Values, taping: bool) -> None:
    """A block without a function is run step by step; when that has happened often it gets one."""
    if block.emittable:
        block.runs += 1
        if block.runs >= COLD_RUNS:
            emit_taped(block, values) if taping else emit_plain(block, values)


def run_part(machine: Machine, last: int) -> bool:
    """Run from the present point step by step, at most to `last` steps; whether the block was left."""
    part = Part(machine)
    left = part.forward(machine, last)
    part.block.see(part.slots)
    if machine.tape is not None:
        part.let_go()
        machine.tape.add_part(part)
    return left
