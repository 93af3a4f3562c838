"""What is refused before anything is translated, and what to write instead.

In: the syntax tree of a function. Out: nothing, or a SourceError at the first construct that has no
counterpart in a language without mutation.
"""

from __future__ import annotations

import ast

from checkpoint.errors import SourceError, Span
from checkpoint.lang.python.source import FunctionText

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
    ast.ClassDef: ("a class definition inside a function", "define the class at module level, as a dataclass"),
    ast.TryStar: ("`except*`", "write `except`"),
    ast.Set: ("a set", "use a dict whose values are True, or a tuple without repetitions"),
    ast.SetComp: ("a set comprehension", "write a dict comprehension, {key: True for ...}"),
}


def refuse(text: FunctionText, node: ast.AST, construct: str, advice: str) -> SourceError:
    """The error for a construct that cannot be taken."""
    return SourceError(f"{construct} cannot be differentiated: {advice}", place(text, node))


def place(text: FunctionText, node: ast.AST) -> Span:
    """Where a node is; what has no place of its own is at the function."""
    return text.span(node if hasattr(node, "lineno") else text.tree)


def check(text: FunctionText) -> None:
    """Raise SourceError at the first refused construct."""
    for node in ast.walk(text.tree):
        found = REFUSED.get(type(node))
        if found is not None:
            raise refuse(text, node, *found)
        if isinstance(node, ast.Constant) and isinstance(node.value, complex | bytes):
            kind = "a complex number" if isinstance(node.value, complex) else "a bytes constant"
            raise refuse(text, node, kind, "use two reals" if isinstance(node.value, complex) else "use a str")
        if isinstance(node, ast.comprehension) and node.is_async:
            raise refuse(text, node.target, "an asynchronous comprehension", "write a plain one")
