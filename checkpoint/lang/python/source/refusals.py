"""Refuse, before translation, the constructs that have no counterpart in a language without mutation.

In: the syntax tree of a function. Out: nothing, or a SourceError at the first refused construct that says
what to write instead.
"""

from __future__ import annotations

import ast

from checkpoint.errors import SourceError, Span
from checkpoint.lang.python.scopes.scopes import scope_of
from checkpoint.lang.python.scopes.syntax import COMPREHENSIONS, IMMEDIATE, targets_of
from checkpoint.lang.python.source.texts import FunctionText

REFUSED: dict[type[ast.AST], tuple[str, str]] = {
    ast.With: ("`with`", "do what needs a context manager outside of the differentiated function"),
    ast.AsyncWith: ("`async with`", "do what needs an event loop outside of the differentiated function"),
    ast.AsyncFor: ("`async for`", "write a plain `for` over a list"),
    ast.AsyncFunctionDef: ("`async def`", "write a plain `def`"),
    ast.Await: ("`await`", "call a plain function"),
    ast.Yield: ("a generator (`yield`)", "build a list with append and return it"),
    ast.YieldFrom: ("a generator (`yield from`)", "build a list with extend and return it"),
    ast.Delete: ("`del`", "use xs.pop(i) or d.pop(key), or let the variable go out of use"),
    ast.Global: ("`global`", "pass the value as an argument and return the new one"),
    ast.ClassDef: (
        "a class definition inside a function",
        "define the class at module level, as a dataclass",
    ),
    ast.TryStar: ("`except*`", "write `except`"),
    ast.Set: ("a set", "use a dict whose values are True, or a tuple without repetitions"),
    ast.SetComp: ("a set comprehension", "write a dict comprehension, {key: True for ...}"),
}


def refuse(text: FunctionText, node: ast.AST, construct: str, advice: str) -> SourceError:
    """Return the error for a construct that cannot be translated."""
    return SourceError(f"{construct} cannot be differentiated: {advice}", place(text, node))


def place(text: FunctionText, node: ast.AST) -> Span:
    """Return the place of a node; for a node without one, the place of the function."""
    return text.span(node if hasattr(node, "lineno") else text.tree)


def check(text: FunctionText) -> None:
    """Raise SourceError at the first refused construct."""
    for node in ast.walk(text.tree):
        is_ellipsis = isinstance(node, ast.Constant) and node.value is Ellipsis
        if is_ellipsis and node not in _ellipses_in_indices(text.tree):
            raise refuse(text, node, "`...`", "write `pass`, or a value")
        found = REFUSED.get(type(node))
        if found is not None:
            raise refuse(text, node, *found)
        if isinstance(node, ast.Constant) and isinstance(node.value, complex | bytes):
            kind = "a complex number" if isinstance(node.value, complex) else "a bytes constant"
            raise refuse(
                text, node, kind, "use two reals" if isinstance(node.value, complex) else "use a str"
            )
        if isinstance(node, ast.comprehension) and node.is_async:
            raise refuse(text, node.target, "an asynchronous comprehension", "write a plain one")
        if isinstance(node, COMPREHENSIONS):
            _check_captures(text, node)
        _check_kept(text, node)


def _check_captures(text: FunctionText, node: ast.AST) -> None:
    """Refuse lambdas that read a comprehension's variable later, when Python has changed it."""
    generators: list[ast.comprehension] = node.generators  # type: ignore[attr-defined]
    own = targets_of(generators)
    at_once = {id(each) for call in ast.walk(node) for each in _called_at_once(call)}
    for each in ast.walk(node):
        if isinstance(each, ast.Lambda) and id(each) not in at_once:
            captured = sorted(scope_of(each).free & own)
            if captured:
                name = captured[0]
                construct = f"a lambda that reads {name} of the comprehension around it"
                advice = f"give it the value of its turn as a default, {name}={name}"
                raise refuse(text, each, construct, advice)


_LAZY = frozenset(["map", "filter"])


def _called_at_once(node: ast.AST) -> list[ast.expr]:
    """Return the lambdas that a node calls before it ends, and does not keep."""
    found: list[ast.expr] = []
    consumed: list[ast.expr] = []
    match node:
        case ast.Call():
            found = [node.func, *(_arguments(node) if _called(node) in IMMEDIATE - _LAZY else ())]
            consumed = _arguments(node) if _called(node) not in _LAZY else []
        case ast.comprehension() | ast.For():
            consumed = [node.iter]
        case ast.Starred():
            consumed = [node.value]
    for each in consumed:
        if isinstance(each, ast.Call) and _called(each) in _LAZY:
            found += _arguments(each)
    return found


def _arguments(node: ast.Call) -> list[ast.expr]:
    return [*node.args, *(keyword.value for keyword in node.keywords)]


def _called(node: ast.Call) -> str:
    return str(getattr(node.func, "id", getattr(node.func, "attr", "")))


def _ellipses_in_indices(tree: ast.AST) -> set[ast.AST]:
    """Return the `...` that are indices of arrays or whole statements."""
    found: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript):
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            found.update(parts)
        elif isinstance(node, ast.Expr):
            found.add(node.value)
    return found


def _check_kept(text: FunctionText, node: ast.AST) -> None:
    """Refuse generator expressions that are stored: Python exhausts them when they are first used."""
    kept: list[ast.expr | None] = []
    match node:
        case ast.Assign() | ast.AnnAssign() | ast.NamedExpr() | ast.Return() | ast.DictComp():
            kept = [node.value]
        case ast.Tuple() | ast.List():
            kept = list(node.elts)
        case ast.Dict():
            kept = list(node.values)
        case ast.Lambda():
            kept = [node.body]
        case ast.ListComp() | ast.GeneratorExp():
            kept = [node.elt]
    for each in kept:
        if isinstance(each, ast.GeneratorExp):
            raise refuse(
                text, each, "a generator expression that is kept", "make a list of it: [... for ...]"
            )


def class_attribute(method: ast.FunctionDef | ast.Lambda) -> ast.Attribute | None:
    """Return the first use of an attribute of the class in a class method, whose first parameter it is."""
    parameters = [parameter.arg for parameter in (*method.args.posonlyargs, *method.args.args)]
    uses = (node for node in ast.walk(method) if isinstance(node, ast.Attribute))
    return next((n for n in uses if isinstance(n.value, ast.Name) and n.value.id in parameters[:1]), None)
