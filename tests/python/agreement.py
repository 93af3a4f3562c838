"""Check that a Python function does on the engines what it does in Python.

Values, exceptions, output and gradients are compared. In: a function and its arguments. Out: nothing, or an
AssertionError that says what differs.
"""

from __future__ import annotations

import copy
import enum
import inspect
import io
import math
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from types import FrameType
from typing import Any

from checkpoint import engines
from checkpoint.ad.graph import numbers
from checkpoint.ad.tangent import match, tangent_of
from checkpoint.driver.schedule import Bisection, Plain
from checkpoint.errors import CheckpointError, RunError, SourceError
from checkpoint.functions.python_functions import rest_of, result, run_of
from checkpoint.functions.run import Run
from checkpoint.lang.python.source.plain_objects import attribute_names, getattr_of
from tests.support.same import same_bits
from tests.support.translation import forced

LINES = 4000  # longer runs are skipped
REFUSALS = ("changed through another name", "was assigned again after", "cannot be differentiated")


class TooLong(BaseException):
    """A run of too many lines for these checks."""


@dataclass(frozen=True)
class Outcome:
    """The value or exception of a run, and what it prints."""

    value: Any
    error: BaseException | None
    text: str

    def __str__(self) -> str:
        shown = repr(self.value) if self.error is None else f"{type(self.error).__name__}: {self.error}"
        return f"{shown}, printed {self.text!r}"


def outcome(action: Callable[[], Any]) -> Outcome:
    """Return what an action returns or raises, and what it prints."""
    with redirect_stdout(io.StringIO()) as printed:
        try:
            value = action()
        except Exception as error:
            return Outcome(None, error, printed.getvalue())
    return Outcome(value, None, printed.getvalue())


def natively(f: Callable[..., Any], args: tuple[Any, ...]) -> Outcome:
    """Return the outcome in Python; raise TooLong for a run of too many lines."""
    left = LINES

    def count(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise TooLong
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        return outcome(lambda: f(*copy.deepcopy(args)))
    finally:
        sys.settrace(before)


def is_refusal(error: BaseException | None) -> bool:
    """Return whether a program was refused for its use of lists or variables."""
    return isinstance(error, SourceError | RunError) and any(text in str(error) for text in REFUSALS)


def same_values(a: Any, b: Any) -> bool:
    """Return whether two Python values are the same to the last bit."""
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return same_bits(a, b)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same_values, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same_values(a[key], b[key]) for key in a)
    if hasattr(a, "__dict__") or vars(object)["__eq__"] is type(a).__eq__:
        return same_objects(a, b)
    return bool(a == b)


def same_objects(a: Any, b: Any) -> bool:
    """Return whether two objects of one class have the same attributes, whatever their `__eq__` says, or are
    functions of one name.
    """
    of_program = inspect.isfunction(getattr(type(a), "__init__", None))
    if isinstance(a, enum.Enum) or (callable(a) and not of_program):
        return a is b or getattr(a, "__name__", a) == getattr(b, "__name__", b)
    names = attribute_names(a)
    if names != attribute_names(b):
        return False
    return all(same_values(getattr_of(a, name), getattr_of(b, name)) for name in names)


def same_outcomes(a: Outcome, b: Outcome) -> bool:
    """Return whether two runs returned, raised and printed the same."""
    if a.text != b.text:
        return False
    if isinstance(a.error, NameError) and isinstance(b.error, NameError):
        return _of_variable(a.error) == _of_variable(b.error)
    if type(a.error) is not type(b.error) or str(a.error) != str(b.error):
        return False
    if a.error is not None and b.error is not None:
        return same_values(a.error.args, b.error.args)
    return same_values(a.value, b.value)


def _of_variable(error: NameError) -> str:
    """Return a text without the part that depends on Python's version: how comprehensions run."""
    text = str(error).replace("access free variable", "access local variable")
    return text.removesuffix(" in enclosing scope")


def check(f: Callable[..., Any], args: tuple[Any, ...], *, may_refuse: bool = False) -> str:
    """Check all laws; return how the program ended: "value", "error", "refused" or "long"."""
    try:
        want = natively(f, args)
    except TooLong:
        return "long"
    names = engines.usable()
    got = {name: outcome(lambda name=name: _value(f, args, name)) for name in names}  # type: ignore[misc]
    if may_refuse and all(is_refusal(each.error) for each in got.values()):
        return "refused"
    for name, each in got.items():
        assert same_outcomes(want, each), f"{name} gives {each}; Python gives {want}"
    if want.error is not None:
        return "error"
    steps = check_steps(f, args, names)
    check_resumed(f, args, names, steps, want)
    check_gradients(f, args, names)
    if steps % 4 == 0:
        check_differences(f, args)
    return "value"


def _value(f: Callable[..., Any], args: tuple[Any, ...], name: str) -> Any:
    call = run_of(f, args, {}, name)
    return result(call.value(), call.engine)


def check_steps(f: Callable[..., Any], args: tuple[Any, ...], names: list[str]) -> int:
    """Check that all engines take the same number of steps."""
    with redirect_stdout(io.StringIO()):
        steps = {name: run_of(f, args, {}, name).steps() for name in names}
    assert len(set(steps.values())) == 1, f"steps differ: {steps}"
    return steps[names[0]]


def check_resumed(
    f: Callable[..., Any], args: tuple[Any, ...], names: list[str], steps: int, want: Outcome
) -> None:
    """Check that a run that was interrupted and resumed equals one that was not."""
    random = Random(steps)
    for name in names:
        for cut in {0, steps, random.randint(0, steps), random.randint(0, steps)}:

            def parted(name: str = name, cut: int = cut) -> Any:
                rest = rest_of(run_of(f, args, {}, name).interrupt(cut))
                return result(rest.value(), rest.engine)

            found = outcome(parted)
            assert same_outcomes(want, found), f"{name}, cut at {cut}: {found}; Python: {want}"


def check_gradients(f: Callable[..., Any], args: tuple[Any, ...], names: list[str]) -> None:
    """Check that all engines and schedules give the same bits, and that forward mode agrees."""
    found: dict[str, list[float]] = {}
    for name in names:
        for schedule in (Plain(), Bisection(50)):
            call = run_of(f, args, {}, name)
            with redirect_stdout(io.StringIO()):
                found[f"{name}, {schedule}"] = _gradient(call, schedule)
    first = next(iter(found.values()))
    for how, each in found.items():
        same = len(each) == len(first) and all(map(same_bits, each, first))
        assert same, f"gradients differ: {found}, {how}"
    forward = [_forward(run_of(f, args, {}, name)) for name in names]
    assert all(same_bits(each, forward[0]) for each in forward), f"directional derivatives differ: {forward}"
    _agree(forward[0], first)


def check_translated(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Check that translated code gives Python's outcome, and the cotangents of engine hybrid."""
    with forced():
        found = outcome(lambda: _value(f, args, "c"))
        assert same_outcomes(natively(f, args), found), found
        if found.error is None:
            with redirect_stdout(io.StringIO()):
                gradient = _gradient(run_of(f, args, {}, "c"), Plain())
                expected = _gradient(run_of(f, args, {}, "hybrid"), Plain())
            assert len(gradient) == len(expected)
            assert all(map(same_bits, gradient, expected)), f"{gradient} is not {expected}"


def check_differences(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Check that the directional derivative is the limit of differences, where the function is smooth."""
    near = _moved(args, 0.00317)  # away from the points where tests of equality hold
    try:
        if natively(f, near).error is not None:
            return
    except TooLong:
        return
    at = [outcome(lambda d=d: _weighted(f, _moved(near, d))).value for d in (-2e-6, -1e-6, 0.0, 1e-6, 2e-6)]  # type: ignore[misc]
    if any(each is None or not math.isfinite(each) or abs(each) > 1e3 for each in at):
        return
    slopes = [(b - a) / 1e-6 for a, b in pairwise(at)]
    slope, spread = (at[3] - at[1]) / 2e-6, max(slopes) - min(slopes)
    call = run_of(f, near, {}, None)
    derivative = _forward(call, [1.0] * len(numbers(call.argument)))
    if spread <= 1e-4 * max(1.0, abs(slope)) and math.isfinite(derivative):
        assert abs(slope - derivative) <= 1e-3 * max(1.0, abs(slope)), (
            f"at {near}: differences {slope}, derivative {derivative}"
        )


def _moved(args: tuple[Any, ...], by: float) -> tuple[Any, ...]:
    x, y, xs, n = args
    return x + by, y + by, [item + by for item in xs], n


def _weighted(f: Callable[..., Any], args: tuple[Any, ...]) -> float:
    found = numbers(run_of(f, args, {}, None).value())
    return _dot(_weights(len(found), 3), found)


def _weights(count: int, seed: int) -> list[float]:
    random = Random(seed)
    return [random.uniform(-1.0, 1.0) for _ in range(count)]


def _cotangent(y: Any) -> Any:
    return tangent_of(y, _weights(len(numbers(y)), 3))


def _gradient(call: Run, schedule: Any) -> list[float]:
    _, cotangent = call.vjp(_cotangent, schedule)
    return [part for _, part in match(call.argument, cotangent, "cotangent")]


def _forward(call: Run, weights: list[float] | None = None) -> float:
    """Return the directional derivative, weighted as the gradient is; NaN where a part occurs twice."""
    direction = tangent_of(call.argument, weights or _weights(len(numbers(call.argument)), 7))
    with redirect_stdout(io.StringIO()):
        y, tangent = call.jvp(direction)
    parts = [part for _, part in match(y, tangent, "tangent")]
    if len(parts) != len(numbers(y)):
        return math.nan
    return _dot(_weights(len(parts), 3), parts)


def _dot(weights: list[float], parts: list[float]) -> float:
    return sum(weight * part for weight, part in zip(weights, parts, strict=True))


def _agree(forward: float, gradient: list[float]) -> None:
    """Check that forward and reverse mode agree where no number is near the end of its range."""
    terms = [w * part for w, part in zip(_weights(len(gradient), 7), gradient, strict=True)]
    scale = sum(map(abs, terms)) + abs(forward)
    if math.isfinite(scale) and scale < 1e100:
        assert abs(forward - sum(terms)) <= 1e-7 * max(1.0, scale), f"forward {forward}, reverse {sum(terms)}"


__all__ = ["CheckpointError", "check", "natively", "outcome", "same_outcomes"]
