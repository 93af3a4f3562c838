"""The published test cases of other packages for gradients of NumPy functions."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

import tensorlib  # noqa: F401
from checkpoint.ad.record import lookup
from checkpoint.ad.tensors import Tensor
from tests.tensorlib import published
from tests.tensorlib.check import check

SOURCES = [
    published.unary,
    published.binary,
    published.statistics,
    published.numpy_cases,
    published.jax_pointwise,
    published.jax_reductions,
]


def by_name(source: Any) -> dict[str, list[tuple[Any, ...]]]:
    """Return the operands of each record."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    for name, operands in source(np.random.default_rng(0)):
        found.setdefault(name, []).append(operands)
    return found


CASES = [(source.__name__, name, cases) for source in SOURCES for name, cases in by_name(source).items()]


@pytest.mark.parametrize(
    ("name", "cases"), [case[1:] for case in CASES], ids=[f"{source}-{name}" for source, name, _ in CASES]
)
def test_published(name: str, cases: list[tuple[Any, ...]]) -> None:
    for seed, operands in enumerate(cases):
        check(cast(Tensor, lookup(name)), operands, seed, tolerance=1e-4)
