"""States that are kept in the host's memory, and come back: the same in every bit, on tensors of the host."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from checkpoint import Binomial, Bisection, Budget, RunError, value_and_grad
from checkpoint.driver import execute, levels
from checkpoint.driver.memory import check, has_devices
from tensorlib.pytorch.library import TORCH
from tests.pytorch import programs

PROGRAMS = (programs.affine, programs.changed, programs.indexed, programs.loop, programs.while_loop)


@pytest.fixture
def moved(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Make every tensor of a kept state one that lies elsewhere; return what was done with them."""
    done: list[str] = []

    def parked(data: Any) -> Any:
        done.append("parked")
        return data.clone()

    def received(data: Any, dtype: Any, device: Any) -> Any:
        done.append(device)
        return data.clone()

    monkeypatch.setattr(TORCH, "parked", parked)
    monkeypatch.setattr(TORCH, "received", received)
    level = lambda schedule, footprint, again: levels.OnHost(levels.InMemory(footprint), lambda data: True)  # noqa: E731
    monkeypatch.setattr(execute, "level_of", level)
    return done


@pytest.mark.parametrize("engine", ["hybrid", "interp"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_states_come_back_as_they_were(program: Any, engine: str, moved: list[str]) -> None:
    count = 2 if program is programs.affine else 1
    given = [torch.linspace(-1.0, 1.5 + i, 16, dtype=torch.float64).reshape(4, 4) for i in range(count)]
    value, gradient = value_and_grad(program, engine=engine, schedule="plain")(*given)
    for schedule in (Bisection(base=5), Binomial(snapshots=3, base=5), Budget("40KiB")):
        again, other = value_and_grad(program, engine=engine, schedule=schedule)(*given)
        assert torch.equal(value, again)
        assert torch.equal(gradient, other)
    assert {"parked", "cpu"} <= set(moved)


def test_a_budget_of_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = {"host": "1GiB", "cuda": "64MiB"}
    monkeypatch.setattr(TORCH, "devices", lambda: ())
    with pytest.raises(
        RunError, match="memory has an entry for 'cuda', but no imported library has arrays there"
    ):
        check(memory)
    monkeypatch.setattr(TORCH, "devices", lambda: ("cuda",))
    check(memory)
    assert has_devices(memory)
    assert not has_devices({"host": "1GiB"})
    x = torch.ones(3)
    expected = value_and_grad(programs.loop)(x)[1]
    assert torch.equal(value_and_grad(programs.loop, engine="hybrid", memory=memory)(x)[1], expected)
    with pytest.raises(RunError, match="use engine='hybrid'"):
        value_and_grad(programs.loop, engine="c", memory=memory)(x)
    with pytest.raises(RunError, match=r"memory\['cuda'\] must be at least 1 byte"):
        check({"cuda": 0})
