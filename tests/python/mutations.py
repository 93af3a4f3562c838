"""Mutations of programs: syntax trees that people could have written, or left unfinished, by mistake.

In: the text of a module and the name of one of its functions. Out: the text with one to three changes in that
function or in another one of the module: names swapped, statements deleted or repeated, operators, constants
and attributes replaced, calls with other arguments, constructs that no program can use.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from random import Random
from typing import Any

from tests.python.mutation_texts import (
    ATTRIBUTES,
    CONSTANTS,
    EXCEPTIONS,
    EXPRESSIONS,
    FUNCTIONS,
    NAMES,
    STATEMENTS,
)

Change = Callable[[ast.AST, Random], bool]


def mutated(text: str, name: str, random: Random) -> str:
    """Return the text of a module in which a function, or one near it, is changed."""
    tree = ast.parse(text)
    changed = [each for each in tree.body if isinstance(each, ast.FunctionDef | ast.ClassDef)]
    own = [each for each in changed if each.name == name]
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        while not random.choice(CHANGES)(_chosen(own, changed, random), random):
            pass
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _chosen(own: list[Any], others: list[Any], random: Random) -> ast.AST:
    """Return the function itself four times of five, else any function or class of the module."""
    found: ast.AST = random.choice(own if own and random.random() < 0.8 else others)
    return found


def _bodies(where: ast.AST) -> list[list[ast.stmt]]:
    """Return the blocks of statements inside of functions."""
    functions = [each for each in ast.walk(where) if isinstance(each, ast.FunctionDef)]
    found: list[list[ast.stmt]] = []
    for function in functions:
        for node in ast.walk(function):
            for field in ("body", "orelse", "finalbody"):
                block = getattr(node, field, None)
                if isinstance(block, list) and block and not isinstance(node, ast.ClassDef):
                    found.append(block)
    return found


def _names(where: ast.AST) -> list[str]:
    """Return the names that a function reads or binds."""
    found = [each.id for each in ast.walk(where) if isinstance(each, ast.Name)]
    return [*found, *(each.arg for each in ast.walk(where) if isinstance(each, ast.arg))] or ["x"]


def _places(where: ast.AST) -> list[tuple[ast.AST, str, int | None, ast.expr]]:
    """Return where expressions are read: the node around each, its field, the position in that, itself."""
    found: list[tuple[ast.AST, str, int | None, ast.expr]] = []
    for function in ast.walk(where):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in [each for statement in function.body for each in ast.walk(statement)]:
            for field, value in ast.iter_fields(node):
                if field in ("annotation", "returns", "format_spec", "patterns", "pattern", "cls"):
                    continue
                items = value if isinstance(value, list) else [value]
                for i, each in enumerate(items):
                    if isinstance(each, ast.expr) and isinstance(getattr(each, "ctx", ast.Load()), ast.Load):
                        found.append((node, field, i if isinstance(value, list) else None, each))
    return [each for each in found if not isinstance(each[0], ast.JoinedStr | ast.FormattedValue)]


def _put(place: tuple[ast.AST, str, int | None, ast.expr], new: ast.expr) -> None:
    node, field, i, _ = place
    if i is None:
        setattr(node, field, new)
    else:
        getattr(node, field)[i] = new


def _written(text: str, **parts: ast.AST) -> ast.AST:
    """Return the tree of a text, with others in place of names."""

    class Put(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            found = parts.get(node.id)
            if isinstance(found, ast.Name):
                return ast.Name(found.id, node.ctx)
            return node if found is None else copy.deepcopy(found)

    made: ast.AST = Put().visit(ast.parse(text))
    return made


def _expression(where: ast.AST, random: Random, new: Callable[[ast.expr], ast.expr | None]) -> bool:
    """Replace an expression by another one."""
    places = _places(where)
    if not places:
        return False
    place = random.choice(places)
    found = new(place[3])
    if found is None:
        return False
    _put(place, found)
    return True


def _swap_name(where: ast.AST, random: Random) -> bool:
    names = [*_names(where), *NAMES]
    return _expression(
        where,
        random,
        lambda e: ast.Name(random.choice(names), ast.Load()) if isinstance(e, ast.Name) else None,
    )


def _constant(where: ast.AST, random: Random) -> bool:
    return _expression(where, random, lambda e: ast.parse(random.choice(CONSTANTS), mode="eval").body)


def _wrap(where: ast.AST, random: Random) -> bool:
    def new(e: ast.expr) -> ast.expr:
        made = _written(random.choice(EXPRESSIONS), E=e)
        assert isinstance(made, ast.Module)
        assert isinstance(made.body[0], ast.Expr)
        return made.body[0].value

    return _expression(where, random, new)


def _move(where: ast.AST, random: Random) -> bool:
    others = [each[3] for each in _places(where)]
    return _expression(where, random, lambda e: copy.deepcopy(random.choice(others)))


_OPERATORS = (
    *(
        ast.Add,
        ast.Sub,
        ast.Mult,
        ast.Div,
        ast.Mod,
        ast.Pow,
        ast.FloorDiv,
        ast.MatMult,
        ast.BitOr,
        ast.BitAnd,
    ),
    *(ast.BitXor, ast.LShift, ast.RShift),
)
_COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Is, ast.IsNot, ast.In, ast.NotIn)


def _operator(where: ast.AST, random: Random) -> bool:
    kinds = (ast.BinOp, ast.AugAssign, ast.Compare, ast.BoolOp, ast.UnaryOp)
    nodes = [each for each in ast.walk(where) if isinstance(each, kinds)]
    if not nodes:
        return False
    node = random.choice(nodes)
    if isinstance(node, ast.Compare):
        node.ops[random.randrange(len(node.ops))] = random.choice(_COMPARISONS)()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
    elif isinstance(node, ast.UnaryOp):
        node.op = random.choice((ast.Not, ast.USub, ast.UAdd, ast.Invert))()
    else:
        node.op = random.choice(_OPERATORS)()
    return True


def _call(where: ast.AST, random: Random) -> bool:
    calls = [each for each in ast.walk(where) if isinstance(each, ast.Call)]
    if not calls:
        return False
    call, name = random.choice(calls), ast.Name(random.choice(_names(where)), ast.Load())
    match random.randrange(7):
        case 0 if call.args:
            call.args.pop(random.randrange(len(call.args)))
        case 1:
            call.args.insert(0, name)
        case 2:
            call.args.append(name)
        case 3:
            call.keywords.append(ast.keyword(random.choice(("key", "a", "x", "n", "end")), name))
        case 4:
            call.args.append(ast.Starred(name, ast.Load()))
        case 5:
            call.keywords.append(ast.keyword(None, name))
        case 6:
            call.func = ast.Name(random.choice(FUNCTIONS), ast.Load())
        case _:
            return False
    return True


def _attribute(where: ast.AST, random: Random) -> bool:
    nodes = [each for each in ast.walk(where) if isinstance(each, ast.Attribute)]
    if not nodes:
        return False
    random.choice(nodes).attr = random.choice(ATTRIBUTES)
    return True


def _insert(where: ast.AST, random: Random) -> bool:
    bodies = _bodies(where)
    if not bodies:
        return False
    body, name = random.choice(bodies), random.choice(_names(where))
    made = ast.parse(_renamed(random.choice(STATEMENTS), name))
    at = random.randint(0, len(body))
    body[at:at] = made.body
    return True


def _renamed(text: str, name: str) -> str:
    """Return a text in which N is a name, also where it is no expression."""

    class Put(ast.NodeTransformer):
        def generic_visit(self, node: ast.AST) -> ast.AST:
            for field, value in ast.iter_fields(node):
                if value == "N":
                    setattr(node, field, name)
                elif isinstance(value, list) and "N" in value:
                    setattr(node, field, [name if each == "N" else each for each in value])
            return super().generic_visit(node)

    return ast.unparse(Put().visit(ast.parse(text)))


def _delete(where: ast.AST, random: Random) -> bool:
    bodies = _bodies(where)
    if not bodies:
        return False
    body = random.choice(bodies)
    body.pop(random.randrange(len(body)))
    if not body:
        body.append(ast.Pass())
    return True


def _repeat(where: ast.AST, random: Random) -> bool:
    bodies = _bodies(where)
    if not bodies:
        return False
    body = random.choice(bodies)
    body.insert(random.randint(0, len(body)), copy.deepcopy(random.choice(body)))
    return True


def _exchange(where: ast.AST, random: Random) -> bool:
    bodies = [each for each in _bodies(where) if len(each) > 1]
    if not bodies:
        return False
    body = random.choice(bodies)
    i, j = random.sample(range(len(body)), 2)
    body[i], body[j] = body[j], body[i]
    return True


def _handler(where: ast.AST, random: Random) -> bool:
    found = [each for each in ast.walk(where) if isinstance(each, ast.ExceptHandler)]
    if not found:
        return False
    random.choice(found).type = ast.parse(random.choice(EXCEPTIONS), mode="eval").body
    return True


def _parameters(where: ast.AST, random: Random) -> bool:
    found = [each for each in ast.walk(where) if isinstance(each, ast.arguments) and each.args]
    if not found:
        return False
    chosen = random.choice(found)
    if random.random() < 0.5:
        chosen.args[random.randrange(len(chosen.args))].arg = random.choice((*NAMES[:3], *_names(where)))
    else:
        chosen.kwarg = None if chosen.kwarg else ast.arg("more_")
    return True


CHANGES: tuple[Change, ...] = (
    *(_swap_name, _swap_name, _constant, _wrap, _wrap, _wrap, _move, _operator, _call, _call, _attribute),
    *(_insert, _insert, _insert, _insert, _insert, _delete, _repeat, _exchange, _handler, _parameters),
)
