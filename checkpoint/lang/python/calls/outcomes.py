"""The outcomes of calls that write into arrays among their arguments.

In: such a call (a Writing of normal/nodes.py), and a function that it may call. Out: the tuple of what the
function returns and of what it has at its end in place of each of these arguments; one that writes into none
of them leaves them as they are.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from checkpoint.lang.core import Expr, Let, Var
from checkpoint.lang.python.calls import arrange
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import const, copy_of, prim
from checkpoint.lang.python.context.contexts import CallContext
from checkpoint.lang.python.context.meanings import Callee, Env


class Outcomes:
    """Makes the outcomes of one call, for each function that it may call.

    written: the positions or keywords of the arguments of which they tell what the callee has at its end.
    env: the bindings at the call.
    """

    def __init__(
        self, t: CallContext, node: ast.AST, written: Sequence[int | str], env: Env | None = None
    ) -> None:
        self.t = t
        self.env = env or {}
        self.node = node
        self.written = written

    def of_callee(self, callee: Callee, passed: Arguments, implicit: int) -> Expr:
        """Call a function; implicit: how many arguments come before those of the call."""
        t, span = self.t, self.t.span(self.node)
        writer = t.program.writer(callee)
        names = callee.signature.positional
        wanted = [self._parameter(names, key, implicit) for key in self.written]
        if wanted == list(writer.written):
            return arrange.apply(t, writer, passed, self.node, self._call(writer))
        values = [self._argument(passed, key, implicit) for key in self.written]
        outcome = t.fresh("outcome")
        called = arrange.apply(t, writer, passed, self.node, self._call(writer))

        def part(i: int) -> Expr:
            return prim(span, "py.item", Var(span, outcome), const(span, i))

        result = part(0) if writer.written else Var(span, outcome)
        arrays = [
            part(1 + writer.written.index(name)) if name in writer.written else copy_of(value)
            for name, value in zip(wanted, values, strict=True)
        ]
        return Let(span, outcome, called, prim(span, "py.tuple", result, *arrays))

    @staticmethod
    def _parameter(names: Sequence[str], key: int | str, implicit: int) -> str:
        """Return the parameter that receives an argument, "" where that is among those of `*args`."""
        if isinstance(key, str):
            return key
        return names[key + implicit] if key + implicit < len(names) else ""

    def _call(self, writer: Callee) -> Callable[[list[Expr]], Expr]:
        return lambda args: self.t.call(writer, args, self.env, self.t.span(self.node))

    def _argument(self, passed: Arguments, key: int | str, implicit: int) -> Expr:
        return passed.keywords[key] if isinstance(key, str) else passed.positional[key + implicit]

    def unwritten(self, result: Expr, passed: Arguments) -> Expr:
        """Return the outcome of a call that writes into nothing."""
        values = [copy_of(self._argument(passed, key, 0)) for key in self.written]
        return prim(self.t.span(self.node), "py.tuple", result, *values)
