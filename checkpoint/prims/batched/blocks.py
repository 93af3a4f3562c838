"""The parts of a batched program: its functions, their blocks, and the calls between these.

A block is a piece of a function without branches inside; it is a lambda of the outermost letrec, like the
functions. So what it reads of the function around it becomes parameters, its *extras*, which are found when
all blocks are known. What always holds: a name is bound once in the finished program, so a block has its own
names for its extras.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Any

from checkpoint.ad.containers import Layout
from checkpoint.dataclass import dataclass
from checkpoint.errors import Span
from checkpoint.lang.core import App, Const, Expr, If, Lambda, Let, Prim, Var

RETURN = 1 << 30  # the number of the place where a function returns: greater than that of any block


class Groups(tuple[Any, ...]):
    """The class of tuples of groups of lanes: (number of a block, lanes, what the block is entered with)."""


GROUPS = Layout(Groups)


@dataclass(eq=False)
class Part:
    """A function or block of a batched program.

    name: of its lambda. own: its own parameters. bound: the names that it binds itself.
    extras: the names bound elsewhere that it reads. calls: the parts that it calls or names as targets.
    """

    name: str
    own: tuple[str, ...]
    bound: set[str] = field(default_factory=set)
    extras: dict[str, None] = field(default_factory=dict)
    calls: list[Part] = field(default_factory=list)
    body: Expr | None = None

    def local(self, name: str) -> str:
        """Return the name by which this part knows a variable."""
        return name if name in self.bound else f"{name}~{self.name}"


@dataclass(eq=False)
class Block(Part):
    """A block of a function. number: its place in the order in which groups of lanes run."""

    number: int = -1

    @property
    def lanes(self) -> str:
        """The variable that holds the lanes of the group that runs the block."""
        return f"lanes~{self.name}"


@dataclass(eq=False)
class Function(Part):
    """A function; its first block is blocks[0]."""

    blocks: list[Block] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Pending:
    """A call, or a tuple of values for a block, that lacks the extras of its target until these are known.

    caller: the part in which it is. place: an App of the target or a Prim that makes a tuple.
    """

    caller: Part
    target: Part
    place: App | Prim

    def complete(self) -> None:
        """Add the extras of the target."""
        found = [Var(self.place.span, self.caller.local(name)) for name in self.target.extras]
        self.place.args = (*self.place.args, *found)


def find_extras(parts: Sequence[Part]) -> None:
    """Add to the extras of each part those of the parts that it calls, as far as it does not bind them."""
    callers: dict[int, list[Part]] = {}
    for part in parts:
        for called in part.calls:
            callers.setdefault(id(called), []).append(part)
    waiting = list(parts)
    while waiting:
        part = waiting.pop()
        for caller in callers.get(id(part), ()):
            new = [x for x in part.extras if x not in caller.bound and x not in caller.extras]
            if new:
                caller.extras.update(dict.fromkeys(new))
                waiting.append(caller)


# Finished lambdas


def lambdas(function: Function, span: Span) -> Iterable[tuple[str, Lambda]]:
    """Yield the lambdas of a function: its own, the one that runs groups of lanes, those of its blocks.

    (lambda (own ... extras ...)  (let ((r (block-0 '() own ... extras ...))) (if (py.is-split r) (run r) r)))
    (lambda (groups) (let ((next (py.next-group groups))) ... the block of the number of `next` ...))
    """
    params = _renamed(function, (*function.own, *function.extras), "in")
    first = function.blocks[0]
    given = dict(zip((*function.own, *function.extras), params, strict=True))
    args = [Var(span, given[name]) for name in (*first.own, *first.extras)]
    result = App(span, Var(span, first.name), (Const(span, None), *args))
    body = _run_if_split(span, function, result, f"result~{function.name}")
    yield function.name, Lambda(span, params, body, name=function.name)
    yield f"run~{function.name}", _runner(function, span)
    for block in function.blocks:
        assert block.body is not None
        extras = tuple([block.local(name) for name in block.extras])
        yield block.name, Lambda(span, (block.lanes, *block.own, *extras), block.body, name=block.name)


def _renamed(part: Part, names: Sequence[str], word: str) -> tuple[str, ...]:
    return tuple([f"{name}~{word}~{part.name}" for name in names])


def _run_if_split(span: Span, function: Function, result: Expr, name: str) -> Expr:
    var = Var(span, name)
    more = App(span, Var(span, f"run~{function.name}"), (Var(span, name),))
    return Let(span, name, result, If(span, Prim(span, "py.is-split", (var,)), more, Var(span, name)))


def _runner(function: Function, span: Span) -> Lambda:
    """Return the lambda that runs the group at the first block, until all lanes have returned."""
    own = function.name
    words = ("groups", "next", "number", "made", "rest")
    groups, group, number, made, rest = (f"{word}~{own}" for word in words)

    def item(of: str, i: int) -> Expr:
        return Prim(span, "py.item", (Var(span, of), Const(span, i)))

    def entered(block: Block) -> Expr:
        values = f"values~{block.name}"
        args = [item(values, i) for i in range(len(block.own) + len(block.extras))]
        call = App(span, Var(span, block.name), (item(group, 1), *args))
        return Let(span, values, item(group, 2), call)

    def dispatch(blocks: Sequence[Block]) -> Expr:
        if len(blocks) == 1:
            return entered(blocks[0])
        half = len(blocks) // 2
        test = Prim(span, "py.lt", (Var(span, number), Const(span, blocks[half].number)))
        return If(span, test, dispatch(blocks[:half]), dispatch(blocks[half:]))

    ordered = sorted(function.blocks, key=lambda block: block.number)
    more = Prim(span, "py.add", (Prim(span, "py.tuple-of", (Var(span, made),)), Var(span, rest)))
    again = App(span, Var(span, f"run~{own}"), (more,))
    going = If(span, Prim(span, "py.is-split", (Var(span, made),)), again, Var(span, made))
    running = Let(span, made, dispatch(ordered), going)
    value = Prim(span, "py.item", (item(group, 2), Const(span, 0)))
    test = Prim(span, "py.lt", (Var(span, number), Const(span, RETURN)))
    body = Let(span, number, item(group, 0), If(span, test, running, value))
    first = Prim(span, "py.first-groups", (Var(span, groups),))
    is_whole = Prim(span, "py.not", (Var(span, rest),))
    chosen = Let(span, group, Prim(span, "py.next-group", (first, is_whole)), body)
    whole = Let(span, rest, Prim(span, "py.other-groups", (Var(span, groups),)), chosen)
    return Lambda(span, (groups,), whole, name=f"run {own}")
