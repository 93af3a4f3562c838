"""The experiment on lanes, at a small size: all ways agree, and C by hand in every bit."""

from __future__ import annotations

import os
import shutil

import numpy as np
import pytest

from checkpoint import engines
from experiments.lanes import programs, run, together


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.parametrize("engine", engines.usable())
@pytest.mark.parametrize("name", programs.LANES)
def test_all_ways_agree(name: str, engine: str, tmp_path: object) -> None:
    xs, ns = np.linspace(0.0, 2.0, 9), np.arange(9.0)
    run.check(run.runs(name, xs, ns, run.by_hand(str(tmp_path)), engine))


def test_heavy_tails_are_bounded() -> None:
    found = programs.heavy(np.random.default_rng(0), 1000)
    assert found.min() >= 10.0
    assert 1000.0 < found.max() <= 5000.0


def test_together_at_a_small_size() -> None:
    for case in together.cases(5)[:3]:
        ways = together.runs(case)
        values, slopes = zip(*[(run(), gradient()) for run, gradient in ways.values()], strict=True)
        assert all(np.allclose(value, values[0]) for value in values)
        assert all(np.allclose(slope, slopes[0]) for slope in slopes)


def test_one_thread_and_several_at_a_small_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "WARM", 0.0)
    monkeypatch.setenv("CHECKPOINT_THREADS", "3")
    row = run.in_threads("a branch, 1 to 63 turns", 20, 2, engines.get().name, 1)
    assert {"vmap 1", "vmap 2", "gradient 1", "gradient 2"} <= row.keys()
    assert os.environ["CHECKPOINT_THREADS"] == "3"
