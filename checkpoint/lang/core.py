"""The core language, which every front end produces and every engine runs.

    e ::= c | x | (lambda (x ...) e) | (e e ...) | (if e e e) | (let ((x e)) e)
        | (letrec ((x (lambda ...)) ...) e) | (prim e ...) | (raise e) | (handle e (x) e)

What always holds of a program (grammar.py checks it):
- no variable is free, and no two binders in a program bind the same name;
- no bound name is that of a primitive or of a keyword, so that the printed program reads back;
- a primitive has as many operands as its record says;
- a letrec binds only lambdas.

The evaluation of each expression is one step of a run (docs/design/language.md), so no later pass may add or
remove expressions.
"""

from __future__ import annotations

from dataclasses import field

from checkpoint.dataclass import dataclass
from checkpoint.errors import Span


@dataclass(slots=True, eq=False, repr=False)
class Expr:
    """Any core expression. Two places in a program are two expressions: equality is identity."""

    span: Span = field(repr=False)


@dataclass(slots=True, eq=False, repr=False)
class Const(Expr):
    """A literal: a real, an integer, a boolean, null (None), a string, a symbol, or pairs of these."""

    value: object


@dataclass(slots=True, eq=False, repr=False)
class Var(Expr):
    name: str


MADE = object()  # what procedures stand for that a program makes when it runs


@dataclass(slots=True, eq=False, repr=False)
class Lambda(Expr):
    """The text of a procedure.

    name: its name in messages, if it has one.
    shown: whether its calls are shown where a run fails: true of the user's own functions.
    definitions: the lambdas that letrecs of its program bind, by name, once the program has been analysed.
    captures: what its closures' environments hold, as lang/closures.py names it, once that is so.
    primitive: the primitive of which this is the eta-expansion (a primitive used as a value).
    compiled: what each engine has compiled this lambda to, by the engine's name; engines fill it in.
    stands_for: the Python object that it is as a value, or a weak reference to it; MADE: the program makes it
    when it runs; None: it is not known.
    rounds: of the entry of a program, whether anything in that rounds numbers; True where it is not known.
    may_shift: whether functions of its program may shift, or be given some that do (lang/control).
    dependences: of the entry of a program, what checkpoint.lang.dependence has found, by what it was asked.
    """

    params: tuple[str, ...]
    body: Expr
    name: str | None = None
    primitive: str | None = None
    compiled: dict[str, object] = field(default_factory=dict, repr=False)
    shown: bool = False
    definitions: dict[str, Lambda] = field(default_factory=dict, repr=False)
    captures: tuple[str, ...] = ()
    stands_for: object = None
    dependences: dict[object, object] | None = field(default=None, repr=False)
    rounds: bool = True
    may_shift: bool = False


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
    """Evaluate `body`; if that raises, bind `name` to the raised value and evaluate `handler`."""

    body: Expr
    name: str
    handler: Expr
