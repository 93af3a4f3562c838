"""summed with workers within programs: the bits, prints and errors are those of items one after another."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import RunError, engines, grad, hvp, summed, value_and_grad, vmap
from checkpoint.prims import parts
from checkpoint.workers import Processes, Threads

ENGINES = pytest.mark.parametrize("engine", engines.usable())
XS = [0.1 * i - 0.3 for i in range(11)]


@pytest.fixture(autouse=True)
def _few_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "MOST_PARTS", 8)  # of two items each


def loss(w: Any, workers: Any = None) -> Any:
    return summed(lambda x: (w[0] * x - w[1]) ** 3 / (1.0 + w[0] * w[0]), over=XS, workers=workers)


@ENGINES
def test_all_derivatives_have_the_bits_of_one_after_another(engine: str) -> None:
    w, along = (0.7, -0.2), (0.3, 1.1)

    def derivatives(f: Any) -> tuple[Any, ...]:
        return (
            value_and_grad(f, engine=engine)(w),
            checkpoint.jvp(f, w, along, engine=engine),
            hvp(f, w, along, engine=engine),
            grad(lambda w: grad(f)(w)[0] * w[1], engine=engine)(w),
        )

    want = derivatives(loss)
    with Threads(2) as threads:
        assert derivatives(lambda w: loss(w, 1)) == want
        assert derivatives(lambda w: loss(w, 3)) == want
        assert derivatives(lambda w: loss(w, threads)) == want


@ENGINES
def test_arrays_that_some_items_use(engine: str) -> None:
    def total(w: Any, b: Any, workers: Any) -> Any:
        def one(i: int) -> Any:
            return (-w * i).sum() if i % 3 else (b - w).prod() * np.tanh(w)[0]

        return summed(one, over=range(7), workers=workers)

    w, b = np.array([0.5, -0.0, 2.0]), np.array([1.0, 2.0, -0.5])
    want = grad(total, (0, 1), engine=engine)(w, b, None)
    for workers in (1, 2):
        got = grad(total, (0, 1), engine=engine)(w, b, workers)
        assert [each.tobytes() for each in got] == [each.tobytes() for each in want]


@ENGINES
def test_prints_come_in_the_order_of_items_and_once(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    def announced(w: float) -> float:
        def one(x: float) -> float:
            print("item", x)
            return w * x

        print("before")
        total = summed(one, over=XS, workers=2)
        print("after")
        return total

    grad(announced, engine=engine, schedule=checkpoint.Bisection(base=5))(2.0)
    assert capsys.readouterr().out.splitlines() == ["before", *(f"item {x}" for x in XS), "after"]


@ENGINES
def test_a_run_that_begins_again_prints_once(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    def keyed(w: float) -> float:
        def one(i: int) -> float:
            print(i)
            return w * {i * 0.5: 2.0}[i * 0.5]  # such keys are known once they are met

        return summed(one, over=range(11), workers=2)

    assert grad(keyed, engine=engine)(1.0) == 22.0
    assert capsys.readouterr().out.split() == [str(i) for i in range(11)]


@ENGINES
def test_the_first_error_in_the_order_of_items(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    def fails(w: float) -> float:
        def one(i: int) -> float:
            print(i)
            return 1.0 / ((i - 3) * (i - 8) * w)

        return summed(one, over=range(11), workers=2)

    with pytest.raises(ZeroDivisionError) as found:
        grad(fails, engine=engine)(1.0)
    assert "in item 3 of summed" in found.value.__notes__
    assert capsys.readouterr().out.split() == ["0", "1", "2", "3"]


@ENGINES
def test_an_error_that_is_handled_has_its_derivative(engine: str) -> None:
    class Found(Exception):
        pass

    def handled(w: float, workers: Any) -> float:
        def one(i: int) -> float:
            if i == 5:
                raise Found(w * w * i)
            return w

        try:
            return summed(one, over=range(11), workers=workers)
        except Found as found:
            value: float = found.args[0]
            return value * w

    assert value_and_grad(handled, engine=engine)(2.0, 2) == (40.0, 60.0)
    assert value_and_grad(handled, engine=engine)(2.0, None) == (40.0, 60.0)


def test_threads_run_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    both, seen = threading.Barrier(2, timeout=60), set()
    of_part = parts._reversed

    def waiting(*given: Any) -> Any:
        seen.add(threading.get_ident())
        both.wait()
        return of_part(*given)

    monkeypatch.setattr(parts, "_reversed", waiting)
    xs = XS[:4]
    assert grad(lambda w: summed(lambda x: w * x, over=xs, workers=2))(2.0) == pytest.approx(sum(xs))
    assert len(seen) == 2


def test_steps_depend_on_items_alone() -> None:
    two, seven = [checkpoint.primops(lambda w, n=n: loss(w, n), (1.0, 2.0)) for n in (2, 7)]
    assert two == seven


def test_items_too_large_for_the_budget_of_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    want = value_and_grad(loss)((0.7, -0.2))
    monkeypatch.setattr(parts, "REVERSAL", 1)
    assert value_and_grad(loss)((0.7, -0.2), 2) == want


def test_other_workers_leave_items_one_after_another() -> None:
    processes = Processes(2)  # none is begun
    w = (0.7, -0.2)
    assert value_and_grad(lambda w: loss(w, processes))(w) == value_and_grad(loss)(w)
    processes.close()


@ENGINES
def test_lanes_and_sums_of_sums(engine: str) -> None:
    def table(w: Any) -> Any:
        def row(i: float) -> Any:
            return summed(lambda j: (w * i + j) ** 2, over=[0.0, 1.0, 2.0], workers=2)

        return summed(row, over=[1.0, 2.0, 3.0], workers=2)

    want = sum(2 * i * (0.5 * i + j) for i in (1.0, 2.0, 3.0) for j in range(3))
    assert grad(table, engine=engine)(0.5) == pytest.approx(want)
    assert vmap(table, engine=engine)(np.array([0.5, 1.5])).tolist() == [table(0.5), table(1.5)]


def test_a_sum_within_a_job_of_the_same_threads_is_refused() -> None:
    with Threads(1) as threads, pytest.raises(RunError, match="a job uses the workers that run it"):
        checkpoint.mapped(grad(lambda w: loss((w, w), threads)), [1.0], workers=threads)
    with Threads(1) as threads:
        assert checkpoint.mapped(grad(lambda w: loss((w, w), 2)), [1.0], workers=threads) == [
            grad(lambda w: loss((w, w)))(1.0)
        ]


@ENGINES
def test_what_is_no_workers(engine: str) -> None:
    with pytest.raises(RunError, match=r"workers is a number of threads, .*not 'four'"):
        grad(loss, engine=engine)((1.0, 2.0), "four")


def test_an_item_beside_others_does_not_draw_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")

    def drawn(w: float, workers: Any) -> Any:
        return summed(lambda x: w * torch.randn(1)[0].item() * x, over=XS, workers=workers)

    torch.manual_seed(1)
    grad(drawn)(1.0, None)
    with pytest.raises(RunError, match="generator outside of the program cannot be used by an item"):
        grad(drawn)(1.0, 2)
