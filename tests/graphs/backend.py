"""The tests of nodes that the package onnx has: models with inputs and what they give.

In: an engine. Out: for each test how a network of it ended: "agrees", or why not.
"""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np

from checkpoint.errors import SourceError
from checkpoint.functions.networks import Network, network_of
from checkpoint.functions.python_functions import PythonFunction

NOT_SUPPORTED = "not supported"
NO_ARRAYS = "no arrays"  # elements for which NumPy has no type, sequences


@cache
def cases() -> dict[str, Any]:
    """Return all tests of nodes by name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases  # noqa: PLC0415

        return {each.name: each for each in collect_testcases(None)}


def outcome(name: str, engine: str) -> str:
    """Return how a test ends: "agrees", NOT_SUPPORTED, NO_ARRAYS, or what differs or fails."""
    case = cases()[name]
    if not all(map(_is_array, [x for data in case.data_sets for x in (*data[0], *data[1])])):
        return NO_ARRAYS
    try:
        net = network_of(case.model, name)
    except SourceError:
        return NOT_SUPPORTED
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return next((bad for data in case.data_sets if (bad := _differs(net, case, data, engine))), "agrees")


def _is_array(x: Any) -> bool:
    return isinstance(x, np.ndarray | np.generic) and x.dtype.kind in "fcbiu"


def _differs(net: Network, case: Any, data: Any, engine: str) -> str:
    """Return what differs on one set of inputs; "" if nothing does."""
    inputs, expected = data
    try:
        found = PythonFunction(net.function).call(tuple(inputs), {}, engine).value()
    except Exception as error:  # whatever it is, it is an outcome
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    for a, b in zip(found if isinstance(found, tuple) else (found,), expected, strict=True):
        if np.shape(a) != np.shape(b):
            return f"a shape {np.shape(a)}, not {np.shape(b)}"
        if not np.allclose(a, b, rtol=max(case.rtol, 1e-5), atol=max(case.atol, 1e-6), equal_nan=True):
            return "other numbers"
    return ""
