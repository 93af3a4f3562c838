"""Cotangents against those of other packages, where these are installed and have a rule for the function."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlib.linear.scipy_linalg
import tensorlib.scipy_special  # noqa: F401
from checkpoint.ad.accumulators import Scattered
from checkpoint.ad.record import records
from checkpoint.ad.tensors import Tensor
from tests.tensorlib.calls import arguments

TRIANGLE = "NumPy reads one triangle, which alone receives a cotangent here; there both share it"
AUTOGRAD_DIFFERS = {
    "np.average": "weights of the array's shape receive nothing there",
    "np.broadcast_to": "not summed over all that was repeated there",
    "np.full_like": "the number receives nothing there",
    "np.linalg.cholesky": TRIANGLE,
    "np.repeat": "along a last axis out of order there",
    "np.tile": "numbers of repeats are taken from the first axis on there, not up to the last",
    "np.trapezoid": "the array of places receives nothing there",
}
JAX_DIFFERS = {
    "np.linalg.cholesky": TRIANGLE,
    "np.linalg.eigvalsh": TRIANGLE,
    "np.partition": "which elements stand where within the parts is not determined",
    "np.unique": "nothing is received there",
}

RECORDS = [
    record
    for record in records().values()
    if isinstance(record, Tensor)
    and record.name.startswith("np.")
    and record.implements
    and not record.changes
]
EVERY_RECORD = pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
Pulled = Callable[[Callable[..., Any], Any, Any], Any]


def named(space: Any, name: str) -> Any:
    """Return a package's function by NumPy's name of it, or None where there is none."""
    for part in name.split(".")[1:]:
        space = getattr(space, part, None)
    return space


def ours(record: Tensor, position: int, g: Any, y: Any, operands: tuple[Any, ...]) -> Any:
    """Return the cotangent of an operand by the record's vjp rule."""
    rule = record.vjp(position)
    assert rule is not None
    given = rule(np, g, y, *operands)
    return given.dense() if type(given) is Scattered else given


def compared(record: Tensor, function: Any, pulled: Pulled, operands: tuple[Any, ...]) -> int:
    """Compare for each array among the operands; how many could be compared."""
    y = record(*operands)
    if not isinstance(y, np.ndarray | np.generic) or y.dtype != np.float64:
        return 0
    g = np.asarray(np.random.default_rng(0).normal(size=y.shape))
    count = 0
    for position, operand in enumerate(operands):
        taken = isinstance(operand, np.ndarray | np.generic) and operand.dtype == np.float64
        if not taken or record.vjp(position) is None:
            continue

        def alone(x: Any, position: int = position) -> Any:
            replaced = (*operands[:position], x, *operands[position + 1 :])
            places, names = arguments(named(np, record.name), record, replaced)
            return function(*places, **names)

        try:
            theirs = pulled(alone, operand, g)
        except (TypeError, NotImplementedError, AttributeError, ValueError, KeyError, AssertionError):
            continue
        if np.shape(theirs) != operand.shape or not np.isfinite(theirs).all():
            continue  # it has no answer: some rules do not sum what was broadcast, or divide by zero
        found = ours(record, position, g if y.ndim else g[()], y, operands)
        np.testing.assert_allclose(found, theirs, rtol=1e-7, atol=1e-9, err_msg=f"{record.name}, {position}")
        count += 1
    return count


def against(record: Tensor, space: Any, pulled: Pulled, differs: dict[str, str]) -> None:
    """Compare on the record's samples."""
    function = named(space, record.name)
    if function is None or record.name in differs:
        pytest.skip(differs.get(record.name, "no function of this name"))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        samples = record.samples(np.random.default_rng(0))
        counts = [compared(record, function, pulled, operands) for operands in samples]
    if not any(counts):
        pytest.skip("no rule")


@EVERY_RECORD
def test_autograd(record: Tensor) -> None:
    peer = pytest.importorskip("autograd.numpy")
    make_vjp = pytest.importorskip("autograd.core").make_vjp

    def pulled(function: Any, x: Any, g: Any) -> Any:
        pull, y = make_vjp(function, x)
        return pull(g.reshape(np.shape(y)))

    against(record, peer, pulled, AUTOGRAD_DIFFERS)


@EVERY_RECORD
def test_jax(record: Tensor) -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)

    def pulled(function: Any, x: Any, g: Any) -> Any:
        _, pull = jax.vjp(function, jax.numpy.asarray(x))
        return np.asarray(pull(jax.numpy.asarray(g))[0])

    against(record, jax.numpy, pulled, JAX_DIFFERS)
