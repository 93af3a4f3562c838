"""Loops over lanes as single calls of a trace: what plans of gradients have in place of lanes.

In: a loop over lanes, as a closure that has all that lanes share, and the columns of items: arrays of
float64 with one axis. Out: the array of the results, one call in the trace, whose pullback is one, too. Both
are the engine's (driver/engine.py, LaneGradient). Whoever learns a plan says so by `learning`.

What always holds: a loop becomes a call only if its closure has no arrays and no duals, so that a plan may
keep it. The reals in it are constants of such a call, so the trace's run counts only if the trace is not
refused, which it is where one is made of elements, or has a cotangent that is wanted. NotLearnt ends the run
of a trace that is refused; NotAtOnce one whose loop the engine refuses. No program handles them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from checkpoint.ad.array_library import defaults
from checkpoint.ad.arrays import Array, Native
from checkpoint.ad.graph import enter, highest_tag_among, reach, replace
from checkpoint.ad.numbers import Dual, real_part
from checkpoint.ad.record import VARIADIC, Purity
from checkpoint.ad.tensors import ALWAYS, Tensor, apply
from checkpoint.ad.tracing.traces import FORMS, PARTS, refuse, tracing
from checkpoint.driver.engine import LaneGradient, LaneTape
from checkpoint.errors import InternalError

Make = Callable[[Any], LaneGradient | None]
_learning: ContextVar[Make | None] = ContextVar("checkpoint.lanes_at_once", default=None)


class NotAtOnce(Exception):
    """Raised where an engine refuses a loop over lanes: it may take it another time."""


class NotLearnt(Exception):
    """Raised for a loop over lanes that can be no call of a trace."""


class Loop:
    """A loop over lanes as an operand. gradient: the engine's part."""

    __slots__ = ("gradient",)

    def __init__(self, gradient: LaneGradient) -> None:
        self.gradient = gradient

    def run(self, columns: Sequence[Any], wanted: Sequence[int]) -> LaneTape:
        """Return the results and the tape of all lanes. wanted: whose columns' cotangents are wanted."""
        tape = self.gradient.tape(columns, wanted)
        if tape is None:
            raise NotAtOnce
        return tape


class Saved:
    """The saved part of a loop, for its pullback. tape: the engine's."""

    __slots__ = ("tape",)

    def __init__(self, tape: LaneTape) -> None:
        self.tape = tape


FORMS.add(Loop)
PARTS.add(Saved)


@contextmanager
def learning(make: Make | None) -> Iterator[None]:
    """Have loops over lanes become calls of traces. make: returns the engine's part; None: they do not."""
    token = _learning.set(make)
    try:
        yield
    finally:
        _learning.reset(token)


def are_learnt() -> bool:
    """Return whether loops over lanes become calls of the present trace; if not, it is refused."""
    if _learning.get() is not None and tracing.get() is not None:
        return True
    refuse("lanes")
    return False


def at_once(_: Any, loop: Any, arrays: Any, out_axes: Any) -> Any:
    """Return the results of a loop over lanes as one call of the present trace."""
    make, trace = _learning.get(), tracing.get()
    assert make is not None
    assert trace is not None
    columns = [pair.items[0] for pair in arrays.items]
    closure = _constant(loop) if type(out_axes) is int and out_axes in (0, -1) else None
    if trace.refusal or closure is None or not all(map(_is_column, columns)):
        raise NotLearnt
    gradient = make(closure)
    if gradient is None:
        raise NotAtOnce
    trace.has_lanes = True
    return apply(ALWAYS, _RECORD, (Native(Loop(gradient)), *columns))


def _is_column(x: Any) -> bool:
    if type(x) is Dual or type(real_part(x)) is not Array:
        return False
    data, xp = real_part(x).data, defaults[0]
    return type(data) is xp.ndarray and data.ndim == 1 and data.dtype == xp.float64


def _constant(loop: Any) -> Any:
    """Return a loop, with reals on no tape, as a closure that no run has entered; None: it has others."""
    found, others = reach(loop)
    plain = [real_part(x) for x in found]
    if any(type(x) is Dual or type(y) is not float for x, y in zip(found, plain, strict=True)):
        return None
    return None if highest_tag_among(others) else enter(replace(loop, found, plain), True)


def _value(xp: Any, loop: Loop, *columns: Any) -> Any:
    return loop.run(columns, ()).results


def _saves(xp: Any, wanted: Sequence[int], loop: Loop, *columns: Any) -> tuple[Any, tuple[Saved]]:
    tape = loop.run(columns, [i - 1 for i in wanted])
    return tape.results, (Saved(tape),)


def _pull(
    xp: Any, wanted: Sequence[int], g: Any, y: Any, saved: tuple[Saved], loop: Loop, *columns: Any
) -> list[Any]:
    found = saved[0].tape.reverse(xp.ascontiguousarray(g))
    if found is None:
        raise NotAtOnce
    return list(found)


def _jvp(*_: Any, **__: Any) -> Any:
    raise InternalError("a loop over lanes of a trace has tangents")


_RECORD = Tensor(
    name="lanes at once",
    arity=VARIADIC,
    purity=Purity.MAY_FAIL,
    doc="a loop over lanes as one call",
    value=_value,
    saves=_saves,
    pull=_pull,
    jvps=(None, _jvp),
    variadic=True,
    shape="(n,), (n,), ... -> (n,)",
    samples=lambda rng: [],
)  # of no program: steps of traces alone
