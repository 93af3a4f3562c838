"""Operations that one lane after another does: the text of one lane, in a loop over the lanes of a mask.

In: statements on numbers of one lane. Out: statements in which names that are vectors outside are numbers
of the lane. Also in: operations in order; out: them in groups, of which each has one such loop at most. What
always holds: only lanes of the mask are touched; an operation comes behind those that it reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from checkpoint.ctarget.translate.ops.operation import Operation
from checkpoint.ctarget.translate.ops.places import C_TYPES, Kind, places_in
from checkpoint.ctarget.translate.ops.scalar_ops import Apply
from checkpoint.ctarget.translate.ops.words import if_unlikely, real
from checkpoint.ctarget.translate.strips.plan import Plan
from checkpoint.ctarget.translate.strips.vectors import FAILED, spread, statements
from checkpoint.scalars.definition import find
from checkpoint.scalars.ieee import MATH_1, MATH_2

Variable = tuple[str, Kind]
_CALL = re.compile(r"\w\(")
# Where functions fail, as tests on vectors.
_REFUSED = {"": "", MATH_1: "refused_lanes({x}, {r})", MATH_2: "refused_pairs({x}, {y}, {r})"}


def in_lanes(
    mask: str, reads: Iterable[Variable], sets: Sequence[Variable], lines: Sequence[str]
) -> list[str]:
    """Return the loop. reads, sets: vectors by their names; lines: what is done for one lane.

    Numbers around calls are in arrays: so no vector is in a register while a function is called, and what
    one lane gives is not awaited by the next.
    """
    used = set(re.findall(r"\w+", "\n".join(lines)))
    reads = [(name, kind) for name, kind in dict.fromkeys(reads) if name in used]
    calls = any(map(_CALL.search, lines))
    apart = [name for name, kind in reads if calls and kind == "real"]
    joined = [name for name, kind in sets if calls and kind == "real"]
    loop = [
        f"FOR_LANES(k, {mask}) {{",
        *[f"    const {C_TYPES[kind]} of_{name} = {_element(name, kind, apart)};" for name, kind in reads],
        *[f"    {C_TYPES[kind]} of_{name};" for name, kind in sets],
        "    {",
        *[f"        const {C_TYPES[kind]} {name} = of_{name};" for name, kind in reads],
        *[f"        {C_TYPES[kind]} {name};" for name, kind in sets],
        *(["        CLEAN_VECTORS();"] if calls else []),
        *[f"        {line}" for line in lines],
        *[f"        of_{name} = {name};" for name, kind in sets],
        "    }",
        *[f"    {_stored(name, kind, joined)}" for name, kind in sets],
        "}",
    ]
    if not apart and not joined:
        return loop
    return [
        "{",
        *[f"    LANES_APART(apart_{name}, {name});" for name in apart],
        *[f"    double joined_{name}[WIDTH] = {{0}};" for name in joined],
        *[f"    {line}" for line in loop],
        *[f"    LANES_JOINED({name}, joined_{name});" for name in joined],
        "}",
    ]


def gathered(ops: Iterable[Operation], plan: Plan) -> Iterator[list[Operation]]:
    """Yield operations, each alone but for calls that do not read one another: one loop does these.

    A loop costs about as much as a call of a short function does, and its end may be mispredicted.
    """
    calls: list[Operation] = []
    behind: list[Operation] = []  # what reads their results
    for op in ops:
        calls_op = is_call(op, plan)
        awaited = {place for each in (*calls, *behind) for place in each.sets()}
        reads = not awaited.isdisjoint(places_in(op.reads()))
        if reads if calls_op else not _only_computes(op, plan):
            yield from _in_order(calls, behind)
            calls, behind = [], []
        if calls_op:
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


def vectors_in(ops: Iterable[Operation], plan: Plan) -> list[Variable]:
    """Return the vectors that operations read."""
    places = places_in([source for op in ops for source in op.reads()])
    return [(each.name, each.kind) for each in places if each not in plan.uniform]


class Call(NamedTuple):
    """A call for one lane. tests: by its result, the test on vectors of which lanes have no value."""

    text: str
    tests: dict[str, str]


def unchecked(op: Operation, plan: Plan) -> Call | None:
    """Return the call of a function whose result tells where it has no value; None: it has its own text."""
    if not (isinstance(op, Apply) and is_call(op, plan)):
        return None
    test = _REFUSED.get(find(op.definition).fails)
    if test is None or any(operand.kind != "real" for operand in op.operands):
        return None
    x, y, *_ = [*[spread(operand, plan) for operand in op.operands], ""]
    given = ", ".join([*map(real, op.operands), "0.0"][:2])
    tests = {op.to.name: test.format(x=x, y=y, r=op.to.name)} if test else {}
    return Call(f"(void)value_{op.definition}({given}, &{op.to.name});", tests)


def checked(tests: Mapping[str, str], mask: str) -> list[str]:
    """Return the statements that end the strip where a result tells that there is no value.

    Such a result is not finite, which one test tells of all of them.
    """
    if not tests:
        return []
    zeros = " + ".join([f"({name} - {name})" for name in tests])
    exact = " | ".join(tests.values())
    return [
        f"if (UNLIKELY(any((Mask)({mask} & ~MASK({zeros} == 0.0))))) {{",
        f"    {if_unlikely(f'any((Mask)({mask} & ({exact})))', FAILED)}",
        "}",
    ]


def is_call(op: Operation, plan: Plan) -> bool:
    """Return whether an operation is a function of reals, which is called for each lane."""
    is_function = isinstance(op, Apply) and op.domain == "reals" and op.to.kind == "real"
    return is_function and not plan.is_uniform_op(op) and statements(op, plan, "") is None


def _only_computes(op: Operation, plan: Plan) -> bool:
    """Return whether an operation does nothing but set its place, on vectors."""
    is_own = plan.objects.is_own(op)
    return not (is_own or plan.is_uniform_op(op)) and statements(op, plan, "") is not None


def _element(name: str, kind: Kind, apart: Sequence[str]) -> str:
    if name in apart:
        return f"apart_{name}[k]"
    return f"is_in({name}, (int)k)" if kind == "boolean" else f"{name}[k]"


def _stored(name: str, kind: Kind, joined: Sequence[str]) -> str:
    if kind == "boolean":
        return f"set_lane(&{name}, (int)k, of_{name});"
    return f"{f'joined_{name}' if name in joined else name}[k] = of_{name};"
