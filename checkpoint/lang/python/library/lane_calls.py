"""How a lane takes its items of columns, and how its function is called: found once, before the loop.

In: how many columns there are; the arity that the step py.lanes has found. Out: functions whose steps
translation to C knows, since none of them depends on a number that is found in the loop.
"""

from __future__ import annotations

from typing import Any

from checkpoint.lang.python.library.intrinsics import apply, prim

GROUP, MOST_GROUPS = 4, 5  # columns of more groups are taken in a loop, and entered by the machine

# The items of one lane


def grouped(columns: Any) -> Any:
    """Return columns as the row function of so many takes them: in groups of four if there are more."""
    count = prim("py.len", columns)
    if count <= GROUP or count > MOST_GROUPS * GROUP:
        return columns
    groups: Any = ()
    first = 0
    while first < count:
        groups = prim("py.add", groups, (prim("py.slice", columns, first, first + GROUP, None),))
        first = first + GROUP
    return groups


def row_function(count: Any) -> Any:
    """Return the function that makes the row of a lane, of so many columns, which are `grouped`."""
    if count <= GROUP:
        return _short_row_function(count)
    if count > MOST_GROUPS * GROUP:
        return _row_of_many
    # No quotient: a program that rounds has no plans of calls (checkpoint/api/call_plans.py).
    if count <= 2 * GROUP:
        return _row_of_two_groups(_short_row_function(count - GROUP))
    if count <= 3 * GROUP:
        return _row_of_three_groups(_short_row_function(count - 2 * GROUP))
    if count <= 4 * GROUP:
        return _row_of_four_groups(_short_row_function(count - 3 * GROUP))
    return _row_of_five_groups(_short_row_function(count - 4 * GROUP))


def _short_row_function(columns: Any) -> Any:
    if columns == 1:
        return _row_of_one
    if columns == 2:
        return _row_of_two
    if columns == 3:
        return _row_of_three
    return _row_of_four


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


# last: the row function of the last group. Each is a function without a loop, whose rows are known in C.


def _row_of_two_groups(last: Any) -> Any:
    def row(groups: Any, lane: Any) -> Any:
        return prim("py.add", _row_of_group(groups, 0, lane), last(prim("py.item", groups, 1), lane))

    return row


def _row_of_three_groups(last: Any) -> Any:
    def row(groups: Any, lane: Any) -> Any:
        first = prim("py.add", _row_of_group(groups, 0, lane), _row_of_group(groups, 1, lane))
        return prim("py.add", first, last(prim("py.item", groups, 2), lane))

    return row


def _row_of_four_groups(last: Any) -> Any:
    def row(groups: Any, lane: Any) -> Any:
        first = prim("py.add", _row_of_group(groups, 0, lane), _row_of_group(groups, 1, lane))
        first = prim("py.add", first, _row_of_group(groups, 2, lane))
        return prim("py.add", first, last(prim("py.item", groups, 3), lane))

    return row


def _row_of_five_groups(last: Any) -> Any:
    def row(groups: Any, lane: Any) -> Any:
        first = prim("py.add", _row_of_group(groups, 0, lane), _row_of_group(groups, 1, lane))
        second = prim("py.add", _row_of_group(groups, 2, lane), _row_of_group(groups, 3, lane))
        first = prim("py.add", first, second)
        return prim("py.add", first, last(prim("py.item", groups, 4), lane))

    return row


def _row_of_group(groups: Any, group: Any, lane: Any) -> Any:
    return _row_of_four(prim("py.item", groups, group), lane)


def _row_of_many(columns: Any, lane: Any) -> Any:
    row = _row_of_four(columns, lane)
    column = 4
    while column < prim("py.len", columns):
        row = prim("py.add", row, (_item(columns, column, lane),))
        column = column + 1
    return row


# The call of one lane


def call_function(arity: Any) -> Any:
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
    if arity == 7:
        return _call_of_seven
    if arity == 8:
        return _call_of_eight
    if arity == 9:
        return _call_of_nine
    if arity == 10:
        return _call_of_ten
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


def _call_of_seven(f: Any, args: Any, named: Any) -> Any:
    return f(
        prim("py.item", args, 0),
        prim("py.item", args, 1),
        prim("py.item", args, 2),
        prim("py.item", args, 3),
        prim("py.item", args, 4),
        prim("py.item", args, 5),
        prim("py.item", args, 6),
    )


def _call_of_eight(f: Any, args: Any, named: Any) -> Any:
    return f(
        prim("py.item", args, 0),
        prim("py.item", args, 1),
        prim("py.item", args, 2),
        prim("py.item", args, 3),
        prim("py.item", args, 4),
        prim("py.item", args, 5),
        prim("py.item", args, 6),
        prim("py.item", args, 7),
    )


def _call_of_nine(f: Any, args: Any, named: Any) -> Any:
    return f(
        prim("py.item", args, 0),
        prim("py.item", args, 1),
        prim("py.item", args, 2),
        prim("py.item", args, 3),
        prim("py.item", args, 4),
        prim("py.item", args, 5),
        prim("py.item", args, 6),
        prim("py.item", args, 7),
        prim("py.item", args, 8),
    )


def _call_of_ten(f: Any, args: Any, named: Any) -> Any:
    return f(
        prim("py.item", args, 0),
        prim("py.item", args, 1),
        prim("py.item", args, 2),
        prim("py.item", args, 3),
        prim("py.item", args, 4),
        prim("py.item", args, 5),
        prim("py.item", args, 6),
        prim("py.item", args, 7),
        prim("py.item", args, 8),
        prim("py.item", args, 9),
    )


def _call_of_any(f: Any, args: Any, named: Any) -> Any:
    return apply(f, args, named)
