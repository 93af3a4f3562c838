"""NumPy's functions as records call them (numpy/functions.h): NumPy's bits, or NumPy is asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from checkpoint.ad.tracing import loops
from checkpoint.ctarget import library
from checkpoint.scalars.kernels import kernel_of
from tests.ctarget import test_numpy_sums
from tests.ctarget.test_functions import loop, outcome

pytestmark = pytest.mark.skipif(library.reason() is not None, reason=str(library.reason()))


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_choices() -> None:
    """They have NumPy's bits, those of NaN too, or are left to NumPy."""
    function, rng, some = loop("where"), np.random.default_rng(5), 0
    payload = np.array([0x7FF8000000000123, 0xFFF0000000000456], np.uint64).view(np.float64)
    for shape in ((1200,), (300, 5), (7, 1, 200), (40, 2)):
        x, y = rng.normal(size=shape), rng.choice([-0.0, 2.0], size=shape)
        x.ravel()[:2] = payload
        one, mask = np.broadcast_to(np.float64(-0.0), shape), rng.random(shape) < 0.4
        others = [(x, y[:1]), (x, x.astype(np.float32)), (x, y.T), (1.0, 2.0), (x, 1)]
        for a, b in [(x, y), (x, 0.0), (1.5, y), (x, one), (one, x), *others]:
            for condition in (mask, np.flip(mask), (mask * 2).astype(np.uint8).view(bool), mask * 1.0):
                found = function(condition, a, b)
                if found is not None:
                    some += 1
                    assert outcome(np.where, condition, a, b) == outcome(lambda found=found: found)
    assert some >= 3 * 5 * 2


def test_products_of_one_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """They have NumPy's bits, and are made by the loop once they are often asked for."""
    called, usual = [], kernel_of("matmul")
    assert usual is not None

    def counted(*args: Any) -> Any:
        called.append(args)
        return usual(*args)

    monkeypatch.setattr(loops, "kernel_of", lambda name: counted)
    monkeypatch.setattr(loops, "_met", {})
    loops._order_of_products.cache_clear()
    x, y = test_numpy_sums.uneven((300, 16)), test_numpy_sums.uneven((5, 16)).T
    for k in range(loops.OFTEN + 2):
        assert outcome(loops.product, x, y) == outcome(np.matmul, x, y)
        assert (len(called) > 0) == (k >= loops.OFTEN)
