"""The corpus of Python functions in the lanes of vmap: each is the loop over lanes, on every engine.

A function's floats are mapped, its other arguments shared; a result becomes a number, which can be stacked.
Compared are values, exceptions, what is printed, step counts of the engines, and the bits of gradients: those
of mapped arguments with single calls, those of shared ones with the sums of these, last lane first.
"""

from __future__ import annotations

import copy
import io
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from checkpoint import engines, vmap
from checkpoint.ad.arrays import Array, Memory
from checkpoint.ad.tangent import match
from checkpoint.driver.schedule import Plain
from checkpoint.functions.python_functions import result, run_of
from checkpoint.functions.run import Run
from tests.python.agreement import Outcome, outcome, same_outcomes
from tests.python.corpus import examples
from tests.support.digest import digest
from tests.support.same import same_bits
from tests.support.sampling import in_turn, partly

pytestmark = [pytest.mark.together("name"), pytest.mark.filterwarnings("ignore")]

EXAMPLES = {
    name: example
    for name, example in examples().items()
    if any(type(argument) is float for argument in example.args)
}
WIDTHS = (1, 3, 64)
CELLS = (
    "enumeration_values.of_a_function",
    "local_classes_used.in_branches",
    "keys.by_identity",
    "standard_caches.by_caches",
    "local_classes.computed_attributes",
)
SHORT = frozenset([(name, 3) for name in [*list(EXAMPLES)[50::100], *CELLS]])
CASES = partly([(name, width) for width in WIDTHS for name in EXAMPLES], SHORT)


@dataclass(frozen=True)
class Lanes:
    """A function of the corpus in lanes.

    args: the arguments of the first lane. f: what a lane runs. axes: for each argument 0; None: it is shared.
    """

    args: tuple[Any, ...]
    width: int
    f: Callable[..., float]
    axes: tuple[int | None, ...]

    @property
    def mapped(self) -> Callable[..., Any]:
        f, axes = self.f, self.axes

        def by_vmap(*args: Any) -> Any:
            return vmap(f, axes)(*args)

        return by_vmap

    def of_lane(self, lane: int) -> tuple[Any, ...]:
        """Return the arguments of one lane."""
        given = zip(self.args, self.axes, strict=True)
        return tuple([copy.deepcopy(x) if axis is None else x + 0.01 * (lane % 7) for x, axis in given])

    def of_all(self) -> tuple[Any, ...]:
        """Return the arguments of vmap."""
        each = [self.of_lane(lane) for lane in range(self.width)]
        columns = zip(*each, strict=True)
        return tuple(
            [c[0] if axis is None else np.array(c) for c, axis in zip(columns, self.axes, strict=True)]
        )


def lanes_of(name: str, width: int) -> Lanes:
    example = EXAMPLES[name]
    function = example.function

    def lane(*args: Any) -> float:
        return digest(function(*args))

    return Lanes(example.args, width, lane, tuple([0 if type(x) is float else None for x in example.args]))


def by_hand(lanes: Lanes) -> Outcome:
    """Return what the loop over lanes does in Python: their values, until one fails."""
    values: list[float] = []

    def run() -> list[float]:
        for lane in range(lanes.width):
            values.append(lanes.f(*lanes.of_lane(lane)))
        return values

    return outcome(run)


def check_values(lanes: Lanes, calls: dict[str, Run]) -> Outcome:
    """Check what all engines return, raise and print; return the outcome in Python."""
    want = by_hand(lanes)
    for engine, call in calls.items():
        got = outcome(lambda call=call: result(call.value(), call.engine).tolist())  # type: ignore[misc]
        assert same_outcomes(want, got), f"{engine}: {got}; Python: {want}"
    return want


def cotangents(lanes: Lanes, call: Run, bar: Any) -> Iterator[tuple[int | None, list[Any]]]:
    """Yield for each argument its axis and the cotangents of its numbers."""
    _, found = call.vjp(lambda _: bar, Plain())
    one = len(lanes.axes) == 1
    pairs = [(call.argument, found)] if one else zip(call.argument.items, found.items, strict=True)
    for axis, (x, x_bar) in zip(lanes.axes, pairs, strict=True):
        yield axis, [getattr(number, "data", number) for _, number in match(x, x_bar, "cotangent")]


def check_gradients(lanes: Lanes, calls: dict[str, Run]) -> None:
    bars = [1.0 + 0.25 * (lane % 5) for lane in range(lanes.width)]
    with redirect_stdout(io.StringIO()):
        single = [
            list(cotangents(lanes, run_of(lanes.f, lanes.of_lane(lane), {}, "interp"), bar))
            for lane, bar in enumerate(bars)
        ]
        for engine, call in calls.items():
            together = list(cotangents(lanes, call, Array(np.array(bars), Memory())))
            for position, (axis, found) in enumerate(together):
                apart = [each[position][1] for each in single]
                want = [part for (part,) in apart] if axis == 0 else summed(apart)
                got = found[0].tolist() if axis == 0 else found
                assert len(want) == len(got), engine
                assert all(map(same, want, got)), f"{engine}, argument {position}: {got}; alone {want}"


def summed(apart: list[list[Any]]) -> list[Any]:
    """Return the sums over lanes, last lane first."""
    total: list[Any] = [0.0] * len(apart[0])
    for lane in reversed(apart):
        total = [x + y for x, y in zip(total, lane, strict=True)]
    return total


def same(x: Any, y: Any) -> bool:
    return np.shape(x) == np.shape(y) and all(map(same_bits, np.ravel(x).tolist(), np.ravel(y).tolist()))


# What stays is said in docs/design/engines.md.
@pytest.mark.filterwarnings("ignore:.*accumulators of objects.*are left:ResourceWarning")
@pytest.mark.parametrize(("name", "width"), CASES)
def test_lanes_are_the_loop(name: str, width: int) -> None:
    lanes = lanes_of(name, width)
    calls = {engine: run_of(lanes.mapped, lanes.of_all(), {}, engine) for engine in engines.usable()}
    want = check_values(lanes, calls)
    if want.error is not None:
        return
    with redirect_stdout(io.StringIO()):
        assert len({call.steps() for call in calls.values()}) == 1
    if EXAMPLES[name].differentiable:
        check_gradients(lanes, {engine: calls[engine] for engine in in_turn(list(calls))})
