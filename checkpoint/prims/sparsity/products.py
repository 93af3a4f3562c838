"""Index sets of products of arrays: sums over shared axes, of matrices, vectors and their kin.

A product is written as three lists of labels, those of the axes of both operands and of the result, as einsum
has them. An element of the result depends on the elements of an operand with its labels; not on those that
only meet zeros in an operand which is constant, so the sets of A @ x are those of the nonzero elements of
A.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from checkpoint.prims.sparsity.sets import relation

Labels = tuple[Any, ...]
PRODUCTS = (
    *("np.matmul", "matmul", "py.imatmul/array", "np.dot", "np.vdot", "np.inner", "np.outer"),
    *("np.vecdot", "np.einsum"),
)
LAYER = "(..., n), (m, n), (m,) -> (..., m)"  # as the record of a layer states its shapes
_OF_VECTORS: dict[str, tuple[Labels, Labels, Labels]] = {
    "np.outer": (("i",), ("j",), ("i", "j")),
    **dict.fromkeys(("np.vdot", "np.vecdot"), (("i",), ("i",), ())),
}
MOST_PLACES = 1 << 24  # of a constant operand whose zeros are looked at


def contraction(step: Any) -> Any:
    """Return the sets of the result of a product; None where it is none of two operands."""
    first = 1 if step.name == "np.einsum" else 0
    pair = (first, first + 1)
    shapes = [step.shape(i) if i < len(step.natives) else None for i in pair]
    if None in shapes or len(step.shapes) != 1 or (first and len(step.natives) != 3):
        return None
    if step.name in ("np.outer", "np.vdot"):  # of the elements in a row
        shapes = [(int(np.prod(shape, dtype=np.int64)),) for shape in shapes if shape is not None]
    labels = _labels(step, shapes)
    if labels is None:
        return None
    a, b, out = labels
    first_shape, second_shape = shapes
    assert first_shape is not None
    assert second_shape is not None
    out_shape = step.shapes[0]
    if len(out) != len(out_shape):
        return None
    found, start = None, 0
    for position in step.wanted:
        if position not in pair:  # the biases of a layer
            size = int(np.prod(step.shape(position), dtype=np.int64))
            rows = step.rows[start : start + size]
            part = rows[np.broadcast_to(np.arange(size), out_shape).ravel()]
        else:
            own, other = (a, b) if position == first else (b, a)
            own_shape, other_shape = (first_shape, second_shape)[:: 1 if position == first else -1]
            size = int(np.prod(own_shape, dtype=np.int64))
            rows = step.rows[start : start + size]
            partner = pair[1] if position == first else first
            constant = None if partner in step.wanted else step.natives[partner]
            part = _part(rows, (own, own_shape), (other, other_shape), (out, out_shape), constant)
        start += size
        found = part if found is None else found + part
    return found


def _labels(step: Any, shapes: Sequence[Any]) -> tuple[Labels, Labels, Labels] | None:
    """Return the labels of both operands and of the result."""
    ranks = [len(shape) for shape in shapes]
    name = step.name
    if name == "np.einsum":
        return _of_subscripts(step.natives[0])
    if name in _OF_VECTORS:
        return _OF_VECTORS[name] if ranks == [1, 1] else None
    if 0 in ranks:
        return None
    if name == "np.inner" or step.record.shape == LAYER:
        rows = tuple(range(ranks[0] - 1))
        columns = ("j",) * (ranks[1] - 1)
        return ((*rows, "k"), (*columns, "k"), (*rows, *columns)) if ranks[1] <= 2 else None
    if name == "np.dot" and ranks[1] > 2:
        return None
    return _of_matrices(*ranks)


def _of_matrices(left: int, right: int) -> tuple[Labels, Labels, Labels]:
    """Return the labels of x @ y, whose further axes in front broadcast from the right."""
    many = max(left - 2, right - 2, 0)
    a = (*range(many - max(left - 2, 0), many), *(("k",) if left == 1 else ("i", "k")))
    b = (*range(many - max(right - 2, 0), many), *(("k",) if right == 1 else ("k", "j")))
    return a, b, (*range(many), *(() if left == 1 else ("i",)), *(() if right == 1 else ("j",)))


def _of_subscripts(text: Any) -> tuple[Labels, Labels, Labels] | None:
    if type(text) is not str or "->" not in text or "." in text:
        return None
    operands, _, out = text.replace(" ", "").partition("->")
    a, _, b = operands.partition(",")
    if any(len(set(labels)) < len(labels) for labels in (a, b, out)):
        return None
    return tuple(a), tuple(b), tuple(out)


Axes = tuple[Labels, tuple[int, ...]]


def _part(rows: Any, own: Axes, other: Axes, out: Axes, constant: Any) -> Any:
    """Return the sets that come from one operand. constant: the other operand, where it has no derivative."""
    sizes = dict(zip(*other, strict=True))
    for axes in (own, out):
        for label, size in zip(*axes, strict=True):
            sizes[label] = max(size, sizes.get(label, 1))
    values = getattr(constant, "shape", None) is not None and hasattr(constant, "__array__")
    total = int(np.prod([float(size) for size in sizes.values()]))
    if values and total <= MOST_PLACES and not np.all(np.asarray(constant)):
        order = tuple(sizes)
        counts = tuple(sizes.values())
        meets = np.asarray(constant).ravel()[_places(*other, order, counts)] != 0
        targets, sources = (_places(*axes, order, counts)[meets] for axes in (out, own))
        return relation(targets, sources, (int(np.prod(out[1], dtype=np.int64)), rows.shape[0])) @ rows
    kept = tuple([label for label in own[0] if label in out[0]])
    own_sizes = dict(zip(*own, strict=True))
    counts = tuple([own_sizes[label] for label in kept])  # 1 for an axis that broadcasts
    height = int(np.prod(counts, dtype=np.int64))
    to_kept = _places(kept, counts, *own)
    reduced = relation(to_kept, np.arange(rows.shape[0]), (height, rows.shape[0])) @ rows
    return reduced[_places(kept, counts, *out)]


def _places(labels: Labels, shape: tuple[int, ...], order: Labels, counts: tuple[int, ...]) -> Any:
    """Return, for each place of a grid with axes in this order, the place in an array with these labels."""
    found = np.zeros((1,) * len(order), dtype=np.int64)
    stride = 1
    for label, size in zip(reversed(labels), reversed(shape), strict=True):
        axis = order.index(label)
        steps = np.arange(counts[axis]) * (stride if size > 1 else 0)
        found = found + steps.reshape([-1 if i == axis else 1 for i in range(len(order))])
        stride *= size
    return np.broadcast_to(found, counts).ravel()
