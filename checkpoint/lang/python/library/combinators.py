"""Combinators over arrays for use within a program: map, reduce, scan and those that go by indices and tests.

In: a function of the program and nests (arrays, or tuples, lists, dicts and objects of arrays) whose items
lie along the first axis. Out: nests. What always holds: which items are combined with which is a tree of
indices, of their number alone. The items of one level are combined at once, by the batched form of the
operator that has each item's own bits, or where it has none by the lanes of `vmap`. So values are those of a
loop over the tree, and steps, bits and derivatives do not depend on the engine.

    reduce             of n items the left part has the greatest power of two below n
    scan               of the first n items: parts of descending powers of two, combined from the left
    reduce_by_index    the tree of `reduce` over the values of each index, in their order

Levels work on lists of leaves (prims/batched/combinators.py); the pairs of a level are taken apart by a step
for each leaf.
"""

from __future__ import annotations

from typing import Any

from checkpoint.lang.lanes import FILTER, MAP, PARTITION, REDUCE, REDUCE_BY_INDEX, SCAN
from checkpoint.lang.python.library.intrinsics import prim
from checkpoint.lang.python.library.lanes import exactly_together, one_by_one


def map(f: Any, *nests: Any) -> Any:
    """See checkpoint.arrays.map."""
    if prim("py.item-count", nests, "map") == 0:
        return prim("py.neutral", None, "map", "what f returns cannot be known without one")
    formula = prim("py.item-formula", f, nests, MAP)
    if formula is not None:
        shared = _shared(f, nests, formula)
        try:
            found = prim("tensorlib.mapped", formula[0], prim("py.leaves", nests), shared)
            return prim("py.of-leaves", formula[1], found)
        except Exception:
            pass  # as in `_over`
    return one_by_one(f, 0, 0, (MAP, 0, 1))(*nests)


def map_by(f: Any, count: int) -> Any:
    """Return a function of so many nests that maps f over them; None: of too many.

    None of them has a star, whose tuple would be a step of its own that plans do not know.
    """

    def one(x: Any) -> Any:
        return map(f, x)

    def two(x: Any, y: Any) -> Any:
        return map(f, x, y)

    def three(x: Any, y: Any, z: Any) -> Any:
        return map(f, x, y, z)

    return {1: one, 2: two, 3: three}.get(count)


def _shared(f: Any, nests: Any, formula: Any) -> Any:
    """Return the captured reals that a formula reads."""
    return [] if formula[2] == 0 else prim("py.shared-reals", f, nests)


def reduce(op: Any, items: Any, neutral: Any = None) -> Any:
    """See checkpoint.arrays.reduce."""
    op = prim("py.procedure", op, 2)
    count = prim("py.item-count", items, "reduce")
    if count == 0:
        return prim("py.neutral", neutral, "reduce", "pass neutral=, what it is to return then")
    _check(op, items, count)
    leaves = prim("py.leaves", items)
    kind = prim("py.operator-kind", op, items)
    if kind is not None:
        return prim("py.as-items", items, [_reduced_leaf(kind, leaf) for leaf in leaves])
    return prim(
        "py.as-items", items, [prim("np.getitem", leaf, 0) for leaf in _one(op, items, leaves, count)]
    )


def _one(op: Any, items: Any, leaves: Any, count: Any) -> Any:
    """Return the leaves of one item, all of them combined: in one step where the operator has a formula."""
    formula = prim("py.item-formula", op, (items, items), REDUCE)
    if formula is not None:
        shared = _shared(op, (items, items), formula)
        try:
            return prim("tensorlib.reduced", formula[0], leaves, shared)
        except Exception:
            pass  # as in `_over`
    return _reduced(_combiner(op, items, formula), items, leaves, count)


def _reduced(combined: Any, like: Any, leaves: Any, count: Any) -> Any:
    """Return the leaves of one item: all of them, combined level by level."""
    rest: Any = None
    width = 1  # how many of the items each has that is left
    while count > 1:
        parts = [prim("tensorlib.paired", leaf) for leaf in leaves]
        at = (REDUCE, width, 2 * width)
        leaves = combined(like, [part[0] for part in parts], [part[1] for part in parts], at)
        if count % 2 == 1:
            last = [part[2] for part in parts]
            rest = last if rest is None else combined(like, last, rest, (REDUCE, count * width, 0))
        count, width = count // 2, 2 * width
    return leaves if rest is None else combined(like, leaves, rest, (REDUCE, width, 0))


def _reduced_leaf(kind: Any, leaf: Any) -> Any:
    if kind == "add":
        return prim("tensorlib.total", leaf)
    return prim("tensorlib.first_extreme", leaf, kind)


def scan(op: Any, items: Any) -> Any:
    """See checkpoint.arrays.scan."""
    op = prim("py.procedure", op, 2)
    count = prim("py.item-count", items, "scan")
    _check(op, items, count)
    leaves = prim("py.leaves", items)
    if prim("py.operator-kind", op, items) == "add":
        found = [prim("tensorlib.running_total", leaf) for leaf in leaves]
    else:
        found = _all_combined(op, items, leaves, count)
    return prim("py.of-leaves", items, found)


def _all_combined(op: Any, items: Any, leaves: Any, count: Any) -> Any:
    """Return the leaves of the combinations of the first 1, 2, ... items, as `_one` does."""
    formula = prim("py.item-formula", op, (items, items), SCAN)
    if formula is not None:
        shared = _shared(op, (items, items), formula)
        try:
            return prim("tensorlib.scanned", formula[0], leaves, shared)
        except Exception:
            pass  # as in `_over`
    return _scanned(_combiner(op, items, formula), items, leaves, count, 1)


def _scanned(combined: Any, like: Any, leaves: Any, count: Any, width: Any) -> Any:
    """Return the leaves of the combinations of the first 1, 2, ... items; width: of how many each is made."""
    if count < 2:
        return [prim("np.copy", leaf) for leaf in leaves]
    parts = [prim("tensorlib.prefixed", leaf) for leaf in leaves]
    at = (SCAN, width, 2 * width)
    pairs = combined(like, [part[1] for part in parts], [part[2] for part in parts], at)
    odd = _scanned(combined, like, pairs, count // 2, 2 * width)
    even = [part[3] for part in parts]
    if count > 2:
        later = (count - 1) // 2
        even = combined(like, [leaf[:later] for leaf in odd], even, (SCAN, 2 * width, 2 * width))
    return [prim("tensorlib.woven", (parts[i][0], odd[i], even[i])) for i in range(len(leaves))]


def reduce_by_index(op: Any, dest: Any, indices: Any, values: Any) -> Any:
    """See checkpoint.arrays.reduce_by_index."""
    op = prim("py.procedure", op, 2)
    bins = prim("py.item-count", dest, "reduce_by_index")
    count = prim("py.item-count", values, "reduce_by_index")
    levels, used, unused, given = prim("py.index-plan", indices, bins, count, values)
    old = prim("py.leaves", dest)
    if given == 0:
        return prim("py.of-leaves", dest, [prim("np.copy", leaf) for leaf in old])
    _check(op, values, count)
    combined = _combiner(op, values, prim("py.item-formula", op, (values, values), REDUCE_BY_INDEX))
    totals = _totals(combined, values, prim("py.leaves-like-items", values, dest), levels, given)
    apart = [prim("tensorlib.dealt", leaf, (used, unused)) for leaf in old]
    new = combined(values, [part[0] for part in apart], totals, _PAIRS)
    whole = [prim("tensorlib.gathered", (new[i], apart[i][1]), (used, unused), bins) for i in range(len(new))]
    return prim("py.of-leaves", dest, whole)


def _totals(combined: Any, like: Any, leaves: Any, levels: Any, given: Any) -> Any:
    """Return the leaves of the values of each index, combined; given: how many indices have any."""
    done: Any = ()
    places: Any = ()
    for at, next_at, left, done_at in levels:
        parts = [prim("tensorlib.dealt", leaf, at) for leaf in leaves]
        done = prim("py.add", done, ([part[3] for part in parts],))
        places = prim("py.add", places, (done_at,))
        if left > 0:
            pairs = combined(like, [part[0] for part in parts], [part[1] for part in parts], _PAIRS)
            leaves = [
                prim("tensorlib.gathered", (pairs[i], parts[i][2]), next_at, left) for i in range(len(parts))
            ]
    return [
        prim("tensorlib.gathered", tuple([part[i] for part in done]), places, given)
        for i in range(len(leaves))
    ]


def scatter(dest: Any, indices: Any, values: Any) -> Any:
    """See checkpoint.arrays.scatter."""
    prim("py.item-count", dest, "scatter")
    old = prim("py.leaves", dest)
    new = prim("py.leaves-like-items", values, dest)
    found = [prim("np.setitem", prim("np.copy", old[i]), indices, new[i]) for i in range(len(old))]
    return prim("py.of-leaves", dest, found)


def filter(test: Any, items: Any) -> Any:
    """See checkpoint.arrays.filter."""
    return _where(items, _tests(test, items, "filter", FILTER))


def partition(test: Any, items: Any) -> Any:
    """See checkpoint.arrays.partition."""
    mask = _tests(test, items, "partition", PARTITION)
    return _where(items, mask), _where(items, prim("np.logical_not", mask))


def _tests(test: Any, items: Any, name: Any, whose: Any) -> Any:
    """Return which items pass a test, as an array of booleans."""
    count = prim("py.item-count", items, name)
    if count == 0:
        return prim("py.no-tests", items)
    return prim("py.tests", _over(test, (whose, 0, 1))(items), name)


def _where(items: Any, mask: Any) -> Any:
    return prim("py.of-leaves", items, [leaf[mask] for leaf in prim("py.leaves", items)])


# Operators

_PAIRS = (REDUCE_BY_INDEX, 0, 1)


def _over(op: Any, within: Any) -> Any:
    """Return a function of nests that applies another to their items, with the bits that each has alone."""
    apart = one_by_one(op, 0, 0, within)

    def over(*nests: Any) -> Any:
        try:
            return exactly_together(op, nests)
        except Exception:
            # The lanes one by one raise what they raise, or return what the batched form cannot.
            return apart(*nests)

    return over


def _combiner(op: Any, items: Any, formula: Any) -> Any:
    """Return a function of lists of leaves, of nests like another, that combines their items pair by pair.

    formula: that of the operator on these items (`py.item-formula`), or None. The function's last argument
    says what the pairs are (checkpoint.lang.lanes).
    """
    form = prim("py.exact-form", op) if formula is None else None
    shared = [] if formula is None else _shared(op, (items, items), formula)

    def combined(like: Any, left: Any, right: Any, at: Any) -> Any:
        if formula is not None:
            try:
                return prim("tensorlib.mapped", formula[0], prim("py.add", left, right), shared)
            except Exception:
                pass  # as in `_over`
        if form is not None:
            try:
                found = form(prim("py.as-lanes", like, left), prim("py.as-lanes", like, right))
                return prim("py.leaves-of-lanes", found, like, left)
            except Exception:
                pass  # as in `_over`
        first = prim("py.of-leaves", like, left)
        found = one_by_one(op, 0, 0, at)(first, prim("py.of-leaves", like, right))
        return prim("py.leaves-like-items", found, first)

    return combined


def _check(op: Any, items: Any, count: Any) -> None:
    """Raise ValueError if an operator is not associative on the first three items, where that is checked."""

    def both_orders(items: Any) -> Any:
        a, b, c = [_some(items, i) for i in range(3)]
        over = _over(op, None)
        return over(over(a, b), c), over(a, over(b, c))

    if count > 2:
        prim("py.check-associative", op, both_orders, items)


def _some(items: Any, at: Any) -> Any:
    return prim("py.of-leaves", items, [leaf[at : at + 1] for leaf in prim("py.leaves", items)])
