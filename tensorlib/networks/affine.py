"""Layers that are linear in their weights: linear, embedding."""

from __future__ import annotations

from typing import Any

from checkpoint.ad.accumulators import Scattered
from checkpoint.ad.array_library import dtype_kind, kernel, namespace
from checkpoint.prims.arrays import tensor
from tensorlib.elementwise.pointwise import ADD, MULTIPLY
from tensorlib.layout.moving import call, shape_now
from tensorlib.rules import number, real_only

# linear


def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """Return input @ weight.T + bias, for weights of shape (outputs, inputs)."""
    return LINEAR.value(namespace((input, weight)), input, weight, bias)


def _linear(xp: Any, input: Any, weight: Any, bias: Any = None) -> Any:
    real_only("linear", input, weight)
    if len(weight.shape) != 2 or not len(input.shape) or input.shape[-1] != weight.shape[1]:
        raise ValueError(
            f"linear: weights of shape {tuple(weight.shape)} take inputs whose last axis is their second, "
            f"not of shape {tuple(input.shape)}"
        )
    own = kernel(xp, "linear")
    if own is not None:
        return own(input, weight, bias)
    found = input @ weight.T
    return found if bias is None else found + bias


def _rows(x: Any) -> Any:
    return x if len(x.shape) == 2 else x.reshape(-1, x.shape[-1])


def _input_vjp(xp: Any, g: Any, y: Any, input: Any, weight: Any, bias: Any = None) -> Any:
    return g @ weight


def _weight_vjp(xp: Any, g: Any, y: Any, input: Any, weight: Any, bias: Any = None) -> Any:
    if len(g.shape) == 1:  # a product of matrices of one column and one row takes three times as long
        return g[:, None] * input
    return _rows(g).T @ _rows(input)


def _bias_vjp(xp: Any, g: Any, y: Any, input: Any, weight: Any, bias: Any = None) -> Any:
    return g if len(g.shape) == 1 else _rows(g).sum(0)


def _linear_jvp_bias(t: Any, y: Any, input: Any, weight: Any, bias: Any) -> Any:
    return number(call("np.broadcast_to", t, shape_now(y)))


LINEAR = tensor(
    "tensorlib.linear",
    _linear,
    vjps=(_input_vjp, _weight_vjp, _bias_vjp),
    jvps=(
        lambda t, y, input, weight, bias=None: call("np.matmul", t, call("np.transpose", weight, (1, 0))),
        lambda t, y, input, weight, bias=None: call("np.matmul", input, call("np.transpose", t, (1, 0))),
        _linear_jvp_bias,
    ),
    needs=((1,), (0,), ()),
    implements=(linear,),
    shape="(..., n), (m, n), (m,) -> (..., m)",
    samples=lambda rng: [
        (rng.normal(size=(3, 4)), rng.normal(size=(2, 4)), rng.normal(size=2)),
        (rng.normal(size=(3, 2, 4)), rng.normal(size=(5, 4))),
        (rng.normal(size=4), rng.normal(size=(2, 4)), rng.normal(size=2)),
        tuple([rng.normal(size=n).astype("f4") for n in ((3, 4), (2, 4), 2)]),
    ],
)

# embedding


def embedding(input: Any, weight: Any, padding_idx: int | None = None) -> Any:
    """Return the rows of the weights that input names; row padding_idx receives no gradient."""
    return EMBEDDING.value(namespace((input, weight)), input, weight, padding_idx)


def _embedding(xp: Any, input: Any, weight: Any, padding_idx: Any = None) -> Any:
    if dtype_kind(input.dtype) not in "iu" or len(weight.shape) != 2:
        raise TypeError(
            f"embedding takes an array of integers and a matrix of weights, not {input.dtype} and "
            f"{len(weight.shape)} axes"
        )
    return weight[input]


def _embedding_vjp(xp: Any, g: Any, y: Any, input: Any, weight: Any, padding_idx: Any = None) -> Any:
    own = kernel(xp, "embedding_vjp")
    if own is not None:
        return own(g, input, weight.shape[0], padding_idx)
    if padding_idx is not None:
        g = g * (input != padding_idx % weight.shape[0])[..., None]
    return Scattered(weight, input, g, True)


def _embedding_jvp(t: Any, y: Any, input: Any, weight: Any, padding_idx: Any = None) -> Any:
    found = call("tensorlib.embedding", input, t, padding_idx)
    if padding_idx is None:
        return found
    counts = call("np.not_equal", input, padding_idx % shape_now(weight)[0])
    return MULTIPLY(found, call("np.expand_dims", ADD(counts, 0.0), -1))


EMBEDDING = tensor(
    "tensorlib.embedding",
    _embedding,
    vjps=(None, _embedding_vjp, None),
    jvps=(None, _embedding_jvp, None),
    needs=((), (0,), ()),
    implements=(embedding,),
    shape="(...), (n, m) -> (..., m)",
    convention="row padding_idx has derivative zero",
    samples=lambda rng: [
        (rng.integers(0, 5, (2, 3)), rng.normal(size=(5, 4))),
        (rng.integers(0, 5, 7), rng.normal(size=(5, 2)).astype("f4")),
        (rng.integers(0, 2, ()), rng.normal(size=(5, 4))),
    ],
)
