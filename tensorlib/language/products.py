"""Sums, extremes and products of tensors, as programs of the language name them."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.ad.tensors import SAME, Tensor
from checkpoint.prims.arrays import tensor
from tensorlib.language.operands import Rule, as_real, axis_in, rule_of, taking_tensors, whole
from tensorlib.layout.moving import linear, matrices, shape_of
from tensorlib.linear.products import MATMUL, OUTER
from tensorlib.reductions.extremes import MAX, MIN, TIES
from tensorlib.reductions.sums import SUM
from tensorlib.rules import unbroadcast

# Reductions: of all elements, or along an axis

_SUM = linear(
    "sum",
    taking_tensors(lambda xp, t, axis: as_real(xp.sum(t, axis=axis_in(t, axis))), 1),
    lambda xp, g, y, t, axis: rule_of(SUM)(xp, xp.asarray(g), y, t, whole(axis)),
    shape="without the axis",
    samples=lambda rng: [(rng.normal(size=(2, 3)), 1.0), (rng.normal(size=3), 0.0)],
)
SUMALL = linear(
    "sumall/tensor",
    taking_tensors(lambda xp, t: as_real(xp.sum(xp.asarray(t)) * 1.0)),
    lambda xp, g, y, t: xp.broadcast_to(xp.asarray(g), t.shape),
    overloads=("sumall",),
    shape="a real",
    samples=matrices,
)
REAL = linear(
    "real/tensor",
    taking_tensors(lambda xp, t: _element(t)),
    lambda xp, g, y, t: xp.full(t.shape, g, t.dtype),
    overloads=("real",),
    shape="one element -> a real",
    samples=lambda rng: [(rng.normal(size=()),), (rng.normal(size=(1, 1)),)],
)


def _element(t: Any) -> float:
    if getattr(t, "size", 1) != 1:
        raise TypeError(f"operand 1 is a tensor of {t.size} elements, not of one")
    return float(t if type(t) is float else t.item())


def _extreme(name: str, record: Tensor) -> Tensor:
    return tensor(
        name,
        taking_tensors(lambda xp, t: as_real(xp.asarray(record.value(xp, t)) * 1.0)),
        vjps=(lambda xp, g, y, t: rule_of(record)(xp, xp.asarray(g), xp.asarray(y), t),),
        jvps=record.jvps[:1],
        shape="a real",
        convention=TIES,
        samples=lambda rng: [(rng.normal(size=(2, 3)),), (rng.normal(size=4),)],
    )


MAXALL, MINALL = _extreme("maxall", MAX), _extreme("minall", MIN)

# Products

_MATMUL = tensor(
    "matmul",
    taking_tensors(lambda xp, a, b: as_real(xp.matmul(a, b))),
    vjps=(
        lambda xp, g, y, a, b: rule_of(MATMUL)(xp, xp.asarray(g), y, a, b),
        lambda xp, g, y, a, b: rule_of(MATMUL, 1)(xp, xp.asarray(g), y, a, b),
    ),
    jvps=(SAME, SAME),
    needs=((1,), (0,)),
    shape="(n?, k), (k, m?) -> (n?, m?), what comes before broadcasts together",
    samples=lambda rng: [
        (rng.normal(size=(2, 3)), rng.normal(size=(3, 2))),
        (rng.normal(size=3), rng.normal(size=3)),
        (rng.normal(size=(2, 2, 3)), rng.normal(size=3)),
    ],
)


def _added(name: str, product: Tensor, left: int, right: int, form: str) -> Tensor:
    """Register t + product(a, b), for operands a and b of so many axes."""

    def value(xp: Any, t: Any, a: Any, b: Any) -> Any:
        for position, operand, axes in ((2, a, left), (3, b, right)):
            if len(shape_of(operand)) != axes:
                raise ValueError(f"operand {position} has {len(shape_of(operand))} axes, not {axes}")
        found = product.value(xp, a, b)
        return found + xp.broadcast_to(t, found.shape)

    return tensor(
        name,
        taking_tensors(value),
        vjps=(
            lambda xp, g, y, t, a, b: unbroadcast(xp, g, t),
            lambda xp, g, y, t, a, b: rule_of(product)(xp, g, y, a, b),
            lambda xp, g, y, t, a, b: rule_of(product, 1)(xp, g, y, a, b),
        ),
        jvps=(
            lambda tangent, y, t, a, b: tangent,
            lambda tangent, y, t, a, b: product(tangent, b),
            lambda tangent, y, t, a, b: product(a, tangent),
        ),
        needs=((), (2,), (1,)),
        shape=form,
        samples=_added_samples(left, right),
    )


def _added_samples(left: int, right: int) -> Rule:
    def samples(rng: Any) -> list[tuple[Any, ...]]:
        a, b = rng.normal(size=(2, 3, 4)[3 - left :]), rng.normal(size=(2, 4, 5)[3 - right :])
        if right == 1:
            b = rng.normal(size=4)
        whole_shape = (a[..., None] * b if left == 1 else np.matmul(a, b)).shape
        return [(rng.normal(size=whole_shape), a, b), (rng.normal(size=whole_shape[-1:]), a, b), (0.5, a, b)]

    return samples


ADDMV = _added("addmv", MATMUL, 2, 1, "(n), (n, k), (k) -> (n): t + a b")
ADDMM = _added("addmm", MATMUL, 2, 2, "(n, m), (n, k), (k, m) -> (n, m): t + a b")
BADDBMM = _added("baddbmm", MATMUL, 3, 3, "(l, n, m), (l, n, k), (l, k, m) -> (l, n, m): t + a b")
ADDR = _added("addr", OUTER, 1, 1, "(n, m), (n), (m) -> (n, m): t + the outer product")
