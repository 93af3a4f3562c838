"""Results that are written to an array: `np.add(x, y, out=z)`, also where a mask holds, `where=mask`."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.ad.array_library import zeros_beside
from checkpoint.ad.tensors import Same, Tensor, record_of
from checkpoint.errors import refusal
from checkpoint.prims.arrays import tensor
from tensorlib.layout.moving import call, shape_now
from tensorlib.layout.writing import to_written
from tensorlib.rules import discrete, record, stacked, tangent_array, unbroadcast, zeroed

DTYPE_FOR = discrete(
    "tensorlib.dtype-for",
    lambda xp, out: None if out is None else out.dtype,
    shape="the dtype of the array for a result",
    samples=lambda rng: [(np.zeros(2),), (None,)],
)


def _into(xp: Any, out: Any, value: Any) -> Any:
    if out is None:
        return value
    if np.shape(out) != np.broadcast_shapes(np.shape(out), np.shape(value)):
        raise ValueError(
            f"non-broadcastable output operand with shape {np.shape(out)} doesn't match the broadcast shape "
            f"{np.broadcast_shapes(np.shape(out), np.shape(value))}"
        )
    xp.copyto(out, value)
    return out


INTO = tensor(
    "tensorlib.into",
    lambda xp, out, value: _into(xp, None if out is None else xp.array(out), value),
    vjps=(None, lambda xp, g, y, out, value: to_written(xp, g, value)),
    jvps=(
        None,
        lambda t, y, out, value: t if out is None else call("np.copyto", call("np.zeros_like", y), zeroed(t)),
    ),
    needs=((), ()),
    changes=True,
    in_place=_into,
    shape="that of the first operand, to which the second broadcasts; that of the second after None",
    samples=lambda rng: [
        (rng.normal(size=(2, 3)), rng.normal(size=3)),
        (rng.normal(size=3), 1.5),
        (None, rng.normal(size=3)),
    ],
)

# Functions element by element, where a mask holds or everywhere


def _masked(xp: Any, out: Any, where: Any, name: str, *operands: Any) -> Any:
    """Write the results of a function to an array where a mask holds; without an array return the results."""
    if out is not None:
        options = {} if where is True else {"where": where}
        _function(name)(*operands, out=out, **options)
        return out
    if where is not True:
        raise refusal(f"{name} with where= and no array out=: the other elements are not determined")
    return _function(name)(*operands)


def _function(name: str) -> Any:
    return next(f for f in record(name).implements if type(f).__name__ == "ufunc")


def _masked_vjp(
    xp: Any, g: Any, y: Any, out: Any, where: Any, name: str, *operands: Any, position: int
) -> Any:
    place = position - 3
    like, rule = operands[place], record(name).vjp(place)
    if rule is None:
        return (
            None
            if isinstance(like, list | tuple)
            else unbroadcast(xp, zeros_beside(g, g.shape, g.dtype), like)
        )
    precise = g.astype(np.result_type(g.dtype, *[np.asarray(x).dtype for x in operands]))
    if where is True:
        return rule(xp, precise, y, *operands)
    if isinstance(like, list | tuple):
        raise refusal(f"{name} with where= of a nested list: pass an array, np.array(...)")
    mask = xp.broadcast_to(where, y.shape)
    part = rule(xp, precise[mask], y[mask], *[xp.broadcast_to(x, y.shape)[mask] for x in operands])
    whole = zeros_beside(part, y.shape, part.dtype)
    whole[mask] = part
    return unbroadcast(xp, whole, like)


def _along(base: Tensor, place: int, tangent: Any, y: Any, operands: tuple[Any, ...]) -> Any:
    """Return the tangent of a function element by element for that of one operand."""
    rule = base.jvp(place)
    if base.linear or isinstance(rule, Same):
        zeros = [call("np.multiply", x, 0.0) for x in operands]
        return record_of(base, [tangent if i == place else x for i, x in enumerate(zeros)])
    return None if rule is None else rule(tangent, y, *operands)


def _masked_jvp(tangent: Any, y: Any, out: Any, where: Any, name: str, *operands: Any, position: int) -> Any:
    base, place = record(name), position - 3
    if where is True:
        return _along(base, place, tangent, y, operands)
    shape = shape_now(y)
    mask = call("np.broadcast_to", where, shape)

    def there(x: Any) -> Any:
        return call("np.getitem", call("np.broadcast_to", stacked(x), shape), mask)

    here = call("np.getitem", y, mask)
    part = _along(base, place, there(tangent_array(tangent)), here, tuple(map(there, operands)))
    return None if part is None else call("np.setitem", call("np.zeros_like", y), mask, part)


def _samples(rng: Any) -> list[tuple[Any, ...]]:
    x, y = rng.uniform(0.5, 2.0, (2, 3, 4))
    mask = rng.uniform(size=(3, 4)) > 0.5
    return [
        (rng.normal(size=(3, 4)), mask, "np.divide", x, y),
        (rng.normal(size=(3, 4)), mask[0], "np.multiply", x, y[:, :1]),
        (rng.normal(size=(3, 4)), mask, "np.log", np.where(mask, x, 0.0)),
        (rng.normal(size=(3, 4)), mask, "np.divide", 1.0, np.where(mask, x, 0.0)),
        (rng.normal(size=(3, 4)), mask, "np.maximum", x, y),
        (rng.normal(size=(3, 4)), False, "np.conjugate", x),
        (rng.normal(size=3), np.array([True, False, True]), "np.sqrt", 2.5),
        (rng.normal(size=(3, 4)), True, "np.divide", x, y[:, :1]),
        (rng.normal(size=(2, 4)), True, "np.add", [1.0, 2.0, 3.0, 4.0], 2.5),
        (None, True, "np.multiply", x, y),
        (rng.normal(size=(3, 4)), True, "np.negative", x),
    ]


MASKED = tensor(
    "tensorlib.masked",
    lambda xp, out, where, name, *operands: _masked(
        xp, None if out is None else xp.array(out), where, name, *operands
    ),
    vjps=(
        lambda xp, g, y, out, where, name, *operands: xp.where(where, 0, g).astype(g.dtype),
        None,
        None,
        _masked_vjp,
    ),
    jvps=(
        lambda t, y, out, where, name, *operands: record("np.where")(where, 0.0, t),
        None,
        None,
        _masked_jvp,
    ),
    changes=True,
    in_place=_masked,
    variadic=True,
    shape="that of the first operand; without it, of all operands broadcast together",
    convention="that of the function",
    samples=_samples,
)
