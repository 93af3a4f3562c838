"""Generators of NumPy that come from outside: frozen, or changed by a call that returns what it leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import checkpoint

OUTSIDE = np.random.default_rng(4)


def drawn(x: Any, rng: Any) -> Any:
    return x * rng.normal()


def hidden(x: Any) -> Any:
    return x * OUTSIDE.normal()


@pytest.mark.parametrize("made", [np.random.default_rng, np.random.RandomState])
def test_a_generator_is_left_as_numpy_leaves_it(made: Any, engine: str) -> None:
    expected = made(3)
    first = expected.normal()
    slope, state = checkpoint.grad(drawn, engine=engine, has_state=True)(2.0, made(3))
    assert slope == first
    assert state.args[1].normal() == expected.normal()


def test_a_generator_from_outside_is_not_changed(engine: str) -> None:
    with pytest.raises(checkpoint.RunError, match="cannot be changed"):
        checkpoint.grad(drawn, engine=engine)(2.0, np.random.default_rng(3))
    with pytest.raises(checkpoint.SourceError, match="hidden state"):
        checkpoint.grad(hidden, engine=engine)(2.0)
    assert OUTSIDE.normal() == np.random.default_rng(4).normal()
    OUTSIDE.bit_generator.state = np.random.default_rng(4).bit_generator.state
