"""`vmap` for use within a program: a loop over lanes, written in the translated language.

In: a function of one item, and the axes of the arguments and results that hold many. Out: a function of
whole arguments. docs/design/lanes.md says what always holds of lanes; the variables `vmap_lane` and
`vmap_within` are what names a lane in errors (checkpoint.lang.lanes).

What is the same for all lanes is found before the loop: how a row is taken of the columns, and how f is
called. So a turn of the loop consists of steps that translation to C knows. Where the first lane returns a
short tuple, lanes append its elements to a list for each, so that no tuple need be made or taken apart.

Many lanes are run in blocks: the items of one block are taken of the arrays at a time, and its results, if
they are reals, become an array before the next. So neither items nor results of all lanes are ever values one
by one, and a state within the loop is no larger than a block.
"""

from __future__ import annotations

from typing import Any

from checkpoint.lang.python.library.intrinsics import prim
from checkpoint.lang.python.library.lane_calls import call_function, grouped, row_function


def vmap(f: Any, in_axes: Any = 0, out_axes: Any = 0, *, exact: Any = True, engine: Any = None) -> Any:
    """See checkpoint.vmap."""
    apart = one_by_one(f, in_axes, out_axes, None)
    return apart if exact else _together(f, in_axes, out_axes, apart)


def _together(f: Any, in_axes: Any, out_axes: Any, apart: Any) -> Any:
    """Return a function that runs the batched form of f (prims/batched), or the lanes where that fails."""

    def mapped(*args: Any, **keywords: Any) -> Any:
        try:
            together, shared, arrays, count, arity = prim("py.batched-lanes", f, args, keywords, in_axes)
            results = call_function(arity)(together, shared, None)
            return prim("py.batched-results", arrays, count, results, out_axes)
        except Exception as error:
            # The lanes one by one raise what they raise, or return what the batched form cannot.
            prim("py.lanes-apart", f, error)
            return apart(*args, **keywords)

    return mapped


def exactly_together(f: Any, args: Any) -> Any:
    """Return the results of all lanes by the batched form that has each lane's own bits; fail without one."""
    together, shared, arrays, count, arity = prim("py.exact-lanes", f, args, {}, 0)
    results = call_function(arity)(together, shared, None)
    return prim("py.batched-results", arrays, count, results, 0)


def one_by_one(f: Any, in_axes: Any, out_axes: Any, vmap_within: Any) -> Any:
    """Return a function that runs lane by lane.

    vmap_within: says whose lanes these are (checkpoint.lang.lanes), or None.
    """

    def mapped(*args: Any, **keywords: Any) -> Any:
        lanes = prim("py.lanes", f, args, keywords, in_axes)  # the fields of prims/lanes.py: Lanes
        vmap_count, function, arity, shared, named, arrays, at_once = lanes
        row_of = row_function(prim("py.len", arrays))
        call = call_function(arity)
        if at_once:
            loop = _loop_over(row_of, call, function, shared, named)
            return prim("py.lanes-at-once", loop, arrays, out_axes)
        ends = prim("py.lane-blocks", vmap_count)
        blocks = _blocks(arrays, ends)
        columns = _columns(blocks, 0)
        vmap_lane = 0
        first = _lane(columns, row_of, call, function, shared, named, vmap_lane, 0)
        width = prim("py.plain-width", first, out_axes)
        run, lists, parts = _loop_function(width), _lists(first, width), _parts_of(width)
        block, start, lane = 0, 0, vmap_lane + 1
        while True:
            end = prim("py.item", ends, block)
            alike, lane, unlike = run(lists, columns, row_of, call, function, shared, named, lane, end, start)
            if not alike:
                rows = prim("py.lane-rows", _whole_lists(parts, lists))
                rows.append(unlike)
                break
            block, start = block + 1, end
            if end == vmap_count:
                return _stacked_columns(arrays, parts, lists, out_axes, vmap_within)
            lists = _put_away(arrays, parts, lists, out_axes, block == 1)
            columns = _columns(blocks, block)
        # A lane has returned another structure: there is one list of results from here on.
        while True:
            _loop((rows,), columns, row_of, call, function, shared, named, lane, end, start)
            block, start, lane = block + 1, end, end
            if end == vmap_count:
                return _stacked(arrays, rows, out_axes, vmap_within)
            columns, end = _columns(blocks, block), prim("py.item", ends, block)

    return mapped


def prepared(f: Any, in_axes: Any) -> Any:
    """Return a function of vmap's arguments that returns how many are mapped, and the loop over lanes.

    The loop takes columns of items and how many there are, and returns the list of results. What it needs
    beside them, of f and of what lanes share, it has: for many calls (checkpoint/api/lane_plans.py).
    """

    def prepare(*args: Any) -> Any:
        _, function, arity, shared, named, arrays, _ = prim("py.lanes", f, args, {}, in_axes)
        count = prim("py.len", arrays)
        return count, _loop_over(row_function(count), call_function(arity), function, shared, named)

    return prepare


def _loop_over(row_of: Any, call: Any, function: Any, shared: Any, named: Any) -> Any:
    """Return the loop over lanes as a function of the pair of columns of items and how many there are."""

    def loop(given: Any) -> Any:
        columns, count = prim("py.item", given, 0), prim("py.item", given, 1)
        results: Any = []
        _loop((results,), grouped(columns), row_of, call, function, shared, named, 0, count, 0)
        return results

    return loop


def _lane(
    columns: Any, row_of: Any, call: Any, function: Any, shared: Any, named: Any, lane: Any, start: Any
) -> Any:
    """Return what f returns for a lane. start: the lane whose items are the first of the columns."""
    own, own_args, own_named = prim("py.enter-lane", function, shared, named, row_of(columns, lane - start))
    return call(own, own_args, own_named)


# The loops over the lanes of a block, each from a lane on. They append results to lists, one for each element
# where lanes return so many. They return whether all were alike, the lane behind, and one that was not.


def _loop_function(width: Any) -> Any:
    """Return the loop for lanes that return so many elements."""
    if width == 2:
        return _loop_of_two
    if width == 3:
        return _loop_of_three
    if width == 4:
        return _loop_of_four
    return _loop


def _lists(first: Any, width: Any) -> Any:
    """Return the lists of results, as the first lane begins them."""
    if width < 2 or width > 4:
        return ([first],)
    lists: Any = ()
    part = 0
    while part < width:
        lists = prim("py.add", lists, ([prim("py.item", first, part)],))
        part = part + 1
    return lists


def _loop(
    lists: Any,
    columns: Any,
    row_of: Any,
    call: Any,
    function: Any,
    shared: Any,
    named: Any,
    vmap_lane: Any,
    end: Any,
    start: Any,
) -> Any:
    results = prim("py.item", lists, 0)
    while vmap_lane < end:
        results.append(_lane(columns, row_of, call, function, shared, named, vmap_lane, start))
        vmap_lane = vmap_lane + 1
    return True, vmap_lane, None


def _loop_of_two(
    lists: Any,
    columns: Any,
    row_of: Any,
    call: Any,
    function: Any,
    shared: Any,
    named: Any,
    vmap_lane: Any,
    end: Any,
    start: Any,
) -> Any:
    xs, ys = prim("py.item", lists, 0), prim("py.item", lists, 1)
    while vmap_lane < end:
        result = _lane(columns, row_of, call, function, shared, named, vmap_lane, start)
        vmap_lane = vmap_lane + 1
        if prim("py.plain-width", result, 0) != 2:
            return False, vmap_lane, result
        xs.append(prim("py.item", result, 0))
        ys.append(prim("py.item", result, 1))
    return True, vmap_lane, None


def _loop_of_three(
    lists: Any,
    columns: Any,
    row_of: Any,
    call: Any,
    function: Any,
    shared: Any,
    named: Any,
    vmap_lane: Any,
    end: Any,
    start: Any,
) -> Any:
    xs, ys, zs = prim("py.item", lists, 0), prim("py.item", lists, 1), prim("py.item", lists, 2)
    while vmap_lane < end:
        result = _lane(columns, row_of, call, function, shared, named, vmap_lane, start)
        vmap_lane = vmap_lane + 1
        if prim("py.plain-width", result, 0) != 3:
            return False, vmap_lane, result
        xs.append(prim("py.item", result, 0))
        ys.append(prim("py.item", result, 1))
        zs.append(prim("py.item", result, 2))
    return True, vmap_lane, None


def _loop_of_four(
    lists: Any,
    columns: Any,
    row_of: Any,
    call: Any,
    function: Any,
    shared: Any,
    named: Any,
    vmap_lane: Any,
    end: Any,
    start: Any,
) -> Any:
    ws, xs = prim("py.item", lists, 0), prim("py.item", lists, 1)
    ys, zs = prim("py.item", lists, 2), prim("py.item", lists, 3)
    while vmap_lane < end:
        result = _lane(columns, row_of, call, function, shared, named, vmap_lane, start)
        vmap_lane = vmap_lane + 1
        if prim("py.plain-width", result, 0) != 4:
            return False, vmap_lane, result
        ws.append(prim("py.item", result, 0))
        xs.append(prim("py.item", result, 1))
        ys.append(prim("py.item", result, 2))
        zs.append(prim("py.item", result, 3))
    return True, vmap_lane, None


# Results of the blocks that are done: for each list of results a list of arrays, its parts. What is no real
# has no parts, and stays in its list.


def _parts_of(width: Any) -> Any:
    """Return a list of parts for each list of results."""
    parts: Any = ([],)
    while width > prim("py.len", parts) and width < 5:
        parts = prim("py.add", parts, ([],))
    return parts


def _put_away(arrays: Any, parts: Any, lists: Any, out_axes: Any, is_first: Any) -> Any:
    """Make the results of a block parts, where all are reals; return the lists for those of the next."""
    fresh: Any = ()
    i = 0
    while i < prim("py.len", lists):
        own, results = prim("py.item", parts, i), prim("py.item", lists, i)
        if is_first or prim("py.len", own) > 0:
            results = _with_part(arrays, own, results, out_axes)
        fresh = prim("py.add", fresh, (results,))
        i = i + 1
    return fresh


def _with_part(arrays: Any, parts: Any, results: Any, out_axes: Any) -> Any:
    """Make a list of results a part, and return an empty one; or return all results, where one is no real."""
    if prim("py.are-reals", results, out_axes):
        parts.append(_joined(arrays, results))
        return []
    return _whole_list(parts, results)


def _whole_list(parts: Any, results: Any) -> Any:
    """Return the results in parts, which are none then, and in a list as one list."""
    if prim("py.len", parts) == 0:
        return results
    found: list[Any] = []
    for part in parts:
        for each in prim("tensorlib.items", part, 0):
            found.append(each)
    for each in results:
        found.append(each)
    parts.clear()
    return found


def _whole_lists(parts: Any, lists: Any) -> Any:
    whole: Any = ()
    i = 0
    while i < prim("py.len", lists):
        own, results = prim("py.item", parts, i), prim("py.item", lists, i)
        whole = prim("py.add", whole, (_whole_list(own, results),))
        i = i + 1
    return whole


def _joined(arrays: Any, results: Any) -> Any:
    """Return reals as an array of the library of the first mapped array."""
    return prim("tensorlib.joined", prim("py.item", prim("py.item", arrays, 0), 0), results, 0)


def mapped(make: Any, f: Any, in_axes: Any, out_axes: Any, exact: Any) -> Any:
    """Return a function that does what one made by `vmap` outside of programs does."""

    def over_lanes(*args: Any, **keywords: Any) -> Any:
        return make(f, in_axes, out_axes, exact=exact)(*args, **keywords)

    return over_lanes


# From arrays to lanes, and back


def _blocks(arrays: Any, ends: Any) -> Any:
    """Return for each pair of an array and its axis over lanes the parts of each block, and the axis."""
    found: Any = ()
    i = 0
    while i < prim("py.len", arrays):
        pair = prim("py.item", arrays, i)
        array, axis = prim("py.item", pair, 0), prim("py.item", pair, 1)
        own = (array,) if prim("py.len", ends) == 1 else prim("tensorlib.blocks", array, axis, ends)
        found = prim("py.add", found, ((own, axis),))
        i = i + 1
    return found


def _columns(blocks: Any, block: Any) -> Any:
    """Return for each array the items of the lanes of a block, as row functions take them."""
    columns: Any = ()
    i = 0
    while i < prim("py.len", blocks):
        pair = prim("py.item", blocks, i)
        array = prim("py.item", prim("py.item", pair, 0), block)
        columns = prim("py.add", columns, (prim("tensorlib.items", array, prim("py.item", pair, 1)),))
        i = i + 1
    return grouped(columns)


def _stacked_columns(arrays: Any, parts: Any, lists: Any, out_axes: Any, within: Any) -> Any:
    """Return all results, stacked; a tuple where there are several lists of them."""
    if prim("py.len", lists) == 1:
        return _stacked_parts(arrays, prim("py.item", parts, 0), prim("py.item", lists, 0), out_axes, within)
    stacked: Any = ()
    i = 0
    while i < prim("py.len", lists):
        own = _stacked_parts(arrays, prim("py.item", parts, i), prim("py.item", lists, i), out_axes, within)
        stacked = prim("py.add", stacked, (own,))
        i = i + 1
    return stacked


def _stacked_parts(arrays: Any, parts: Any, results: Any, out_axes: Any, within: Any) -> Any:
    """Return the results in parts and those in a list, stacked."""
    if prim("py.len", parts) == 0:
        return _stacked(arrays, results, out_axes, within)
    rest = _with_part(arrays, parts, results, out_axes)
    return (
        prim("np.concatenate", parts, 0)
        if prim("py.len", parts) > 0
        else _stacked(arrays, rest, out_axes, within)
    )


def _stacked(arrays: Any, results: Any, out_axes: Any, within: Any) -> Any:
    if prim("py.are-reals", results, out_axes):
        return _joined(arrays, results)
    width = prim("py.common-width", results, out_axes)
    if width < 0:
        return prim("py.stack-lanes", arrays, results, out_axes, within)
    stacked: Any = ()
    part = 0
    while part < width:
        stacked = prim("py.add", stacked, (_stacked(arrays, _elements(results, part), out_axes, within),))
        part = part + 1
    return stacked


def _elements(results: Any, part: Any) -> Any:
    """Return the elements at an index of tuples."""
    found: list[Any] = []
    i = 0
    while i < prim("py.len", results):
        found.append(prim("py.item", prim("py.item", results, i), part))
        i = i + 1
    return found
