"""Check that the order of requests to one program changes nothing: counts, gradients by several schedules,
tangents, interrupted and resumed runs, again and again in one process, while engine c translates to C what it
meets on the way. Each must give on c what it gives on hybrid, to the last bit.

In: a Subject, and choices. Out: the number of actions, or a Disagreement that names them in their order.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from checkpoint.driver.binomial import Binomial
from checkpoint.driver.schedule import Bisection, Plain
from experiments.random.agree import LONG, Disagreement, Told, action_of, compare, of_pairs, told
from experiments.random.kinds import Subject
from tests.python.agreement import TooLong

ACTIONS = 7  # of one program
Action = Callable[[str], Any]  # what it gives on an engine


def check(subject: Subject, random: Random) -> int:
    """Do some actions on engine c, in an order that is drawn; return how many."""
    try:
        subject.natively()
    except TooLong:
        return 0
    whole = told(action_of(subject.whole, "hybrid"))
    steps = whole.value[1] if whole.error is None else 8
    if steps > LONG:
        return 0
    done: list[str] = []
    known: dict[str, Told] = {}
    for _ in range(ACTIONS):
        name, action, differ = _drawn(subject, steps, random)
        done.append(name)
        if name not in known:
            known[name] = told(action_of(action, "hybrid"))
        try:
            compare(name, known[name], told(action_of(action, "c")), differ)
        except Disagreement as error:
            raise Disagreement(f"{error}, after {done}") from error
    return ACTIONS


def _drawn(subject: Subject, steps: int, random: Random) -> tuple[str, Action, Any]:
    """Return an action, its name, and how what it gives is compared."""
    cut = random.randint(0, steps)
    schedules = (
        Plain(),
        Bisection(random.choice((1, 7, 30, max(1, steps // 3)))),
        Binomial(snapshots=random.choice((1, 3))),
        Binomial(base=random.choice((5, 40))),
    )
    kind = random.choice(("whole", "vjp", "vjp", "vjp", "jvp", "resumed", "reversed"))
    if kind == "vjp":
        schedule = random.choice(schedules)
        return f"vjp by {schedule}", lambda engine: subject.vjp(engine, schedule), of_pairs(subject)
    if kind == "jvp":
        return kind, subject.jvp, of_pairs(subject)
    if kind == "resumed":
        return f"resumed at {cut}", lambda engine: _resumed(subject, engine, cut), subject.differ
    if kind == "reversed":
        return f"reversed from {cut}", lambda engine: _reversed(subject, engine, cut), of_pairs(subject)
    return kind, subject.whole, of_pairs(subject)


def _resumed(subject: Subject, engine: str, cut: int) -> Any:
    return subject.rest(subject.cut(engine, cut), engine)


def _reversed(subject: Subject, engine: str, cut: int) -> Any:
    """Return the value of the rest, and the capsule's cotangent with its numbers alone."""
    value, cotangent = subject.of_capsule(subject.cut(engine, cut), engine)
    return value, cotangent
