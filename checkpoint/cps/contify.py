"""Contification: find the letrec-bound functions that become loops because they have one continuation.

In: a program in CPS and its Scopes. Out: for each name that becomes a loop, the function that hosts it and
the continuation of its calls.

A group of a letrec becomes loops of the function F that holds the letrec if every use of its names is a call
with the right number of arguments, all calls from outside the group are in F (or in loops of F) and have the
same continuation, and all calls inside the group are tail calls. A function whose calls are shown in messages
never becomes a loop, since a loop has no frame. The users of a group are decided before the group, and inner
letrecs before outer ones, so that loops inside loops are found.

Source: Kennedy, "Compiling with continuations, continued", ICFP 2007 (section 5.3).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from checkpoint.cps import terms as t
from checkpoint.dataclass import dataclass
from checkpoint.lang.closures import Group, Scopes


@dataclass(slots=True, eq=False, repr=False)
class Site:
    """A call of a letrec-bound name: the function that contains it, its continuation and its arguments."""

    owner: t.Function
    k: str
    arguments: int


@dataclass(slots=True)
class Loops:
    """The decisions for a program, by name of the loop.

    host: the function that contains the code of the loop. k: the continuation that replaces the loop's own.
    """

    host: dict[t.Function, t.Function] = field(default_factory=dict)
    k: dict[str, str] = field(default_factory=dict)
    of_name: dict[str, t.Function] = field(default_factory=dict)

    def owner(self, function: t.Function) -> t.Function:
        """Return the function that finally contains the code of a function."""
        while function in self.host:
            function = self.host[function]
        return function

    def continuation(self, k: str) -> str:
        """Return the continuation that a name finally stands for."""
        while k in self.k:
            k = self.k[k]
        return k


def find_loops(program: t.Function, scopes: Scopes) -> Loops:
    """Return the loops of a program."""
    uses = Uses(program, scopes)
    loops = Loops()
    for owner, letrec in reversed(uses.letrecs):
        for group in reversed(scopes.groups(letrec.letrec)):
            functions = [letrec.functions[name] for name in group.names]
            k = _one_continuation(owner, group, functions, uses, loops)
            if k is not None:
                for name, function in zip(group.names, functions, strict=True):
                    loops.host[function] = owner
                    loops.k[function.k] = k
                    loops.of_name[name] = function
    return loops


def _one_continuation(
    owner: t.Function, group: Group, functions: list[t.Function], uses: Uses, loops: Loops
) -> str | None:
    """Return the continuation of all calls of a group from outside it.

    None if the group does not become loops of `owner`.
    """
    if any(function.lam.shown for function in functions):
        return None
    outside: set[str] = set()
    home = loops.owner(owner)
    for name, function in zip(group.names, functions, strict=True):
        if name in uses.escaping:
            return None
        for site in uses.calls.get(name, ()):
            if site.arguments != len(function.lam.params):
                return None
            place = loops.owner(site.owner)
            k = loops.continuation(site.k)
            if place in functions:
                if k != place.k:
                    return None
            elif place is home:
                outside.add(k)
            else:
                return None
    return outside.pop() if len(outside) == 1 else None


class Uses:
    """The uses of letrec-bound names in a program, and the places of its letrecs, outer ones first."""

    def __init__(self, program: t.Function, scopes: Scopes) -> None:
        self.scopes = scopes
        self.calls: dict[str, list[Site]] = {}
        self.escaping: set[str] = set()
        self.letrecs: list[tuple[t.Function, t.Letrec]] = []
        pending = [program]
        while pending:
            pending.extend(self._function(pending.pop()))

    def _function(self, function: t.Function) -> list[t.Function]:
        """Record the uses in one function; return the functions that are made inside it."""
        if function.is_separate:
            self.escaping.update(self.scopes.members_in(function.lam))
            return []
        inner: list[t.Function] = []
        members: dict[t.Operand, str] = {}
        for term in terms(function):
            for step in term.steps:
                if isinstance(step, t.Member):
                    members[step.name] = step.member
                elif isinstance(step, t.Close):
                    inner.append(step.function)
                elif isinstance(step, t.Letrec):
                    self.letrecs.append((function, step))
                    inner.extend(step.functions.values())
        for term in terms(function):
            if isinstance(term.end, t.Call) and term.end.fn in members:
                site = Site(function, term.end.k, len(term.end.args))
                self.calls.setdefault(members.pop(term.end.fn), []).append(site)
        self.escaping.update(members.values())
        return inner


def terms(function: t.Function) -> Iterator[t.Term]:
    """Iterate over the terms of a function, without those of functions made inside it."""
    pending = [function.term]
    while pending:
        term = pending.pop()
        yield term
        match term.end:
            case t.Branch():
                pending += [term.end.other, term.end.then]
            case t.LetCont():
                pending += [term.end.cont.term, term.end.body]
            case t.Handle():
                pending += [term.end.handler.term, term.end.leave.term, term.end.body]
