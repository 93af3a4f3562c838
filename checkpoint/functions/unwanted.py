"""Which operands of the steps of a call depend on no argument by which it is differentiated.

In: the closure of a program, its arguments, and which of them are wanted. Out: an Unwanted
(checkpoint.ad.activity), which is kept with the program for further calls with arguments of the same kinds.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from checkpoint.ad.activity import Unwanted
from checkpoint.ad.array_library import namespaces
from checkpoint.ad.arrays import ARRAYS
from checkpoint.ad.containers import CONTAINERS
from checkpoint.ad.graph import ATOMS
from checkpoint.ad.values import Closure, Environment

FUNCTION = None  # the kind of what holds a procedure: its code has been run elsewhere


def unwanted_in(f: Closure, arguments: Sequence[Any], wanted: Collection[int]) -> Unwanted | None:
    """Return which operands depend on no wanted argument; None: only arrays say so of themselves.

    wanted: the positions of the arguments by which the call is differentiated.
    """
    if not namespaces or not any(_holds_real(x) for i, x in enumerate(arguments) if i not in wanted):
        return None
    kinds = [_kind(x) for x in arguments]
    if FUNCTION in kinds:
        return None
    # Loaded where it is needed: it needs the front end's core, and all records of arrays.
    from checkpoint.lang.dependence import ANYTHING, NOTHING, Dependence, described  # noqa: PLC0415

    inputs = NOTHING if _has_atoms_only(f.env) else ANYTHING
    known = f.lam.dependences
    if known is None:
        known = f.lam.dependences = {}
    key = tuple(kinds), inputs, sum([1 << i for i in wanted])
    if key not in known:
        given = [described(i, kind) for i, kind in enumerate(kinds) if kind is not None]
        known[key] = Unwanted(partial(Dependence(f.lam, given, inputs).without, key[2]))
    found = known[key]
    assert isinstance(found, Unwanted)
    return found


def _has_atoms_only(env: Environment) -> bool:
    """Return whether all that a program reads from its surroundings are atoms."""
    pending = [*env.values]
    while pending:
        item = pending.pop()
        if type(item) is Environment:
            pending.extend(item.values)
        elif not _is_atom(type(item)):
            return False
    return True


def _holds_real(value: Any) -> bool:
    """Return whether an argument is a real, or holds one."""
    pending = [value]
    while pending:
        item = pending.pop()
        if type(item) is float:
            return True
        if type(item) in CONTAINERS:
            kinds = set(map(type, item.parts()))
            if float in kinds:
                return True
            if not kinds.isdisjoint(CONTAINERS):
                pending.extend(item.parts())
    return False


def _kind(value: Any) -> int | None:
    """Return the kind of a value as checkpoint.lang.dependence has it; FUNCTION where it holds others."""
    if _is_atom(type(value)):
        return 0
    if type(value) not in CONTAINERS:
        return FUNCTION
    deepest = 1
    pending = [value]
    while pending:
        parts = pending.pop().parts()
        others = {kind for kind in set(map(type, parts)) if not _is_atom(kind)}
        if not others <= CONTAINERS:
            return FUNCTION
        if others:
            deepest = 2
            pending.extend([part for part in parts if type(part) in others])
    return deepest


def _is_atom(kind: type) -> bool:
    return kind is float or kind in ARRAYS or kind in ATOMS
