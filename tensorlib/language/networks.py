"""Functions of networks that programs of the language name: those of tensorlib.networks, with fixed operands.

A tensor of samples has the axes samples, channels, and one to three of places. Dropout, the running
statistics of batches and the entropy are written in the prelude, with these.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.ad.operands import Items
from checkpoint.ad.pullbacks import RESULT
from checkpoint.ad.tensors import Tensor
from checkpoint.prims.arrays import tensor
from tensorlib.elementwise.pointwise import MULTIPLY
from tensorlib.language.arranged import arranged, as_array, as_indices, each, places_in, sizes_of
from tensorlib.language.operands import Rule, as_real, axis_in, taking_tensors, whole
from tensorlib.layout.indexing import scattered
from tensorlib.layout.moving import call, linear
from tensorlib.networks.activations import GELU, LEAKY_RELU, RELU, SIGMOID
from tensorlib.networks.affine import EMBEDDING
from tensorlib.networks.batches import BATCH_NORM
from tensorlib.networks.composed import along
from tensorlib.networks.convolution import CONVOLUTION
from tensorlib.networks.losses import NLL_LOSS
from tensorlib.networks.normalising import LAYER_NORM
from tensorlib.networks.pooling import AVG_POOL, MAX_POOL
from tensorlib.networks.resampling import RESAMPLE
from tensorlib.reductions.extremes import MAX
from tensorlib.rules import discrete, raw, record, unbroadcast

# Element by element


def _activation(name: str, record: Tensor, *options: Any) -> Tensor:
    places = tuple(range(1 + len(options)))
    return arranged(
        name,
        record,
        lambda *operands: operands,
        places,
        result=lambda y: as_real(np.asarray(y)) if type(y) is float else as_real(y),
        shape="that of the tensor; a real of a real",
        samples=lambda rng: [(rng.normal(size=(2, 3)), *options), (0.75, *options)],
    )


RELU_, GELU_, SIGMOID_ = _activation("ReLU", RELU), _activation("GeLU", GELU), _activation("sigmoid", SIGMOID)
LEAKY_RELU_ = _activation("LeakyReLU", LEAKY_RELU, 0.25)


def _by_axis(name: str, record: Tensor, form: str) -> Tensor:
    return arranged(
        name,
        record,
        lambda t, axis: (as_array(t), axis_in(_shaped(t), axis)),
        (0, None),
        shape=form,
        samples=lambda rng: [(rng.normal(size=(2, 3)), 1.0), (rng.normal(size=4), 0.0)],
    )


def _shaped(t: Any) -> Any:
    """Return what has the shape of a tensor, native or a number of the language."""
    return raw(t)


SOFTMAX = _by_axis("softmax", record("tensorlib.special.softmax"), "that of the tensor")
LOG_SOFTMAX = _by_axis("log-softmax", record("tensorlib.special.log_softmax"), "that of the tensor")
MAX_VALUE = _by_axis("max-value", MAX, "without the axis")
INDEX_OF_MAX = discrete(
    "index-of-max",
    taking_tensors(
        lambda xp, t, axis: as_real(xp.astype(xp.argmax(t, axis=axis_in(t, axis)), xp.float64)), 1
    ),
    2,
    shape="without the axis",
    samples=lambda rng: [(rng.normal(size=(2, 3)), 1.0), (rng.normal(size=4), 0.0)],
)


def _masked_softmax(xp: Any, t: Any, mask: Any, scale: Any) -> Any:
    if type(scale) is not float:
        raise TypeError("operand 3 is not a real")
    scores = xp.where(mask, -np.inf, t * scale)
    highest = xp.max(scores, axis=-1, keepdims=True)
    found = xp.exp(scores - xp.where(highest == -np.inf, 0.0, highest))
    total = xp.sum(found, axis=-1, keepdims=True)
    return xp.astype(found / xp.where(total == 0.0, 1.0, total), t.dtype)


def _masked_softmax_pull(
    xp: Any, wanted: tuple[int, ...], g: Any, y: Any, saved: Any, t: Any, mask: Any, scale: Any
) -> list[Any]:
    scores = y * (g - xp.sum(g * y, axis=-1, keepdims=True))
    return [
        unbroadcast(xp, scores * scale, t) if position == 0 else float(xp.sum(scores * t))
        for position in wanted
    ]


_LOW = {2: -6e4, 4: -1e38, 8: -1e300}  # by the bytes of an element


def _masked_softmax_now(t: Any, mask: Any, scale: Any) -> Any:
    """Return the same by records; masked elements are so low that their exponential is 0."""
    low = _LOW[raw(t).dtype.itemsize]
    scores = call("np.where", mask, low, MULTIPLY(t, scale))
    found = call("tensorlib.special.softmax", scores, -1)
    return call("np.where", mask, 0.0, found)


FUSED = tensor(
    "fused-scale-mask-softmax",
    taking_tensors(_masked_softmax, 2),
    pull=_masked_softmax_pull,
    jvps=along(_masked_softmax_now, 0, 2, count=3),
    needs=((2, RESULT), (), (0, RESULT)),
    shape="(..., n), and a mask that broadcasts to it -> (..., n)",
    convention="elements under the mask have value and derivative 0",
    samples=lambda rng: [
        (rng.normal(size=(2, 3, 4)), rng.normal(size=(3, 4)) > 0.5, 0.5),
        (rng.normal(size=(2, 2)), np.array([[True, True], [False, True]]), 2.0),
    ],
)

# Convolutions


def _convolution(
    t: Any, weights: Any, bias: Any, sizes: tuple[Any, ...], transposed: bool
) -> tuple[Any, ...]:
    count = places_in(t)
    shape, form = sizes_of(t), sizes_of(weights)
    groups = 1
    if not transposed and len(form) > 1 and form[1] and shape[1] % form[1] == 0:
        groups = max(shape[1] // form[1], 1)
    stride, padding, dilation = [each(size, count) for size in sizes]
    return (t, as_array(weights), bias, stride, padding, dilation, transposed, (0,) * count, groups)


def _image(rng: Any) -> Any:
    return rng.normal(size=(2, 4, 5, 4))


CONVOLVE = arranged(
    "convolve",
    CONVOLUTION,
    lambda t, weights, *sizes: _convolution(t, weights, None, sizes, False),
    (0, 1, None, None, None),
    shape="(n, c, ...), (m, c / groups, ...) -> (n, m, ...)",
    samples=lambda rng: [
        (_image(rng), rng.normal(size=(3, 4, 2, 3)), 1.0, 1.0, 1.0),
        (_image(rng), rng.normal(size=(2, 2, 2, 2)), [2.0, 1.0], [0.0, 1.0], [1.0, 2.0]),
        (rng.normal(size=(1, 2, 6)), rng.normal(size=(3, 2, 3)), 1.0, 0.0, 1.0),
    ],
)
CONVOLVE_ADD_TIED = arranged(
    "convolve-add-tied",
    CONVOLUTION,
    lambda t, weights, bias, *sizes: _convolution(t, weights, as_array(bias), sizes, False),
    (0, 1, 2, None, None, None),
    shape="(n, c, ...), (m, c / groups, ...), (m) -> (n, m, ...)",
    samples=lambda rng: [
        (_image(rng), rng.normal(size=(3, 4, 2, 3)), rng.normal(size=3), 1.0, 1.0, 1.0),
        (rng.normal(size=(1, 2, 6)), rng.normal(size=(3, 2, 3)), rng.normal(size=3), 2.0, 0.0, 1.0),
    ],
)
TRANSPOSE_CONVOLVE = arranged(
    "transpose-convolve",
    CONVOLUTION,
    lambda t, weights, *sizes: _convolution(t, weights, None, sizes, True),
    (0, 1, None, None, None),
    shape="(n, c, ...), (c, m, ...) -> (n, m, ...)",
    samples=lambda rng: [
        (_image(rng), rng.normal(size=(4, 3, 2, 3)), 1.0, 1.0, 1.0),
        (rng.normal(size=(1, 2, 3)), rng.normal(size=(2, 3, 3)), 2.0, 0.0, 1.0),
    ],
)

# Pools


def _pool(name: str, record: Tensor, *first: Any) -> Tensor:
    """Register a pool; first: the operands of its record after the size, the stride and the padding."""

    def arrange(t: Any, size: Any, stride: Any, padding: Any) -> tuple[Any, ...]:
        count = places_in(t)
        dilation = ((1,) * count,) if record is MAX_POOL else ()
        return (t, each(size, count), each(stride, count), each(padding, count), *dilation, *first)

    return arranged(
        name,
        record,
        arrange,
        (0, None, None, None),
        shape="(n, c, ...) -> (n, c, ...)",
        samples=lambda rng: [
            (_image(rng), 2.0, 2.0, 0.0),
            (_image(rng), [3.0, 2.0], [2.0, 1.0], [1.0, 0.0]),
            (rng.normal(size=(1, 2, 6)), 3.0, 1.0, 1.0),
        ],
    )


MAX_POOL_, AVERAGE_POOL = (
    _pool("max-pool", MAX_POOL, False),
    _pool("average-pool", AVG_POOL, False, True, None),
)

# Other sizes

_LINEAR = ("linear", "bilinear", "trilinear")


def _resized(name: str, size: Rule, mode: Rule, *options: tuple[Any, ...]) -> Tensor:
    """Register a function that resamples; size(places, operand): the places of the result."""

    def arrange(t: Any, operand: Any) -> tuple[Any, ...]:
        count = places_in(t)
        return (t, mode(count), size(sizes_of(t)[2:], operand), None)

    return arranged(
        name,
        RESAMPLE,
        arrange,
        (0, None),
        shape="(n, c, ...) -> (n, c, ...)",
        samples=lambda rng: [(rng.normal(size=(1, 2, 4, 6)), *rest) for rest in options],
    )


def _times(places: tuple[int, ...], factor: Any) -> tuple[int, ...]:
    if type(factor) is not float:
        raise TypeError("operand 2 is not a real")
    return tuple([int(n * factor) for n in places])


def _repeated(places: tuple[int, ...], factor: Any) -> tuple[int, ...]:
    return tuple([n * whole(factor) for n in places])


def _thinned(places: tuple[int, ...], factor: Any) -> tuple[int, ...]:
    by = whole(factor)
    if by < 1 or any(n % by for n in places):
        raise ValueError(f"places {list(places)} are not all multiples of {by}")
    return tuple([n // by for n in places])


INTERPOLATE = _resized("interpolate", _times, lambda count: _LINEAR[count - 1], (2.0,), (0.5,))
INTERPOLATE_TO_SIZE = _resized(
    "interpolate-to-size",
    lambda places, size: each(size, len(places)),
    lambda count: _LINEAR[count - 1],
    ([3.0, 8.0],),
    (5.0,),
)
UPSAMPLE = _resized("upsample-nearest", _repeated, lambda count: "nearest", (2.0,))
DOWNSAMPLE = _resized("downsample-nearest", _thinned, lambda count: "nearest", (2.0,))


def _every(t: Any, axis: Any, n: Any) -> tuple[slice, ...]:
    step = whole(n)
    if step < 1:
        raise ValueError(f"every element number {step}: a real of at least 1 is needed")
    return (slice(None),) * axis_in(t, axis) + (slice(None, None, step),)


DECIMATE = linear(
    "decimate",
    taking_tensors(lambda xp, t, axis, n: t[_every(t, axis, n)], 1),
    lambda xp, g, y, t, axis, n: scattered(xp, t, _every(t, axis, n), g),
    views=True,
    shape="of an axis every n-th element, from the first on",
    samples=lambda rng: [(rng.normal(size=(2, 5)), 1.0, 2.0), (rng.normal(size=4), 0.0, 3.0)],
)

# Normalisation, and what is by index


def _channels(rng: Any, *more: Any) -> list[tuple[Any, ...]]:
    return [(rng.normal(size=(3, 2, 4)), rng.normal(size=2), rng.normal(size=2), *more)]


NORMALIZE_BATCH = arranged(
    "normalize-batch",
    BATCH_NORM,
    lambda t, scale, offset: (as_array(t), as_array(scale), as_array(offset), None, None),
    (0, 1, 2),
    shape="that of the tensor",
    samples=_channels,
)
NORMALIZE_BY = arranged(
    "normalize-by-statistics",
    BATCH_NORM,
    lambda t, scale, offset, mean, variance: (as_array(t), scale, offset, mean, variance),
    (0, 1, 2, 3, 4),
    shape="that of the tensor",
    samples=lambda rng: _channels(rng, rng.normal(size=2), rng.uniform(0.5, 2.0, 2)),
)


def _statistics(xp: Any, t: Any) -> Items:
    axes = (0, *range(2, 2 + places_in(t))) if len(sizes_of(t)) != 2 else (0,)
    return Items([xp.mean(t, axis=axes), xp.var(t, axis=axes, ddof=1)])


BATCH_STATISTICS = discrete(
    "batch-statistics",
    taking_tensors(_statistics),
    shape="(n, c, ...) -> (c), (c): a list of them",
    samples=lambda rng: [(rng.normal(size=(3, 2, 4)),), (rng.normal(size=(3, 2)),)],
)
LAYER = arranged(
    "layer-normalization",
    LAYER_NORM,
    lambda t, scale, offset: (as_array(t), sizes_of(scale), as_array(scale), as_array(offset)),
    (0, 2, 3),
    shape="that of the tensor; the others have that of its last axes",
    samples=lambda rng: [(rng.normal(size=(2, 3, 4)), rng.normal(size=4), rng.normal(size=4))],
)
EMBEDDING_ = arranged(
    "embedding",
    EMBEDDING,
    lambda t, weights: (as_indices(t), as_array(weights)),
    (0, 1),
    shape="(...), (n, m) -> (..., m)",
    samples=lambda rng: [(np.array([[0, 2], [1, 2]]), rng.normal(size=(3, 2)))],
)
NLL = arranged(
    "nll-loss",
    NLL_LOSS,
    lambda t, labels: (as_array(t), as_indices(labels), None, -100, "mean"),
    (0, 1),
    shape="(n, classes, ...), (n, ...) -> a real",
    samples=lambda rng: [(rng.normal(size=(3, 4)), np.array([0, 3, 1])), (rng.normal(size=4), np.array(2))],
)
