"""Applies functions of arrays to index sets, by a table with a rule for each name of a record.

In: an application as a tape has it (checkpoint.ad.pullbacks), and the sets of the elements of its operands
with a cotangent, as the rows of a matrix. Out: those of its result. A rule returns None for operands that
it does not take; then, and for a function without a rule, each element of the result depends on all of the
operands. A function is linear if its second derivative by those operands is 0 wherever it has one.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from checkpoint.ad.array_library import libraries
from checkpoint.ad.arrays import Array
from checkpoint.ad.pullbacks import NESTS, Like, Pullback, is_number
from checkpoint.prims.batched.rules import BROADCASTING, REDUCTIONS, ROUNDED, UNARY
from checkpoint.prims.sparsity.products import LAYER, PRODUCTS, contraction
from checkpoint.prims.sparsity.sets import empty_rows, part, relation, united

Shape = tuple[int, ...]


class Applied(NamedTuple):
    """The sets of a result.

    rows: a row for each element; None: a function without a rule. is_linear: whether no second derivative is
    left. factors: for a product of two operands element by element the sets of both.
    """

    rows: Any
    is_linear: bool
    factors: tuple[Any, Any] | None = None


class Application:
    """An application, as rules see it.

    rows: the sets of all elements of its operands that have a cotangent, one operand after the other.
    shapes: those of its results, () for reals.
    """

    def __init__(self, pullback: Pullback, rows: Any, results: Sequence[Any]) -> None:
        self.record = pullback.record
        self.name = pullback.record.name.replace("ndarray.", "np.")
        self.natives = pullback.natives
        self.wanted = pullback.wanted
        self.rows = rows
        self.shapes = [tuple(x.data.shape) if type(x) is Array else () for x in results]

    def setting(self, name: str, default: Any = None) -> Any:
        """Return the operand with a parameter's name, or the parameter's default."""
        parameters = list(inspect.signature(self.record.value).parameters.values())[1:]  # type: ignore[attr-defined]
        for i, parameter in enumerate(parameters):
            if parameter.name == name:
                return self.natives[i] if i < len(self.natives) else parameter.default
        return default

    def shape(self, position: int) -> Shape | None:
        """Return the shape of an operand, or of the array that a list stands for; None: for none."""
        return _shape_of(self.natives[position])

    def operands(self) -> list[tuple[Shape, Any]] | None:
        """Return shape and sets of each operand that has a cotangent; None where one stands for no array."""
        found, start = [], 0
        for position in self.wanted:
            shape = self.shape(position)
            if shape is None:
                return None
            size = int(np.prod(shape, dtype=np.int64))
            found.append((shape, part(self.rows, start, size)))
            start += size
        return found if start == self.rows.shape[0] else None  # integers in lists have no rows


def _shape_of(native: Any) -> Shape | None:
    if not isinstance(native, NESTS):
        return tuple(getattr(native, "shape", ()))
    shapes = {_shape_of(part) for part in native}
    inner = shapes.pop() if len(shapes) == 1 else None
    return None if inner is None else (len(native), *inner)


Rule = Callable[[Application], Any]


def applied(pullback: Pullback, rows: Any, results: Sequence[Any]) -> Applied:
    """Return the sets of the results of an application. rows: those of its operands' elements."""
    step = Application(pullback, rows, results)
    rule = _rule(step)
    found = None if rule is None else rule(step)
    is_product = step.name in BILINEAR or rule is contraction
    is_linear = step.name in LINEAR or (is_product and len(step.wanted) == 1)
    is_linear = is_linear or (step.name in LINEAR_IN_FIRST and step.wanted == (0,))
    factors = _factors(step) if step.name in FACTORS and len(step.wanted) == 2 else None
    return Applied(found, is_linear, factors)


def _rule(step: Application) -> Rule | None:
    if step.name in RULES:
        return RULES[step.name]
    shape = getattr(step.record, "shape", "")
    if shape == LAYER:
        return contraction
    return elementwise if shape in BROADCASTING else None


def dense(rows: Any, height: int) -> Any:
    """Return as many rows, each of which is the union of all the given ones."""
    columns = np.unique(rows.indices)
    starts = np.arange(height + 1) * len(columns)
    values = np.ones(height * len(columns), bool)
    return sp.csr_array((values, np.tile(columns, height), starts), shape=(height, rows.shape[1]))


# Element by element


def elementwise(step: Application) -> Any:
    """Let each element depend on those at its place, which operands may have once for many places."""
    spread = _spread(step)
    return None if spread is None else functools.reduce(united, spread)


def _spread(step: Application) -> list[Any] | None:
    """Return the sets of each operand, broadcast to the shape of the result; None: that does not fit."""
    operands = step.operands()
    if operands is None or len(step.shapes) != 1:
        return None
    to = step.shapes[0]
    if any(not _fits(shape, to) for shape, _ in operands):
        return None
    return [_broadcast(rows, shape, to) for shape, rows in operands]


def _fits(shape: Shape, to: Shape) -> bool:
    """Return whether an array of a shape broadcasts to another."""
    pairs = zip(reversed(shape), reversed(to), strict=False)
    return len(shape) <= len(to) and all(n in (1, m) for n, m in pairs)


def _broadcast(rows: Any, shape: Shape, to: Shape) -> Any:
    if shape == to:
        return rows
    places = np.arange(rows.shape[0]).reshape(shape)
    return rows[np.broadcast_to(places, to).ravel()]


def _factors(step: Application) -> tuple[Any, Any] | None:
    spread = _spread(step)
    return None if spread is None else (spread[0], spread[1])


# Functions that move elements


def moving(step: Application) -> Any:
    """Find the origin of each element of the result, by the function's value on positions.

    Position 0 stands for what has no derivative: constants, and new elements. Operands by which the function
    is never differentiated say how elements move, and stay.
    """
    numbering = _Numbering(step.rows.shape[0])
    operands = [
        _setting(native) if step.record.vjp(i) is None else numbering.positions(native, i in step.wanted)
        for i, native in enumerate(step.natives)
    ]
    found = [np.asarray(x) for x in _flat(step.record.value(np, *operands)) if is_number(x)]  # type: ignore[attr-defined]
    if [x.shape for x in found] != step.shapes or any(x.dtype != np.float64 for x in found):
        return None  # a smaller type may have rounded positions
    places = np.concatenate([x.ravel() for x in found]).astype(np.int64)
    if places.all():
        return step.rows[places - 1]
    return sp.vstack([empty_rows(1, step.rows.shape[1]), step.rows], format="csr")[places]


def _setting(native: Any) -> Any:
    """Return an operand without a derivative: of numbers the shape alone counts."""
    if type(native) is Like:
        return np.zeros(native.shape, native.dtype)
    return np.zeros(native.shape) if type(native) in libraries and is_number(native) else native


class _Numbering:
    """Hands out the positions 1, 2, ... to the elements of operands."""

    def __init__(self, count: int) -> None:
        self._left = np.arange(1, count + 1, dtype=np.float64)

    def positions(self, native: Any, is_wanted: bool) -> Any:
        """Return an operand with positions for its elements, 0 for those that are not wanted."""
        if isinstance(native, NESTS):
            parts = [self.positions(part, is_wanted) for part in native]
            return parts if isinstance(native, list) else tuple(parts)
        if type(native) in (int, bool):
            return 0
        if type(native) is not float and type(native) is not Like and type(native) not in libraries:
            return native
        shape = tuple(getattr(native, "shape", ()))
        if not is_wanted or not is_number(native):
            return 0.0 if type(native) is float else np.zeros(shape)
        size = int(np.prod(shape, dtype=np.int64))
        taken, self._left = self._left[:size], self._left[size:]
        return float(taken[0]) if type(native) is float else taken.reshape(shape)


def _flat(native: Any) -> list[Any]:
    return [x for part in native for x in _flat(part)] if isinstance(native, NESTS) else [native]


# Along axes


def _axes(step: Application, rank: int) -> tuple[int, ...] | None:
    """Return the axes that an application names; None: it names them in another way."""
    axis = step.setting("axis")
    if axis is None:
        return tuple(range(rank))
    axes = axis if isinstance(axis, NESTS) else (axis,)
    return tuple([i % rank for i in axes]) if all(type(i) is int for i in axes) else None


def reduction(step: Application) -> Any:
    """Let each element depend on those along the axes that are left out."""
    operands = step.operands()
    if operands is None or len(operands) != 1 or len(step.shapes) != 1:
        return None
    shape, rows = operands[0]
    axes = _axes(step, len(shape))
    if axes is None:
        return None
    kept = tuple([1 if i in axes else n for i, n in enumerate(shape)])
    height = int(np.prod(kept, dtype=np.int64))
    if height != int(np.prod(step.shapes[0], dtype=np.int64)):
        return None
    places = np.broadcast_to(np.arange(height).reshape(kept), shape).ravel()
    return relation(places, np.arange(rows.shape[0]), (height, rows.shape[0])) @ rows


def _along(line: Callable[[Application, int], Any]) -> Rule:
    """Return the rule of a function along one axis. line(step, n): which elements of a line of n it reads."""

    def rule(step: Application) -> Any:
        operands = step.operands()
        if operands is None or len(operands) != 1 or len(step.shapes) != 1:
            return None
        shape, rows = operands[0]
        axis = step.setting("axis")
        if axis is None:
            shape, axis = (rows.shape[0],), 0
        if type(axis) is not int or not shape:
            return None
        axis %= len(shape)
        found = line(step, shape[axis])
        if found is None:
            return None
        sets = _lines(rows, shape, axis, found)
        return sets if sets.shape[0] == np.prod(step.shapes[0], dtype=np.int64) else None

    return rule


def _lines(rows: Any, shape: Shape, axis: int, local: Any) -> Any:
    """Return the sets after a function along an axis. local: which elements of a line it reads for each."""
    before = sp.eye_array(int(np.prod(shape[:axis], dtype=np.int64)), dtype=bool)
    after = sp.eye_array(int(np.prod(shape[axis + 1 :], dtype=np.int64)), dtype=bool)
    return sp.kron(sp.kron(before, local), after, format="csr").astype(bool) @ rows


def _whole_line(step: Application, n: int) -> Any:
    return np.ones((n, n), bool)


def _up_to_here(step: Application, n: int) -> Any:
    return np.tri(n, dtype=bool)


def _differences(step: Application, n: int) -> Any:
    order = step.setting("n")
    if type(order) is not int or not 0 <= order < n:
        return None
    return sp.diags_array([1.0] * (order + 1), offsets=range(order + 1), shape=(n - order, n))


def crossed(step: Application) -> Any:
    """Let each element of a cross product depend on both vectors there."""
    spread = _spread(step)
    axes = [step.setting(name, -1) for name in ("axisa", "axisb", "axisc")]
    others = [shape for i in (0, 1) if (shape := step.shape(i)) is not None and shape[-1:] != (3,)]
    if spread is None or others or axes != [-1, -1, -1] or step.setting("axis") not in (None, -1):
        return None
    found = functools.reduce(united, spread)
    return _lines(found, step.shapes[0], len(step.shapes[0]) - 1, np.ones((3, 3), bool))


def convolution(step: Application) -> Any:
    """Let element k depend on those of both vectors whose places add up to k, shifted as the mode says."""
    shapes = [step.shape(i) for i in (0, 1)]
    if len(step.shapes) != 1 or any(shape is None or len(shape) != 1 for shape in shapes):
        return None
    n, m = [shape[0] for shape in shapes if shape is not None]
    short = min(n, m)
    skipped = {"full": 0, "same": (short - 1) // 2, "valid": short - 1}[step.setting("mode")]
    found, start = None, 0
    for position in step.wanted:
        own, other = (n, m) if position == 0 else (m, n)
        band = sp.diags_array([1.0] * other, offsets=[-k for k in range(other)], shape=(n + m - 1, own))
        local = band.tocsr()[skipped : skipped + step.shapes[0][0]].astype(bool)
        sets = local @ step.rows[start : start + own]
        start += own
        found = sets if found is None else found + sets
    return found


IN_PLACE = tuple([f"py.i{name}/array" for name in ("add", "sub", "mul", "truediv", "mod", "pow")])
POINTWISE = (
    *IN_PLACE,
    *("np.where", "np.angle", "np.float64", "np.float32", "np.float16", "tensorlib.cast", "tensorlib.to"),
    *("tensorlib.moved", "tensorlib.celu", "tensorlib.hardsigmoid", "tensorlib.hardswish"),
    *("tensorlib.hardshrink", "tensorlib.softshrink", "tensorlib.threshold", "np.nan_to_num"),
)
MOVING = (
    *("np.getitem", "py.item-to-change/array", "np.slice", "py.slice-to-change/array", "np.setitem"),
    *(
        "np.put-back",
        "np.set-slice",
        "np.copy",
        "array.copy",
        "np.astype",
        "np.float",
        "array.item",
        "array.tolist",
    ),
    *("np.array", "np.asarray", "tensorlib.as-array", "np.sequence", "np.attribute", "np.reshape"),
    *("array.reshape", "np.ravel", "array.flatten", "np.transpose", "array.transpose", "np.swapaxes"),
    *("np.moveaxis", "np.rollaxis", "np.matrix_transpose", "np.squeeze", "np.expand_dims", "np.flip"),
    *("np.fliplr", "np.flipud", "np.roll", "np.rot90", "np.atleast_1d", "np.atleast_2d", "np.atleast_3d"),
    *("np.concatenate", "np.stack", "np.hstack", "np.vstack", "np.dstack", "np.column_stack", "np.append"),
    *("np.block", "np.split", "np.array_split", "np.hsplit", "np.vsplit", "np.unstack", "np.unpack"),
    *("np.unpack-star", "np.unpack-rest", "np.list-of", "np.tuple-of", "tensorlib.items"),
    "tensorlib.blocks",
    *("tensorlib.joined", "np.broadcast_to", "np.broadcast_arrays", "np.repeat", "np.tile", "np.resize"),
    *("np.take", "np.take_along_axis", "np.compress", "np.extract", "np.delete", "np.insert", "np.tril"),
    *("np.triu", "np.diag", "np.diagflat", "np.diagonal", "np.full", "np.full_like", "np.pad"),
    *("np.fill_diagonal", "np.copyto", "np.put_along_axis", "np.meshgrid"),
)
LINES = ("tensorlib.special.softmax", "tensorlib.special.log_softmax", "np.sort")
RULES: dict[str, Rule] = {
    **dict.fromkeys((*UNARY, *ROUNDED, *POINTWISE), elementwise),
    **dict.fromkeys(REDUCTIONS, reduction),
    **dict.fromkeys(MOVING, moving),
    **dict.fromkeys(LINES, _along(_whole_line)),
    **dict.fromkeys(("np.cumsum", "np.cumprod"), _along(_up_to_here)),
    "np.diff": _along(_differences),
    "np.convolve": convolution,
    **dict.fromkeys(("np.cross", "np.linalg.cross"), crossed),
    **dict.fromkeys(PRODUCTS, contraction),
}
LINEAR = frozenset(
    (
        *MOVING,
        *("np.add", "np.subtract", "np.negative", "np.positive", "py.iadd/array", "py.isub/array"),
        *("np.sum", "np.mean", "np.cumsum", "np.diff", "np.where", "np.rad2deg", "np.deg2rad"),
        # linear wherever they have a derivative
        *("np.absolute", "np.fabs", "np.maximum", "np.minimum", "np.clip", "np.max", "np.min", "np.sort"),
        *("py.abs/array", "np.fmax", "np.fmin", "np.median", "np.ptp", "tensorlib.relu", *ROUNDED),
    )
)
FACTORS = frozenset(("np.multiply", "py.imul/array"))
LINEAR_IN_FIRST = frozenset(
    ("np.divide", "py.itruediv/array", "tensorlib.quotient", "tensorlib.leaky_relu", "tensorlib.hardtanh")
)
BILINEAR = FACTORS | frozenset(("np.cross", "np.linalg.cross", "np.convolve"))
