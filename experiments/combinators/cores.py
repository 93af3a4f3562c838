"""Combinators over arrays on several threads beside one, by operators of many flops and of few.

    python -m experiments.combinators.cores [--items N --threads N]    # a minute

Question: how much of a run is done by other threads? Methods take turns, after two calls of each; the values
have the same bits. Clock: medians by the clock, of which the ratio says something on a quiet machine alone.
Machine: the same ratio of arithmetic in registers, without this package, in the same turns: where others use
the processors, too, they give less than their number.
Share: the part of the processor's time that other threads took; as many threads with cores of their own would
gain 1 / (1 - share) by it, however loaded the machine is, unless the other threads came too late for a part.
Kernel: the part of one thread's time in the loop of formulas, whose items threads share evenly: k quiet cores
would gain 1 / (1 - kernel (1 - 1 / k)) by it, if memory is not what they wait for.
Memory: how much faster as many threads add long arrays, which is what memory gives; what waits for it gains
no more.
"""

from __future__ import annotations

import hashlib
import os
import statistics
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import checkpoint
from checkpoint import arrays
from checkpoint.functions.resumption import as_function
from checkpoint.scalars.compiled import by_c
from experiments import common, processes
from experiments.combinators.run import added

VARIABLE = "CHECKPOINT_THREADS"
LONG = 10_000_000  # reals of an array that no cache holds
ROUNDS = 40_000  # of a hash, which take some 20 ms


class Times(NamedTuple):
    """Seconds of a call: by the clock, of the processor, and of it those of the calling thread."""

    clock: float
    processor: float
    own: float


def polynomial(x: Any) -> Any:
    """Return 20 flops of a number."""
    y = 1.0 + x * (0.5 + x * (0.25 + x * (0.125 + x * (0.0625 + x * (0.03 + x * (0.015 + x * 0.007))))))
    return y * (x + y * (0.1 + y * 0.01)) - x


def iterated(x: Any) -> Any:
    """Return 1,000 flops of a number, in a loop."""
    y = x
    for _ in range(200):
        y = y * (1.0 - x * y) * 0.9 + 0.1
    return y


def lengthened(x: Any) -> Any:
    """Return 2 flops of a number."""
    return x * 0.5 + 1.0


def turned(p: Any, q: Any) -> Any:
    """Return the product of two quaternions, which takes 28 flops."""
    a, b, c, d = p
    e, f, g, h = q
    return (
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    )


def whole_turn(items: Any) -> Any:
    """Return a number of the product of quaternions."""
    found = arrays.reduce(turned, items)
    return found[0] + found[1] * found[2]


def turns(items: int) -> Any:
    """Return quaternions near 1 whose length is 1, as their products' is."""
    x = 1e-3 * np.random.default_rng(0).random(items)
    return (np.sqrt(1.0 - 14.0 * x * x), x, 2.0 * x, 3.0 * x)


def numbers(items: int) -> Any:
    return np.random.default_rng(0).random(items)


# By name: a function of items, and what makes so many.
LOSSES: dict[str, tuple[Callable[[Any], Any], Callable[[int], Any]]] = {
    "map, 20 flops": (lambda x: np.sum(arrays.map(polynomial, x)), numbers),
    "map, 1,000 flops in a loop": (lambda x: np.sum(arrays.map(iterated, x)), numbers),
    "reduce, 28 flops": (whole_turn, turns),
    "scan, 28 flops": (lambda x: np.sum(arrays.scan(turned, x)[1]), turns),
    "map, 2 flops": (lambda x: np.sum(arrays.map(lengthened, x)), numbers),
    "reduce, a sum": (lambda x: arrays.reduce(added, x) ** 2, numbers),
    "scan, a sum": (lambda x: np.sum(arrays.scan(added, x) ** 2), numbers),
}


@contextmanager
def threads(number: int) -> Iterator[None]:
    """Let runs use so many threads."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = str(number)
    try:
        yield
    finally:
        del os.environ[VARIABLE]
        if before is not None:
            os.environ[VARIABLE] = before


def times_of(action: Callable[[], Any]) -> Times:
    """Return the times of one call."""
    begun = time.perf_counter(), time.process_time(), time.thread_time()
    action()
    ended = time.perf_counter(), time.process_time(), time.thread_time()
    return Times(*[after - before for before, after in zip(begun, ended, strict=True)])


def hashed(rounds: int) -> bytes:
    """Do arithmetic in registers, without Python's lock."""
    return hashlib.pbkdf2_hmac("sha256", b"", b"", rounds)


def arithmetic(pool: ThreadPoolExecutor, number: int) -> float:
    """Return the seconds that so many threads take for the same arithmetic together."""
    begun = time.perf_counter()
    list(pool.map(hashed, [ROUNDS // number] * number))
    return time.perf_counter() - begun


def measured(action: Callable[[], Any], number: int, repeats: int) -> tuple[dict[int, Times], float]:
    """Return the medians of a call's times on one thread and on several, and the machine's gain.

    Raises ValueError if the bits differ.
    """
    found: dict[int, list[Times]] = {1: [], number: []}
    machine: dict[int, list[float]] = {1: [], number: []}
    bits = set()
    with ThreadPoolExecutor(number) as pool:
        for turn in range(repeats + 2):
            for each, times in found.items():
                machine[each].append(arithmetic(pool, each))
                with threads(each):
                    if turn < 2:
                        bits.add(np.asarray(action(), float).tobytes())
                    else:
                        times.append(times_of(action))
    if len(bits) != 1:
        raise ValueError("several threads give other bits than one")
    medians = {
        each: Times(*map(statistics.median, zip(*times, strict=True))) for each, times in found.items()
    }
    gain = statistics.median(machine[1]) / statistics.median(machine[number])
    return medians, gain


def kernel_part(action: Callable[[], Any], repeats: int) -> float:
    """Return the part of one thread's time that the loop of formulas takes, the median of some calls."""
    spent = [0.0]
    compiled = by_c.formula, by_c.tree

    def timed(of: Callable[..., bool]) -> Callable[..., bool]:
        def call(*operands: Any) -> bool:
            begun = time.thread_time()
            try:
                return of(*operands)
            finally:
                spent[0] += time.thread_time() - begun

        return call

    parts = []
    by_c.formula, by_c.tree = map(timed, compiled)
    try:
        with threads(1):
            for _ in range(repeats):
                spent[0] = 0.0
                own = times_of(action).own
                parts.append(spent[0] / own)
    finally:
        by_c.formula, by_c.tree = compiled
    return statistics.median(parts)


def memory_gain(number: int, repeats: int) -> float:
    """Return how much faster several threads add long arrays than one does, by medians of turns."""
    x, y, to = (np.ones(LONG) for _ in range(3))
    found: dict[int, list[float]] = {1: [], number: []}
    with ThreadPoolExecutor(number) as pool:

        def added(parts: int) -> None:
            """Add the arrays in parts, by as many threads."""
            list(pool.map(np.add, *[np.array_split(a, parts) for a in (x, y, to)]))

        for _ in range(repeats):
            for each, times in found.items():
                times.append(times_of(partial(added, each)).clock)
    return statistics.median(found[1]) / statistics.median(found[number])


def rows_of(names: list[str], items: int, number: int, repeats: int, engine: str) -> list[list[str]]:
    """Return a row for the run and one for the gradient of each combinator."""
    rows = []
    for name in names:
        loss, made = LOSSES[name]
        x = made(items)
        gradient = checkpoint.grad(loss, engine=engine)
        actions = {
            "run": lambda loss=loss, x=x: as_function(loss).call((x,), {}, engine).value(),
            "gradient": lambda gradient=gradient, x=x: gradient(x),
        }
        for what, action in actions.items():
            times, machine = measured(action, number, repeats)
            one, several = times[1].clock, times[number].clock
            share = 1.0 - times[number].own / times[number].processor
            shown = [f"{1e3 * one:.1f}", f"{1e3 * several:.1f}", f"{one / several:.2f}", f"{machine:.2f}"]
            kernel = kernel_part(action, repeats)
            gain = 1 / (1 - kernel * (1 - 1 / number))
            shown += [f"{share:.2f}", f"{1 / (1 - share):.2f}", f"{1e3 * times[1].own:.1f}", f"{kernel:.2f}"]
            rows.append([f"{name}, {what}", *shown, f"{gain:.2f}"])
    return rows


def main() -> None:
    options = common.parser(__doc__.splitlines()[0])
    options.add_argument("--items", type=common.natural, default=300_000)
    options.add_argument("--threads", type=common.natural, default=2)
    options.add_argument("--only", default="", help="combinators whose name begins so")
    chosen = options.parse_args()
    number = chosen.threads
    head = (
        "combinator",
        "clock, 1",
        f"clock, {number}",
        "ratio",
        "machine",
        "share",
        "gain",
        "processor, 1",
        "kernel",
        "gain",
    )
    names = [name for name in LOSSES if name.startswith(chosen.only)]
    print(common.table(head, rows_of(names, chosen.items, number, chosen.repeats, chosen.engine)))
    gain = memory_gain(number, chosen.repeats)
    print(f"memory: {number} threads add long arrays {gain:.2f} times as fast as one")
    print(f"load: {processes.load()}")


if __name__ == "__main__":
    main()
