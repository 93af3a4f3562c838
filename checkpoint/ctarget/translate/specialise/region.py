"""Makes a unit from the block that a machine is at (units/graph.py).

In: a block, and the shapes of the values in the registers of its parameters. Out: the Unit whose first header
is that block for values of these kinds, or None where translation would not pay: no path of it repeats.

A block is run symbolically, on abstract values (values.py, steps.py), and so are the blocks that follow
(ends.py), until a path reaches its end:
- loops and joins are headers: what is known there, but for the names of places, is the header's key, and a
  path that reaches a header of a known key jumps to it. So a loop is translated once for each thing worth
  knowing of it;
- a known procedure is entered, and its frame is virtual: it returns to the caller's block with all that is
  known there. If the procedure is active already, with no more known then than now, frames are pushed, and
  its entry is a header. So a recursion over data that are known completely ends by itself (this is the
  whistle of supercompilation: Turchin 1986). While no branch is undecided, each call is followed that is sure
  to come, as of an interpreter on a program that is a constant: it ends with the program, or with the room;
- what cannot be translated, and what would be too much, exits the unit.

A unit whose loops still push frames, make objects or test kinds is made anew if numbers that the procedure
holds would decide branches, as of an interpreter on a program that is a list: now they are expected to be
what they were. It is kept if it follows all to its end, and checks numbers only where it is entered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from checkpoint.ctarget.peers import BlockPeer
from checkpoint.ctarget.translate.ops.frame_ops import Push
from checkpoint.ctarget.translate.specialise.ends import Ends
from checkpoint.ctarget.translate.specialise.headers import LARGE, SMALL, UNROLLED, Headers, Limits
from checkpoint.ctarget.translate.specialise.observe import Shape, cut
from checkpoint.ctarget.translate.units.checked import check_if_asked
from checkpoint.ctarget.translate.units.costs import expects_numbers_inside, has_costs
from checkpoint.ctarget.translate.units.expected import expect_numbers
from checkpoint.ctarget.translate.units.graph import Exit, Header, Jump, Return, Unit
from checkpoint.ctarget.translate.units.paths import nodes, tree
from checkpoint.ctarget.translate.units.sections import gather
from checkpoint.ctarget.translate.units.sure import remove_sure_tests

Shapes = dict[int, Shape]  # by register


def specialise(
    peer: BlockPeer,
    shapes: Shapes,
    is_large: bool = False,
    unrolls: bool = False,
    turns: bool = False,
    deeper: Callable[[], Shapes] | None = None,
) -> Unit | None:
    """Return the unit whose entry is a block, for values of these shapes in its registers.

    is_large: whether it may be several times as large as others. unrolls: as of a Builder; where no frame is
    pushed then, it may be larger. turns: whether such a unit follows loops of few turns. deeper: returns
    shapes with more parts; if it is given, the unit may expect numbers.
    """
    headers = _unrolled(peer, shapes, UNROLLED._replace(turns=turns)) if unrolls and not is_large else None
    if headers is None:
        shapes = {register: cut(shape) for register, shape in shapes.items()}
        headers = _made(peer, shapes, LARGE if is_large else SMALL, unrolls)
    unit = _simplified(headers)
    if deeper is not None and headers.builder.could_know and has_costs(unit):
        unit = _knowing(peer, deeper(), UNROLLED._replace(turns=turns)) or unit
    return unit if _repeats(unit) else None


def _unrolled(peer: BlockPeer, shapes: Shapes, limits: Limits, knows: bool = False) -> Headers | None:
    """Return the headers of a unit that follows recursions to their ends; None: it has no room for that."""
    headers = _made(peer, shapes, limits, True, knows)
    if headers.nodes <= SMALL.nodes:
        headers = _made(peer, shapes, limits._replace(gathers=False), True, knows)
    return None if headers.is_cut or _pushes(headers.unit) else headers


def _knowing(peer: BlockPeer, shapes: Shapes, limits: Limits) -> Unit | None:
    """Return the unit that expects numbers; None: it is too large, or some may differ from turn to turn."""
    headers = _unrolled(peer, shapes, limits, knows=True)
    unit = None if headers is None else _simplified(headers)
    return None if unit is None or expects_numbers_inside(unit) else unit


def _made(peer: BlockPeer, shapes: Shapes, limits: Limits, unrolls: bool, knows: bool = False) -> Headers:
    headers = Headers(peer, shapes, limits, unrolls, knows)
    Ends(headers).make_all()
    headers.unit.is_cut = headers.is_cut
    return headers


def _simplified(headers: Headers) -> Unit:
    """Return a unit that is complete, without the tests that it does not need."""
    unit = headers.unit
    _remove_first(unit)
    remove_sure_tests(unit)
    expect_numbers(unit)
    for header in unit.headers:
        if headers.limits.gathers:  # one exit for each node would write the record of each path's beginning
            gather(header)
        header.max_steps = max(end.steps for end in ends(header))
    check_if_asked(unit)
    return unit


def _repeats(unit: Unit) -> bool:
    """Return whether there is a loop in a unit."""
    return any(_leads_back(header) for header in unit.headers)


def _pushes(unit: Unit) -> bool:
    """Return whether a recursion in a unit was not followed to its end."""
    return any(isinstance(effect, Push) for node in nodes(unit) for effect in node.effects)


def _leads_back(header: Header) -> bool:
    """Return whether a path leads from a header to itself."""
    reached = _next(header)
    for each in reached:
        reached += [other for other in _next(each) if other not in reached]
    return header in reached


def _next(header: Header) -> list[Header]:
    return [end.header for end in ends(header) if isinstance(end, Jump)]


def _remove_first(unit: Unit) -> None:
    """Remove the first header if no path jumps to it and the others reach everything else.

    The run was observed somewhere in a loop; the unit is to begin where the loop does.
    """
    first, *others = unit.headers
    if any(first in _next(header) for header in unit.headers):
        return
    reached = [header for header in others if header.entry is not None]
    for header in reached:
        reached += [other for other in _next(header) if other not in reached]
    if len(reached) == len(others) > 0:
        unit.headers.remove(first)


def ends(header: Header) -> Iterator[Jump | Exit]:
    """Yield the ends of the paths from a header."""
    for node in tree(header):
        if isinstance(node.end, Jump | Exit):
            yield node.end
        elif isinstance(node.end, Return):
            yield node.exit
