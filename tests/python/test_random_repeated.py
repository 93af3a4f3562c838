"""Random functions that are called again and again: with other arguments, and where their module has changed.

Each call has the value of Python and the gradient of a sweep on engine interp, to the bit, or its error.
Calls whose schedule is not named may go by plans.
"""

from __future__ import annotations

import re
import types
import warnings
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from checkpoint import engines, value_and_grad
from tests.python.agreement import outcome
from tests.python.generator_repeated import Call, module
from tests.python.mutated import module_of
from tests.support.translation import forced

pytestmark = pytest.mark.engines_in_turn

SAMPLE = (14, 19, 23)  # of modules whose calls have plans
SEEDS = [*SAMPLE, *[pytest.param(seed, marks=pytest.mark.long) for seed in range(200) if seed not in SAMPLE]]


def bits(value: Any) -> Any:
    """Return what tells a value from others: types, structure, and the bits of numbers; a NaN is any NaN."""
    if isinstance(value, list | tuple):
        return type(value).__name__, [bits(item) for item in value]
    if isinstance(value, dict):
        return [(key, bits(item)) for key, item in value.items()]
    if isinstance(value, np.ndarray | np.generic):
        plain = np.where(np.isnan(value), np.nan, value) if value.dtype.kind == "f" else value
        return type(value), value.dtype, value.shape, plain.tobytes()
    if isinstance(value, float):
        return value.hex()
    return (type(value).__name__, bits(vars(value))) if hasattr(value, "__dict__") else repr(value)


def taken(place: types.ModuleType, call: Call, **options: Any) -> tuple[Any, Any]:
    """Change a module, and call its function; return the gradient and the value in Python, or the errors."""
    with suppress(AttributeError):  # what is to be deleted may be gone
        exec(call.changes, vars(place))
    args, kwargs = eval(f"(lambda *args, **kwargs: (args, kwargs))({', '.join(call.args)})", vars(place))
    found = outcome(lambda: value_and_grad(place.entry, call.argnums, **options)(*args, **kwargs))
    native = outcome(lambda: place.entry(*args, **kwargs))
    if found.error is None:
        return found.value, native
    text = re.sub(rf"<?{place.__name__}>?", "", str(found.error).partition("\n")[0])
    return (type(found.error).__name__, text), native


def check(seed: int, engine: str) -> int:
    """Check the calls of one module; return how many had a gradient."""
    made, count = module(seed), 0
    own, other = module_of(made.text), module_of(made.text)
    for call in made.calls:
        got, _ = taken(own, call, engine=engine)
        want, native = taken(other, call, engine="interp", schedule="budget")
        assert bits(got) == bits(want), f"{call}: {got}; by a sweep {want}"
        if not isinstance(want[0], str):
            assert float(native.value) == want[0] or np.isnan(want[0]), f"{call}: {want}; Python: {native}"
            count += 1
    return count


@pytest.mark.parametrize("engine", engines.usable())
@pytest.mark.parametrize("seed", SEEDS)
def test_every_call_has_the_bits_of_a_sweep(seed: int, engine: str) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        assert check(seed, engine) > 0


@pytest.mark.skipif("c" not in engines.usable(), reason="translation is of engine c")
@pytest.mark.long
@pytest.mark.parametrize("seed", range(0, 200, 5))
def test_every_call_has_them_where_it_is_translated(seed: int) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"), forced():
        warnings.simplefilter("ignore")
        assert check(seed, "c") > 0
