"""The facts of closure conversion, for all engines: the contents of each closure and each frame.

In: a core expression whose binders are all unique. Out: Scopes.

The lambdas of a letrec fall into *groups*, the strongly connected components of their references. The lambdas
of a group share one environment, a tuple of the variables that the group captures; a member makes closures of
all members, itself included, from that same tuple, so that no environment contains a cycle. A group that
captures nothing is *closed*: its closures have the empty environment, and a reference to one captures
nothing.

A *storage variable* is a variable that a frame or an environment really holds: one bound by lambda, let or
handle, or a group's `env`, its environment tuple ("%env.f" if its first member is f; no text can bind a name
with %). What always holds:
- a group captures storage variables bound outside of it, and the envs of groups that precede it;
- the lambdas of one group have the same captures, those of the group, without its own env;
- free storage variables are in the order of their first reference, except that those of a letrec's groups are
  all in the order of its bindings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from checkpoint.dataclass import dataclass
from checkpoint.lang.core import Const, Expr, Handle, Lambda, Let, Letrec, Var
from checkpoint.lang.walk import binders, children, preorder

Names = tuple[str, ...]
ENVIRONMENT = "%env."  # begins the name of a group's environment


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Group:
    """Lambdas of a letrec that reach one another.

    names, lambdas: its members in the order of their bindings. captures: the storage variables of its
    environment.
    """

    names: Names
    lambdas: tuple[Lambda, ...]
    captures: Names

    @property
    def closed(self) -> bool:
        return not self.captures

    @property
    def env(self) -> str:
        """Return the storage variable of the environment, if the group is not closed."""
        return ENVIRONMENT + self.names[0]


def captures_of_group(lam: Lambda, env: str) -> Names:
    """Return the storage variables of a group's environment, which a lambda of the program has captured."""
    return lam.definitions[env.removeprefix(ENVIRONMENT)].captures


def captured(closure: Any) -> Iterator[tuple[str, Any]]:
    """Yield the variables that a closure has captured, those in groups' environments too, and their values.

    ValueError: an environment has not as many values, since its program grows.
    """
    lam, waiting = closure.lam, [(closure.lam.captures, closure.env)]
    while waiting:
        names, environment = waiting.pop()
        for name, value in zip(names, environment.values, strict=True):
            if name.startswith(ENVIRONMENT):
                waiting.append((captures_of_group(lam, name), value))
            else:
                yield name, value


def analyse(expr: Expr) -> Scopes:
    """Return the facts of a whole program."""
    return Scopes(expr)


class Scopes:
    """The contents of the closures and frames of a program, or of a part of one.

    group_of: the group of each name that a letrec binds. lambda_of: the lambda of each such name.
    outside: of a part, the names that it refers to and does not bind: these have no storage.
    """

    def __init__(self, program: Expr, is_part: bool = False) -> None:
        self.outside: frozenset[str] = frozenset()
        self.group_of: dict[str, Group] = {}
        self.lambda_of: dict[str, Lambda] = {}
        self._names = _FreeNames()
        self._groups: dict[Letrec, tuple[Group, ...]] = {}
        self._group_of_lambda: dict[Lambda, Group] = {}
        self._free: dict[Expr, Names] = {}
        self._captures: dict[Lambda, Names] = {}
        if is_part:
            self.outside = frozenset(self._names.free(program))
        # Outer letrecs come first, so the groups that a group refers to are always known.
        inside = list(preorder(program))
        for expr in inside:
            if isinstance(expr, Letrec):
                self._groups[expr] = self._make_groups(expr)
        for expr in inside:
            if isinstance(expr, Lambda):
                if not is_part:
                    expr.definitions = self.lambda_of
                group = self._group_of_lambda.get(expr)
                self._captures[expr] = self.free(expr) if group is None else group.captures
                if not is_part:
                    expr.captures = self._captures[expr]

    def captures(self, lam: Lambda) -> Names:
        """Return the contents of a closure's environment: for a lambda in a group, those of the group."""
        return self._captures[lam]

    def groups(self, letrec: Letrec) -> tuple[Group, ...]:
        """Return the groups of a letrec, each after those to which it refers."""
        return self._groups[letrec]

    def group_of_lambda(self, lam: Lambda) -> Group | None:
        """Return the group of a lambda that a letrec binds; None for all other lambdas."""
        return self._group_of_lambda.get(lam)

    def storage(self, name: str) -> str | None:
        """Return the storage variable that a reference to a name reads; None for one of a closed group."""
        group = self.group_of.get(name)
        if group is None:
            return None if name in self.outside else name
        return None if group.closed else group.env

    def free(self, expr: Expr) -> Names:
        """Return the storage variables that evaluating an expression reads but does not bind.

        For a lambda of a group this includes the group's own env, if the lambda refers to the group.
        """
        found = self._free.get(expr)
        if found is None:
            found = self._free[expr] = self._storage_of(self._names.free(expr))
        return found

    def members_in(self, expr: Expr) -> Names:
        """Return the names bound by letrecs around an expression that it refers to."""
        return tuple([name for name in self._names.free(expr) if name in self.group_of])

    def free_names(self, expr: Expr) -> Names:
        """Return the names that an expression refers to and does not bind."""
        return self._names.free(expr)

    def _storage_of(self, names: Names) -> Names:
        found = dict.fromkeys([self.storage(name) for name in names])
        return self._names.share(tuple([name for name in found if name is not None]))

    def _make_groups(self, letrec: Letrec) -> tuple[Group, ...]:
        lambdas = dict(letrec.bindings)
        self.lambda_of.update(lambdas)
        references = {
            name: [other for other in self._names.free(lam) if other in lambdas]
            for name, lam in lambdas.items()
        }
        order = {name: i for i, name in enumerate(lambdas)}
        result = []
        for members in _components(references):
            names = tuple(sorted(members, key=order.__getitem__))
            result.append(self._make_group(names, tuple([lambdas[name] for name in names])))
        return tuple(result)

    def _make_group(self, names: Names, lambdas: tuple[Lambda, ...]) -> Group:
        members = set(names)
        outside = [name for lam in lambdas for name in self._names.free(lam) if name not in members]
        group = Group(names, lambdas, self._storage_of(tuple(outside)))
        self.group_of.update(dict.fromkeys(names, group))
        self._group_of_lambda.update(dict.fromkeys(lambdas, group))
        return group


_BINDERS = frozenset((Lambda, Let, Letrec, Handle))


class _FreeNames:
    """The free names of expressions, letrec-bound ones included, in the order of their first reference.

    Equal tuples are one object, so that memory is proportional to the number of different tuples.
    """

    def __init__(self) -> None:
        self._known: dict[Expr, Names] = {}
        self._shared: dict[Names, Names] = {}

    def share(self, names: Names) -> Names:
        return self._shared.setdefault(names, names)

    def free(self, expr: Expr) -> Names:
        known = self._known
        if expr not in known:
            for inner in reversed([*preorder(expr, known)]):  # what is inside comes first
                if inner not in known:
                    known[inner] = self._combine(inner)
        return known[expr]

    def _combine(self, expr: Expr) -> Names:
        kind = type(expr)
        if kind is Const:
            return ()
        if isinstance(expr, Var):
            return self.share((expr.name,))
        known = self._known
        parts = [part for child in children(expr) if (part := known[child])]
        bound = binders(expr) if kind in _BINDERS else ()
        if not bound and len(parts) <= 1:
            return parts[0] if parts else ()
        found = dict.fromkeys(chain.from_iterable(parts))
        # Each binder's name is unique, so removing it cannot remove a variable bound outside.
        for name in bound:
            found.pop(name, None)
        return self.share(tuple(found))


def _components(references: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Return the strongly connected components of a graph, each after those it refers to (Tarjan 1972)."""
    return _Tarjan(references).components


class _Tarjan:
    """Tarjan's algorithm, without recursion.

    index: the number of each node in the order of discovery. low: the least index known to be reachable from
    a node within its component.
    """

    def __init__(self, references: Mapping[str, Sequence[str]]) -> None:
        self.references = references
        self.index: dict[str, int] = {}
        self.low: dict[str, int] = {}
        self.stack: list[str] = []
        self.on_stack: set[str] = set()
        self.components: list[list[str]] = []
        for node in references:
            if node not in self.index:
                self._from(node)

    def _from(self, root: str) -> None:
        path = [(root, self._reach(root))]
        while path:
            node, rest = path[-1]
            new = next((other for other in rest if self._is_new(node, other)), None)
            if new is not None:
                path.append((new, self._reach(new)))
                continue
            path.pop()
            if path:
                self._lower(path[-1][0], self.low[node])
            if self.low[node] == self.index[node]:
                self._close(node)

    def _reach(self, node: str) -> Iterable[str]:
        self.index[node] = self.low[node] = len(self.index)
        self.stack.append(node)
        self.on_stack.add(node)
        return iter(self.references[node])

    def _is_new(self, node: str, other: str) -> bool:
        if other in self.on_stack:
            self._lower(node, self.index[other])
        return other not in self.index

    def _lower(self, node: str, low: int) -> None:
        self.low[node] = min(self.low[node], low)

    def _close(self, root: str) -> None:
        """Complete a component: the nodes on the stack from its first node on."""
        start = len(self.stack) - 1
        while self.stack[start] != root:
            start -= 1
        component = self.stack[start:]
        del self.stack[start:]
        self.on_stack.difference_update(component)
        self.components.append(component)
