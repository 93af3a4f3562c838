"""Work that a progress callback does itself is not part of the sweep that calls it."""

from __future__ import annotations

import pytest

from checkpoint import Plain, Progress, grad, profile


def power(x: float, n: int) -> float:
    y = 1.0
    for _ in range(n):
        y = y * x * 0.999 + 0.1 / (1.0 + y * y)
    return y


def test_a_gradient_inside_a_callback_is_not_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checkpoint.watch.progress.PAUSE", 0.0)
    phases: list[str] = []

    def callback(progress: Progress) -> None:
        phases.append(progress.phase)
        assert grad(lambda x: x * x)(3.0) == 6.0

    expected = grad(power)(0.9, 3)
    with profile() as p:
        assert grad(power, schedule=Plain(), progress=callback)(0.9, 3) == expected
    assert {"forward", "backward"} == set(phases)
    assert [sweep.schedule for sweep in p.sweeps] == [Plain()]
