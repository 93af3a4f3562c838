"""Judge calls of functions: value and gradient of a function beside Python's value and differences.

In: the names of a module of cases and of a package, then of engines; run as a process of its own, `python -m
experiments.packages.judge MODULE PACKAGE c`. Out: one line of JSON for each case, a Verdict.
"""

from __future__ import annotations

import copy
import importlib
import json
import math
import os
import re
import signal
import struct
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import optree

import checkpoint
from checkpoint.api.schedules import named_schedule
from checkpoint.functions.resumption import as_function
from experiments.packages.case import Case

SECONDS = 60  # of the processor, for one case
_FOLDERS = re.compile(r"/[^\s:]*/(?:site-packages|experiments/packages|python3\.\d+)/")
STEPS = (1e-3, 1e-4, 1e-5, 1e-6)  # of differences, relative to the argument


@dataclass(frozen=True)
class Verdict:
    """What became of one case: outcome is "works", "refused" or "fails"; reason: why; place: of the error."""

    package: str
    name: str
    outcome: str
    reason: str = ""
    place: str = ""
    seconds: float = 0.0


class TooSlow(BaseException):
    """A case takes too long; no handler of programs or of this project catches it."""


class Mismatch(Exception):
    """A value or a gradient is not Python's."""


def judged(case: Case, chosen: tuple[str, ...]) -> Verdict:
    """Return the verdict on a case, on all of the engines chosen."""
    start = time.perf_counter()
    outcome, reason, place = "works", "", ""
    try:
        with checkpoint.translate(case.package, *case.also):
            _judge(case, chosen)
    except checkpoint.InternalError as error:
        outcome, reason, place = "fails", f"internal error: {error.message}", _place(error)
    except checkpoint.CheckpointError as error:
        outcome, reason, place = "refused", error.message, str(error.span or "")
    except Mismatch as error:
        outcome, reason = "fails", f"WRONG: {error}"
    except BaseException as error:
        outcome, reason, place = "fails", f"{type(error).__name__}: {error}", _place(error)
    seconds = round(time.perf_counter() - start, 2)
    return Verdict(case.package, case.title, outcome, _portable(reason), _portable(place), seconds)


def _portable(text: str) -> str:
    """Return a text without the folders of this machine."""
    return _FOLDERS.sub("", text)


def _judge(case: Case, chosen: tuple[str, ...]) -> None:
    left = copy.deepcopy(case.args)
    expected = case.function(*left)
    if bits(case.function(*copy.deepcopy(case.args))) != bits(expected):
        raise ValueError("the function gives another value at each call")
    weights = optree.tree_map(_weight, expected, none_is_leaf=True)
    names = tuple(f"x{i}" for i in range(len(case.args)))
    found: list[Any] = []
    for engine in chosen:
        call = as_function(case.function, case.has_state).call(copy.deepcopy(case.args), {}, engine, names)
        ybar = (weights, None) if case.has_state else weights
        y, gradient = call.vjp(ybar, named_schedule(None, None), ("x", "ybar"))
        if case.has_state:
            y, state = y
            if bits(state.args) != bits(left):
                raise Mismatch(f"the run leaves {state.args!r} on engine {engine}, Python {left!r}")
        if bits(y) != bits(expected):
            raise Mismatch(f"the value is {y!r} on engine {engine}, Python's is {expected!r}")
        found.append(gradient)
    if any(bits(gradient) != bits(found[0]) for gradient in found):
        raise Mismatch(f"the gradients differ between engines: {found}")
    if case.free:
        compare(case, weights, found[0])


def _weight(leaf: Any) -> Any:
    """Return the cotangent of a leaf of the value: not the same for all elements of an array."""
    if isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f":
        return np.cos(np.arange(1.0, leaf.size + 1.0)).reshape(leaf.shape)
    return 1.0 if isinstance(leaf, float) else None


def compare(case: Case, weights: Any, gradient: Any) -> None:
    """Compare the derivative in two directions with central differences, the best of several steps."""
    for seed in (1, 2):
        direction = _direction(case.args, seed)
        slope = math.fsum(_products(gradient, direction))
        estimates = [_difference(case, weights, direction, h) for h in STEPS]
        error, best = min((abs(slope - estimate), estimate) for estimate in estimates)
        if not error <= case.tolerance * max(abs(slope), abs(best)) + 1e-12:
            raise Mismatch(f"the slope is {slope!r}, differences give {estimates}")


def _direction(args: Any, seed: int) -> Any:
    """Return a direction: for each float a number of its own magnitude, and of any sign."""
    random = np.random.default_rng(seed)

    def chosen(leaf: Any) -> Any:
        if isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f":
            return random.uniform(-1.0, 1.0, leaf.shape) * np.maximum(np.abs(leaf), 1e-2)
        return float(random.uniform(-1.0, 1.0) * abs(leaf)) if isinstance(leaf, float) else None

    return optree.tree_map(chosen, args, none_is_leaf=True)


def _difference(case: Case, weights: Any, direction: Any, h: float) -> float:
    def at(step: float) -> float:
        def moved(leaf: Any, towards: Any) -> Any:
            return leaf if towards is None else leaf + step * towards

        args: Any = case.args
        leaves, tree = optree.tree_flatten(args, none_is_leaf=True)
        towards = optree.tree_leaves(direction, none_is_leaf=True)
        args = tree.unflatten([moved(*pair) for pair in zip(leaves, towards, strict=True)])
        return math.fsum(_products(weights, case.function(*copy.deepcopy(args))))

    return (at(h) - at(-h)) / (2.0 * h)


def _products(left: Any, right: Any) -> Iterator[float]:
    """Yield the products of the leaves of two pytrees, without those where one is not a number."""
    pairs = zip(*(optree.tree_leaves(tree, none_is_leaf=True) for tree in (left, right)), strict=True)
    for a, b in pairs:
        if a is not None and b is not None:
            yield float(np.sum(np.multiply(a, b)))


def bits(value: Any) -> Any:
    """Return a value in which floats are their bits, with the types of all leaves."""
    leaves, tree = optree.tree_flatten(value, none_is_leaf=True)
    return str(tree), [_bits(leaf) for leaf in leaves]


def _bits(leaf: Any) -> Any:
    if isinstance(leaf, np.ndarray):
        return "array", str(leaf.dtype), leaf.shape, leaf.tobytes()
    if isinstance(leaf, float):
        return "float", struct.pack("<d", leaf)
    return type(leaf).__name__, repr(leaf)


def _place(error: BaseException) -> str:
    """Return where an error was raised in this project, or in the program."""
    frames = traceback.extract_tb(error.__traceback__)
    notes = getattr(error, "__notes__", None)
    own = [frame for frame in frames if f"{os.sep}checkpoint{os.sep}" in frame.filename]
    last = (own or frames)[-1:]
    shown = "".join(f"{os.path.relpath(frame.filename)}:{frame.lineno}" for frame in last)
    return f"{notes[0].splitlines()[0]} ({shown})" if notes else shown


def within(seconds: int, action: Callable[[], Verdict]) -> Verdict:
    """Return what an action returns, unless it takes too long: TooSlow."""

    def late(*_: object) -> None:
        raise TooSlow(f"took more than {seconds} s")

    signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return action()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def main(module: str, package: str, *chosen: str) -> None:
    """Print the verdicts on the cases of a package in a module of cases."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    cases: tuple[Case, ...] = importlib.import_module(f"experiments.packages.{module}").CASES
    for case in cases:
        if case.package == package:
            print("@", json.dumps(asdict(Verdict(package, case.title, "starts"))), flush=True)
            verdict = within(SECONDS, lambda case=case: judged(case, chosen or ("c",)))  # type: ignore[misc]
            print("@", json.dumps(asdict(verdict)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
