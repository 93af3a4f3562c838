"""Functions of scipy.special. Loaded when a program names one of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special as _scipy

from checkpoint.ad.tensors import Tensor
from checkpoint.prims.arrays import also_implements, tensor
from checkpoint.scalars.definition import definitions
from tensorlib.elementwise.formulas import partials_of
from tensorlib.elementwise.pointwise import ADD, DIVIDE, MULTIPLY, NEGATIVE, SUBTRACT
from tensorlib.reductions.norms import LOGSUMEXP
from tensorlib.rules import number, pointwise, real_only, record, sampled, unbroadcast
from tensorlib.special import register_softmax

Interval = tuple[float, float]


def elementwise(
    name: str, *partials: Any, at: tuple[Interval, ...], module: str = __name__, **fields: Any
) -> Tensor:
    """Register a function of scipy.special, element by element.

    at: where tests try it, without samples. module: under which the table of functions lists it.
    """
    function = getattr(_scipy, name)

    def unary(xp: Any, x: Any) -> Any:
        real_only(f"scipy.special.{name}", x)
        return function(x)

    def binary(xp: Any, x: Any, y: Any) -> Any:
        real_only(f"scipy.special.{name}", x, y)
        return function(x, y)

    fields.setdefault("samples", sampled(*at))
    value = unary if len(partials) == 1 else binary
    value.__module__ = module
    return pointwise(f"scipy.special.{name}", value, *partials, implements=(function,), **fields)


def _inverse_bell(x: Any, y: Any) -> Any:
    return MULTIPLY(record("np.exp")(MULTIPLY(y, y)), math.sqrt(math.pi) / 2.0)


def _polygamma_vjp(xp: Any, g: Any, y: Any, n: Any, x: Any) -> Any:
    return unbroadcast(xp, g * _scipy.polygamma(n + 1, x), x)


def _polygamma_jvp(tangent: Any, y: Any, n: Any, x: Any) -> Any:
    return number(MULTIPLY(tangent, record("scipy.special.polygamma")(ADD(n, 1), x)))


def _multigammaln_slope(xp: Any, a: Any, d: int) -> Any:
    return sum((_scipy.digamma(a - 0.5 * i) for i in range(d)), xp.zeros(()))


def _multigammaln_jvp(tangent: Any, y: Any, a: Any, d: int) -> Any:
    total = None
    for i in range(d):
        term = record("scipy.special.psi")(SUBTRACT(a, 0.5 * i))
        total = term if total is None else ADD(total, term)
    return number(MULTIPLY(tangent, total))


register_softmax("scipy.special", (_scipy.softmax, _scipy.log_softmax))
_POSITIVE, _LINE, _UNIT = (0.5, 4.0), (-2.0, 2.0), (0.1, 0.9)

for _definition in definitions().values():
    if _definition.arrays is not None and _definition.arrays.name.startswith("scipy.special."):
        elementwise(
            _definition.arrays.name.removeprefix("scipy.special."),
            *partials_of(_definition),
            at=_definition.arrays.domain or _definition.domain,
        )
elementwise("psi", lambda x, y: record("scipy.special.polygamma")(1, x), at=(_POSITIVE,))
elementwise("erfinv", _inverse_bell, at=((-0.9, 0.9),))
elementwise("expit", lambda x, y: MULTIPLY(y, record("scipy.special.expit")(NEGATIVE(x))), at=(_LINE,))
elementwise("log_expit", lambda x, y: record("scipy.special.expit")(NEGATIVE(x)), at=(_LINE,))
elementwise(
    "logit",
    lambda x, y: DIVIDE(1.0, MULTIPLY(x, SUBTRACT(1.0, x))),
    at=(_UNIT,),
    singular=True,
)
elementwise(
    "xlogy",
    lambda x, y, z: record("np.log")(y),
    lambda x, y, z: DIVIDE(x, y),
    at=(_LINE, _POSITIVE),
    singular=True,
)
elementwise(
    "xlog1py",
    lambda x, y, z: record("np.log1p")(y),
    lambda x, y, z: DIVIDE(x, ADD(1.0, y)),
    at=(_LINE, _POSITIVE),
    singular=True,
)
elementwise(
    "betaln",
    lambda x, y, z: SUBTRACT(record("scipy.special.psi")(x), record("scipy.special.psi")(ADD(x, y))),
    lambda x, y, z: SUBTRACT(record("scipy.special.psi")(y), record("scipy.special.psi")(ADD(x, y))),
    at=(_POSITIVE, _POSITIVE),
)
tensor(
    "scipy.special.polygamma",
    lambda xp, n, x: _scipy.polygamma(n, x),
    vjps=(None, _polygamma_vjp),
    jvps=(None, _polygamma_jvp),
    needs=((), (0, 1)),
    implements=(_scipy.polygamma,),
    shape="both broadcast together",
    samples=lambda rng: (
        [(n, rng.uniform(0.5, 3.0, 4)) for n in (0, 1, 2)]
        + [(np.array([[0], [2]]), rng.uniform(0.5, 3.0, 3)), (1, 1.5)]
    ),
)
tensor(
    "scipy.special.multigammaln",
    lambda xp, a, d: _scipy.multigammaln(a, d),
    vjps=(lambda xp, g, y, a, d: unbroadcast(xp, g * _multigammaln_slope(xp, a, d), a), None),
    jvps=(_multigammaln_jvp, None),
    needs=((0,), ()),
    implements=(_scipy.multigammaln,),
    shape="that of the array",
    samples=lambda rng: [(rng.uniform(3.0, 5.0, 4), d) for d in (1, 3)] + [(3.5, 2)],
)
also_implements(LOGSUMEXP, _scipy.logsumexp)
