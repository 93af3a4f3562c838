"""What a name of a Python program means while it is translated.

A *binding* is a local variable: the core variable that holds it at this point. A *callee* is a function
whose text is known: calls of it are arranged when they are translated. A *reference* is a Python object
that a name means wherever the program runs: a module, a function, a class; and `input` how to find it
again at a later call, None for what cannot change (linking/inputs.py).
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from checkpoint.errors import Span
from checkpoint.lang import core
from checkpoint.lang.python.scopes.scopes import FunctionNode

Maker = Callable[[Span], core.Expr]  # makes an expression anew for each place where it is needed


@dataclass(frozen=True, eq=False, repr=False)
class Signature:
    """The parameters of a function, in the order in which its procedure takes them."""

    positional: tuple[str, ...]
    keyword_only: tuple[str, ...] = ()
    vararg: str | None = None
    kwarg: str | None = None
    positional_only: int = 0
    defaults: Mapping[str, Maker] = field(default_factory=dict)

    @property
    def named(self) -> tuple[str, ...]:
        return self.positional + self.keyword_only

    @property
    def names(self) -> tuple[str, ...]:
        """All parameters."""
        stars = tuple(name for name in (self.vararg, self.kwarg) if name is not None)
        return self.named + stars

    @property
    def required(self) -> int:
        """How many positional parameters have no default."""
        return sum(name not in self.defaults for name in self.positional)

    @property
    def is_plain(self) -> bool:
        """Whether every call passes the same number of arguments, all by position."""
        return not (self.keyword_only or self.vararg or self.kwarg or self.defaults)


def signature_of(node: FunctionNode, defaults: Mapping[str, Maker]) -> Signature:
    """The signature of a function's text."""
    args = node.args
    return Signature(
        tuple([a.arg for a in (*args.posonlyargs, *args.args)]),
        tuple([a.arg for a in args.kwonlyargs]),
        args.vararg.arg if args.vararg else None,
        args.kwarg.arg if args.kwarg else None,
        len(args.posonlyargs),
        defaults,
    )


def defaulted(node: FunctionNode) -> list[tuple[str, ast.expr]]:
    """The parameters that have defaults, with them, in the order in which they are evaluated."""
    args = node.args
    positional = [a.arg for a in (*args.posonlyargs, *args.args)]
    found = list(zip(positional[len(positional) - len(args.defaults) :], args.defaults, strict=True))
    found += [(a.arg, d) for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d is not None]
    return found


@dataclass(frozen=True, eq=False, repr=False)
class Callee:
    """A procedure whose signature is known.

    make: what is called, given where. ins: variables whose present values a call passes after the arguments.
    outs: variables that the call changes; it returns a tuple of the result and their new values.
    guarded: of one with outs, whether it raises nothing: what it raised is its result, a `FAILED` record, so
        that the new values come with it.
    own: whether it is a function of the library, whose calls are told by the user's place of the call.
    unseen: how many arguments Python's messages count besides, as `self` of what makes an object.
    """

    name: str
    make: Maker
    signature: Signature
    ins: tuple[str, ...] = ()
    outs: tuple[str, ...] = ()
    guarded: bool = False
    internal: bool = False
    implicit: int = 0


def variable(name: str) -> Maker:
    """A maker of references to a core variable."""
    return lambda span: core.Var(span, name)


@dataclass(frozen=True, eq=False, repr=False)
class Binding:
    """A variable: the core variable, whether that holds its cell, whether it may be unassigned.

    core: "" where nothing is assigned. free: whether Python has it as a free variable at this point; None: as
    the function's scope says.
    """

    core: str
    cell: bool = False
    unbound: bool = False
    callee: Callee | None = None
    free: bool | None = None


Env = Mapping[str, Binding]


def as_parameter(core: str, old: Binding | None) -> Binding:
    """A variable where a procedure of the same function takes it as a parameter."""
    if old is None:
        return Binding(core, unbound=True)
    return Binding(core, cell=old.cell, unbound=old.unbound or not old.core, free=old.free)


@dataclass(frozen=True, eq=False, repr=False)
class Reference:
    """A Python object that is known."""

    value: Any
    input: int | None = None


EMPTY = inspect.Parameter.empty
