"""Operators that engine c applies and reverses without Python code give the bits of their records' rules."""

from __future__ import annotations

import itertools
import threading
import time
from typing import Any

import numpy as np
import pytest

from checkpoint import grad, value_and_grad
from checkpoint.ad.record import records
from checkpoint.ad.tensors import Tensor
from checkpoint.ctarget import library
from checkpoint.ctarget.foreign import PythonHelper
from tensorlib import networks

pytestmark = pytest.mark.skipif(library.reason() is not None, reason=str(library.reason()))

ODD = np.array([1.0, np.nan, np.inf, -0.0, 0.1, -np.inf])
OTHER = np.array([1.0, 2.0, np.inf, 0.0, np.nan, 0.3])
WEIGHTS = np.array([-1.0, 2.0, -3.0, np.inf, np.nan, -0.0])


def sums(x: Any, y: Any, w: Any) -> Any:
    return np.sum((x + y - (x - 0.5) - (-y)) * w)


def products(x: Any, y: Any, w: Any) -> Any:
    return np.sum((x * y * x * 1.5) * (w * x))


def quotients(x: Any, y: Any, w: Any) -> Any:
    return np.sum((x / y / 3.0 + 2.0 / x) * w)


def extremes(x: Any, y: Any, w: Any) -> Any:
    return np.sum((np.maximum(x, y) + np.minimum(y, x)) * w)


def peaks(x: Any, y: Any, w: Any) -> Any:
    a, b = x.reshape(2, 3), np.minimum(y, 1.0).reshape(3, 2)
    along = np.max(a, axis=0) * np.min(a.T, axis=1) + b.max(1) / np.min(b, axis=-1, keepdims=True)[:, 0]
    return np.sum(along * w[:3]) * np.max(w[:2]) + np.min(x * 0.0 - y[3]) * y.min() * w[1] + np.max(b[:2, 0])


def bounded(x: Any, y: Any, w: Any) -> Any:
    return np.sum((np.maximum(x, 0.1) - np.minimum(0.1, y)) * w)


def strided(x: Any, y: Any, w: Any) -> Any:
    return np.sum(np.maximum(x[::2], y[::2]) * w[::2]) + np.sum(np.maximum(x[::-1], 0.1) * w)


def broadcast(x: Any, y: Any, w: Any) -> Any:
    table = np.maximum(x[:, None], y) * w
    return np.sum(table / y + x[:, None] - w)


def matrices(x: Any, y: Any, w: Any) -> Any:
    return np.sum((x.reshape(2, 3) @ y.reshape(3, 2)) @ w[:4].reshape(2, 2)) + x @ (y * w)


def shared(x: Any, y: Any, w: Any) -> Any:
    """Cotangents that are handed over, changed in place, and added to, in all orders."""
    a = x * y
    b = a + a
    c = b * a - b
    return np.sum(c * w + (a + x) * (b - c))


FUNCTIONS = (sums, products, quotients, extremes, peaks, bounded, strided, broadcast, matrices, shared)


def bits(found: Any) -> Any:
    """The bits of the numbers in `found`; all NaNs are equal (docs/design/index.md)."""
    if isinstance(found, tuple):
        return tuple(map(bits, found))
    array = np.asarray(found)
    return array.dtype, np.where(np.isnan(array), np.array(np.nan, array.dtype), array).tobytes()


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16, np.dtype(">f8")], ids=str)
def test_gradients_have_the_bits_of_the_rules(f: Any, kind: Any) -> None:
    args = [x.astype(kind) for x in (ODD, OTHER, WEIGHTS)]
    with np.errstate(all="ignore"):
        found = [
            bits(value_and_grad(f, (0, 1, 2), engine=engine)(*args)) for engine in ("c", "hybrid", "interp")
        ]
    assert found[0] == found[1] == found[2]


def test_arguments_and_results_are_left_alone() -> None:
    """Only arrays of the sweep itself are changed in place."""
    args = [x.copy() for x in (OTHER, OTHER + 1.0, WEIGHTS)]
    before = [x.tobytes() for x in args]
    with np.errstate(all="ignore"):
        for f, schedule in itertools.product(FUNCTIONS, ("plain", "bisection")):
            first = grad(f, (0, 1, 2), engine="c", schedule=schedule)(*args)
            again = grad(f, (0, 1, 2), engine="c", schedule=schedule)(*args)
            assert bits(first) == bits(again)
            assert [x.tobytes() for x in args] == before


def turns(x: Any, w: Any, count: int) -> Any:
    for _ in range(count):
        x = x * w + w
    return np.sum(x)


def test_other_threads_run_between_steps_on_arrays() -> None:
    """The lock of Python is held over several steps, but not over a whole run.

    How often the other thread is given the processor in a run is the machine's affair, so longer runs follow
    until it came in between; under a lock held over a whole run it never would.
    """
    gradient, over, moments = grad(turns, engine="c"), threading.Event(), []

    def other() -> None:
        while not over.is_set():
            moments.append(time.perf_counter())
            time.sleep(0.0001)

    def between(count: int) -> int:
        began = time.perf_counter()
        gradient(np.ones(4), np.full(4, 0.9), count)
        ended = time.perf_counter()
        return sum(began < moment < ended for moment in moments)

    thread = threading.Thread(target=other)
    thread.start()
    try:
        assert any(between(count) > 3 for count in (20_000, 80_000, 320_000))
    finally:
        over.set()
        thread.join()


def kinds(x: Any, count: int) -> Any:
    for _ in range(count):
        if isinstance(x, np.ndarray) and not isinstance(x, list):
            x = x * 0.5
    return np.sum(x)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list of the primitives that the helper performs from now on."""
    asked: list[str] = []
    perform = PythonHelper.perform

    def noted(helper: Any, peer: Any, steps: int, births: int, tags: int, index: int, operands: Any) -> Any:
        asked.append(peer.block.steps[index].op)
        return perform(helper, peer, steps, births, tags, index, operands)

    monkeypatch.setattr(PythonHelper, "perform", noted)
    return asked


def test_questions_about_arrays_need_no_helper(asked: list[str]) -> None:
    """Steps on data to which an array is data, too, are calls of their record's function."""
    found = [grad(kinds, engine=engine)(OTHER, 5) for engine in ("c", "hybrid")]
    assert bits(tuple(found[:1])) == bits(tuple(found[1:]))
    assert asked == []


def convolved(x: Any, w: Any) -> Any:
    return np.sum(networks.conv2d(x, w, padding=1) ** 2)


def test_steps_of_many_operands_need_no_helper(asked: list[str]) -> None:
    rng = np.random.default_rng(3)
    x, w = rng.normal(size=(2, 3, 4, 5)), rng.normal(size=(2, 3, 3, 3))
    found = [value_and_grad(convolved, engine=engine)(x, w) for engine in ("c", "hybrid")]
    assert bits(tuple(found[:1])) == bits(tuple(found[1:]))
    assert asked == []


def test_no_record_has_more_operands_than_c_takes() -> None:
    counts = {len(each.vjps) for each in records().values() if isinstance(each, Tensor)}
    assert max(counts) <= library.runtime().lib.MOST_OPERANDS
