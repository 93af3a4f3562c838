"""What programs ask of arrays and functions: dtypes, orders in memory, identity, arrays of None."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.arrays.corpus import Example


def as_asked(x: Any, dtype: Any = np.float64, order: Any = None, copy: Any = None) -> Any:
    return np.asarray(x, dtype=dtype, order=order, copy=copy)


def orders(x: Any) -> Any:
    """The order of elements in memory, known when the program runs; sums add in that order."""
    found = 0.0
    for order in (None, "K", "C", "F"):
        found = found + as_asked(x, order=order).sum() + np.array(x.T, order=order, copy=True).sum()
    whole = np.zeros((2, 3), float, "F")
    whole[0] = x[0]
    like = np.full_like(whole, x[0, 1], order="C", subok=True)
    return found, np.ascontiguousarray(x.T).sum(), x.copy("F").sum(), whole.sum() + like.sum()


def copies(x: Any) -> Any:
    """Copies that are changed leave the array alone."""
    other = as_asked(x, copy=True)
    other[0, 0] = 3.0 * x[0, 1]
    return other, np.array(x, ndmin=3, copy=False).shape, x.astype(float, order="F", copy=True) * x


def dtypes(x: Any) -> Any:
    """np.dtype, what a dtype says, and dtypes as values."""
    d: Any = np.dtype(float)
    total: Any = np.zeros(3, dtype=d)
    total += x[0]
    assert total.dtype.kind == "f"
    assert total.dtype.itemsize == 8
    assert total.dtype.type is np.float64
    assert total.dtype.name == str(d) == "float64"
    assert np.issubdtype(total.dtype.type, np.floating)
    assert np.dtype("int32").char == "i"
    return total * np.finfo(d).nmant


def first_kept(x: Any) -> Any:
    """The index of an element that NumPy found, in `item`."""
    return x[0].item(np.argmin(np.abs(x[0]))) * x.item(np.int64(1), 0)


class Filter:
    """A class with an array of None, as a measurement that is not there yet."""

    def __init__(self, x: Any, residual: Callable[..., Any] = np.subtract) -> None:
        self.x = x
        self.z = np.array([[None] * 2]).T
        self.residual = residual

    def innovation(self, z: Any) -> Any:
        if self.residual is np.subtract or self.residual is None:
            return z - self.x
        if self.residual is scaled:
            return self.residual(z, self.x) * 2.0
        return self.residual(z, self.x)


def scaled(z: Any, x: Any, by: float = 3.0) -> Any:
    return (z - x) * by


def functions(x: Any) -> Any:
    """Functions that are compared by identity: NumPy's, the module's own, those of the program."""
    given: list[Any] = [np.subtract, None, scaled, np.add, lambda z, y: z * y]
    found = [Filter(x[0], residual).innovation(x[1]) for residual in given]
    return found, scaled in given, np.multiply in given, Filter(x).z.shape


def texts(x: Any) -> Any:
    """Arrays of texts are held as they are."""
    names = np.array(["a", "b"])
    return x * len(names), names.shape, names.dtype.kind, str(names[1])


def sets_of_elements(x: Any) -> Any:
    """Sets of the elements of arrays."""
    found = set(np.unique(np.round(x)))
    return found <= {-1, 0, 1, 2}, len(found), x[0] if 1 in set(np.sign(x[0])) else x[1]


def same_array(x: Any) -> Any:
    """Arrays that are compared by identity."""
    y, z = x, x * 1.0
    return (y * 2.0 if y is x else y), z is x, z is not y, x.T is z


X = np.array([[0.7, -1.3, 0.31], [2.2, 0.4, 1.7]])


def dtypes_as_classes(x: Any) -> Any:
    """Dtypes are compared with Python's classes of numbers."""
    n, single = np.arange(3), x.astype(np.float32)
    print(
        x.dtype == float,
        n.dtype == int,
        (x > 0).dtype == bool,
        single.dtype == float,
        x.dtype in (int, float),
    )
    print(x.dtype != float, float == x.dtype, x.dtype is float, (x * 1j).dtype == complex)
    return x * 2.0 if x.dtype == float else x


EXAMPLES = [
    Example(dtypes_as_classes, (X,)),
    Example(orders, (X,)),
    Example(copies, (X,)),
    Example(dtypes, (X,)),
    Example(first_kept, (X,)),
    Example(functions, (X,)),
    Example(texts, (X,)),
    Example(sets_of_elements, (X,)),
    Example(same_array, (X,)),
]
