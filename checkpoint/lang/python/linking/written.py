"""Calls of functions that write into the arrays that they are passed: which they are, and how to call them.

In: a call in the text of a function. Out: which of its arguments the callee writes into; and a procedure that
returns, beside the result, what its parameters hold at its end. An array that a function has changed is
another value (ad/storage.py), which the caller stores where it had the old one.

Only programs with arrays need this: lists, dictionaries and objects are changed for all who refer to them.
"""

from __future__ import annotations

import ast
import importlib
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from checkpoint.ad.attributes import stored
from checkpoint.ad.library import LIBRARIES, writing_translations
from checkpoint.errors import SourceError
from checkpoint.lang.python.calls.arrays import is_array, translation_beside, translation_of
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.meanings import Callee, Reference
from checkpoint.lang.python.linking.facts import Facts, FactsChanged
from checkpoint.lang.python.linking.methods import Methods
from checkpoint.lang.python.scopes.scopes import FunctionNode, Scope, scope_of
from checkpoint.lang.python.scopes.syntax import rebound_by, root_of
from checkpoint.lang.python.scopes.written import Argument, arguments_of, is_path, written_parameters
from checkpoint.lang.python.source import boundary
from checkpoint.lang.python.source.members import member_of
from checkpoint.lang.python.source.texts import text_of


class Writers:
    """Finds what the functions of one program write into, by their texts.

    classes: returns the classes of the program.
    """

    def __init__(self, classes: Callable[[], Sequence[type]]) -> None:
        self.classes = classes
        self._known: dict[types.CodeType, tuple[str, ...]] = {}

    def parameters(self, function: Any) -> tuple[str, ...]:
        """Return the parameters of a function that hold arrays which it writes into."""
        if not isinstance(function, types.FunctionType) or not _is_users(function):
            return ()
        code = function.__code__
        if code not in self._known:
            self._known[code] = ()  # while it is found, for functions that call themselves
            try:
                tree = text_of(function).tree
            except SourceError:
                return ()
            assert isinstance(tree, FunctionNode)
            scope = scope_of(tree)

            def denoted(node: ast.expr) -> Any:
                return _denoted(function, node, scope)

            self._known[code] = written_parameters(scope, lambda call: self.of_call(call, denoted))
        return self._known[code]

    def of_call(self, call: ast.Call, denoted: Callable[[ast.expr], Any]) -> list[Argument]:
        """Return the arguments that a call writes into; denoted: the known object that a node denotes."""
        passed = list(arguments_of(call))
        if not passed:
            return []
        function = denoted(call.func)
        if function is None and isinstance(call.func, ast.Attribute):
            found = [self._of_method(cls, call.func.attr, passed) for cls in self.classes()]
            return [key for key, _ in passed if any(key in each for each in found)]
        return self._of_function(function, passed, 0)

    def _of_method(self, cls: type, name: str, passed: list[tuple[Argument, ast.expr]]) -> list[Argument]:
        member = member_of(cls, name)
        if isinstance(member, staticmethod):
            return self._of_function(member.__func__, passed, 0)
        if isinstance(member, classmethod):
            return self._of_function(member.__func__, passed, 1)
        return self._of_function(member, passed, 1)

    def _of_function(
        self, function: Any, passed: list[tuple[Argument, ast.expr]], implicit: int
    ) -> list[Argument]:
        function = _standing_for(function, self.classes())
        names = self.parameters(function)
        return [key for key, _ in passed if parameter_at(function, key, implicit) in names] if names else []


def parameter_at(function: Any, key: Argument, implicit: int) -> str | None:
    """Return the parameter that receives an argument; implicit: how many come before the first."""
    if isinstance(key, str):
        return key
    code = function.__code__
    at = key + implicit
    return str(code.co_varnames[at]) if at < code.co_argcount else None


def _standing_for(function: Any, classes: Sequence[type]) -> Any:
    """Return the function that is translated for a library's, if that writes into arrays; else itself.

    classes: those of the program.
    """
    found = None
    if isinstance(function, types.FunctionType):
        found = translation_of(function)
    elif isinstance(function, types.MethodType):
        found = translation_beside(function, classes)
    return found if found in writing_translations else function


def _is_users(function: types.FunctionType) -> bool:
    if function in writing_translations:
        return True
    if str(function.__module__ or "").partition(".")[0] in ("checkpoint", "tensorlib"):
        return False
    return boundary.is_allowed(function) and not boundary.is_counterpart(function)


def _denoted(function: types.FunctionType, node: ast.expr, scope: Scope) -> Any:
    """Return the object that a name or dotted name of a function denotes, of modules and classes; or None."""
    if isinstance(node, ast.Attribute):
        base = None if root_of(node) is None else _denoted(function, node.value, scope)
        known = isinstance(base, types.ModuleType | type)
        return stored(base, node.attr) if known else None
    if not isinstance(node, ast.Name):
        return None
    if node.id in scope.imports:
        found = [_imported(function, *target) for target in scope.imports[node.id]]
        return next((each for each in found if each is not None), None)
    return None if scope.is_local(node.id) else function.__globals__.get(node.id)


def _imported(function: types.FunctionType, module: str, name: str | None) -> Any:
    """Return what an import in a function binds; None if it fails."""
    try:
        found = importlib.import_module(module, function.__globals__.get("__package__"))
    except (ImportError, TypeError):  # a relative import without a package is a TypeError here
        return None
    return found if name is None else stored(found, name)


def _is_of_arrays(value: Any) -> bool:
    """Return whether a known object is an array, an array library, or belongs to one."""
    name = value.__name__ if isinstance(value, types.ModuleType) else stored(value, "__module__")
    return is_array(value) or (isinstance(name, str) and name.partition(".")[0] in LIBRARIES)


def _may_store(path: ast.expr, scope: Scope) -> bool:
    """Return whether a path is of a function's own variables, or of an object that others may hold."""
    rebound, root = rebound_by(path), root_of(path)
    is_own = rebound is None or rebound in scope.assigned
    return is_own and root is not None and scope.is_local(root)


class Written(Methods):
    """The functions of a program that write into arrays among their arguments.

    writers: what functions write into. sources: the functions with what they are translated from.
    writing: those that write into their parameters, with the functions that return these, too.
    wants_arrays: whether a call would be translated otherwise if there were arrays.
    """

    def with_writers(self, facts: Facts) -> None:
        """Begin a translation."""
        self.writers = Writers(lambda: list(facts.classes))
        self.sources: dict[Callee, tuple[int, Any, Reference | None]] = {}
        self.writing: dict[Callee, Callee] = {}
        self.wants_arrays = False

    def note_arrays(self, value: Any) -> None:
        """Record that the program has arrays if an input says so."""
        if not self.facts.arrays and _is_of_arrays(value):
            self.facts.arrays = True
            if self.wants_arrays:
                raise FactsChanged

    def written_by(self, t: FunctionContext, call: ast.Call) -> Mapping[Argument, ast.expr]:
        passed = {key: path for key, path in arguments_of(call) if is_path(path)}
        keys = self._of_call(t, t.scope, call, ()) if passed else []
        found = {key: passed[key] for key in keys if key in passed and _may_store(passed[key], t.scope)}
        if found and not self.facts.arrays:
            self.wants_arrays = True
            return {}
        return found

    def _of_call(
        self, t: FunctionContext, scope: Scope, call: ast.Call, around: tuple[Scope, ...]
    ) -> list[Argument]:
        """Return the arguments that a call in a scope writes into; around: nested functions being asked."""
        child = _nested(scope, call.func)
        if child is None:
            return self.writers.of_call(call, t.known_object)
        written = self._of_nested(t, child, around)
        names = [a.arg for a in (*child.node.args.posonlyargs, *child.node.args.args)]
        at: dict[Argument, str] = dict(enumerate(names))
        return [key for key, _ in arguments_of(call) if at.get(key, key) in written]

    def _of_nested(self, t: FunctionContext, child: Scope, around: tuple[Scope, ...] = ()) -> tuple[str, ...]:
        if child in around:
            return ()
        inside = (*around, child)
        return written_parameters(child, lambda call: self._of_call(t, child, call, inside))

    def written_by_nested(self, t: FunctionContext, child: Scope) -> tuple[str, ...]:
        written = self._of_nested(t, child)
        if written and not self.facts.arrays:
            self.wants_arrays = True
            return ()
        return written

    def note_writer(self, callee: Callee, writer: Callee) -> None:
        self.writing[callee] = writer

    def writer(self, callee: Callee) -> Callee:
        if callee not in self.writing:
            index, function, cls = self.sources.get(callee, (0, None, None))
            written = self.writers.parameters(function)
            if not written:
                return callee
            made = self.translated(index, function, cls)
            (self.put_off.get(made) or self.pending[-1]).outs = written
            self.writing[callee] = replace(made, written=written)
        return self.writing[callee]


def _nested(scope: Scope, function: ast.expr) -> Scope | None:
    """Return the nested function that a name denotes in a scope, if it always does."""
    if not isinstance(function, ast.Name):
        return None
    at: Scope | None = scope
    while at is not None and function.id not in at.assigned:
        at = at.parent
    return None if at is None else at.functions().get(function.id)
