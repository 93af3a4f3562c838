"""Join branches: make one procedure of the code that follows them.

In: the branches, as a function of their continuation. Out: a procedure of the variables that the branches
write and that are live after them, around the branches, which call it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import replace

from checkpoint.errors import Span
from checkpoint.lang.core import App, Const, Expr, Lambda, Letrec, Var
from checkpoint.lang.python.context.builder import UNBOUND
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.exits import Next
from checkpoint.lang.python.context.meanings import Binding, Env, as_parameter
from checkpoint.lang.python.normal.nodes import Change, Scoped, Yielded
from checkpoint.lang.python.scopes.syntax import COMPREHENSIONS, rebound_by, walk


def join(
    t: FunctionContext,
    variables: Iterable[str],
    env: Env,
    rest: Next,
    branches: Callable[[Next], Expr],
    span: Span,
) -> Expr:
    """Return branches that meet: `branches` receives the continuation, a call of the join procedure."""
    names = sorted(variables)
    join_name = t.fresh("join")
    arriving: list[Env] = []

    def resume(now: Env) -> Expr:
        arriving.append(now)
        return App(span, Var(span, join_name), tuple([current(t, now, name, span) for name in names]))

    body = branches(resume)
    params = {name: t.fresh(name) for name in names}
    inside = dict(env)
    for name in names:
        inside[name] = merge(params[name], [now.get(name) for now in arriving])
    procedure = Lambda(span, tuple(params.values()), rest(inside), name=join_name)
    return Letrec(span, ((join_name, procedure),), body)


def current(t: FunctionContext, env: Env, name: str, span: Span) -> Expr:
    """Return the core value of a variable at this point: its cell, if it has one."""
    binding = env.get(name)
    if binding is not None and binding.callee is not None and not binding.callee.ins:
        return t.program.as_value(binding.callee, span)
    return Const(span, UNBOUND) if binding is None or not binding.core else Var(span, binding.core)


def merge(core: str, bindings: list[Binding | None]) -> Binding:
    """Return the binding of a variable after a join of branches with these bindings."""
    unbound = any(b is None or b.unbound for b in bindings)
    cell = any(b is not None and b.cell for b in bindings)
    free = next((b.free for b in bindings if b is not None and b.free is not None), None)
    return Binding(core, cell=cell, unbound=unbound, free=free)


def parameter(t: FunctionContext, name: str, core: str, old: Binding | None) -> Binding:
    """Return the binding of a variable that a procedure takes as a parameter, on any path to it."""
    binding = as_parameter(core, old)
    return replace(binding, unbound=True) if t.scope.may_lose_value(name) else binding


def may_end(statements: list[ast.stmt]) -> bool:
    """Return whether the end of a list of statements can be reached."""
    if not statements:
        return True
    last = statements[-1]
    match last:
        case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
            return False
        case ast.If():
            return may_end(last.body) or may_end(last.orelse)
    return True


def written_in(statements: Iterable[ast.AST], t: FunctionContext) -> frozenset[str]:
    """Return the variables that statements may write, directly or by calls of known functions."""
    found: set[str] = set()
    for node in walk(statements, _is_entered):
        match node:
            case ast.Name(ctx=ast.Store() | ast.Del()):
                found.add(node.id)
            case Change():
                names = (rebound_by(node.path), node.result)
                found |= {name for name in names if name is not None and _is_variable(name, t)}
            case Yielded():
                found |= node.stored
            case Scoped():
                found |= written_in(node.body, t) - node.names
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                found.add(node.name)
            case ast.ExceptHandler(name=str(name)):
                found.add(name)
            case (
                ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name))
            ):
                found.add(name)
            case ast.Call(func=ast.Name(id=name)) if name in t.visible:
                found |= t.visible[name].effects
    return frozenset(found - t.scope.classes.keys())


def _is_variable(name: str, t: FunctionContext) -> bool:
    """Return whether a name is a variable of the program or a temporary; np in np.sort(x) is neither."""
    return not name.isidentifier() or t.scope.is_local(name)


_APART = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Lambda,
    Scoped,
    *COMPREHENSIONS,
)


def _is_entered(node: ast.AST) -> bool:
    """Return whether the variables written inside a node belong to the enclosing statements."""
    return not isinstance(node, _APART)
