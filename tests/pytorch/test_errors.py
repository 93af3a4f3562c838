"""Errors of PyTorch: exceptions of the program, with the user's line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from checkpoint import engines, grad
from checkpoint.ad.library import load_imported
from checkpoint.ad.record import records
from checkpoint.ad.tensors import Tensor
from checkpoint.errors import SourceError
from tensorlib.pytorch import namespace
from tests.pytorch.test_inputs import squares

ENGINES = pytest.mark.parametrize("engine", engines.usable())


@ENGINES
def test_errors_of_pytorch_are_those_of_the_program(engine: str) -> None:
    with pytest.raises(RuntimeError, match="must match the size") as plain:
        squares(torch.ones(2) + torch.ones(3))
    with pytest.raises(type(plain.value), match="must match the size"):
        grad(lambda x: (x + x[:2]).sum(), engine=engine)(torch.ones(3))
    with pytest.raises(IndexError):
        grad(lambda x: x.sum(3), engine=engine)(torch.ones(3))


def on_two_devices(x: torch.Tensor) -> Any:
    return (x * torch.ones(3, device="meta")).sum()


@ENGINES
def test_two_devices_in_one_operation(engine: str) -> None:
    with pytest.raises(RuntimeError, match="device"):
        grad(on_two_devices, engine=engine)(torch.ones(3))
    with pytest.raises(RuntimeError, match=r"device meta .* device cpu") as caught:
        grad(product, engine=engine)(torch.ones(3), torch.ones(3, device="meta"))
    assert "return (x * y).sum()" in "".join(caught.value.__notes__)


def product(x: torch.Tensor, y: torch.Tensor) -> Any:
    return (x * y).sum()


def shaped(x: torch.Tensor) -> Any:
    try:
        return x.reshape(7).sum()
    except RuntimeError as error:
        return (x * len(str(error))).sum()


@ENGINES
def test_errors_of_pytorch_are_exceptions_of_the_program(engine: str) -> None:
    assert torch.equal(grad(shaped, engine=engine)(torch.ones(3)), torch.full((3,), 42.0))


@pytest.mark.parametrize("name", ["normal", "normal-cpu-double"])
def test_random_numbers_are_made_by_numpy(name: str) -> None:
    load_imported()
    key, mean = np.array([1, 2], np.uint64), torch.ones(3)
    record = records()[name]
    assert isinstance(record, Tensor)
    with pytest.raises(TypeError, match=r"operand 3 is one of PyTorch's tensors.*scale and shift"):
        record.value(np, key, 3.0, mean, 1.0)


OPTIMIZER = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1)


class Rated(torch.optim.SGD):  # type: ignore[misc]
    """Has a method of the user's own."""

    def rate(self) -> float:
        return 3.0


RATED = Rated([torch.nn.Parameter(torch.ones(1))], lr=0.1)


def zeroed(x: torch.Tensor) -> Any:
    OPTIMIZER.zero_grad()
    return (x * x).sum()


def stepped(x: torch.Tensor, optimizer: Any = OPTIMIZER) -> Any:
    y = (x * x).sum()
    optimizer.step()
    return y


def rated(x: torch.Tensor) -> Any:
    return x.sum() * RATED.rate() * OPTIMIZER.defaults["lr"]


@ENGINES
def test_captured_optimisers_are_refused_by_name_where_they_are_used(engine: str) -> None:
    x = torch.ones(3)
    for f, args, name in (
        (zeroed, (), "Optimizer.zero_grad"),
        (stepped, (), "SGD.step"),
        (stepped, (OPTIMIZER,), "SGD.step"),
    ):
        with pytest.raises(SourceError, match=rf"torch\.optim\.{name} cannot be .*: take the") as error:
            grad(f, engine=engine)(x, *args)
        assert "test_errors.py" in str(error.value.span)
    torch.testing.assert_close(grad(rated, engine=engine)(x), torch.full((3,), 0.3))


def test_a_missing_function_is_missing_to_who_asks_all_modules() -> None:
    """As pickle does, for the module of a function that does not say."""
    assert not hasattr(namespace, "decay")
    with pytest.raises(SourceError, match=r"np\.decay has no counterpart"):
        _ = namespace.decay
