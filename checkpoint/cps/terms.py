"""The CPS language: core after CPS conversion, with k, n and l passed along.

    T    ::= s ... e                                 a term: steps, then an end
    s    ::= (read a)                                a variable or constant, as an operand
           | (x (copy a))                            let; a variable as the value of a body
           | (x (p a ...))                           a primitive
           | (x (lambda f)) f                        a closure of the function f
           | (x (member x))                          a letrec-bound name, read
           | (letrec x ...) f ...
    e    ::= (k N l a)                               give a value to a continuation; no step
           | (if a) then T else T                    one step
           | (call a k N l a ...)                    one step
           | (control p k N l a ...)                 one step: j*, resume
           | (raise a)                               one step
           | (handle k k') leave c handler c body T  one step; the body's continuation is k
           | letcont c T                             a continuation with a name; no step
    c    ::= k (n l x) T                             a continuation
    f    ::= function x (k n l x ...) T              a function
    N    ::= n | n+1 | n+2 | ...                     the number of steps done so far

`checkpoint show --pass cps` prints this language, one line for each step, with nested terms indented below
it. The margin shows the N that the step passes on and its place in the text.

Every step reads n and l and passes n + 1 and l on, as in the equations of the paper. Before the step, once
all its operands are available, <e>k,n,l stands for (if n = l then the capsule [k, (lambda k n l. e)] else e):

    x|k,n,l        ->  <k (n+1) l x>
    (e1 e2)|k,n,l  ->  e1|(lambda n l x1. e2|(lambda n l x2. <x1 k (n+1) l x2>),n,l),n,l

A term writes a chain of continuations that are used once each as a sequence of steps; n and l are passed
along it. Invariants: every name is bound once in the program; a continuation is used only within the function
that binds it; a name that a step binds is used only after that step.

Source: Siskind & Pearlmutter 2018, section 4.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

from checkpoint.dataclass import dataclass
from checkpoint.errors import Span
from checkpoint.lang import core


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Literal:
    """A constant operand."""

    value: Any


Operand = str | Literal


@dataclass(slots=True, eq=False, repr=False)
class Step:
    """The work of one step, at the span of its expression."""

    span: Span = field(repr=False)


@dataclass(slots=True, eq=False, repr=False)
class Read(Step):
    operand: Operand


@dataclass(slots=True, eq=False, repr=False)
class Copy(Step):
    name: str
    operand: Operand


@dataclass(slots=True, eq=False, repr=False)
class Compute(Step):
    """The application of a primitive, which is given by its core name.

    application: the expression of which it is the step; None: of none.
    """

    name: str
    op: str
    operands: tuple[Operand, ...]
    application: core.Prim | None = None


@dataclass(slots=True, eq=False, repr=False)
class Close(Step):
    name: str
    function: Function


@dataclass(slots=True, eq=False, repr=False)
class Member(Step):
    name: str
    member: str


@dataclass(slots=True, eq=False, repr=False)
class Letrec(Step):
    letrec: core.Letrec
    functions: dict[str, Function]


@dataclass(slots=True, eq=False, repr=False)
class Term:
    """Steps and an end; the end is set when the conversion reaches it."""

    steps: list[Step] = field(default_factory=list)
    end: End | None = None


@dataclass(slots=True, eq=False, repr=False)
class Cont:
    """A continuation: its name, its parameter and its body."""

    name: str
    param: str
    term: Term


@dataclass(slots=True, eq=False, repr=False)
class Function:
    """A lambda, and the name of its continuation parameter.

    is_separate: whether it is converted by itself later (checkpoint.cps.separate); its term is empty here.
    """

    lam: core.Lambda
    k: str
    term: Term
    is_separate: bool = False


@dataclass(slots=True, eq=False, repr=False)
class Continue:
    k: str
    operand: Operand


@dataclass(slots=True, eq=False, repr=False)
class Branch:
    span: Span = field(repr=False)
    test: Operand
    then: Term
    other: Term


@dataclass(slots=True, eq=False, repr=False)
class Call:
    span: Span = field(repr=False)
    fn: Operand
    args: tuple[Operand, ...]
    k: str


@dataclass(slots=True, eq=False, repr=False)
class Control:
    """The application of a primitive that continues the run itself: j* or resume."""

    span: Span = field(repr=False)
    op: str
    args: tuple[Operand, ...]
    k: str


@dataclass(slots=True, eq=False, repr=False)
class Throw:
    span: Span = field(repr=False)
    operand: Operand


@dataclass(slots=True, eq=False, repr=False)
class Handle:
    """The installation of a handler.

    leave: receives the value of the body, after the handler is removed. handler: receives what was raised.
    """

    span: Span = field(repr=False)
    leave: Cont
    handler: Cont
    body: Term


@dataclass(slots=True, eq=False, repr=False)
class LetCont:
    cont: Cont
    body: Term


End = Continue | Branch | Call | Control | Throw | Handle | LetCont
