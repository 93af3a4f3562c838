"""The continuations of a statement: how the statement list that contains it is left."""

from __future__ import annotations

from collections.abc import Callable

from checkpoint.dataclass import dataclass
from checkpoint.lang.core import Expr
from checkpoint.lang.python.context.meanings import Env

Next = Callable[[Env], Expr]


@dataclass(frozen=True, eq=False, repr=False)
class Handler:
    """The target of exceptions: a procedure of the exception and of these variables."""

    core: str
    variables: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Exits:
    """The continuations of a statement.

    next: what follows the statement. returns: the continuation of `return`, which takes the value.
    breaks, continues: those of `break` and `continue`; None outside of a loop.
    handler: the target of exceptions; None outside of `try`.
    caught: the core variable of the exception that a bare `raise` raises again; None outside of `except`.
    """

    next: Next
    returns: Callable[[Expr, Env], Expr]
    breaks: Next | None = None
    continues: Next | None = None
    handler: Handler | None = None
    caught: str | None = None
