"""Budgets of programs on arrays: what is held stays within them, also where large steps follow in a row.

In: random programs, a loop and then many steps on arrays in a row. Out: their gradients within shares of what
plain reverse mode holds. Engine c alone measures arrays between the steps of a block.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from random import Random
from typing import Any

import pytest

from checkpoint import engines, grad, profile
from checkpoint.driver.budget import Budget
from checkpoint.driver.schedule import Action, Actions, Advance, Drop, Keep, Plain, Restore, Reverse, Tape
from checkpoint.errors import BudgetError
from tests.support.budgets import Watched
from tests.support.sampling import partly

np = pytest.importorskip("numpy")
pytestmark = pytest.mark.skipif("c" not in engines.usable(), reason="engine c is not built")

OPERATIONS = (
    "{a} * 1.001",
    "{a} * {b}",
    "{a} - {b}",
    "{a} / (1.0 + {b} * {b})",
    "np.sin({a})",
    "np.exp({a} * 0.01)",
    "np.maximum({a}, {b})",
    "np.concatenate([{a}[:2000], {b}[2000:]])",
)
SIZE = 8192  # elements
ARRAY = 8 * SIZE  # bytes


def text_of(random: Random) -> str:
    """Return the text of a program: a loop of a few steps on arrays, then up to 25 in a row."""

    def step(names: list[str]) -> str:
        a, b = random.choice(names[-4:]), random.choice(names[-4:])
        return random.choice(OPERATIONS).format(a=a, b=b)

    lines = [
        "import numpy as np",
        "def f(x):",
        "    y = x * x[0]",
        f"    for _ in range({random.choice((0, 5, 30))}):",
    ]
    names = ["y"]
    for k in range(random.randint(1, 4)):
        lines.append(f"        t{k} = {step(names)}")
        names.append(f"t{k}")
    lines.append(f"        y = 0.9 * y + 0.1 * {names[-1]}")
    names = ["y"]
    for k in range(random.randint(1, 25)):
        lines.append(f"    a{k} = {step(names)}")
        names.append(f"a{k}")
    return "\n".join([*lines, f"    return np.sum({names[-1]} * {random.choice(names)})", ""])


def program(folder: Path, seed: int) -> Callable[[Any], Any]:
    path = folder / f"program{seed}.py"
    path.write_text(text_of(Random(seed)))
    spec = spec_from_file_location(f"program{seed}", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[[Any], Any] = module.f
    return found


@pytest.mark.parametrize("seed", [*range(4), *partly(range(4, 30), ())])
def test_little_more_is_held_than_the_budget(tmp_path: Path, seed: int) -> None:
    """Exceeds the budget by a step at most: the first of a run is made whatever is free."""
    f, x = program(tmp_path, seed), np.linspace(0.1, 1.0, SIZE)
    plain = Watched(Plain())
    expected = grad(f, engine="c", schedule=plain)(x)
    for share in (0.3, 0.5, 0.7, 0.9, 1.05):
        watched = Watched(Budget(int(share * plain.most)))
        try:
            found = grad(f, engine="c", schedule=watched)(x)
        except BudgetError:
            continue
        assert (found == expected).all()
        assert watched.most <= share * plain.most + 2 * ARRAY


@pytest.mark.parametrize("seed", range(4))
def test_what_fits_with_room_is_run_once(tmp_path: Path, seed: int) -> None:
    f, x = program(tmp_path, seed), np.linspace(0.1, 1.0, SIZE)
    plain = Watched(Plain())
    grad(f, engine="c", schedule=plain)(x)
    with profile() as found:
        grad(f, engine="c", memory=2 * plain.most)(x)
    assert found.total.executed == found.total.run


def chain(x: Any) -> Any:
    for _ in range(200):
        x = np.sin(x)
    return np.sum(x)


def test_near_states_are_given_up_before_far_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Expect states just before a step that lacks room to be dropped: they are cheapest to find again."""
    monkeypatch.setenv("CHECKPOINT_JIT", "off")
    x = np.linspace(0.0, 1.0, 131072)
    with profile() as found:
        grad(chain, engine="c", memory=12 * x.nbytes)(x)
    assert found.total.executed <= 5 * found.total.run  # 6.1 times where the largest state was given up first
    assert found.total.peak_bytes <= 12 * x.nbytes


def straight(x: Any) -> Any:
    """Twelve steps in a row, each of which makes an array; all of them are in one block."""
    a = x * 2.0
    b = np.sin(a)
    c = a * b
    d = np.sin(c)
    e = c * d
    f = np.sin(e)
    g = e * f
    h = np.sin(g)
    i = g * h
    return np.sum(i)


class Cut:
    """A schedule that runs up to a bound of bytes held, with or without a tape, and reverses in two parts."""

    weighs = True

    def __init__(self, most: int, taped: bool) -> None:
        self.most, self.taped = most, taped
        self.step, self.held, self.finished = 0, 0, False

    def actions(self) -> Actions:
        start = (yield Keep()).step
        first: Action = Tape(None, None, self.most) if self.taped else Advance(None, most=self.most)
        report = yield first
        self.step, self.held, self.finished = report.step - start, report.held, report.finished
        cut = (yield Keep()).step
        yield Tape(None)
        yield Reverse()
        yield Drop(cut)
        yield Restore(start)
        yield Tape(cut)
        yield Reverse()


@pytest.mark.parametrize("arrays", [3, 5, 7])
@pytest.mark.parametrize("taped", [True, False])
def test_a_run_stops_within_a_block_before_it_holds_too_much(arrays: int, taped: bool) -> None:
    x = np.linspace(0.1, 1.0, SIZE)
    plain = Watched(Plain())
    expected = grad(straight, engine="c", schedule=plain)(x)
    schedule = Cut(arrays * ARRAY, taped)
    assert (grad(straight, engine="c", schedule=schedule)(x) == expected).all()
    assert schedule.held <= arrays * ARRAY
    assert schedule.finished == (not taped and arrays > 3), (
        "without a tape there are up to three arrays at once"
    )
    assert schedule.step > 0
