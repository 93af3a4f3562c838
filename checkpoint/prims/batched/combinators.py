"""The steps of the combinators over arrays (checkpoint/lang/python/library/combinators.py).

(py.item-count nest name)     how many items lie along the first axes of a nest's leaves, alike in all
(py.neutral value name why)   what is combined of no items; ValueError where it is None
(py.as-items nest leaves)     the item of a nest that has these leaves: reals where items are reals
(py.leaves-like-items x nest) the leaves of x, which has a nest's structure, and items of their shapes and
                              dtypes; TypeError if not
(py.procedure op n)           the procedure that a function has for n arguments
(py.operator-kind op items)   "add", "max" or "min" where op is x + y, np.maximum or np.minimum, and items
                              are one array of numbers, else None
(py.item-formula op nests whose)
                              (text like n): the formula of op on items of nests, a nest of zeros like what it
                              returns, and how many captured reals it reads (item_formulas.py); None: it has
                              none, or the nests other items; whose: of which combinator
                              (checkpoint/lang/lanes.py)
(py.shared-reals op nests)    the captured reals that the formula reads
(py.exact-form op)            the batched form of a procedure that has each lane's own bits; None: it has none
(py.as-lanes nest leaves)     a nest of what all lanes have, of these leaves
(py.leaves-of-lanes x nest leaves)
                              the leaves of what a batched form has returned, like other leaves of a nest
(py.index-plan indices bins n values)
                              (levels used unused m): how n values are combined by their indices: `plan`;
                              places are arrays of the library of the values
(py.tests value name)         the booleans that a test has returned; TypeError for what are none
(py.no-tests nest)            booleans for no items
(py.check-associative op f x) ValueError where f(x), a pair of combinations of the same items, has parts that
                              differ; f runs only under CHECKPOINT_CHECK=1, within this one step, so that the
                              switch changes no count of steps
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from checkpoint.ad.array_library import dtype_kind, is_default, namespace_of
from checkpoint.ad.arrays import Discrete
from checkpoint.ad.containers import TUPLE, List, Record
from checkpoint.ad.graph import enter, renew
from checkpoint.ad.numbers import fresh, real_part
from checkpoint.ad.values import Closure, Pair
from checkpoint.config import current
from checkpoint.driver.raised import Raised
from checkpoint.errors import RunError, SourceError
from checkpoint.lang.core import Prim, Var
from checkpoint.lang.lanes import MAP
from checkpoint.prims.aside import constant, silent
from checkpoint.prims.batched.item_formulas import ItemFormula, item_formula
from checkpoint.prims.batched.program import NoForm
from checkpoint.prims.batched.steps import batch_of, batched, batched_results
from checkpoint.prims.batched.values import applied, places
from checkpoint.prims.lane_values import in_words, is_array, shape_of
from checkpoint.prims.lanes import apart
from checkpoint.prims.python.support import operator, rearrange
from checkpoint.prims.sums import leaves_of, of_leaves

_KINDS = {"py.add": "add", "np.add": "add", "np.maximum": "max", "np.minimum": "min"}
_CLOSE = 1e-6  # how far two combinations of the same items may differ, beside their size


def _item_count(_: Any, nest: Any, name: str) -> int:
    found = list(leaves_of(nest, nest))
    for leaf in found:
        if not is_array(leaf) or not shape_of(leaf):
            raise TypeError(
                f"{name} takes arrays whose items lie along the first axis, or nests of these, "
                f"not {in_words(leaf)}"
            )
    counts = {shape_of(leaf)[0] for leaf in found}
    if len(counts) != 1:
        shown = ", ".join(map(str, sorted(counts))) or "no arrays"
        raise ValueError(f"{name} takes arrays with one number of items, not {shown}")
    return counts.pop()


def _neutral(_: Any, value: Any, name: str, why: str) -> Any:
    if value is None:
        raise ValueError(f"{name} has no items: {why}")
    return renew(value)


def _as_items(_: Any, nest: Any, leaves: Any) -> Any:
    found = [
        applied("np.float", part) if _is_of_reals(leaf) and is_array(part) else fresh(part)
        for part, leaf in zip(leaves.items, leaves_of(nest, nest), strict=True)
    ]
    return of_leaves(nest, List(found))


def _is_of_reals(leaf: Any) -> bool:
    """Return whether the items of an array are reals, as lanes have them."""
    data = real_part(leaf).data
    return len(data.shape) == 1 and dtype_kind(data.dtype) == "f" and data.dtype.itemsize == 8


def _leaves_like_items(_: Any, value: Any, nest: Any) -> List:
    return _checked(_same_structure(value, nest))


def _checked(pairs: Iterable[tuple[Any, Any]]) -> List:
    """Return the first of each pair of leaves; TypeError where the second has other items."""
    found = list(pairs)
    for x, like in found:
        own, other = real_part(x).data, real_part(like).data
        if (tuple(own.shape[1:]), own.dtype) != (tuple(other.shape[1:]), other.dtype):
            raise TypeError(
                f"items of {in_words(like)} are combined to {in_words(x)}: shapes and dtypes must be the same"
            )
    return List([fresh(x) for x, _ in found])


def _same_structure(value: Any, nest: Any) -> Any:
    """Return pairs of the leaves of two nests."""
    return zip(leaves_of(value, nest, _UNLIKE), leaves_of(nest, nest), strict=True)


_UNLIKE = "{} and {} are not alike: an operator returns the structure of its operands"


def _procedure(_: Any, op: Any, count: int) -> Any:
    """Return the procedure of a function for so many arguments that are passed by position."""
    at = op.layout.index.get(str(count)) if type(op) is Record else None
    return renew(op if at is None else op.items[at])


def _operator_kind(_: Any, op: Any, items: Any) -> str | None:
    body = op.lam.body if type(op) is Closure else None
    if type(body) is not Prim or not is_array(items) or dtype_kind(real_part(items).data.dtype) == "b":
        return None
    given = tuple([x.name for x in body.args if type(x) is Var])
    return _KINDS.get(body.op) if given == op.lam.params and len(body.args) == 2 else None


# Levels


def _item_formula(_: Any, op: Any, nests: Any, whose: int) -> Record | None:
    found = _formula_of(op, nests)
    if found is None or (whose != MAP and not _is_alike(found.like, nests.items[0])):
        return None  # the lanes one by one raise what is raised
    return Record(TUPLE, (found.text, renew(found.like), len(found.shared)))


def _formula_of(op: Any, nests: Any) -> ItemFormula | None:
    if not all(_is_of_reals(leaf) for nest in nests.items for leaf in leaves_of(nest, nest)):
        return None
    return item_formula(_procedure(None, op, len(nests.items)), nests.items)


def _shared_reals(_: Any, op: Any, nests: Any) -> List:
    found = _formula_of(op, nests)
    return List([] if found is None else list(map(fresh, found.shared)))


def _is_alike(value: Any, nest: Any) -> bool:
    """Return whether a nest has the structure of another."""
    try:
        return bool(list(leaves_of(value, nest)))
    except TypeError:
        return False


def _exact_form(context: Any, op: Any) -> Closure | None:
    try:
        return batched(context, apart(op), exact=True)
    except (NoForm, RunError, SourceError):
        return None


def _as_lanes(_: Any, nest: Any, leaves: Any) -> Any:
    return apart(of_leaves(nest, List([batch_of(leaf, 0) for leaf in leaves.items])))


def _leaves_of_lanes(context: Any, found: Any, nest: Any, leaves: Any) -> List:
    first = leaves.items[0]
    arrays = Record(TUPLE, (Record(TUPLE, (first, 0)),))
    value = batched_results(context, arrays, shape_of(first)[0], found, 0)
    return _checked(zip(leaves_of(value, nest, _UNLIKE), leaves.items, strict=True))


# Values by their indices


def _index_plan(_: Any, indices: Any, bins: int, count: int, values: Any) -> Record:
    import numpy as np  # noqa: PLC0415  (whoever has arrays has it)

    if type(indices) is not Discrete or dtype_kind(indices.data.dtype) not in "iu":
        raise TypeError(f"indices are an array of integers, not {in_words(indices)}")
    data = indices.data
    at = np.asarray(data if is_default(data) else data.tolist())
    if at.shape != (count,):
        raise ValueError(f"there are indices of shape {at.shape} for {count} values")
    wrong = np.flatnonzero((at < -bins) | (at >= bins))
    if len(wrong):
        raise IndexError(f"index {at[wrong[0]]} is out of bounds for {bins} items")
    at = at.astype(np.int64)  # short ones may not reach as far as there are bins
    levels, used = plan(np.where(at < 0, at + bins, at), bins)
    unused = np.flatnonzero(np.bincount(used, minlength=bins) == 0)
    xp = namespace_of(real_part(next(leaves_of(values, values))).data)

    def own(at: Any) -> Any:
        return places(xp.asarray(at))

    return _tuple(tuple([_level(level, own) for level in levels]), own(used), own(unused), len(used))


def _tuple(*items: Any) -> Record:
    return Record(TUPLE, tuple([_tuple(*item) if type(item) is tuple else item for item in items]))


def _level(level: tuple[Any, ...], own: Callable[[Any], Any]) -> tuple[Any, ...]:
    at, next_at, left, done_at = level
    return tuple(map(own, at)), tuple(map(own, next_at)), left, own(done_at)


def _by_index(at: Any) -> Any:
    """Return the places of natural numbers in their order, those of equal ones as they stand.

    NumPy sorts numbers of 16 bits by counting, some 7 times as fast as longer ones: digits of that length are
    sorted by turns, the last one first.
    """
    import numpy as np  # noqa: PLC0415  (it is loaded)

    order = np.argsort(at.astype(np.uint16), kind="stable")
    rest = at >> 16
    while rest.any():
        order = order[np.argsort(rest[order].astype(np.uint16), kind="stable")]
        rest = rest >> 16
    return order


def plan(at: Any, bins: int) -> tuple[list[tuple[Any, ...]], Any]:
    """Return how the values of each index are combined, level by level, and the indices that have values.

    A level is (left, right, rest, done): the places of those that are combined, of those that wait for the
    next level, and of those that are alone of their index; (places of the combined, of those that wait) in
    the next level, how many these are, and for those that are alone the place among the indices.
    """
    import numpy as np  # noqa: PLC0415  (it is loaded)

    order = _by_index(at)
    counts = np.bincount(at, minlength=bins)
    used = np.flatnonzero(counts)
    counts, owners = counts[used], np.arange(len(used))
    levels = []
    while len(counts):
        starts = np.cumsum(counts) - counts
        alone = counts == 1
        done, done_at = order[starts[alone]], owners[alone]
        starts, counts, owners = starts[~alone], counts[~alone], owners[~alone]
        pairs, is_odd = counts // 2, counts % 2 == 1
        nth = np.arange(pairs.sum()) - np.repeat(np.cumsum(pairs) - pairs, pairs)
        left = np.repeat(starts, pairs) + 2 * nth
        rest = (starts + counts - 1)[is_odd]
        counts = pairs + is_odd
        following = np.cumsum(counts) - counts
        next_at = np.repeat(following, pairs) + nth, (following + pairs)[is_odd]
        left_over = int(counts.sum())
        levels.append(((order[left], order[left + 1], order[rest], done), next_at, left_over, done_at))
        order = np.arange(left_over)
    return levels, used


# Tests


def _tests(_: Any, value: Any, name: str) -> Any:
    if type(value) is not Discrete or dtype_kind(value.data.dtype) != "b" or len(value.data.shape) != 1:
        raise TypeError(
            f"{name} takes a function that returns one boolean for an item, not {in_words(value)}"
        )
    return value


def _no_tests(_: Any, nest: Any) -> Any:
    import numpy as np  # noqa: PLC0415  (it is loaded)

    return places(np.zeros(0, bool))


def _check_associative(context: Any, op: Any, f: Any, items: Any) -> None:
    if not current().check:
        return
    import numpy as np  # noqa: PLC0415  (it is loaded)

    inner = silent(context)
    u = constant(enter(Pair(_procedure(None, f, 1), items)))
    try:
        end = inner.engine.advance(inner.engine.start(0, u, inner.tags), None, inner.effects)
    except Raised:
        return  # the operator fails on these items, which is for the run to report, with its place
    left, right = end.value.items
    for x, y in _same_structure(left, right):
        a, b = (np.asarray(real_part(part).data) for part in (x, y))
        if not np.allclose(a.astype(complex), b.astype(complex), rtol=_CLOSE, atol=_CLOSE, equal_nan=True):
            name = (op.lam.name if type(op) is Closure else None) or "the operator"
            raise ValueError(
                f"{name} is not associative: of the first three items (a b) c is {a[0]}, and a (b c) is "
                f"{b[0]}; combined in another order, items would have another value"
            )


rearrange("item-count", 2, "how many items a nest has", _item_count, discrete=True)
operator("neutral", 3, "what is combined of no items", _neutral, "that of the value")
operator("as-items", 2, "the item of a nest that has these leaves", _as_items, "that of the leaves")
operator(
    "leaves-like-items",
    2,
    "the leaves of a nest whose items are like those of another",
    _leaves_like_items,
    "that of the leaves",
)
operator("procedure", 2, "the procedure for so many arguments", _procedure, "that of the copies")
rearrange("operator-kind", 2, "which of the known operators it is, or None", _operator_kind, discrete=True)
rearrange("item-formula", 3, "the formula of f on items, or None", _item_formula, discrete=True)
operator("shared-reals", 2, "the captured reals that a formula reads", _shared_reals, "that of the copies")
operator("exact-form", 1, "the batched form with each lane's own bits", _exact_form, "that of the copies")
operator("as-lanes", 2, "what all lanes have, of these leaves", _as_lanes, "that of the copies")
operator(
    "leaves-of-lanes", 3, "the leaves of a batched form's result", _leaves_of_lanes, "that of the leaves"
)
operator("index-plan", 4, "how values are combined by their indices", _index_plan, "none: it has indices")
rearrange("tests", 2, "the booleans that a test has returned", _tests, discrete=True)
rearrange("no-tests", 1, "booleans for no items", _no_tests, discrete=True)
operator(
    "check-associative",
    3,
    "fails if the values of two orders differ",
    _check_associative,
    "none: it gives None",
)
