"""Attention: softmax(query key^T scale + mask) value, by heads and batches."""

from __future__ import annotations

import math
from typing import Any

from checkpoint.ad.array_library import dtype_kind, kernel, namespace
from checkpoint.errors import refusal
from checkpoint.prims.arrays import tensor
from tensorlib.elementwise.pointwise import ADD, MULTIPLY
from tensorlib.layout.moving import call, shape_now
from tensorlib.networks.composed import along, of_parameter, value_of
from tensorlib.rules import number, positions, raw, real_only, unbroadcast

Saved = tuple[Any, ...]


def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
) -> Any:
    """Return softmax(query @ key^T * scale + mask) @ value over the last two axes (positions, features).

    attn_mask: what is added, or booleans of the pairs that count; where none counts the result is 0, with
    derivative 0. is_causal: later positions do not count.
    """
    xp = namespace((query, key, value))
    return ATTENTION.value(xp, query, key, value, attn_mask, dropout_p, is_causal, scale)


def _check(query: Any, key: Any, value: Any, mask: Any, dropout: Any, causal: Any) -> None:
    real_only("scaled_dot_product_attention", query, key, value)
    shapes = [tuple(x.shape) for x in (query, key, value)]
    if min(map(len, shapes)) < 2 or shapes[0][-1] != shapes[1][-1] or shapes[1][-2] != shapes[2][-2]:
        raise ValueError(
            "scaled_dot_product_attention takes arrays (..., n, d), (..., m, d), (..., m, e), not of shapes "
            f"{shapes[0]}, {shapes[1]}, {shapes[2]}"
        )
    if dropout:
        raise refusal(
            "scaled_dot_product_attention: dropout_p draws hidden random numbers: pass 0.0 (a module of "
            "PyTorch's does after model.eval()), and multiply by a mask that is drawn outside of the function"
        )
    if causal and mask is not None:
        raise ValueError("scaled_dot_product_attention takes attn_mask or is_causal, not both")


def _factor(query: Any, scale: Any) -> float:
    return 1.0 / math.sqrt(query.shape[-1]) if scale is None else scale


def _scores(xp: Any, query: Any, key: Any, mask: Any, causal: Any, scale: Any) -> Any:
    """Return what softmax is taken of."""
    found = (query @ xp.swapaxes(key, -1, -2)) * _factor(query, scale)
    if causal:
        mask = _causal(xp, found)
    if mask is None:
        return found
    return xp.where(mask, found, -math.inf) if dtype_kind(mask.dtype) == "b" else found + mask


def _causal(xp: Any, scores: Any) -> Any:
    """Return which pairs of positions count: those whose second one is not later."""
    n, m = [positions(xp, k, scores) for k in scores.shape[-2:]]
    return n[:, None] >= m[None, :]


def _saves(  # (y, (shares, None)), or (y, (None, the logarithms of the sums of exponentials))
    xp: Any,
    wanted: tuple[int, ...],
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: Any = 0.0,
    is_causal: Any = False,
    scale: Any = None,
) -> tuple[Any, Saved]:
    _check(query, key, value, attn_mask, dropout_p, is_causal)
    own = kernel(xp, "attention")
    if own is not None:
        y, *saved = own(query, key, value, attn_mask, is_causal, scale)
        return y, tuple(saved)
    scores = _scores(xp, query, key, attn_mask, is_causal, scale)
    top = xp.max(scores, axis=-1, keepdims=True)
    top = xp.where(xp.isfinite(top), top, 0.0)  # of a position that attends to none
    shares = xp.exp(scores - top)
    total = xp.sum(shares, axis=-1, keepdims=True)
    total = xp.where(total == 0.0, 1.0, total)
    return (shares / total) @ value, (None, top + xp.log(total))


def _pull(
    xp: Any,
    wanted: tuple[int, ...],
    g: Any,
    y: Any,
    saved: Saved,
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: Any = 0.0,
    is_causal: Any = False,
    scale: Any = None,
) -> list[Any]:
    operands = (query, key, value, attn_mask)
    own = kernel(xp, "attention_pull")
    if wanted[-1] == 6:
        everything = (query, key, value, attn_mask, dropout_p, is_causal, scale)
        last = of_parameter(xp, ATTENTION.jvp(6), g, y, *everything)
        return [*(_pull(xp, wanted[:-1], g, y, saved, *everything) if wanted[1:] else ()), last]
    given = None if own is None else own(g, y, *saved, *operands, is_causal, scale)
    if given is not None:
        return [given[i] for i in wanted]
    shares, logsumexp = saved
    if shares is None:
        shares = xp.exp(_scores(xp, query, key, attn_mask, is_causal, scale) - logsumexp)
    found = {2: unbroadcast(xp, xp.swapaxes(shares, -1, -2) @ g, value)} if 2 in wanted else {}
    if wanted != (2,):
        lean = xp.sum(g * y, axis=-1, keepdims=True)
        scores = shares * (g @ xp.swapaxes(value, -1, -2) - lean)
        factor = _factor(query, scale)
        if 0 in wanted:
            found[0] = unbroadcast(xp, (scores @ key) * factor, query)
        if 1 in wanted:
            found[1] = unbroadcast(xp, (xp.swapaxes(scores, -1, -2) @ query) * factor, key)
        if 3 in wanted:
            found[3] = unbroadcast(xp, scores, attn_mask)
    return [found[i] for i in wanted]


def _now(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: Any = 0.0,
    is_causal: Any = False,
    scale: Any = None,
) -> Any:
    factor = 1.0 / math.sqrt(shape_now(query)[-1]) if scale is None else scale
    scores = MULTIPLY(call("np.matmul", query, call("np.swapaxes", key, -1, -2)), factor)
    if is_causal:
        data = raw(scores)
        counts = number(_causal(namespace((data,)), data))
        scores = call("np.where", counts, scores, -math.inf)
    elif attn_mask is not None and dtype_kind(raw(attn_mask).dtype) == "b":
        scores = call("np.where", attn_mask, scores, -math.inf)
    elif attn_mask is not None:
        scores = ADD(scores, attn_mask)
    return call("np.matmul", _shares_now(scores), value)


def _shares_now(scores: Any) -> Any:
    """Return softmax of the scores, by records: zeros for a position that attends to none."""
    data = raw(scores)
    xp = namespace((data,))
    top = xp.max(data, axis=-1, keepdims=True)
    if not (top == -math.inf).any():
        return call("tensorlib.special.softmax", scores, -1)
    none = number(top == -math.inf)
    found = call("tensorlib.special.softmax", call("np.where", none, 0.0, scores), -1)
    return call("np.where", none, 0.0, found)


def _samples(rng: Any) -> list[Saved]:
    def draw(*shape: int) -> Any:
        return rng.normal(size=shape)

    q, k, v = draw(2, 3, 4), draw(2, 5, 4), draw(2, 5, 3)
    keep = rng.integers(0, 2, (3, 5)).astype(bool)
    keep[:, 0] = True
    none = keep.copy()
    none[1] = False  # a position that attends to none
    return [
        (q, k, v),
        (q, k, v, keep),
        (q, k, v, none),
        (q, k, v, draw(3, 5), 0.0, False, 0.3),
        (draw(1, 2, 4, 3), draw(1, 2, 4, 3), draw(1, 2, 4, 3), None, 0.0, True),
        (q[0], k[0], v[0]),
        tuple([x.astype("f4") for x in (q, k, v)]),
    ]


ATTENTION = tensor(
    "tensorlib.scaled_dot_product_attention",
    value_of(_saves),
    saves=_saves,
    pull=_pull,
    jvps=along(_now, 0, 1, 2, 3, 6, count=7),
    implements=(scaled_dot_product_attention,),
    shape="(..., n, d), (..., m, d), (..., m, e) -> (..., n, e)",
    samples=_samples,
)
