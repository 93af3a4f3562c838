"""The account of what kept states hold: against a walk through them, against tracemalloc, and its cost.

On the engines that live in Python; engine c has counters of its own.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from random import Random
from typing import Any

import numpy as np
import pytest

from checkpoint.ad.arrays import Array, Memory
from checkpoint.ad.containers import MUTABLE_CONTAINERS, List
from checkpoint.ad.graph import enter, reach
from checkpoint.ad.library import load_imported
from checkpoint.ad.numbers import Dual
from checkpoint.ad.tangent import zeros_of
from checkpoint.ad.values import Pair
from checkpoint.driver import footprint
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Engine
from checkpoint.driver.footprint import COUNT_BYTES, MUTABLE, STORED_BYTES, Footprint, weight
from checkpoint.errors import UnfitKey
from checkpoint.functions.python_functions import run_of
from tests.arrays.corpus import examples as array_examples
from tests.driver.large import COUNT, ENGINES, RUNS, large_run, started
from tests.python.corpus import examples as python_examples
from tests.support.corpus import SUCCEEDING, engine_name, value_of
from tests.support.sampling import sample
from tests.support.tracing import traced
from tests.support.world import World

pytestmark = pytest.mark.engines_in_turn

PROGRAMS = {entry.name: entry for entry in SUCCEEDING}
FUNCTIONS: list[Any] = [*list(python_examples().values())[::5], *list(array_examples().values())[::5]]
EXAMPLES = {
    f"{i} {example.function.__name__}": example
    for i, example in enumerate(FUNCTIONS)
    if example.raises is None
}

on_each_engine = pytest.mark.parametrize("engine", ENGINES, ids=engine_name)

GROWN = 4096  # bytes by which containers of these programs grow after they were counted, which nobody counts
ITERATED = "(lambda (x) (let loop ((i 0) (y x)) (if (= i 30) y (loop (+ i 1) (sin (* x y))))))"


# A walk through all that is kept


def reached(*roots: Any) -> dict[int, Any]:
    """Return all that some values reach, themselves included; of each state what its version shows."""
    found: dict[int, Any] = {}
    for root in roots:
        seen: set[int] = set()
        pending = [root]
        while pending:
            value = pending.pop()
            if id(value) not in seen:
                seen.add(id(value))
                found[id(value)] = value
                pending.extend(weight(value)[1])
    return found


def expected(start: Any, kept: list[Any]) -> int:
    """Return the bytes that an account of these states should report beyond those of the start."""
    given, total = reached(start), 0
    for key, value in reached(*kept).items():
        if key not in given:
            size, parts = weight(value)
            total += size + COUNT_BYTES
            total += STORED_BYTES + 8 * len(parts) if type(value) in MUTABLE else 0
    return total


def check_reach(state: Any) -> None:
    """Check that the account knows all that the language knows, but for numbers without arrays."""
    known = reached(state)
    found, others = reach(state)
    objects = [value for value in others if type(value) is not Dual]
    objects += [number for number in found if type(number) is Array]
    assert all(id(value) in known for value in objects)


def has_containers(state: Any) -> bool:
    """Return whether a state reaches containers, which may change, or its run has changed some."""
    return state.version.saved_bytes > 0 or any(
        type(v) in MUTABLE_CONTAINERS for v in reached(state).values()
    )


def check_account(engine: Engine, start: Any, seed: str) -> None:
    """Keep and drop states of a run at random, some reached on a tape; the account is right each time."""
    random, effects = Random(seed), Effects()
    length = engine.advance(start, None, effects).steps
    account, current = Footprint(start), start
    first = account.bytes
    kept: list[Any] = []
    estimated = False
    for _ in range(12):
        choice = random.randrange(4)
        if choice == 0 and kept:
            account.drop(kept.pop(random.randrange(len(kept))))
            current = random.choice([start, *kept])
        else:
            to = min(length, current.steps + random.randrange(1 + length // 3))
            taped = choice == 1 and to - current.steps < 3000
            forward = engine.tape(current, to, effects).detached if taped else None
            current = engine.advance(current, to, effects) if forward is None else forward()
            account.keep(current)
            kept.append(current)
        estimated = estimated or any(map(has_containers, kept))
        held, counted = expected(start, kept), account.bytes - first
        assert 0.3 * held <= counted + GROWN if estimated else held == counted
    for state in kept:
        check_reach(state)
    random.shuffle(kept)
    while kept:
        account.drop(kept.pop())
        estimated = estimated or any(map(has_containers, kept))
        held, counted = expected(start, kept), account.bytes - first
        assert 0.3 * held <= counted + GROWN if estimated else held == counted
    assert account.bytes == first or (estimated and account.bytes > first), "circles stay counted"


@on_each_engine
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_of_the_corpus(name: str, engine: Engine) -> None:
    case = PROGRAMS[name].case(engine)
    with World(PROGRAMS[name].input):
        check_account(engine, started(engine, enter(Pair(case.f, case.x))), name)


@on_each_engine
@pytest.mark.parametrize("name", sample(EXAMPLES))
def test_python_functions_of_the_corpora(name: str, engine: Engine) -> None:
    call = run_of(EXAMPLES[name].function, EXAMPLES[name].args, {}, engine.name)
    with redirect_stdout(StringIO()), np.errstate(all="ignore"):
        try:
            check_account(engine, started(engine, call.u), name)
        except UnfitKey as error:
            call.begin_again(error)
            check_account(engine, started(engine, call.u), name)


@on_each_engine
def test_a_derivative_of_a_run_has_duals(engine: Engine) -> None:
    f = value_of(ITERATED, engine)
    u = Pair(Pair(f, 0.7), Pair(zeros_of(f), 1.0))
    check_account(engine, engine.start(1, enter(u), 0), "duals")


# Runs that hold one large thing


@on_each_engine
@pytest.mark.parametrize("name", RUNS)
def test_bytes_are_those_of_tracemalloc(name: str, engine: Engine) -> None:
    start, step = large_run(name, engine)
    engine.advance(start, step, Effects())  # what is compiled and imported on the way is there afterwards
    account, found = Footprint(start), []
    with traced():
        for _ in range(3):
            gc.collect()
            before = tracemalloc.get_traced_memory()[0]
            state = engine.advance(start, step, Effects())
            account.keep(state)
            gc.collect()
            found.append(tracemalloc.get_traced_memory()[0] - before)
            account.drop(state)
            del state
        rest = account.bytes
        account.keep(engine.advance(start, step, Effects()))
    held = sorted(found)[1]  # at times a table of the whole process grows meanwhile
    assert rest < 10_000
    assert held / 2 <= account.bytes <= 2 * held


@on_each_engine
@pytest.mark.parametrize("name", RUNS)
def test_states_that_share_cost_little_more_than_one(name: str, engine: Engine) -> None:
    start, step = large_run(name, engine)
    account, state, states = Footprint(start), start, []
    for to in range(step, step + 1000, 100):
        state = engine.advance(state, to, Effects())
        account.keep(state)
        states.append((state, account.bytes))
    assert states[-1][1] <= states[0][1] + 9 * 1200
    for state, _ in states[:-1]:
        account.drop(state)
    assert account.bytes >= 0.9 * states[0][1], "the last of them still holds what all held"


@contextmanager
def counted() -> Iterator[list[int]]:
    """Yield the number of objects weighed inside the `with` block, and of their references."""
    seen, plain = [0, 0], footprint.weight

    def counting(value: Any) -> Any:
        found = plain(value)
        seen[0] += 1
        seen[1] += len(found[1])
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(footprint, "weight", counting)
        yield seen


@on_each_engine
def test_a_state_costs_by_what_is_new(engine: Engine) -> None:
    start, length = large_run("pairs", engine)
    account, state, states = Footprint(start), start, []
    with counted() as seen:
        for i in range(1, 201):
            state = engine.advance(state, i * length // 200, Effects())
            account.keep(state)
            states.append(state)
        assert COUNT <= seen[0] <= COUNT + 200 * 40, "each pair once"
        assert seen[1] <= 2 * seen[0]
        seen[:] = [0, 0]
        for state in states[:-1]:
            account.drop(state)
        assert seen[0] <= 200 * 40, "the last state holds all pairs"
        account.drop(states[-1])
        assert COUNT <= seen[0] <= COUNT + 200 * 40


def test_a_long_list_of_pairs_needs_no_stack() -> None:
    pairs: Any = None
    for i in range(200_000):
        pairs = Pair(float(i), pairs)
    state = (pairs,)
    account = Footprint(None)
    first = account.bytes
    account.keep(state)
    assert account.bytes > 30_000_000
    account.drop(state)
    assert account.bytes == first


def test_what_the_start_reaches_is_not_counted() -> None:
    data = List([float(i) for i in range(1000)])
    array = Array(np.zeros(1000), Memory())
    account = Footprint((data, array))
    first = account.bytes
    account.keep((data, Pair(array, Array(array.data[3:7], Memory()))))
    assert 0 < account.bytes - first < 2000


def test_a_list_that_is_changed_while_it_is_counted_does_no_harm() -> None:
    data = List([Pair(float(i), None) for i in range(10)])
    other = Pair(data.items[3], None)
    account = Footprint(None)
    first = account.bytes
    for state in ((data,), (data, other)):
        account.keep(state)
        data.items.pop()
        data.items.append(Pair(1.0, None))
        account.drop(state)
        assert account.bytes == first


def test_a_state_that_is_kept_twice_is_dropped_twice() -> None:
    state, account = (Pair(1.0, (Pair(2.0, None),)),), Footprint(None)
    first = account.bytes
    account.keep(state)
    once = account.bytes
    account.keep(state)
    assert account.bytes == once
    account.drop(state)
    assert account.bytes == once
    account.drop(state)
    assert account.bytes == first


@pytest.mark.parametrize(
    ("value", "least", "most"),
    [
        ("x" * 1000, 1000, 1200),
        (10**3000, 1200, 1500),
        (np.zeros(1000), 8000, 8200),
        (np.zeros((100, 100))[3:5, 7], 80_000, 80_200),
        (np.float64(1.0), 100, 200),
    ],
    ids=["text", "integer", "array", "view", "scalar"],
)
def test_what_is_large_is_counted_once(value: Any, least: int, most: int) -> None:
    load_imported()

    def held(count: int) -> int:
        account = Footprint(None)
        first = account.bytes
        element = value if type(value) in (str, int) else [Array(value, Memory()) for _ in range(9)]
        found = [element] * count if type(value) in (str, int) else element[:count]
        account.keep(tuple(found))
        return account.bytes - first

    assert least <= held(1) - held(0) <= most + 800
    assert held(9) - held(1) <= 8 * 700
