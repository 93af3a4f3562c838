"""Actions on the Python functions of the corpora for runs whose memory ends, used by allocations.py.

In: an example of tests/python/corpus or tests/arrays/corpus. Out: actions on engine c, each of which gives a
text. Addresses in a text say nothing.
"""

from __future__ import annotations

import copy
import io
import re
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from typing import Any

import numpy as np

from checkpoint.ad.graph import numbers
from checkpoint.driver.schedule import Bisection
from checkpoint.functions.python_functions import rest_of, result, run_of
from checkpoint.functions.run import Run
from tests.arrays import agreement as arrays
from tests.arrays import corpus as array_corpus
from tests.python import corpus as python_corpus
from tests.python import test_corpus as python

Action = Callable[[], str]
CUT = 7  # the step at which a run is interrupted
SCHEDULE = Bisection(base=50)
_ADDRESS = re.compile(r"0x[0-9a-f]+")


def all_functions() -> dict[str, tuple[Any, Callable[[Any], Any]]]:
    """Return the examples of both corpora by name, each with the choice of a cotangent for its value."""
    found: dict[str, tuple[Any, Callable[[Any], Any]]] = {}
    for name, example in array_corpus.examples().items():
        found[name] = example, arrays.weights
    for name, other in python_corpus.examples().items():
        found[name] = other, python.weights
    return found


def actions(example: Any, weights: Callable[[Any], Any]) -> Iterator[tuple[str, Action]]:
    """Yield the actions on an example: its value, a capsule resumed, its gradient."""

    def called() -> Run:
        return run_of(example.function, copy.deepcopy(example.args), {}, "c")

    def whole() -> Any:
        call = called()
        return result(call.value(), call.engine)

    def in_two() -> Any:
        rest = rest_of(called().interrupt(CUT))
        return result(rest.value(), rest.engine)

    def gradient() -> Any:
        return [getattr(x, "data", x) for part in called().vjp(weights, SCHEDULE) for x in numbers(part)]

    yield "run", _told(whole)
    if example.raises is None:
        yield "resumed", _told(in_two)
        if example.differentiable:
            yield "gradient", _told(gradient)


def _told(action: Callable[[], Any]) -> Action:
    """Return an action for the text of what `action` gives, prints or raises; MemoryError passes through."""

    def tell() -> str:
        with redirect_stdout(io.StringIO()) as printed, np.errstate(all="ignore"):
            try:
                found = repr(action())
            except MemoryError:
                raise
            except Exception as error:
                found = f"{type(error).__name__}: {error}"
        return _ADDRESS.sub("", f"{found} {printed.getvalue()}")

    return tell
