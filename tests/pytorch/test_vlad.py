"""PyTorch's tensors in programs of the language: functions of networks, and conversions to kinds."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

import checkpoint
from checkpoint import engines
from checkpoint.errors import RunError

ENGINES = pytest.mark.parametrize("engine", engines.usable())
KINDS = {
    "float": torch.float32,
    "double": torch.float64,
    "half": torch.float16,
    "bfloat16": torch.bfloat16,
    "byte": torch.uint8,
    "int": torch.int32,
}


@pytest.mark.parametrize("name", KINDS)
def test_tensors_stay_tensors(name: str) -> None:
    found = checkpoint.read(f"(lambda (t) (list (cpu-{name} t) (cpu-{name}-tensor? (cpu-{name} t))))")(
        torch.tensor([1.5, 2.0])
    )
    assert found[1] is True
    assert torch.equal(found[0], torch.tensor([1.5, 2.0]).to(KINDS[name]))


@ENGINES
@pytest.mark.parametrize("name", ["float", "double", "half", "bfloat16"])
def test_conversions_are_differentiable(name: str, engine: str) -> None:
    f = checkpoint.read(f"(lambda (t) (sumall (cpu-double (* (cpu-{name} t) (cpu-{name} t)))))")
    x = torch.tensor([0.5, -1.25])
    value, gradient = checkpoint.vjp(f, x, engine=engine)
    assert value == 1.8125
    assert torch.equal(gradient, torch.tensor([1.0, -2.5]))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu() -> None:
    with pytest.raises(RunError, match="gpu-float: there is no GPU here"):
        checkpoint.read("(lambda (t) (gpu-float t))")(torch.ones(2))


@ENGINES
def test_a_network(engine: str) -> None:
    generator = torch.Generator().manual_seed(1)
    x, w, b, v = [torch.randn(s, generator=generator) for s in ((2, 2, 6, 6), (4, 2, 3, 3), (4,), (36, 3))]
    labels = torch.tensor([2, 0])
    f = checkpoint.read(
        """(lambda ((list x w b v labels))
             (let* ((t (max-pool (LeakyReLU (convolve-add-tied x w b 1 1 1) 0.1) 2 2 0))
                    (t (layer-normalization t (LeakyReLU (narrow b 0 0 3) 0.5) (narrow b 0 1 3))))
               (cross-entropy-loss (matmul (view t '(2 36)) v) labels)))"""
    )
    value, gradient = checkpoint.vjp(f, [x, w, b, v, labels], engine=engine)
    leaves = [each.clone().requires_grad_() for each in (x, w, b, v)]
    x, w, b, v = leaves
    t = F.max_pool2d(F.leaky_relu(F.conv2d(x, w, b, padding=1), 0.1), 2)
    t = F.layer_norm(t, (3,), F.leaky_relu(b[:3], 0.5), b[1:4])
    wanted = F.cross_entropy(t.reshape(2, 36) @ v, labels)
    assert value == pytest.approx(wanted.item(), rel=1e-6)
    for mine, other in zip(gradient, torch.autograd.grad(wanted, leaves), strict=False):
        torch.testing.assert_close(mine, other, rtol=1e-4, atol=1e-5)
