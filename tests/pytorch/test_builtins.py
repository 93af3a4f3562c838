"""What engine c asks of PyTorch itself: built-in functions in place of the library's Python code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from checkpoint import engines, grad
from checkpoint.ad import array_library
from tensorlib.pytorch import kernels, namespace

IS_C_USABLE = "c" in engines.usable()
pytestmark = pytest.mark.skipif(not IS_C_USABLE, reason="engine c is not usable here")


def normalised(x: Any, w: Any) -> Any:
    c = x - x.mean(1, keepdim=True)
    scale = torch.sqrt((c * c).mean(1, keepdim=True) + 1e-5)
    return (torch.exp(-torch.sin(c / scale)) * w + x.sum(0)).mean((0, 1))


def arguments() -> tuple[Any, Any]:
    torch.manual_seed(0)
    return torch.randn(4, 5), torch.randn(5)


def test_plain_cases_call_no_python_code_of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = grad(normalised, (0, 1), engine="hybrid", schedule="plain")(*arguments())
    found = grad(normalised, (0, 1), engine="c", schedule="plain")
    found(*arguments())

    def refused(*_: Any, **__: Any) -> Any:
        raise AssertionError("a function in Python was called")

    for name in ("sum", "mean", "sqrt", "exp", "sin", "negative", "broadcast_to"):
        monkeypatch.setattr(namespace, name, refused)
    for x, y in zip(found(*arguments()), expected, strict=True):
        assert torch.equal(x, y)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x.sum(),
        lambda x: x.mean(),
        lambda x: x.sum(-1, keepdim=True).mean(),
        lambda x: x.sum((0, 1)) * x.mean(dim=1, dtype=torch.float64).sum(),
        lambda x: (x[0, 0].sum() * x).sum(),
    ],
)
def test_sums_have_the_bits_of_hybrid(f: Callable[[Any], Any]) -> None:
    x = arguments()[0]
    assert torch.equal(grad(f, engine="c")(x), grad(f, engine="hybrid")(x))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
def test_the_kernel_of_roots_has_the_bits_of_the_partial(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    y = torch.exp(30.0 * torch.randn(1000)).to(dtype)
    g = torch.randn(1000).to(dtype)
    assert torch.equal(kernels.sqrt_vjp(g, y, y), g * torch.true_divide(torch.tensor(0.5, dtype=dtype), y))


def test_only_schedules_that_read_them_count_the_bytes_of_storages(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    holder, bytes_of, is_view = array_library.storages[torch.Tensor]

    def counted(storage: Any) -> int:
        asked.append(storage)
        return int(bytes_of(storage))

    monkeypatch.setitem(array_library.storages, torch.Tensor, (holder, counted, is_view))
    grad(normalised, engine="c", schedule="plain")(*arguments())
    assert not asked
    grad(normalised, engine="c", memory="64MiB")(*arguments())
    assert asked
