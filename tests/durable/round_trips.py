"""What is compared when a capsule has been saved and loaded: value, steps, cotangents, errors, in every bit.

In: a capsule whose rest is run, or a function and its argument. Out: a text, the same in every process for
equal runs.
"""

from __future__ import annotations

import hashlib
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

import checkpoint
from checkpoint import engines
from checkpoint.ad.arrays import Array, Discrete, Memory
from checkpoint.ad.graph import reach
from checkpoint.ad.numbers import components, real_part
from checkpoint.ad.tangent import tangent_of
from checkpoint.ad.values import Capsule
from checkpoint.api.journals import taken_by
from checkpoint.driver.schedule import Bisection
from checkpoint.functions.procedures import Procedure
from checkpoint.functions.python_functions import PythonCapsule, rest_of
from checkpoint.functions.resumption import as_function
from checkpoint.functions.run import RESUME, Run
from checkpoint.lang.printer import write_value
from checkpoint.workers.chosen import WorkersOption


def bits(number: Any) -> str:
    """Return all bits of a real, an array or a dual."""
    if type(number) is float:
        return number.hex()
    if type(number) in (Array, Discrete):
        data = number.data
        if data is None:
            return "dead"
        if hasattr(data, "detach"):
            return f"{data.dtype} {tuple(data.shape)} {data.detach().tolist()}"
        # All NaNs are equal.
        data = np.where(np.isnan(data), np.nan, data) if data.dtype.kind in "fc" else data
        content = hashlib.sha256(np.ascontiguousarray(data).tobytes()).hexdigest()
        return f"{data.dtype} {data.shape} {content}"
    return " ".join(map(bits, components((number,))))


def described(value: Any) -> str:
    """Return a value as text, with all bits of its numbers."""
    found, others = reach(value)
    arrays = [other for other in others if type(other) is Discrete]
    return f"{write_value(value, 500)} {' '.join(map(bits, [*found, *arrays]))}"


def weights(value: Any) -> Any:
    """Return a cotangent of a value, always the same."""
    made = []
    for i, number in enumerate(reach(value)[0]):
        real = real_part(number)
        scale = 0.5 + (i % 5)
        made.append(Array(np.full_like(real.data, scale), Memory()) if type(real) is Array else scale)
    return tangent_of(value, made)


def run_of_rest(z: Capsule, engine: str) -> Run:
    """Return the run of the rest of a capsule."""
    if type(z) is PythonCapsule:
        return rest_of(z, engine)
    return Run(RESUME, z, engines.get(engine))


@contextmanager
def quietly() -> Iterator[io.StringIO]:
    """Collect what is printed, give what is read, and let nothing warn of numbers."""
    printed, before = io.StringIO(), sys.stdin
    sys.stdin = io.StringIO("0.5 1.5 -0.25 2.0")
    try:
        with redirect_stdout(printed), np.errstate(all="ignore"):
            yield printed
    finally:
        sys.stdin = before


def outcome(z: Capsule, engine: str) -> str:
    """Return what the rest of a capsule gives: value and prints, steps, cotangents; or how it fails."""
    with quietly() as printed:
        try:
            value = described(run_of_rest(z, engine).value())
            steps = run_of_rest(z, engine).steps()
        except Exception as error:  # whatever a program raises
            return f"{type(error).__name__}: {error} {getattr(error, '__notes__', '')} {printed.getvalue()}"
        try:
            _, zbar = run_of_rest(z, engine).vjp(weights, Bisection(base=20))
            cotangents = " ".join(map(bits, zbar.numbers))
        except Exception as error:
            cotangents = f"{type(error).__name__}: {error}"
    return f"{value} | {steps} | {cotangents} | {printed.getvalue()}"


def gradient(
    f: Any, x: Any, engine: str, schedule: Any, journal: Path | None = None, workers: WorkersOption = None
) -> str:
    """Return all bits of the value of f at x and of the cotangent of x, whatever f returns; or its error."""
    try:
        call = as_function(f).call((x,), {}, engine)
        procedure = f if isinstance(f, Procedure) else None
        with taken_by(journal, call, {}, procedure, workers) as swept:
            y, xbar = call.run.vjp(weights, schedule, by=swept)
        return f"{described(y)} {described(xbar)}"
    except Exception as error:  # whatever a program raises
        return f"{type(error).__name__}: {error}"


def steps_of(f: Any, x: Any) -> int:
    """Return the number of steps of f at x; something like it where f fails."""
    with quietly():
        try:
            return checkpoint.primops(f, x)
        except Exception:
            return 400
