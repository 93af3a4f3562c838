"""Random functions of numbers under vmap are the loop over lanes, also where C runs many lanes at once.

Compared with the loop by hand are values, exceptions with the lane that they name, what is printed, steps,
and the bits of gradients, for widths of 1, 3, 64 and 1,000: on interp, hybrid, c without translation, and c
with it, where strips are counted (tests/support/strips.py).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import engines
from checkpoint.ctarget.translate.compile.compiler import find
from checkpoint.prims import lanes
from tests.laws.lane_programs import arguments, lane_program
from tests.python.agreement import Outcome, outcome, same_outcomes
from tests.support.same import same_bits
from tests.support.strips import counted, translate_soon, until_in_strips

pytestmark = pytest.mark.filterwarnings("ignore")  # of gradients that rounding makes zero
needs_strips = pytest.mark.skipif(
    "c" not in engines.usable() or find() is None, reason="engine c or a C compiler is not there"
)
PLAIN = {"schedule": "plain"}
SCHEDULES: tuple[dict[str, Any], ...] = (PLAIN, {"schedule": "bisection"}, {"memory": "4MiB"})
AT_ALL_WIDTHS = ("hybrid", "c")
NARROW = 64  # lanes; engine interp runs no more, except in long tests


class Case:
    """A program at a width. want: what the loop by hand does in Python; steps: of vmap, by engine."""

    def __init__(self, seed: int, width: int, scene: bool = False) -> None:
        self.program = lane_program(seed, scene)
        self.named = self.program.namespace()
        xs, ns, k, weights = arguments(width)
        self.lists = (xs, ns, k)
        self.arrays = (np.array(xs), np.array(ns), k)
        self.weights = np.array(weights)
        found = outcome(partial(self.named["by_hand"], *self.lists))
        self.want = found if found.error is not None else Outcome(columns(found.value), None, found.text)
        self.steps: set[int] = set()

    def check_value(self, engine: str) -> None:
        xs, ns, k = self.arrays
        got = outcome(
            partial(checkpoint.vmap(self.named["make"](k, self.named["captured"](k)), engine=engine), xs, ns)
        )
        if got.error is None:
            got = Outcome([leaf.tolist() for leaf in leaves(got.value)], None, got.text)
        assert same_outcomes(self.want, got), f"{engine} gives {got}; Python gives {self.want}"
        if self.want.error is not None:
            assert f"in lane {self.failing_lane()} of vmap" in got.error.__notes__  # type: ignore[union-attr]

    def failing_lane(self) -> int:
        """Return the first lane that fails."""
        xs, ns, k = self.lists
        alone = (partial(self.named["by_hand"], [x], [n], k) for x, n in zip(xs, ns, strict=True))
        return next(lane for lane, run in enumerate(alone) if outcome(run).error is not None)

    def check_steps(self, engine: str) -> None:
        run = partial(checkpoint.primops, self.named["by_vmap_of"], self.arrays, engine=engine)
        found = outcome(run)
        if found.error is None:
            self.steps.add(found.value)
            assert len(self.steps) == 1, f"steps differ: {self.steps}, on {engine} others than before"

    def gradient(self, text: str, args: tuple[Any, ...], engine: str, how: dict[str, Any]) -> list[float]:
        of = checkpoint.grad(self.named[text], (0, 1, 2), engine=engine, **how)
        found = outcome(partial(of, *args, self.weights))
        assert found.error is None, f"{engine}, {how}: {found}"
        return [float(number) for part in found.value for number in np.ravel(part)]

    def gradient_by_hand(self, engine: str) -> list[float]:
        return self.gradient("weighted_by_hand", self.lists, engine, PLAIN)

    def check_gradient(self, engine: str, want: list[float], how: dict[str, Any]) -> None:
        got = self.gradient("weighted_by_vmap", self.arrays, engine, how)
        where = [i for i, (x, y) in enumerate(zip(want, got, strict=True)) if not same_bits(x, y)]
        shown = [(i, want[i], got[i]) for i in where[:5]]
        assert not where, f"{engine}, {how}: {len(where)} numbers differ; by hand, by vmap: {shown}"

    @property
    def has_gradient(self) -> bool:
        return self.want.error is None and self.program.has_reals


def leaves(result: Any) -> list[Any]:
    if isinstance(result, tuple):
        return [leaf for part in result for leaf in leaves(part)]
    return [result]


def columns(results: list[Any]) -> list[list[Any]]:
    """Return each leaf of all lanes; integers beside floats are floats."""
    found = [list(column) for column in zip(*map(leaves, results), strict=True)]
    return [[float(x) for x in column] if float in map(type, column) else column for column in found]


def check(case: Case, without: list[str], strips: Any) -> None:
    """Check a case on engines, c without translation, and then on c until it runs in strips."""
    want = case.gradient_by_hand("hybrid") if case.has_gradient else []
    for engine in without:
        case.check_value(engine)
        case.check_steps(engine)
        if case.has_gradient:
            for how in SCHEDULES:
                case.check_gradient(engine, want, how)
    if strips is None:
        return
    for _ in until_in_strips(strips):
        case.check_value("c")
    case.check_steps("c")
    if case.has_gradient:
        for how in SCHEDULES * 2:
            case.check_gradient("c", want, how)


@pytest.fixture(autouse=True)
def blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run 1,000 lanes in blocks (library/lanes.py), of several strips each."""
    monkeypatch.setattr(lanes, "BLOCK", 300)


def engines_for(width: int) -> list[str]:
    return [engine for engine in engines.usable() if width <= NARROW or engine in AT_ALL_WIDTHS]


@pytest.fixture
def plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_JIT", "off")


@pytest.mark.usefixtures("plainly")
@pytest.mark.parametrize(
    ("width", "seed", "scene"),
    [(1, 0, False), (1, 1, True), (3, 2, False), (3, 4, True), (64, 6, False), (1000, 13, False)],
    ids=str,
)
def test_lanes_of_numbers(width: int, seed: int, scene: bool) -> None:
    check(Case(seed, width, scene), engines_for(width), None)


@pytest.fixture
def strips(monkeypatch: pytest.MonkeyPatch) -> Any:
    translate_soon(monkeypatch)
    return counted(monkeypatch)


@needs_strips
@pytest.mark.parametrize(("seed", "scene"), [(5, False), (20, False), (12, True)], ids=str)
def test_lanes_of_numbers_in_strips(seed: int, scene: bool, strips: Any) -> None:
    check(Case(seed, 1000, scene), [], strips)
    assert strips.value > 0


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.usefixtures("plainly")
@pytest.mark.parametrize("width", [1, 3, 64, 1000])
def test_many_lanes_of_numbers(width: int) -> None:
    for seed in range(100, 150):
        check(Case(seed, width, scene=seed % 3 == 0), engines.usable(), None)


@needs_strips
@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("width", [1, 3, 64, 1000])
def test_many_lanes_of_numbers_in_strips(width: int, strips: Any) -> None:
    in_strips = 0
    for seed in range(100, 300):
        strips.value = 0
        check(Case(seed, width, scene=seed % 3 == 0), [], strips)
        in_strips += strips.value > 0
    if width == 1000:
        assert in_strips > 20
