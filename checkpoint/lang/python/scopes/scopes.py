"""Scopes: which variables a function and the functions nested in it bind, read and change.

In: the syntax tree of a function. Out: its Scope, with those of its nested functions and lambdas.

A variable is *changed* by an assignment, and by every operation that Python does in place on the list or
dictionary that it holds (`xs[i] = v`, `xs.append(v)`): here, both give the variable a new value.

A nested function is *known* if its name always denotes it and is only called. A call then passes it the
current values of the variables that it uses, and it returns those that it changes. Every other nested
function, and every lambda, *escapes*: it is a closure, a value that captures variables. A captured variable
that may be assigned later is kept in a *cell*, a list of one element, so that a call which would see an old
value is refused. The cell belongs to the function that binds the variable; known functions receive it and
return it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import field
from typing import Any

from checkpoint.dataclass import dataclass
from checkpoint.lang.python.scopes import class_statements
from checkpoint.lang.python.scopes.defaults import may_be_early, names_at_definitions
from checkpoint.lang.python.scopes.imports import Imports, Target
from checkpoint.lang.python.scopes.places import Place
from checkpoint.lang.python.scopes.reach import is_confined, is_generator, statement_lists
from checkpoint.lang.python.scopes.syntax import CHANGING, IMMEDIATE, names_in, rebound_by, written_by

FunctionNode = ast.FunctionDef | ast.Lambda


@dataclass(eq=False, repr=False)
class Scope:
    """The variables of one function.

    assigned: its own variables with the nodes that bind them, the parameters included.
    nonlocals: the variables declared `nonlocal`. globals: those declared `global`, with the declarations.
    deleted: the variables that it, or a function nested in it, deletes (`del x`).
    changed: the variables of enclosing functions that it changes. free: those that it reads or changes.
    used_as_values: the names that it reads other than by calling them.
    imports: what names import, the first that exists; stored_imports: which of these names variables receive.
    classes: the classes that it defines and whose names have no other meaning, with their statements.
    writes: the positions at which its variables are written.
    places: the positions at which nested functions are defined.
    immediate: the nested functions that are called at once and not kept.
    """

    node: FunctionNode
    parent: Scope | None
    assigned: dict[str, list[ast.AST]] = field(default_factory=dict)
    nonlocals: set[str] = field(default_factory=set)
    globals: dict[str, ast.Global] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    free: set[str] = field(default_factory=set)
    used_as_values: set[str] = field(default_factory=set)
    children: dict[ast.AST, Scope] = field(default_factory=dict)
    writes: dict[str, list[Place]] = field(default_factory=dict)
    places: dict[ast.AST, Place] = field(default_factory=dict)
    immediate: set[ast.AST] = field(default_factory=set)
    imports: dict[str, list[Target]] = field(default_factory=dict)
    stored_imports: dict[ast.alias, str] = field(default_factory=dict)
    classes: dict[str, class_statements.Statement] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return getattr(self.node, "name", "<lambda>")

    def functions(self) -> dict[str, Scope]:
        """Return the nested functions whose name is bound once, by their definition."""
        found = {}
        for child in self.children.values():
            name = child.name
            if isinstance(child.node, ast.FunctionDef) and self.assigned.get(name) == [child.node]:
                found[name] = child
        return found

    def known(self) -> dict[str, Scope]:
        """Return the nested functions that are only called, by this function or by known ones."""
        functions = self.functions()
        lists = statement_lists(self.node) if functions else {}
        candidates = {
            name: scope
            for name, scope in functions.items()
            if not (getattr(scope.node, "decorator_list", []) or is_generator(scope.node))
            and is_confined(name, lists[scope.node], self.node)
            and may_be_early(self, scope.node, lists[scope.node])
        }
        while candidates:
            changing = {name for name, scope in candidates.items() if scope.effects(candidates)}
            escaping = self.used_as_values | (changing & names_at_definitions(self))
            for child in self.children.values():
                if child.name not in candidates:
                    escaping |= child.free & changing
                escaping |= child.free_used_as_values()
            remaining = {name: scope for name, scope in candidates.items() if name not in escaping}
            if len(remaining) == len(candidates):
                return remaining
            candidates = remaining
        return candidates

    def cells(self) -> set[str]:
        """Return the variables that a closure captures and that may be written afterwards."""
        known = self.known()
        late = {name for scope in known.values() for name in scope.effects(known)}
        found = set()
        for node, names in self.captured(known):
            made = self.places[node]
            own = {node.name} if isinstance(node, ast.FunctionDef) and node.decorator_list else set()
            for name in names & self.assigned.keys():  # decorators replace a function that calls itself
                if name in late | own or any(p.may_follow(made) for p in self.writes.get(name, ())):
                    found.add(name)
        return found | (self.changed_by_closures(known) & self.assigned.keys())

    def changed_by_closures(self, known: dict[str, Scope]) -> set[str]:
        """Return the variables, of this function or enclosing ones, that closures made in it change."""
        found: set[str] = set()
        for child in self.children.values():
            inside = child.changed_by_closures(child.known())
            if known.get(child.name) is not child:
                inside |= child.effects(known)
            found |= inside - child.assigned.keys()
        return found

    def captured(self, known: dict[str, Scope]) -> Iterator[tuple[ast.AST, set[str]]]:
        """Yield each nested function with the variables that it, or a closure made inside it, captures."""
        for node, child in self.children.items():
            if node in self.immediate:
                continue
            if known.get(child.name) is child:
                inside = {name for _, names in child.captured(child.known()) for name in names}
                names = inside - child.assigned.keys()
                names |= {used for name in names & known.keys() for used in known[name].uses(known)}
            else:
                names = child.uses(known)
            yield node, names - known.keys()

    def is_local(self, name: str) -> bool:
        """Return whether a name is a variable of this function or of an enclosing one."""
        around = None if name in self.imports or name in self.classes else self.parent
        return name in self.assigned or (around is not None and around.is_local(name))

    def may_lose_value(self, name: str) -> bool:
        """Return whether a variable may lose its value: after `except ... as name` and `del name`."""
        if name not in self.assigned and self.parent is not None:
            return self.parent.may_lose_value(name)
        loses = any(isinstance(node, ast.ExceptHandler) for node in self.assigned.get(name, ()))
        return loses or name in self.deleted

    def free_used_as_values(self) -> set[str]:
        """Return the free names that this function or a nested one reads other than by calling them."""
        found = {name for name in self.used_as_values if name in self.free}
        for child in self.children.values():
            found |= {name for name in child.free_used_as_values() if name in self.free}
        return found

    def effects(self, known: dict[str, Scope]) -> set[str]:
        """Return the variables of enclosing functions that a call changes; known: the sibling functions."""
        return {name for scope in self.reached(known) for name in scope.changed}

    def uses(self, known: dict[str, Scope]) -> set[str]:
        """Return the free variables that a call needs, including those of the siblings that it calls."""
        return {name for scope in self.reached(known) for name in scope.free} - known.keys()

    def reached(self, known: dict[str, Scope]) -> set[Scope]:
        """Return this scope and those of the siblings that it calls, directly or not."""
        pending, found = [self], {self}
        while pending:
            siblings = {known[name] for name in pending.pop().free & known.keys()} - found
            found |= siblings
            pending += siblings
        return found


def scope_of(node: FunctionNode, parent: Scope | None = None) -> Scope:
    """Return the scope of a function."""
    scope = Scope(node, parent)
    for argument in parameters(node.args):
        scope.assigned[argument.arg] = [argument]
    body = node.body if isinstance(node, ast.FunctionDef) else [node.body]
    visitor = _Visitor(scope)
    for statement in body:
        visitor.visit(statement)
    visitor.finish()
    return scope


def parameters(args: ast.arguments) -> Iterator[ast.arg]:
    """Yield all parameters in the order in which a translated call passes them."""
    yield from args.posonlyargs
    yield from args.args
    yield from args.kwonlyargs
    if args.vararg:
        yield args.vararg
    if args.kwarg:
        yield args.kwarg


class _Visitor(class_statements.ClassVisitor):
    """Fills in one scope; each nested function gets a visitor of its own."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.read: set[str] = set()
        self.changed_names: set[str] = set()
        self.hidden: list[set[str]] = []  # targets of the enclosing comprehensions
        self.loops: frozenset[ast.AST] = frozenset()
        self.imports = Imports()
        self.classes = {}

    def finish(self) -> None:
        """Compute the free and changed variables, when all nodes have been visited."""
        scope = self.scope
        others = {*scope.assigned, *scope.nonlocals, *scope.globals}
        scope.imports, scope.stored_imports = self.imports.finished(others, self.bind)
        scope.classes = self.confined_classes()
        for name in (*scope.globals, *scope.classes):
            scope.assigned.pop(name, None)
            scope.writes.pop(name, None)
        self.changed_names -= scope.globals.keys()
        own = (scope.assigned.keys() | scope.imports.keys() | scope.classes.keys()) - scope.nonlocals
        for name in scope.nonlocals:
            if name in scope.assigned:
                self.changed_names.add(name)
                scope.assigned.pop(name)
        for child in scope.children.values():
            scope.deleted |= child.deleted & child.free
            self.read |= child.free
            self.changed_names |= child.changed if child.name in scope.functions() else set()
        scope.free = (self.read | self.changed_names) - own - scope.globals.keys()
        scope.changed = self.changed_names - own

    def bind(self, name: str, node: ast.AST) -> None:
        self.scope.assigned.setdefault(name, []).append(node)
        self.write(name, node)

    def place(self, node: ast.AST) -> Place:
        return Place(getattr(node, "lineno", 0), getattr(node, "col_offset", 0), self.loops)

    def write(self, name: str, node: ast.AST) -> None:
        self.scope.writes.setdefault(name, []).append(self.place(node))

    def visit_For(self, node: ast.For) -> None:
        self.visit(node.iter)
        self.loop(node, [node.target, *node.body], node.orelse)

    def visit_While(self, node: ast.While) -> None:
        self.loop(node, [node.test, *node.body], node.orelse)

    def loop(self, node: ast.AST, inside: list[Any], after: list[ast.stmt]) -> None:
        outer, self.loops = self.loops, self.loops | {node}
        for part in inside:
            self.visit(part)
        self.loops = outer
        for part in after:
            self.visit(part)

    def is_hidden(self, name: str) -> bool:
        return any(name in names for names in self.hidden)

    def touch(self, path: ast.expr) -> None:
        if not isinstance(path, ast.Name):
            self.visit(path)
        name = rebound_by(path)
        if name is not None and not self.is_hidden(name):
            self.changed_names.add(name)
            self.read.add(name)
            self.write(name, path)

    def visit_Name(self, node: ast.Name) -> None:
        if self.is_hidden(node.id):
            return
        if isinstance(node.ctx, ast.Load):
            self.read.add(node.id)
            self.scope.used_as_values.add(node.id)
        else:
            self.bind(node.id, node)
            if isinstance(node.ctx, ast.Del):
                self.scope.deleted.add(node.id)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and not self.is_hidden(node.func.id):
            self.read.add(node.func.id)
        elif isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING:
            self.touch(node.func.value)
            if not isinstance(node.func.value, ast.Name):
                self.visit(node.func.value)
        else:
            self.visit(node.func)
            for written in written_by(node):
                self.touch(written)
        callee = getattr(node.func, "id", getattr(node.func, "attr", ""))
        for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
            self.visit(argument)
            if isinstance(argument, ast.Lambda) and callee in IMMEDIATE:
                self.scope.immediate.add(argument)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.touch(node.value)
            self.visit(node.slice)
            return
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.visit(node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        self.visit(node.target)
        if isinstance(node.target, ast.Name) and not self.is_hidden(node.target.id):
            self.read.add(node.target.id)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        hidden, self.hidden = self.hidden, []
        self.visit(node.target)
        self.hidden = hidden

    def visit_Global(self, node: ast.Global) -> None:
        self.scope.globals.update(dict.fromkeys(node.names, node))

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.scope.nonlocals.update(node.names)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.bind(node.name, node)
        self.generic_visit(node)
        if node.name:  # the name has no value after the clause
            end = Place(node.end_lineno or 0, node.end_col_offset or 0, self.loops)
            self.scope.writes[node.name].append(end)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        if node.name:
            self.bind(node.name, node)
        self.generic_visit(node)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self.bind(node.rest, node)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name:
            self.bind(node.name, node)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        self.imports.add(node)

    visit_ImportFrom = visit_Import

    def visit_Try(self, node: ast.Try) -> None:
        self.generic_visit(self.imports.with_fallbacks(node))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for decorator in node.decorator_list:
            self.visit(decorator)
        self.bind(node.name, node)
        self.nested(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.nested(node)

    visit_Lazy = visit_Lambda

    def nested(self, node: FunctionNode) -> None:
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            if default is not None:
                self.visit(default)
        self.child(node)

    def child(self, node: FunctionNode) -> Scope:
        child = self.scope.children[node] = scope_of(node, self.scope)
        self.scope.places[node] = self.place(node)
        return child

    def visit_comprehension_like(self, node: ast.expr) -> None:
        generators: list[ast.comprehension] = node.generators  # type: ignore[attr-defined]
        for depth, generator in enumerate(generators):
            self.visit(generator.iter)
            names = names_in(generator.target)
            if depth == 0:
                self.hidden.append(names)
            else:
                self.hidden[-1] = self.hidden[-1] | names
            for test in generator.ifs:
                self.visit(test)
        if isinstance(node, ast.DictComp):
            self.visit(node.key)
            self.visit(node.value)
        else:
            self.visit(node.elt)  # type: ignore[attr-defined]
        self.hidden.pop()

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_comprehension_like
