"""Making a unit of the block where a run stands: what C is then written of (graph.py).

In: a block, and what stands in the registers of its parameters. Out: the Unit whose first head is that block
for values of these kinds, or None where translation would not pay: nothing in it is run again and again.

A block is run symbolically, in what is known of its values (values.py, steps.py), and so is what follows
(ends.py), until a path comes to where it ends:
- loops and joins are heads: what is known there, but for the names of places, is the head's key, and a path
  that comes to a head of a known key goes there. So a loop is translated once for each thing worth knowing of
  it;
- a known procedure is entered, its frame kept back: what it returns to is the caller's block with all it
  knows. If it is being run already, and not of something smaller, frames are pushed, and its entry is a head.
  So a recursion over data that are known whole ends by itself (this is the whistle of supercompilation:
  Turchin 1986);
- what cannot be translated, and what would be too much, leaves the unit.
"""

from __future__ import annotations

from collections.abc import Iterator

from checkpoint.ctarget.peers import BlockPeer
from checkpoint.ctarget.translate.specialise.ends import Ends
from checkpoint.ctarget.translate.specialise.headers import Headers
from checkpoint.ctarget.translate.specialise.observe import Shape
from checkpoint.ctarget.translate.units.graph import Exit, Header, Jump, Return, Unit
from checkpoint.ctarget.translate.units.paths import tree


def specialise(peer: BlockPeer, shapes: dict[int, Shape]) -> Unit | None:
    """The unit whose entry is a block, of what stands in the registers of its parameters."""
    headers = Headers(peer, shapes)
    Ends(headers).make_all()
    unit = headers.unit
    _leave_out_the_first(unit)
    for header in unit.headers:
        header.max_steps = max(end.steps for end in ends(header))
    return unit if any(_comes_back(header) for header in unit.headers) else None


def _comes_back(header: Header) -> bool:
    """Whether a path leads from a head to itself."""
    reached = _next(header)
    for each in reached:
        reached += [other for other in _next(each) if other not in reached]
    return header in reached


def _next(header: Header) -> list[Header]:
    return [end.header for end in ends(header) if isinstance(end, Jump)]


def _leave_out_the_first(unit: Unit) -> None:
    """A run stands somewhere in a loop: where that is gone on to only once, and all else can be entered by
    other heads, the unit begins there.
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
    """Where the paths from a head end."""
    for node in tree(header):
        if isinstance(node.end, Jump | Exit):
            yield node.end
        elif isinstance(node.end, Return):
            yield node.exit
