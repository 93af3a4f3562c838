"""The functions of tensors that programs of the language name (checkpoint.lang.tensors lists them).

Sizes, axes and indices are reals that are whole numbers, a shape is a list of them; axes count from 0. A
result without axes is a real. Random numbers come from explicit keys, as in tensorlib.random. What the
scalar primitives do on tensors is in tensorlib.language.scalars.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from checkpoint.ad.array_library import library_of
from checkpoint.ad.operands import Items
from checkpoint.ad.record import register
from checkpoint.ad.tensors import SAME, Tensor
from checkpoint.prims.arrays import tensor
from tensorlib import random
from tensorlib.elementwise.selection import WHERE
from tensorlib.language.operands import (
    Rule,
    as_real,
    axis_in,
    is_tensor,
    rule_of,
    shape,
    taking_tensors,
    whole,
)
from tensorlib.layout.indexing import scattered
from tensorlib.layout.joining import CONCATENATE
from tensorlib.layout.moving import along, linear, matrices, shape_of
from tensorlib.numpy_arrays import NUMPY
from tensorlib.rules import discrete, unbroadcast

# Made of lists, sizes, random numbers


def _items(nested: Any) -> Any:
    """Return nested lists as NumPy takes them; refuse anything but numbers in them."""
    if nested is None:
        return []
    if isinstance(nested, list):
        return [_items(item) for item in nested]
    if is_tensor(nested) or type(nested) is bool:
        return nested
    raise TypeError("a list of reals is needed, or of lists of them, or of tensors")


def _from_list(xp: Any, nested: Any) -> Any:
    items = _items(nested)
    try:
        return xp.array(items)
    except ValueError:
        raise ValueError("the lists differ in length, or the tensors in shape") from None


LIST_TO_TENSOR = linear(
    "list->tensor",
    _from_list,
    lambda xp, g, y, nested: g,
    shape="n times (...) -> (n, ...), of nested lists of reals, or of tensors",
    samples=lambda rng: [
        ([1.0, 2.5, -1.0],),
        ([[1.0, 2.0], [3.0, 4.0], [0.5, 0.25]],),
        ([rng.normal(size=3), rng.normal(size=3)],),
        (2.5,),
    ],
)


def _made(name: str, value: Rule, *samples: tuple[Any, ...]) -> Tensor:
    return discrete(name, value, len(samples[0]), shape="the one given", samples=lambda rng: list(samples))


_KEY = np.array([1, 2], np.uint64)
ZEROS = _made("zeros", lambda xp, sizes: xp.zeros(shape(sizes)), ([2.0, 3.0],), (3.0,))
ONES = _made("ones", lambda xp, sizes: xp.ones(shape(sizes)), ([2.0, 3.0],), (3.0,))
IDENTITY = _made("identity", lambda xp, n: xp.eye(whole(n)), (3.0,))
FILL = tensor(
    "fill",
    lambda xp, sizes, number: xp.full(shape(sizes), _one(number)),
    vjps=(None, lambda xp, g, y, sizes, number: unbroadcast(xp, g, number)),
    jvps=(None, SAME),
    needs=((),),
    shape="the one given, all elements alike",
    samples=lambda rng: [([2.0, 3.0], 1.5), (3.0, rng.normal(size=())), (None, 2.5)],
)


def _one(number: Any) -> Any:
    if not is_tensor(number) or shape_of(number):
        raise TypeError("operand 2 is not a real")
    return number


RANDOM_KEY = _made("random-key", lambda xp, seed: random.key(whole(seed)), (3.0,))
SPLIT_KEY = _made("split-key", lambda xp, key, n: Items(random.split(key, whole(n))), (_KEY, 3.0))
UNIFORM = _made(
    "uniform", lambda xp, key, sizes: random.standard_uniform(key, shape(sizes)), (_KEY, [2.0, 3.0])
)
RANDN = _made("randn", lambda xp, key, sizes: random.standard_normal(key, shape(sizes)), (_KEY, 4.0))


def _normal(xp: Any, key: Any, sizes: Any, mean: Any, deviation: Any) -> Any:
    for position, operand in enumerate((mean, deviation), 3):
        if not is_tensor(operand):
            raise TypeError(f"operand {position} is neither a real nor a tensor")
        if not isinstance(operand, float) and library_of(operand) is not NUMPY:
            raise TypeError(
                f"operand {position} is one of {library_of(operand).name}'s tensors, and random numbers are "
                "made by NumPy: convert them, and scale and shift the result"
            )
    return random.normal(key, shape(sizes), mean, deviation)


NORMAL = tensor(
    "normal",
    _normal,
    vjps=random.NORMAL.vjps,
    jvps=random.NORMAL.jvps,
    needs=((0,),),
    shape="the one given",
    samples=lambda rng: [(_KEY, [2.0, 3.0], 0.5, 1.5), (_KEY, 3.0, rng.normal(size=3), rng.normal(size=1))],
)

# Sizes and parts

SIZE = discrete(
    "size",
    taking_tensors(lambda xp, t: Items([float(n) for n in shape_of(t)])),
    shape="a list of sizes",
    samples=matrices,
)


def _row(xp: Any, t: Any, i: Any) -> Any:
    index, sizes = whole(i), shape_of(t)
    if not sizes:
        raise TypeError("operand 1 is not a tensor")
    if not 0 <= index < sizes[0]:
        raise IndexError(f"there is no row {index} in a tensor of {sizes[0]}; the first is row 0")
    return as_real(t[index])


TENSOR_REF = linear(
    "tensor-ref",
    taking_tensors(_row, 1),
    lambda xp, g, y, t, i: scattered(xp, t, whole(i), xp.asarray(g)),
    views=True,
    shape="(n, ...) -> (...), a row; of a vector a real",
    samples=lambda rng: [(rng.normal(size=3), 2.0), (rng.normal(size=(2, 3)), 0.0)],
)


def _moved(name: str, value: Rule, vjp: Rule, form: str, *options: tuple[Any, ...]) -> Tensor:
    """Register a function that moves the elements of a tensor."""
    return linear(
        name,
        taking_tensors(value, 1),
        vjp,
        views=True,
        shape=form,
        samples=lambda rng: [(rng.normal(size=(2, 3)), *rest) for rest in options],
    )


def _view(name: str) -> Tensor:
    return _moved(
        name,
        lambda xp, t, sizes: xp.reshape(t, shape(sizes)),
        lambda xp, g, y, t, sizes: g.reshape(t.shape),
        "the one given, of as many elements; -1 is what is left",
        ([3.0, 2.0],),
        ([-1.0],),
    )


VIEW, RESHAPE = _view("view"), _view("reshape")


def _resize(xp: Any, t: Any, sizes: Any) -> Any:
    new = shape(sizes)
    count = int(np.prod(new))
    elements = xp.ravel(t)[:count]
    return xp.concatenate([elements, xp.zeros(count - elements.size, elements.dtype)]).reshape(new)


def _resize_vjp(xp: Any, g: Any, y: Any, t: Any, sizes: Any) -> Any:
    return _resize(xp, g, [float(n) for n in t.shape])


RESIZE = _moved(
    "resize",
    _resize,
    _resize_vjp,
    "the one given: elements are left out, or zeros added",
    ([2.0, 2.0],),
    (9.0,),
)
EXPAND = _moved(
    "expand",
    lambda xp, t, sizes: xp.broadcast_to(t, shape(sizes)),
    lambda xp, g, y, t, sizes: unbroadcast(xp, g, t),
    "the one given, to which that of the tensor broadcasts",
    ([4.0, 2.0, 3.0],),
)
TRANSPOSED = _moved(
    "transpose",
    lambda xp, t: xp.transpose(t),
    lambda xp, g, y, t: xp.transpose(g),
    "(n, m, ...) -> (..., m, n)",
    (),
)
PERMUTE = _moved(
    "permute",
    lambda xp, t, axes: xp.transpose(t, shape(axes)),
    lambda xp, g, y, t, axes: xp.transpose(g, np.argsort(shape(axes))),
    "the axes in the order given",
    ([1.0, 0.0],),
)


def _between(t: Any, axis: Any, start: int, stop: int) -> tuple[slice, ...]:
    """Return the index of a stretch of an axis."""
    place = axis_in(t, axis)
    n = shape_of(t)[place]
    if not 0 <= start <= stop <= n:
        raise ValueError(f"axis {place} has {n} elements: there is no stretch from {start} to {stop}")
    return (slice(None),) * place + (slice(start, stop),)


def _narrowed(t: Any, axis: Any, start: Any, length: Any) -> tuple[slice, ...]:
    return _between(t, axis, whole(start), whole(start) + whole(length))


def _cropped(t: Any, axis: Any, before: Any, after: Any) -> tuple[slice, ...]:
    return _between(t, axis, whole(before), shape_of(t)[axis_in(t, axis)] - whole(after))


def _stretch(name: str, index: Rule, form: str) -> Tensor:
    return _moved(
        name,
        lambda xp, t, axis, first, second: t[index(t, axis, first, second)],
        lambda xp, g, y, t, axis, first, second: scattered(xp, t, index(t, axis, first, second), g),
        form,
        (1.0, 1.0, 1.0),
        (0.0, 1.0, 0.0),
    )


NARROW = _stretch("narrow", _narrowed, "of an axis as many elements as asked for, from a start on")
CROP = _stretch("crop", _cropped, "without so many elements at an axis's start, and so many at its end")


def _pad(xp: Any, t: Any, axis: Any, before: Any, after: Any) -> Any:
    widths = [(0, 0)] * len(shape_of(t))
    widths[axis_in(t, axis)] = (whole(before), whole(after))
    return xp.pad(t, widths)


PAD = _moved(
    "pad",
    _pad,
    lambda xp, g, y, t, axis, before, after: g[_cropped(g, axis, before, after)],
    "with so many zeros at an axis's start, and so many at its end",
    (1.0, 1.0, 2.0),
)


def _joined(xp: Any, tensors: Any, axis: Any) -> Any:
    if not isinstance(tensors, list) or not all(map(is_tensor, tensors)):
        raise TypeError("operand 1 is not a list of tensors")
    return xp.concatenate(tensors, axis_in(tensors[0], axis))


CONCAT = tensor(
    "concat",
    _joined,
    vjps=(lambda xp, g, y, tensors, axis: rule_of(CONCATENATE)(xp, g, y, tensors, whole(axis)), None),
    jvps=(along("concat"), None),
    needs=((),),
    shape="(..., n, ...), (..., m, ...) -> (..., n + m, ...), of a list of tensors",
    samples=lambda rng: [([rng.normal(size=(2, 3)), rng.normal(size=(2, 1))], 1.0)],
)
WHERE_ = tensor(
    "where",
    taking_tensors(lambda xp, test, x, y: xp.where(test, x, y)),
    vjps=WHERE.vjps,
    jvps=WHERE.jvps,
    needs=WHERE.needs,
    shape="all operands broadcast together",
    samples=lambda rng: [
        (rng.normal(size=(2, 3)) > 0.0, rng.normal(size=(2, 3)), 1.5),
        (rng.normal(size=3) > 0.0, rng.normal(size=(2, 3)), rng.normal(size=(2, 1))),
    ],
)

for _name, _record in (
    ("narrow-tensor", NARROW),
    ("expand-tensor", EXPAND),
    ("concat-tensors", CONCAT),
    ("if-tensor", WHERE_),
):
    register(dataclasses.replace(_record, name=_name))
