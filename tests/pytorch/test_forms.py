"""Shapes and dtypes of tensors: engine c asks for them once, and keeps apart those that differ."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from checkpoint import engines, grad
from checkpoint.errors import SourceError

ENGINES = pytest.mark.parametrize("engine", engines.usable())


def turned(x: Any, w: Any, turns: int) -> Any:
    for _ in range(turns):
        x = x * w - x / w
        x = x + w * 0.5
    return x.sum()


@pytest.mark.skipif("c" not in engines.usable(), reason="engine c is not built")
def test_shapes_are_not_asked_for_at_each_operation(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    of_tensor = torch.Tensor.shape

    def shape(x: Any) -> Any:
        nonlocal asked
        asked += 1
        return of_tensor.__get__(x)

    x, w = torch.ones(4), torch.full((4,), 0.75)
    gradient = grad(turned, (0, 1), engine="c", schedule="plain")
    gradient(x, w, 3)
    monkeypatch.setattr(torch.Tensor, "shape", property(shape), raising=False)
    counts = []
    for turns in (3, 60):
        asked = 0
        gradient(x, w, turns)
        counts.append(asked)
    assert counts[0] == counts[1]


def of_several_forms(x: Any, y: Any, row: Any) -> Any:
    """Return a sum of what arrays of two dtypes and three shapes give; x receives several cotangents."""
    for _ in range(3):
        a = x * x + x
        b = a * y  # of y's dtype
        c = b - row * b
        x = a / 3.0 + x * row
        y = c * y + a
    return (x * y).sum() + (row * row).sum() + x[0, 0]


@ENGINES
@pytest.mark.parametrize("dtypes", [(torch.float32, torch.float64), (torch.float64, torch.float32)], ids=str)
def test_forms_that_differ_are_kept_apart(engine: str, dtypes: tuple[torch.dtype, ...]) -> None:
    x = torch.linspace(0.1, 0.9, 6, dtype=dtypes[0]).reshape(2, 3)
    y = torch.linspace(-0.5, 1.5, 6, dtype=dtypes[1]).reshape(2, 3)
    row = torch.tensor([[0.5, 0.25, 1.5]], dtype=dtypes[0])
    found = grad(of_several_forms, (0, 1, 2), engine=engine)(x, y, row)
    leaves = [each.clone().requires_grad_() for each in (x, y, row)]
    expected = torch.autograd.grad(of_several_forms(*leaves), leaves)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.dtype is theirs.dtype
        assert torch.allclose(ours, theirs, rtol=1e-4)
    assert all(map(torch.equal, found, grad(of_several_forms, (0, 1, 2), engine="interp")(x, y, row)))


@ENGINES
def test_a_tensor_of_no_axes_has_a_form_as_others_have(engine: str) -> None:
    def loop(x: Any, w: Any) -> Any:
        for _ in range(4):
            x = x * w + x
        return x

    x, w = torch.tensor(0.5), torch.tensor(1.25)
    found = grad(loop, (0, 1), engine=engine)(x, w)
    assert all(map(torch.equal, found, grad(loop, (0, 1), engine="interp")(x, w)))


SHAPED = {
    "view": lambda x: x.view([2, 3])[1],
    "reshape": lambda x: x.reshape([3, 2])[2],
    "permute": lambda x: x.reshape(2, 3).permute([1, 0])[2],
    "expand": lambda x: x[:1].expand([4]) * x[:4],
}


@ENGINES
@pytest.mark.parametrize("name", SHAPED)
def test_a_shape_may_be_a_list(name: str, engine: str) -> None:
    def f(x: Any) -> Any:
        return (SHAPED[name](x) ** 2).sum()

    given = torch.arange(1.0, 7.0).requires_grad_()
    (expected,) = torch.autograd.grad(f(given), given)
    assert torch.equal(grad(f, engine=engine)(given.detach()), expected)


@ENGINES
def test_a_view_as_another_dtype_is_refused(engine: str) -> None:
    with pytest.raises(SourceError, match=r"as another dtype has no derivative: convert it, x.to\(dtype\)"):
        grad(lambda x: x.view(torch.int32).sum(), engine=engine)(torch.ones(3))
