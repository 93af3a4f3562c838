"""The normal form of Python: only statements change variables, and each statement changes one.

In: the statements of a function. Out: statements that mean the same, in which
- an expression changes no variable: `:=`, mutating methods (`xs.pop()`) and calls of nested functions that
  change variables are statements of their own, with operands saved in temporaries where the order of
  evaluation matters;
- an assignment has one target, a name; every change of the object that a variable holds is a Change;
- there is no AugAssign, AnnAssign, Assert or Pass; a `while` whose test changes variables tests inside its
  body.

Temporaries are variables named "%1", "%2", ...; the additional nodes are in nodes.py.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from checkpoint.lang.python.normal import managers
from checkpoint.lang.python.normal.expressions import Expressions
from checkpoint.lang.python.normal.nodes import (
    IN_PLACE,
    Change,
    Prim,
    assign,
    bounds_of,
    constant,
    is_plain_tuple,
    load,
    names_changed,
    to_change,
)
from checkpoint.lang.python.scopes.imports import bound_by
from checkpoint.lang.python.scopes.syntax import is_class_of_name, module_of, mutated_by
from checkpoint.lang.python.source.class_bodies import computed


class Normaliser(Expressions):
    """The normal form of one function: `block` returns that of a list of statements."""

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """Return a list of statements in normal form."""
        out: list[ast.stmt] = []
        for statement in statements:
            method: Callable[..., None] | None = getattr(self, f"on_{type(statement).__name__}", None)
            if method is None or statement in self.refused:
                out.append(statement)
            else:
                method(statement, out)
        return out

    def on_Pass(self, node: ast.Pass, out: list[ast.stmt]) -> None:
        """Drop the statement."""

    on_Nonlocal = on_Global = on_Pass

    def on_Import(self, node: ast.Import | ast.ImportFrom, out: list[ast.stmt]) -> None:
        """Assign what is imported to a variable, where more than imports bind the name."""
        out.append(node)
        for alias in node.names:
            if alias in self.stored_imports:
                out.append(assign(bound_by(node, alias), load(self.stored_imports[alias], node), node))

    on_ImportFrom = on_Import

    def on_Expr(self, node: ast.Expr, out: list[ast.stmt]) -> None:
        if isinstance(node.value, ast.Constant):
            return
        if self.is_change(node.value):
            self.change(node.value, out, used=False)  # type: ignore[arg-type]
            return
        if self.is_writing(node.value):
            self.writing(node.value, out)  # type: ignore[arg-type]
            return
        path = mutated_by(node.value)
        if path is not None and not self.is_local(str(module_of(node.value.func))):  # type: ignore[attr-defined]
            self.mutating_call(node.value, path, out)  # type: ignore[arg-type]
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
        value = self.stable(self.pure(node.value, out), out)
        for target in node.targets:
            self.store(target, value, out)

    def pairwise(self, target: ast.Tuple | ast.List, value: ast.expr, out: list[ast.stmt]) -> bool:
        """Assign `a, b = x, y` without making a tuple; return whether the assignment has this form."""
        if not isinstance(value, ast.Tuple | ast.List) or len(value.elts) != len(target.elts):
            return False
        if any(isinstance(part, ast.Starred) for part in (*target.elts, *value.elts)):
            return False
        values = self.in_order(value.elts, out)
        kept = [part if isinstance(part, ast.Constant) else self.save(part, out) for part in values]
        for part, each in zip(target.elts, kept, strict=True):
            self.store(part, each, out)
        return True

    def on_AnnAssign(self, node: ast.AnnAssign, out: list[ast.stmt]) -> None:
        if node.value is not None:
            assigned = ast.Assign([node.target], node.value)
            self.on_Assign(ast.copy_location(assigned, node), out)

    def on_ClassDef(self, node: ast.ClassDef, out: list[ast.stmt]) -> None:
        """Let the function assign the attributes of a class that depend on its variables."""
        out.append(node)
        for name, value in computed(node, self.known):
            target = ast.copy_location(ast.Attribute(load(node.name, node), name, ast.Store()), value)
            self.on_Assign(ast.copy_location(ast.Assign([target], value), value), out)

    def on_Delete(self, node: ast.Delete, out: list[ast.stmt]) -> None:
        for target in node.targets:
            self.delete(target, out)

    def delete(self, target: ast.expr, out: list[ast.stmt]) -> None:
        """Delete what a target denotes."""
        if isinstance(target, ast.Tuple | ast.List):
            for part in target.elts:
                self.delete(part, out)
        elif isinstance(target, ast.Subscript):
            path = self.path(target, out)
            assert isinstance(path, ast.Subscript)
            if isinstance(path.slice, ast.Slice):
                out.append(Change(path.value, "delete_slice", bounds_of(path.slice), None, target))
            else:
                out.append(Change(path.value, "delete", [path.slice], None, target))
        elif isinstance(target, ast.Attribute):
            base = self.pure(target.value, out)
            path = ast.copy_location(ast.Attribute(base, target.attr, ast.Del()), target)
            out.append(ast.copy_location(ast.Delete([path]), target))
        else:
            out.append(ast.copy_location(ast.Delete([target]), target))

    def on_AugAssign(self, node: ast.AugAssign, out: list[ast.stmt]) -> None:
        operator = IN_PLACE.get(type(node.op), type(node.op))()
        if isinstance(node.target, ast.Name):
            old: ast.expr = load(node.target.id, node.target)
            if self.has_effect(node.value):
                old = self.save(old, out)
            value: ast.expr = ast.BinOp(old, operator, self.pure(node.value, out))
            out.append(assign(node.target.id, ast.copy_location(value, node), node))
            return
        if isinstance(node.target, ast.Attribute):
            self.augment_attribute(node, node.target, operator, out)
            return
        path = self.path(node.target, out)
        old = to_change(path)
        if self.has_effect(node.value):
            old = self.save(path, out)
        value = ast.copy_location(ast.BinOp(old, operator, self.pure(node.value, out)), node)
        self.store(path, value, out)

    def augment_attribute(
        self, node: ast.AugAssign, target: ast.Attribute, operator: ast.operator, out: list[ast.stmt]
    ) -> None:
        """Assign to the attribute of an object that is evaluated once."""
        base = self.pure(target.value, out)
        is_read_again = isinstance(base, ast.Name) or is_class_of_name(base)
        if not is_read_again or self.has_effect(node.value):
            base = self.stable(base, out)
        path = ast.copy_location(ast.Attribute(base, target.attr, ast.Load()), target)
        old: ast.expr = self.save(path, out) if self.has_effect(node.value) else path
        value = ast.copy_location(ast.BinOp(old, operator, self.pure(node.value, out)), node)
        self.store(path, value, out)

    def store(self, target: ast.expr, value: ast.expr, out: list[ast.stmt]) -> None:
        """Assign a value to any target."""
        if isinstance(target, ast.Name):
            out.append(assign(target.id, value, target))
        elif isinstance(target, ast.Tuple | ast.List):
            self.unpack(target, value, out)
        elif isinstance(target, ast.Subscript):
            value = self.stable(value, out)
            path = self.path(target, out)
            assert isinstance(path, ast.Subscript)
            if isinstance(path.slice, ast.Slice):
                out.append(Change(path.value, "set_slice", [*bounds_of(path.slice), value], None, target))
            else:
                out.append(Change(path.value, "set", [path.slice, value], None, target))
        elif isinstance(target, ast.Attribute):
            value = self.stable(value, out) if self.has_effect(target.value) else value
            base = self.pure(target.value, out)
            path = ast.copy_location(ast.Attribute(base, target.attr, ast.Store()), target)
            out.append(ast.copy_location(ast.Assign([path], value), target))
        else:
            out.append(ast.copy_location(ast.Assign([target], value), target))

    def unpack(self, target: ast.Tuple | ast.List, value: ast.expr, out: list[ast.stmt]) -> None:
        stars = [i for i, part in enumerate(target.elts) if isinstance(part, ast.Starred)]
        if not stars:
            parts = self.save(Prim("py.unpack", [value, constant(len(target.elts), target)], target), out)
            for i, part in enumerate(target.elts):
                self.store(part, Prim("py.item", [parts, constant(i, part)], part), out)
            return
        before, after = stars[0], len(target.elts) - stars[0] - 1
        if self.has_iterators:
            value = Prim("py.sequence", [value], target)
        value = self.stable(value, out)
        counts: list[ast.expr] = [constant(before, target), constant(after, target)]
        parts = self.save(Prim("py.unpack-star", [value, *counts], target), out)
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
        parts = [part for part in (node.exc, node.cause) if part is not None]
        value, cause, *_ = [*self.in_order(parts, out), None, None]
        out.append(ast.copy_location(ast.Raise(value, cause), node))

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
        if self.has_cleanup(node.iter):
            self.closing(node, out)
            return
        iterable = self.pure(node.iter, out)
        target: ast.expr = node.target
        bindings: list[ast.stmt] = []
        if not isinstance(target, ast.Name) and not is_plain_tuple(target):
            item = self.temporary()
            target = ast.copy_location(ast.Name(item, ast.Store()), node.target)
            self.store(node.target, load(item, node.target), bindings)
        loop = ast.For(target, iterable, [*bindings, *self.block(node.body)], self.block(node.orelse))
        out.append(ast.copy_location(loop, node))

    def closing(self, node: ast.For, out: list[ast.stmt]) -> None:
        """Close the generator that a loop alone has, when the loop is left."""
        items = self.save(self.pure(node.iter, out), out)
        loop = ast.copy_location(ast.For(node.target, items, node.body, node.orelse), node)
        method = ast.copy_location(ast.Attribute(items, "close", ast.Load()), node.iter)
        close = ast.copy_location(ast.Expr(ast.copy_location(ast.Call(method, [], []), node.iter)), node.iter)
        out += self.block([ast.copy_location(ast.Try([loop], [], [], [close]), node)])

    def on_With(self, node: ast.With, out: list[ast.stmt]) -> None:
        first, rest = node.items[0], node.items[1:]
        body: list[ast.stmt] = [ast.copy_location(ast.With(rest, node.body), node)] if rest else node.body
        found = managers.special(first, body, node, self.known)
        if found is None:
            found = managers.as_try(first, body, node, [self.temporary() for _ in range(4)])
        out += self.block(found)

    def on_Try(self, node: ast.Try, out: list[ast.stmt]) -> None:
        handlers = [
            ast.copy_location(ast.ExceptHandler(h.type, h.name, self.block(h.body)), h) for h in node.handlers
        ]
        blocks = [self.block(part) for part in (node.body, node.orelse, node.finalbody)]
        out.append(ast.copy_location(ast.Try(blocks[0], handlers, blocks[1], blocks[2]), node))

    def on_Match(self, node: ast.Match, out: list[ast.stmt]) -> None:
        subject = self.stable(self.pure(node.subject, out), out)
        cases = [ast.match_case(case.pattern, case.guard, self.block(case.body)) for case in node.cases]
        out.append(ast.copy_location(ast.Match(subject, cases), node))
