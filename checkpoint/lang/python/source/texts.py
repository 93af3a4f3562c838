"""From a Python function to its syntax tree and its place in a text.

In: a function or its code object. Out: a FunctionText: the node of exactly this function, the whole text
of the file or notebook cell that it stands in, and the place of any node in that text.

The text is what `linecache` has under the code's file name: files, notebook cells, doctests, what a
module's loader tells (zip files), and whatever a user puts there. A text is read and parsed once; older
texts of a file are kept for a while, because functions made from them may live on. What always holds of
the result: compiled again, the node gives the function's own code. Where no text does that, the file has
changed since the function was made, and a SourceError says so.
"""

from __future__ import annotations
import __future__

import ast
import linecache
import sys
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from threading import Lock
from types import CodeType, FunctionType, MethodType
from typing import Any

from checkpoint.ad.attributes import stored
from checkpoint.errors import Source, SourceError, Span
from checkpoint.lang.python.scopes.syntax import walk

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_FILES = 512  # of which texts are kept, the latest used
_VERSIONS = 4  # of the text of one file
_FUTURE = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})
# A cell of a notebook may wait for something between its definitions.
_FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_REWRITTEN = "@py"  # how pytest's names begin, in functions whose assertions it has rewritten


class _Text:
    """A text, parsed; its statements are compiled when a function in them is asked for."""

    def __init__(self, name: str, text: str) -> None:
        self.lines: object = None  # what linecache had when this was last found to be its text
        self.source = Source(_shown_name(name), text)
        self.body = ast.parse(text, name).body
        self.starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        self._codes: dict[tuple[int, int], frozenset[CodeType]] = {}

    def find(self, code: CodeType) -> FunctionNode | None:
        """The node that a code object was made from; None if it was made from another text."""
        for position, statement in enumerate(self.body):
            if _first_line(statement) <= code.co_firstlineno <= _last_line(statement):
                candidates = [node for node in _functions(statement) if _may_be(node, code)]
                if candidates and self._belongs(code, position, candidates):
                    node = _by_positions(candidates, code)
                    if node is not None:
                        return node
        return None

    def _belongs(self, code: CodeType, position: int, candidates: list[FunctionNode]) -> bool:
        if _is_rewritten(code):
            return _has_names(candidates[0], code)
        flags = code.co_flags & _FUTURE
        if (position, flags) not in self._codes:
            # What the module imports is compiled along: a call of a method of a module has code of its own.
            statement = self.body[position]
            self._codes[position, flags] = _compiled([*self._imports, statement], self.source.name, flags)
        return code in self._codes[position, flags]

    @cached_property
    def _imports(self) -> list[ast.stmt]:
        """The imports of the module, also those inside of `try`, `if` and the like."""
        nodes = walk(self.body, _runs_with_the_module)
        return [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]

    def offset(self, line: int, column: int) -> int:
        """Of a line, counted from 1, and a column in bytes, as a syntax tree has them."""
        if line > len(self.starts):
            return len(self.source.text)
        start = self.starts[line - 1]
        end = self.starts[line] if line < len(self.starts) else len(self.source.text)
        content = self.source.text[start:end]
        if not content.isascii():
            column = len(content.encode()[:column].decode(errors="ignore"))
        return min(start + column, end)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FunctionText:
    """A function's own node, and the whole text that it stands in."""

    tree: ast.FunctionDef | ast.Lambda
    source: Source
    _text: _Text = field(repr=False)

    def span(self, node: ast.AST) -> Span:
        """The place of a node of this text; of one without a place, that of what it holds."""
        lines = _extent(node) or _extent(self.tree)
        assert lines is not None
        line, column, end_line, end_column = lines
        start = self._text.offset(line, column)
        return Span(self.source, start, max(start, self._text.offset(end_line, end_column)))


def text_of(
    function: FunctionType | MethodType | CodeType, module: dict[str, Any] | None = None
) -> FunctionText:
    """The syntax tree of a function and its place; SourceError where there is none to be had.

    module: for a code object, the global names of the module that it comes from: they know the loader
    of a module that is no file.
    """
    if isinstance(function, MethodType) and isinstance(function.__func__, FunctionType):
        function = function.__func__
    if isinstance(function, FunctionType):
        code, module = function.__code__, function.__globals__
    elif isinstance(function, CodeType):
        code = function
    else:
        raise SourceError(_written_in_c(function))
    with _lock:
        text, tree = _look_up(code, module)
    if isinstance(tree, ast.AsyncFunctionDef):
        span = Span(text.source, text.offset(tree.lineno, tree.col_offset), text.offset(tree.lineno + 1, 0))
        raise SourceError("an async function cannot be taken: write it with a plain def", span)
    return FunctionText(tree, text.source, text)


_lock = Lock()
_texts: OrderedDict[str, list[_Text]] = OrderedDict()


def _look_up(code: CodeType, module: dict[str, Any] | None) -> tuple[_Text, FunctionNode]:
    """The text and node of a code object, from the texts known, then from the file as it is now."""
    name = code.co_filename
    for text in _versions(name, module):
        node = text.find(code)
        if node is not None:
            return text, node
    linecache.checkcache(name)
    found = _versions(name, module)
    if not found:
        raise SourceError(_without_text(code))
    node = found[0].find(code)
    if node is None:
        raise SourceError(_changed(code, found[0]))
    return found[0], node


def _versions(name: str, module: dict[str, Any] | None) -> list[_Text]:
    """The texts of a file, the present one first."""
    known = _texts.setdefault(name, [])
    _texts.move_to_end(name)
    lines = linecache.getlines(name, module)
    if lines and not (known and known[0].lines is lines):
        _enter(known, name, lines)
    if not known:
        del _texts[name]
    while len(_texts) > _FILES:
        _texts.popitem(last=False)
    return list(known)


def _enter(known: list[_Text], name: str, lines: list[str]) -> None:
    """Put a text first among those of a file; it may be one of them already."""
    content = "".join(lines).replace("\r\n", "\n").replace("\r", "\n")
    position = next((i for i, text in enumerate(known) if text.source.text == content), None)
    if position is not None:
        known.insert(0, known.pop(position))
    else:
        try:
            known.insert(0, _Text(name, content))
        except (SyntaxError, ValueError, RecursionError):
            return  # in the middle of an edit: what runs was made from a text before
    known[0].lines = lines
    del known[_VERSIONS:]


def _shown_name(name: str) -> str:
    """A notebook's cells have files of odd names; what stands beside the cell is what a user knows."""
    interactive: Any = sys.modules.get("IPython")
    shell = interactive.get_ipython() if interactive else None
    described = shell.compile.format_code_name(name) if shell else None
    return " ".join(described) if described else name


def _first_line(node: ast.AST) -> int:
    """The line that a code object has as its first: a decorator's, if there is one."""
    decorators = getattr(node, "decorator_list", None)
    first: Any = decorators[0] if decorators else node
    line: int = first.lineno
    return line


def _runs_with_the_module(node: ast.AST) -> bool:
    """Return whether the statements inside a statement of a module may run when the module does."""
    definitions = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    parts = ast.stmt | ast.excepthandler | ast.match_case
    return isinstance(node, parts) and not isinstance(node, definitions)


def _last_line(statement: ast.stmt) -> int:
    return statement.end_lineno or statement.lineno


def _functions(root: ast.AST) -> Iterator[FunctionNode]:
    for node in ast.walk(root):
        if isinstance(node, FunctionNode):
            yield node


def _may_be(node: FunctionNode, code: CodeType) -> bool:
    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    return name == code.co_name and _first_line(node) == code.co_firstlineno


def _by_positions(candidates: list[FunctionNode], code: CodeType) -> FunctionNode | None:
    """Among lambdas that begin on one line, the innermost whose body holds all that the code does."""
    if len(candidates) == 1:
        return candidates[0]
    places = [
        (line, column, end_line, end_column)
        for line, end_line, column, end_column in code.co_positions()
        if line is not None and end_line is not None and column is not None and end_column
    ]
    if not places:
        raise SourceError(
            f"{_described(code)} is one of several lambdas on a line, and this Python runs without the "
            f"columns of code (-X no_debug_ranges): put each lambda on a line of its own"
        )
    start, end = min(place[:2] for place in places), max(place[2:] for place in places)
    holding = [node for node in candidates if _holds(node, start, end)]
    return max(holding, key=lambda node: (node.lineno, node.col_offset), default=None)


def _holds(node: FunctionNode, start: tuple[int, int], end: tuple[int, int]) -> bool:
    assert isinstance(node, ast.Lambda)  # two defs of one name cannot begin on one line
    extent = _extent(node.body)
    return extent is not None and extent[:2] <= start and end <= extent[2:]


def _extent(node: ast.AST) -> tuple[int, int, int, int] | None:
    """The first line and column, and the last, of a node; None if nothing in it has a place."""
    place: Any = node
    if hasattr(node, "lineno"):
        end_line = place.lineno if place.end_lineno is None else place.end_lineno
        end_column = place.col_offset if place.end_col_offset is None else place.end_col_offset
        return place.lineno, place.col_offset, end_line, end_column
    inner = [extent for child in ast.iter_child_nodes(node) if (extent := _extent(child)) is not None]
    if not inner:
        return None
    return (*min(extent[:2] for extent in inner), *max(extent[2:] for extent in inner))


def _compiled(statements: list[ast.stmt], name: str, flags: int) -> frozenset[CodeType]:
    """Every code object within statements."""
    module = ast.Module(statements, type_ignores=[])
    try:
        with warnings.catch_warnings():  # Python has told the user when it compiled the text itself
            warnings.simplefilter("ignore", SyntaxWarning)
            code = compile(module, name, "exec", flags | _FLAGS, dont_inherit=True)
    except (SyntaxError, ValueError):
        return frozenset()
    return frozenset(_codes((code,)))


def _codes(constants: Iterable[object]) -> Iterator[CodeType]:
    for constant in constants:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant.co_consts)


def _is_rewritten(code: CodeType) -> bool:
    names = (name for inner in _codes((code,)) for name in (*inner.co_names, *inner.co_varnames))
    return any(name.startswith(_REWRITTEN) for name in names)


def _has_names(node: FunctionNode, code: CodeType) -> bool:
    """Whether a function's arguments are those of a code object that was rewritten."""
    arguments = node.args
    named = [arg.arg for arg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return tuple(named) == code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _described(code: CodeType) -> str:
    return f"{code.co_qualname} ({code.co_filename}:{code.co_firstlineno})"


def _written_in_c(thing: object) -> str:
    if not callable(thing):
        return f"{thing!r} is not a function"
    name = stored(thing, "__qualname__") or f"{type(thing).__name__}(...)"
    module = stored(thing, "__module__")
    shown = f"{module}.{name}" if module and module != "builtins" else name
    return (
        f"{shown} is not a function written in Python, so it has no text to differentiate: "
        f"give it a derivative with checkpoint.primitive({shown}, vjp=..., jvp=...)"
    )


def _without_text(code: CodeType) -> str:
    return (
        f"the text of {_described(code)} is not to be had, so it cannot be differentiated: define it in a "
        f"file or in a notebook cell. Code that exec or eval runs needs its text in linecache: "
        f"linecache.cache[name] = (len(text), None, text.splitlines(True), name), and "
        f"exec(compile(text, name, 'exec')) with the same name"
    )


def _changed(code: CodeType, text: _Text) -> str:
    return (
        f"the text of {_described(code)} has changed since the function was made, so what it does can no "
        f"longer be read from it: import {text.source.name} anew (importlib.reload, or restart Python)"
    )
