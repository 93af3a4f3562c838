"""Find the syntax tree of a Python function, and its place in the text that defines it.

In: a function or its code object. Out: a FunctionText: the node of exactly this function, the whole text of
the file or notebook cell that contains it, and the place of any node in that text.

The text is read through `linecache`, by the code's file name: files, notebook cells, doctests, modules with a
loader of their own (zip files), and texts that a user puts there. A text is read and parsed once; older
versions of a file are kept for a while, because functions made from them may still be in use. What always
holds of the result: compiled again, or in Python's cache of the file (cached_code.py), the node gives the
function's own code. Where no text does, the file has changed since the function was made: a SourceError.
"""

from __future__ import annotations
import __future__

import ast
import copy
import dis
import linecache
import sys
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import field
from functools import cached_property
from itertools import accumulate
from threading import Lock
from types import CodeType, FunctionType, MethodType
from typing import Any

from checkpoint.dataclass import dataclass
from checkpoint.errors import Source, SourceError, Span
from checkpoint.lang.python.scopes.lazy import with_lazy
from checkpoint.lang.python.scopes.syntax import nodes_in, walk
from checkpoint.lang.python.source import missing
from checkpoint.lang.python.source.cached_code import cached_codes, codes_in
from checkpoint.lang.python.source.local_names import spelled_out
from checkpoint.lang.python.source.private import mangle
from checkpoint.lang.python.source.prompts import typed
from checkpoint.locks import hold_at_fork

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Extent = tuple[int, int, int, int]  # a first line and column, and a last

_FILES = 512  # files of which texts are kept, the most recently used
_VERSIONS = 4  # versions kept of the text of one file
_FUTURE = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})
# A notebook cell may have a top-level await.
_FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_REWRITTEN = "@py"  # the prefix of the names that pytest adds when it rewrites assertions


class _Text:
    """A parsed text, whose statements are compiled when a function in them is looked up."""

    def __init__(self, name: str, text: str) -> None:
        self.lines: object = None  # the lines in linecache when they were last found to be this text
        self.source = Source(shown_name(name), text)
        self.body = ast.parse(text, name).body
        mangle(text, self.body)
        self.starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        self._codes: dict[tuple[int, int], frozenset[CodeType]] = {}
        self._functions: dict[int, dict[tuple[str, int], list[FunctionNode]]] = {}
        self._lazy: dict[ast.AST, Any] = {}
        self._offsets: dict[tuple[int, int], int] = {}
        self._spans: dict[Extent, Span] = {}
        self._kept: frozenset[CodeType] | None = None  # Python's cache of the file, once read

    def find(self, code: CodeType) -> FunctionNode | None:
        """Return the node from which a code object was compiled; None if that was another text."""
        for position, statement in enumerate(self.body):
            if _first_line(statement) <= code.co_firstlineno <= _last_line(statement):
                candidates = self._candidates(position, code)
                if candidates and self._belongs(code, position, candidates):
                    node = _by_positions(candidates, code)
                    if node is not None:
                        return node
        return None

    def _candidates(self, position: int, code: CodeType) -> list[FunctionNode]:
        """Return the functions in a statement that have the name and the first line of a code object."""
        if position not in self._functions:
            found: dict[tuple[str, int], list[FunctionNode]] = {}
            for node in _functions(self.body[position]):
                found.setdefault(_name_and_line(node), []).append(node)
            self._functions[position] = found
        return self._functions[position].get((code.co_name, code.co_firstlineno), [])

    def _belongs(self, code: CodeType, position: int, candidates: list[FunctionNode]) -> bool:
        if _is_rewritten(code):
            return _has_names(candidates[0], code)
        flags = code.co_flags & _FUTURE
        if (position, flags) not in self._codes:
            # The imports are compiled along: for an imported name, `name.f()` compiles to different code.
            statement = self.body[position]
            self._codes[position, flags] = _compiled([*self._imports, statement], self.source.name, flags)
        return code in self._codes[position, flags] or code in self._cached(code.co_filename)

    def _cached(self, name: str) -> frozenset[CodeType]:
        """Return the code that Python's cache of the file has, if the file is this text."""
        if self._kept is None:
            self._kept = cached_codes(name, self.source.text)
        return self._kept

    @cached_property
    def _imports(self) -> list[ast.stmt]:
        """Return the imports of the module, including those inside `try`, `if` and the like."""
        nodes = walk(self.body, _runs_with_the_module)
        return [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]

    def recompiled(self, line: int, change: ast.NodeTransformer, code: CodeType) -> frozenset[CodeType]:
        """Return all code of the statement at a line, changed, with the flags and file name of some code."""
        statement = next(s for s in self.body if _first_line(s) <= line <= _last_line(s))
        changed = change.visit(copy.deepcopy(statement))
        return _compiled([*self._imports, changed], code.co_filename, code.co_flags & _FUTURE)

    def lazy(self, tree: FunctionNode, code: CodeType) -> Any:
        """Return the tree of a function with its generator expressions that are values as functions.

        Calls of `locals` are displays of its variables (local_names.py).
        """
        if tree not in self._lazy:
            self._lazy[tree] = with_lazy(spelled_out(tree, code))
        return self._lazy[tree]

    def span(self, place: Extent) -> Span:
        """Return a part of the text."""
        found = self._spans.get(place)
        if found is None:
            line, column, end_line, end_column = place
            start = self.offset(line, column)
            end = max(start, self.offset(end_line, end_column))
            found = self._spans[place] = Span(self.source, start, end)
        return found

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a position; line: from 1; column: in bytes, as in a syntax tree."""
        if (line, column) not in self._offsets:
            self._offsets[line, column] = self._offset(line, column)
        return self._offsets[line, column]

    def _offset(self, line: int, column: int) -> int:
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
    """The node of a function, and the whole text that contains it."""

    tree: ast.FunctionDef | ast.Lambda
    source: Source
    _text: _Text = field(repr=False)

    def span(self, node: ast.AST) -> Span:
        """Return the place of a node of this text; for a node without one, the place of its contents."""
        place = _extent(node) or _extent(self.tree)
        assert place is not None
        return self._text.span(place)

    def recompiled(self, change: ast.NodeTransformer, code: CodeType) -> Iterable[CodeType]:
        """Return all code of the statement around this function, changed; code: that of a function in it."""
        return self._text.recompiled(self.tree.lineno, change, code)


def text_of(
    function: FunctionType | MethodType | CodeType, module: dict[str, Any] | None = None
) -> FunctionText:
    """Return the syntax tree of a function and its place; raise SourceError if the text cannot be found.

    module: for a code object, the global names of its module, which know the loader of a module that is not a
    file.
    """
    if isinstance(function, MethodType) and isinstance(function.__func__, FunctionType):
        function = function.__func__
    if isinstance(function, FunctionType):
        code, module = function.__code__, function.__globals__
        _enter_kept(function)
    elif isinstance(function, CodeType):
        code = function
    else:
        raise SourceError(missing.written_in_c(function))
    with _lock:
        text, tree = _look_up(code, module)
    if isinstance(tree, ast.AsyncFunctionDef):
        span = Span(text.source, text.offset(tree.lineno, tree.col_offset), text.offset(tree.lineno + 1, 0))
        raise SourceError("an async function cannot be differentiated: write it with a plain def", span)
    return FunctionText(text.lazy(tree, code), text.source, text)


def _enter_kept(function: FunctionType) -> None:
    """Put into linecache the text of a function that networkx has compiled, which has it as `_code`."""
    text, name = function.__dict__.get("_code"), function.__code__.co_filename
    if isinstance(text, str) and name.startswith("<"):
        lines = text.splitlines(True)
        if linecache.getlines(name) != lines:
            linecache.cache[name] = (len(text), None, lines, name)


_lock = Lock()
hold_at_fork(_lock)
_texts: OrderedDict[str, list[_Text]] = OrderedDict()


def _look_up(code: CodeType, module: dict[str, Any] | None) -> tuple[_Text, FunctionNode]:
    """Return the text and node of a code object, from the known texts, then from the file as it is now."""
    name = code.co_filename
    for text in _versions(name, module):
        node = text.find(code)
        if node is not None:
            return text, node
    linecache.checkcache(name)
    found = _versions(name, module)
    node = found[0].find(code) if found else None
    if not found or (node is None and name == "<string>"):  # from 3.13 that is the text of `python -c`
        return _typed(code)
    if node is None:
        raise SourceError(missing.changed(code, found[0].source.name))
    return found[0], node


def _typed(code: CodeType) -> tuple[_Text, FunctionNode]:
    """Return the text and node of code that was typed at a prompt."""
    for each in typed(code.co_filename):
        try:
            text = _Text(code.co_filename, each)
        except (SyntaxError, ValueError):
            continue
        node = text.find(code)
        if node is not None:
            return text, node
    raise SourceError(missing.without_text(code))


def _versions(name: str, module: dict[str, Any] | None) -> list[_Text]:
    """Return the known texts of a file, the current one first."""
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
    """Put a text first among the versions of a file; it may be one of them already."""
    content = "".join(lines).replace("\r\n", "\n").replace("\r", "\n")
    position = next((i for i, text in enumerate(known) if text.source.text == content), None)
    if position is not None:
        known.insert(0, known.pop(position))
    else:
        try:
            known.insert(0, _Text(name, content))
        except (SyntaxError, ValueError, RecursionError):
            return  # the file is being edited: the code was compiled from an earlier text
    known[0].lines = lines
    del known[_VERSIONS:]


def shown_name(name: str) -> str:
    """Return the name of a file as a user knows it: for a notebook cell, the label beside the cell."""
    interactive: Any = sys.modules.get("IPython")
    shell = interactive.get_ipython() if interactive else None
    described = shell.compile.format_code_name(name) if shell else None
    return " ".join(described) if described else name


def _first_line(node: ast.AST) -> int:
    """Return the first line of a definition, including its decorators, as its code object has it."""
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
    for node in nodes_in(root):
        if isinstance(node, FunctionNode):
            yield node


def _name_and_line(node: FunctionNode) -> tuple[str, int]:
    return "<lambda>" if isinstance(node, ast.Lambda) else node.name, _first_line(node)


def _may_be(node: FunctionNode, code: CodeType) -> bool:
    return _name_and_line(node) == (code.co_name, code.co_firstlineno)


def code_of_node(function: CodeType, tree: FunctionNode, node: FunctionNode) -> CodeType | None:
    """Return the code object of a node within a function, given the tree of that; None if it has none."""
    for code in codes_in(function.co_consts):
        if _may_be(node, code):
            candidates = [each for each in _functions(tree) if _may_be(each, code)]
            if _by_positions(candidates, code) is node:
                return code
    return None


def _by_positions(candidates: list[FunctionNode], code: CodeType) -> FunctionNode | None:
    """Return the innermost of some lambdas on a line whose body contains all positions of the code."""
    if len(candidates) == 1:
        return candidates[0]
    places = [
        (line, column, end_line, end_column)
        for line, end_line, column, end_column in code.co_positions()
        if line is not None and end_line is not None and column is not None and end_column
    ]
    if not places:
        found = _by_constant(candidates, code)
        if found is not None:
            return found
        raise SourceError(
            f"{missing.described(code)} is one of several lambdas on a line, and this Python runs without "
            f"the columns of code (-X no_debug_ranges): put each lambda on a line of its own"
        )
    start, end = min(place[:2] for place in places), max(place[2:] for place in places)
    holding = [node for node in candidates if _holds(node, start, end)]
    return max(holding, key=lambda node: (node.lineno, node.col_offset), default=None)


def _by_constant(candidates: list[FunctionNode], code: CodeType) -> FunctionNode | None:
    """Return the only lambda whose body is the constant that a code returns: 3.12 has no columns for that."""
    constant = _constant_of(code)
    bodies = [ast.Expression(node.body) for node in candidates if isinstance(node, ast.Lambda)]
    alike = [constant == _constant_of(compile(body, "<lambda>", "eval")) for body in bodies]
    found = [node for node, same in zip(candidates, alike, strict=True) if same]
    return found[0] if constant is not None and len(set(map(ast.dump, found))) == 1 else None


def _constant_of(code: CodeType) -> str | None:
    """Return the text of the constant that a code returns, if it does nothing else."""
    steps = [step for step in dis.get_instructions(code) if step.opname not in ("RESUME", "RETURN_VALUE")]
    is_constant = len(steps) == 1 and steps[0].opname.endswith("_CONST")
    return repr(steps[0].argval) if is_constant else None


def _holds(node: FunctionNode, start: tuple[int, int], end: tuple[int, int]) -> bool:
    assert isinstance(node, ast.Lambda)  # two definitions of one name cannot begin on one line
    extent = _extent(node.body)
    return extent is not None and extent[:2] <= start and end <= extent[2:]


def _extent(node: ast.AST) -> Extent | None:
    """Return the first line and column, and the last, of a node; None if nothing in it has a place."""
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
    """Return every code object in some statements."""
    module = ast.Module(statements, type_ignores=[])
    try:
        with warnings.catch_warnings():  # Python has already warned when it compiled the text
            warnings.simplefilter("ignore", SyntaxWarning)
            code = compile(module, name, "exec", flags | _FLAGS, dont_inherit=True)
    except (SyntaxError, ValueError):
        return frozenset()
    return frozenset(codes_in((code,)))


def _is_rewritten(code: CodeType) -> bool:
    names = (name for inner in codes_in((code,)) for name in (*inner.co_names, *inner.co_varnames))
    return any(name.startswith(_REWRITTEN) for name in names)


def _has_names(node: FunctionNode, code: CodeType) -> bool:
    """Return whether a function has the parameters of a code object that was rewritten."""
    arguments = node.args
    named = [arg.arg for arg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return tuple(named) == code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
