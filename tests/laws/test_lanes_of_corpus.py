"""Programs of the corpus in the lanes of a map over a tensor are the loop over lanes, on every engine.

Compared with runs of single items are values, errors, what is written, and the bits of gradients by several
schedules; with one another, the step counts of the engines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from checkpoint.ad import library
from checkpoint.ad.arrays import Array, Memory
from checkpoint.ad.graph import numbers
from checkpoint.ad.values import Pair
from checkpoint.driver.budget import Budget
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Bisection, Plain
from checkpoint.errors import RunError
from checkpoint.functions import runs
from tests.arrays_vlad.support import elements
from tests.support.corpus import ENTRIES, Entry, usable_engines, value_of
from tests.support.same import same_bits
from tests.support.sampling import sample
from tests.support.world import World

MAP = "(lambda ((cons f xs)) (map f xs))"
SCHEDULES = (Plain(), Bisection(base=500), Budget("4MiB"))
NARROW, WIDE = (1, 3), (64, 1000)
Ended = tuple[Any, str | None, str]


def is_number(text: str | None) -> bool:
    return text is not None and text.replace(".", "").replace("-", "").isdigit()


OF_A_NUMBER = [entry for entry in ENTRIES if is_number(entry.header.get("x"))]
TO_A_NUMBER = [entry for entry in OF_A_NUMBER if is_number(entry.header.get("ybar"))]


def cases(entries: Sequence[Entry]) -> pytest.MarkDecorator:
    """Return the mark of a test of programs at all widths; of wide ones in long tests alone."""
    narrow = sample([(entry, width) for width in NARROW for entry in entries], every=3)
    wide = [pytest.param(entry, width, marks=pytest.mark.long) for width in WIDE for entry in entries]
    return pytest.mark.parametrize(
        ("entry", "width"), [*narrow, *wide], ids=lambda x: x.name if isinstance(x, Entry) else str(x)
    )


def tensor(items: Sequence[float]) -> Array:
    library.load("numpy")
    return Array(np.array(items), Memory())


def items(entry: Entry, width: int) -> list[float]:
    """Return the numbers of so many lanes, the first of which is the program's own."""
    return [float(entry.header["x"]) + 0.01 * (i % 7) for i in range(width)]


def function_of(entry: Entry, engine: Engine) -> Any:
    with World(entry.input):
        return runs.run_program(entry.program, engine)


def ended(action: Callable[[], Any], text: str) -> Ended:
    """Return the value of an action, or else its error; and what it has written."""
    with World(text) as world:
        try:
            return action(), None, world.written
        except RunError as error:
            return None, error.message, world.written


def check_values(entry: Entry, engine: Engine, width: int) -> int | None:
    """Check the value of all lanes, or their error; return the steps of the run."""
    f, xs, text = function_of(entry, engine), items(entry, width), entry.input * width
    mapped, x = value_of(MAP, engine), Pair(f, tensor(xs))
    got = ended(lambda: runs.call_values(mapped, x, engine), text)
    want = ended(lambda: [runs.call_values(f, x, engine) for x in xs], text)
    assert got[1:] == want[1:]
    if want[1] is not None:
        return None
    stacked = [elements(leaf) for leaf in numbers(got[0])]
    assert all(len(leaf) == width for leaf in stacked)
    for lane, value in enumerate(want[0]):
        found = [float(leaf[lane]) for leaf in stacked]
        assert all(map(same_bits, found, map(float, numbers(value)))), f"lane {lane}: {found}"
    with World(text):
        return runs.primops_values(mapped, x, engine)


@cases(OF_A_NUMBER)
def test_values_and_steps(entry: Entry, width: int) -> None:
    assert len({check_values(entry, engine, width) for engine in usable_engines()}) == 1


@cases(TO_A_NUMBER)
def test_gradients(entry: Entry, width: int) -> None:
    bars = [float(entry.header["ybar"]) * (1.0 + 0.25 * (i % 5)) for i in range(width)]
    xs, text = items(entry, width), entry.input * width
    for engine in usable_engines():
        f, mapped = function_of(entry, engine), value_of(MAP, engine)
        with World(text):
            want = [runs.vjp_values(f, x, bar, engine, Plain()) for x, bar in zip(xs, bars, strict=True)]
        for schedule in SCHEDULES:
            with World(text):
                y, x_bar = runs.vjp_values(mapped, Pair(f, tensor(xs)), tensor(bars), engine, schedule)
            assert y.data.shape == x_bar.cdr.data.shape == (width,)
            assert all(map(same_bits, y.data.tolist(), [value for value, _ in want]))
            assert all(map(same_bits, x_bar.cdr.data.tolist(), [cotangent for _, cotangent in want]))
