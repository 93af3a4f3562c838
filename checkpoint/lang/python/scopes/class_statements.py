"""Classes that a function defines: which of their names have one meaning, and what their bodies read.

In: a class statement, or the call of a maker such as `P = namedtuple("P", "x y")`, in a function. Out:
whether the name always denotes that class; the names that the statements of the body read, and the functions
in it.
"""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from checkpoint.lang.python.scopes.syntax import called_name, walk

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Statement = ast.ClassDef | ast.Assign

# Functions that make classes, and type variables, with the least number of arguments.
_OF_TWO = (
    "namedtuple",
    "NamedTuple",
    "make_dataclass",
    "Enum",
    "IntEnum",
    "Flag",
    "IntFlag",
    "StrEnum",
    "NewType",
)
MAKERS = {**dict.fromkeys(_OF_TWO, 2), "TypeVar": 1, "ParamSpec": 1}


def is_maker_call(node: ast.AST) -> bool:
    """Return whether a statement assigns to a name what a maker of classes returns."""
    if (
        not isinstance(node, ast.Assign)
        or len(node.targets) != 1
        or not isinstance(node.targets[0], ast.Name)
    ):
        return False
    call = node.value
    if not isinstance(call, ast.Call):
        return False
    least = MAKERS.get(called_name(call))
    return least is not None and len(call.args) >= least


def name_of(statement: Statement) -> str:
    """Return the name that a class statement, or the assignment of a made class, binds."""
    if isinstance(statement, ast.ClassDef):
        return statement.name
    target = statement.targets[0]
    assert isinstance(target, ast.Name)
    return target.id


def has_one_meaning(statement: Statement, function: ast.AST) -> bool:
    """Return whether all uses of the name of a class come after its statement, in its list of statements."""
    name = name_of(statement)
    for statements in _lists(function):
        if statement in statements:
            at = statements.index(statement)
            earlier = [s for s in statements[:at] if isinstance(s, ast.FunctionDef | ast.ClassDef)]
            bases = _times(name, _heads(statement))
            return not bases and _times(name, [function]) == _times(name, [*statements[at:], *earlier])
    return False


def _lists(function: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yield all lists of statements in a function."""
    for node in ast.walk(function):
        for _, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                yield value


def _heads(statement: Statement) -> list[ast.AST]:
    """Return what is evaluated before a class exists."""
    if isinstance(statement, ast.Assign):
        return [statement.value]
    return [*statement.bases, *statement.keywords, *statement.decorator_list]


def _times(name: str, nodes: Sequence[ast.AST]) -> int:
    return sum(isinstance(n, ast.Name) and n.id == name for node in nodes for n in ast.walk(node))


def bound_in(node: ast.ClassDef) -> set[str]:
    """Return the names that the body of a class binds, its variables of types and those of its methods."""
    found: set[str] = set(type_parameters(node))
    for each in walk(node.body, _is_own):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found |= {each.name, *type_parameters(each)}
        elif isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load):
            found.add(each.id)
    return found


def type_parameters(node: ast.AST) -> list[str]:
    """Return the names of the variables of types of a definition, `T` of `class P[T]`."""
    return [each.name for each in getattr(node, "type_params", ())]  # from Python 3.12


def _is_own(node: ast.AST) -> bool:
    return not isinstance(node, FunctionNode | ast.ClassDef)


def functions_in(
    node: ast.ClassDef,
) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef]:
    """Yield the functions, lambdas and classes in the body of a class, none of those nested in them."""
    for each in walk(node.body, _is_own):
        if isinstance(each, FunctionNode | ast.ClassDef):
            yield each


def read_in(node: ast.ClassDef, annotations: bool = True) -> set[str]:
    """Return the names that the statements of a body read which it does not bind, functions apart.

    Their decorators, defaults and annotations are evaluated with the body. annotations: whether these are.
    """
    parts: list[ast.AST] = []
    for statement in node.body:
        parts += [statement] if annotations else expressions_of(statement, annotations)
    for each in functions_in(node):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            parts += evaluated_with(each, annotations)
    names = (each for each in walk(parts, _is_own) if isinstance(each, ast.Name))
    return {each.id for each in names if isinstance(each.ctx, ast.Load)} - bound_in(node)


def expressions_of(statement: ast.stmt, annotations: bool) -> list[ast.AST]:
    """Return what a statement evaluates; of a definition it is none of these."""
    if isinstance(statement, ast.AnnAssign) and not annotations:
        return [part for part in (statement.target, statement.value) if part is not None]
    return [part for part in ast.iter_child_nodes(statement) if isinstance(part, ast.expr)]


def evaluated_with(function: ast.FunctionDef | ast.AsyncFunctionDef, annotations: bool) -> list[ast.expr]:
    """Return the decorators, defaults and annotations of a definition, which are evaluated where it is."""
    args = function.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, *[a for a in (args.vararg, args.kwarg) if a]]
    found: list[ast.expr] = [*function.decorator_list, *args.defaults, *[d for d in args.kw_defaults if d]]
    if annotations:
        found += [each.annotation for each in every if each.annotation is not None]
        found += [] if function.returns is None else [function.returns]
    return found


class ClassVisitor(ast.NodeVisitor):
    """The part of a visitor of a function (scopes.py) that sees classes and what is no known function.

    classes: those that it has met.
    """

    scope: Any
    classes: dict[str, Statement]

    @abstractmethod
    def child(self, node: Any) -> Any:
        """Return the new scope of a function that is nested in this one."""

    @abstractmethod
    def bind(self, name: str, node: ast.AST) -> None:
        """Note that a node binds a name."""

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Bind the name of a class; what its body binds is in no scope of a function."""
        for part in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(part)
        self._body(node)
        self.bind(node.name, node)
        self.classes[node.name] = node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        for part in (*node.decorator_list, *node.args.defaults, *node.args.kw_defaults):
            if part is not None:
                self.visit(part)
        self.bind(node.name, node)

    def _body(self, node: ast.ClassDef) -> None:
        """Note what the body of a class reads; its methods are closures."""
        for name in sorted(read_in(node)):
            self.visit(ast.Name(name, ast.Load()))
        for each in functions_in(node):
            if isinstance(each, ast.ClassDef):
                self._body(each)
            elif not isinstance(each, ast.AsyncFunctionDef):
                self.scope.used_as_values |= self.child(each).free

    def visit_Assign(self, node: ast.Assign) -> None:
        self.generic_visit(node)
        if is_maker_call(node):
            self.classes[name_of(node)] = node

    def confined_classes(self) -> dict[str, Statement]:
        """Return the classes whose names have no other meaning, when all nodes have been visited."""
        return {name: node for name, node in self.classes.items() if self._is_confined(name, node)}

    def _is_confined(self, name: str, node: Statement) -> bool:
        scope = self.scope
        binding = node if isinstance(node, ast.ClassDef) else node.targets[0]
        if name in scope.nonlocals or name in scope.globals or name in scope.deleted:
            return False
        changed = any(name in child.nonlocals | child.deleted for child in scope.children.values())
        return scope.assigned.get(name) == [binding] and not changed and has_one_meaning(node, scope.node)
