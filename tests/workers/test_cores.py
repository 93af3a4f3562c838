"""Threads of all kinds, in all workers together: never more than there are cores."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from checkpoint import config
from checkpoint.workers import Processes, outcomes, processes, remote
from tests.workers import jobs

SCRIPT = """
import sys
import numpy  # its BLAS starts its threads now, in workers too, which import this script
from checkpoint import config, mapped
from checkpoint.workers import Processes
from tests.workers.jobs import threads_there

if __name__ == "__main__":
    with Processes(2) as workers:
        for blas, run in mapped(threads_there, range(2), workers=workers):
            print(blas, run)
"""


def of_workers(tmp_path: Path, **variables: str) -> list[tuple[int, int]]:
    """Return how many threads a BLAS and a run have in each of two workers of a script."""
    pytest.importorskip("numpy")
    pytest.importorskip("threadpoolctl")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    others = {name: text for name, text in os.environ.items() if name not in remote.BLAS}
    others.pop("CHECKPOINT_THREADS", None)
    root = str(Path(__file__).parents[2])
    given = {**others, "PYTHONPATH": root, **variables}
    out = subprocess.run(
        [sys.executable, str(script)], env=given, capture_output=True, text=True, check=True
    ).stdout
    return [(int(blas), int(run)) for blas, run in map(str.split, out.splitlines())]


@pytest.mark.skipif(config.cores_allowed() < 2, reason="with one core there is nothing to share")
def test_libraries_that_a_script_imports_have_their_part_of_the_cores(tmp_path: Path) -> None:
    found = of_workers(tmp_path)
    assert len(found) == 2
    assert sum(blas * run for blas, run in found) <= config.cores_allowed()


def test_a_user_may_say_how_many_threads_libraries_have(tmp_path: Path) -> None:
    found = of_workers(tmp_path, OPENBLAS_NUM_THREADS="2")
    assert [blas for blas, _ in found] == [min(2, config.cores_allowed())] * 2


@pytest.mark.parametrize("asked", [None, "1", "2", "5"])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 6, 9])
def test_the_threads_of_all_workers(size: int, asked: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*remote.BLAS, "CHECKPOINT_THREADS"):
        monkeypatch.delenv(name, raising=False)
    if asked:
        monkeypatch.setenv("CHECKPOINT_THREADS", asked)
    monkeypatch.setattr(config, "cores", lambda: 6)
    with outcomes.one_of(size):
        runs = config.threads()
    assert size * runs * remote.library_threads(size) <= max(6, size)
    if asked == "1":
        assert remote.library_threads(size) == max(6 // size, 1)


def test_the_environment_of_the_caller_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in remote.BLAS:
        monkeypatch.delenv(name, raising=False)
    before = dict(os.environ)
    with Processes(1) as workers:
        task = workers.submit(jobs.environment, "OMP_NUM_THREADS")
        assert workers.get(task) == str(remote.library_threads(1))
    assert dict(os.environ) == before
    with pytest.raises(OSError, match="no process"), processes._environment(2, 4):
        assert os.environ["OMP_NUM_THREADS"] == str(remote.library_threads(2, 4))
        raise OSError("no process")
    assert dict(os.environ) == before
