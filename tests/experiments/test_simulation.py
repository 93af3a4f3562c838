"""The experiment about a long simulation runs on a short one, and its gradients agree."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from checkpoint import engines
from experiments.simulation import orbits, peer, run


def test_it_runs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["run", "--steps", "400", "--memory", "4MiB"])
    monkeypatch.setattr(peer, "is_there", lambda: False)
    monkeypatch.setattr(run, "FINE", 1e-7)
    run.main()
    shown = capsys.readouterr().out
    assert "34.602" in shown
    assert "Hessian-vector product" in shown


def test_gradients_agree() -> None:
    """Differences meet the gradient in which sizes are differentiated; the others differ by the tolerance."""
    found = run.gradients(list(run.FIRST), 1e-6, engines.get().name)
    differentiated = found["sizes differentiated"]
    scale = np.max(np.abs(differentiated))
    assert np.max(np.abs(found["differences"] - differentiated)) < 1e-6 * scale
    constant = found["sizes as constants"]
    assert 0.0 < np.max(np.abs(constant - differentiated)) < 1e-4 * scale
    if peer.is_there():
        assert np.max(np.abs(found["diffrax, the same steps"] - constant)) < 1e-12 * scale


def test_the_rejected_steps_are_counted() -> None:
    start, rates = orbits.parameters(run.FIRST)
    _, accepted, rejected = orbits.orbit_to(start, run.YEARS, rates, 1e-6, True)
    assert len(run.accepted(run.FIRST, 1e-6)) == accepted + 1
    assert rejected > 0
