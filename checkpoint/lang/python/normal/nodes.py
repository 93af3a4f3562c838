"""The nodes that the normal form adds to Python's syntax tree, and short ways to make nodes."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any


class Prim(ast.expr):
    """A primitive of the language, applied to expressions."""

    _fields = ("args",)

    def __init__(self, op: str, args: list[ast.expr], at: ast.AST) -> None:
        super().__init__()
        self.op = op
        self.args = args
        ast.copy_location(self, at)


class Writing(ast.expr):
    """A call of a function that writes into arrays among its arguments.

    written: the positions or the keywords of these arguments. The value is a tuple: what the call returns,
    then what the function has at its end in place of each of them.
    """

    _fields = ("call",)

    def __init__(self, call: ast.Call, written: Sequence[int | str], at: ast.AST) -> None:
        super().__init__()
        self.call = call
        self.written = written
        ast.copy_location(self, at)


class Library(ast.expr):
    """A call of a library function by position; function: the function itself."""

    _fields = ("args",)

    def __init__(self, function: Any, args: list[ast.expr], at: ast.AST) -> None:
        super().__init__()
        self.function = function
        self.args = args
        ast.copy_location(self, at)


class Change(ast.stmt):
    """A statement: a method changes the object that `path` denotes, a variable or an item within one.

    method: the name of a method of lists or dictionaries, "set" for item assignment, "put_back" for an item
        that is an array which has changed, "set_slice" for slice assignment, "delete" and "delete_slice" for
        `del`, "(call)" for a library function that changes its first argument, or "(out)" for one that writes
        its result there; then the only argument is the call.
    result: the variable that receives the method's result, if the result is used.
    """

    _fields = ("path", "args")

    def __init__(
        self, path: ast.expr, method: str, args: list[ast.expr], result: str | None, at: ast.AST
    ) -> None:
        super().__init__()
        self.path = path
        self.method = method
        self.args = args
        self.result = result
        ast.copy_location(self, at)


class Yielded(ast.stmt):
    """A statement: `result = yield value`.

    thrown: the variable that receives the exception that is thrown there, or None; without it that is raised.
    """

    _fields = ("value",)

    def __init__(self, result: str, value: ast.expr, thrown: str | None, at: ast.AST) -> None:
        super().__init__()
        self.result = result
        self.value = value
        self.thrown = thrown
        ast.copy_location(self, at)

    @property
    def stored(self) -> frozenset[str]:
        """The variables that it assigns."""
        return frozenset((self.result, self.thrown) if self.thrown is not None else (self.result,))


class Scoped(ast.stmt):
    """Statements with variables of their own, which have their previous meaning again afterwards.

    as_function: whether Python runs them as a function of their own.
    """

    _fields = ("body",)

    def __init__(self, names: frozenset[str], body: list[ast.stmt], as_function: bool, at: ast.AST) -> None:
        super().__init__()
        self.names = names
        self.as_function = as_function
        self.body = body
        ast.copy_location(self, at)


# The operators of augmented assignments, which change a list or an array in place (`py.iadd` and its kin).
IN_PLACE: dict[type[ast.operator], type[ast.operator]] = {
    op: type(f"InPlace{op.__name__}", (ast.operator,), {})
    for op in (
        ast.Add,
        ast.Sub,
        ast.Mult,
        ast.Div,
        ast.FloorDiv,
        ast.Mod,
        ast.Pow,
        ast.MatMult,
        ast.BitAnd,
        ast.BitOr,
        ast.BitXor,
        ast.LShift,
        ast.RShift,
    )
}


def load(name: str, at: ast.AST) -> ast.Name:
    return ast.copy_location(ast.Name(name, ast.Load()), at)


def assign(name: str, value: ast.expr, at: ast.AST) -> ast.Assign:
    return ast.copy_location(ast.Assign([ast.copy_location(ast.Name(name, ast.Store()), at)], value), at)


def constant(value: Any, at: ast.AST) -> ast.Constant:
    return ast.copy_location(ast.Constant(value), at)


class Keyword(ast.expr):
    """A keyword argument of a Change."""

    _fields = ("value",)

    def __init__(self, name: str | None, value: ast.expr) -> None:
        super().__init__()
        self.name = name
        self.value = value


def with_parts(node: ast.expr, table: Mapping[int, ast.expr]) -> ast.expr:
    """Return an expression with some operands replaced; table: replacements by the operands' identities."""
    fields = {name: _replaced(value, table) for name, value in ast.iter_fields(node)}
    return ast.copy_location(type(node)(**fields), node)


def _replaced(value: Any, table: Mapping[int, ast.expr]) -> Any:
    if isinstance(value, list):
        return [_replaced(part, table) for part in value]
    if id(value) in table:
        return table[id(value)]
    if isinstance(value, ast.keyword):
        return ast.copy_location(ast.keyword(value.arg, _replaced(value.value, table)), value)
    if isinstance(value, ast.Attribute) and id(value.value) in table:
        return with_parts(value, table)
    return value


def is_plain_tuple(target: ast.expr) -> bool:
    """Return whether a target is a tuple of names."""
    return isinstance(target, ast.Tuple) and all(isinstance(part, ast.Name) for part in target.elts)


def names_changed(node: ast.expr) -> set[str]:
    """Return the names that an expression assigns by `:=`."""
    return {n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr)}


def to_change(path: ast.expr) -> ast.expr:
    """Return the object that a path denotes, for an operation in place whose result is then stored there."""
    if not isinstance(path, ast.Subscript):
        return path
    if isinstance(path.slice, ast.Slice):
        return Prim("py.slice-to-change", [path.value, *bounds_of(path.slice)], path)
    return Prim("py.item-to-change", [path.value, path.slice], path)


def bounds_of(node: ast.Slice) -> list[ast.expr]:
    """Return the bounds of a slice and its step, None for each that is left out."""
    return [part or constant(None, node) for part in (node.lower, node.upper, node.step)]
