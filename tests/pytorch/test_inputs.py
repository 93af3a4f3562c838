"""What may come in as a tensor, what is refused by name, and what is left as it was."""

from __future__ import annotations

import warnings
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


def to_numpy(x: Tensor) -> Any:
    return x.numpy().sum()


def without_a_rule(x: Tensor) -> Any:
    return torch.relu_(x).sum()


def lacking(x: Tensor) -> Any:
    return np.sum(np.pad(x, 1))


def seeded(x: Tensor) -> Any:
    return (torch.randn(3, generator=torch.Generator()) * x).sum()


def hooked(x: Tensor) -> Any:
    y = x * x
    y.register_hook(lambda g: 2.0 * g)
    return y.sum()


def requiring(x: Tensor) -> Any:
    return (x * x).requires_grad_().sum()


def asks_whether(x: Tensor) -> Any:
    return x.sum() if x.requires_grad else 2.0 * x.sum()


def without_grad(x: Tensor) -> Any:
    with torch.no_grad():
        y = x * x
    return (x * y).sum()


def by_autograd(x: Tensor) -> Any:
    return torch.autograd.grad((x * x).sum(), x)[0].sum()


def its_data(x: Tensor) -> Any:
    return (x.data * x).sum()


def its_grad(x: Tensor) -> Any:
    return x.grad.sum()


def made_sparse(x: Tensor) -> Any:
    return x.to_sparse().sum()


def autocast_inside(x: Tensor) -> Any:
    with torch.autocast("cpu"):
        return (x @ x).sum()


def through_a_view(x: Tensor) -> Any:
    y = x * 1.0
    z = y.view(3)
    z.mul_(2.0)
    return (y * x).sum()


def argument_by_a_method(x: Tensor) -> Any:
    return x.mul_(2.0).sum()


def by_a_transform(x: Tensor) -> Any:
    return torch.func.grad(lambda y: y.sum())(x).sum()


def by_a_jacobian(x: Tensor) -> Any:
    return torch.autograd.functional.jacobian(lambda y: y.sum(), x).sum()


def mapped_by_pytorch(x: Tensor) -> Any:
    return torch.vmap(lambda y: y * y)(x).sum()


WRONG: list[tuple[Callable[[Tensor], Any], str]] = [
    (in_place_on_an_argument, "came in as an argument"),
    (argument_by_a_method, "came in as an argument"),
    (beside_numpy, "arrays of PyTorch and of NumPy in one operation"),
    (backward, "backward of a tensor .* call checkpoint.grad"),
    (by_autograd, r"torch.autograd.grad .* call checkpoint.grad"),
    (by_a_transform, r"torch.func.grad .* call checkpoint.grad"),
    (by_a_jacobian, r"torch.autograd.functional.jacobian .* call checkpoint.grad"),
    (mapped_by_pytorch, r"torch.func.vmap .* call checkpoint.vmap"),
    (hooked, "register_hook of a tensor .* checkpoint.primitive"),
    (requiring, "requires_grad_ of a tensor .* leave it out"),
    (asks_whether, "requires_grad of a tensor .* leave it out"),
    (without_grad, r"torch.no_grad .* x.detach\(\)"),
    (its_data, r"data of a tensor .* use x.detach\(\)"),
    (its_grad, "grad of a tensor .* what checkpoint.grad"),
    (autocast_inside, "torch.autocast .* around the call"),
    (seeded, "torch.Generator .* seed PyTorch's generator outside of the function"),
    (to_numpy, "numpy of a tensor .* tensorlib.to"),
    (made_sparse, "to_sparse of a tensor .* only dense tensors"),
    (through_a_view, "changed through another name, a view of it"),
    (without_a_rule, "for which there is no rule"),
    (lacking, r"np\.pad has no rule for arrays of PyTorch"),
]


@ENGINES
@pytest.mark.parametrize(("f", "text"), WRONG, ids=[f.__name__ for f, _ in WRONG])
def test_what_is_refused(engine: str, f: Callable[[Tensor], Any], text: str) -> None:
    with pytest.raises(CheckpointError, match=text) as found:
        grad(f, engine=engine)(torch.ones(3))
    assert "test_inputs.py" in str(found.value)


class Weight(Tensor):  # type: ignore[misc]  # of PyTorch, which is not installed for mypy
    """A tensor of a class of its own."""


def test_tensors_that_no_program_takes() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch announces their end
        quantised = torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8)
    with pytest.raises(CheckpointError, match="qint8"):
        grad(squares)(quantised)
    with pytest.raises((CheckpointError, TypeError), match=r"Weight.*as_subclass\(torch.Tensor\)"):
        grad(squares)(torch.ones(3).as_subclass(Weight))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch calls them a prototype
        nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
    with pytest.raises(CheckpointError, match=r"nested tensor.*x.unbind\(\)"):
        grad(squares)(nested)
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


class Halves:
    """An object of the program whose method has the name of one of PyTorch's."""

    def __init__(self) -> None:
        self.total = 1.0

    def add_(self, number: float) -> Halves:
        self.total = self.total + number / 2
        return self


def scales(y: Tensor) -> None:
    y.mul_(2.0)


class Holder:
    """Holds a tensor."""

    def __init__(self, w: Tensor) -> None:
        self.w = w * 1.0


def by_methods_in_place(x: Tensor) -> Tensor:
    y = x.clone()
    y.mul_(x).add_(1.0).sub_(0.5 * x).div_(2.0)
    scales(y)
    y[1].neg_()
    y[1:].add_(x[:2])
    held = Holder(y)
    held.w.clamp_(min=0.2, max=3.0).exp_()
    z = torch.zeros(3, dtype=x.dtype)
    z.copy_(x * x)
    w = torch.empty(3, dtype=x.dtype)
    w.fill_(3.0)
    y.sigmoid_()
    y.zero_()
    return (held.w * z * w + y).sum()


def creates(x: Tensor) -> Tensor:
    kinds = (torch.ones(3), torch.full((3,), 2.0), torch.full((3,), 2), torch.eye(3)[0], torch.arange(3))
    y = torch.zeros_like(x) + torch.ones_like(x) * x + torch.full_like(x, 0.5)
    for each in kinds:
        y = y + each * x
    numbers = torch.tensor([1.0, 2.0, 3.0], dtype=x.dtype) * torch.as_tensor(x[:1])
    return (y * torch.from_numpy(np.arange(3.0)) + numbers).sum() + torch.full(
        (2,), x[1].item(), dtype=x.dtype
    ).sum()


@ENGINES
@pytest.mark.parametrize("f", [by_methods_in_place, creates])
def test_methods_in_place_and_new_tensors(engine: str, f: Callable[[Tensor], Tensor]) -> None:
    x = torch.tensor([0.5, -1.25, 2.0], dtype=torch.float64)
    value, gradient = value_and_grad(f, engine=engine)(x)
    assert torch.allclose(value, f(x))
    for i in range(3):
        e = torch.zeros(3, dtype=x.dtype)
        e[i] = 1e-6
        assert abs((f(x + e) - f(x - e)) / 2e-6 - gradient[i]) < 1e-4
    assert torch.equal(grad(f, schedule="bisection", engine=engine)(x), gradient)


@ENGINES
def test_a_class_of_the_program_keeps_a_method_of_such_a_name(engine: str) -> None:
    f = grad(lambda x: Halves().add_(x).add_(2.0 * x).total * x, engine=engine)
    assert f(2.0) == 1.0 + 3.0 * 2.0


@ENGINES
def test_a_number_in_a_tensor_is_a_real(engine: str) -> None:
    def cubes(x: Tensor) -> Tensor:
        return x * x * x

    gradient = grad(cubes, engine=engine)(torch.tensor(2.0))
    assert torch.equal(gradient, torch.tensor(12.0))

    def products(x: Tensor) -> Any:
        return x[0].item() * float(x[1]) if bool(x[0] > 0) else 0.0

    gradient = grad(products, engine=engine)(torch.tensor([2.0, 3.0]))
    assert torch.equal(gradient, torch.tensor([3.0, 2.0]))


@ENGINES
def test_hooks_of_an_argument_are_not_called(engine: str) -> None:
    called: list[Tensor] = []
    x = torch.ones(3, requires_grad=True)
    x.register_hook(called.append)
    assert torch.equal(grad(squares, engine=engine)(x), 2.0 * torch.ones(3))
    assert not called


class Later:
    """An object that gets an attribute in a method."""

    def keep(self, x: Any) -> None:
        self.kept = x


@ENGINES
def test_attributes_that_objects_get_later(engine: str) -> None:
    def f(x: Tensor) -> Tensor:
        later = Later()
        later.keep(x[0].item())
        return (x * later.kept).sum()

    assert torch.equal(grad(f, engine=engine)(torch.ones(2)), torch.tensor([3.0, 1.0]))
