"""`locals()` as the dictionary of the variables that a function has at that place.

In: the tree of a function that no function encloses. Out: the tree with a display for each call of `locals`
for which the text tells which variables have a value; the others are refused when they are reached. Up to
Python 3.12 all calls in a function give one dictionary: one that is kept beside other calls is refused, too.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from types import CodeType
from typing import Any

from checkpoint.lang.python.scopes.imports import bound_by
from checkpoint.lang.python.scopes.syntax import walk

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp)
_NESTED = (*_SCOPES, ast.DictComp, ast.GeneratorExp)


def spelled_out(tree: Any, code: CodeType) -> Any:
    """Return the tree of a function with its variables by name in the place of calls of `locals`."""
    if "locals" not in code.co_names or code.co_freevars or not isinstance(tree, ast.FunctionDef):
        return tree
    made: ast.FunctionDef = copy.deepcopy(tree)
    found = _Variables((*code.co_varnames, *code.co_cellvars))
    found.block(made.body, set(code.co_varnames[: _count(code)]), set())
    known = found.known if _is_made_once(made) else _passed_on(made, found.known)
    return _Displays(known).visit(made) if known else tree


def _is_made_once(tree: ast.FunctionDef) -> bool:
    """Return whether the text has one call of `locals`, outside of all loops."""
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For | ast.While)]
    in_loops = any(_is_call(inner) for loop in loops for inner in ast.walk(loop))
    return not in_loops and sum(map(_is_call, ast.walk(tree))) == 1


_PASSED_ON = (ast.Call, ast.keyword, ast.Subscript, ast.Compare, ast.BinOp, ast.Return, ast.Attribute)


def _passed_on(tree: ast.FunctionDef, known: dict[ast.AST, list[str]]) -> dict[ast.AST, list[str]]:
    """Return those of the calls whose dictionary the function does not keep."""
    users = [node for node in ast.walk(tree) if isinstance(node, _PASSED_ON)]
    used = {inner for node in users for inner in ast.iter_child_nodes(node)}
    return {call: names for call, names in known.items() if call in used}


def _count(code: CodeType) -> int:
    """Return the number of the parameters, those with stars included."""
    return code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)


class _Variables:
    """The variables that have a value at each call of `locals` where that is known.

    order: all variables, in the order of Python's dictionary. known: those of each call.
    """

    def __init__(self, order: Sequence[str]) -> None:
        self.order = order
        self.known: dict[ast.AST, list[str]] = {}

    def block(self, statements: Sequence[ast.stmt], sure: set[str], perhaps: set[str]) -> None:
        """Go through statements; sure: the variables that have a value; perhaps: those that may have one."""
        for statement in statements:
            inner = [part for part in _blocks(statement) if part]
            own = _own(statement)
            around = own | {name for part in inner for each in part for name in _assigned(each)}
            if not inner:
                self._note(statement, sure, perhaps | _walrus(statement))
                if isinstance(statement, ast.Delete):
                    sure -= own
                else:
                    sure |= own
                continue
            if isinstance(statement, ast.If):
                self._branches(statement, sure, perhaps)
                continue
            # Of a loop the names of all its statements may have a value in each of them.
            sure -= _deleted(statement)
            self._note_head(statement, sure, perhaps | around)
            for part in inner:
                self.block(part, sure | _with_target(statement), perhaps | around)
            perhaps |= around

    def _branches(self, statement: ast.If, sure: set[str], perhaps: set[str]) -> None:
        """Go through both branches; afterwards those variables are sure that are so at the end of each."""
        own = _own(statement)
        self._note_head(statement, sure, perhaps | own)
        perhaps |= own
        ends = []
        for part in (statement.body, statement.orelse):
            end, inside = set(sure), set(perhaps)
            self.block(part, end, inside)
            if not part or not isinstance(part[-1], ast.Return | ast.Raise | ast.Continue | ast.Break):
                ends.append(end)
                perhaps |= {name for each in part for name in _assigned(each)}
        if ends:
            sure.clear()
            sure |= ends[0].intersection(*ends)

    def _note(self, node: ast.AST, sure: set[str], perhaps: set[str]) -> None:
        for call in walk([node], lambda inner: not isinstance(inner, _NESTED)):
            if _is_call(call) and perhaps <= sure:
                self.known[call] = [name for name in self.order if name in sure]

    def _note_head(self, statement: ast.stmt, sure: set[str], perhaps: set[str]) -> None:
        for part in ast.iter_child_nodes(statement):
            if isinstance(part, ast.expr | ast.withitem):
                self._note(part, sure, perhaps)


def _is_call(node: ast.AST) -> bool:
    match node:
        case ast.Call(ast.Name("locals"), [], []):
            return True
    return False


def _blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    """Return the blocks of statements inside of a statement of the same function."""
    if isinstance(statement, _SCOPES):
        return []
    handlers = [each.body for each in getattr(statement, "handlers", ())]
    cases = [each.body for each in getattr(statement, "cases", ())]
    parts = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
    return [*parts, *handlers, *cases]


def _own(statement: ast.stmt) -> set[str]:
    """Return the variables that a statement assigns itself, not those inside of its blocks."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {bound_by(statement, alias) for alias in statement.names}
    return _stored([part for part in ast.iter_child_nodes(statement) if not isinstance(part, ast.stmt)])


def _assigned(statement: ast.stmt) -> set[str]:
    """Return the variables that a statement or one inside of it assigns."""
    inside = {name for part in _blocks(statement) for each in part for name in _assigned(each)}
    return _own(statement) | inside


def _deleted(statement: ast.stmt) -> set[str]:
    """Return the variables that a statement or one inside of it may delete."""
    own = {each.name for each in getattr(statement, "handlers", ()) if each.name is not None}
    if isinstance(statement, ast.Delete):
        own |= _own(statement)
    return own.union(*[_deleted(each) for part in _blocks(statement) for each in part])


def _stored(nodes: Sequence[ast.AST]) -> set[str]:
    found: set[str] = set()
    for node in walk(nodes, lambda inner: not isinstance(inner, (*_NESTED, ast.stmt))):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                found.add(name)
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
            ):
                found.add(name)
            case ast.MatchMapping(rest=str(name)):
                found.add(name)
    return found


def _walrus(statement: ast.stmt) -> set[str]:
    """Return the variables that an expression of a statement assigns."""
    nodes = walk([statement], lambda inner: not isinstance(inner, _NESTED))
    return {node.target.id for node in nodes if isinstance(node, ast.NamedExpr)}


def _with_target(statement: ast.stmt) -> set[str]:
    """Return the variables that have a value in the block of a `with` or `for`."""
    if isinstance(statement, ast.With):
        return _stored([item.optional_vars for item in statement.items if item.optional_vars is not None])
    return _stored([statement.target]) if isinstance(statement, ast.For) else set()


class _Displays(ast.NodeTransformer):
    """Puts displays into the places of calls."""

    def __init__(self, known: dict[ast.AST, list[str]]) -> None:
        self.known = known

    def visit_Call(self, node: ast.Call) -> ast.AST:  # as ast names it
        names = self.known.get(node)
        if names is None:
            return self.generic_visit(node)
        keys = [ast.copy_location(ast.Constant(name), node) for name in names]
        values = [ast.copy_location(ast.Name(name, ast.Load()), node) for name in names]
        return ast.copy_location(ast.Dict(list(keys), list(values)), node)
