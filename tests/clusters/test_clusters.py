"""Workers of clusters: what holds of threads and processes holds of them, too."""

from __future__ import annotations

import socket
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

import checkpoint
from checkpoint import RunError, mapped, summed
from checkpoint.driver.budget import Budget
from checkpoint.durable import machine
from checkpoint.workers import Dask, Workers, handed
from checkpoint.workers.listeners import reachable, refuse_new
from tests.durable import round_trips, subjects
from tests.durable.journal.disks import often as durably
from tests.durable.journal.test_law import resumed
from tests.durable.round_trips import quietly, steps_of
from tests.workers import jobs
from tests.workers.test_relay import gradient, often

Made = Callable[..., Any]
# Dask takes from seconds to minutes until workers that have died are replaced.
DEATHS = pytest.mark.parametrize("made", ["ray", pytest.param("dask", marks=pytest.mark.long)], indirect=True)


def test_results_errors_and_prints_are_in_the_order_of_items(
    made: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    xs = [0.1 * i for i in range(7)]
    workers: Workers = made()
    assert isinstance(workers, Workers)
    assert mapped(jobs.halved, xs, workers=workers) == [x / 2 for x in xs]
    with pytest.raises(ValueError, match=r"-2.0 is negative") as found:
        mapped(jobs.announced, [1.0, -2.0, 3.0, -4.0], workers=workers)
    assert "in item 1 of mapped" in found.value.__notes__
    assert capsys.readouterr().out == "item 1.0\nitem -2.0\n"


def test_a_sum_has_the_same_bits_on_any_number_of_workers(made: Made) -> None:
    terms = checkpoint.value_and_grad(lambda x: x * x / 3.0 + x)
    xs = [0.1 * i for i in range(29)]
    here = summed(terms, over=xs)
    assert [summed(terms, over=xs, workers=made(size=p)) for p in (1, 2, 3, 7)] == [here] * 4


def test_a_job_waits_for_tasks_and_receives_values(made: Made) -> None:
    workers = made()
    held = workers.put([1.0, 2.0])
    tasks = [workers.submit(jobs.total, held, 1.0)]
    del held
    for _ in range(4):
        tasks.append(workers.submit(jobs.added, 1.0, tasks[-1]))
    assert [workers.get(task) for task in tasks] == [4.0, 5.0, 6.0, 7.0, 8.0]


@DEATHS
def test_those_that_wait_for_a_job_wait_on_when_its_worker_dies(made: Made, tmp_path: Path) -> None:
    workers = made()
    first = workers.submit(jobs.added_at_the_second_attempt, 1.0, None, str(tmp_path / "first"))
    second = workers.submit(jobs.added, 1.0, first)
    assert workers.get(second) == 2.0


@DEATHS
def test_an_item_with_which_workers_die_again_and_again_ends_the_call(made: Made) -> None:
    with pytest.raises(RunError, match=r"item 0 of mapped: the worker that ran it died, 3 times"):
        mapped(jobs.ends_its_process, [3.0], workers=made())
    assert mapped(jobs.ends_its_process, [1.0], workers=made()) == [1.0]


def test_a_cluster_without_workers_ends_the_call() -> None:
    pytest.importorskip("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster = Dask(size=1, patience=2.0)
    with cluster:
        assert cluster.get(cluster.submit(jobs.halved, 1.0)) == 0.5
        cluster.client.cluster.scale(0)
        while cluster.client.nthreads():
            time.sleep(0.01)
        with pytest.raises(RunError, match="the cluster of Dask has had no workers for 2 s, and jobs wait"):
            mapped(jobs.halved, [1.0], workers=cluster)


def test_functions_of_scripts_reach_workers_that_lack_the_file(made: Made, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "def turned(x):\n    y = x\n    while y < 100.0:\n        y = y * y + 1.0\n    return y\n"
    )
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(script.read_text(), str(script), "exec"), names)
    gradient_of = checkpoint.value_and_grad(names["turned"])
    here = [gradient_of(1.5), gradient_of(2.0)]
    script.unlink()
    assert mapped(gradient_of, [1.5, 2.0], workers=made()) == here


@pytest.mark.parametrize("name", ["loop", "objects", "arrays"])
def test_a_long_run_that_is_handed_on_has_the_same_bits(made: Made, name: str) -> None:
    f, x = getattr(subjects, name), subjects.ARGUMENTS[name]
    expected = gradient(f, x, "c", Budget())
    with often(max(1, steps_of(f, x) // 6)):
        assert gradient(f, x, "c", Budget(), made()) == expected


@pytest.mark.long
def test_a_worker_that_dies_in_each_of_50_segments_in_turn_changes_nothing(
    ray: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    f, x = subjects.loop, subjects.ARGUMENTS["loop"]
    expected = gradient(f, x, "c", Budget())
    job = partial(jobs.reversed_at_the_second_attempt, str(tmp_path))
    monkeypatch.setattr(handed, "reversed_segment", job)
    with often(max(1, steps_of(f, x) // 51)):
        assert gradient(f, x, "c", Budget(), ray()).startswith(expected)  # Ray says who died
    assert len(list(tmp_path.iterdir())) >= 50


def test_a_segment_whose_worker_hangs_is_given_to_another_one(
    ray: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    f, x = subjects.loop, subjects.ARGUMENTS["loop"]
    expected = gradient(f, x, "c", Budget())
    monkeypatch.setattr(handed, "reversed_segment", partial(jobs.reversed_unless_stopped, str(tmp_path)))
    with often(max(1, steps_of(f, x) // 4)):
        assert gradient(f, x, "c", Budget(), ray(patience=10.0)) == expected
    assert [path.name for path in tmp_path.iterdir()] == ["stopped"]


def test_a_caller_that_is_killed_again_and_again_goes_on(made: Made, tmp_path: Path) -> None:
    f, x = subjects.loop, subjects.ARGUMENTS["loop"]
    expected = gradient(f, x, "c", Budget())
    steps = max(1, steps_of(f, x) // 9)

    def call() -> str:
        with quietly():
            return round_trips.gradient(f, x, "c", Budget(), tmp_path, made())

    with durably(steps), often(steps):
        found, processes = resumed(call, None, Random(1), 25, 60)
    assert f"{found} " == expected
    assert processes > 2


def test_a_worker_of_another_kind_is_refused(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "facts", lambda: {"processor": "abacus"})
    with pytest.raises(RunError, match=r"runs of the worker on .* other bits: processor \(abacus there"):
        mapped(jobs.halved, [1.0], workers=made())
    assert mapped(jobs.halved, [1.0], workers=made(anyway=True)) == [0.5]


def test_nothing_listens_beyond_this_machine(made: Made) -> None:
    assert mapped(jobs.halved, [1.0], workers=made()) == [0.5]
    assert not reachable()


def test_what_listens_elsewhere_is_ended() -> None:
    pytest.importorskip("psutil")
    ended: list[str] = []
    before = reachable()
    with socket.create_server(("127.0.0.1", 0)):
        refuse_new(before, "Nothing", lambda: ended.append("wrongly"))
    with socket.create_server(("", 0)), pytest.raises(RunError, match=r"^Ray listens where .*: 0\.0\.0\.0:"):
        refuse_new(before, "Ray", lambda: ended.append("once"))
    assert ended == ["once"]
