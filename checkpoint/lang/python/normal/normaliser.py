"""The small Python that is translated: statements that have effects on variables, expressions that have none.

In: the statements of a function. Out: statements that mean the same, in which
- an expression changes no variable: `:=`, changing methods (`xs.pop()`) and calls of nested functions that
  change variables stand alone as statements, their operands kept in temporaries where order matters;
- an assignment has one target, a name; every change of what a variable holds is a Change;
- there is no AugAssign, AnnAssign, Assert, Pass; a `while` with a test that changes variables tests inside.

Temporaries are variables named "%1", "%2", ...; the nodes that are new are in nodes.py.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection
from itertools import count
from typing import Any

from checkpoint.lang.python.normal.comprehensions import as_loops, runs_apart
from checkpoint.lang.python.normal.nodes import (
    IN_PLACE,
    Change,
    Keyword,
    Prim,
    Scoped,
    assign,
    bounds_of,
    constant,
    is_plain_tuple,
    load,
    names_changed,
    to_change,
    with_parts,
)
from checkpoint.lang.python.scopes.scopes import CHANGING, COMPREHENSIONS, root_of
from checkpoint.lang.python.scopes.writing import module_of, written_by


class Normaliser:
    """One function's.

    changing: the names of nested functions that change variables. methods: those of the program's classes.
    is_local: whether a name is that of a variable.
    """

    def __init__(
        self, changing: Collection[str], methods: Collection[str], is_local: Callable[[str], bool]
    ) -> None:
        self.changing = changing
        self.is_local = is_local
        self.methods = CHANGING - frozenset(methods)
        self.numbers = count(1)

    def temporary(self) -> str:
        return f"%{next(self.numbers)}"

    # Statements

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """A list of statements in normal form."""
        out: list[ast.stmt] = []
        for statement in statements:
            method: Callable[..., None] | None = getattr(self, f"on_{type(statement).__name__}", None)
            if method is None:
                out.append(statement)
            else:
                method(statement, out)
        return out

    def on_Pass(self, node: ast.Pass, out: list[ast.stmt]) -> None:
        """Nothing."""

    on_Nonlocal = on_Pass

    def on_Expr(self, node: ast.Expr, out: list[ast.stmt]) -> None:
        if isinstance(node.value, ast.Constant):
            return
        if self.is_change(node.value):
            self.change(node.value, out, used=False)  # type: ignore[arg-type]
            return
        path = written_by(node.value)
        if path is not None and not self.is_local(str(module_of(node.value.func))):  # type: ignore[attr-defined]
            self.written(node.value, path, out)  # type: ignore[arg-type]
            return
        value = self.pure(node.value, out)
        is_done = isinstance(value, ast.Constant) or (isinstance(value, ast.Name) and value.id[0] == "%")
        if not is_done:
            out.append(ast.copy_location(ast.Expr(value), node))

    def on_Return(self, node: ast.Return, out: list[ast.stmt]) -> None:
        value = None if node.value is None else self.pure(node.value, out)
        out.append(ast.copy_location(ast.Return(value), node))

    def on_Assign(self, node: ast.Assign, out: list[ast.stmt]) -> None:
        first = node.targets[0]
        if len(node.targets) == 1:
            if isinstance(first, ast.Name) and first.id not in names_changed(node.value):
                out.append(assign(first.id, self.pure(node.value, out), node))
                return
            if isinstance(first, ast.Tuple | ast.List) and self.pairwise(first, node.value, out):
                return
        value = self.kept(self.pure(node.value, out), out)
        for target in node.targets:
            self.store(target, value, out)

    def pairwise(self, target: ast.Tuple | ast.List, value: ast.expr, out: list[ast.stmt]) -> bool:
        """`a, b = x, y` without a tuple; whether it is of that form."""
        if not isinstance(value, ast.Tuple | ast.List) or len(value.elts) != len(target.elts):
            return False
        if any(isinstance(part, ast.Starred) for part in (*target.elts, *value.elts)):
            return False
        values = self.in_order(value.elts, out)
        kept = [part if isinstance(part, ast.Constant) else self.saved(part, out) for part in values]
        for part, each in zip(target.elts, kept, strict=True):
            self.store(part, each, out)
        return True

    def on_AnnAssign(self, node: ast.AnnAssign, out: list[ast.stmt]) -> None:
        if node.value is not None:
            assigned = ast.Assign([node.target], node.value)
            self.on_Assign(ast.copy_location(assigned, node), out)

    def on_AugAssign(self, node: ast.AugAssign, out: list[ast.stmt]) -> None:
        operator = IN_PLACE.get(type(node.op), type(node.op))()
        if isinstance(node.target, ast.Name):
            old: ast.expr = load(node.target.id, node.target)
            if self.has_effect(node.value):
                old = self.saved(old, out)
            value: ast.expr = ast.BinOp(old, operator, self.pure(node.value, out))
            out.append(assign(node.target.id, ast.copy_location(value, node), node))
            return
        path = self.path(node.target, out)
        old = to_change(path)
        if self.has_effect(node.value):
            old = self.saved(path, out)
        value = ast.copy_location(ast.BinOp(old, operator, self.pure(node.value, out)), node)
        self.store(path, value, out)

    def store(self, target: ast.expr, value: ast.expr, out: list[ast.stmt]) -> None:
        """Assign a value to any target."""
        if isinstance(target, ast.Name):
            out.append(assign(target.id, value, target))
        elif isinstance(target, ast.Tuple | ast.List):
            self.unpack(target, value, out)
        elif isinstance(target, ast.Subscript):
            value = self.kept(value, out)
            path = self.path(target, out)
            assert isinstance(path, ast.Subscript)
            if isinstance(path.slice, ast.Slice):
                out.append(Change(path.value, "set_slice", [*bounds_of(path.slice), value], None, target))
            else:
                out.append(Change(path.value, "set", [path.slice, value], None, target))
        else:
            out.append(ast.copy_location(ast.Assign([target], value), target))

    def unpack(self, target: ast.Tuple | ast.List, value: ast.expr, out: list[ast.stmt]) -> None:
        stars = [i for i, part in enumerate(target.elts) if isinstance(part, ast.Starred)]
        if not stars:
            parts = self.saved(Prim("py.unpack", [value, constant(len(target.elts), target)], target), out)
            for i, part in enumerate(target.elts):
                self.store(part, Prim("py.item", [parts, constant(i, part)], part), out)
            return
        before, after = stars[0], len(target.elts) - stars[0] - 1
        value = self.kept(value, out)
        counts: list[ast.expr] = [constant(before, target), constant(after, target)]
        parts = self.saved(Prim("py.unpack-star", [value, *counts], target), out)
        for i, part in enumerate(target.elts):
            if isinstance(part, ast.Starred):
                self.store(part.value, Prim("py.unpack-rest", [value, *counts], part), out)
            else:
                self.store(part, Prim("py.item", [parts, constant(i - (i > before), part)], part), out)

    def on_Assert(self, node: ast.Assert, out: list[ast.stmt]) -> None:
        test = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
        error = ast.Call(load("AssertionError", node), [] if node.msg is None else [node.msg], [])
        failed = ast.Raise(ast.copy_location(error, node), None)
        out += self.block([ast.copy_location(ast.If(test, [ast.copy_location(failed, node)], []), node)])

    def on_Raise(self, node: ast.Raise, out: list[ast.stmt]) -> None:
        value = None if node.exc is None else self.pure(node.exc, out)
        out.append(ast.copy_location(ast.Raise(value, None), node))

    def on_If(self, node: ast.If, out: list[ast.stmt]) -> None:
        test = self.pure(node.test, out)
        out.append(ast.copy_location(ast.If(test, self.block(node.body), self.block(node.orelse)), node))

    def on_While(self, node: ast.While, out: list[ast.stmt]) -> None:
        if not self.has_effect(node.test):
            plain = ast.While(node.test, self.block(node.body), self.block(node.orelse))
            out.append(ast.copy_location(plain, node))
            return
        leave = ast.copy_location(ast.Break(), node)
        inside = ast.copy_location(ast.If(node.test, node.body, [*node.orelse, leave]), node)
        body = self.block([inside])
        out.append(ast.copy_location(ast.While(constant(True, node), body, []), node))

    def on_For(self, node: ast.For, out: list[ast.stmt]) -> None:
        iterable = self.pure(node.iter, out)
        target: ast.expr = node.target
        head: list[ast.stmt] = []
        if not isinstance(target, ast.Name) and not is_plain_tuple(target):
            item = self.temporary()
            target = ast.copy_location(ast.Name(item, ast.Store()), node.target)
            self.store(node.target, load(item, node.target), head)
        loop = ast.For(target, iterable, [*head, *self.block(node.body)], self.block(node.orelse))
        out.append(ast.copy_location(loop, node))

    def on_Try(self, node: ast.Try, out: list[ast.stmt]) -> None:
        handlers = [
            ast.copy_location(ast.ExceptHandler(h.type, h.name, self.block(h.body)), h) for h in node.handlers
        ]
        blocks = [self.block(part) for part in (node.body, node.orelse, node.finalbody)]
        out.append(ast.copy_location(ast.Try(blocks[0], handlers, blocks[1], blocks[2]), node))

    def on_Match(self, node: ast.Match, out: list[ast.stmt]) -> None:
        subject = self.kept(self.pure(node.subject, out), out)
        cases = [ast.match_case(case.pattern, case.guard, self.block(case.body)) for case in node.cases]
        out.append(ast.copy_location(ast.Match(subject, cases), node))

    # Expressions

    def is_change(self, node: ast.AST) -> bool:
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in self.methods
        )

    def has_effect(self, node: ast.AST) -> bool:
        """Whether evaluating an expression changes a variable of the function."""
        if isinstance(node, ast.NamedExpr) or self.is_change(node):
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self.changing:
            return True
        if isinstance(node, ast.Lambda):
            return any(self.has_effect(d) for d in [*node.args.defaults, *node.args.kw_defaults] if d)
        return any(self.has_effect(child) for child in ast.iter_child_nodes(node))

    def saved(self, value: ast.expr, out: list[ast.stmt]) -> ast.Name:
        """A temporary that holds a value."""
        name = self.temporary()
        out.append(assign(name, value, value))
        return load(name, value)

    def kept(self, value: ast.expr, out: list[ast.stmt]) -> ast.expr:
        """A value that no later statement can change: a constant or a temporary."""
        if isinstance(value, ast.Starred):
            items = self.saved(Prim("py.tuple-of", [value.value], value), out)
            return ast.copy_location(ast.Starred(items, ast.Load()), value)
        if isinstance(value, ast.Constant) or (isinstance(value, ast.Name) and value.id[0] == "%"):
            return value
        return self.saved(value, out)

    def pure(self, node: ast.expr, out: list[ast.stmt]) -> ast.expr:
        """The expression without effects; they, and what must come before them, go to `out`."""
        if not self.has_effect(node):
            return node
        if isinstance(node, ast.NamedExpr):
            value = self.kept(self.pure(node.value, out), out)
            out.append(assign(node.target.id, value, node))
            return value
        if self.is_change(node):
            return self.change(node, out, used=True)  # type: ignore[arg-type]
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
        return self.compound(node, out)

    def chain(self, node: ast.Compare, out: list[ast.stmt]) -> ast.expr:
        """`a < b < c`, where c may not be evaluated."""
        left, middle = self.in_order([node.left, node.comparators[0]], out)
        middle = self.kept(middle, out)
        first = ast.copy_location(ast.Compare(left, node.ops[:1], [middle]), node)
        rest = ast.copy_location(ast.Compare(middle, node.ops[1:], node.comparators[1:]), node)
        return self.short_circuit(ast.copy_location(ast.BoolOp(ast.And(), [first, rest]), node), out)

    def compound(self, node: ast.expr, out: list[ast.stmt]) -> ast.expr:
        """An expression whose operands are all evaluated, in order."""
        parts = self.operands(node)
        fresh = self.in_order(list(parts), out)
        table = dict(zip(map(id, parts), fresh, strict=True))
        result: ast.expr = with_parts(node, table)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self.changing:
            return self.saved(result, out)
        return result

    def operands(self, node: ast.expr) -> list[ast.expr]:
        """The expressions that an expression evaluates, in order."""
        match node:
            case ast.Dict():
                pairs = zip(node.keys, node.values, strict=True)
                return [part for pair in pairs for part in pair if part is not None]
            case ast.Call():
                given = [*node.args, *(keyword.value for keyword in node.keywords)]
                return [*self.callee(node.func), *given]
        return [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]

    def callee(self, function: ast.expr) -> list[ast.expr]:
        """What a call evaluates before its arguments: of a method the object."""
        if isinstance(function, ast.Name):
            return []
        if not isinstance(function, ast.Attribute):
            return [function]
        root = root_of(function.value)
        return [] if root is not None and not self.is_local(root) else [function.value]

    def in_order(self, parts: list[ast.expr], out: list[ast.stmt]) -> list[ast.expr]:
        """Expressions without effects; those before one that has some are kept."""
        last = max((i for i, part in enumerate(parts) if self.has_effect(part)), default=-1)
        found = []
        for i, part in enumerate(parts):
            value = self.pure(part, out)
            found.append(self.kept(value, out) if i < last else value)
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
        value = self.kept(self.pure(first, out), out)
        if not rest:
            return value
        more = rest[0] if len(rest) == 1 else ast.copy_location(ast.BoolOp(node.op, rest), node)
        if isinstance(node.op, ast.And):
            return self.choice(node, value, more, value, out)
        return self.choice(node, value, value, more, out)

    def comprehension(self, node: Any, out: list[ast.stmt], by: str | None = None) -> ast.expr:
        """A comprehension with effects, as the loops that it stands for; by: any or all, that it is for."""
        name = self.temporary()
        first = self.saved(self.pure(node.generators[0].iter, out), out)
        start, loops = as_loops(node, name, first, by)
        out.append(assign(name, start, node))
        targets = [n for g in node.generators for n in ast.walk(g.target)]
        names = frozenset(n.id for n in targets if isinstance(n, ast.Name))
        out.append(Scoped(names, self.block([loops]), runs_apart(node), node))
        return load(name, node)

    def path(self, target: ast.expr, out: list[ast.stmt]) -> ast.expr:
        """A path whose indices are evaluated once."""
        if isinstance(target, ast.Subscript):
            value = self.path(target.value, out)
            if isinstance(target.slice, ast.Slice):
                index: ast.expr = target.slice
            else:
                index = self.kept(self.pure(target.slice, out), out)
            return ast.copy_location(ast.Subscript(value, index, ast.Load()), target)
        if isinstance(target, ast.Attribute):
            value = self.path(target.value, out)
            return ast.copy_location(ast.Attribute(value, target.attr, ast.Load()), target)
        if isinstance(target, ast.Name):
            return load(target.id, target)
        return self.kept(self.pure(target, out), out)

    def change(self, node: ast.Call, out: list[ast.stmt], used: bool) -> ast.expr:
        """A changing method as a statement; its result."""
        assert isinstance(node.func, ast.Attribute)
        path = self.path(self.inserted(node.func.value, out), out)
        operands = [*node.args, *(keyword.value for keyword in node.keywords)]
        values = self.in_order(operands, out)
        args: list[ast.expr] = list(values[: len(node.args)])
        for keyword, value in zip(node.keywords, values[len(node.args) :], strict=True):
            args.append(ast.copy_location(Keyword(keyword.arg, value), keyword))
        result = self.temporary() if used else None
        out.append(Change(path, node.func.attr, args, result, node))
        return constant(None, node) if result is None else load(result, node)

    def written(self, node: ast.Call, path: ast.expr, out: list[ast.stmt]) -> None:
        """A call of a library's function that changes its first argument."""
        path = self.path(path, out)
        call = self.compound(ast.copy_location(ast.Call(node.func, node.args[1:], node.keywords), node), out)
        out.append(Change(path, "(call)", [call], None, node))

    def inserted(self, node: ast.expr, out: list[ast.stmt]) -> ast.expr:
        """For `d.setdefault(k, []).append(v)`: the path d[k], once it is there."""
        if not (self.is_change(node) and node.func.attr == "setdefault" and len(node.args) == 2):  # type: ignore[attr-defined]
            return node
        assert isinstance(node, ast.Call)
        assert isinstance(node.func, ast.Attribute)
        path = self.path(self.inserted(node.func.value, out), out)
        key = self.kept(self.pure(node.args[0], out), out)
        out.append(Change(path, "setdefault", [key, self.pure(node.args[1], out)], None, node))
        return ast.copy_location(ast.Subscript(path, key, ast.Load()), node)
