"""Capsules with deep stacks: what C writes as columns is what hybrid writes, and goes on to the same bits."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint.ad.arrays import Array
from checkpoint.ad.containers import List
from checkpoint.ctarget.capsules import runs as states
from checkpoint.ctarget.capsules.rest import Rest
from tests.support.corpus import usable_engines

pytestmark = pytest.mark.skipif(
    "c" not in [engine.name for engine in usable_engines()], reason="engine c is not there"
)
DEPTH = 1500


def reals(n: int, x: float) -> float:
    if n == 0:
        return x
    return reals(n - 1, x * 1.0001) * 1.0001 + x


def counted(n: int, x: float) -> float:
    if n == 0:
        return x
    return counted(n - 1, x + 1e-3) * x + n


def even(n: int, x: float) -> float:
    return x if n == 0 else odd(n - 1, x) + n * x


def odd(n: int, x: float) -> float:
    return x if n == 0 else even(n - 1, x) * 0.999


def listed(n: int, xs: list[float]) -> float:
    if n == 0:
        return xs[0]
    return listed(n - 1, [xs[0] * 0.5, xs[1]]) + xs[1]


def caught(n: int, x: float) -> float:
    if n == 0:
        raise ValueError("the bottom")
    try:
        return caught(n - 1, x) + x
    except KeyError:
        return x


def of_reals(x: float) -> float:
    return reals(DEPTH, x)


def of_both(x: float) -> float:
    return counted(DEPTH, x) + reals(30, counted(DEPTH // 2, x))


def of_two(x: float) -> float:
    return even(DEPTH, x)


def of_lists(x: float) -> float:
    return listed(DEPTH, [x, 2.0 * x]) + reals(DEPTH, x)


def of_layers(x: float) -> float:
    def outer(n: int, x: float) -> float:
        if n == 0:
            return reals(DEPTH // 3, x)
        return outer(n - 1, x) + (counted(20, x) if n % 50 == 0 else x)

    return outer(DEPTH, x)


def of_handlers(x: float) -> float:
    try:
        return caught(DEPTH, x)
    except ValueError:
        return x * x


def of_one_list(x: float) -> float:
    def shared(n: int, xs: list[float], kind: str) -> float:
        if n == 0:
            return xs[0]
        return shared(n - 1, xs, kind) * 0.999 + xs[1] * len(kind)

    return shared(DEPTH, [x, 2.0 * x], "kind")


def of_weights(x: float) -> Any:
    def layered(n: int, w: Any) -> Any:
        if n == 0:
            return w.sum()
        return layered(n - 1, w) * 0.999 + w[1]

    return layered(DEPTH, np.array([x, 2.0 * x]))


FUNCTIONS = [of_reals, of_both, of_two, of_lists, of_layers, of_handlers, of_one_list, of_weights]


def shown(value: Any) -> str:
    """Return what a value holds, as a text: of a list its items, of an array its elements."""
    if type(value) is Array:
        return repr(value.data.tolist())
    return repr(value.items) if type(value) is List else repr(value)


def frames(state: Any) -> list[tuple[Any, ...]]:
    """Return the frames of a state, from the top, in what tells them apart."""
    found, frame = [], state.frame
    while frame is not None:
        call = None if frame.call is None else (frame.call.start, frame.call.text)
        found.append((frame.block.fingerprint, frame.handler is None, call, tuple(map(shown, frame.saved))))
        frame = frame.next
    return found


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("seed", range(4))
def test_columns_are_what_the_frames_hold(
    f: Any, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(states, "DEEP", 10)
    steps = checkpoint.primops(f, 1.25, engine="c")
    cut = random.Random(seed).randrange(steps // 4, 3 * steps // 4)
    z = checkpoint.interrupt(f, 1.25, cut, engine="c")
    z.save(tmp_path / "by columns")
    other = checkpoint.interrupt(f, 1.25, cut, engine="c")
    expected = frames(other.state)  # now it is hybrid's
    other.save(tmp_path / "by frames")
    loaded = checkpoint.load(tmp_path / "by columns", f)
    assert frames(loaded.state) == expected
    assert frames(checkpoint.load(tmp_path / "by frames", f).state) == expected
    assert checkpoint.resume(loaded) == checkpoint.vjp(f, 1.25)[0]
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").stat().st_size == (tmp_path / "by frames").stat().st_size


def test_a_deep_capsule_has_the_same_cotangent(tmp_path: Path) -> None:
    z = checkpoint.interrupt(of_both, 1.25, 3 * DEPTH, engine="c")
    z.save(tmp_path / "z")
    zbar = checkpoint.vjp(checkpoint.resume, z)[1]
    loaded = checkpoint.load(tmp_path / "z", of_both)
    other = checkpoint.vjp(checkpoint.resume, loaded)[1]
    zbar.save(tmp_path / "zbar")
    other.save(tmp_path / "other")
    assert (tmp_path / "zbar").read_bytes() == (tmp_path / "other").read_bytes()


@pytest.mark.parametrize("f", [of_one_list, of_weights])
def test_what_frames_share_has_the_same_cotangents(
    f: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list in all frames is one; an array has a location in each."""
    monkeypatch.setattr(states, "DEEP", 100)
    cut = checkpoint.primops(f, 1.25, engine="c") // 2
    checkpoint.interrupt(f, 1.25, cut, engine="c").save(tmp_path / "z")
    loaded = checkpoint.load(tmp_path / "z", f)
    assert (type(loaded.state) is Rest) == (f is of_one_list)
    zbar = checkpoint.vjp(checkpoint.resume, loaded)[1]
    other = checkpoint.vjp(checkpoint.resume, checkpoint.interrupt(f, 1.25, cut, engine="hybrid"))[1]
    assert (len(zbar.numbers) < 100) == (f is of_one_list)
    for one, two in zip(zbar.numbers, other.numbers, strict=True):
        assert np.array_equal(getattr(one, "data", one), getattr(two, "data", two))
    loaded.save(tmp_path / "again")
    assert checkpoint.resume(checkpoint.load(tmp_path / "again", f)) == checkpoint.resume(loaded)


def test_a_deep_stack_needs_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "DEEP", 500)
    cut = checkpoint.primops(of_reals, 1.25, engine="c") // 2
    checkpoint.interrupt(of_reals, 1.25, cut, engine="c").save(tmp_path / "z")
    assert type(checkpoint.load(tmp_path / "z", of_reals).state) is Rest
    for least in (1 << 10, 1 << 12, 1 << 14):
        monkeypatch.setenv("CHECKPOINT_MEMORY", str(least))
        with pytest.raises(MemoryError, match="out of memory"):
            checkpoint.load(tmp_path / "z", of_reals)
    monkeypatch.delenv("CHECKPOINT_MEMORY")
    assert checkpoint.resume(checkpoint.load(tmp_path / "z", of_reals)) == checkpoint.vjp(of_reals, 1.25)[0]


def test_most_of_a_deep_stack_never_becomes_objects(tmp_path: Path) -> None:
    z = checkpoint.interrupt(of_reals, 1.25, checkpoint.primops(of_reals, 1.25) // 2, engine="c")
    found = states.in_runs(z.state)
    assert found is not None
    runs = [run for run in found.runs if isinstance(run, states.Run)]
    assert sum(run.frames for run in runs) > 0.9 * sum(
        run if isinstance(run, int) else run.frames for run in found.runs
    )
    assert len(frames(found.state)) < 20
