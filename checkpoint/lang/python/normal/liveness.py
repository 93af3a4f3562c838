"""Compute the variables that are live after each statement, so that joins and loops pass no others on.

In: statements in normal form (normaliser.py), and the variables that each expression reads. Out: for each
statement the variables that may still be read after it, and for each loop those that are live at its header.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection
from dataclasses import replace

from checkpoint.dataclass import dataclass
from checkpoint.lang.python.normal.nodes import Change, Scoped, Yielded
from checkpoint.lang.python.scopes.syntax import captures_of, names_in, rebound_by

Names = frozenset[str]
NONE: Names = frozenset()


@dataclass(frozen=True, eq=False, repr=False)
class LiveAtExits:
    """The variables that are live where break, continue, return or an exception leave a statement list."""

    breaks: Names
    continues: Names
    returns: Names
    raises: Names


class Liveness:
    """The live variables of one function.

    reads: returns the variables that an expression or definition reads. cells: the variables that are kept in
    cells.
    after: for each statement the variables that are live after it. header: for each loop those live at its
    header.
    """

    def __init__(self, reads: Callable[[ast.AST], Names], cells: Names) -> None:
        self.reads = reads
        self.cells = cells
        self.after: dict[ast.stmt, Names] = {}
        self.header: dict[ast.stmt, Names] = {}

    def function(self, body: list[ast.stmt], returned: Names, guarded: bool) -> None:
        """Analyse a whole body.

        returned: the variables that the caller receives; guarded: it receives them after an exception, too.
        """
        self.block(body, returned, LiveAtExits(NONE, NONE, returned, returned if guarded else NONE))

    def block(self, statements: list[ast.stmt], after: Names, around: LiveAtExits) -> Names:
        """Return the variables that are live before a list of statements."""
        for statement in reversed(statements):
            self.after[statement] = after
            after = self.before(statement, after, around) | around.raises
        return after

    def before(self, node: ast.stmt, after: Names, around: LiveAtExits) -> Names:
        match node:
            case ast.Assign():
                return (
                    self.killed(after, [node.targets[0]])
                    | self.reads(node.value)
                    | self.reads_of_target(node)
                )
            case Change():
                result = NONE if node.result is None else frozenset((node.result,))
                return (after - result) | self.reads(node) | _root(node)
            case ast.Expr():
                return after | self.reads(node.value)
            case ast.Return():
                return around.returns | (NONE if node.value is None else self.reads(node.value))
            case ast.Raise():
                return around.raises | self.reads(node)
            case ast.Break():
                return around.breaks
            case ast.Continue():
                return around.continues
            case ast.If():
                then = self.block(node.body, after, around)
                return self.reads(node.test) | then | self.block(node.orelse, after, around)
            case ast.While():
                return self.loop(node, after, around, self.reads(node.test), [])
            case ast.For():
                return self.loop(node, after, around, NONE, [node.target]) | self.reads(node.iter)
            case Scoped():
                return (self.block(node.body, after, around) - node.names) | (after & node.names)
            case Yielded():
                return self.stored(after, node.stored) | self.reads(node.value)
            case ast.Delete():
                return after | names_in(*node.targets)
            case ast.FunctionDef():
                return self.stored(after, {node.name}) | self.reads(node)
            case ast.Try():
                return self.try_(node, after, around)
            case ast.Match():
                return self.match(node, after, around)
        return after | self.reads(node)

    def reads_of_target(self, node: ast.Assign) -> Names:
        target = node.targets[0]
        return NONE if isinstance(target, ast.Name) else self.reads(target)

    def killed(self, after: Names, targets: list[ast.expr]) -> Names:
        return self.stored(after, names_in(*targets))

    def stored(self, after: Names, names: Collection[str]) -> Names:
        """Return the variables live before some names are written; writing to a cell reads the cell."""
        return (after - frozenset(names)) | (self.cells & frozenset(names))

    def loop(
        self,
        node: ast.While | ast.For,
        after: Names,
        around: LiveAtExits,
        tested: Names,
        targets: list[ast.expr],
    ) -> Names:
        out = self.block(node.orelse, after, around)
        header = out | tested
        while True:
            inside = self.block(node.body, header, replace(around, breaks=after, continues=header))
            grown = header | self.killed(inside, targets)
            if grown == header:
                self.header[node] = header
                return header
            header = grown

    def try_(self, node: ast.Try, after: Names, around: LiveAtExits) -> Names:
        if node.finalbody:
            every = after | around.breaks | around.continues | around.returns | around.raises
            last = self.block(node.finalbody, every, around)
            after, around = last, LiveAtExits(last, last, last, last)
        caught = around.raises
        for handler in node.handlers:
            inside = self.block(handler.body, after, around)
            caught |= self.stored(inside, () if handler.name is None else (handler.name,))
            if handler.type is not None:
                caught |= self.reads(handler.type)
        out = self.block(node.orelse, after, around)
        if node.handlers:
            around = replace(around, raises=caught)
        return self.block(node.body, out, around) | around.raises

    def match(self, node: ast.Match, after: Names, around: LiveAtExits) -> Names:
        live = after
        for case in node.cases:
            bound = captures_of(case.pattern)
            inside = self.block(case.body, after, around)
            if case.guard is not None:
                inside |= self.reads(case.guard)
            live |= self.stored(inside, bound) | self.reads(case.pattern)
        return live | self.reads(node.subject)


def _root(node: Change) -> Names:
    root = rebound_by(node.path)
    return NONE if root is None else frozenset((root,))
