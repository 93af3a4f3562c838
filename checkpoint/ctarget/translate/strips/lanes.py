"""Operations that one lane after another does: the text of one lane, in a loop over the lanes of a mask.

In: statements on numbers of one lane. Out: statements in which names that are vectors outside are numbers
of the lane. Also in: operations in order; out: them in groups, of which each has one such loop at most. What
always holds: only lanes of the mask are touched; an operation comes behind those that it reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from checkpoint.ctarget.translate.ops.operation import Operation
from checkpoint.ctarget.translate.ops.places import C_TYPES, Kind, places_in
from checkpoint.ctarget.translate.ops.scalar_ops import Apply
from checkpoint.ctarget.translate.strips.plan import Plan
from checkpoint.ctarget.translate.strips.vectors import statements

Variable = tuple[str, Kind]
_CALL = re.compile(r"\w\(")


def in_lanes(
    mask: str, reads: Iterable[Variable], sets: Sequence[Variable], lines: Sequence[str]
) -> list[str]:
    """Return the loop. reads, sets: vectors by their names; lines: what is done for one lane."""
    used = set(re.findall(r"\w+", "\n".join(lines)))
    reads = [(name, kind) for name, kind in dict.fromkeys(reads) if name in used]
    return [
        f"FOR_LANES(k, {mask}) {{",
        *[f"    const {C_TYPES[kind]} of_{name} = {_element(name, kind)};" for name, kind in reads],
        *[f"    {C_TYPES[kind]} of_{name};" for name, kind in sets],
        "    {",
        *[f"        const {C_TYPES[kind]} {name} = of_{name};" for name, kind in reads],
        *[f"        {C_TYPES[kind]} {name};" for name, kind in sets],
        *(["        CLEAN_VECTORS();"] if any(map(_CALL.search, lines)) else []),
        *[f"        {line}" for line in lines],
        *[f"        of_{name} = {name};" for name, kind in sets],
        "    }",
        *[f"    {_stored(name, kind)}" for name, kind in sets],
        "}",
    ]


def gathered(ops: Iterable[Operation], plan: Plan) -> Iterator[list[Operation]]:
    """Yield operations, each alone but for calls that do not read one another: one loop does these.

    A loop costs about as much as a call of a short function does, and its end may be mispredicted.
    """
    calls: list[Operation] = []
    behind: list[Operation] = []  # what reads their results
    for op in ops:
        is_call = _is_call(op, plan)
        awaited = {place for each in (*calls, *behind) for place in each.sets()}
        reads = not awaited.isdisjoint(places_in(op.reads()))
        if reads if is_call else not _only_computes(op, plan):
            yield from _in_order(calls, behind)
            calls, behind = [], []
        if is_call:
            calls.append(op)
        elif calls and reads:
            behind.append(op)
        else:
            yield [op]
    yield from _in_order(calls, behind)


def _in_order(calls: list[Operation], behind: list[Operation]) -> Iterator[list[Operation]]:
    if calls:
        yield calls
    for op in behind:
        yield [op]


def _is_call(op: Operation, plan: Plan) -> bool:
    """Return whether an operation is a function of reals, which is called for each lane."""
    is_function = isinstance(op, Apply) and op.domain == "reals" and op.to.kind == "real"
    return is_function and not plan.is_uniform_op(op) and statements(op, plan, "") is None


def _only_computes(op: Operation, plan: Plan) -> bool:
    """Return whether an operation does nothing but set its place, on vectors."""
    is_own = plan.objects.is_own(op)
    return not (is_own or plan.is_uniform_op(op)) and statements(op, plan, "") is not None


def _element(name: str, kind: Kind) -> str:
    return f"is_in({name}, (int)k)" if kind == "boolean" else f"{name}[k]"


def _stored(name: str, kind: Kind) -> str:
    return f"set_lane(&{name}, (int)k, of_{name});" if kind == "boolean" else f"{name}[k] = of_{name};"
