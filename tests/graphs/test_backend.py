"""ONNX's own tests of nodes: what is supported agrees with them, on every engine."""

from __future__ import annotations

import pytest

from checkpoint import engines
from experiments.models.backend import LACKS, NO_ARRAYS, NOT_SUPPORTED, cases, outcome

# Half precision, whose sums are added in another order; and maxima of nothing, which NumPy refuses.
APART = frozenset(
    ("test_attention_4d_fp16", "test_attention_4d_causal_fp16", "test_reduce_log_sum_exp_empty_set",
     "test_reduce_max_empty_set", "test_reduce_max_empty_set_bool", "test_reduce_min_empty_set")
)  # fmt: skip
SAMPLE = 8


@pytest.mark.parametrize("name", [name for i, name in enumerate(cases()) if i % SAMPLE == 0])
def test_on_the_fastest_engine(name: str) -> None:
    assert_fine(name, engines.get().name)


@pytest.mark.parametrize("name", [name for i, name in enumerate(cases()) if i % (8 * SAMPLE) == 0])
@pytest.mark.parametrize("engine", engines.usable())
def test_on_every_engine(name: str, engine: str) -> None:
    assert_fine(name, engine)


@pytest.mark.long
def test_all() -> None:
    for name in cases():
        assert_fine(name, engines.get().name)


def assert_fine(name: str, engine: str) -> None:
    found = outcome(name, engine)
    if name not in APART:
        assert found in ("agrees", NOT_SUPPORTED, NO_ARRAYS, LACKS), f"{name}: {found}"
