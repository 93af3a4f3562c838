"""The measurements over tensors run, on small cases: gradients on the engine are those of other packages."""

from __future__ import annotations

from typing import Any

import pytest

from checkpoint.ctarget import library
from experiments.tensors import boundary, costs

ENGINE = "hybrid" if library.reason() else "c"
KINDS = boundary.nests(20)


@pytest.mark.parametrize("cases", [costs.operations(3, ENGINE), costs.blocks(2, ENGINE, 5, 3)])
def test_gradients_agree(cases: Any) -> None:
    assert set(costs.timed(cases, 1)) == set(cases)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("by", [0, 1])
def test_arrays_as_arguments(kind: str, by: int) -> None:
    f, nest = KINDS[kind]
    assert boundary.seconds(f, nest, by, ENGINE, 1) > 0.0
