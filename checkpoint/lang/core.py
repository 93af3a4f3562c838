"""The core language: what every front end produces and every engine runs.

    e ::= c | x | (lambda (x ...) e) | (e e ...) | (if e e e) | (let ((x e)) e)
        | (letrec ((x (lambda ...)) ...) e) | (prim e ...) | (raise e) | (handle e (x) e)

What always holds of a program (lang/grammar.py checks it):
- no variable is free, and no two binders anywhere in a program bind the same name;
- no bound name is that of a primitive or of a keyword, so that the printed program reads back;
- a primitive has as many operands as its record says;
- a letrec binds lambdas only.

Each expression is one step of a run when it is evaluated (DESIGN: Steps), so no pass after this one
may add or remove expressions.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from checkpoint.errors import Span


@dataclass(slots=True, eq=False, repr=False)
class Expr:
    """Any core expression. Identity is equality: two places in a program are two expressions."""

    span: Span = field(repr=False)


@dataclass(slots=True, eq=False, repr=False)
class Const(Expr):
    """A literal: a real, an integer, a boolean, null (None), a string, a symbol, or pairs of these."""

    value: object


@dataclass(slots=True, eq=False, repr=False)
class Var(Expr):
    name: str


@dataclass(slots=True, eq=False, repr=False)
class Lambda(Expr):
    """A procedure's text.

    name: what to call it in messages, if it has a name.
    shown: whether its calls are told where a run fails: a function of the user's own.
    primitive: the primitive of which this is the eta-expansion (a primitive used as a value).
    compiled: what each engine made of this lambda, by the engine's name; engines fill it in.
    """

    params: tuple[str, ...]
    body: Expr
    name: str | None = None
    primitive: str | None = None
    compiled: dict[str, object] = field(default_factory=dict, repr=False)
    shown: bool = False


@dataclass(slots=True, eq=False, repr=False)
class App(Expr):
    fn: Expr
    args: tuple[Expr, ...]


@dataclass(slots=True, eq=False, repr=False)
class If(Expr):
    test: Expr
    then: Expr
    other: Expr


@dataclass(slots=True, eq=False, repr=False)
class Let(Expr):
    name: str
    value: Expr
    body: Expr


@dataclass(slots=True, eq=False, repr=False)
class Letrec(Expr):
    bindings: tuple[tuple[str, Lambda], ...]
    body: Expr


@dataclass(slots=True, eq=False, repr=False)
class Prim(Expr):
    """A primitive applied to all its operands; `op` names its record in checkpoint.prims."""

    op: str
    args: tuple[Expr, ...]


@dataclass(slots=True, eq=False, repr=False)
class Raise(Expr):
    value: Expr


@dataclass(slots=True, eq=False, repr=False)
class Handle(Expr):
    """Evaluate `body`; if that raises, bind `name` to what was raised and evaluate `handler`."""

    body: Expr
    name: str
    handler: Expr
