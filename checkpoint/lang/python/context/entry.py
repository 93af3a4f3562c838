"""The context at the entry of a program, where no function is around a call or a value."""

from __future__ import annotations

import ast

from checkpoint.errors import SourceError, Span
from checkpoint.lang.core import Expr
from checkpoint.lang.python.context.builder import NOWHERE
from checkpoint.lang.python.context.contexts import CallContext, ProgramContext
from checkpoint.lang.python.context.meanings import Callee, Env

NO_NODE = ast.Pass()  # the node of a call that is in no text


class Entry(CallContext):
    """The context of the first call. A refusal has no place here; its user adds one if there is one."""

    def __init__(self, program: ProgramContext) -> None:
        self.program = program

    def span(self, node: ast.AST) -> Span:
        return NOWHERE

    def refuse(self, node: ast.AST, construct: str, advice: str) -> SourceError:
        return SourceError(f"{construct} cannot be differentiated: {advice}")

    def call(self, callee: Callee, args: list[Expr], env: Env, span: Span) -> Expr:
        return callee.applied(args, span)
