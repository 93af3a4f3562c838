"""The memory of a device within a budget, as PyTorch's allocator counts it, and its synchronisations."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from checkpoint import engines, grad
from tests.cuda.device import DEVICE

MIB = 2**20
LENGTH = 200
SIZE = MIB // 4  # elements of float32: 1 MiB

pytestmark = pytest.mark.skipif(DEVICE == "cpu", reason="no device is named: make test-cuda")


def chain(x: Any) -> Any:
    for _ in range(LENGTH):
        x = torch.sin(x)
    return x.sum()


@pytest.mark.parametrize("engine", engines.usable())
def test_a_gradient_stays_within_its_budget(engine: str) -> None:
    x = torch.full((SIZE,), 0.5, device=DEVICE)
    gradient = grad(chain, memory="20MiB", engine=engine)
    expected = grad(chain, schedule="plain", engine=engine)(x)
    del expected
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    before, reserved = torch.cuda.memory_allocated(), torch.cuda.memory_reserved()
    found = gradient(x)
    own = found.element_size() * found.numel()
    assert torch.cuda.max_memory_allocated() - before - own <= 1.05 * 20 * MIB
    assert torch.cuda.max_memory_reserved() - reserved - own <= 1.15 * 20 * MIB


@pytest.mark.parametrize("engine", engines.usable())
def test_states_that_move_to_the_host_come_back(engine: str) -> None:
    if engine == "c":
        pytest.skip("engine c keeps states where they are")
    x = torch.full((SIZE,), 0.5, device=DEVICE)
    expected = grad(chain, schedule="plain", engine=engine)(x)
    memory = {"host": "64MiB", "cuda": "20MiB"}
    assert torch.equal(grad(chain, memory=memory, engine=engine)(x), expected)


@pytest.mark.parametrize("engine", engines.usable())
def test_steps_do_not_wait_for_the_device(engine: str) -> None:
    x = torch.full((64,), 0.5, device=DEVICE)
    gradient = grad(chain, schedule="plain", engine=engine)
    gradient(x)
    torch.cuda.set_sync_debug_mode("error")
    try:
        gradient(x)
    finally:
        torch.cuda.set_sync_debug_mode("default")
