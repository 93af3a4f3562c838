"""Check that the engines agree on one program: value or exception, steps, cuts, derivatives, printed text.

In: a Subject, and choices. Out: how its run ends, or a Disagreement. Equal is equal to the last bit; NaNs
are equal. A run is cut at a step that is drawn, and its rest runs on another engine where one can: on c what
began on hybrid, and the reverse. Gradients are taken by plain reverse mode, by bisection in small pieces, and
within budgets, of a length that is known, wrong or not known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from checkpoint.ad.graph import numbers
from checkpoint.ad.numbers import real_part
from checkpoint.driver.budget import Budget
from checkpoint.driver.schedule import Bisection, Plain
from checkpoint.errors import BudgetError, CheckpointError, InternalError
from experiments.random.kinds import Subject
from tests.laws.random_programs import INPUT
from tests.python.agreement import REFUSALS, Outcome, TooLong
from tests.support.same import difference
from tests.support.world import World

ENGINES = ("interp", "hybrid", "c")
PARTNERS = {"interp": "interp", "hybrid": "c", "c": "hybrid"}
TRIES = 12  # of budgets, each as large as the one before said, and at least twice as large
LONG = 2_000  # steps; of longer runs only the ends are compared
ENDS = ("value", "error", "refused", "long", "unlike Python")
REFUSED = (*REFUSALS, "came in as an argument")

Differ = Callable[[Any, Any], str | None]


class Disagreement(Exception):
    """Raised where two engines do not do the same."""


@dataclass(frozen=True)
class Told:
    """The value or exception of an action, what it printed, and what it left unread."""

    value: Any
    error: BaseException | None
    written: str
    unread: str

    @property
    def outcome(self) -> Outcome:
        """Return the outcome, without what is unread."""
        return Outcome(self.value, self.error, self.written)


def told(action: Callable[[], Any]) -> Told:
    """Return what an action does, in a world of its own."""
    value = error = None
    with World(INPUT) as world, np.errstate(all="ignore"):
        try:
            value = action()
        except InternalError as found:
            raise Disagreement(str(found)) from found
        except Exception as raised:
            error = raised
    return Told(value, error, world.written, world.unread)


def alike(what: str, actions: dict[str, Callable[[], Any]], differ: Differ) -> dict[str, Told]:
    """Return what the actions do, once all have done the same."""
    found = {name: told(action) for name, action in actions.items()}
    first, *others = found
    for name in others:
        compare(f"{what}, {first} and {name}", found[first], found[name], differ)
    return found


def compare(what: str, a: Told, b: Told, differ: Differ) -> None:
    """Raise Disagreement unless two actions did the same."""
    if a.error is None and b.error is None:
        where = differ(a.value, b.value)
    else:
        one, other = _said(a.error), _said(b.error)
        where = None if one == other else f"{one} and {other}: {a.outcome} and {b.outcome}"
    if where is None and (a.written, a.unread) != (b.written, b.unread):
        where = f"printed {a.written!r} and {b.written!r}, unread {len(a.unread)} and {len(b.unread)}"
    if where is not None:
        raise Disagreement(f"{what}: {where}")


def _said(error: BaseException | None) -> tuple[Any, ...]:
    """Return all that an exception says, its place and the calls around it included."""
    calls = tuple(map(str, getattr(error, "trace", ())))
    return type(error), str(error), tuple(getattr(error, "__notes__", ())), calls


def check(subject: Subject, random: Random) -> str:
    """Return how the run ends, one of ENDS, once all engines have done the same in all ways.

    Where they all do what Python does not, it is the translation that is wrong: tests/python look for that.
    """
    try:
        native = subject.natively()
    except TooLong:
        return "long"
    actions = {name: action_of(subject.whole, name) for name in ENGINES}
    end = alike("run", actions, of_pairs(subject))["c"]
    value, steps = end.value or (None, random.choice((2, 8, 30)))
    whole = Told(value, end.error, end.written, end.unread)
    refused = isinstance(end.error, CheckpointError) and any(text in str(end.error) for text in REFUSED)
    if native is not None and not refused and not subject.same_outcomes(native, whole.outcome):
        return "unlike Python"
    if steps > LONG:
        return "long"
    _check_cut(subject, random.randint(0, steps), whole)
    if end.error is None:
        plain = _check_derivatives(subject, Bisection(max(steps // 10, random.choice((1, 3, 8)))))
        length = random.choice((None, max(steps, 1), random.randint(1, 2 * steps + 1)))
        _check_budget(subject, int(10 ** random.uniform(3, 5.5)), length, plain)
    return "refused" if refused else "value" if end.error is None else "error"


def action_of(method: Callable[..., Any], *arguments: Any) -> Callable[[], Any]:
    """Return a method with its arguments, as an action."""
    return lambda: method(*arguments)


def of_pairs(subject: Subject) -> Differ:
    """Return how two pairs differ, of a value and something else of the language."""
    return lambda a, b: subject.differ(a[0], b[0]) or difference(a[1], b[1])


def _check_cut(subject: Subject, steps: int, whole: Told) -> None:
    """Check that a run in two parts is the run; one that fails may have failed before the cut."""
    capsules: dict[str, Any] = {}

    def parted(name: str) -> Any:
        z = capsules[name] = subject.cut(name, steps)
        return subject.rest(z, PARTNERS[name])

    found = alike(f"cut at {steps}", {name: action_of(parted, name) for name in ENGINES}, subject.differ)["c"]
    if whole.error is None:
        compare(f"cut at {steps} and whole", found, whole, subject.differ)
    if len(capsules) == len(ENGINES):
        check_capsules(subject, capsules["hybrid"], capsules["c"], whole)
    elif whole.error is None or capsules:
        raise Disagreement(f"cut at {steps}: only {list(capsules)} have a capsule")


def check_capsules(subject: Subject, hybrid: Any, c: Any, whole: Told) -> None:
    """Check that both capsules hold the same, and that both engines take the same cotangents of one of them.

    Where a program's closures hold one float twice, hybrid's capsule holds it once.
    """
    held = [{repr(real_part(number)) for number in numbers(z)} for z in (hybrid, c)]
    if held[0] != held[1]:
        raise Disagreement(f"the capsules hold {held}")
    if whole.error is None and held[0]:
        z = (hybrid, c)[hybrid.steps % 2]
        actions = {name: action_of(subject.of_capsule, z, name) for name in ("hybrid", "c")}
        alike(f"gradient of a capsule of {z.engine}", actions, of_pairs(subject))


def _check_derivatives(subject: Subject, schedule: Bisection) -> Told:
    """Check the derivatives of all engines in both modes, and return what plain reverse mode does."""
    actions = {
        f"{name}, {how}": action_of(subject.vjp, name, how) for how in (Plain(), schedule) for name in ENGINES
    }
    found = alike("gradient", actions, of_pairs(subject))
    alike("forward mode", {name: action_of(subject.jvp, name) for name in ENGINES}, of_pairs(subject))
    return next(iter(found.values()))


def _check_budget(subject: Subject, memory: int, length: int | None, plain: Told) -> None:
    """Check that a gradient within a budget, or within the next sufficient one, is the same."""
    for name in ENGINES:
        found = budgeted(subject, name, memory, length)
        compare(f"gradient, plain and {name} within {memory}, {length}", plain, found, of_pairs(subject))


def budgeted(subject: Subject, name: str, memory: int, length: int | None) -> Told:
    """Return the gradient within a budget, or within the next sufficient one."""
    for _ in range(TRIES):
        budget = Budget(memory, length)
        found = told(action_of(subject.vjp, name, budget))
        if not isinstance(found.error, BudgetError):
            break
        if found.error.needed <= memory:
            raise Disagreement(f"{name}, {budget}: needs {found.error.needed}")
        memory = max(2 * memory, found.error.needed)
    return found
