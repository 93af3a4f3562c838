"""Modules as values: passed, kept in objects, chosen when the program runs."""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np

from tests.arrays.corpus import Example


def backend(be: Any = None) -> Any:
    """Return a module, as packages choose the one that computes."""
    if be is None:
        import numpy as be  # noqa: PLC0415
    return be


def chosen(x: Any) -> Any:
    """Functions, constants and values of a module that a function returned."""
    be = backend()
    scale = be.exp(-be.sum(be.sin(x) ** 2) / be.pi)
    parts = [f(x[0, 0]) for f in (be.tanh, backend(math).cos)]
    return scale * be.asarray(x, dtype=float), parts, be.zeros_like(x).shape


def rate(t: Any, k: Any = 2.0, be: Any = np) -> Any:
    return be.exp(-k * t) + be.sqrt(t)


def passed(x: Any) -> Any:
    """A module as an argument, and as the default of one."""
    return rate(x * x), rate(x[0, 0] ** 2, be=math), rate(2.0, k=float(x[1, 1]), be=math)


class Model:
    """A model that keeps the module with which it computes; one of its methods has a function's name."""

    be = np

    def __init__(self, be: Any) -> None:
        self.own = be

    def sum(self, x: Any) -> Any:
        return self.own.sum(x) + self.be.log(x * x).sum()

    def is_numpy(self) -> bool:
        return self.own is np and self.own is not math and self.own is not cmath


def kept(x: Any) -> Any:
    """Modules as attributes of objects and of classes."""
    model = Model(np)
    return model.sum(x), model.is_numpy(), Model(math).is_numpy(), x.sum(axis=0), hasattr(model.own, "exp")


class Shim:
    """An object that forwards to the module which it holds, as packages with several back ends have it."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __getattr__(self, key: str) -> Any:
        if key == "_module":
            return self._module
        return getattr(self._module, key)


xp, functions = Shim(np), Shim(math)


def forwarded(x: Any) -> Any:
    """Functions of modules by way of an object with a __getattr__."""
    total = xp.zeros(3, dtype=xp.float64)
    total[1:] += xp.sin(x[0, :2])
    return total, functions.exp(x[0, 0]), xp.linalg.norm(x)


X = np.array([[0.7, -1.3, 0.31], [2.2, 0.4, 1.7]])
EXAMPLES = [Example(chosen, (X,)), Example(passed, (X,)), Example(kept, (X,)), Example(forwarded, (X,))]
