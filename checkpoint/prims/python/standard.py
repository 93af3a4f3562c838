"""Functions of the standard library that Python itself computes, for the library of the front end.

    (py.standard name x ...)           the function of that name in FUNCTIONS, at x ...
    (py.is-fixed x ...)                whether none of the values holds a real, or a function
    (py.of-exact name x y)             the operator of that name, of Fractions and integers
    (py.computed f args keywords)      the function of Python's in a Native, at a tuple and a dictionary
    (py.complex x [y])                 complex(x, y)
    (py.complex-power part a b c d)    "real" or "imag" of (a + bi) ** (c + di)
    (py.cmath-isclose a b rel abs)     cmath.isclose

    (py.random-seed seed version)    the state of a generator with a seed: the tuple of block, position, None
    (py.random-real block position)  random(), of a position and the next one (checkpoint.ad.twister)
    (py.random-word block position)  the number of 32 bits at a position
    (py.random-next block)           the block after it
    (py.random-state block position gauss_next)    as random.Random.getstate returns it
    (py.random-from state)           the tuple of block, position and gauss_next of such a state

The operands are Python's own objects, reals without their derivatives, and the result is a constant, of plain
objects. Where it has a derivative, the library function that uses it states a formula beside it
(py.with-derivative). A function is added here if users do not call it, or if its result needs to be put
together from the operands; else a record implements it.
"""

from __future__ import annotations

import cmath
import heapq
import itertools
import operator
import random
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

from checkpoint.ad.arrays import Native
from checkpoint.ad.containers import TUPLE, Object, Record
from checkpoint.ad.record import lookup
from checkpoint.ad.storage import Now
from checkpoint.ad.twister import Block, put_together, taken_apart
from checkpoint.errors import RunError
from checkpoint.lang.python.library.decimals import again, is_of_real, loss
from checkpoint.prims.python.native import native
from checkpoint.prims.python.support import (
    ANY_NUMBER,
    PLAIN,
    python_operands,
    python_result,
    rearrange,
    refuse,
    to_value,
)

FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__module__.removeprefix("_") + "." + function.__name__: function
    for function in (operator.concat, heapq.heapify)
}


def function_of(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the decorator that enters a function under a name."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        FUNCTIONS[name] = function
        return function

    return enter


# Functions of itertools, on the positions of items


@function_of("itertools.combinations")
def _combinations(count: int, r: int) -> list[Any]:
    return list(itertools.combinations(range(count), r))


@function_of("itertools.combinations_with_replacement")
def _combinations_with_replacement(count: int, r: int) -> list[Any]:
    return list(itertools.combinations_with_replacement(range(count), r))


@function_of("itertools.permutations")
def _permutations(count: int, r: int | None) -> list[Any]:
    return list(itertools.permutations(range(count), r))


@function_of("itertools.product")
def _product(counts: list[int], repeat: int) -> list[Any]:
    return list(itertools.product(*map(range, counts), repeat=repeat))


@function_of("itertools.islice")
def _islice(count: int, bounds: tuple[Any, ...]) -> list[int]:
    return list(itertools.islice(range(count), *bounds))


@function_of("itertools.islice-bounds")
def _bounds(bounds: tuple[Any, ...]) -> tuple[int, int, int]:
    """Return start, stop and step of islice, or raise what Python raises for them."""
    itertools.islice((), *bounds)
    start, stop, step = (None, bounds[0], None) if len(bounds) == 1 else (*bounds, None)[:3]
    return start or 0, sys.maxsize if stop is None else stop, 1 if step is None else step


@function_of("itertools.count")
def _count(bound: Any) -> int:
    if not isinstance(bound, int):
        raise RunError(
            f"`count` by {type(bound).__name__}s adds the step again and again: count integers, "
            f"start + step * i, or add it in a `while` loop"
        )
    return int(bound)


@function_of("re.subn")
def _subn(pattern: Any, repl: Any, string: Any, count: int, flags: int) -> Any:
    return re.subn(pattern, repl, string, count=count, flags=flags)


# Functions of statistics; those that return items, as their positions


def _statistics() -> Any:
    """Return the module, which loads Fractions and Decimals; few programs use it."""
    import statistics  # noqa: PLC0415  (as above)

    return statistics


def _of_statistics(name: str) -> Callable[..., Any]:
    def function(*operands: Any) -> Any:
        return getattr(_statistics(), name)(*operands)

    return function


for _name in ("mean", "fmean", "geometric_mean", "harmonic_mean", "pvariance", "variance", "pstdev", "stdev"):
    FUNCTIONS[f"statistics.{_name}"] = _of_statistics(_name)


@function_of("statistics.inv_cdf")
def _inv_cdf(p: float, mu: float, sigma: float) -> Any:
    return _statistics().NormalDist(mu, sigma).inv_cdf(p)


@function_of("statistics.mode")
def _mode(items: Sequence[Any]) -> int:
    return items.index(_statistics().mode(items))


@function_of("statistics.multimode")
def _multimode(items: Sequence[Any]) -> list[int]:
    return list(map(items.index, _statistics().multimode(items)))


def _standard(now: Now, name: str, *operands: Any) -> Any:
    return to_value(now, python_result(now, FUNCTIONS[name], *operands))


def _computed(now: Now, function: Any, args: Any, keywords: Any) -> Any:
    positional, named = python_operands(now, (args, keywords))
    passed = (*positional, *named.values())
    real = any(isinstance(each, float) or is_of_real(each) for each in passed)
    if real and function.value.__name__ == "Fraction":
        raise loss("Fraction")
    result = python_result(now, lambda: function.value(*positional, **named))
    return to_value(now, again(result) if real else result)


def _is_fixed(now: Now, *operands: Any) -> bool:
    """Return whether operands hold no real, no array of reals, no function: no derivative reaches them."""
    return all(map(_is_plain, python_operands(now, operands)))


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(map(_is_plain, (*value, *value.values())))
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    return kind in ("i", "u", "b") or type(value) in PLAIN


def _of_exact(now: Now, name: str, x: Any, y: Any) -> Any:
    return lookup(f"py.{name}/any").value(now, x, y)  # type: ignore[attr-defined]  # of a Rearrange


rearrange("of-exact", 3, "an operator of Fractions and integers: its name, x, y", _of_exact)
rearrange(
    "is-fixed", ANY_NUMBER, "whether values hold nothing that has a derivative", _is_fixed, discrete=True
)
rearrange(
    "computed",
    3,
    "what Python gives: a function, arguments, keywords",
    _computed,
    discrete=True,
    constants=True,
)
rearrange(
    "standard",
    ANY_NUMBER,
    "a function of the standard library: its name, operands",
    _standard,
    discrete=True,
    constants=True,
)


# Complex numbers: their operations with derivatives are in checkpoint/lang/python/library/complex_numbers.py


def _complex(now: Now, *operands: Any) -> Any:
    if any(type(operand) is Object for operand in operands):
        return refuse(now, complex, *operands)  # whose reals would lose their derivatives
    return to_value(now, python_result(now, complex, *operands))


def _power(now: Now, part: str, a: Any, b: Any, c: Any, d: Any) -> Any:
    power = python_result(now, lambda *x: complex(*x[:2]) ** complex(*x[2:]), a, b, c, d)
    return to_value(now, getattr(power, part))


def _isclose(now: Now, a: Any, b: Any, rel_tol: Any, abs_tol: Any) -> Any:
    def isclose(a: Any, b: Any, rel_tol: Any, abs_tol: Any) -> bool:
        return cmath.isclose(a, b, rel_tol=rel_tol, abs_tol=abs_tol)

    return python_result(now, isclose, a, b, rel_tol, abs_tol)


rearrange("complex", ANY_NUMBER, "complex(x, y)", _complex)
rearrange("complex-power", 5, "a part of (a + bi) ** (c + di): its name, a, b, c, d", _power)
rearrange("cmath-isclose", 4, "cmath.isclose: a, b, rel_tol, abs_tol", _isclose, discrete=True)


# The numbers of random.Random


def _parts(generator: random.Random) -> Record:
    parts = taken_apart(generator)
    gauss_next = parts["gauss_next"]
    left = None if gauss_next is None else gauss_next * 1.0
    return Record(TUPLE, (Native(parts["block"]), parts["position"], left))


def _seed(now: Now, seed: Any, version: int) -> Record:
    value = native(seed, now)
    if value is None:
        raise RunError("random.Random() without a seed is another one at each call: pass a seed")
    made = random.Random(0)
    made.seed(value, version)
    return _parts(made)


def _real(now: Now, block: Native, position: int) -> float:
    numbers = block.value.numbers
    first, second = numbers[position] >> 5, numbers[position + 1] >> 6
    return float((first * 67108864.0 + second) * (1.0 / 9007199254740992.0))


def _word(now: Now, block: Native, position: int) -> int:
    return int(block.value.numbers[position])


def _next(now: Now, block: Native) -> Native:
    return Native(block.value.following())


def _state(now: Now, block: Native, position: int, gauss_next: Any) -> Any:
    made = random.Random(0)
    found: Block = block.value
    put_together(made, found, position, native(gauss_next, now))
    return to_value(now, made.getstate())


def _from(now: Now, state: Any) -> Record:
    made = random.Random(0)
    made.setstate(native(state, now))
    return _parts(made)


rearrange("random-seed", 2, "the state of a generator with a seed: seed, version", _seed, discrete=True)
rearrange("random-real", 2, "a real in [0, 1): block, position", _real, discrete=True)
rearrange("random-word", 2, "a number of 32 bits: block, position", _word, discrete=True)
rearrange("random-next", 1, "the block after one", _next, discrete=True)
rearrange("random-state", 3, "getstate(): block, position, gauss_next", _state, discrete=True, constants=True)
rearrange("random-from", 1, "the parts of what getstate() returned", _from, discrete=True, constants=True)
