"""Objects may store functions under names that methods of dates, patterns or tables have."""

from __future__ import annotations

from typing import Any

import pytest

import checkpoint
from tests.support.corpus import usable_engines


class Scale:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def __call__(self, x: Any) -> Any:
        return x * self.factor


class Model:
    def __init__(self, factor: float) -> None:
        self.head = Scale(factor)
        self.match = Scale(2.0 * factor)


@pytest.mark.parametrize("engine", [engine.name for engine in usable_engines()])
def test_they_are_called_and_differentiated(engine: str) -> None:
    def loss(model: Any) -> Any:
        return model.head(2.0) + model.match(5.0)

    value, found = checkpoint.value_and_grad(loss, engine=engine)(Model(3.0))
    assert value == 36.0
    assert (found.head.factor, found.match.factor) == (2.0, 5.0)
