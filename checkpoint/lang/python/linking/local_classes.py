"""Classes that the functions of a program define: known classes, of which each is made at translation.

In: a class statement in a function. Out: the class (source/class_bodies.py), and for each variable of the
function that its methods read a cell of the run. The statement stores the variable there, or the variable's
own cell; a method reads all of them when it is called. So a run has one class for each statement. Where it
runs the statement again and could tell two such classes apart, it ends with a SourceError.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator, Mapping
from enum import Enum

from checkpoint.dataclass import dataclass
from checkpoint.lang.core import Const, Expr
from checkpoint.lang.python.context.builder import NOWHERE, UNBOUND, own_cell
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.meanings import Binding, Reference
from checkpoint.lang.python.linking.assigned import Assigned
from checkpoint.lang.python.scopes.class_statements import Statement
from checkpoint.lang.python.scopes.scopes import Scope
from checkpoint.lang.python.source.class_bodies import Captured, MadeClass, NotMade, made
from checkpoint.lang.python.source.members import is_generated, stored_in


@dataclass(frozen=True, eq=False, repr=False)
class LocalClass:
    """A class that a function of the program defines.

    made: the class. cells: for each variable that its methods read the core variable of its cell in the run.
    around: the function. in_cells: those of the variables that the function itself keeps in cells.
    once: the core variable of the cell that says whether the statement has run.
    """

    made: MadeClass
    around: FunctionContext
    statement: Statement
    cells: Mapping[str, str]
    in_cells: frozenset[str]
    once: str


class LocalClasses(Assigned):
    """The classes that a program's functions define."""

    def with_local_classes(self) -> None:
        """Begin a translation."""
        self.local: dict[Statement, LocalClass] = {}
        self.being_made: set[Statement] = set()
        self.by_class: dict[type, LocalClass] = {}
        self.by_variable: dict[Captured, LocalClass] = {}
        self.tested: set[str] = set()  # the cells that say whether a statement has run

    def class_of(self, t: FunctionContext, scope: Scope, name: str) -> LocalClass:
        """Return the class that a name denotes; scope: that of the function which defines it."""
        node = scope.classes[name]
        if node not in self.local:
            around = _at(t, scope)
            assert around.function_input is not None
            function = self.inputs.value(around.function_input)
            if node in self.being_made:
                advised = "define the class at module level"
                raise t.refuse(node, f"the class {name} inside a function, which names itself,", advised)
            self.being_made.add(node)
            try:
                found = made(around.text, function, node, around.known_object)
            except NotMade as why:
                what = f"the class {name} inside a function, {why}"
                raise t.refuse(node, what, "define the class at module level") from None
            finally:
                self.being_made.discard(node)
            self.local[node] = self.by_class.get(found.cls) or self._enter(around, node, found)
        return self.local[node]

    def _enter(self, around: FunctionContext, node: Statement, found: MadeClass) -> LocalClass:
        """Note a class."""
        assert around.function_input is not None
        farther = self.surroundings(around.function_input)  # of a method of such a class
        variables = [n for n in found.captured if around.scope.is_local(n) or n in farther]
        cells = {name: self.names.fresh(name) for name in variables}
        in_cells = frozenset(variables) & around.cells
        known = LocalClass(found, around, node, cells, in_cells, self.names.fresh("once"))
        self.by_class[found.cls] = known
        self.by_variable.update(dict.fromkeys(found.captured.values(), known))
        return known

    def local_class(self, t: FunctionContext, scope: Scope, name: str) -> Reference:
        """Return the class that a name denotes as a known object."""
        return self.reference_of(self.class_of(t, scope, name).made.cls)

    def made_once(self, t: FunctionContext, name: str) -> str:
        """Return the core variable that says whether a class statement has run, or "" if it may run again."""
        known = self.class_of(t, t.scope, name)
        cls = known.made.cls
        if not isinstance(cls, type):
            return ""
        changes = any(key[0] == id(cls) for key in self.facts.assigned)
        is_told_apart = issubclass(cls, BaseException | Enum) or is_generated(stored_in(cls).get("__eq__"))
        asks = self.facts.takes_types or self.facts.compares_types
        is_plain = not (known.cells or changes or is_told_apart or asks)
        if is_plain and not _is_value(t.scope, name):
            return ""
        self.tested.add(known.once)
        return known.once

    def meaning_of_captured(self, function: object, name: str) -> Binding | Reference | str | None:
        """Return the meaning of a name of a method of such a class; None for all others."""
        captured = _captured(function, name)
        known = None if captured is None else self.by_variable.get(captured)
        return None if known is None or captured is None else known.around.meaning(captured.name, {})

    def surroundings(self, index: int) -> dict[str, tuple[str, bool]]:
        """Return the variables that a method of such a class reads: cells, and whether these hold cells."""
        function, found = self.inputs.value(index), {}
        names = function.__code__.co_freevars if isinstance(function, types.FunctionType) else ()
        for name in names:
            captured = _captured(function, name)
            known = None if captured is None else self.by_variable.get(captured)
            if known is not None and captured is not None and captured.name in known.cells:
                found[name] = known.cells[captured.name], captured.name in known.in_cells
        return found

    def is_early(self, index: int) -> bool:
        """Return whether a function is a method of a class whose statement has not been met yet."""
        function = self.inputs.value(index)
        names = function.__code__.co_freevars if isinstance(function, types.FunctionType) else ()
        found = [_captured(function, name) for name in names]
        return any(each is not None and each not in self.by_variable for each in found)

    def cells(self) -> list[tuple[str, Expr]]:
        """Return the variables of all cells of the run with what makes these."""
        variables = [cell for known in self.by_class.values() for cell in known.cells.values()]
        own = [*[(cell, UNBOUND) for cell in variables], *[(cell, False) for cell in sorted(self.tested)]]
        made_first = [(cell, own_cell(NOWHERE, Const(NOWHERE, held))) for cell, held in own]
        return [*super().cells(), *made_first]

    def of_run(self) -> set[int]:
        """Return the ids of the classes that a run makes, so that no later run finds them."""
        return {id(cls) for cls in self.by_class}


def _captured(function: object, name: str) -> Captured | None:
    """Return what stands in the closure of a method for a variable of the function around its class."""
    assert isinstance(function, types.FunctionType)
    names = function.__code__.co_freevars
    if name not in names or function.__closure__ is None:
        return None
    try:
        found = function.__closure__[names.index(name)].cell_contents
    except ValueError:
        return None
    return found if isinstance(found, Captured) else None


def _at(t: FunctionContext, scope: Scope) -> FunctionContext:
    """Return the context of the function with a scope, which is this one or around it."""
    found: FunctionContext | None = t
    while found is not None and found.scope is not scope:
        found = found.around
    assert found is not None
    return found


def _is_value(scope: Scope, name: str) -> bool:
    """Return whether a function uses a class otherwise than by calls, attributes and derived classes."""
    return any(parent is None for parent in _uses(scope.node, name))


def _uses(root: ast.AST, name: str) -> Iterator[ast.AST | None]:
    """Yield for each use of a name the node that calls it or reads an attribute, or None."""
    harmless: dict[ast.AST, ast.AST] = {}
    for node in ast.walk(root):
        if isinstance(node, ast.Call | ast.Attribute):
            harmless[node.func if isinstance(node, ast.Call) else node.value] = node
        elif isinstance(node, ast.ClassDef):
            harmless.update(dict.fromkeys(node.bases, node))
    for node in ast.walk(root):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
            yield harmless.get(node)
