"""`vmap` for use within a program: a loop over lanes, written in the translated language.

In: a function of one item, and the axes of the arguments and results that hold many. Out: a function of
whole arguments. docs/design/lanes.md says what always holds of lanes; the variable `vmap_lane` is what
names a lane in errors (checkpoint.driver.raised).

What is the same for all lanes is found before the loop: how a row is taken of the columns, and how f is
called. So a turn of the loop consists of steps that translation to C knows. Where the first lane returns a
short tuple, lanes append its elements to a list for each, so that no tuple need be made or taken apart.
"""

from __future__ import annotations

from typing import Any

from checkpoint.lang.python.library.intrinsics import apply, prim


def vmap(f: Any, in_axes: Any = 0, out_axes: Any = 0, *, exact: Any = True, engine: Any = None) -> Any:
    """See checkpoint.vmap."""
    one_by_one = _one_by_one(f, in_axes, out_axes)
    return one_by_one if exact else _together(f, in_axes, out_axes, one_by_one)


def _together(f: Any, in_axes: Any, out_axes: Any, one_by_one: Any) -> Any:
    """Return a function that runs the batched form of f (prims/batched), or the lanes where that fails."""

    def mapped(*args: Any, **keywords: Any) -> Any:
        try:
            together, shared, arrays, count, arity = prim("py.batched-lanes", f, args, keywords, in_axes)
            results = _call_function(arity)(together, shared, None)
            return prim("py.batched-results", arrays, count, results, out_axes)
        except Exception as error:
            # The lanes one by one raise what they raise, or return what the batched form cannot.
            prim("py.lanes-apart", f, error)
            return one_by_one(*args, **keywords)

    return mapped


def exactly_together(f: Any, args: Any) -> Any:
    """Return the results of all lanes by the batched form that has each lane's own bits; fail without one."""
    together, shared, arrays, count, arity = prim("py.exact-lanes", f, args, {}, 0)
    results = _call_function(arity)(together, shared, None)
    return prim("py.batched-results", arrays, count, results, 0)


def _one_by_one(f: Any, in_axes: Any, out_axes: Any) -> Any:
    def mapped(*args: Any, **keywords: Any) -> Any:
        count, function, arity, shared, named, arrays = prim("py.lanes", f, args, keywords, in_axes)
        columns = _columns(arrays)
        row_of = _row_function(prim("py.len", columns))
        call = _call_function(arity)
        vmap_lane = 0
        first = _lane(columns, row_of, call, function, shared, named, vmap_lane)
        run = _loop_function(prim("py.plain-width", first, out_axes))
        stacked, results = run(first, columns, row_of, call, function, shared, named, vmap_lane + 1, count)
        return _stacked_columns(arrays, results, out_axes) if stacked else _stacked(arrays, results, out_axes)

    return mapped


def _lane(columns: Any, row_of: Any, call: Any, function: Any, shared: Any, named: Any, lane: Any) -> Any:
    """Return what f returns for a lane."""
    own, own_args, own_named = prim("py.enter-lane", function, shared, named, row_of(columns, lane))
    return call(own, own_args, own_named)


# The loops over lanes: from the second lane on


def _loop_function(width: Any) -> Any:
    """Return the loop for lanes that return so many elements."""
    if width == 2:
        return _loop_of_two
    if width == 3:
        return _loop_of_three
    if width == 4:
        return _loop_of_four
    return _loop


def _loop(
    first: Any,
    columns: Any,
    row_of: Any,
    call: Any,
    function: Any,
    shared: Any,
    named: Any,
    vmap_lane: Any,
    count: Any,
) -> Any:
    """Return whether results are in columns, lists of their elements; and these, or the list of results."""
    return False, _on([first], columns, row_of, call, function, shared, named, vmap_lane, count)


def _on(
    results: Any,
    columns: Any,
    row_of: Any,
    call: Any,
    function: Any,
    shared: Any,
    named: Any,
    vmap_lane: Any,
    count: Any,
) -> Any:
    """Append the results of a lane and those that follow to a list; return it."""
    while vmap_lane < count:
        results.append(_lane(columns, row_of, call, function, shared, named, vmap_lane))
        vmap_lane = vmap_lane + 1
    return results


def _loop_of_two(
    first: Any,
    columns: Any,
    row_of: Any,
    call: Any,
    function: Any,
    shared: Any,
    named: Any,
    vmap_lane: Any,
    count: Any,
) -> Any:
    """Do as _loop where lanes return two elements."""
    xs, ys = [prim("py.item", first, 0)], [prim("py.item", first, 1)]
    while vmap_lane < count:
        result = _lane(columns, row_of, call, function, shared, named, vmap_lane)
        vmap_lane = vmap_lane + 1
        if prim("py.plain-width", result, 0) != 2:
            results = prim("py.lane-rows", (xs, ys))
            results.append(result)  # of another structure
            return False, _on(results, columns, row_of, call, function, shared, named, vmap_lane, count)
        xs.append(prim("py.item", result, 0))
        ys.append(prim("py.item", result, 1))
    return True, (xs, ys)


def _loop_of_three(
    first: Any,
    columns: Any,
    row_of: Any,
    call: Any,
    function: Any,
    shared: Any,
    named: Any,
    vmap_lane: Any,
    count: Any,
) -> Any:
    """Do as _loop where lanes return three elements."""
    xs, ys, zs = [prim("py.item", first, 0)], [prim("py.item", first, 1)], [prim("py.item", first, 2)]
    while vmap_lane < count:
        result = _lane(columns, row_of, call, function, shared, named, vmap_lane)
        vmap_lane = vmap_lane + 1
        if prim("py.plain-width", result, 0) != 3:
            results = prim("py.lane-rows", (xs, ys, zs))
            results.append(result)  # of another structure
            return False, _on(results, columns, row_of, call, function, shared, named, vmap_lane, count)
        xs.append(prim("py.item", result, 0))
        ys.append(prim("py.item", result, 1))
        zs.append(prim("py.item", result, 2))
    return True, (xs, ys, zs)


def _loop_of_four(
    first: Any,
    columns: Any,
    row_of: Any,
    call: Any,
    function: Any,
    shared: Any,
    named: Any,
    vmap_lane: Any,
    count: Any,
) -> Any:
    """Do as _loop where lanes return four elements."""
    ws, xs, ys, zs = (
        [prim("py.item", first, 0)],
        [prim("py.item", first, 1)],
        [prim("py.item", first, 2)],
        [prim("py.item", first, 3)],
    )
    while vmap_lane < count:
        result = _lane(columns, row_of, call, function, shared, named, vmap_lane)
        vmap_lane = vmap_lane + 1
        if prim("py.plain-width", result, 0) != 4:
            results = prim("py.lane-rows", (ws, xs, ys, zs))
            results.append(result)  # of another structure
            return False, _on(results, columns, row_of, call, function, shared, named, vmap_lane, count)
        ws.append(prim("py.item", result, 0))
        xs.append(prim("py.item", result, 1))
        ys.append(prim("py.item", result, 2))
        zs.append(prim("py.item", result, 3))
    return True, (ws, xs, ys, zs)


def mapped(make: Any, f: Any, in_axes: Any, out_axes: Any, exact: Any) -> Any:
    """Return a function that does what one made by `vmap` outside of programs does."""

    def over_lanes(*args: Any, **keywords: Any) -> Any:
        return make(f, in_axes, out_axes, exact=exact)(*args, **keywords)

    return over_lanes


# From arrays to lanes, and back


def _columns(arrays: Any) -> Any:
    """Return for each pair of an array and its axis over lanes the items of all lanes."""
    columns: Any = ()
    i = 0
    while i < prim("py.len", arrays):
        pair = prim("py.item", arrays, i)
        items = prim("tensorlib.items", prim("py.item", pair, 0), prim("py.item", pair, 1))
        columns = prim("py.add", columns, (items,))
        i = i + 1
    return columns


def _stacked_columns(arrays: Any, columns: Any, out_axes: Any) -> Any:
    """Return the tuple of what each of some lists holds, stacked."""
    stacked: Any = ()
    part = 0
    while part < prim("py.len", columns):
        stacked = prim("py.add", stacked, (_stacked(arrays, prim("py.item", columns, part), out_axes),))
        part = part + 1
    return stacked


def _stacked(arrays: Any, results: Any, out_axes: Any) -> Any:
    if prim("py.are-reals", results, out_axes):
        return prim("tensorlib.joined", prim("py.item", prim("py.item", arrays, 0), 0), results, 0)
    width = prim("py.common-width", results, out_axes)
    if width < 0:
        return prim("py.stack-lanes", arrays, results, out_axes)
    columns: Any = ()
    part = 0
    while part < width:
        columns = prim("py.add", columns, (_parts(results, part),))
        part = part + 1
    return _stacked_columns(arrays, columns, out_axes)


def _parts(results: Any, part: Any) -> Any:
    """Return the elements at an index of tuples."""
    found: list[Any] = []
    i = 0
    while i < prim("py.len", results):
        found.append(_item(results, i, part))
        i = i + 1
    return found


# The items of one lane


def _row_function(columns: Any) -> Any:
    """Return the function that makes the row of a lane, for so many columns."""
    if columns == 1:
        return _row_of_one
    if columns == 2:
        return _row_of_two
    if columns == 3:
        return _row_of_three
    if columns == 4:
        return _row_of_four
    return _row_of_many


def _item(columns: Any, column: Any, lane: Any) -> Any:
    return prim("py.item", prim("py.item", columns, column), lane)


def _row_of_one(columns: Any, lane: Any) -> Any:
    return (_item(columns, 0, lane),)


def _row_of_two(columns: Any, lane: Any) -> Any:
    return (_item(columns, 0, lane), _item(columns, 1, lane))


def _row_of_three(columns: Any, lane: Any) -> Any:
    return (_item(columns, 0, lane), _item(columns, 1, lane), _item(columns, 2, lane))


def _row_of_four(columns: Any, lane: Any) -> Any:
    return (
        _item(columns, 0, lane),
        _item(columns, 1, lane),
        _item(columns, 2, lane),
        _item(columns, 3, lane),
    )


def _row_of_many(columns: Any, lane: Any) -> Any:
    row = _row_of_four(columns, lane)
    column = 4
    while column < prim("py.len", columns):
        row = prim("py.add", row, (_item(columns, column, lane),))
        column = column + 1
    return row


# The call of one lane


def _call_function(arity: Any) -> Any:
    """Return the function that calls the function of a lane; arity: see py.lanes."""
    if arity == 1:
        return _call_of_one
    if arity == 2:
        return _call_of_two
    if arity == 3:
        return _call_of_three
    if arity == 4:
        return _call_of_four
    if arity == 5:
        return _call_of_five
    if arity == 6:
        return _call_of_six
    return _call_of_any


def _call_of_one(f: Any, args: Any, named: Any) -> Any:
    return f(prim("py.item", args, 0))


def _call_of_two(f: Any, args: Any, named: Any) -> Any:
    return f(prim("py.item", args, 0), prim("py.item", args, 1))


def _call_of_three(f: Any, args: Any, named: Any) -> Any:
    return f(prim("py.item", args, 0), prim("py.item", args, 1), prim("py.item", args, 2))


def _call_of_four(f: Any, args: Any, named: Any) -> Any:
    return f(
        prim("py.item", args, 0),
        prim("py.item", args, 1),
        prim("py.item", args, 2),
        prim("py.item", args, 3),
    )


def _call_of_five(f: Any, args: Any, named: Any) -> Any:
    return f(
        prim("py.item", args, 0),
        prim("py.item", args, 1),
        prim("py.item", args, 2),
        prim("py.item", args, 3),
        prim("py.item", args, 4),
    )


def _call_of_six(f: Any, args: Any, named: Any) -> Any:
    return f(
        prim("py.item", args, 0),
        prim("py.item", args, 1),
        prim("py.item", args, 2),
        prim("py.item", args, 3),
        prim("py.item", args, 4),
        prim("py.item", args, 5),
    )


def _call_of_any(f: Any, args: Any, named: Any) -> Any:
    return apply(f, args, named)
