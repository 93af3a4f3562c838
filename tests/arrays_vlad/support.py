"""Programs with tensors, and tangents of their arguments."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from checkpoint.ad.arrays import Array, Memory
from checkpoint.ad.graph import numbers, replace
from checkpoint.ad.tangent import match, tangent_of
from checkpoint.driver.engine import Engine
from checkpoint.errors import Source
from checkpoint.functions import runs
from checkpoint.functions.program import load
from tests.support.corpus import Case, Entry

FOLDER = Path(__file__).resolve().parent / "programs"
ENTRIES = [Entry(path) for path in sorted(FOLDER.glob("*.vlad"))]
SUCCEEDING = [entry for entry in ENTRIES if not entry.fails]
FAILING = [entry for entry in ENTRIES if entry.fails]


def name_of(entry: Entry) -> str:
    return entry.name


def value(text: str, engine: Engine) -> Any:
    """Return the value of a text, as one of the language."""
    return runs.run_program(load(Source("<test>", text)), engine)


def elements(number: Any) -> Any:
    """Return a real, or the elements of a tensor."""
    return number.data if type(number) is Array else number


def like(number: Any, found: Any) -> Any:
    return Array(np.asarray(found), Memory()) if type(number) is Array else float(found)


def direction(x: Any, random: Random) -> Any:
    """Return a random tangent of a value."""
    rng = np.random.default_rng(random.randrange(1 << 32))
    return tangent_of(x, [like(n, rng.uniform(-1.0, 1.0, np.shape(elements(n)))) for n in numbers(x)])


def moved(x: Any, v: Any, by: float) -> Any:
    """Return a value moved a little along a tangent."""
    pairs = match(x, v, "tangent")
    return replace(
        x, [n for n, _ in pairs], [like(n, elements(n) + by * elements(other)) for n, other in pairs]
    )


def dot(y: Any, a: Any, b: Any) -> float:
    """Return the product of two tangents of one value."""
    first, second = match(y, a, "tangent"), match(y, b, "tangent")
    products = [np.sum(elements(p) * elements(q)) for (_, p), (_, q) in zip(first, second, strict=True)]
    return float(sum(products))


def slope(case: Case, v: Any, engine: Engine, width: float = 1e-5) -> float:
    """Return the slope of ybar . f along v, by differences."""

    def at(by: float) -> float:
        y = runs.call_values(case.f, moved(case.x, v, by), engine)
        return dot(y, tangent_of(y, numbers(y)), case.ybar)

    return (8 * (at(width) - at(-width)) - (at(2 * width) - at(-2 * width))) / (12 * width)
