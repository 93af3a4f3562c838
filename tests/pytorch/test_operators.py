"""PyTorch's operators that have no record: values and derivatives are PyTorch's, whatever the engine."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

import checkpoint
from checkpoint.errors import RunError, SourceError
from tests.support.corpus import usable_engines

ENGINES = [engine.name for engine in usable_engines()]
SCHEDULES: list[dict[str, Any]] = [{"schedule": "plain"}, {"schedule": "bisection"}, {"memory": "160KiB"}]

PLACES = torch.tensor([[0, 2], [1, 1], [3, 0], [2, 3]])
MATRIX = torch.tensor(
    [[1.3, 0.2, 0.7, 0.4], [0.6, 1.9, 0.1, 0.8], [0.3, 0.5, 1.7, 0.9], [1.1, 0.45, 0.65, 2.1]],
    dtype=torch.float64,
)

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "norm": lambda x: x.norm(),
    "norm of rows": lambda x: torch.norm(x, dim=1).square().sum(),
    "linalg.norm": lambda x: torch.linalg.norm(x * x),
    "normalize": lambda x: functional.normalize(x)[0].sum(),
    "logsumexp": lambda x: torch.logsumexp(x, 1).prod(),
    "cumprod": lambda x: x.cumprod(0).sum(),
    "clamp_min": lambda x: x.clamp_min(0.7).square().sum(),
    "masked_fill": lambda x: x.masked_fill(x > 1.0, 0.5).square().sum(),
    "gather": lambda x: x.gather(1, PLACES).square().sum(),
    "scatter_add": lambda x: torch.scatter_add(x, 1, PLACES, x[:, 1:3]).square().sum(),
    "index_select": lambda x: x.index_select(0, PLACES[0]).square().sum(),
    "repeat": lambda x: (x.repeat(2, 1)[:, 0] * x.repeat(1, 2)[0]).sum(),
    "tile": lambda x: torch.tile(x, (2, 1)).square().sum(),
    "chunk": lambda x: (x.chunk(2)[0] * x.chunk(2)[1]).sum(),
    "split": lambda x: (x.split(2)[1] * x.split(2)[0]).sum(),
    "unbind": lambda x: (x.unbind(0)[1] * x.unbind(1)[0]).sum(),
    "narrow": lambda x: x.narrow(0, 1, 2).square().sum(),
    "triangles": lambda x: (x.tril() * x.triu(1).T).sum(),
    "roll and flip": lambda x: (x.roll(1, 0) * x.flip(0)).sum(),
    "diagonals": lambda x: x.diagonal(1).square().sum() + torch.diag(x).prod(),
    "einsum": lambda x: torch.einsum("ij,kj->ik", x, x * x).sum(),
    "addmm": lambda x: torch.addmm(x, x, x, alpha=0.5).sum(),
    "rsqrt": lambda x: x.rsqrt().sum(),
    "lgamma": lambda x: torch.lgamma(x).sum(),
    "inv": lambda x: torch.linalg.inv(x).sum(),
    "solve": lambda x: torch.linalg.solve(x, x[0]).sum(),
    "det": lambda x: torch.linalg.det(x * x),
    "slogdet": lambda x: torch.linalg.slogdet(x).logabsdet,
    "cholesky": lambda x: torch.linalg.cholesky(x @ x.T).sum(),
    "eigh": lambda x: torch.linalg.eigh(x @ x.T)[0][1],
    "fft": lambda x: torch.fft.fft(x).abs().square().sum(),
    "sort": lambda x: torch.sort(x, dim=0).values[1].prod(),
    "topk": lambda x: torch.topk(x, 2).values.prod(),
    "median": lambda x: x.median() * x.median(dim=1).values.sum(),
    "cummax": lambda x: x.cummax(0).values.square().sum(),
    "lerp": lambda x: torch.lerp(x, x.T, 0.3).square().sum(),
    "addcmul": lambda x: torch.addcmul(x, x, x.T, value=2.0).sum(),
    "cdist": lambda x: torch.cdist(x, x.T + 1.0).sum(),
    "cosine_similarity": lambda x: functional.cosine_similarity(x, x.T).sum(),
    "cross": lambda x: torch.linalg.cross(x[:3, :3], x[1:, 1:]).square().sum(),
    "kron": lambda x: torch.kron(x, x * x).square().sum(),
    "diff": lambda x: torch.diff(x).square().sum(),
    "xlogy": lambda x: torch.special.xlogy(x, x).sum(),
    "quantile": lambda x: x.quantile(0.3),
    "expand_as": lambda x: (x[0].expand_as(x) * x).sum(),
    "hstack": lambda x: torch.hstack((x, x * x)).square().sum(),
    "std_mean": lambda x: torch.std_mean(x)[0] * torch.std_mean(x)[1],
    "matrix_exp": lambda x: torch.matrix_exp(x * 0.1).sum(),
    "trapezoid": lambda x: torch.trapezoid(x, dx=0.5).square().sum(),
    "linspace": lambda x: (torch.linspace(0.0, 1.0, 4, dtype=x.dtype) * x).square().sum(),
}


def of_pytorch(function: Callable[[Any], Any], x: Any) -> tuple[Any, Any]:
    leaf = x.clone().requires_grad_()
    y = function(leaf)
    y.backward()
    return y.detach(), leaf.grad


def assert_near(found: Any, expected: Any) -> None:
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_value_and_gradient_are_those_of_pytorch(name: str, engine: str) -> None:
    value, gradient = of_pytorch(FUNCTIONS[name], MATRIX)
    y, found = checkpoint.value_and_grad(FUNCTIONS[name], engine=engine)(MATRIX)
    assert torch.equal(y, value)
    assert_near(found, gradient)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_of_second_order(name: str) -> None:
    """Forward over reverse, and reverse over reverse."""
    function = FUNCTIONS[name]
    expected = torch.autograd.functional.hessian(function, MATRIX)
    assert_near(checkpoint.hessian(function)(MATRIX), expected)
    along = checkpoint.grad(lambda x: (checkpoint.grad(function)(x) * MATRIX).sum())(MATRIX)
    assert_near(along, torch.tensordot(expected, MATRIX))


def iterated(x: Any, turns: int) -> Any:
    y = x
    for i in range(turns):
        whole = torch.linalg.solve(torch.addmm(torch.eye(4, dtype=x.dtype), y, y.tril(), alpha=0.1), x)
        parts = whole.chunk(2, dim=i % 2)
        y = torch.cat((parts[1], functional.normalize(parts[0], dim=1)), dim=i % 2)
    return y.norm()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("how", SCHEDULES)
def test_schedules_have_equal_bits(engine: str, how: dict[str, Any]) -> None:
    expected = checkpoint.value_and_grad(iterated, engine="hybrid", schedule="plain")(MATRIX, 30)
    found = checkpoint.value_and_grad(iterated, engine=engine, **how)(MATRIX, 30)
    assert torch.equal(found[0], expected[0])
    assert torch.equal(found[1], expected[1])
    assert_near(found[1], of_pytorch(lambda x: iterated(x, 30), MATRIX)[1])


@pytest.mark.parametrize("engine", ENGINES)
def test_views_are_views(engine: str) -> None:
    """What shows elements of an operand is stale, or changes, as other views are."""

    def through_a_view(x: Any) -> Any:
        y = x * 2.0
        part = y.narrow(0, 0, 2)
        part[0] = x[1] * 3.0
        return part.square().sum()

    assert_near(checkpoint.grad(through_a_view, engine=engine)(MATRIX), of_pytorch(through_a_view, MATRIX)[1])

    def stale(x: Any) -> Any:
        y = x * 2.0
        part = y.narrow(0, 0, 2)
        part[0] = x[1]
        return y.sum()

    with pytest.raises(RunError, match="changed"):
        checkpoint.grad(stale, engine=engine)(MATRIX)


@pytest.mark.parametrize("engine", ENGINES)
def test_numbers_are_differentiated(engine: str) -> None:
    def mixed(weight: float) -> Any:
        return torch.lerp(MATRIX, MATRIX.T.square(), weight).square().sum()

    weight = torch.tensor(0.3, dtype=torch.float64)
    _, expected = of_pytorch(mixed, weight)
    assert checkpoint.grad(mixed, engine=engine)(0.3) == pytest.approx(expected.item(), rel=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_by_a_number_that_pytorch_does_not_differentiate_the_derivative_is_unknown(engine: str) -> None:
    def norm(x: Any, p: float) -> Any:
        return torch.linalg.vector_norm(x, p)

    by_x, by_p = checkpoint.grad(norm, argnums=(0, 1), engine=engine)(MATRIX, 3.0)
    assert_near(by_x, of_pytorch(lambda x: norm(x, 3.0), MATRIX)[1])
    assert math.isnan(by_p)
    assert_near(checkpoint.grad(norm, engine=engine)(MATRIX, 3.0), by_x)


def test_complex_numbers() -> None:
    def spectrum(x: Any) -> Any:
        y = torch.fft.fft(torch.complex(x, x.T))
        return torch.linalg.inv(y @ y.mT.conj() + 3.0).abs().sum()

    value, gradient = of_pytorch(spectrum, MATRIX)
    y, found = checkpoint.value_and_grad(spectrum)(MATRIX)
    assert torch.equal(y, value)
    assert_near(found, gradient)


def test_what_changes_its_operands_is_refused() -> None:
    with pytest.raises(SourceError, match="the method fill_diagonal_ of arrays has no rule"):
        checkpoint.grad(lambda x: x.fill_diagonal_(0.0).sum())(MATRIX)
    with pytest.raises(SourceError, match=r"a star in a call of torch\.cumprod"):
        checkpoint.grad(lambda x, rest: torch.cumprod(x, *rest).sum())(MATRIX, (0,))
    with pytest.raises(RuntimeError, match="must match the size"):
        checkpoint.grad(lambda x: torch.lerp(x, x[:3], 0.5).sum())(MATRIX)


@pytest.mark.parametrize("engine", ENGINES)
def test_methods_that_numpy_has_too_have_the_meaning_of_pytorch(engine: str) -> None:
    def shapes(x: Any) -> Any:
        return (
            x.repeat(2, 1),
            x.nonzero(),
            x.argsort(descending=True),
            x.all(dim=1),
            x.diagonal(dim1=1, dim2=0),
        )

    found, _ = checkpoint.vjp(
        shapes, MATRIX, (torch.ones(8, 4, dtype=torch.float64), None, None, None, MATRIX[0])
    )
    for mine, other in zip(found, shapes(MATRIX), strict=True):
        assert torch.equal(mine, other)


LINE = np.poly1d([2.0, 1.0])


@pytest.mark.parametrize("engine", ENGINES)
def test_objects_without_a_hash_are_no_operators(engine: str) -> None:
    with pytest.raises(SourceError, match=r"`poly1d` cannot be differentiated"):
        checkpoint.grad(lambda x: LINE(x) * x, engine=engine)(3.0)


def by_methods(x: Any) -> Any:
    """Return a number that needs the tensor's own `sort` beside that of a list."""
    found = [0.5, 2.0]
    found.sort(reverse=True)
    best = x.sort(descending=True)
    order = best.indices
    order.sort()
    low, places = x.sort(0)
    return (best.values[:, 0] * low[1, :2]).sum() * found[0] + x[:, places[0, 0]].prod()


@pytest.mark.parametrize("engine", ENGINES)
def test_sort_is_a_method_of_tensors_and_of_lists(engine: str) -> None:
    x = torch.tensor([[3.0, -1.0, 2.0], [0.5, 4.0, 1.5]], dtype=torch.float64)
    given = x.clone().requires_grad_()
    value = by_methods(given)
    mine, gradient = checkpoint.value_and_grad(by_methods, engine=engine)(x)
    assert torch.equal(mine, value.detach())
    torch.testing.assert_close(gradient, *torch.autograd.grad(value, given))


def of_names(x: torch.Tensor) -> Any:
    a = x.reshape(2, 2)
    left, right = torch.linalg.svd(a).S, torch.linalg.eigh(a + a.T).eigenvalues
    factors, bounds = torch.linalg.qr(a), x.aminmax()
    sizes = torch.linalg.lu_factor(a).LU.sum() + torch.frexp(x).mantissa.sum() + factors[1].sum()
    return left.sum() + right[0] + factors.R[0, 0] ** 2 + bounds.max - bounds.min + sizes


@pytest.mark.parametrize("engine", ENGINES)
def test_results_with_names_are_read_by_them(engine: str) -> None:
    x = torch.tensor([3.0, 1.0, 2.0, 2.5], dtype=torch.float64)
    value, gradient = checkpoint.value_and_grad(of_names, engine=engine)(x)
    leaf = x.clone().requires_grad_()
    expected = of_names(leaf)
    expected.backward()
    torch.testing.assert_close(value, expected.detach())
    torch.testing.assert_close(gradient, leaf.grad)


def spectral(x: torch.Tensor) -> Any:
    return torch.linalg.eigh(x)


def test_a_result_with_names_leaves_with_them_and_takes_the_cotangent_of_a_tuple() -> None:
    x = torch.tensor([[2.0, 1.0], [1.0, 3.0]])
    y, xbar = checkpoint.vjp(spectral, x, (torch.ones(2), torch.zeros(2, 2)))
    assert type(y)._fields == ("eigenvalues", "eigenvectors")
    assert torch.equal(y.eigenvalues, torch.linalg.eigh(x).eigenvalues)
    torch.testing.assert_close(xbar, torch.eye(2))
    with pytest.raises(RunError, match="ybar must be a linalg_eigh, not a list"):
        checkpoint.vjp(spectral, x, [torch.ones(2), torch.zeros(2, 2)])
