"""Random numbers from explicit keys: the same key always gives the same numbers.

    key = random.key(0)
    first, second = random.split(key)
    noise = random.normal(first, (3, 4))

A key is an array of two uint64, that of NumPy's counter-based generator Philox. A key is used once: split it
for as many independent keys as are needed. These are ordinary functions of NumPy outside of programs, and
primitives within: a run that is interrupted and resumed, or run again for its derivative, draws the same
numbers. The parameters low, high, loc and scale are differentiable: the numbers are functions of them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from checkpoint.ad.tensors import Tensor
from checkpoint.prims.arrays import tensor
from tensorlib.layout.moving import call
from tensorlib.rules import discrete, unbroadcast

Shape = Any
_SPLITTING = 1 << 63  # where in the generator's sequence the keys of split are, beyond all numbers drawn


def _generator(key: Any) -> Any:
    return np.random.Generator(np.random.Philox(key=_words(key)))


def _words(key: Any) -> Any:
    words = np.asarray(key)
    if words.shape != (2,) or words.dtype != np.uint64:
        raise TypeError(
            f"a key is an array of two uint64, as random.key(seed) gives it, not {words.dtype} {words.shape}"
        )
    return words


# Keys


def key(seed: int) -> Any:
    """Return the key of a seed, an integer that is not negative."""
    return np.random.SeedSequence(int(seed)).generate_state(2, np.uint64)


def fold_in(key: Any, data: int) -> Any:
    """Return another key for each integer, as for the steps of a loop."""
    words = [int(word) for word in _words(key)]
    return np.random.SeedSequence(words, spawn_key=(int(data),)).generate_state(2, np.uint64)


def split(key: Any, n: int = 2) -> Any:
    """Return as many independent keys as asked for: the rows of an array."""
    bits = np.random.Philox(key=_words(key), counter=[0, 0, 0, _SPLITTING])
    return bits.random_raw(2 * n).reshape(n, 2)


# Numbers


def _shape_of(shape: Shape, *parameters: Any) -> tuple[int, ...]:
    """Return the shape asked for; None: that to which the parameters broadcast."""
    if shape is None:
        return np.broadcast_shapes(*[np.shape(x) for x in parameters])
    return tuple(int(n) for n in shape) if isinstance(shape, tuple | list) else (int(shape),)


def standard_uniform(key: Any, shape: Shape = (), dtype: Any = float) -> Any:
    """Return reals from [0, 1), all equally likely."""
    return _generator(key).random(_shape_of(shape), np.dtype(dtype))


def standard_normal(key: Any, shape: Shape = (), dtype: Any = float) -> Any:
    """Return normally distributed reals of mean 0 and variance 1."""
    return _generator(key).standard_normal(_shape_of(shape), np.dtype(dtype))


def standard_exponential(key: Any, shape: Shape = (), dtype: Any = float) -> Any:
    """Return exponentially distributed reals of mean 1."""
    return _generator(key).standard_exponential(_shape_of(shape), np.dtype(dtype))


def uniform(key: Any, shape: Shape = None, low: Any = 0.0, high: Any = 1.0) -> Any:
    """Return reals from [low, high), all equally likely."""
    return low + (np.asarray(high) - low) * standard_uniform(key, _shape_of(shape, low, high))


def normal(key: Any, shape: Shape = None, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Return normally distributed reals."""
    return loc + np.asarray(scale) * standard_normal(key, _shape_of(shape, loc, scale))


def exponential(key: Any, shape: Shape = None, scale: Any = 1.0) -> Any:
    """Return exponentially distributed reals of mean `scale`."""
    return np.asarray(scale) * standard_exponential(key, _shape_of(shape, scale))


def bernoulli(key: Any, p: Any = 0.5, shape: Shape = None) -> Any:
    """Return booleans, true with probability p."""
    return standard_uniform(key, _shape_of(shape, p)) < p


def randint(key: Any, low: Any, high: Any = None, shape: Shape = ()) -> Any:
    """Return integers from low to high, high excluded; from 0 to low where there is no high."""
    return _generator(key).integers(low, high, _shape_of(shape))


def permutation(key: Any, x: Any, axis: int = 0) -> Any:
    """Return the rows of an array in a random order; the numbers below x for an integer x."""
    count = int(x) if np.ndim(x) == 0 else np.shape(x)[axis]
    order = _generator(key).permutation(count)
    return order if np.ndim(x) == 0 else np.take(x, order, axis)


def choice(key: Any, a: Any, shape: Shape = (), replace: bool = True, p: Any = None, axis: int = 0) -> Any:
    """Return rows of an array at random; numbers below a for an integer a. p: their probabilities."""
    count = int(a) if np.ndim(a) == 0 else np.shape(a)[axis]
    index = _generator(key).choice(count, _shape_of(shape), replace, p)
    return index if np.ndim(a) == 0 else np.take(a, index, axis)


# Records

_KEY = np.array([1, 2], np.uint64)


def _discrete(name: str, function: Callable[..., Any], operands: int, *samples: tuple[Any, ...]) -> Tensor:
    return discrete(
        f"tensorlib.random.{name}",
        _with_namespace(function),
        operands,
        implements=(function,),
        shape="the one asked for",
        samples=lambda rng: list(samples),
    )


def _with_namespace(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with a namespace before its operands; random numbers are always NumPy's own."""

    def value(xp: Any, *operands: Any) -> Any:
        return function(*operands)

    own = inspect.signature(function).parameters.values()
    first = inspect.Parameter("xp_", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    value.__signature__ = inspect.Signature([first, *own])  # type: ignore[attr-defined]
    return value


KEY = _discrete("key", key, 1, (3,))
FOLD_IN = _discrete("fold_in", fold_in, 2, (_KEY, 3))
SPLIT = _discrete("split", split, 2, (_KEY,), (_KEY, 3))
STANDARD_UNIFORM = _discrete("standard_uniform", standard_uniform, 3, (_KEY, (2, 3)))
STANDARD_NORMAL = _discrete("standard_normal", standard_normal, 3, (_KEY, 4))
STANDARD_EXPONENTIAL = _discrete("standard_exponential", standard_exponential, 3, (_KEY, ()))
BERNOULLI = _discrete("bernoulli", bernoulli, 3, (_KEY, 0.3, (2, 3)), (_KEY, np.array([0.1, 0.9])))
RANDINT = _discrete("randint", randint, 4, (_KEY, 5), (_KEY, 2, 5, (2, 3)))


def _terms(name: str, standard: Callable[..., Any], function: Callable[..., Any], weights: Any) -> Tensor:
    """Register a sum of parameters, each with a weight: a function of the numbers drawn."""

    def vjp(position: int, weight: Any) -> Any:
        def rule(xp: Any, g: Any, y: Any, key: Any, shape: Any = None, *parameters: Any) -> Any:
            return unbroadcast(xp, xp.asarray(g * weight(standard(key, g.shape))), parameters[position])

        return rule

    def jvp(weight: Any) -> Any:
        def rule(tangent: Any, y: Any, key: Any, *rest: Any) -> Any:
            drawn = call("tensorlib.random.weights", key, call("np.shape", y), name)
            return call("np.multiply", tangent, weight(drawn))

        return rule

    return tensor(
        f"tensorlib.random.{name}",
        _with_namespace(function),
        vjps=(None, None, *[vjp(i, weight) for i, (weight, _) in enumerate(weights)]),
        jvps=(None, None, *[jvp(weight) for _, weight in weights]),
        needs=((0,),),
        implements=(function,),
        shape="the one asked for",
        samples=_parameters(len(weights)),
    )


def _parameters(count: int) -> Any:
    def samples(rng: Any) -> list[tuple[Any, ...]]:
        return [
            (_KEY, (2, 3), *[0.5 + i for i in range(count)]),
            (_KEY, None, *[rng.uniform(1.0, 2.0, 3) for _ in range(count)]),
            (_KEY, (2, 3), rng.uniform(1.0, 2.0, (2, 1)), *[2.5] * (count - 1)),
            (_KEY, (), *[rng.uniform(1.0, 2.0, ()) for _ in range(count)]),
            (_KEY, 4),
        ]

    return samples


_STANDARD = {"uniform": standard_uniform, "normal": standard_normal, "exponential": standard_exponential}
WEIGHTS = discrete(
    "tensorlib.random.weights",
    lambda xp, key, shape, name: _STANDARD[name](key, shape),
    3,
    shape="the one asked for",
    samples=lambda rng: [(_KEY, (2, 3), "normal")],
)
UNIFORM = _terms(
    "uniform",
    standard_uniform,
    uniform,
    [
        (lambda u: 1.0 - u, lambda u: call("np.subtract", 1.0, u)),
        (lambda u: u, lambda u: u),
    ],
)
NORMAL = _terms(
    "normal",
    standard_normal,
    normal,
    [
        (np.ones_like, lambda u: call("np.ones_like", u)),
        (lambda u: u, lambda u: u),
    ],
)
EXPONENTIAL = _terms("exponential", standard_exponential, exponential, [(lambda u: u, lambda u: u)])


def _rows_vjp(xp: Any, g: Any, y: Any, x: Any, order: Any, axis: int) -> Any:
    whole = xp.zeros(x.shape, x.dtype)
    xp.add.at(whole, (slice(None),) * (axis % x.ndim) + (order,), g)
    return whole


def _permutation_vjp(xp: Any, g: Any, y: Any, key: Any, x: Any, axis: int = 0) -> Any:
    return _rows_vjp(xp, g, y, x, permutation(key, x.shape[axis]), axis)


def _permutation_jvp(tangent: Any, y: Any, key: Any, x: Any, axis: int = 0) -> Any:
    return call("tensorlib.random.permutation", key, tangent, axis)


PERMUTATION = tensor(
    "tensorlib.random.permutation",
    _with_namespace(permutation),
    vjps=(None, _permutation_vjp, None),
    jvps=(None, _permutation_jvp, None),
    needs=((0,),),
    implements=(permutation,),
    shape="that of the array; n -> (n,)",
    samples=lambda rng: [(_KEY, 5), (_KEY, rng.normal(size=(4, 2))), (_KEY, rng.normal(size=(4, 2)), -1)],
)


def _choice_vjp(
    xp: Any,
    g: Any,
    y: Any,
    key: Any,
    a: Any,
    shape: Any = (),
    replace: bool = True,
    p: Any = None,
    axis: int = 0,
) -> Any:
    return _rows_vjp(xp, g, y, a, choice(key, a.shape[axis], shape, replace, p), axis)


def _choice_jvp(tangent: Any, y: Any, key: Any, a: Any, *rest: Any) -> Any:
    return call("tensorlib.random.choice", key, tangent, *rest)


CHOICE = tensor(
    "tensorlib.random.choice",
    _with_namespace(choice),
    vjps=(None, _choice_vjp, None, None, None, None),
    jvps=(None, _choice_jvp, None, None, None, None),
    needs=((), (0, 4)),
    implements=(choice,),
    shape="the one asked for, of rows",
    convention="which elements are chosen is constant",
    samples=lambda rng: [
        (_KEY, 5, (2, 3)),
        (_KEY, rng.normal(size=4), (6,)),
        (_KEY, rng.normal(size=(4, 2)), 3, False),
        (_KEY, rng.normal(size=4), 3, True, np.array([0.1, 0.2, 0.3, 0.4])),
    ],
)
