"""Find the constructs that have no counterpart in the language: each ends a run that reaches it.

In: the syntax tree of a function. Out: the refused nodes, each with a SourceError that says what to write
instead. What such a node binds and reads still counts for the scopes of the function, as in Python.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from checkpoint.dataclass import dataclass
from checkpoint.errors import SourceError, Span
from checkpoint.lang.python.scopes.lazy import Lazy
from checkpoint.lang.python.scopes.reach import has_yield
from checkpoint.lang.python.scopes.scopes import scope_of
from checkpoint.lang.python.scopes.syntax import (
    COMPREHENSIONS,
    IMMEDIATE,
    called_name,
    nodes_in,
    remembered,
    targets_of,
)
from checkpoint.lang.python.source.texts import FunctionText

REFUSED: dict[type[ast.AST], tuple[str, str]] = {
    ast.AsyncWith: ("`async with`", "do what needs an event loop outside of the differentiated function"),
    ast.AsyncFor: ("`async for`", "write a plain `for` over a list"),
    ast.AsyncFunctionDef: ("`async def`", "write a plain `def`"),
    ast.Await: ("`await`", "call a plain function"),
    ast.TryStar: ("`except*`", "write `except`"),
}


@dataclass(frozen=True, eq=False, repr=False)
class Refusals:
    """What is refused in the text of a function, which ends a run when it is reached.

    nodes: the errors of statements and expressions.
    bodies: those of lambdas with a `yield` in them.
    """

    nodes: Mapping[ast.AST, SourceError]
    bodies: Mapping[ast.AST, SourceError]


NO_REFUSALS = Refusals({}, {})


def refuse(text: FunctionText, node: ast.AST, construct: str, advice: str) -> SourceError:
    """Return the error for a construct that cannot be translated."""
    return SourceError(f"{construct} cannot be differentiated: {advice}", place(text, node))


def place(text: FunctionText, node: ast.AST) -> Span:
    """Return the place of a node; for a node without one, the place of the function."""
    return text.span(node if hasattr(node, "lineno") else text.tree)


def refusals_of(text: FunctionText) -> Refusals:
    """Return what is refused in a function and in those nested in it."""
    found = _found(text.tree)
    if not found:
        return NO_REFUSALS
    nodes: dict[ast.AST, SourceError] = {}
    bodies: dict[ast.AST, SourceError] = {}
    for node, place_of, construct, advice in found:
        errors = bodies if construct == _YIELDING else nodes
        if node not in errors:
            errors[node] = refuse(text, place_of, construct, advice)
    return Refusals(nodes, bodies)


@remembered
def _found(tree: ast.FunctionDef | ast.Lambda) -> list[tuple[ast.AST, ast.AST, str, str]]:
    """Return each refused node of a function, the node of its place, the construct and advice."""
    inside = nodes_in(tree)
    lazy = {node.body for node in inside if isinstance(node, Lazy)}
    found: list[tuple[ast.AST, ast.AST, str, str]] = []
    for node in inside:
        if node not in lazy:
            found += [(each, each, what, advice) for each, what, advice in _capturing_generators(node)]
        if isinstance(node, ast.Lambda) and has_yield(node):
            found.append((node, node, _YIELDING, "write a `def`"))
        for refused, construct, advice in _refused(node):
            place_of = refused.generators[0].target if construct == _ASYNCHRONOUS else refused
            found.append((refused, place_of, construct, advice))
    return found


_YIELDING = "a lambda with `yield`"
_ASYNCHRONOUS = "an asynchronous comprehension"


def _refused(node: ast.AST) -> Iterator[tuple[Any, str, str]]:
    """Yield the nodes that are refused because of one node, each with the construct and advice."""
    if type(node) in REFUSED:
        yield node, *REFUSED[type(node)]
    if isinstance(node, COMPREHENSIONS):
        if any(generator.is_async for generator in node.generators):
            yield node, _ASYNCHRONOUS, "write a plain one"
        yield from _capturing(node)


def _capturing(node: ast.AST) -> Iterator[tuple[ast.AST, str, str]]:
    """Yield the lambdas that read a comprehension's variable later, when Python has changed it."""
    generators: list[ast.comprehension] = node.generators  # type: ignore[attr-defined]
    own = targets_of(generators)
    at_once = {id(each) for call in nodes_in(node) for each in _called_at_once(call)}
    for each in nodes_in(node):
        if isinstance(each, ast.Lambda) and id(each) not in at_once:
            captured = sorted(scope_of(each).free & own)
            if captured:
                name = captured[0]
                construct = f"a lambda that reads {name} of the comprehension around it"
                yield each, construct, f"give it the value of its turn as a default, {name}={name}"


def _capturing_generators(node: ast.AST) -> Iterator[tuple[ast.AST, str, str]]:
    """Yield the generator expressions that a comprehension keeps, and that read its variables later."""
    if not isinstance(node, COMPREHENSIONS):
        return
    kept: list[ast.expr] = [node.value if isinstance(node, ast.DictComp) else node.elt]
    while kept:
        each = kept.pop()
        if isinstance(each, ast.Tuple | ast.List):
            kept += each.elts
        if isinstance(each, ast.Call) and isinstance(each.func, Lazy):
            captured = sorted(scope_of(each.func).free & targets_of(node.generators))
            if captured:
                construct = f"a generator expression that reads {captured[0]} of the comprehension around it"
                yield each, construct, "make a list of it: [... for ...]"


_LAZY = frozenset(["map", "filter"])


def _called_at_once(node: ast.AST) -> list[ast.expr]:
    """Return the lambdas that a node calls before it ends, and does not keep."""
    found: list[ast.expr] = []
    consumed: list[ast.expr] = []
    match node:
        case ast.Call():
            found = [node.func, *(_arguments(node) if called_name(node) in IMMEDIATE - _LAZY else ())]
            consumed = _arguments(node) if called_name(node) not in _LAZY else []
        case ast.comprehension() | ast.For():
            consumed = [node.iter]
        case ast.Starred():
            consumed = [node.value]
    for each in consumed:
        if isinstance(each, ast.Call) and called_name(each) in _LAZY:
            found += _arguments(each)
    return found


def _arguments(node: ast.Call) -> list[ast.expr]:
    return [*node.args, *(keyword.value for keyword in node.keywords)]
