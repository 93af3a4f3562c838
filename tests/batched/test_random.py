"""Random functions under `vmap(f, exact=False)` end as under the loop, with a batched form or without."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from typing import Any

import numpy as np
import pytest

import checkpoint
from tests.laws.test_lanes import arguments, arrays, functions_of

pytestmark = pytest.mark.filterwarnings("ignore::checkpoint.LanesWarning")
CLOSE = {"rtol": 1e-7, "atol": 1e-9}  # batched functions may round otherwise, and what follows amplifies that


def ended(f: Any, args: tuple[Any, ...], exact: bool) -> tuple[Any, ...]:
    printed = io.StringIO()
    call = checkpoint.vmap(f, (0, 0, None, None), exact=exact, engine="hybrid")
    with redirect_stdout(printed):
        try:
            value = call(*args)
        except Exception as error:
            return type(error), str(error), getattr(error, "__notes__", None), printed.getvalue()
    return value, printed.getvalue()


@pytest.mark.parametrize(
    "seed", [*range(12), *[pytest.param(i, marks=pytest.mark.long) for i in range(12, 150)]]
)
def test_random_functions(seed: int) -> None:
    written, named = functions_of(seed)
    for width in (1, 3, 64):
        args = arrays(arguments(written, width))
        got, want = (ended(named("lane"), args, exact) for exact in (False, True))
        if len(want) == 4:
            assert got == want
        else:
            assert got[1] == want[1]
            assert np.allclose(got[0], want[0], equal_nan=True, **CLOSE)
