"""On which arguments of a program the operands of its steps can depend, found from its text.

In: the entry of a linked program (a lambda of the tuple of its arguments), and what kinds of values the
arguments are. Out: a Dependence, which says for each application of a primitive which operands cannot depend
on certain arguments.

A value is described by the bits of the arguments that it, and all that it reaches, may be made of, and by its
kind: an atom (a number, a string, an array), a container of atoms, or one of containers. ANYTHING describes
what may be made of any argument: what the program's own containers hold, what procedures receive and return
that are used as values, what operators and handlers return. Containers among the arguments never change, or
the analysis is not asked. What is found holds in every run of the program's code for these arguments, also
within operators.

A procedure is analysed when a call or a use as a value reaches it, again when one of its variables or a
result that it reads has come to be described by more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from checkpoint.ad.record import Primitive, Scalar, Update, lookup
from checkpoint.ad.tensors import Tensor
from checkpoint.lang.core import App, Const, Expr, Handle, If, Lambda, Let, Letrec, Prim, Var
from checkpoint.lang.walk import binders, children

Described = int  # bits << 2 | kind
ATOM, FLAT, DEEP = 0, 1, 2
ANYTHING: Described = -1
NOTHING: Described = ATOM  # a constant

_READS = frozenset(("py.item", "py.attribute"))
_SAME = frozenset(("py.sequence",))
_COUNTS = frozenset(("py.len", "py.index", "py.lt", "py.le", "py.gt", "py.ge", "py.eq", "py.ne", "py.truth"))


def described(position: int, kind: int) -> Described:
    """Return the description of an argument."""
    return 1 << position + 2 | kind


def _joined(x: Described | None, y: Described) -> Described:
    """Return the description of what one of two describes."""
    if x is None or x == y:
        return y
    return ANYTHING if ANYTHING in (x, y) or (x ^ y) & 3 else x | y


class Dependence:
    """The descriptions of the operands of all applications that a program reaches.

    inputs: describes variables that the program does not bind, which it reads from its surroundings.
    """

    def __init__(self, entry: Lambda, arguments: Sequence[Described], inputs: Described) -> None:
        self.operands: dict[Prim, tuple[Described, ...]] = {}
        self._entry = entry
        self._arguments = arguments
        self._inputs = inputs
        self._variables: dict[str, Described] = dict.fromkeys(entry.params, ANYTHING)
        self._bound = set(entry.params)
        self._results: dict[Lambda, Described] = {}
        self._readers: dict[object, set[Lambda]] = {}  # of variables, and of results of lambdas
        self._orders: dict[Lambda, list[Expr]] = {}
        self._pending: dict[Lambda, None] = {}
        self._reach(entry)
        while self._pending:
            self._analyse(self._pending.popitem()[0])

    def without(self, wanted: int, application: Prim) -> int:
        """Return the bits of the operands of an application that depend on no argument of `wanted`, bits."""
        operands = self.operands.get(application, ())
        found = [1 << i for i, x in enumerate(operands) if x != ANYTHING and not x >> 2 & wanted]
        return sum(found)

    def _reach(self, lam: Lambda) -> None:
        """Analyse a lambda that may be called, unless it has been."""
        if lam in self._orders:
            return
        self._orders[lam] = list(_in_order(lam.body, lam.definitions))
        self._bound.update(lam.params)
        for expr in self._orders[lam]:
            if type(expr) in (Let, Handle):
                self._bound.update(binders(expr))
            if type(expr) is Handle:
                self._bind(expr.name, ANYTHING)
        self._pending[lam] = None

    def _escape(self, lam: Lambda) -> None:
        """Note that a lambda is used as a value, so that anything may call it."""
        self._reach(lam)
        for param in lam.params:
            self._bind(param, ANYTHING)

    def _bind(self, name: str, value: Described) -> None:
        joined = _joined(self._variables.get(name), value)
        if self._variables.get(name) != joined:
            self._variables[name] = joined
            self._changed(name)

    def _changed(self, source: object) -> None:
        for reader in self._readers.get(source, ()):
            self._pending[reader] = None

    def _analyse(self, lam: Lambda) -> None:
        """Describe what the body of a lambda makes, from what is known of its variables."""
        values: dict[Expr, Described | None] = {}
        for expr in self._orders[lam]:
            values[expr] = self._value(lam, expr, values)
        result = values[lam.body]
        if result is not None and self._results.get(lam) != (
            joined := _joined(self._results.get(lam), result)
        ):
            self._results[lam] = joined
            self._changed(lam)

    def _value(self, lam: Lambda, expr: Expr, values: dict[Expr, Described | None]) -> Described | None:
        """Return the description of an expression whose parts are described; None: it has no value so far."""
        match expr:
            case Const():
                return NOTHING if type(expr.value) in (float, int, str, bool, type(None)) else ANYTHING
            case Var():
                return self._variable(lam, expr.name)
            case Lambda():
                self._escape(expr)
                return ANYTHING
            case Let():
                return values[expr.body]
            case Letrec():
                return values[expr.body]
            case If():
                return _either(values[expr.then], values[expr.other])
            case Handle():
                return _either(values[expr.body], values[expr.handler])
            case App():
                return self._called(lam, expr, values)
            case Prim():
                return self._applied(expr, [values[arg] for arg in expr.args])
            case _Binding():
                value = values[expr.value]
                if value is not None:
                    self._bind(expr.name, value)
                return None
        return None  # a raise

    def _variable(self, lam: Lambda, name: str) -> Described | None:
        definition = lam.definitions.get(name)
        if definition is not None:
            self._escape(definition)
            return ANYTHING
        self._readers.setdefault(name, set()).add(lam)
        return self._variables.get(name) if name in self._bound else self._inputs

    def _called(self, lam: Lambda, expr: App, values: dict[Expr, Described | None]) -> Described | None:
        """Return what a call returns; a procedure that a letrec binds receives its arguments."""
        callee = lam.definitions.get(expr.fn.name) if type(expr.fn) is Var else None
        if callee is None:
            return ANYTHING
        if len(callee.params) != len(expr.args):
            return None
        self._reach(callee)
        for param, arg in zip(callee.params, expr.args, strict=True):
            value = values[arg]
            if value is not None:
                self._bind(param, value)
        self._readers.setdefault(callee, set()).add(lam)
        return self._results.get(callee)

    def _applied(self, expr: Prim, operands: list[Described | None]) -> Described | None:
        if None in operands:
            return None
        given = tuple([x for x in operands if x is not None])
        self.operands[expr] = given
        if expr.op == "py.item" and type(expr.args[0]) is Var and expr.args[0].name == self._entry.params[0]:
            return self._argument(expr.args[1])
        return _result(lookup(expr.op), given)

    def _argument(self, position: Expr) -> Described:
        is_known = type(position) is Const and type(position.value) is int
        return self._arguments[position.value] if is_known else ANYTHING  # type: ignore[attr-defined]


def _either(x: Described | None, y: Described | None) -> Described | None:
    return x if y is None else _joined(x, y)


def _result(record: Primitive, operands: Sequence[Described]) -> Described:
    """Return the description of what a primitive makes of its operands."""
    name = record.name
    if name in _COUNTS:
        return NOTHING
    if name in _SAME:
        return operands[0]
    if name in _READS:
        first = operands[0]
        return first & ~3 if first != ANYTHING and first & 3 == FLAT else first
    if isinstance(record, Scalar | Tensor) or (isinstance(record, Update) and operands):
        return _of_atoms(record, operands)
    return ANYTHING


def _of_atoms(record: Primitive, operands: Sequence[Described]) -> Described:
    """Return the description of what is computed from atoms; from containers other containers are made."""
    made = NOTHING
    for position, operand in enumerate(operands):
        if isinstance(record, Tensor) and record.vjp(position) is None:
            continue
        if operand == ANYTHING or operand & 3:
            return ANYTHING
        made |= operand
    return made


class _Binding(Expr):
    """The moment at which a let has its value, which its body does not have yet."""

    __slots__ = ("name", "value")

    def __init__(self, let: Let) -> None:
        super().__init__(let.span)
        self.name = let.name
        self.value = let.value


def _in_order(body: Expr, definitions: Mapping[str, Lambda]) -> Iterator[Expr]:
    """Yield the expressions of a body, each after its parts, a let's binding before the let's body.

    What is inside of other lambdas, and the names of procedures that are called, are left out.
    """
    stack: list[tuple[Expr, bool]] = [(body, False)]
    while stack:
        expr, is_open = stack.pop()
        if is_open or type(expr) in (Const, Var, Lambda, _Binding):
            yield expr
            continue
        stack.append((expr, True))
        parts: Sequence[Expr] = children(expr)
        match expr:
            case Let():
                parts = (expr.value, _Binding(expr), expr.body)
            case Letrec():
                parts = (expr.body,)
            case App(fn=Var(name=name)) if name in definitions:
                parts = expr.args
        stack.extend([(part, False) for part in reversed(parts)])
