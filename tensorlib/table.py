"""The table of functions of arrays by topic, as tensorlib/README.md has it: python -m tensorlib.table"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib import scimath, stride_tricks
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from checkpoint.ad.library import standing, translations, translations_beside
from checkpoint.ad.record import records
from checkpoint.ad.tensors import Tensor
from tensorlib import scipy_special
from tensorlib.linear import scipy_linalg
from tensorlib.scipy import (
    curves,
    distances,
    filters,
    initial_value,
    matrices,
    minima,
    peaks,
    quadrature,
    roots,
    rotations,
    sampled,
    signals,
    special_functions,
    statistics,
    structured,
    transforms,
)

LATER = (  # importing the package imports all modules but these
    curves,
    distances,
    filters,
    initial_value,
    matrices,
    minima,
    peaks,
    quadrature,
    roots,
    rotations,
    sampled,
    scipy_linalg,
    scipy_special,
    signals,
    special_functions,
    statistics,
    structured,
    transforms,
)

# The modules of NumPy that are covered, by the names that users write.
NAMESPACES: dict[str, Any] = {
    "np": np,
    "np.linalg": np.linalg,
    "np.fft": np.fft,
    "np.random": np.random,
    "np.emath": scimath,
    "np.lib.stride_tricks": stride_tricks,
    "np.polynomial.polynomial": polynomial,
    "np.polynomial.chebyshev": chebyshev,
    "np.polynomial.legendre": legendre,
    "np.polynomial.hermite": hermite,
    "np.polynomial.hermite_e": hermite_e,
    "np.polynomial.laguerre": laguerre,
}


def table() -> str:
    """Return a row for each module: what it is about, and the functions that its records are."""
    modules = [module for name, module in sorted(sys.modules.items()) if name.startswith("tensorlib.")]
    rows = ["| module | functions |", "| --- | --- |"]
    found = names()
    for module in modules:
        listed = ", ".join([f"`{name}`" for name in sorted(found.get(module.__name__, ()))])
        if listed:
            topic = module.__name__.partition(".")[2]
            title = (module.__doc__ or "").partition("\n")[0].rstrip(".")
            path = topic.replace(".", "/")
            rows.append(f"| [{path}]({path}.py): {title[:1].lower()}{title[1:]} | {listed} |")
    return "\n".join(rows) + "\n"


def names() -> dict[str, list[str]]:
    """Return the names of the functions that users see, by the module of what implements them."""
    found: dict[str, list[str]] = {}
    for name, record in sorted(records().items()):
        if isinstance(record, Tensor) and not is_hidden(record):
            module = inspect.unwrap(record.value).__module__
            found.setdefault(module, []).append(name)
    for function, written in translations.items():
        if inspect.ismethod(function) and function.__module__.startswith("scipy.stats."):
            continue  # of a distribution, which is listed itself
        if (written.__doc__ or "").startswith("Refuse "):
            continue
        if written.__module__.startswith("tensorlib.pytorch."):
            continue  # PyTorch's names
        if getattr(function, "__name__", "").startswith("_"):
            continue
        if function is not written and written.__module__.startswith("tensorlib."):
            found.setdefault(written.__module__, []).append(name_of(function))
    for function, (_, written) in translations_beside.items():
        found.setdefault(written.__module__, []).append(name_of(function))
    for cls, stand_in in standing.items():
        if stand_in.__module__.startswith("tensorlib."):
            found.setdefault(stand_in.__module__, []).append(name_of(cls))
    return {module: list(dict.fromkeys(listed)) for module, listed in found.items()}


def is_hidden(record: Tensor) -> bool:
    """Return whether it is a part of another one, or does the work of an operator or method."""
    return "/" in record.name[1:] or record.name.startswith(("py.", "ndarray.", "tensorlib.quotient"))


def name_of(function: Any) -> str:
    """Return the name by which users know a function that is written with others."""
    if not hasattr(function, "__qualname__") and type(function).__module__.startswith("scipy.stats."):
        return f"scipy.stats.{type(function).__name__.removesuffix('_gen')}"
    module = str(getattr(function, "__module__", None))
    if module.startswith("scipy."):
        package = ".".join(module.split(".")[:3]) if "spatial" in module else ".".join(module.split(".")[:2])
        return f"{package}.{function.__name__}"
    return next((name for name, found in public() if found is function), None) or _of_ufunc(function)


def _of_ufunc(function: Any) -> str:
    """Return the name of a method of a ufunc, such as np.add.reduce."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        return f"np.{owner.__name__}.{function.__name__}"
    return str(function.__qualname__)


def public() -> Iterator[tuple[str, Any]]:
    """Yield the public functions, classes and objects of NumPy that a program may call, with their names."""
    for prefix, namespace in NAMESPACES.items():
        for name in dir(namespace):
            value = getattr(namespace, name)
            if not name.startswith("_") and not inspect.ismodule(value):
                yield f"{prefix}.{name}", value


if __name__ == "__main__":
    print(table(), end="")
