"""The counter of NumPy arrays' bytes (arrays/array_memory.h): exact, and not felt by anything else."""

from __future__ import annotations

import contextvars
import gc
import os
import pickle
import sys
import threading
import tracemalloc
from typing import Any

import pytest

from checkpoint.ctarget import library

np = pytest.importorskip("numpy", reason="NumPy is not installed")

from tests.ctarget.counters import COUNTER, Counter, counting, handler_name, in_thread  # noqa: E402

pytestmark = pytest.mark.skipif(library.reason() is not None, reason=str(library.reason()))

OURS = 0x636B  # tracemalloc's domain of memory.c


def test_arrays_count_as_long_as_they_live() -> None:
    before = np.ones(100)
    with counting() as counter:
        assert counter.live == 0
        a = np.zeros((30, 50))
        assert (handler_name(a), counter.live) == (COUNTER, a.nbytes)
        b = np.empty(7, dtype=np.int8)
        assert counter.live == a.nbytes + b.nbytes
        c = np.add(before, before)
        assert counter.live == a.nbytes + b.nbytes + c.nbytes
        del a
        assert counter.live == b.nbytes + c.nbytes
        del b, c, before
        assert counter.live == 0
        assert counter.peak == 30 * 50 * 8 + 7 + 800


def test_many_blocks_in_any_order() -> None:
    rng = np.random.default_rng(1)
    sizes, choices = rng.integers(1, 2000, 20_000).tolist(), rng.integers(0, 3, 20_000).tolist()
    held: dict[int, Any] = {}
    with counting() as counter:
        expected = most = 0
        for i, (size, choice) in enumerate(zip(sizes, choices, strict=True)):
            if choice and held:
                expected -= held.pop(next(iter(held)) if choice == 1 else max(held)).nbytes
            held[i] = np.empty(size, dtype=np.int8)
            expected += size
            most = max(most, expected)
            assert counter.live == expected
        held.clear()
        assert (counter.live, counter.peak) == (0, most)


def test_views_and_changes_in_place_count_nothing() -> None:
    other = np.full((40, 40), 2.0)
    with counting() as counter:
        a = np.zeros((40, 40))
        views = [a[1:], a.T, a.reshape(-1), a.view(np.int64), np.broadcast_to(a, (5, 40, 40)), a.real]
        views += [np.frombuffer(b"12345678"), memoryview(bytearray(8)), np.asarray(other)]
        a += other
        np.multiply(a, 2.0, out=a)
        a[3:5] = 1.0
        a.sort(axis=0)
        assert counter.live == a.nbytes
        part = a[:2]
        del a, views
        assert counter.live == 40 * 40 * 8  # the view has it
        del part
        assert counter.live == 0


def test_resizing() -> None:
    old = np.arange(10.0)
    with counting() as counter:
        a = np.arange(10.0)
        for size in (1000, 20, 300_000, 5):
            a.resize(size, refcheck=False)
            assert counter.live == a.nbytes
        assert a.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
        old.resize(50, refcheck=False)  # stays its old handler's
        b = np.fromiter((float(i) for i in range(1000)), dtype=float)
        assert counter.live == a.nbytes + b.nbytes
        c = np.fromstring("1 2 3", sep=" ")
        assert counter.live == a.nbytes + b.nbytes + c.nbytes
        del a, b, c
        assert counter.live == 0


def test_empty_arrays_and_scalars_leave_nothing_behind() -> None:
    with counting() as counter:
        empties = [np.zeros(0), np.zeros((3, 0, 5)), np.array([]), np.zeros(4, dtype="V0")]
        assert counter.live > 0
        scalar = np.float64(1.0) + np.ones(3).sum()
        empties.append(np.asarray(scalar))
        del empties
        assert counter.live == 0


def test_pickles_and_objects() -> None:
    with counting() as counter:
        a = np.arange(1000.0)
        copy = pickle.loads(pickle.dumps(a))
        objects = np.array([a, None], dtype=object)
        assert copy.tolist() == a.tolist()
        del a, copy
        assert counter.live == 8000 + objects.nbytes
        del objects
        assert counter.live == 0


def test_arrays_freed_after_the_end() -> None:
    """Arrays freed after their counters ended release their bytes, then the memory of both counters."""
    with counting() as outer:
        np.zeros(1)  # the outer one's own memory is there before anything is traced
        tracemalloc.start()
        try:
            with counting(), counting() as counter:
                kept = [np.zeros(size) for size in (1, 10, 100, 100_000)]
                at_end = counter.live
            assert at_end == outer.live == sum(a.nbytes for a in kept)
            assert _traced() > 0
            kept[0] = None
            in_thread(kept.clear)
            assert outer.live == 0
            assert _traced() == 0
        finally:
            tracemalloc.stop()


def _traced() -> int:
    """Return the traced bytes that memory.c holds."""
    gc.collect()
    found = tracemalloc.take_snapshot().filter_traces([tracemalloc.DomainFilter(True, OURS)])
    return sum(trace.size for trace in found.traces)


def test_tracemalloc_sees_arrays_as_ever() -> None:
    tracemalloc.start()
    try:
        with counting():
            before = tracemalloc.get_traced_memory()[0]
            a = np.ones(100_000)
            a.resize(200_000, refcheck=False)
            grown = tracemalloc.get_traced_memory()[0] - before
            assert a.nbytes <= grown < a.nbytes + 10_000
            del a
            assert tracemalloc.get_traced_memory()[0] - before < 10_000
    finally:
        tracemalloc.stop()


def test_arrays_freed_in_another_thread() -> None:
    with counting() as counter:
        arrays = [np.zeros(size) for size in range(1, 200)]
        assert counter.live == 8 * sum(range(1, 200))
        in_thread(arrays.clear)
        assert counter.live == 0


def test_other_threads_and_contexts_are_not_affected() -> None:
    elsewhere = contextvars.copy_context()
    with counting() as counter:
        made: list[Any] = []

        def make() -> None:
            assert handler_name() != COUNTER
            made.append(np.zeros(1000))

        contextvars.Context().run(make)
        elsewhere.run(make)
        if not getattr(sys.flags, "thread_inherit_context", 0):
            in_thread(make)
        assert counter.live == 0
        del made[:]
        assert counter.live == 0


def test_threads_at_once() -> None:
    """Each thread has its own counter, and frees the arrays of its neighbour."""
    boxes: list[list[Any]] = [[], [], []]
    barrier = threading.Barrier(len(boxes), timeout=60)

    def work(i: int) -> None:
        for _ in range(20):
            with counting() as counter:
                boxes[i] += [np.empty(size) for size in range(1, 300)]
                assert counter.live == 8 * sum(range(1, 300))
                barrier.wait()
                boxes[(i + 1) % len(boxes)].clear()
                barrier.wait()
                assert counter.live == 0

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(boxes))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not barrier.broken
    assert boxes == [[], [], []]


def test_nested() -> None:
    with counting() as outer:
        a = np.zeros(10)
        with counting() as inner:
            b = np.zeros(20)
            assert (inner.live, outer.live) == (160, 240)
            del a
            assert (inner.live, outer.live) == (160, 160)
        c = np.zeros(1)
        assert outer.live == 168
        del b, c
        assert outer.live == 0


def test_raising_restores() -> None:
    before = handler_name()
    with pytest.raises(ZeroDivisionError), counting(), counting():
        np.zeros(1)
        raise ZeroDivisionError
    assert handler_name() == before


def test_suspended_and_resumed() -> None:
    with counting() as counter:
        a = np.zeros(10)
        counter.suspend()
        counter.suspend()
        assert handler_name() != COUNTER
        b = np.zeros(20)
        assert counter.live == 80
        del a
        assert counter.live == 0
        counter.resume()
        counter.resume()
        c = np.zeros(3)
        assert counter.live == 24
        counter.suspend()
        del b, c
        assert counter.live == 0


def test_ended_out_of_order() -> None:
    """An outer counter that ends first is not restored where the inner one ends."""
    before = handler_name()
    outer, inner = Counter(), Counter()
    outer.end()
    a = np.zeros(10)
    assert inner.live == 80
    inner.end()
    assert handler_name() == before
    assert handler_name(a) == COUNTER


def test_ended_in_another_context() -> None:
    """A counter ended in another context leaves that handler alone, and stays harmlessly in its own."""
    here = contextvars.copy_context()
    counter = here.run(Counter)
    before = handler_name()
    counter.end()
    assert handler_name() == before
    assert here.run(lambda: handler_name(np.zeros(10))) == COUNTER


@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizer ends the process")
def test_too_large_an_array_counts_nothing() -> None:
    with counting() as counter:
        a = np.zeros(10)
        with pytest.raises(MemoryError):
            np.empty(2**59)
        with pytest.raises(MemoryError):
            np.zeros(2**59)
        with pytest.raises(MemoryError):
            a.resize(2**59, refcheck=False)
        assert (counter.live, a.tolist()) == (80, [0.0] * 10)


def test_no_counter_is_nothing() -> None:
    lib, nothing = library.runtime().lib, library.runtime().ffi.NULL
    lib.ck_array_memory_suspend(nothing)
    lib.ck_array_memory_resume(nothing)
    lib.ck_array_memory_end(nothing)
    assert lib.ck_array_memory_live(nothing) == lib.ck_array_memory_peak(nothing) == 0
