"""ONNX's own tests of nodes, which the package onnx has: how many agree.

In: an engine. Out: for each test how the program of it ended: "agrees", or why not.

    python -m experiments.models.backend --every 1
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from functools import cache
from typing import Any

import numpy as np

from checkpoint import engines
from checkpoint.errors import SourceError
from checkpoint.functions.networks import Network, network_of
from checkpoint.functions.python_functions import PythonFunction
from experiments import common
from experiments.extras import needed

NOT_SUPPORTED = "not supported"
NO_ARRAYS = "no arrays"  # elements for which NumPy has no type; sequences and optional values
LACKS = "lacks an option"
# What the errors of options that an operator lacks say.
_LACKING = ("has no rule", "draws hidden random numbers", "no elements of type", "have no arrays here")


@cache
def cases() -> dict[str, Any]:
    """Return all tests of nodes by name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with needed():
            from onnx.backend.test.case.node import collect_testcases  # noqa: PLC0415

        return {each.name: each for each in collect_testcases(None)}


def outcome(name: str, engine: str) -> str:
    """Return how a test ends: "agrees", NOT_SUPPORTED, NO_ARRAYS, LACKS, or what differs or fails."""
    case = cases()[name]
    if not all(map(_is_array, [x for data in case.data_sets for x in (*data[0], *data[1])])):
        return NO_ARRAYS
    try:
        net = network_of(case.model, name)
    except SourceError:
        return NOT_SUPPORTED
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [bad for data in case.data_sets if (bad := _differs(net, case, data, engine))]
    return "agrees" if not found else LACKS if any(text in found[0] for text in _LACKING) else found[0]


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


def main() -> None:
    """Run the tests, and write how many ended how."""
    options = common.keepable(argparse.ArgumentParser(description="ONNX's own tests of nodes"))
    options.add_argument("--engine", default=engines.get().name, choices=list(engines.available()))
    options.add_argument("--every", type=common.natural, default=8, help="run only every n-th test (8)")
    chosen = options.parse_args()
    found = {name: outcome(name, chosen.engine) for name in list(cases())[:: chosen.every]}
    known = ("agrees", NOT_SUPPORTED, NO_ARRAYS, LACKS)
    counts = Counter(each if each in known else "differs or fails" for each in found.values())
    others = {name: each for name, each in found.items() if each not in known}
    for name, text in others.items():
        print(f"{name}: {text}")
    print(common.table(["outcome", "tests"], [[name, str(count)] for name, count in counts.most_common()]))
    if chosen.keep:
        common.save("models-backend", chosen.engine, every=chosen.every, counts=dict(counts), others=others)


if __name__ == "__main__":
    main()
