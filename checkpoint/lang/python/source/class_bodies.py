"""Classes that a function defines, as Python classes that are made once, when the function is translated.

In: a class statement in the text of a function, and what is known of the names in it. Out: a class with the
same methods and constants, or the reason why there is none. Where a method reads a variable of the function,
the cell of its closure holds a Captured: the program knows where a run keeps that variable.

What the body evaluates must be the same whenever the function runs: constants, known classes and functions,
calls of classes of descriptors, and of what the standard library has for bodies of classes. An assignment of
anything else, `rate = x`, is made by the function itself (`computed`); the class has None there until then.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import inspect
import types
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Generic, NewType, ParamSpec, TypeVar, TypeVarTuple, Unpack
from weakref import WeakSet

from checkpoint.ad.arrays import Native
from checkpoint.ad.containers import Dict, List, Object, Record
from checkpoint.ad.graph import parts_of
from checkpoint.ad.values import Pair
from checkpoint.dataclass import dataclass
from checkpoint.errors import RunError
from checkpoint.lang.python.scopes.class_statements import (
    Statement,
    bound_in,
    evaluated_with,
    expressions_of,
    read_in,
    type_parameters,
)
from checkpoint.lang.python.scopes.syntax import names_in, walk
from checkpoint.lang.python.source.members import is_descriptor_class
from checkpoint.lang.python.source.texts import FunctionText

Known = Callable[[ast.expr], Any]  # the object that an expression always denotes, or None


@dataclass(frozen=True, eq=False)
class Captured:
    """A variable of the function around a class, in the closures of the class's methods."""

    name: str


@dataclass(frozen=True, eq=False)
class MadeClass:
    """A class that a function defines; captured: the variables of the function that its methods read."""

    cls: Any  # or a variable of types, TypeVar("T")
    captured: Mapping[str, Captured]


class NotMade(Exception):
    """The reason why there is no class for a statement."""


_PURE = frozenset(
    ("dataclasses", "enum", "functools", "typing", "collections", "abc", "operator", "contextlib", "types")
)
_BUILTINS = frozenset(
    (
        *(property, staticmethod, classmethod, object, range, len, tuple, frozenset, float, int, str, bool),
        *(list, dict, set, sum, min, max, abs, round, sorted, zip, enumerate, reversed, all, any),
    )
)
_STATEMENTS = ast.Assign | ast.AnnAssign | ast.Expr | ast.Pass | ast.FunctionDef | ast.ClassDef
_FORMS = (
    *(ast.Constant, ast.Name, ast.Attribute, ast.Call, ast.keyword, ast.Tuple, ast.List, ast.Dict, ast.Set),
    *(ast.Starred, ast.UnaryOp, ast.BinOp, ast.Subscript, ast.Slice, ast.Lambda),
    *(ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop, ast.Compare, ast.BoolOp, ast.IfExp),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension),
)
_TYPE_VARIABLES: dict[str, Callable[[str], Any]] = {
    "TypeVar": TypeVar,
    "ParamSpec": ParamSpec,
    "TypeVarTuple": TypeVarTuple,
}


def computed(node: ast.ClassDef, known: Known) -> list[tuple[str, ast.expr]]:
    """Return the attributes of a class that depend on variables of the function, with their values."""
    if node.decorator_list or node.keywords:
        return []
    found: list[tuple[str, ast.expr]] = []
    bound = bound_in(node)
    for statement in node.body:
        target, value = _assigned(statement)
        if target is None or value is None or _why_varies(value, known, bound) is None:
            continue
        inside = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
        if not inside & bound:
            found.append((target, value))
    return found


def _assigned(statement: ast.stmt) -> tuple[str | None, ast.expr | None]:
    """Return the name and value of a statement that assigns to one name."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target: ast.expr = statement.targets[0]
        return (target.id if isinstance(target, ast.Name) else None), statement.value
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id, statement.value
    return None, None


def made(text: FunctionText, function: types.FunctionType, node: Statement, known: Known) -> MadeClass:
    """Return the class of a statement in a function; raise NotMade.

    function: the outermost function around it. known: as of `computed`.
    """
    annotations = not function.__code__.co_flags & __future__.annotations.compiler_flag
    _check_statement(node, known, annotations)
    names = _evaluated_names(node, annotations)
    values = {name: value for name in sorted(names) if (value := known(_load(name))) is not None}
    key = (
        *(function.__code__, id(function.__globals__), node.lineno, node.col_offset),
        tuple([(name, id(value)) for name, value in values.items()]),
    )
    if key not in _made:
        _made[key] = _new(text, function, node, known, values), values
    _made.move_to_end(key)
    while len(_made) > _CLASSES:
        _made.popitem(last=False)
    return _made[key][0]


_made: OrderedDict[Any, tuple[MadeClass, Any]] = OrderedDict()
_CLASSES = 1024  # classes that are kept, the most recently used


def _evaluated_names(node: Statement, annotations: bool) -> set[str]:
    """Return the names that are read when the class is made."""
    if isinstance(node, ast.Assign):
        return names_in(node.value)
    found = names_in(*node.bases, *node.keywords, *node.decorator_list) - set(type_parameters(node))
    found |= read_in(node, annotations)
    return found - {node.name}


def _check_statement(node: Statement, known: Known, annotations: bool) -> None:
    """Raise NotMade if what a statement evaluates need not be the same in each run."""
    if isinstance(node, ast.Assign):
        _check(node.value, known, set())
        return
    _check_heads(node, known, set(type_parameters(node)))
    later = {value for _, value in computed(node, known)}
    for value in later:  # an attribute that is assigned later is no descriptor yet when the class is made
        calls = [each for each in ast.walk(value) if isinstance(each, ast.Call)]
        if any(is_descriptor_class(known(each.func)) for each in calls):
            raise NotMade(f"whose body makes the descriptor `{ast.unparse(value)}` in a run,")
    _check_body(node, known, later, annotations)


def _check_heads(node: ast.ClassDef, known: Known, bound: set[str]) -> None:
    for part in (*node.bases, *node.keywords):
        _check(part, known, bound)
    _check_decorators(node, known, bound)


def _check_decorators(node: ast.ClassDef | ast.FunctionDef, known: Known, bound: set[str]) -> None:
    for part in node.decorator_list:
        _check(part, known, bound)
        if not isinstance(part, ast.Call) and not _is_pure(part, known, bound):
            raise NotMade(f"which is decorated by {ast.unparse(part)},")


def _check_body(node: ast.ClassDef, known: Known, later: set[ast.expr], annotations: bool) -> None:
    bound = bound_in(node)
    for statement in node.body:
        if not isinstance(statement, _STATEMENTS):
            raise NotMade(f"whose body has a `{type(statement).__name__.lower()}` statement,")
        parts = expressions_of(statement, annotations)
        if isinstance(statement, ast.ClassDef):
            _check_heads(statement, known, bound)
            _check_body(statement, known, set(), annotations)
        elif isinstance(statement, ast.FunctionDef):
            _check_decorators(statement, known, bound)
            parts = list(evaluated_with(statement, annotations))
        for part in parts:
            if part not in later and not isinstance(statement, ast.ClassDef):
                _check(part, known, bound)


def _check(part: ast.AST, known: Known, bound: set[str]) -> None:
    problem = _why_varies(part, known, bound)
    if problem is not None:
        raise NotMade(problem)


def _why_varies(part: ast.AST, known: Known, bound: set[str]) -> str | None:
    """Return why an expression in a class body need not be the same in each run; None if it is."""
    names = (each for each in ast.walk(part) if isinstance(each, ast.Name))
    bound = bound | {each.id for each in names if isinstance(each.ctx, ast.Store)}  # of comprehensions
    for each in walk([part], lambda n: not isinstance(n, ast.Lambda)):
        if not isinstance(each, _FORMS):
            return f"whose body computes `{ast.unparse(part)}`,"
        is_name = isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
        if isinstance(each, ast.Name) and is_name and each.id not in bound and known(each) is None:
            return f"whose body reads {each.id},"
        if isinstance(each, ast.Call) and not _is_pure(each.func, known, bound):
            return f"whose body calls `{ast.unparse(each.func)}`,"
    return None


def _is_of(value: Any, modules: frozenset[str]) -> bool:
    return str(getattr(value, "__module__", "")).partition(".")[0] in modules


def _is_pure(function: ast.expr, known: Known, bound: set[str]) -> bool:
    """Return whether a call of a function in a class body does nothing but make a value."""
    value = known(function)
    if value is None:
        root = function
        while isinstance(root, ast.Attribute):
            root = root.value
        return isinstance(root, ast.Name) and root.id in bound and isinstance(function, ast.Attribute)
    try:
        makes_descriptor = is_descriptor_class(value) and value not in BOUND
        return value in _BUILTINS or _is_of(value, _PURE) or makes_descriptor
    except TypeError:
        return False


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _new(
    text: FunctionText, function: types.FunctionType, node: Statement, known: Known, values: dict[str, Any]
) -> MadeClass:
    """Make the class of a statement."""
    if isinstance(node, ast.Assign):
        cls = _evaluated(node.value, values)
        if not isinstance(cls, type | TypeVar | ParamSpec | NewType):
            raise NotMade("which is none,")
        cls.__module__ = function.__globals__.get("__name__", "__main__")
        return MadeClass(cls, {})
    code = _code_of(text, function.__code__, node, [value for _, value in computed(node, known)])
    variables = {each.name: _type_variable(each) for each in getattr(node, "type_params", ())}
    values = {**values, **variables}
    own = {*values, node.name, _TYPE_PARAMETERS}
    captured = {name: Captured(name) for name in code.co_freevars if name not in own}
    held = {**values, **captured, _TYPE_PARAMETERS: tuple(variables.values())}
    cells = {name: types.CellType(*[held[name]] if name in held else []) for name in code.co_freevars}
    body = types.FunctionType(code, function.__globals__, node.name, None, tuple(cells.values()))
    keywords = {str(each.arg): _evaluated(each.value, values) for each in node.keywords}
    bases = [_evaluated(base, values) for base in node.bases]
    if variables:
        unpacked = [Unpack[v] if isinstance(v, TypeVarTuple) else v for v in variables.values()]
        generic: Any = Generic
        bases.append(generic[tuple(unpacked)])
    try:
        cls = builtins.__build_class__(body, node.name, *bases, **keywords)
        for decorator in reversed(node.decorator_list):
            cls = _evaluated(decorator, values)(cls)
    except Exception as error:
        raise NotMade(f"which Python refuses ({type(error).__name__}: {error}),") from None
    if node.name in cells:
        cells[node.name].cell_contents = cls
    if captured:
        BOUND.add(cls)
    return MadeClass(cls, captured)


_TYPE_PARAMETERS = ".type_params"  # where Python's own code of the body finds the variables of types


def _type_variable(node: Any) -> Any:
    """Return the variable of types that `T` of `class P[T]` names."""
    return _TYPE_VARIABLES[type(node).__name__](node.name)


BOUND: WeakSet[type] = WeakSet()  # classes whose methods read variables of a function, so of a run


def check_leaves(value: Any) -> None:
    """Raise RunError for a value that holds an object which means nothing outside of its run."""
    pending, seen = [value] if BOUND else [], set[int]()
    while pending:
        each = pending.pop()
        cls = each.value if type(each) is Native else getattr(getattr(each, "layout", None), "cls", None)
        if isinstance(cls, type) and cls in BOUND:
            raise RunError(
                f"{cls.__qualname__}, whose methods read variables of the function that defines it, is no "
                f"value outside of its run: return what its attributes hold, or define it at module level"
            )
        if type(each) in _HOLDING and id(each) not in seen:
            seen.add(id(each))
            pending.extend(parts_of(each))


_HOLDING = (Object, Record, List, Dict, Pair, tuple)


def _evaluated(part: ast.expr, values: Mapping[str, Any]) -> Any:
    """Return the value of an expression of known names."""
    return eval(compile(ast.Expression(part), "<class>", "eval"), dict(values))


def _code_of(text: FunctionText, around: types.CodeType, node: ast.ClassDef, later: list[ast.expr]) -> Any:
    """Return the code of the body of a class, in which the assignments of `later` assign None."""
    found = [] if later else list(_bodies(around, node))
    if not found:
        places = {(value.lineno, value.col_offset) for value in later}
        found = [each for code in text.recompiled(_Emptied(places), around) for each in _bodies(code, node)]
    if not found:
        raise NotMade("whose text has changed since the function was made,")
    return found[0]


def _bodies(code: types.CodeType, node: ast.ClassDef) -> Any:
    """Yield the code of the body of a class, wherever it is in some code."""
    first = (node.decorator_list[0] if node.decorator_list else node).lineno
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            is_body = not each.co_flags & inspect.CO_OPTIMIZED
            if is_body and each.co_name == node.name and each.co_firstlineno == first:
                yield each
            yield from _bodies(each, node)


class _Emptied(ast.NodeTransformer):
    """Replaces the values at some places by None."""

    def __init__(self, places: set[tuple[int, int]]) -> None:
        self.places = places

    def generic_visit(self, node: ast.AST) -> Any:
        super().generic_visit(node)
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        if value is not None and (value.lineno, value.col_offset) in self.places:
            node.value = ast.copy_location(ast.Constant(None), value)  # type: ignore[attr-defined]
        return node
