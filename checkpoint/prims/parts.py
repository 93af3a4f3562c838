"""Parts of a sum that run side by side, each a run of its own, all of them one step.

    (py.are-beside workers)          whether a sum's parts can be given to these: threads, or their number
    (py.part-summands n)             how many of n items are in one part: a power of two
    (py.sums-of-parts f parts workers)   (f part) of each part, in a tuple

In: a procedure, parts that share nothing, and workers. Out: what the procedure returns for each part; under a
tape one block, which runs the parts again, side by side, and reverses them. What always holds: values,
cotangents, prints and the first error are those of the parts run one after another, whoever runs them and
how many there are; how many parts there are depends on the number of items alone, and so do steps. A part
may not draw from generators outside of the program: which part would come first?

Numbers are those of any kind, as prims/operators.py has them: of duals the parts run one level up, a tape is
looked through, and reversal is the gradient of each part for its own cotangent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from checkpoint import config
from checkpoint.ad.containers import TUPLE, Record
from checkpoint.ad.graph import enter, numbers, renew, replace
from checkpoint.ad.numbers import Dual, Node, Number, highest_tag, without_tape
from checkpoint.ad.tangent import cotangent_of, match, split
from checkpoint.ad.values import Pair, Unusable
from checkpoint.driver.budget import Budget
from checkpoint.driver.effects import Effects
from checkpoint.driver.observe import observed
from checkpoint.driver.raised import Raised
from checkpoint.driver.schedule import Bisection
from checkpoint.errors import BudgetError, RunError
from checkpoint.prims.completion import complete
from checkpoint.prims.operators import Context, gradient, onto_tape
from checkpoint.prims.python.support import operator, rearrange

MOST_PARTS = 128  # less than that, of as many items: enough for all cores of a machine
SUMMED = "summed"  # what messages name
REVERSAL = "64MiB"  # of one part, beside its arguments; bisection takes over where that is too little

Job = Callable[[], Any]
Leaves = tuple[str, Job]  # what a job has printed, and what returns its value, or raises what it raised


class Performer:
    """Who does jobs side by side; checkpoint.api.ensembles says it.

    accepts: returns whether workers share this process; RunError for what is no workers at all.
    perform: yields what jobs leave, in their order.
    """

    accepts: Callable[[Any], bool]
    perform: Callable[[Any, Sequence[Job]], Iterator[Leaves]]


def _workers_of(value: Any) -> Any:
    """Return workers as the caller has them: a back end is held by reference in a program."""
    return value.thing if type(value) is Unusable else value


def _are_beside(_: Any, workers: Any) -> bool:
    return Performer.accepts(_workers_of(workers))


def _part_summands(_: Any, count: Any) -> int:
    return 1 << max(int(count) * 2 // MOST_PARTS, 1).bit_length() - 1


def _sums_of_parts(context: Context, f: Any, parts: Any, workers: Any) -> Record:
    us = [enter(Pair(f, part)) for part in parts.items]
    run = _SideBySide(context, partial(Performer.perform, _workers_of(workers)))
    try:
        return Record(TUPLE, tuple(run.values(0, us)))
    except _PartRaised as failed:
        if numbers(failed.raised.value):  # which has the derivatives around it if it is raised on these
            engine = context.engine
            engine.advance(engine.start(0, us[failed.part], context.tags), None, context.effects)
        raise failed.raised from None


class _PartRaised(Exception):
    """A part has raised what it may handle. part: its index."""

    def __init__(self, part: int, raised: Raised) -> None:
        super().__init__(part, raised)
        self.part = part
        self.raised = raised


class _SideBySide:
    """The parts of one step. perform: does jobs, and yields what they leave."""

    def __init__(self, context: Context, perform: Callable[[Sequence[Job]], Iterator[Leaves]]) -> None:
        self.context = context
        self.perform = perform

    def values(self, level: int, us: list[Any]) -> list[Any]:
        """Return the values of runs at a level, whose arguments may hold any numbers."""
        found = [numbers(u) for u in us]
        tag = highest_tag([number for each in found for number in each])
        if tag is not None:
            return self._forward(level, us, tag)
        if any(type(number) is Node for each in found for number in each):
            return self._on_tape(level, us, found)
        return self._of_floats(level, us)

    def _of_floats(self, level: int, us: list[Any]) -> list[Any]:
        values = []
        for i, value in enumerate(self._left(level, us)):
            try:
                found, last = value()
            except Raised as raised:
                raise _PartRaised(i, raised) from None
            self.context.tags = max(self.context.tags, last)
            values.append(found)
        return values

    def _left(self, level: int, us: list[Any]) -> Iterator[Callable[[], tuple[Any, int]]]:
        """Yield for each part what returns its value and last tag, or raises, after what it has printed.

        A run that has begun again repeats what it had printed and read one after another.
        """
        effects, run = self.context.effects, partial(self._run, level, self.context.tags)
        if effects.log.earlier:
            yield from [partial(run, u, effects.inside(i)) for i, u in enumerate(us)]
            return
        logs = [effects.inside(i).apart() for i in range(len(us))]
        jobs = list(map(partial, [run] * len(us), us, logs))
        for log, (text, value) in zip(logs, self.perform(jobs), strict=True):
            effects.join(log, text)
            yield value

    def _run(self, level: int, tags: int, u: Any, effects: Effects) -> tuple[Any, int]:
        engine = self.context.engine
        end = engine.advance(engine.start(level, u, tags), None, effects)
        return renew(complete(end.value, engine, end.tags, SUMMED)), end.tags

    def _forward(self, level: int, us: list[Any], tag: int) -> list[Any]:
        """Return the values on duals with this tag: of the runs one level up."""
        raised = [Pair(*split(u, tag)) for u in us]
        return [_dual(pair, tag) for pair in self.values(level + 1, raised)]

    def _on_tape(self, level: int, us: list[Any], found: list[list[Number]]) -> list[Any]:
        primals = [
            replace(u, mine, [without_tape(number) for number in mine])
            for u, mine in zip(us, found, strict=True)
        ]
        results = tuple(self._of_floats(level, primals))
        later = Context(self.context.engine, self.context.tags, self.context.effects)

        def pullback(adjoints: list[Number]) -> list[Number]:
            seeds = cotangent_of(results, adjoints)
            pairs = enumerate(zip(primals, seeds, strict=True))
            jobs = [partial(_reversed, later, i, level, u, seed) for i, (u, seed) in pairs]
            received = []
            for u, (_, value) in zip(primals, self.perform(jobs), strict=True):
                received += [number for _, number in match(u, value(), "cotangent")]
            return received

        return list(onto_tape(results, [number for each in found for number in each], pullback))


def _dual(pair: Any, tag: int) -> Any:
    """Return a value on duals from a pair of it and its tangent."""
    duals = {id(number): Dual(tag, number, other) for number, other in match(pair.car, pair.cdr, "tangent")}
    found = numbers(pair.car)
    return replace(pair.car, found, [duals[id(number)] for number in found])


def _reversed(later: Context, part: int, level: int, u: Any, seed: Any) -> Any:
    """Return the cotangents of a part; it prints nothing, since it has been run before."""
    with observed(()):
        for schedule in (Budget(REVERSAL), Bisection(base=config.base())):
            context = Context(later.engine, later.tags, later.effects.inside(part))
            try:
                return gradient(context, level, schedule, u, seed).cdr
            except BudgetError:
                continue
    raise RunError("bisection needs no budget")


rearrange(
    *("are-beside", 1, "whether workers run parts of a sum in this process", _are_beside, ()), discrete=True
)
rearrange(
    *("part-summands", 1, "how many of so many items are summed in one part", _part_summands, ()),
    discrete=True,
)
operator(
    *("sums-of-parts", 3, "what f returns for each part, in a tuple, run side by side", _sums_of_parts),
    "forward by the parts on duals, reverse by the gradients of the parts",
)
