"""Check a program in ways that are drawn: each program costs little, and over many every pair is met often.

In: a Subject, and choices. Out: how its run ends, or a Disagreement. Always compared, to the last bit: what
Python does and what each engine does, its steps, and the texts and places of its errors. Drawn: where and on
which engine a run is cut, and which engine runs the rest; a schedule for each engine, whose gradients are
compared with that of another engine and schedule; engines in forward mode, whose directional derivative is
compared with the gradient; now and then, differences. Each is counted by name.
"""

from __future__ import annotations

import math
from collections import Counter
from random import Random

from checkpoint.driver.binomial import Binomial
from checkpoint.driver.schedule import Bisection, Plain, Schedule
from checkpoint.errors import CheckpointError
from experiments.random.agree import (
    ENGINES,
    REFUSED,
    Disagreement,
    Told,
    action_of,
    alike,
    budgeted,
    check_capsules,
    compare,
    of_pairs,
    told,
)
from experiments.random.kinds import OfObjects, shown
from tests.python.agreement import TooLong, check_differences

LONG = 30_000  # steps; of longer runs only the ends are compared
CYCLE = "contains itself"
PIECES = {"interp": 8, "hybrid": 16, "c": 60}  # in which a run is reversed at most


def check(subject: OfObjects, random: Random, met: Counter[str]) -> str:
    """Return how the run ends, once all that is drawn has agreed; count it in `met`."""
    try:
        native = subject.natively()
    except TooLong:
        return "long"
    end = alike("run", {name: action_of(subject.whole, name) for name in ENGINES}, of_pairs(subject))["c"]
    value, steps = end.value or (None, random.choice((2, 8, 30, 100)))
    whole = Told(value, end.error, end.written, end.unread)
    if isinstance(end.error, CheckpointError) and any(
        text in str(end.error) for text in (*REFUSED, CYCLE, "with __slots__ and a __setattr__")
    ):
        return "refused"
    if native is not None and not subject.same_outcomes(native, whole.outcome):
        where = "".join(map(str, getattr(end.error, "trace", ())))
        ours = f"{shown(value)} {end.error!r} printed {end.written!r} {where}"
        raise Disagreement(
            f"Python: {shown(native.value)} {native.error!r} printed {native.text!r}; we: {ours}"
        )
    if steps > LONG:
        return "long"
    _check_cut(subject, random, steps, whole, met)
    if end.error is not None:
        return "error"
    gradient = _check_gradients(subject, random, steps, met)
    _check_forward(subject, random, gradient, met)
    if random.random() < 0.1:
        met["differences"] += 1
        _check_differences(subject)
    return "value"


def _check_cut(subject: OfObjects, random: Random, steps: int, whole: Told, met: Counter[str]) -> None:
    """Check that a run in two parts, on engines that are drawn, is the run."""
    first = random.choice(ENGINES)
    other = first if first == "interp" else random.choice(ENGINES[1:])
    at = random.randint(0, steps)
    met[f"cut on {first}, rest on {other}"] += 1
    capsules = {}

    def parted() -> object:
        capsules[first] = z = subject.cut(first, at)
        return subject.rest(z, other)

    found = told(parted)
    if whole.error is None or capsules:
        compare(f"cut at {at} on {first}, rest on {other}", whole, found, subject.differ)
    if whole.error is None and random.random() < 0.3:
        met["gradients of capsules"] += 1
        hybrid, c = (told(action_of(subject.cut, name, at)).value for name in ("hybrid", "c"))
        check_capsules(subject, hybrid, c, whole)


def _check_gradients(subject: OfObjects, random: Random, steps: int, met: Counter[str]) -> Told:
    """Check that a schedule on each engine gives one gradient with another engine's, and return it."""
    base = random.choice(ENGINES)
    chosen: dict[str, Told] = {}
    for engine in (base, *ENGINES):
        schedule = None if not chosen and random.random() < 0.5 else _schedule(random, engine, steps)
        kind = "Budget" if schedule is None and chosen else type(schedule or Plain()).__name__
        met[f"{engine}, {kind}"] += 1
        name = f"{engine}, {schedule or kind}"
        if kind == "Budget":
            chosen[name] = budgeted(subject, engine, int(10 ** random.uniform(4, 6)), _length(random, steps))
        else:
            chosen[name] = told(action_of(subject.vjp, engine, schedule or Plain()))
    first, *others = chosen
    for other in others:
        compare(f"gradient, {first} and {other}", chosen[first], chosen[other], of_pairs(subject))
    return chosen[first]


def _schedule(random: Random, engine: str, steps: int) -> Schedule | None:
    """Return a schedule, or None for a budget; least: pieces as small as an engine reverses quickly."""
    least = max(1, steps // PIECES[engine])
    return random.choice(
        (
            Plain(),
            Bisection(max(least, random.choice((1, 3, 8, 30, steps // 10)))),
            Bisection(max(least, steps // 3)),
            Binomial(snapshots=random.choice((1, 2, 5)), base=max(least, random.choice((5, 40)))),
            Binomial(base=max(least, random.choice((2, 40)))),
            None,
        )
    )


def _length(random: Random, steps: int) -> int | None:
    """Return the length of a run as a budget is told it: right, wrong or not known."""
    return random.choice((None, max(steps, 1), random.randint(1, 2 * steps + 1)))


def _check_forward(subject: OfObjects, random: Random, gradient: Told, met: Counter[str]) -> None:
    """Check that two engines give one tangent, and that it fits the gradient."""
    pair = random.sample(ENGINES, 2)
    met[f"forward on {' and '.join(sorted(pair))}"] += 1
    found = alike(
        "forward mode", {name: action_of(subject.forward, name) for name in pair}, of_pairs(subject)
    )
    forward = found[pair[0]]
    if forward.error is not None or gradient.error is not None or forward.value[2] is None:
        return
    one, other, scale = forward.value[2], *subject.weighted(gradient.value[1])
    scale += abs(one)
    if math.isfinite(scale) and scale < 1e100 and abs(one - other) > 1e-7 * max(1.0, scale):
        raise Disagreement(f"forward mode gives {one}, reverse mode {other}")


def _check_differences(subject: OfObjects) -> None:
    try:
        check_differences(subject.function, subject.args)
    except AssertionError as error:
        raise Disagreement(str(error)) from error
