"""Loops of lanes in slots: what turns leave to each other is in registers, and vectors stay full."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint.ctarget.translate.collected import units_of
from checkpoint.ctarget.translate.emit import text as emitted
from checkpoint.ctarget.translate.strips import planner
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler
from tests.support.alone import check_alone, is_alone
from tests.support.strips import counted, translate_soon, until_in_strips

pytestmark = [needs_c, needs_compiler]

LANES = 2_048
MOST_IN_STRIP = 8 * 128  # lanes, with the widest vectors and most of them; half of it on a tape


def grows(x: float, n: float) -> float:
    while n > 0.0:
        x = x * 0.5 if x > 1.0 else x * 1.5 + 0.1
        n = n - 1.0
    return x


def passes_on(x: float, n: float) -> float:
    """The inner loop passes `kept` on through the join behind its branch."""
    total, kept = 0.0, x
    while n > 0.0:
        left = 3.0
        while left > 0.0:
            total = total * 0.5 - kept if total > kept else total + kept * left
            left = left - 1.0
        kept = kept * 0.75 + 0.25
        n = n - 1.0
    return total


def turns(text: str) -> list[str]:
    """Return the statements of the turns of each loop of lanes."""
    return re.findall(r"^ +for \(int turn = 0;.*?^ +if \(!active\)", text, re.MULTILINE | re.DOTALL)


def test_turns_touch_no_memory() -> None:
    """Within a turn no array of the strip is named: it sets variables; and writes one record at most."""
    if not is_alone():
        check_alone(__file__, "touch_no_memory")
        return
    args = np.linspace(0.0, 2.0, 400), np.full(400, 30.0)
    units = units_of(lambda: checkpoint.vmap(grows, engine="c")(*args))
    (unit,) = [each for each in units if planner.find(each) is not None]
    for form, strips in (("plain", 1), ("taped", 2)):
        found = turns(emitted.source(unit, form, lines=False))
        assert len(found) == strips
        for text in found:
            assert "_now[u] = " in text
            assert set(re.findall(r"\w+(?<!_now)\[\w+\]", text)) == set()
            assert text.count("ways[-1] = ") == (form == "taped")


def test_what_a_turn_passes_on_stays_where_it_is() -> None:
    """Behind a join it is no vector that both branches set, and no lane takes it back to its place."""
    if not is_alone():
        check_alone(__file__, "passes_on_stays")
        return
    args = np.linspace(0.0, 2.0, 400), np.full(400, 30.0)
    units = units_of(lambda: checkpoint.vmap(passes_on, engine="c")(*args))
    (unit,) = [each for each in units if planner.find(each) is not None]
    (text,) = [each for each in turns(emitted.source(unit, "plain", lines=False)) if "_here" in each]
    assert len(set(re.findall(r"(\w+)_here = ", text))) == 1  # of the total alone
    assert len(re.findall(r"_now\[u\] = either_reals\(here_", text)) == 2  # and of the turns that are left


@pytest.mark.parametrize("kind", ["alike", "by vector", "mixed"])
def test_lanes_that_leave_together(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All lanes of a vector take and leave slots at once, some do, or none: the bits are the same."""
    translate_soon(monkeypatch)
    monkeypatch.setenv("CHECKPOINT_THREADS", "1")
    strips = counted(monkeypatch)
    rng = np.random.default_rng(2)
    by_vector = np.repeat(rng.integers(1, 40, LANES // 8), 8)
    ns = {"alike": np.full(LANES, 20), "by vector": by_vector}.get(kind, rng.integers(0, 40, LANES)).astype(
        float
    )
    xs = rng.random(LANES) * 2.0

    for f in (grows, passes_on):

        def loss(xs: Any, f: Any = f) -> Any:
            return np.sum(checkpoint.vmap(f)(xs, ns) * np.arange(1.0, LANES + 1.0))

        want = checkpoint.value_and_grad(loss, engine="hybrid")(xs)
        for _ in until_in_strips(strips):
            value, gradient = checkpoint.value_and_grad(loss, engine="c")(xs)
            assert value == want[0]
            assert gradient.tobytes() == want[1].tobytes()


def test_vectors_of_which_most_lanes_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """One lane of each vector runs long; the others end at once, and leave their slots to the next lanes."""
    translate_soon(monkeypatch)
    monkeypatch.setenv("CHECKPOINT_THREADS", "1")
    strips = counted(monkeypatch)
    xs = np.random.default_rng(0).random(LANES) * 2.0
    ns = np.where(np.arange(LANES) % 4 == 0, 70.0, 2.0)
    want = checkpoint.vmap(grows, engine="hybrid")(xs, ns)
    for _ in until_in_strips(strips):
        assert checkpoint.vmap(grows, engine="c")(xs, ns).tobytes() == want.tobytes()
    before = strips.value
    assert checkpoint.vmap(grows, engine="c")(xs, ns).tobytes() == want.tobytes()
    assert (strips.value - before) * MOST_IN_STRIP > LANES * 0.75


def test_taped_lanes_change_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lanes of which some run long are in strips on a tape: they take the slots of those that have ended."""
    translate_soon(monkeypatch)
    monkeypatch.setenv("CHECKPOINT_THREADS", "1")
    strips = counted(monkeypatch)
    rng = np.random.default_rng(1)
    xs, ns = rng.random(LANES) * 2.0, np.where(np.arange(LANES) % 16 == 5, 600.0, rng.integers(1, 9, LANES))

    def loss(xs: Any) -> Any:
        return np.sum(checkpoint.vmap(grows)(xs, ns) * np.arange(1.0, LANES + 1.0))

    want = checkpoint.grad(loss, engine="hybrid")(xs)
    for _ in until_in_strips(strips):
        assert checkpoint.grad(loss, engine="c")(xs).tobytes() == want.tobytes()
    before = strips.value
    assert checkpoint.grad(loss, engine="c")(xs).tobytes() == want.tobytes()
    assert (strips.value - before) * MOST_IN_STRIP / 2 > LANES * 0.75


@pytest.mark.parametrize("width", [8, 9, 31, 33, 100, 260, 300, 1_000])
def test_strips_of_all_lengths(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Strips have as many chunks as lanes are left; the bits are those of the loop over lanes."""
    translate_soon(monkeypatch)
    monkeypatch.setenv("CHECKPOINT_THREADS", "1")
    rng = np.random.default_rng(width)
    xs, ns = rng.random(width) * 2.0, rng.integers(0, 90, width).astype(float)
    mapped = checkpoint.vmap(grows, engine="c")

    def loss(xs: Any) -> Any:
        return np.sum(checkpoint.vmap(grows)(xs, ns))

    want = np.array([grows(x, n) for x, n in zip(xs, ns, strict=True)])
    both = checkpoint.value_and_grad(loss, engine="hybrid")(xs)
    for _ in range(5):
        assert mapped(xs, ns).tobytes() == want.tobytes()
        value, gradient = checkpoint.value_and_grad(loss, engine="c")(xs)
        assert value == both[0]
        assert gradient.tobytes() == both[1].tobytes()


def chooses(x: float, n: float) -> float:
    """Forks whose sides set the same numbers, or some of them, and forks within forks."""
    y, z = 1.0, x
    while n > 0.0:
        if x > 1.0:
            x, y = x * 0.5, x
        elif x > 0.6:
            x = x * 1.25 + 0.1
            if y > 0.7:
                z = z * 0.5 + y
        elif y > z:
            y, z = z, y * 0.75
        else:
            x, z = x * 1.5 + 0.1, z + 0.01
        n = n - 1.0
    return x + y * z


def test_forks_within_forks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Choose what the sides of forks set by their tests where nothing else has set it, else by masks."""
    translate_soon(monkeypatch)
    monkeypatch.setenv("CHECKPOINT_THREADS", "1")
    strips = counted(monkeypatch)
    rng = np.random.default_rng(3)
    xs, ns = rng.random(LANES) * 2.0, rng.integers(0, 40, LANES).astype(float)

    def loss(xs: Any) -> Any:
        return np.sum(checkpoint.vmap(chooses)(xs, ns) * np.arange(1.0, LANES + 1.0))

    want = np.array([chooses(x, n) for x, n in zip(xs, ns, strict=True)])
    both = checkpoint.value_and_grad(loss, engine="hybrid")(xs)
    for _ in until_in_strips(strips):
        assert checkpoint.vmap(chooses, engine="c")(xs, ns).tobytes() == want.tobytes()
        value, gradient = checkpoint.value_and_grad(loss, engine="c")(xs)
        assert value == both[0]
        assert gradient.tobytes() == both[1].tobytes()
    mapped = checkpoint.vmap(chooses)
    steps = {checkpoint.primops(lambda given: mapped(given, ns), xs, engine=each) for each in ("hybrid", "c")}
    assert len(steps) == 1


def test_masks_that_a_turn_needs() -> None:
    """Lanes of both sides of a fork arrive at its join by one mask; who stays there is not counted twice."""
    if not is_alone():
        check_alone(__file__, "masks_that_a_turn_needs")
        return
    args = np.linspace(0.0, 2.0, 400), np.full(400, 30.0)
    units = units_of(lambda: checkpoint.vmap(grows, engine="c")(*args))
    (unit,) = [each for each in units if planner.find(each) is not None]
    (text,) = turns(emitted.source(unit, "plain", lines=False))
    assert len(re.findall(r"here_(\d+) = EITHER\(here_\1, yes_\d+\);", text)) == 1
    assert len(re.findall(r"ADD_LANES\(", text)) == 1
    assert len(re.findall(r"(\w+_here) = either_reals\(\w+, \1, \w+\);", text)) == 1
