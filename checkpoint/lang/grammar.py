"""The executable grammar of the core: it checks everything that core.py says always holds.

In: a core expression, and the primitives' numbers of operands. Out: nothing, or an InternalError that names
the fault and its place, since every expression is made by this package. Iterative.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from checkpoint.ad.containers import Layout, Types
from checkpoint.ad.record import VARIADIC
from checkpoint.ad.tables import NATIVES
from checkpoint.ad.values import Foreign, Pair, Symbol, Unusable
from checkpoint.dataclass import dataclass
from checkpoint.errors import InternalError, Span
from checkpoint.lang.core import App, Const, Expr, Handle, If, Lambda, Let, Letrec, Prim, Raise, Var
from checkpoint.lang.names import is_reserved
from checkpoint.lang.reader import is_name
from checkpoint.lang.tensors import TENSORS
from checkpoint.lang.walk import binders, children

# The types of constants, besides pairs of these.
_ATOMS = (float, int, bool, str, bytes, Symbol, type(None), Foreign, Layout, *NATIVES, Types, Unusable)
_EXPRESSIONS = (Const, Var, Lambda, App, If, Let, Letrec, Prim, Raise, Handle)


def check(expr: Expr, arities: Mapping[str, int], inputs: Collection[str] = ()) -> None:
    """Raise InternalError unless an expression is a core program; inputs: the names of its free variables."""
    _Checker(arities, inputs).program(expr)


@dataclass(frozen=True, slots=True)
class _Leave:
    """The end of the scope of some names."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Enter:
    """The beginning of the scope of some names."""

    names: tuple[str, ...]


def _inside(expr: Expr) -> list[Expr | _Enter | _Leave]:
    """Return the contents of an expression in order, with the scope of the names that it binds."""
    inside: list[Expr | _Enter | _Leave] = list(children(expr))
    names = binders(expr)
    if names:
        # The scope of a lambda's or letrec's names is all of it; that of let and handle, the second part.
        inside.insert(1 if isinstance(expr, Let | Handle) else 0, _Enter(names))
        inside.append(_Leave(names))
    return inside


class _Checker:
    def __init__(self, arities: Mapping[str, int], inputs: Collection[str]) -> None:
        self.arities = arities
        self.seen: set[Expr] = set()
        self.bound: set[str] = set(inputs)
        self.scope: set[str] = set(inputs)
        self.used: set[str] = set()

    def program(self, program: Expr) -> None:
        pending: list[Expr | _Enter | _Leave] = [program]
        while pending:
            item = pending.pop()
            if isinstance(item, _Enter):
                self.scope.update(item.names)
            elif isinstance(item, _Leave):
                self.scope.difference_update(item.names)
            else:
                self._expression(item)
                pending.extend(reversed(_inside(item)))
        for name in self.bound & self.used & TENSORS.keys():
            raise InternalError(f"{name} is bound, but it is used as a primitive", program.span)

    def _expression(self, expr: Expr) -> None:
        if type(expr) not in _EXPRESSIONS:
            raise InternalError(
                f"{type(expr).__name__} is not a core expression", getattr(expr, "span", None)
            )
        if not isinstance(expr.span, Span):
            raise InternalError(f"this {type(expr).__name__} has no span")
        if expr in self.seen:
            raise InternalError(f"this {type(expr).__name__} occurs in two places", expr.span)
        self.seen.add(expr)
        for name in binders(expr):
            self._binder(name, expr)
        match expr:
            case Const():
                self._constant(expr)
            case Var():
                self._variable(expr)
            case Prim():
                self._primitive(expr)
            case Letrec():
                self._letrec(expr)
            case Lambda():
                self._lambda(expr)

    def _binder(self, name: str, expr: Expr) -> None:
        if not is_name(name) or name.startswith("%"):
            raise InternalError(f"{name!r} cannot be a name", expr.span)
        if is_reserved(name, self.arities, ()):
            raise InternalError(f"{name} is bound, but it is a primitive or a keyword", expr.span)
        if name in self.bound:
            raise InternalError(f"{name} is bound twice", expr.span)
        self.bound.add(name)

    def _constant(self, expr: Const) -> None:
        pending = [expr.value]
        while pending:
            value = pending.pop()
            if isinstance(value, Pair):
                pending.append(value.cdr)
                pending.append(value.car)
            elif type(value) not in _ATOMS:
                raise InternalError(f"a {type(value).__name__} is not a constant", expr.span)

    def _variable(self, expr: Var) -> None:
        if expr.name not in self.scope:
            raise InternalError(f"{expr.name} is free", expr.span)

    def _primitive(self, expr: Prim) -> None:
        arity = self.arities.get(expr.op)
        if arity is None:
            raise InternalError(f"{expr.op} is not a primitive", expr.span)
        if arity != VARIADIC and len(expr.args) != arity:
            raise InternalError(f"{expr.op} takes {arity} operands, not {len(expr.args)}", expr.span)
        self.used.add(expr.op)

    def _letrec(self, expr: Letrec) -> None:
        if not expr.bindings:
            raise InternalError("this letrec binds nothing", expr.span)
        for name, lam in expr.bindings:
            if type(lam) is not Lambda:
                raise InternalError(f"the letrec binds {name} to something other than a lambda", expr.span)

    def _lambda(self, expr: Lambda) -> None:
        if expr.primitive is None:
            return
        body = expr.body
        is_eta = isinstance(body, Prim) and body.op == expr.primitive
        operands = [arg.name if isinstance(arg, Var) else None for arg in children(body)]
        if not is_eta or operands != list(expr.params):
            raise InternalError(f"this lambda is not an eta-expansion of {expr.primitive}", expr.span)
