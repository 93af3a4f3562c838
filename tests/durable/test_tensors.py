"""Capsules that hold tensors of PyTorch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import checkpoint
from tests.durable.round_trips import outcome

torch = pytest.importorskip("torch")


def layers(w: Any) -> Any:
    y = torch.ones(3, dtype=torch.float32)
    rows = [w[0], w.T[1]]
    for i in range(3):
        y = torch.tanh(w @ y + rows[i % 2]).to(torch.float32)
    return y.sum() + rows[1].sum()


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_saved_and_loaded(dtype: str, tmp_path: Path) -> None:
    def f(w: Any) -> Any:
        return layers(w.float()) + (w * w).sum().float()

    w = torch.tensor([[0.5, -0.25, 1.0], [0.75, 0.125, -1.5], [2.0, -0.5, 0.25]], dtype=getattr(torch, dtype))
    steps = checkpoint.primops(f, w)
    for cut in (0, steps // 3, steps // 2, steps):
        z = checkpoint.interrupt(f, w, cut)
        z.save(tmp_path / "z")
        again = checkpoint.load(tmp_path / "z", f)
        assert outcome(again, z.engine) == outcome(z, z.engine)
        _, zbar = checkpoint.vjp(checkpoint.resume, z)
        zbar.save(tmp_path / "zbar")
        loaded = checkpoint.load(tmp_path / "zbar", again)
        assert len(loaded.numbers) == len(zbar.numbers)
        found = checkpoint.vjp(lambda w, n=cut: checkpoint.interrupt(f, w, n), w, loaded)[1]
        assert torch.equal(found, checkpoint.grad(f)(w))
