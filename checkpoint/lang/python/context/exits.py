"""How a list of statements is left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from checkpoint.lang.core import Expr
from checkpoint.lang.python.context.meanings import Env

Next = Callable[[Env], Expr]


@dataclass(frozen=True, eq=False, repr=False)
class Handler:
    """Where what is raised goes: a procedure of the exception and these variables."""

    core: str
    variables: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Exits:
    """How a statement list is left. `returns` takes the value; `handler`: around it, None outside of `try`.
    `caught`: the core variable of the exception that a bare `raise` raises.
    """

    next: Next
    returns: Callable[[Expr, Env], Expr]
    breaks: Next | None = None
    continues: Next | None = None
    handler: Handler | None = None
    caught: str | None = None
