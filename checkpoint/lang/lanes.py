"""Which lanes a run is within, as errors name them.

In: what frames save of loops over lanes. Out: `Lane`s. A frame of such a loop has the number of its lane in
a variable of LANES; that of what calls the loop may have in the variable WITHIN a tuple of three integers,
(combinator, first, stride), which says whose lanes these are. Each lane of MAP, FILTER and PARTITION has one
item. One of REDUCE or SCAN combines what ends before an item with what begins with it: the item first +
stride * lane. One of REDUCE_BY_INDEX combines two values of an index.

A frame says this as marks, three integers each, of which both machines in Python and the one in C make
lists, the innermost first: (0, number, 0) of a lane, then the tuple that applies to it, if there is one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from checkpoint.errors import Lane, Span

MAP, FILTER, PARTITION, REDUCE, SCAN, REDUCE_BY_INDEX = 1, 2, 3, 4, 5, 6
COMBINATORS = ("vmap", "map", "filter", "partition", "reduce", "scan", "reduce_by_index")
MAX_LANES = 32  # marks of an error: each is within the next
LANES = ("vmap_lane", "summed_item")  # the variables of lanes and items of sums, in these files
WITHIN = "vmap_within"
LANE_COUNT = "vmap_count"  # that of how many lanes there are, of the caller of a loop over lanes
LOOPS_OVER_LANES = (os.path.join("library", "lanes.py"), os.path.join("library", "sums.py"), "prelude.vlad")

Mark = tuple[int, int, int]


def positions(names: Sequence[str], span: Span | None) -> tuple[int, int]:
    """Return both positions below."""
    return lane_position(names, span), within_position(names, span)


def lane_position(names: Sequence[str], span: Span | None) -> int:
    """Return the position among the variables of a frame of the number of a lane, -1 without one.

    span: a place in the code to which the frame returns.
    """
    return _position(names, span, LANES)


def within_position(names: Sequence[str], span: Span | None) -> int:
    """Return the position among the variables of a frame of the tuple that says whose lanes these are."""
    return _position(names, span, (WITHIN,))


def _position(names: Sequence[str], span: Span | None, wanted: tuple[str, ...]) -> int:
    if span is not None and span.source.name.endswith(LOOPS_OVER_LANES):
        for position, name in enumerate(names):
            if name.startswith(wanted):
                return position
    return -1


def marks_of(values: Sequence[Any], at: tuple[int, int]) -> list[Mark]:
    """Return the marks of a frame that has saved these values. at: the `positions` of those of lanes."""
    lane, within = at
    marks: list[Mark] = [(0, int(values[lane]), 0)] if lane >= 0 else []
    if within >= 0 and values[within] is not None:
        marks.append(tuple(values[within].items))
    return marks


def lanes_of(marks: Iterable[Sequence[int]]) -> tuple[Lane, ...]:
    """Return the lanes that marks name, the innermost first."""
    found: list[Lane] = []
    is_open = False  # whether the last lane may still be somebody's
    for combinator, first, stride in marks:
        if combinator == 0:
            found.append(Lane("vmap", first, "lane") if first >= 0 else Lane("summed", -1 - first, "item"))
        elif is_open:
            found[-1] = _lane_of(combinator, first + stride * found[-1].number)
        is_open = combinator == 0
    return tuple(found)


def _lane_of(combinator: int, number: int) -> Lane:
    what = "between" if combinator in (REDUCE, SCAN) else "pair" if combinator == REDUCE_BY_INDEX else "item"
    return Lane(COMBINATORS[combinator], number, what)


def place_of(within: Any, lane: int) -> Lane:
    """Return the lane with a number, of a loop within which a tuple says whose lanes these are, or None."""
    marks = [(0, lane, 0)] if within is None else [(0, lane, 0), within.items]
    return lanes_of(marks)[0]
