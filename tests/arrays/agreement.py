"""Check that a function of arrays does on the engines what it does in Python, with the right derivatives.

In: a function and its arguments, as an Example. Out: nothing, or an AssertionError that says what differs.
What is equal is equal to the last bit, with its type, dtype and shape; NaNs are equal.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from random import Random
from typing import Any

import numpy as np

from checkpoint.ad.arrays import Array, Memory
from checkpoint.ad.graph import numbers, replace
from checkpoint.ad.numbers import real_part
from checkpoint.ad.tangent import match, tangent_of
from checkpoint.ad.values import Pair
from checkpoint.driver.schedule import Bisection, Plain
from checkpoint.functions import runs
from checkpoint.functions.python_functions import rest_of, result, run_of
from checkpoint.functions.run import Run
from tests.arrays.corpus import Example
from tests.python.agreement import Outcome, outcome
from tests.support.corpus import usable_engines, value_of
from tests.support.cuts import CutAt
from tests.support.laws import CUTTER
from tests.support.same import difference, same_bits, same_elements

ENGINES = [engine.name for engine in usable_engines()]
SHORT = 50  # steps; shorter runs are cut everywhere
TOLERANCE, COARSE_TOLERANCE = 1e-6, 2e-2
Pairs = Callable[[Sequence[str], Sequence[Any]], Iterable[tuple[str, Any]]]
WIDTHS, COARSE_WIDTHS = (1e-3, 1e-4, 1e-2, 1e-5, 1e-6), (3e-2, 1e-1, 1e-2)


@contextmanager
def quietly() -> Iterator[None]:
    """Return a context in which NumPy does not warn of overflow, division by zero and invalid values."""
    with np.errstate(all="ignore"):
        yield


def natively(example: Example) -> Outcome:
    """Return the outcome of an example in Python: what it returns, raises and prints."""
    with quietly():
        return outcome(lambda: example.function(*copy.deepcopy(example.args)))


def call_on(example: Example, name: str) -> Run:
    """Return the call of an example on an engine."""
    return run_of(example.function, example.args, {}, name)


def value_on(example: Example, name: str) -> Any:
    """Return the outcome of an example on an engine."""
    return _value(call_on(example, name))


def same_values(a: Any, b: Any) -> bool:
    """Return whether two Python values are the same to the last bit."""
    if type(a) is not type(b):
        return False
    if hasattr(a, "dtype"):
        return same_elements(a, b)
    if isinstance(a, float):
        return same_bits(a, b)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same_values, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same_values(a[key], b[key]) for key in a)
    if hasattr(a, "__dict__") and not callable(a):
        return same_values(vars(a), vars(b))
    return bool(a == b)


def same_outcomes(a: Outcome, b: Outcome) -> bool:
    """Return whether two runs returned, raised and printed the same."""
    if a.text != b.text or type(a.error) is not type(b.error) or str(a.error) != str(b.error):
        return False
    return same_values(a.value, b.value)


# Values


def check_value(example: Example) -> None:
    """Check that every engine returns, raises and prints what Python does, and leaves the arguments alone."""
    want = natively(example)
    assert isinstance(want.error, example.raises or type(None)), want.error
    for name in ENGINES:
        args = copy.deepcopy(example.args)
        with quietly():
            got = outcome(lambda: _value(run_of(example.function, args, {}, name)))  # noqa: B023
        assert same_outcomes(want, got), f"{name}: {got}\nPython: {want}"
        assert same_values(list(args), list(example.args)), f"{name} changed the arguments to {args}"


def _value(call: Run) -> Any:
    return result(call.value(), call.engine)


def check_steps(example: Example) -> int:
    """Return the length of the run after checking that it is the same on all engines."""
    with quietly():
        steps = {name: outcome(call_on(example, name).steps).value for name in ENGINES}
    assert len(set(steps.values())) == 1, f"steps differ: {steps}"
    return int(steps[ENGINES[0]])


def cuts_of(steps: int, random: Random, most: int = SHORT) -> list[int]:
    """Return all numbers of steps of a short run; the ends and a sample of the inside of a long one."""
    if steps <= most:
        return list(range(steps + 1))
    return sorted({0, 1, steps, *[random.randint(0, steps) for _ in range(6)]})


def check_cuts(
    example: Example, steps: int, random: Random, most: int = SHORT, pairs: Pairs = product
) -> None:
    """Check that runs resume as if never interrupted; runs of up to `most` steps are cut everywhere.

    pairs: returns which engine is tried with which cut.
    """
    want = natively(example)
    for name, cut in pairs(ENGINES, cuts_of(steps, random, most)):
        with quietly():
            got = outcome(lambda: _parted(example, name, cut))  # noqa: B023
        assert same_outcomes(want, got), f"{name}, cut at {cut}: {got}\nPython: {want}"


def check_failure(example: Example) -> None:
    """Check that a run that raises does so wherever it is cut, and when it is differentiated."""
    want = natively(example)
    for name in ENGINES:
        actions: list[Any] = [lambda: gradient(example, name, Plain())]  # noqa: B023
        actions += [lambda cut=cut: _parted(example, name, cut) for cut in (0, 1, *range(2, SHORT, 3))]  # noqa: B023
        for action in actions:
            with quietly():
                got = outcome(action)
            assert same_outcomes(want, got), f"{name}: {got}\nPython: {want}"


def _parted(example: Example, name: str, cut: int) -> Any:
    """Return the value of a run that was interrupted and resumed."""
    z = call_on(example, name).interrupt(cut)
    assert z.steps == cut
    return _value(rest_of(z))


# Derivatives


def drawn(number: Any, rng: Any) -> Any:
    """Return a random tangent of a number, from -1 to 1."""
    value = real_part(number)
    if type(value) is float:
        return float(rng.uniform(-1.0, 1.0))
    values = rng.uniform(-1.0, 1.0, size=value.data.shape)
    return Array(value.data.dtype.type(values), Memory())


def direction(value: Any, seed: int) -> Any:
    """Return a tangent of a value, always the same for a seed."""
    rng = np.random.default_rng(seed)
    return tangent_of(value, [drawn(number, rng) for number in numbers(value)])


def weights(value: Any) -> Any:
    """Return a cotangent of a value, always the same."""
    return direction(value, 3)


def components(value: Any, tangent: Any) -> Any:
    """Return the elements of a tangent as one vector of doubles."""
    parts = [np.ravel(_elements(other)) for _, other in match(value, tangent, "tangent")]
    return np.concatenate([np.zeros(0), *parts]).astype(float)


def _elements(number: Any) -> Any:
    """Return the float, or the library's array, of a number."""
    return getattr(number, "data", number)


def gradient(example: Example, name: str, schedule: Any) -> tuple[Run, Any, Any]:
    """Return the call, its value and the cotangent of its argument."""
    call = call_on(example, name)
    with quietly():
        y, xbar = call.vjp(weights, schedule)
    return call, y, xbar


def schedules_of(steps: int, random: Random, most: int) -> list[Any]:
    """Return plain reverse mode, some schedules by bisection and some in two parts."""
    found: list[Any] = [Plain(), Bisection(max(1, steps // 5))]
    if steps <= most:
        found.append(Bisection(1))
    if steps > 1:
        found += [CutAt(random.randrange(1, steps)) for _ in range(2)]
    return found


def check_gradients(
    example: Example,
    steps: int,
    random: Random,
    differences: bool = True,
    most: int = 3 * SHORT,
    pairs: Pairs = product,
) -> None:
    """Check that all engines and schedules give the same right bits.

    most: steps of runs that are cut everywhere. pairs: returns which engine is tried with which schedule.
    """
    call, y, xbar = gradient(example, ENGINES[0], Plain())
    for name, schedule in pairs(ENGINES, schedules_of(steps, random, most)):
        _, again, other = gradient(example, name, schedule)
        where = f"{name}, {schedule}"
        assert difference(other, xbar) is None, f"{where}: {difference(other, xbar)}"
        assert difference(again, y) is None, where
    check_gradient_in_parts(call, xbar, random.randint(0, steps))
    v = direction(call.argument, 5)
    slope = np.dot(components(call.argument, xbar), components(call.argument, v))
    size = float(np.abs(components(call.argument, xbar) * components(call.argument, v)).sum())
    check_forward(example, v, slope, size, differences)
    if differences:
        against_differences(lambda x: along(call, x), call.argument, v, slope, size, example.coarse)


def check_gradient_in_parts(call: Run, xbar: Any, cut: int) -> None:
    """Check that the derivatives of a run up to a cut, and of its rest, compose to that of the whole."""
    engine = call.engine
    cutter = runs.call_values(value_of(CUTTER, engine), Pair(call.u.car, float(cut)), engine)
    with quietly():
        z = runs.interrupt_values(call.u.car, call.argument, cut, engine)
        if not numbers(z):
            return
        rest = Run(runs.RESUME, z, engine)
        _, zbar = rest.vjp(weights, Bisection(7))
        again, composed = runs.vjp_values(cutter, call.argument, zbar, engine, Bisection(7))
    assert again.steps == cut
    assert difference(composed, xbar) is None, f"in parts, cut at {cut}: {difference(composed, xbar)}"


def check_forward(example: Example, v: Any, slope: float, size: float, is_tame: bool) -> None:
    """Check that forward mode gives the same bits on all engines, and agrees with reverse mode."""
    found = []
    for name in ENGINES:
        with quietly():
            found.append(call_on(example, name).jvp(v))
    y, tangent = found[0]
    for name, (again, other) in zip(ENGINES, found, strict=True):
        assert difference(again, y) is None, name
        assert difference(other, tangent) is None, f"{name}: {difference(other, tangent)}"
    if not is_tame:
        return
    terms = components(y, tangent) * components(y, weights(y))
    tolerance = 1e-4 if example.coarse else 1e-9
    agree(float(terms.sum()), slope, tolerance, max(size, float(np.abs(terms).sum())))


def check_second(example: Example, steps: int, differences: bool = True) -> None:
    """Check the derivative of the gradient along a direction: the same bits everywhere, and right."""
    call = call_on(example, ENGINES[-1])
    v, w = direction(call.argument, 5), direction(call.argument, 7)
    found = []
    for name in ENGINES:
        for schedule in (Plain(), Bisection(max(1, steps // 3))):
            with quietly():
                _, xbar, product = call_on(example, name).second(v, weights, schedule)
            found.append((f"{name}, {schedule}", xbar, product))
    _, xbar, product = found[0]
    for how, first, second in found[1:]:
        assert difference(first, xbar) is None, f"{how}: {difference(first, xbar)}"
        assert difference(second, product) is None, f"{how}: {difference(second, product)}"
    if not differences:
        return
    other = components(call.argument, w)
    terms = components(call.argument, product) * other

    def of_gradient(x: Any) -> float:
        moved = Run(call.u.car, x, call.engine)
        _, cotangent = moved.vjp(weights, Plain())
        return float(np.dot(components(x, cotangent), other))

    size = max(float(np.abs(terms).sum()), 1e-3 * abs(of_gradient(call.argument)))
    against_differences(of_gradient, call.argument, v, float(terms.sum()), size, example.coarse)


def along(call: Run, x: Any) -> float:
    """Return the dot product of the value at x with its weights."""
    y = Run(call.u.car, x, call.engine).value()
    found = [np.ravel(_elements(part)) for part in numbers(y)]
    values = np.concatenate([np.zeros(0), *found]).astype(float)
    return float(np.dot(values, components(y, weights(y))))


def moved(x: Any, v: Any, width: float) -> Any:
    """Return a value moved along a tangent."""
    pairs = match(x, v, "tangent")
    return replace(x, [number for number, _ in pairs], [_moved(*pair, width) for pair in pairs])


def _moved(number: Any, tangent: Any, width: float) -> Any:
    if type(number) is float:
        return number + width * tangent
    data = number.data + number.data.dtype.type(width) * tangent.data
    return Array(data, Memory())


def against_differences(
    f: Callable[[Any], float], x: Any, v: Any, slope: float, size: float, coarse: bool
) -> None:
    """Check that the slope along v is near extrapolated central differences of one of several widths."""

    def central(width: float) -> float:
        return (f(moved(x, v, width)) - f(moved(x, v, -width))) / (2.0 * width)

    tolerance = COARSE_TOLERANCE if coarse else TOLERANCE
    tried = []
    with quietly():
        for width in COARSE_WIDTHS if coarse else WIDTHS:
            tried.append((4.0 * central(width / 2.0) - central(width)) / 3.0)
            if near(tried[-1], slope, tolerance, size):
                return
    raise AssertionError(f"differences {tried}, derivative {slope}, of terms of size {size}")


def near(a: float, b: float, tolerance: float, size: float) -> bool:
    """Return whether two numbers are near, relative to their size or to that of the terms of their sums."""
    return abs(a - b) <= tolerance * max(abs(a), abs(b), size)


def agree(a: float, b: float, tolerance: float, size: float) -> None:
    assert near(a, b, tolerance, size), f"{a!r} and {b!r}, of terms of size {size}"
