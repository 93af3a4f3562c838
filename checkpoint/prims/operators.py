"""Primitives that run programs: derivatives and resumption.

`j*` and `resume` are part of the run; every engine's machine performs them. The others, with those of
interruption.py, are one step each, and run a program within it:

    (*j f x y-cotangent)         (y . x-cotangent) by plain taping
    (checkpoint-*j ...)          the same by divide and conquer
    (py.gradient f x ... by)     the same where only parts of the tuple x-cotangent are read

Their schedules are fixed. A bound on the memory of a gradient around them (checkpoint.driver.budget) counts
their memory as that of one step.

Nesting needs one operation, `gradient`, at a level (checkpoint.driver.engine). Write u for (f . x), J for
the Jacobian at u, and G(u, w) = (f u . J w), the directional derivative, which is one level up.
`gradient` at cotangent v gives (y . u-cotangent), u-cotangent = v J. Then:
- forward: with tangents u', v', the tangent of v J is the u-part of the gradient of G at (u . u') with
  cotangent (v' . v), whose u'-part is v J itself;
- reverse: with cotangents (a . w) of (y . v J), v receives J w, and u receives the u-part of the
  gradient of G at (u . w) with cotangent (a . v): one run gives both.
So a tape never holds a tape, and all nesting is one tape over nested duals (docs/design/derivatives.md).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from checkpoint import config
from checkpoint.ad.activity import enter_as_constants, zeros_unless_in
from checkpoint.ad.arrays import Native
from checkpoint.ad.containers import Record
from checkpoint.ad.graph import enter, numbers, renew, replace
from checkpoint.ad.numbers import (
    NUMBERS,
    Block,
    Dual,
    Node,
    Number,
    components,
    highest_tag,
    one,
    with_components,
    without_tape,
)
from checkpoint.ad.record import PYTHON_FAILURES, Control, Data, Operator, Purity, register
from checkpoint.ad.tangent import cotangent_of, match, nothing_of, split, tangent_of
from checkpoint.ad.values import Pair
from checkpoint.dataclass import dataclass
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Engine, driver_of
from checkpoint.driver.execute import Sweep
from checkpoint.driver.finals import Finals
from checkpoint.driver.observe import observers
from checkpoint.driver.outside import NOTHING, Outside, Wanted, outside
from checkpoint.driver.raised import Raised
from checkpoint.driver.schedule import Bisection, Plain, Schedule, weighs
from checkpoint.errors import InternalError


@dataclass
class Context:
    """What a run inside a step needs of the run around it.

    engine: runs it. tags: the lowest tag that is free; raised past those that the inner run used.
    effects: the log of what is printed.
    """

    engine: Engine
    tags: int
    effects: Effects


def gradient(
    context: Context, level: int, schedule: Schedule, u: Any, v: Any, by: Collection[int] | None = None
) -> Pair:
    """Return (y . u-cotangent) of a run at `level`, for the cotangent v of y; u, v may hold any numbers.

    by: the positions of the elements of x, a tuple, of which alone the cotangents are read; None: of all. The
        others receive what stands for nothing, unless a derivative of the result may read it.
    """
    operands = enter(Pair(u, v))
    found = numbers(operands)
    tag = highest_tag(found)
    if tag is not None:
        return _gradient_forward(context, level, schedule, operands, tag, by)
    if any(type(number) is Node for number in found):
        return _gradient_on_tape(context, level, schedule, operands, found, by)
    return _gradient_of_floats(context, level, schedule, operands, by)


# What takes the gradient of a run: `swept`, or what stands in its place (checkpoint.durable.journal).
Swept = Callable[..., tuple[Any, list[Any]]]


def reverse_sweep(
    context: Context,
    level: int,
    schedule: Schedule,
    u: Any,
    cotangent_of: Callable[[Any], Any],
    found: Sequence[Number] | None = None,
    finals: Finals | None = None,
    by: Swept | None = None,
) -> Pair:
    """Return (y . u-cotangent) for an entered `u` of floats; `cotangent_of(y)` is the cotangent of y.

    found: the numbers in u, where they are known. by: takes the gradient; None: `swept` does.
    """
    found = numbers(u) if found is None else found
    value, contributions = (by or swept)(context, level, schedule, u, found, cotangent_of, finals)
    return Pair(renew(value), tangent_of(u, contributions, found))


def swept(
    context: Context,
    level: int,
    schedule: Schedule,
    u: Any,
    found: Sequence[Number],
    cotangent_of: Callable[[Any], Any],
    finals: Finals | None = None,
    wanted: Wanted | None = None,
) -> tuple[Any, list[Any]]:
    """Return y, with the run's own locations, and the cotangents of `found`, its numbers, as new numbers.

    In the place of the cotangent of an array that entered as a constant is the array: nobody reads it. Of one
    that was reported by `finals` it is None. wanted: of which numbers alone cotangents are returned.
    """
    engine = context.engine
    start = engine.start(level, u, context.tags)
    own = driver_of(engine)
    if own is not None and wanted is not None:
        own.ignore(start, wanted.positions)
    sweep = Sweep(
        engine,
        context.effects,
        seed=seed_of(engine, cotangent_of, start, wanted),
        outside=outside_of(engine, schedule, start, u, found, finals, wanted),
        finals=finals,
    )
    end, cotangent = sweep.run(start, schedule)
    context.tags = max(context.tags, end.tags)
    within = None
    if wanted is not None:
        found, within = wanted.found, wanted.positions
    accumulators = engine.argument_cotangents(start, cotangent, found, within)
    if finals is None:
        return end.value, engine.results(accumulators, found)
    return end.value, finals.not_reported(accumulators, found)


def seed_of(
    engine: Engine, cotangent_of: Callable[[Any], Any], start: Any, wanted: Wanted | None
) -> Callable[[Any], Any]:
    """Return what makes the cotangent of the end of a run from `start`."""
    own = driver_of(engine)

    def seed(end: Any) -> Any:
        cotangent = engine.seed(end, cotangent_of(end.value))
        if own is not None and wanted is not None:
            own.restrict(cotangent, start, wanted.positions)
        return cotangent

    return seed


def outside_of(
    engine: Engine,
    schedule: Schedule,
    start: Any,
    u: Any,
    found: Sequence[Number],
    finals: Finals | None = None,
    wanted: Wanted | None = None,
) -> Outside:
    """Return what the sweep does not count; results that are reported on the way are counted.

    Engines that live in Python, which estimate what they hold, never count results.
    """
    if not weighs(schedule) and not observers():
        return NOTHING
    objects = max(getattr(start, "births", 1) - 1, 0)  # interp gives none
    theirs = outside(u, found, objects, wanted)
    return theirs if finals is None or driver_of(engine) is None else theirs._replace(results=0)


def _gradient_of_floats(
    context: Context, level: int, schedule: Schedule, operands: Pair, by: Collection[int] | None
) -> Pair:
    if by is not None:
        enter_as_constants(*_parted(operands.car, level, by))
    return reverse_sweep(context, level, schedule, operands.car, lambda y: completed(y, operands.cdr, level))


def _parted(u: Any, level: int, by: Collection[int]) -> tuple[list[Any], list[Any]]:
    """Return the elements of x, and tangents at a level, whose cotangents nobody reads, and the others."""
    if not level:
        items = list(enumerate(u.cdr.items))
        return [part for i, part in items if i not in by], [part for i, part in items if i in by]
    (unread, read), (more, others) = (_parted(each, level - 1, by) for each in (u.car, u.cdr))
    return unread + more, read + others


def completed(y: Any, v: Any, level: int) -> Any:
    """Return the cotangent of y at a level; UNIT stands for 1 at level 0, and has no tangent at others."""
    if level:
        primal = completed(y.cdr, v.cdr, level - 1)
        return Pair(_with_zeros(primal, v.car, level - 1), primal)
    cotangent = one(y) if v == UNIT and type(y) in NUMBERS else None
    return v if cotangent is None else cotangent


def _with_zeros(primal: Any, tangent: Any, level: int) -> Any:
    """Return a tangent at a level, with zeros in the place of None, which is the tangent of UNIT."""
    if tangent is None:
        return nothing_of(primal)
    if not level:
        return tangent
    parts = zip(primal.parts(), tangent.parts(), strict=True)
    return Pair(*[_with_zeros(part, other, level - 1) for part, other in parts])


def _matched(v: Any, received: Any, level: int) -> list[tuple[Number, Number]]:
    """Return the numbers of a cotangent at a level with what they have received; UNIT has none."""
    if v is None or v == UNIT:
        return []
    if not level:
        return match(v, received, "cotangent")
    return _matched(v.car, received.car, level - 1) + _matched(v.cdr, received.cdr, level - 1)


def _gradient_forward(
    context: Context,
    level: int,
    schedule: Schedule,
    operands: Pair,
    tag: int,
    by: Collection[int] | None,
) -> Pair:
    unread = [] if by is None else _parted(operands.car, level, by)[0]
    primal, tangent = split(operands, tag, zeros_unless_in([*unread, operands.cdr]))
    outcome = gradient(
        context, level + 1, schedule, Pair(primal.car, tangent.car), Pair(tangent.cdr, primal.cdr), by
    )
    values, cotangents = outcome.car, outcome.cdr
    result = Pair(values.car, cotangents.cdr)
    tangents = match(result, Pair(values.cdr, cotangents.car), "tangent")
    duals = {id(number): Dual(tag, number, other) for number, other in tangents}
    found = numbers(result)
    dual: Pair = replace(result, found, [duals[id(number)] for number in found])
    return dual


def _gradient_on_tape(
    context: Context,
    level: int,
    schedule: Schedule,
    operands: Pair,
    found: list[Number],
    by: Collection[int] | None,
) -> Pair:
    primal = replace(operands, found, [without_tape(number) for number in found])
    result = _gradient_of_floats(context, level, schedule, primal, by)
    later = Context(context.engine, context.tags, context.effects)

    def pullback(adjoints: list[Number]) -> list[Number]:
        cotangent = cotangent_of(result, adjoints)
        outcome = gradient(
            later,
            level + 1,
            Bisection(base=config.base()),
            Pair(primal.car, cotangent.cdr),
            Pair(cotangent.car, primal.cdr),
        )
        of_u = match(primal.car, outcome.cdr.car, "cotangent")
        return [number for _, number in of_u + _matched(primal.cdr, outcome.car.cdr, level)]

    taped: Pair = onto_tape(result, found, pullback)
    return taped


def onto_tape(result: Any, inputs: list[Number], pullback: Any) -> Any:
    """Return the result with its numbers on the tape of the inputs, as one block."""
    tape = tape_of(inputs)
    found = numbers(result)
    taped = [with_components(number, tape.leaf) for number in found]
    tape.entries.append(Block(components(taped), inputs, pullback))
    return replace(result, found, taped)


def tape_of(inputs: Sequence[Number]) -> Any:
    """Return the tape of the first node among the inputs of a step."""
    return next(number.tape for number in inputs if type(number) is Node)


def raising(operator: Callable[..., Any]) -> Callable[..., Any]:
    """Return the operator with exceptions that carry the derivatives taken around it.

    The operator ran on floats or on a tape of its own; where what was raised holds numbers, f is run
    once more, on x as it was given, and raises the same with the right numbers.
    """

    def value(context: Context, f: Any, x: Any, *more: Any) -> Any:
        try:
            return operator(context, f, x, *more)
        except Raised as raised:
            if not numbers(raised.value):
                raise
        engine = context.engine
        engine.advance(engine.start(0, enter(Pair(f, x)), context.tags), None, context.effects)
        raise InternalError("a run that raised did not raise again")

    return value


def _reverse(schedule: Schedule | None) -> Any:
    def value(context: Context, f: Any, x: Any, cotangent: Any) -> Pair:
        outcome = gradient(context, 0, schedule or Bisection(base=config.base()), Pair(f, x), cotangent)
        return Pair(outcome.car, outcome.cdr.cdr)

    return value


def _gradient_by(context: Context, f: Any, x: Any, cotangent: Any, argnums: Any) -> Pair:
    by = _positions(argnums, len(x.items)) if type(x) is Record else None
    outcome = gradient(context, 0, Bisection(base=config.base()), Pair(f, x), cotangent, by)
    return Pair(outcome.car, outcome.cdr.cdr)


def _positions(argnums: Any, count: int) -> Collection[int] | None:
    """Return the positions that `argnums` names among so many arguments; None where it names no such."""
    found = argnums.items if type(argnums) is Record else (argnums,)
    if any(type(i) is not int or not -count <= i < count for i in found):
        return None
    return frozenset([i % count for i in found])


UNIT = Native("the cotangent 1")
register(
    Data(
        name="py.unit",
        failures=PYTHON_FAILURES,
        arity=0,
        purity=Purity.PURE,
        doc="as a cotangent, 1 for a value that is one number",
        value=lambda: UNIT,
    )
)


register(
    Operator(
        name="*j",
        arity=3,
        purity=Purity.MAY_FAIL,
        doc="(y . x-cotangent), by plain reverse mode",
        value=raising(_reverse(Plain())),
        derivative="forward and reverse by the gradient of the directional derivative",
    )
)
register(
    Operator(
        name="checkpoint-*j",
        arity=3,
        purity=Purity.MAY_FAIL,
        doc="(y . x-cotangent), by divide and conquer",
        value=raising(_reverse(None)),
        derivative="forward and reverse by the gradient of the directional derivative",
    )
)
register(
    Operator(
        name="py.gradient",
        arity=4,
        purity=Purity.MAY_FAIL,
        doc="(y . x-cotangent) by divide and conquer, of a tuple x that at some positions only",
        value=raising(_gradient_by),
        derivative="that of checkpoint-*j: forward and reverse all positions count",
    )
)
register(
    Control(
        name="j*",
        arity=3,
        purity=Purity.MAY_FAIL,
        doc="(y . y-tangent), by forward mode, as part of the run",
        derivative="its duals are numbers like others",
    )
)
register(
    Control(
        name="resume",
        arity=1,
        purity=Purity.MAY_FAIL,
        doc="run the rest that a capsule holds, as part of the run",
        derivative="that of the steps that it runs",
    )
)
