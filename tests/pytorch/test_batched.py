"""Batched forms on PyTorch's tensors: values and gradients of the loop over lanes, and of torch.func.vmap."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import checkpoint
from checkpoint import engines


def network(x: Any, w: Any) -> Any:
    h = torch.relu(torch.nn.functional.linear(x, w))
    h = torch.nn.functional.gelu(h) + torch.nn.functional.layer_norm(x, (3,))
    p = torch.softmax(h, dim=-1) * torch.log_softmax(x, dim=0)
    return p.sum() + torch.cat([x, h]).mean() + torch.stack([x, p])[1, 0] * torch.logsumexp(x, 0)


def relaxed(x: Any, w: Any) -> Any:
    turns = 0
    while torch.sum(x * x) > 0.5 and turns < 40:
        step = torch.tanh(w @ x)
        if step[0] > 0.0:
            x = x - 0.2 * (x - 0.5 * step)
        else:
            x = 0.9 * x
        turns = turns + 1
    return x


def tensors(width: int, dtype: Any = torch.float64) -> tuple[Any, Any]:
    generator = torch.Generator().manual_seed(width)
    made = [torch.randn(*shape, generator=generator, dtype=dtype) for shape in ((width, 3), (3, 3))]
    return made[0], made[1]


@pytest.mark.parametrize("f", [network, relaxed])
@pytest.mark.parametrize("width", [1, 3, 64])
def test_values_and_gradients(f: Any, width: int) -> None:
    args = tensors(width)

    def loss(exact: bool) -> Any:
        return lambda x, w: torch.sum(checkpoint.vmap(f, (0, None), exact=exact)(x, w) ** 2)

    got, want = (checkpoint.vmap(f, (0, None), exact=exact)(*args) for exact in (False, True))
    assert torch.allclose(got, want, rtol=1e-12)
    got, want = (checkpoint.grad(loss(exact), (0, 1))(*args) for exact in (False, True))
    assert all(torch.allclose(a, b, rtol=1e-9, atol=1e-11) for a, b in zip(got, want, strict=True))
    hows: list[dict[str, Any]] = [
        {"schedule": "bisection"},
        *[{"engine": engine} for engine in engines.usable()],
    ]
    bits = {
        tuple(part.numpy().tobytes() for part in checkpoint.grad(loss(False), (0, 1), **how)(*args))
        for how in hows
    }
    assert len(bits) == 1


def test_beside_torch() -> None:
    x, w = tensors(5, torch.float32)
    got = checkpoint.vmap(network, (0, None), exact=False)(x, w)
    assert got.dtype == torch.float32
    assert torch.allclose(got, torch.func.vmap(network, (0, None))(x, w), rtol=1e-5)


def test_it_is_not_a_loop() -> None:
    w = tensors(1)[1]

    def over(x: Any) -> Any:
        return checkpoint.vmap(network, (0, None), exact=False)(x, w)

    assert len({checkpoint.primops(over, tensors(width)[0]) for width in (2, 64)}) == 1
