"""Running: from block to block, by emitted functions where they exist, else step by step.

The function of a block takes the machine and the values of the parameters. It returns the next block and the
values of its parameters, or None to have the block run step by step. Before each block the limit is tested; a
block that would pass it runs step by step, which can stop at any step.

A failure inside a function is located by running the block again step by step. Before its end a block changes
nothing but `births` and the tape, which are restored; effects are in blocks of their own, and an update is
the last step of its block. While a function runs, all steps of its block count as made.
"""

from __future__ import annotations

from checkpoint.ad.arrays import Array
from checkpoint.driver.calls import Calls
from checkpoint.driver.raised import left_open
from checkpoint.errors import RUN_ENDING
from checkpoint.interp.hybrid.code import COLD_RUNS, NEVER, BlockCode
from checkpoint.interp.hybrid.emit import emit_plain, emit_taped
from checkpoint.interp.hybrid.machine import HALT, Machine, Values
from checkpoint.interp.hybrid.parts import Part

LARGE = 1 << 20  # bytes of arrays on which the work takes longer than a step costs

FAILURES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, *RUN_ENDING)


def run(machine: Machine, limit: int | None, bytes: int = NEVER, calls: Calls | None = None) -> None:
    """Make steps until `limit` have been made, the tape outgrows `bytes`, or the run is finished.

    calls: the run also stops where it has just made one of these.

    The exception handler is in a short function of its own: when memory has run out, CPython 3.11 cannot make
    the integer that a handler far into a function's code needs, and tries for ever.
    """
    try:
        run_blocks(machine, NEVER if limit is None else limit, bytes, calls)
    except (KeyboardInterrupt, MemoryError) as stop:
        machine.interrupted(stop)
        raise
    except RUN_ENDING as error:
        left_open(error, machine.frame)
        raise


def run_blocks(machine: Machine, last: int, bytes: int, calls: Calls | None) -> None:
    """Run the loop of `run`; `machine.block` is always the present block."""
    tape, first = machine.tape, machine.steps
    block, values = machine.block, machine.take_values()
    while True:
        if tape is not None and tape.bytes > bytes and is_full_stop(machine, block, first):
            break
        if calls is not None and machine.steps > first and begins_call(machine, block, calls):
            last = machine.steps
        whole = not machine.index and machine.steps + block.cost <= last
        if whole and not (block.meets_arrays and are_large(values)):
            machine.block = block
            machine.steps += block.cost
            outcome = run_block(machine, block, values)
            if outcome is not None:
                if tape is not None:
                    tape.ran(machine.ran)
                block, values = outcome
                outcome = None  # only `values` refers to arrays
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
    """Return whether the arrays that a block starts from are so large that each should be released early.

    Step by step that happens; a function holds its arguments, as it may have to run again.
    """
    size = 0
    for value in values:
        if type(value) is Array:
            size += value.data.nbytes
    return size > LARGE


def is_full_stop(machine: Machine, block: BlockCode, first: int) -> bool:
    """Return whether the run has advanced and is at the point that `advance` to the same step reaches.

    That point is directly before a step, so not at the head of a block without steps.
    """
    return not machine.index and machine.steps > first and block.cost > 0


def begins_call(machine: Machine, block: BlockCode, calls: Calls) -> bool:
    """Return whether the run is at the start of the body of a function, where only a call of it leads."""
    code = block.procedure
    return (
        code is not None
        and block is code.entry
        and not machine.index
        and code.shown
        and calls.are_of(code.procedure.lam)
    )


def run_block(machine: Machine, block: BlockCode, values: Values) -> tuple[BlockCode, Values] | None:
    """Run a whole block by its function; return None where it has none or that cannot run it."""
    function = block.run if machine.tape is None else block.tape
    if function is None:
        count_run(block, values, machine.tape is not None)
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


def count_run(block: BlockCode, values: Values, taping: bool) -> None:
    """Count the runs of a block without a function, and emit one after enough of them."""
    if block.emittable:
        block.runs += 1
        if block.runs >= COLD_RUNS:
            emit_taped(block, values) if taping else emit_plain(block, values)


def run_part(machine: Machine, last: int) -> bool:
    """Run from the present point step by step, up to `last` steps. Return whether the block was left."""
    part = Part(machine)
    left = part.forward(machine, last)
    part.block.see(part.slots)
    if machine.tape is not None:
        part.release_arrays()
        machine.tape.add_part(part)
    return left
