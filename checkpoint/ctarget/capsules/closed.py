"""Closed capsules: those that C resumes without Python having to take them apart.

In: a capsule that C has made of a run, whose state nobody has read, and whose numbers are reals in slots,
pairs, tuples, lists, objects and closures (ctemplates/control/closed.h). Out: how many reals there are; the
start of a run that resumes it, in a heap of its own; from a cotangent of that start those of the reals, in
the canonical order of checkpoint.ad.graph, and from such numbers the cotangent of the state at which the
capsule was taken.

What always holds: births, steps and bits are those of hybrid's start of the same capsule, which has entered;
all costs are in proportion to the frames and objects, and are C's.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

from checkpoint.ad.tangent import COTANGENT, check_opaque
from checkpoint.ad.values import Capsule, Contents, Pair, is_sealed
from checkpoint.ctarget.capsules.rest import Rest, state_in_c
from checkpoint.ctarget.cotangent import Cotangent
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.states import Heap, State
from checkpoint.errors import InternalError

CAPSULE_BIRTH = 3  # of what resumes: the pair of procedure and argument has 1, the procedure's environment 2
_REAL = frozenset((float,))


def closed(capsule: Capsule) -> tuple[Capsule, int] | None:
    """Return a capsule of the same state that is resumed as it is, and the number of its reals; or None."""
    state = state_in_c(capsule.state)
    found = _counted_rest(state)
    if state is None or found is None:
        return None
    own = Rest(state, capsule.state.made, is_closed=True)
    return Capsule(own, capsule.engine, capsule.open_tags, capsule.origin), found.reals


def sealed(capsule: Capsule) -> Capsule | None:
    """Return a sealed capsule of the same state; None where it is not closed."""
    state = state_in_c(capsule.state)
    found = _counted_rest(state)
    if state is None or found is None:
        return None
    births = found.objects + (found.procedures > 0)  # those of Python's procedures have one environment
    own = Rest(state, capsule.state.made, sealed=Contents(found.reals, births))
    return Capsule(own, capsule.engine, capsule.open_tags, capsule.origin)


class Counted(NamedTuple):
    """Counts what a state reaches, as ClosedCounts of C does."""

    reals: int
    objects: int
    procedures: int


def is_closed(state: State | None) -> bool:
    """Return whether C can resume a state as it is."""
    return _counted_rest(state) is not None


def _counted_rest(state: State | None) -> Counted | None:
    """Return how much a capsule's state reaches; None if it is not closed, or nothing is left to resume."""
    return None if state is None or state.finished else _counted(state)


def _counted(state: State) -> Counted | None:
    """Return how much a state reaches; None if it is not closed."""
    module = runtime()
    counts = module.ffi.new("size_t[3]")
    if not _is_done(state.heap, module.lib.ck_closed_count(state.held, counts)):
        return None
    return Counted(*counts)


def begun(heap: Heap, u: Any, tags: int) -> State | None:
    """Return the start of a run that resumes a closed capsule; None if `u` is none of one."""
    capsule = u.cdr if type(u) is Pair else None
    if type(capsule) is not Capsule or not capsule.is_closed:
        return None
    module = runtime()
    copy = module.ffi.new("Held **")
    u.birth, capsule.birth = 1, CAPSULE_BIRTH
    state = capsule.state.in_c
    outcome = module.lib.ck_closed_copy(heap.held, state.held, CAPSULE_BIRTH + 1, tags, copy)
    if not _is_done(heap, outcome):
        raise InternalError("a closed capsule cannot be resumed")
    return State(heap, heap.got(copy[0]))


def received(start: State, cotangent: Cotangent, count: int) -> list[float] | None:
    """Return the cotangents of the reals of a state, so many, as new floats; None if it is not closed."""
    module = runtime()
    reals = module.ffi.new("double[]", count)
    if not _is_done(start.heap, module.lib.ck_closed_received(cotangent.held, start.held, reals, count)):
        return None
    found: list[float] = module.ffi.unpack(reals, count)
    return found


def received_all(state: State, cotangent: Cotangent) -> list[float] | None:
    """Return the same of all reals that there are in it."""
    found = None if state.start is not None or state.tags else _counted(state)
    return None if found is None else received(state, cotangent, found.reals)


def given(end: State, numbers: Sequence[Any]) -> Cotangent | None:
    """Return the cotangent of a state from those of its capsule's reals; None if that is not closed."""
    if end.start is not None or end.tags or not _REAL.issuperset(map(type, numbers)):
        return None
    module = runtime()
    result = Cotangent(end, (0.0,) * module.lib.ck_state_values(end.held))
    reals = module.ffi.from_buffer("double[]", array("d", numbers))
    outcome = module.lib.ck_closed_give(result.held, end.held, reals, len(numbers))
    return result if _is_done(end.heap, outcome) else None


def seeded(end: State, cotangent: Any) -> Cotangent | None:
    """Return the cotangent of the end of a run whose value is a sealed capsule; None: Python must read it."""
    value = end.value
    if not is_sealed(value):
        return None
    check_opaque(value, value.sealed.reals, cotangent, COTANGENT)
    if not _REAL.issuperset(map(type, cotangent.numbers)):
        return None
    result = Cotangent(end, (0.0,))
    result.sealed.give(value, array("d", [0.0 + number for number in cotangent.numbers]))
    return result


def _is_done(heap: Heap, outcome: int) -> bool:
    lib = runtime().lib
    if outcome == lib.CLOSED_NO_MEMORY:
        raise heap.full()
    return bool(outcome == lib.CLOSED)
