"""Workers: results, errors and prints come in the order of items, whatever workers there are and do."""

from __future__ import annotations

import operator
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

import checkpoint
from checkpoint import RunError, mapped, summed
from checkpoint.workers import Processes, Threads, Workers
from checkpoint.workers.ordered import AHEAD
from tests.workers import jobs

XS = [0.1 * i for i in range(13)]


@pytest.fixture(scope="module")
def processes() -> Iterator[Processes]:
    with Processes(2) as workers:
        yield workers


@pytest.fixture(params=["here", "threads", "processes"])
def workers(request: pytest.FixtureRequest) -> Iterator[Workers | None]:
    if request.param == "here":
        yield None
    elif request.param == "threads":
        with Threads(3) as made:
            yield made
    else:
        yield request.getfixturevalue("processes")


def test_results_are_in_the_order_of_items(workers: Workers | None) -> None:
    done: list[tuple[int, int]] = []
    found = mapped(jobs.halved, XS, workers=workers, progress=lambda *now: done.append(now))
    assert found == [x / 2 for x in XS]
    assert done == [(i + 1, 13) for i in range(13)]
    assert mapped(jobs.halved, [], workers=workers) == []


def test_the_first_error_in_the_order_of_items_is_raised_after_what_was_printed(
    workers: Workers | None, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ValueError, match=r"-2.0 is negative") as found:
        mapped(jobs.announced, [1.0, -2.0, 3.0, -4.0, *XS], workers=workers)
    assert "in item 1 of mapped" in found.value.__notes__
    assert capsys.readouterr().out == "item 1.0\nitem -2.0\n"
    assert mapped(jobs.announced, [5.0, 6.0], workers=workers) == [5.0, 6.0]
    assert capsys.readouterr().out == "item 5.0\nitem 6.0\n"


def test_a_sum_has_the_same_bits_on_all_workers(workers: Workers | None) -> None:
    terms = checkpoint.value_and_grad(lambda x: x * x / 3.0 + x)
    for count in (1, 2, 3, 7, 8, 13):
        here = summed(terms, over=XS[:count])
        assert summed(terms, over=XS[:count], workers=workers) == here


@pytest.mark.parametrize("count", range(1, 40))
def test_the_left_part_has_the_greatest_power_of_two(count: int) -> None:
    def tree(low: int, high: int) -> str:
        if high - low == 1:
            return str(low)
        half = 1
        while 2 * half < high - low:
            half *= 2
        return f"({tree(low, low + half)}{tree(low + half, high)})"

    class Written:
        """A number whose sums say how they were made."""

        def __init__(self, text: str) -> None:
            self.text = text

        def __add__(self, other: Any) -> Written:
            return Written(f"({self.text}{other.text})")

    from checkpoint.api import ensembles  # noqa: PLC0415

    for size in (1, 2, 4):
        found = ensembles.Tree(operator.add)
        for i in range(0, count, size):
            last = min(i + size, count)
            found.add(Written(tree(i, last)), last - i)
        assert found.total().text == tree(0, count)


def test_a_worker_that_dies_is_replaced(processes: Processes) -> None:
    with pytest.raises(RunError, match=r"item 2 of mapped: the worker that ran it died, 3 times"):
        mapped(jobs.ends_its_process, [1.0, 2.0, 3.0, 4.0], workers=processes)
    assert mapped(jobs.ends_its_process, [1.0, 2.0, 4.0], workers=processes) == [1.0, 2.0, 4.0]


def test_functions_that_cannot_be_imported_reach_other_processes(processes: Processes) -> None:
    factor = 3.0
    typed: dict[str, Any] = {"__name__": "a_notebook"}
    text = "def f(x):\n    y = x\n    while y < 100.0:\n        y = y * y + 1.0\n    return y\n"
    import linecache  # noqa: PLC0415

    linecache.cache["<a cell>"] = (len(text), None, text.splitlines(True), "<a cell>")
    exec(compile(text, "<a cell>", "exec"), typed)
    gradient = checkpoint.grad(typed["f"])
    assert mapped(gradient, [1.5, 2.0], workers=processes) == [gradient(1.5), gradient(2.0)]
    assert mapped(lambda x: factor * x, [1.0, 2.0], workers=processes) == [3.0, 6.0]


def test_what_cannot_travel_is_refused(processes: Processes) -> None:
    lock = threading.Lock()
    with pytest.raises(
        RunError, match=r"a worker process cannot be given this: .*; use checkpoint.workers.Threads"
    ):
        mapped(lambda x: lock, [1.0], workers=processes)


def test_errors_that_cannot_travel_are_told(processes: Processes) -> None:
    with pytest.raises(RunError, match="Unpicklable: 1 and 2") as found:
        mapped(jobs.fails_oddly, [1.0], workers=processes)
    assert "in item 0 of mapped" in found.value.__notes__


def test_a_worker_has_its_part_of_the_memory(processes: Processes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_MEMORY", "64MiB")
    with Processes(4) as four:
        assert mapped(jobs.share_of_memory, [1], workers=four) == [2**23]
    assert mapped(jobs.share_of_memory, [1], workers=2) == [2**24]
    assert mapped(jobs.share_of_memory, [1]) == [2**25]


def test_processes_are_others_and_threads_are_not(processes: Processes) -> None:
    import os  # noqa: PLC0415

    assert os.getpid() not in mapped(jobs.identity_of, range(8), workers=processes)
    assert set(mapped(jobs.identity_of, range(8), workers=2)) == {os.getpid()}


def test_threads_run_at_the_same_time() -> None:
    both = threading.Barrier(2, timeout=60)
    assert len(mapped(lambda _: both.wait(), range(2), workers=2)) == 2


def test_a_job_that_uses_its_own_workers_is_refused() -> None:
    with Threads(1) as outer, Threads(1) as inner:
        twice = [mapped(jobs.halved, [1.0, 2.0], workers=inner)]
        assert mapped(lambda _: mapped(jobs.halved, [1.0, 2.0], workers=inner), [0], workers=outer) == twice
        with pytest.raises(RunError, match="a job uses the workers that run it, and both would wait"):
            mapped(lambda _: mapped(jobs.halved, [1.0], workers=outer), [0], workers=outer)

        def within(_: int) -> Any:
            return mapped(lambda _: mapped(jobs.halved, [1.0], workers=outer), [0], workers=inner)

        with pytest.raises(RunError, match="a job uses the workers that run it"):
            mapped(within, [0], workers=outer)


def test_results_that_wait_are_bounded() -> None:
    begun: list[int] = []
    begun_at_last: list[int] = []

    def job(i: int) -> int:
        begun.append(i)
        if i == 0:
            while len(begun) < 4:
                time.sleep(0.001)
            time.sleep(0.05)  # if there were no bound, the other thread would go on meanwhile
            begun_at_last.append(len(begun))
        return i

    assert mapped(job, range(50), workers=2) == list(range(50))
    assert begun_at_last == [2 * AHEAD]


def test_what_other_threads_print_is_not_held_back(capsys: pytest.CaptureFixture[str]) -> None:
    stream = sys.stdout

    def job(x: float) -> float:
        print("within")
        return x

    mapped(job, [1.0], workers=1)
    assert sys.stdout is stream
    assert capsys.readouterr().out == "within\n"


@pytest.mark.parametrize("size", [0, -1, 2.0, "2"])
def test_wrong_numbers_of_workers(size: Any) -> None:
    for back_end in (Threads, Processes):
        with pytest.raises(RunError, match="a number of workers is an int from 1 on"):
            back_end(size)


def test_what_is_no_workers() -> None:
    with pytest.raises(RunError, match=r"workers is a number of threads, .*not 'four'"):
        mapped(jobs.halved, [1.0], workers="four")  # type: ignore[arg-type]


def blas_threads() -> list[int]:
    library = pytest.importorskip("threadpoolctl")
    pytest.importorskip("numpy")
    return [each["num_threads"] for each in library.threadpool_info() if each["user_api"] == "blas"]


def test_threads_share_the_cores_with_a_blas(monkeypatch: pytest.MonkeyPatch) -> None:
    before = blas_threads()
    monkeypatch.setattr("checkpoint.config.cores", lambda: 4)
    with Threads(4, blas=1) as workers:
        assert mapped(lambda _: blas_threads(), range(2), workers=workers) == [[1] * len(before)] * 2
        assert mapped(lambda _: checkpoint.config.threads(), range(2), workers=workers) == [1, 1]
    assert blas_threads() == before
    with pytest.raises(
        RunError, match="4 workers with a BLAS of 2 threads each need 8 cores, and 4 may be used"
    ):
        Threads(4, blas=2)
    with pytest.raises(RunError, match="blas is a number of threads from 1 on, not 0"):
        Threads(4, blas=0)
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    with pytest.raises(
        RunError, match="blas= needs threadpoolctl: pip install threadpoolctl, or set OPENBLAS"
    ):
        Threads(2, blas=1)


def test_what_has_no_items_is_refused() -> None:
    with pytest.raises(RunError, match="mapped takes a function and its items, not an int: pass a list"):
        mapped(abs, 3)  # type: ignore[arg-type]
    with pytest.raises(RunError, match="summed takes a function and its items, not an int: pass a list"):
        summed(abs, over=3)  # type: ignore[arg-type]
