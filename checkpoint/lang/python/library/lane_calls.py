"""How a lane takes its items of columns, and how its function is called: found once, before the loop.

In: how many columns there are; the arity that the step py.lanes has found. Out: functions whose steps
translation to C knows, since none of them depends on a number that is found in the loop.
"""

from __future__ import annotations

from typing import Any

from checkpoint.lang.python.library.intrinsics import apply, prim

# The items of one lane


def row_function(columns: Any) -> Any:
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
