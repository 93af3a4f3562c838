"""What the driver in C knows of the arrays among a run's arguments (ctemplates/driver/leaves.h).

In: the start of a run, and the sweep that has run to its end. Out: the Finals of the sweep have begun.
"""

from __future__ import annotations

from collections.abc import Iterator

from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.states import Held, State
from checkpoint.driver.finals import Finals
from checkpoint.interp.hybrid.cotangent import places_of_arrays


def begin_finals(finals: Finals, start: State, sweep: Held) -> None:
    """Report to the finals where the cotangents of the arguments are, and until when these are untouched."""
    finals.begin(places_of_arrays(start.python()), _untouched(sweep))


def _untouched(sweep: Held) -> Iterator[tuple[int, int]]:
    """Return the addresses of handles, each with the step until which nothing has read it."""
    module = runtime()
    ffi, lib = module.ffi, module.lib
    total = lib.ck_sweep_leaves(sweep, ffi.NULL, ffi.NULL, 0)
    handles, steps = ffi.new("uintptr_t[]", total), ffi.new("int64_t[]", total)
    lib.ck_sweep_leaves(sweep, handles, steps, total)
    return zip(handles, steps, strict=True)
