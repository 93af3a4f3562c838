"""PyTorch's tensors in programs of the language: functions of networks, and conversions to kinds."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
import torch
from torch.nn import functional as F

import checkpoint
from checkpoint import engines
from checkpoint.ad.array_library import libraries
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


@ENGINES
def test_kinds_that_numpy_lacks_are_made_by_pytorch(engine: str) -> None:
    key = "(random-key 3)"
    made = {
        "(list->cpu-bfloat16-tensor '((1 2) (3 4)))": "(list->cpu-float-tensor '((1 2) (3 4)))",
        "(fill-cpu-bfloat16 '(2 3) 1.5)": "(fill-cpu-float '(2 3) 1.5)",
        f"(randn-cpu-bfloat16 {key} '(2 3))": f"(randn-cpu-float {key} '(2 3))",
        f"(normal-cpu-bfloat16 {key} 4 1 2)": f"(normal-cpu-float {key} 4 1 2)",
        "(cpu-bfloat16 0.3)": "(cpu-float 0.3)",
    }
    for text, alike in made.items():
        found = checkpoint.read(text, engine=engine)
        assert torch.equal(found, torch.tensor(checkpoint.read(alike, engine=engine)).to(torch.bfloat16))
    product = f"(* (cpu-bfloat16 x) (normal-cpu-bfloat16 {key} 2 m 1))"
    f, x = checkpoint.read(f"(lambda ((list x m)) (sumall (cpu-double {product})))"), np.array([0.5, 1.25])
    drawn = checkpoint.read(f"(cpu-double (normal-cpu-bfloat16 {key} 2 3 1))")
    _, (of_x, of_mean) = checkpoint.vjp(f, [x, 3.0], engine=engine)
    np.testing.assert_array_equal(of_x, drawn.numpy())
    assert of_mean == 1.75
    assert checkpoint.jvp(f, [x, 3.0], [0.0 * x, 1.0], engine=engine)[1] == 1.75


@ENGINES
def test_kinds_on_a_device_without_cupy(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint.read("(cpu-float (ones 2))")
    kinds = importlib.import_module("tensorlib.language.kinds")
    monkeypatch.setitem(kinds._DEVICES, "gpu", "meta")
    monkeypatch.setattr(type(libraries[torch.Tensor]), "devices", lambda self: ("meta",))
    for name, dtype in KINDS.items():
        texts = [f"(list->gpu-{name}-tensor '(1 2))", f"(fill-gpu-{name} 2 1)", f"(gpu-{name} (ones 2))"]
        texts += [] if name in ("byte", "int") else [f"(randn-gpu-{name} (random-key 1) 2)"]
        for text in texts:
            asked = f"(let ((t {text})) (list t (gpu-{name}-tensor? t)))"
            found, is_one = checkpoint.read(asked, engine=engine)
            assert (found.device.type, found.dtype, found.shape, is_one) == ("meta", dtype, (2,), True)


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
