"""What may come in as a tensor, what is refused by name, and what is left as it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import checkpoint
from checkpoint import engines, grad, value_and_grad, vjp
from checkpoint.errors import CheckpointError

ENGINES = pytest.mark.parametrize("engine", engines.usable())


def squares(x: Tensor) -> Tensor:
    return (x * x).sum()


@ENGINES
def test_parameters_and_tensors_that_require_gradients(engine: str) -> None:
    for x in (torch.nn.Parameter(torch.ones(3)), torch.ones(3, requires_grad=True)):
        value, gradient = value_and_grad(squares, engine=engine)(x)
        assert torch.equal(gradient, 2.0 * torch.ones(3))
        assert type(gradient) is Tensor
        assert not value.requires_grad
        assert not gradient.requires_grad
        assert x.grad is None


@ENGINES
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_the_gradient_has_the_dtype_of_the_argument(engine: str, dtype: torch.dtype) -> None:
    gradient = grad(squares, engine=engine)(torch.tensor([1.0, -2.0], dtype=dtype))
    assert torch.equal(gradient, torch.tensor([2.0, -4.0], dtype=dtype))


@ENGINES
def test_strides_and_sizes(engine: str) -> None:
    whole = torch.arange(12.0).reshape(3, 4)
    for x in (
        whole.t(),
        whole[:, ::2],
        whole[1],
        torch.zeros(0, 3),
        whole.expand(2, 3, 4),
        torch.tensor(2.0),
    ):
        assert torch.equal(grad(squares, engine=engine)(x), 2.0 * x)


@ENGINES
def test_complex_tensors(engine: str) -> None:
    z = torch.tensor([1.0 + 2.0j, -0.5j])
    _, cotangent = vjp(lambda z: z * z, z, torch.ones(2, dtype=z.dtype), engine=engine)
    assert torch.equal(cotangent, 2.0 * z)


@ENGINES
def test_nests_of_tensors_and_numbers(engine: str) -> None:
    def f(p: dict[str, Any]) -> Any:
        return (p["w"] * p["scale"]).sum() + p["pair"][0].item() * p["pair"][1]

    given = {"w": torch.ones(2), "scale": 3.0, "pair": (torch.tensor(2.0), 0.5)}
    found = grad(f, engine=engine)(given)
    assert torch.equal(found["w"], torch.full((2,), 3.0))
    assert (found["scale"], found["pair"][1]) == (2.0, 2.0)
    assert torch.equal(found["pair"][0], torch.tensor(0.5))


@ENGINES
def test_the_caller_keeps_its_modes_and_its_tensors(engine: str) -> None:
    x = torch.arange(4.0)

    def changes(x: Tensor) -> Tensor:
        y = x.clone()
        y[0] = 5.0 * x[1]
        return y.sum()

    assert torch.equal(grad(changes, engine=engine)(x), torch.tensor([0.0, 6.0, 1.0, 1.0]))
    assert torch.equal(x, torch.arange(4.0))
    assert torch.is_grad_enabled()


def in_place_on_an_argument(x: Tensor) -> Tensor:
    x[0] = 1.0
    return x.sum()


def beside_numpy(x: Tensor) -> Any:
    return (x * np.ones(3, np.float32)).sum()


def backward(x: Tensor) -> Any:
    return x.sum().backward()


def drawn(x: Tensor) -> Any:
    return (torch.randn(3) * x).sum()


def to_numpy(x: Tensor) -> Any:
    return x.numpy().sum()


def without_a_rule(x: Tensor) -> Any:
    return torch.special.i0e(x).sum()


def lacking(x: Tensor) -> Any:
    return np.sum(np.pad(x, 1))


WRONG: list[tuple[Callable[[Tensor], Any], str]] = [
    (in_place_on_an_argument, "came in as an argument"),
    (beside_numpy, "arrays of PyTorch and of NumPy in one operation"),
    (backward, "the method backward"),
    (drawn, "randn"),
    (to_numpy, "the method numpy"),
    (without_a_rule, "for which there is no rule"),
    (lacking, r"np\.pad has no rule for arrays of PyTorch"),
]


@ENGINES
@pytest.mark.parametrize(("f", "text"), WRONG, ids=[f.__name__ for f, _ in WRONG])
def test_what_is_refused(engine: str, f: Callable[[Tensor], Any], text: str) -> None:
    with pytest.raises(CheckpointError, match=text) as found:
        grad(f, engine=engine)(torch.ones(3))
    assert "test_inputs.py" in str(found.value)


@ENGINES
def test_errors_of_pytorch_are_those_of_the_program(engine: str) -> None:
    with pytest.raises(RuntimeError, match="must match the size") as plain:
        squares(torch.ones(2) + torch.ones(3))
    with pytest.raises(type(plain.value), match="must match the size"):
        grad(lambda x: (x + x[:2]).sum(), engine=engine)(torch.ones(3))
    with pytest.raises(IndexError):
        grad(lambda x: x.sum(3), engine=engine)(torch.ones(3))


def test_tensors_that_no_program_takes() -> None:
    with pytest.raises(CheckpointError, match="layout"):
        grad(squares)(torch.eye(3).to_sparse())
    with pytest.raises(CheckpointError, match="pass one of numbers"):
        grad(squares)(torch.zeros(3, dtype=torch.float8_e4m3fn))


def test_budgets_count_tensors_by_their_storage() -> None:
    def chain(x: Tensor, n: int = 60) -> Tensor:
        for _ in range(n):
            x = torch.sin(x)
        return x.sum()

    x = torch.ones(2**16)
    with checkpoint.profile() as profile:
        gradient = grad(chain, memory="4MiB", engine="c")(x)
    assert torch.equal(gradient, grad(chain, schedule="plain", engine="interp")(x))
    assert profile.total is not None
    assert 2**20 < profile.total.peak_bytes <= 2**22
