"""Make expressions free of effects: what changes a variable becomes a statement before the expression.

In: an expression of Python, and the list of statements to which its effects are added. Out: an expression
that has the same value after these statements, and changes no variable.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Container, Mapping
from itertools import count
from typing import Any

from checkpoint.lang.python.library import generators
from checkpoint.lang.python.normal.comprehensions import as_loops, loops, over, runs_as_function
from checkpoint.lang.python.normal.in_place import is_in_place, put
from checkpoint.lang.python.normal.nodes import (
    Change,
    Keyword,
    Library,
    Prim,
    Scoped,
    Writing,
    Yielded,
    assign,
    constant,
    load,
    with_parts,
)
from checkpoint.lang.python.scopes.syntax import (
    COMPREHENSIONS,
    MUTATING_METHODS,
    children_of,
    is_super,
    module_of,
    out_of,
    root_of,
    targets_of,
)
from checkpoint.lang.python.scopes.written import Argument


class Expressions(ABC):
    """The normal form of the expressions of one function.

    changing: the names of nested functions that change variables.
    methods: the names of the methods of the program's classes.
    is_local: returns whether a name is a variable.
    refused: the nodes that end the run when they are reached; they stay as they are.
    stored_imports: the imports that assign to a variable, with the names of what they import.
    known: returns the Python object that an expression denotes, or None.
    writes: returns the arguments of a call that are paths of arrays which the callee writes into.
    has_iterators: whether objects of the program's classes can be iterated over.
    has_cleanup: returns whether an expression makes a generator that does something when it is closed.
    """

    has_iterators = False
    has_cleanup: Callable[[ast.expr], bool] = staticmethod(lambda _: False)

    def __init__(
        self,
        changing: Collection[str],
        methods: Collection[str],
        is_local: Callable[[str], bool],
        refused: Container[ast.AST] = (),
        stored_imports: Mapping[ast.alias, str] | None = None,
        known: Callable[[ast.expr], Any] = lambda _: None,
    ) -> None:
        self.writes: Callable[[ast.Call], Mapping[Argument, ast.expr]] = lambda _: {}
        self.refused = refused
        self.stored_imports = stored_imports or {}
        self.known = known
        self.changing = changing
        self.is_local = is_local
        self.own_methods = frozenset(methods)
        self.numbers = count(1)

    def temporary(self) -> str:
        return f"%{next(self.numbers)}"

    @abstractmethod
    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """Return a list of statements in normal form."""

    def is_change(self, node: ast.AST) -> bool:
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and not is_super(node.func.value)
            and (node.func.attr in MUTATING_METHODS or is_in_place(self, node) or self.out(node) is not None)
        )

    def out(self, node: ast.Call) -> ast.expr | None:
        """Return the path of the array that a call writes its result to; None for most calls."""
        path = out_of(node)
        if path is None or not self.is_local(str(root_of(path))):
            return None
        function = node.func
        assert isinstance(function, ast.Attribute)
        is_method = self.is_local(str(module_of(function))) or module_of(function) is None
        return None if is_method and function.attr in self.own_methods else path

    def is_writing(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and not self.is_change(node) and bool(self.writes(node))

    def has_effect(self, node: ast.AST) -> bool:
        """Return whether evaluating an expression changes a variable of the function."""
        if node in self.refused:
            return False
        if isinstance(node, ast.Call):
            if self.is_change(node) or self.writes(node):
                return True
            if isinstance(node.func, ast.Name) and node.func.id in self.changing:
                return True
        elif isinstance(node, (ast.NamedExpr, ast.Yield, ast.YieldFrom)):
            return True
        elif isinstance(node, ast.Lambda):
            return any(self.has_effect(d) for d in [*node.args.defaults, *node.args.kw_defaults] if d)
        return any(map(self.has_effect, children_of(node)))

    def save(self, value: ast.expr, out: list[ast.stmt]) -> ast.Name:
        """Assign a value to a new temporary, and return that."""
        name = self.temporary()
        out.append(assign(name, value, value))
        return load(name, value)

    def stable(self, value: ast.expr, out: list[ast.stmt]) -> ast.expr:
        """Return a value that no later statement can change: a constant or a temporary."""
        if isinstance(value, ast.Starred):
            items = self.save(Prim("py.tuple-of", [value.value], value), out)
            return ast.copy_location(ast.Starred(items, ast.Load()), value)
        if isinstance(value, ast.Constant) or (isinstance(value, ast.Name) and value.id[0] == "%"):
            return value
        return self.save(value, out)

    def pure(self, node: ast.expr, out: list[ast.stmt]) -> ast.expr:
        """Return the expression without its effects.

        The effects, and everything that must be evaluated before them, are added to `out`.
        """
        if not self.has_effect(node):
            return node
        if isinstance(node, ast.NamedExpr):
            value = self.stable(self.pure(node.value, out), out)
            out.append(assign(node.target.id, value, node))
            return value
        if isinstance(node, ast.Yield):
            return self.yielded(node.value or constant(None, node), node, out)
        if isinstance(node, ast.YieldFrom):
            return self.yielded_from(node, out)
        if self.is_change(node):
            return self.change(node, out, used=True)  # type: ignore[arg-type]
        if self.is_writing(node):
            return self.save(Prim("py.item", [self.writing(node, out), constant(0, node)], node), out)  # type: ignore[arg-type]
        if isinstance(node, ast.IfExp):
            return self.choice(node, node.test, node.body, node.orelse, out)
        if isinstance(node, ast.BoolOp):
            return self.short_circuit(node, out)
        if isinstance(node, COMPREHENSIONS):
            return self.comprehension(node, out)
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            return self.chain(node, out)
        match node:
            case ast.Call(ast.Name("any" | "all" as by), [ast.GeneratorExp() as items], []):
                if not self.is_local(by):
                    return self.comprehension(items, out, by)
            case ast.Call(ast.Name("next"), [ast.GeneratorExp() as items, *default], []):
                if not self.is_local("next"):
                    return self.search(items, default, out)
        return self.compound(node, out)

    def yielded(self, value: ast.expr, at: ast.AST, out: list[ast.stmt]) -> ast.expr:
        """Return what is sent to a `yield`."""
        name = self.temporary()
        out.append(Yielded(name, self.pure(value, out), None, at))
        return load(name, at)

    def yielded_from(self, node: ast.YieldFrom, out: list[ast.stmt]) -> ast.expr:
        """Return the value of `yield from`: of the generator, to which all that comes in is passed on."""
        inner = self.save(Library(generators.started, [self.pure(node.value, out)], node), out)
        sent, thrown, found = self.temporary(), self.temporary(), self.temporary()
        out += [assign(sent, constant(None, node), node), assign(thrown, constant(None, node), node)]
        step = Library(generators.delegated, [inner, load(sent, node), load(thrown, node)], node)
        ended = Prim("py.item", [load(found, node), constant(0, node)], node)
        value = Prim("py.item", [load(found, node), constant(1, node)], node)
        leave = ast.copy_location(ast.If(ended, [ast.copy_location(ast.Break(), node)], []), node)
        body: list[ast.stmt] = [assign(found, step, node), leave, Yielded(sent, value, thrown, node)]
        out.append(ast.copy_location(ast.While(constant(True, node), body, []), node))
        return value

    def chain(self, node: ast.Compare, out: list[ast.stmt]) -> ast.expr:
        """Return `a < b < c`, in which c may not be evaluated."""
        left, middle = self.in_order([node.left, node.comparators[0]], out)
        middle = self.stable(middle, out)
        first = ast.copy_location(ast.Compare(left, node.ops[:1], [middle]), node)
        rest = ast.copy_location(ast.Compare(middle, node.ops[1:], node.comparators[1:]), node)
        return self.short_circuit(ast.copy_location(ast.BoolOp(ast.And(), [first, rest]), node), out)

    def compound(self, node: ast.expr, out: list[ast.stmt]) -> ast.expr:
        """Return an expression whose operands are all evaluated, in order."""
        parts = self.operands(node)
        fresh = self.in_order(list(parts), out, _spread(node))
        table = dict(zip(map(id, parts), fresh, strict=True))
        result: ast.expr = with_parts(node, table)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self.changing:
            return self.save(result, out)
        return result

    def operands(self, node: ast.expr) -> list[ast.expr]:
        """Return the expressions that an expression evaluates, in order."""
        match node:
            case ast.Dict():
                pairs = zip(node.keys, node.values, strict=True)
                return [part for pair in pairs for part in pair if part is not None]
            case ast.Call():
                passed = [*node.args, *(keyword.value for keyword in node.keywords)]
                return [*self.callee(node.func), *passed]
        return [child for child in children_of(node) if isinstance(child, ast.expr)]

    def callee(self, function: ast.expr) -> list[ast.expr]:
        """Return the expressions that a call evaluates before its arguments: the object of a method."""
        if isinstance(function, ast.Name):
            return []
        if not isinstance(function, ast.Attribute):
            return [function]
        root = root_of(function.value)
        return [] if root is not None and not self.is_local(root) else [function.value]

    def in_order(
        self, parts: list[ast.expr], out: list[ast.stmt], spread: Container[ast.expr] = ()
    ) -> list[ast.expr]:
        """Return expressions without effects; those before one with effects are saved, `spread` as copies."""
        last = max((i for i, part in enumerate(parts) if self.has_effect(part)), default=-1)
        found = []
        for i, part in enumerate(parts):
            value = self.pure(part, out)
            if i < last and part in spread:
                value = ast.copy_location(ast.Dict([None], [value]), part)
            found.append(self.stable(value, out) if i < last else value)
        return found

    def choice(
        self, at: ast.expr, test: ast.expr, then: ast.expr, other: ast.expr, out: list[ast.stmt]
    ) -> ast.expr:
        name = self.temporary()
        branches = []
        for branch in (then, other):
            inside: list[ast.stmt] = []
            value = self.pure(branch, inside)
            branches.append([*inside, assign(name, value, at)])
        out.append(ast.copy_location(ast.If(self.pure(test, out), *branches), at))
        return load(name, at)

    def short_circuit(self, node: ast.BoolOp, out: list[ast.stmt]) -> ast.expr:
        first, rest = node.values[0], node.values[1:]
        value = self.stable(self.pure(first, out), out)
        if not rest:
            return value
        more = rest[0] if len(rest) == 1 else ast.copy_location(ast.BoolOp(node.op, rest), node)
        if isinstance(node.op, ast.And):
            return self.choice(node, value, more, value, out)
        return self.choice(node, value, value, more, out)

    def comprehension(self, node: Any, out: list[ast.stmt], by: str | None = None) -> ast.expr:
        """Return the value of a comprehension with effects, which its loops compute; by: `any` or `all`."""
        name = self.temporary()
        first = self.save(self.pure(node.generators[0].iter, out), out)
        start, loops = as_loops(node, name, first, by)
        out.append(assign(name, start, node))
        names = frozenset(targets_of(node.generators))
        out.append(Scoped(names, self.block([loops]), runs_as_function(node), node))
        return load(name, node)

    def search(self, node: ast.GeneratorExp, default: list[ast.expr], out: list[ast.stmt]) -> ast.expr:
        """Return the first item of a generator expression with effects, which has one `for`."""
        name, found = self.temporary(), self.temporary()
        first = self.save(self.pure(node.generators[0].iter, out), out)
        start = self.pure(default[0], out) if default else constant(None, node)
        out += [assign(name, start, node), assign(found, constant(False, node), node)]
        leave = [assign(name, node.elt, node), assign(found, constant(True, node), node), ast.Break()]
        body = ast.copy_location(ast.If(constant(True, node), leave, []), node)
        loop = loops(node, [over(node.generators[0], first)], [body], [])
        out.append(Scoped(frozenset(targets_of(node.generators)), self.block([loop]), True, node))
        if not default:
            missing = ast.copy_location(ast.UnaryOp(ast.Not(), load(found, node)), node)
            fails = ast.copy_location(ast.Raise(load("StopIteration", node), None), node)
            out.append(ast.copy_location(ast.If(missing, [fails], []), node))
        return load(name, node)

    def path(self, target: ast.expr, out: list[ast.stmt]) -> ast.expr:
        """Return a path with indices that are evaluated once."""
        if isinstance(target, ast.Subscript):
            value = self.path(target.value, out)
            if isinstance(target.slice, ast.Slice):
                index: ast.expr = target.slice
            else:
                index = self.stable(self.pure(target.slice, out), out)
            return ast.copy_location(ast.Subscript(value, index, ast.Load()), target)
        if isinstance(target, ast.Attribute):
            value = target.value
            if self.is_local(str(root_of(value))) and not isinstance(value, ast.Name):
                value = self.stable(self.pure(value, out), out)
            return ast.copy_location(ast.Attribute(value, target.attr, ast.Load()), target)
        if isinstance(target, ast.Name):
            return load(target.id, target)
        return self.stable(self.pure(target, out), out)

    def change(self, node: ast.Call, out: list[ast.stmt], used: bool) -> ast.expr:
        """Turn a call of a mutating method into a Change, and return its result."""
        assert isinstance(node.func, ast.Attribute)
        if is_in_place(self, node):
            return put(self, node, out)
        if node.func.attr not in MUTATING_METHODS:
            return self.written(node, out, used)
        if self.has_iterators and node.func.attr == "extend" and isinstance(node.args[0], ast.GeneratorExp):
            return self.extended(node.func.value, node.args[0], node, out)
        path = self.path(self.inserted(node.func.value, out), out)
        operands = [*node.args, *(keyword.value for keyword in node.keywords)]
        values = self.in_order(operands, out)
        args: list[ast.expr] = list(values[: len(node.args)])
        for keyword, value in zip(node.keywords, values[len(node.args) :], strict=True):
            args.append(ast.copy_location(Keyword(keyword.arg, value), keyword))
        result = self.temporary() if used else None
        out.append(Change(path, node.func.attr, args, result, node))
        return constant(None, node) if result is None else load(result, node)

    def extended(
        self, target: ast.expr, items: ast.GeneratorExp, at: ast.AST, out: list[ast.stmt]
    ) -> ast.expr:
        """Append the items of a generator expression to a list one by one; return None."""
        path = self.path(target, out)
        first = self.save(self.pure(items.generators[0].iter, out), out)
        method = ast.copy_location(ast.Attribute(path, "append", ast.Load()), at)
        append = ast.copy_location(ast.Expr(ast.copy_location(ast.Call(method, [items.elt], []), at)), at)
        loop = loops(items, [over(items.generators[0], first), *items.generators[1:]], [append], [])
        out.append(Scoped(frozenset(targets_of(items.generators)), self.block([loop]), True, at))
        return constant(None, at)

    def written(self, node: ast.Call, out: list[ast.stmt], used: bool) -> ast.expr:
        """Turn a call that writes its result to an array into a Change, and return its result."""
        target = self.out(node)
        assert target is not None
        path = self.path(target, out)
        call = self.compound(with_parts(node, {id(target): path}), out)
        result = self.temporary() if used else None
        out.append(Change(path, "(out)", [call], result, node))
        return constant(None, node) if result is None else load(result, node)

    def writing(self, node: ast.Call, out: list[ast.stmt]) -> ast.expr:
        """Call a function that writes into arrays; return its outcome.

        What it has in place of these arrays is stored where they were.
        """
        written = self.writes(node)
        paths = {key: self.path(part, out) for key, part in written.items()}
        values = {
            key: path if isinstance(path, ast.Name) else self.save(path, out) for key, path in paths.items()
        }
        call = with_parts(node, {id(part): values[key] for key, part in written.items()})
        assert isinstance(call, ast.Call)
        outcome = self.save(Writing(self.compound(call, out), list(written), node), out)  # type: ignore[arg-type]
        for i, (key, path) in enumerate(paths.items()):
            new = Prim("py.item", [outcome, constant(i + 1, node)], node)
            stored: list[ast.stmt] = []
            if isinstance(path, ast.Subscript) and not isinstance(path.slice, ast.Slice):
                stored.append(Change(path.value, "put_back", [path.slice, new], None, node))
            else:
                self.store(path, new, stored)
            test = Prim("py.was-changed", [values[key]], node)
            out.append(ast.copy_location(ast.If(test, stored, []), node))
        return outcome

    @abstractmethod
    def store(self, target: ast.expr, value: ast.expr, out: list[ast.stmt]) -> None:
        """Assign a value to any target."""

    def mutating_call(self, node: ast.Call, path: ast.expr, out: list[ast.stmt]) -> None:
        """Turn a call of a library function that changes its first argument into a Change."""
        path = self.path(path, out)
        call = self.compound(ast.copy_location(ast.Call(node.func, node.args[1:], node.keywords), node), out)
        out.append(Change(path, "(call)", [call], None, node))

    def inserted(self, node: ast.expr, out: list[ast.stmt]) -> ast.expr:
        """Return the path d[k] for `d.setdefault(k, []).append(v)`, after the key has been inserted."""
        if not (self.is_change(node) and node.func.attr == "setdefault" and len(node.args) == 2):  # type: ignore[attr-defined]
            return node
        assert isinstance(node, ast.Call)
        assert isinstance(node.func, ast.Attribute)
        path = self.path(self.inserted(node.func.value, out), out)
        key = self.stable(self.pure(node.args[0], out), out)
        out.append(Change(path, "setdefault", [key, self.pure(node.args[1], out)], None, node))
        return ast.copy_location(ast.Subscript(path, key, ast.Load()), node)


def _spread(node: ast.expr) -> list[ast.expr]:
    """Return the operands of a display or call that `**` spreads."""
    if isinstance(node, ast.Dict):
        return [value for key, value in zip(node.keys, node.values, strict=True) if key is None]
    return [each.value for each in node.keywords if each.arg is None] if isinstance(node, ast.Call) else []
