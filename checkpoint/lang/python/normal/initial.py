"""Rewrite an `__init__` as a function that returns the object: the constructor of a class.

In: the definition of the method, and the class. Out: a definition without the first parameter. The
assignments `self.name = value` with which the body begins become one step that makes the object with these
attributes; the rest of the body follows, and then the object is returned.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable

from checkpoint.ad.containers import Layout
from checkpoint.lang.python.normal.nodes import Prim, assign, constant, load
from checkpoint.lang.python.scopes.syntax import names_in
from checkpoint.lang.python.source.members import base_of, found, is_slot, member_of


def constructor(
    node: ast.FunctionDef, cls: type, layout: Callable[[tuple[str, ...]], Layout]
) -> ast.FunctionDef | None:
    """Return the constructor of a class with this `__init__`; None where it has another form."""
    first = [*node.args.posonlyargs, *node.args.args][:1]
    if not first or node.decorator_list or node.args.posonlyargs or rebinds(node, first[0].arg):
        return None
    if base_of(cls) is not None:
        return None
    if any(isinstance(each, ast.Return) and each.value is not None for each in ast.walk(node)):
        return None
    made = copy.deepcopy(node)
    self = first[0].arg
    made.args.args.pop(0)
    body: list[ast.stmt] = []
    names: list[str] = []
    while made.body:
        name = _initial(made.body[0], self, cls, names)
        if name is None:
            break
        statement = made.body.pop(0)
        assert isinstance(statement, ast.Assign | ast.AnnAssign)
        assert statement.value is not None
        body.append(assign(f"%{name}", statement.value, statement))
        names.append(name)
    values: list[ast.expr] = [load(f"%{name}", node) for name in names]
    new = Prim("py.new", [constant(layout(tuple(names)), node), *values], node)
    body.append(assign(self, new, node))
    rest = [_Returning(self).visit(statement) for statement in made.body]
    last = ast.copy_location(ast.Return(load(self, node)), node)
    made.body = [*body, *rest, last]
    return made


def with_variable_class(node: ast.FunctionDef, name: str) -> ast.FunctionDef:
    """Return a class method whose first parameter, the known class, is stored in a variable of its name."""
    made = copy.deepcopy(node)
    known = f"%{name}"
    first = [*made.args.posonlyargs, *made.args.args][0]
    first.arg = known
    made.body.insert(0, assign(name, load(known, node), node))
    return made


def rebinds(node: ast.FunctionDef, name: str) -> bool:
    """Return whether the body may assign to a name, or delete it."""
    stores = (n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name)
    return any(not isinstance(n.ctx, ast.Load) for n in stores)


def _initial(statement: ast.stmt, self: str, cls: type, before: list[str]) -> str | None:
    """Return the attribute that a statement gives the new object, by a value that does not depend on it."""
    match statement:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=of), attr=name)], value=value):
            if of != self:
                return None
        case ast.AnnAssign(target=ast.Attribute(value=ast.Name(id=of), attr=name), value=ast.expr() as value):
            if of != self:
                return None
        case _:
            return None
    if name in before or names_in(value) & {self, "super", "__class__"} or not _is_plain(cls, name):
        return None
    return name


def _is_plain(cls: type, name: str) -> bool:
    """Return whether an assignment to an attribute does no more than store the value."""
    if found(cls, "__setattr__") is not object.__setattr__:
        return False
    member = found(cls, name)
    if getattr(cls, "__dictoffset__", 0):
        return member is None or is_slot(member) or not hasattr(type(member_of(cls, name)), "__set__")
    return is_slot(member)


class _Returning(ast.NodeTransformer):
    """Let every `return` of a method return the object."""

    def __init__(self, name: str) -> None:
        self.name = name

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        return ast.copy_location(ast.Return(load(self.name, node)), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        return node
