"""The meanings of the names of a Python program during translation.

A *binding* is a local variable: the core variable that holds it at this point. A *callee* is a function whose
text is known: the arguments of its calls are arranged at translation. A *reference* is a known Python object,
such as a module, a function or a class, that a name denotes wherever the program runs; its `input` says how
the object is found at a later call, and is None for an object that cannot change (linking/inputs.py).
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from checkpoint.dataclass import dataclass
from checkpoint.errors import SourceError, Span
from checkpoint.lang import core
from checkpoint.lang.python.scopes.scopes import FunctionNode

Maker = Callable[[Span], core.Expr]  # makes a new expression for each place


@dataclass(frozen=True, eq=False, repr=False)
class Signature:
    """The parameters of a function.

    positional, keyword_only, vararg, kwarg: their names, in the order in which the procedure takes them.
    positional_only: how many of the first ones cannot be passed by name. defaults: makers of the default
    values.
    """

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
        """Return all parameters."""
        stars = tuple(name for name in (self.vararg, self.kwarg) if name is not None)
        return self.named + stars

    @property
    def required(self) -> int:
        """Return the number of positional parameters without a default."""
        return sum(name not in self.defaults for name in self.positional)

    @property
    def is_plain(self) -> bool:
        """Return whether every call passes the same number of arguments, all by position."""
        return not (self.keyword_only or self.vararg or self.kwarg or self.defaults)


def signature_of(node: FunctionNode, defaults: Mapping[str, Maker]) -> Signature:
    """Return the signature of a function definition."""
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
    """Return the parameters that have defaults, with these, in the order of their evaluation."""
    args = node.args
    positional = [a.arg for a in (*args.posonlyargs, *args.args)]
    found = list(zip(positional[len(positional) - len(args.defaults) :], args.defaults, strict=True))
    found += [(a.arg, d) for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d is not None]
    return found


@dataclass(frozen=True, eq=False, repr=False)
class Callee:
    """A procedure whose signature is known.

    make: returns a reference to the procedure, given its place.
    ins: the variables whose current values a call passes after the arguments.
    outs: the variables that a call changes; it returns a tuple of the result and of their new values.
    guarded: for one with outs, whether a call returns an exception, as a `FAILED` record in place of the
    result, instead of raising it, so that the new values reach the caller.
    internal: whether it is a library function, whose calls appear in errors as the user's own call.
    implicit: how many arguments Python's messages count in addition, such as `self` of a constructor.
    builds: of a constructor, makes a call of its arranged arguments; there is no procedure then.
    may_decline: whether it may return NotImplemented.
    written: the parameters of which it returns what they hold at its end, in a tuple after the result.
    """

    name: str
    make: Maker
    signature: Signature
    ins: tuple[str, ...] = ()
    outs: tuple[str, ...] = ()
    guarded: bool = False
    internal: bool = False
    implicit: int = 0
    builds: Callable[[list[core.Expr], Span], core.Expr] | None = None
    may_decline: bool = False
    written: tuple[str, ...] = ()

    def applied(self, args: list[core.Expr], span: Span) -> core.Expr:
        """Return a call with all arguments in place."""
        if self.builds is not None:
            return self.builds(args, span)
        return core.App(span, self.make(span), tuple(args))


@dataclass(frozen=True, eq=False, repr=False)
class Group:
    """A class of the program, with those derived from it that have the same methods.

    methods: some methods, by name, as functions that take the object first. has_derived: whether the program
    knows a class that is derived from it.
    """

    cls: type
    methods: Mapping[str, Callee]
    has_derived: bool


def unavailable(error: SourceError) -> Callee:
    """Return the callee of a function that cannot be translated: making a call of it raises the error."""

    def make(span: Span) -> core.Expr:
        raise SourceError(error.message, error.span)

    return Callee("", make, Signature((), (), "args", "kwargs"))


def variable(name: str) -> Maker:
    """Return a maker of references to a core variable."""
    return lambda span: core.Var(span, name)


@dataclass(frozen=True, eq=False, repr=False)
class Binding:
    """The state of a variable at one point of the program.

    core: the core variable; "" if the variable is unassigned. cell: whether that holds the variable's cell.
    unbound: whether the variable may be unassigned. callee: the function that it holds, if that is known.
    free: whether Python treats it as a free variable at this point; None: as the scope of the function says.
    outside: whether it is one outside of the function that the program assigns (linking/assigned.py).
    """

    core: str
    cell: bool = False
    unbound: bool = False
    callee: Callee | None = None
    free: bool | None = None
    outside: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class KnownFunction:
    """A nested function that is only called: the variables that a call changes, and those that it needs."""

    effects: frozenset[str]
    uses: frozenset[str]


Env = Mapping[str, Binding]


def as_parameter(core: str, old: Binding | None) -> Binding:
    """Return the binding of a variable that a procedure of the same function takes as a parameter."""
    if old is None:
        return Binding(core, unbound=True)
    return Binding(core, cell=old.cell, unbound=old.unbound or not old.core, free=old.free)


@dataclass(frozen=True, eq=False, repr=False)
class Reference:
    """A known Python object; input: the index of the input that leads to it, None if it cannot change."""

    value: Any
    input: int | None = None


EMPTY = inspect.Parameter.empty
