"""The measurements over tensors run, on small cases: gradients on the engine are those of other packages."""

from __future__ import annotations

from typing import Any

import pytest

from checkpoint.ctarget import library
from experiments.tensors import costs

ENGINE = "hybrid" if library.reason() else "c"


@pytest.mark.parametrize("cases", [costs.operations(3, ENGINE), costs.blocks(2, ENGINE, 5, 3)])
def test_gradients_agree(cases: Any) -> None:
    assert set(costs.timed(cases, 1)) == set(cases)
