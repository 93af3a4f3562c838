"""Records that name an operator: engine c gives the bits of their rules, for every sample, and calls no rule.

Those that reverse their operands together are taped by engine c, too, which calls what they give for it.

A program applies the record and multiplies the result, so that its cotangent is the sweep's own array, which
may be changed in place; another one reads its operand twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import tensorlib  # noqa: F401  # registers the records
from checkpoint import vjp
from checkpoint.ad.record import records
from checkpoint.ad.tensors import Tensor
from checkpoint.ctarget import library, plans
from checkpoint.interp.hybrid import tensors
from tests.python.texts import defined
from tests.tensorlib.calls import arguments

pytestmark = pytest.mark.skipif(library.reason() is not None, reason=str(library.reason()))

CALLED = [
    each for each in records().values() if isinstance(each, Tensor) and (each.implements or each.methods)
]
NAMED = [each for each in CALLED if each.operator]
TOGETHER = [each for each in CALLED if each.pull and not each.variadic and not each.changes]
EVERY_NAMED = pytest.mark.parametrize("record", NAMED, ids=lambda record: record.name)
EVERY_TOGETHER = pytest.mark.parametrize("record", TOGETHER, ids=lambda record: record.name)
EITHER = pytest.mark.parametrize("record", [*NAMED, *TOGETHER], ids=lambda record: record.name)

TEXT = """
def program(operands):
    {names} = operands
    return 1.5 * {call}

def twice(operands):
    {names} = operands
    return {call} * w + {call}
"""

Program = Callable[..., Any]


def is_real(operand: Any) -> bool:
    return isinstance(operand, np.ndarray) and operand.dtype.kind == "f"


def programs_of(record: Tensor, operands: tuple[Any, ...], w: Any) -> tuple[list[Program], tuple[Any, ...]]:
    """Return programs that apply the record to arrays, and these; all other operands are known to them."""
    given = {f"x{i}": x for i, x in enumerate(operands) if is_real(x)}
    names = [f"x{i}" for i in range(len(operands))]
    known = {name: x for name, x in zip(names, operands, strict=True) if name not in given}
    if record.implements:
        places, by_name = arguments(record.implements[0], record, tuple(names))
        passed = [*places, *[f"{key}={name}" for key, name in by_name.items()]]
        call = f"function({', '.join(passed)})"
        known["function"] = record.implements[0]
    else:
        call = f"x0.{record.methods[0]}({', '.join(names[1:])})"
    found = written(TEXT.format(names="".join([f"{name}, " for name in given]), call=call))
    return [in_module(f, {**known, "w": w}) for f in found], tuple(given.values())


@cache
def written(text: str) -> tuple[Any, ...]:
    """Return the programs of a text; once, for what is translated of them is kept."""
    found = defined(text)
    return found["program"], found["twice"]


def in_module(function: Any, names: dict[str, Any]) -> Any:
    """Return a function with other global names."""
    return FunctionType(function.__code__, {**function.__globals__, **names}, function.__name__)


def odd(operand: Any) -> Any:
    """Return an array with elements that are infinite, zero, negative or no number."""
    if not is_real(operand) or operand.size == 0:
        return operand
    changed = operand.copy()
    special = np.array([np.inf, -0.0, np.nan, 0.0, -np.inf, -1.5])[: changed.size]
    changed.ravel(order="K")[: special.size] = special
    return changed.reshape(operand.shape)


def of_dtype(operand: Any, dtype: Any) -> Any:
    return operand.astype(dtype) if is_real(operand) else operand


def takes(record: Tensor, operands: tuple[Any, ...]) -> bool:
    """Return whether a record has a value for operands: some take no other numbers than probabilities."""
    try:
        record.value(np, *operands)
    except ValueError:
        return False
    return True


def variants(record: Tensor) -> Iterator[tuple[Any, ...]]:
    """Yield the samples that have arrays of floats, in several dtypes, and with odd elements."""
    for operands in record.samples(np.random.default_rng(0)):
        if any(map(is_real, operands)) and not any(isinstance(x, list) for x in operands):
            yield operands
            if takes(record, strange := tuple(map(odd, operands))):
                yield strange
            for dtype in (np.float32, np.float16, ">f8"):
                yield tuple([of_dtype(x, dtype) for x in operands])


def cotangent_of(y: Any, seed: int) -> Any:
    """Return a cotangent with some zeros and signs."""
    drawn = np.random.default_rng(seed).normal(size=np.shape(y))
    drawn[np.abs(drawn) < 0.3] = -0.0
    return drawn.astype(np.asarray(y).dtype)


def bits(found: Any) -> Any:
    if isinstance(found, tuple):
        return tuple(map(bits, found))
    return np.shape(found), str(np.asarray(found).dtype), np.asarray(found).tobytes()


@EITHER
def test_cotangents_have_the_bits_of_the_rules(record: Tensor) -> None:
    with np.errstate(all="ignore"):
        for seed, operands in enumerate(variants(record)):
            y = record.value(np, *operands)
            programs, args = programs_of(record, operands, cotangent_of(y, seed + 1))
            for program in programs:
                g = cotangent_of(y, seed)
                before = bits(args)
                found = [bits(vjp(program, args, g, engine=engine)) for engine in ("c", "hybrid")]
                assert found[0] == found[1], (record.name, operands)
                assert bits(args) == before


@EVERY_NAMED
def test_no_rule_is_called_in_the_plain_case(record: Tensor) -> None:
    called: list[str] = []

    def counted(rule: Any) -> Any:
        def calling(*operands: Any) -> Any:
            called.append(record.name)
            return rule(*operands)

        return rule and calling

    vjps = tuple(map(counted, record.vjps))
    kept = record.vjps
    object.__setattr__(record, "vjps", vjps)
    try:
        without = 0
        with np.errstate(all="ignore"):
            for operands in variants(record):
                y = record.value(np, *operands)
                (program, _), args = programs_of(record, operands, y)
                called.clear()
                vjp(program, args, cotangent_of(y, 0), engine="c")
                without += not called
        assert without
    finally:
        object.__setattr__(record, "vjps", kept)


@EVERY_TOGETHER
def test_what_records_save_is_taped_in_c(record: Tensor, monkeypatch: pytest.MonkeyPatch) -> None:
    taped: list[str] = []
    perform = tensors.perform_tensor_taped

    def noted(machine: Any, record: Tensor, *rest: Any) -> Any:
        taped.append(record.name)
        return perform(machine, record, *rest)

    monkeypatch.setattr(plans, "perform_tensor_taped", noted)
    outcomes = []
    with np.errstate(all="ignore"):
        for operands in variants(record):
            y = record.value(np, *operands)
            (program, _), args = programs_of(record, operands, y)
            taped.clear()
            vjp(program, args, cotangent_of(y, 0), engine="c")
            outcomes.append(record.name in taped)
    assert False in outcomes
