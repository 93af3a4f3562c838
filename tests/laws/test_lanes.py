"""vmap is the loop over lanes: random functions under it give what the loop by hand gives, on every engine.

Compared are values, exceptions, what is printed, step counts of the engines, resumed runs, and the bits of
gradients under several schedules. What lanes share is copied by the loop by hand for each lane.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from functools import partial
from random import Random
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import engines
from tests.python import agreement
from tests.python.agreement import Outcome, TooLong, is_refusal, natively, outcome, same_outcomes
from tests.python.generator import NUMBERS, Program, program
from tests.support.digest import DIGEST
from tests.support.same import same_bits
from tests.support.sampling import sample, side_by_side
from tests.support.translation import translate_soon

LANES = (
    DIGEST
    + """

def lane(x, y, xs, n):
    return digest(main(x, y, xs, n))


def by_hand(x, y, xs, n):
    return [lane(x[i], y[i], [part for part in xs], n) for i in range(len(x))]


def by_vmap(x, y, xs, n):
    return vmap(lane, (0, 0, None, None))(x, y, xs, n)


def sum_by_hand(x, y, xs, n):
    total = 0.0
    for part in by_hand(x, y, xs, n):
        total += part
    return total


def sum_by_vmap(x, y, xs, n):
    return np.sum(by_vmap(x, y, xs, n))
"""
)
# C copies tuples for each lane itself.
SHARING_A_TUPLE = LANES.replace("main(x, y, xs, n)", "main(x, y, [part for part in xs], n)")
ADDED = "import numpy as np\nfrom checkpoint import vmap\n"
SCHEDULES: tuple[Mapping[str, Any], ...] = (
    {"schedule": "plain"},
    {"schedule": "bisection"},
    {"memory": 60_000},
)
MANY = 5  # lanes of derivatives that are compared
CASES = [(1, range(4)), (3, range(6, 12)), (64, range(16, 18))]


def functions_of(seed: int, lanes: str = LANES) -> tuple[Program, Callable[[str], Any]]:
    written = program(Random(seed))
    whole = Program(ADDED + written.text + lanes, written.args, written.may_refuse)
    namespace = whole.function().__globals__
    return whole, namespace.__getitem__


def arguments(written: Program, width: int) -> tuple[Any, ...]:
    x, y, xs, n = written.args
    random = Random(width)
    lists = [[first, *[random.choice(NUMBERS) for _ in range(width - 1)]] for first in (x, y)]
    return (*lists, xs, n)


def arrays(args: tuple[Any, ...]) -> tuple[Any, ...]:
    return (np.array(args[0]), np.array(args[1]), *args[2:])


def listed(found: Outcome) -> Outcome:
    return found if found.error is not None else Outcome(found.value.tolist(), None, found.text)


def numbers(found: Any) -> list[float]:
    return [float(number) for part in found for number in part]


def check(seed: int, width: int, lanes: str = LANES) -> None:
    """Check the laws for one function."""
    written, named = functions_of(seed, lanes)
    args = arguments(written, width)
    if lanes is SHARING_A_TUPLE:
        args = (*args[:2], tuple(args[2]), args[3])
    try:
        want = natively(named("by_hand"), args)
    except TooLong:
        return
    for engine in engines.usable():
        call = checkpoint.vmap(named("lane"), (0, 0, None, None), engine=engine)
        got = listed(outcome(partial(call, *arrays(args))))
        if written.may_refuse and is_refusal(got.error):
            return
        assert same_outcomes(want, got), f"{engine} gives {got}; Python gives {want}"
        if want.error is not None:
            lane = len(natively_before(named("by_hand"), args))
            assert f"in lane {lane} of vmap" in got.error.__notes__  # type: ignore[union-attr]
    if want.error is None:
        check_resumed(named("by_vmap"), arrays(args), want)
        check_derivatives_in_lanes(named("lane"), args)
        check_gradients(str(seed), named("sum_by_hand"), named("sum_by_vmap"), args)


def natively_before(by_hand: Callable[..., Any], args: tuple[Any, ...]) -> list[Any]:
    """Return the values of the lanes before the first that fails."""
    x, y, xs, n = args
    found: list[Any] = []
    while len(found) < len(x):
        at = len(found)
        one = outcome(partial(by_hand, x[at : at + 1], y[at : at + 1], xs, n))
        if one.error is not None:
            break
        found.append(one.value)
    return found


def check_resumed(f: Callable[..., Any], args: tuple[Any, ...], want: Outcome) -> None:
    def packed(given: Any) -> Any:
        return f(*given)

    counts = set()
    for engine in engines.usable():
        with redirect_stdout(io.StringIO()):
            steps = checkpoint.primops(packed, args, engine=engine)
        counts.add(steps)
        for share in (0.3, 0.8):
            cut = int(share * steps)
            with redirect_stdout(io.StringIO()) as before:
                rest = checkpoint.interrupt(packed, args, cut, engine=engine)
            found = listed(outcome(partial(checkpoint.resume, rest)))
            found = Outcome(found.value, found.error, before.getvalue() + found.text)
            assert same_outcomes(want, found), f"{engine}, cut at {cut}: {found}; Python: {want}"
    assert len(counts) == 1


def check_gradients(
    key: str, by_hand: Callable[..., Any], by_vmap: Callable[..., Any], args: tuple[Any, ...]
) -> None:
    """Check gradients on every engine and by every schedule, in combinations that the key decides."""
    with redirect_stdout(io.StringIO()):
        want = numbers(checkpoint.grad(by_hand, (0, 1, 2), engine="hybrid", schedule="plain")(*args))
        for engine, how in side_by_side(key, engines.usable(), SCHEDULES):
            try:
                found = checkpoint.grad(by_vmap, (0, 1, 2), engine=engine, **how)(*arrays(args))
            except checkpoint.BudgetError:
                continue
            got = numbers(found)
            assert all(map(same_bits, want, got)), f"{engine}, {how}: {got}; by hand {want}"


def check_derivatives_in_lanes(lane: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Check that lanes of a derivative, forward and reverse, have those of single calls."""
    x, y, xs, n = args

    def slope(x: float, y: float, xs: list[float], n: int) -> Any:
        return checkpoint.jvp(lambda x: lane(x, y, xs, n), x, 1.0)[1]

    for derivative in (checkpoint.grad(lane), slope):
        with redirect_stdout(io.StringIO()):
            want = [derivative(x[i], y[i], xs, n) for i in range(min(len(x), MANY))]
            for engine in engines.usable():
                call = checkpoint.vmap(derivative, (0, 0, None, None), engine=engine)
                got = call(np.array(x[:MANY]), np.array(y[:MANY]), xs, n).tolist()
                assert all(map(same_bits, want, got)), f"{engine} gives {got}; single calls {want}"


@pytest.mark.parametrize(
    ("width", "seed"), sample([(width, seed) for width, seeds in CASES for seed in seeds]), ids=str
)
@pytest.mark.filterwarnings("ignore")
def test_random_functions_equal_the_loop_by_hand(
    width: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agreement, "LINES", 2000 * (1 + width))
    check(seed, width)


@pytest.mark.skipif("c" not in engines.usable(), reason="engine c is not there")
@pytest.mark.parametrize(
    ("width", "seed"), sample([(3, 7), (3, 9), (1000, 30), (64, 17), (64, 21)], every=3), ids=str
)
@pytest.mark.filterwarnings("ignore")
def test_random_functions_in_c(width: int, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The laws for engine c alone, whose runs wait for their translation."""
    monkeypatch.setattr(agreement, "LINES", 2000 * (1 + width))
    monkeypatch.setattr(engines, "usable", lambda: ["c"])
    translate_soon(monkeypatch)
    check(seed, width)
    check(seed, width, SHARING_A_TUPLE)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(6, 10))
@pytest.mark.filterwarnings("ignore")
def test_a_thousand_lanes(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreement, "LINES", 2_000_000)
    check(seed, 1000)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.filterwarnings("ignore")
def test_many_random_functions_equal_the_loop_by_hand() -> None:
    for seed in range(100, 1100):
        check(seed, Random(seed).choice((1, 2, 3, 5, 64)))
