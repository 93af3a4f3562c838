"""Arrays as Python objects: attributes, length, truth, rows in a loop."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from checkpoint.ad.array_library import dtype_kind, library_of, namespace_of, zeros_beside
from checkpoint.errors import RunError, refusal
from checkpoint.prims.arrays import methods, tensor
from tensorlib.layout.moving import call, linear, matrices, shape_of, viewed, with_options
from tensorlib.rules import discrete

# Attributes

_PLAIN = ("shape", "dtype", "ndim", "size", "itemsize", "nbytes")
_INSTEAD = {
    "data": "use the array itself",
    "strides": "use x.shape",
    "base": "use the array itself",
    "flags": "leave it out",
    "ctypes": "do what needs it outside of the function",
}
_METHODS_INSTEAD = {
    "compress": "write np.compress(condition, x)",
    "put": "write np.put(x, places, values)",
    "resize": "write x = np.resize(x, shape), which repeats the elements where it has to",
    "view": "use the array itself; write x.astype(dtype) for elements of another type",
}
_METHOD = (
    "write it with functions that have one (tensorlib/README.md lists them), or make it a step of its own, "
    "checkpoint.primitive"
)


def _attribute(xp: Any, x: Any, name: str) -> Any:
    if name == "shape":
        return tuple([int(n) for n in x.shape])
    if name in _PLAIN:
        return getattr(x, name)
    if name in ("T", "mT", "real", "imag"):
        found = getattr(x, name)
        is_new = name == "imag" and dtype_kind(x.dtype) != "c" and hasattr(x, "__setitem__")
        return xp.array(found) if is_new else viewed(found, x)
    if name == "flat":
        return x.reshape(-1)
    library = library_of(x)
    if name in library.facts:
        return getattr(x, name)
    instead = library.instead.get(name)
    if instead is not None:
        raise RunError(f"{name} of a tensor has no meaning in a differentiated function: {instead}")
    if name in _INSTEAD:
        raise RunError(f"the attribute {name} of an array has no rule here: {_INSTEAD[name]}")
    if not hasattr(x, name):
        getattr(x, name)  # Python's own error
    if name not in methods:
        raise refusal(f"the method {name} of arrays has no rule here: {_METHODS_INSTEAD.get(name, _METHOD)}")
    raise RunError(
        f"the attribute {name} of an array cannot be used as a value here: call it where it stands, "
        f"x.{name}(...)"
    )


def _attribute_vjp(xp: Any, g: Any, y: Any, x: Any, name: str) -> Any:
    if name == "T":
        return g.T
    if name == "mT":
        return xp.swapaxes(g, -1, -2)
    if name == "flat":
        return g.reshape(x.shape)
    is_complex = dtype_kind(x.dtype) == "c"
    if name == "imag":
        return g * -1j if is_complex else zeros_beside(g, x.shape, x.dtype)
    return g


ATTRIBUTE = linear(
    "np.attribute",
    _attribute,
    _attribute_vjp,
    views=True,
    overloads=("py.attribute",),
    shape="x.shape, x.T, ...",
    samples=lambda rng: [
        *with_options(
            ("T",), ("shape",), ("dtype",), ("ndim",), ("size",), ("real",), ("imag",), ("nbytes",)
        )(rng),
        (rng.normal(size=(2, 3, 4)), "mT"),
        (rng.normal(size=(2, 3)), "flat"),
        (rng.normal(size=(2, 3)).T, "flat"),
    ],
)


def _fact(name: str, function: Any, value: Any, operands: int = 1, **fields: Any) -> Any:
    return discrete(
        name,
        value,
        operands,
        implements=() if function is None else (function,),
        shape="no array",
        samples=fields.pop("samples", matrices),
        **fields,
    )


SHAPE = _fact("np.shape", np.shape, lambda xp, a: shape_of(xp.asarray(a)))
NDIM = _fact("np.ndim", np.ndim, lambda xp, a: int(xp.ndim(a)))
SIZE = _fact("np.size", np.size, lambda xp, a, axis=None: int(xp.size(a, axis)), 2)
ISSCALAR = _fact("np.isscalar", np.isscalar, lambda xp, element: bool(xp.isscalar(element)))
ISCOMPLEXOBJ = _fact("np.iscomplexobj", np.iscomplexobj, lambda xp, x: bool(xp.iscomplexobj(x)))
ISREALOBJ = _fact("np.isrealobj", np.isrealobj, lambda xp, x: bool(xp.isrealobj(x)))
RESULT_TYPE = discrete(
    "np.result_type",
    lambda xp, *arrays_and_dtypes: xp.result_type(*arrays_and_dtypes),
    variadic=True,
    implements=(np.result_type,),
    shape="no array",
    samples=lambda rng: [(rng.normal(size=2), 1.0)],
)
BROADCAST_SHAPES = discrete(
    "np.broadcast_shapes",
    lambda xp, *args: tuple(xp.broadcast_shapes(*args)),
    variadic=True,
    implements=(np.broadcast_shapes,),
    shape="no array",
    samples=lambda rng: [((2, 1), (3,))],
)


def _scalars(rng: Any) -> list[tuple[Any, ...]]:
    return [(rng.normal(size=()),), (np.float64(2.5),), (np.array(3),), (np.array(True),)]


LEN = _fact("np.len", None, lambda xp, x: len(x), overloads=("py.len",), samples=with_options((), low=1))
TRUTH = _fact("np.truth", None, lambda xp, x: bool(x), overloads=("py.truth",), samples=_scalars)
NOT = _fact("np.not", None, lambda xp, x: not x, overloads=("py.not",), samples=_scalars)
INT = _fact(
    "np.int", None, lambda xp, x, *base: int(x, *base), variadic=True, overloads=("py.int",), samples=_scalars
)
INDEX = _fact(
    "np.index",
    None,
    lambda xp, x: operator.index(x),
    overloads=("py.index",),
    samples=lambda rng: [(np.int64(3),), (np.array(3),)],
)
CONTAINS = _fact(
    "np.contains",
    None,
    lambda xp, x, v: bool(v in x),
    2,
    overloads=("py.contains",),
    of_first=True,
    samples=lambda rng: [(np.arange(3), 2), (np.arange(3), 5)],
)

# Rows


def _sequence(xp: Any, x: Any) -> Any:
    if not x.ndim:
        raise TypeError("iteration over a 0-d array")
    return x[...]


SEQUENCE = linear(
    "np.sequence",
    _sequence,
    lambda xp, g, y, x: g,
    views=True,
    overloads=("py.sequence", "py.reversible"),
    shape="that of the array",
    samples=with_options((), low=1),
)


def _rows_vjp(xp: Any, g: Any, y: Any, x: Any, *rest: Any) -> Any:
    return xp.stack(list(g)) if len(g) else zeros_beside(g, x.shape, x.dtype)


LIST_OF = linear(
    "np.list-of",
    lambda xp, x: list(x),
    _rows_vjp,
    views=True,
    overloads=("py.list-of", "py.list-of-star"),
    shape="(n, ...) -> n times (...)",
    samples=with_options((), low=1),
)
TUPLE_OF = linear(
    "np.tuple-of",
    lambda xp, x: tuple(x),
    _rows_vjp,
    views=True,
    overloads=("py.tuple-of", "py.tuple-of-star"),
    shape="(n, ...) -> n times (...)",
    samples=with_options((), low=1),
)


def _unpack(xp: Any, x: Any, n: int) -> Any:
    if not x.ndim:
        raise TypeError("iteration over a 0-d array")
    if len(x) < n:
        raise ValueError(f"not enough values to unpack (expected {n}, got {len(x)})")
    if len(x) > n:
        raise ValueError(f"too many values to unpack (expected {n})")
    return tuple(x)


UNPACK = linear(
    "np.unpack",
    _unpack,
    _rows_vjp,
    views=True,
    overloads=("py.unpack",),
    shape="(n, ...) -> n times (...)",
    samples=lambda rng: [(rng.normal(size=3), 3), (rng.normal(size=(2, 3)), 2)],
)


def _enough(x: Any, before: int, after: int) -> None:
    if not x.ndim:
        raise TypeError("iteration over a 0-d array")
    if len(x) < before + after:
        raise ValueError(f"not enough values to unpack (expected at least {before + after}, got {len(x)})")


def _unpack_star(xp: Any, x: Any, before: int, after: int) -> Any:
    _enough(x, before, after)
    return (*x[:before], *x[len(x) - after :])


def _unpack_star_vjp(xp: Any, g: Any, y: Any, x: Any, before: int, after: int) -> Any:
    whole = zeros_beside(g[0] if len(g) else None, x.shape, x.dtype)
    for i, part in enumerate(g):
        whole[i if i < before else i - before - after] = part
    return whole


UNPACK_STAR = linear(
    "np.unpack-star",
    _unpack_star,
    _unpack_star_vjp,
    views=True,
    overloads=("py.unpack-star",),
    shape="(n, ...) -> the first and the last rows",
    samples=lambda rng: [(rng.normal(size=5), 1, 2), (rng.normal(size=(3, 2)), 2, 0)],
)


def _unpack_rest(xp: Any, x: Any, before: int, after: int) -> Any:
    _enough(x, before, after)
    return list(x[before : len(x) - after])


def _unpack_rest_vjp(xp: Any, g: Any, y: Any, x: Any, before: int, after: int) -> Any:
    whole = zeros_beside(g[0] if len(g) else None, x.shape, x.dtype)
    if len(g):
        whole[before : before + len(g)] = xp.stack(list(g))
    return whole


UNPACK_REST = linear(
    "np.unpack-rest",
    _unpack_rest,
    _unpack_rest_vjp,
    views=True,
    overloads=("py.unpack-rest",),
    shape="(n, ...) -> the rows between the first and the last",
    samples=lambda rng: [
        (rng.normal(size=5), 1, 2),
        (rng.normal(size=(3, 2)), 1, 0),
        (rng.normal(size=2), 1, 1),
    ],
)

# As Python's own numbers


def _item_vjp(xp: Any, g: Any, y: Any, x: Any, *index: Any) -> Any:
    whole = zeros_beside(x, x.shape, x.dtype)
    if len(index) == 1 and not isinstance(index[0], tuple):
        whole.reshape(-1)[index[0]] = g
    else:
        whole[index[0] if len(index) == 1 else index or ...] = g
    return whole


def _item(xp: Any, a: Any, *args: Any) -> Any:
    if dtype_kind(a.dtype) == "c":
        raise refusal("item() of an array of complex numbers: write complex(a[i])")
    return a.item(*args)


ITEM = tensor(
    "array.item",
    _item,
    vjps=(_item_vjp, None),
    jvps=(lambda t, y, x, *index: call("array.item", t, *index), None),
    # The indices may be np.int64; a float tells neither the library nor the device of its cotangent.
    needs=((0, 1, 2, 3, 4, 5, 6, 7, 8),),
    methods=("item",),
    shape="one element -> a number of Python's",
    samples=lambda rng: [
        (rng.normal(size=()),),
        (rng.normal(size=(1, 1)),),
        (rng.normal(size=(2, 3)), 4),
        (rng.normal(size=(2, 3)), 1, -1),
        (rng.normal(size=(2, 3)), (1, 0)),
        (rng.normal(size=3), np.int64(1)),
        (rng.normal(size=(2, 3)), np.int64(1), np.int64(0)),
    ],
)


def _tolist_vjp(xp: Any, g: Any, y: Any, x: Any) -> Any:
    whole = zeros_beside(x, x.shape, x.dtype)
    whole[...] = namespace_of(x).asarray(g, x.dtype).reshape(x.shape)
    return whole


def _tolist(xp: Any, a: Any) -> Any:
    if dtype_kind(a.dtype) == "c":
        raise refusal("tolist() of an array of complex numbers: write [complex(z) for z in a]")
    return a.tolist()


TOLIST = linear(
    "array.tolist",
    _tolist,
    _tolist_vjp,
    needs=((0,),),
    methods=("tolist",),
    shape="(n, ...) -> a nested list of Python's numbers",
    samples=lambda rng: [
        (rng.normal(size=3),),
        (rng.normal(size=()),),
        (rng.normal(size=(2, 3)),),
        (np.arange(3),),
    ],
)
