"""The code of lambdas, made when a run first enters them.

In: a program and its Scopes. Out: a ProcedureCode for each lambda, under compiled["hybrid"]. Most of what a
program of Python functions can reach is entered by no run: a lambda inside it has a Later there, until it is
entered, or compiled with the one around it. A closure may be made by another engine and entered here: then
those around it are compiled first.
"""

from __future__ import annotations

from threading import RLock

from checkpoint.cps.passes import compile_separately
from checkpoint.cps.separate import nested
from checkpoint.interp.hybrid.code import ProcedureCode
from checkpoint.lang.closures import Scopes
from checkpoint.lang.core import Lambda
from checkpoint.locks import hold_at_fork

_KEY = "hybrid"
_lock = RLock()
hold_at_fork(_lock)


class Later:
    """Stands for the code of a lambda that is not compiled yet.

    scopes: those of its program. around: the lambda with which it is compiled unless it is left for later,
    when that one has been compiled.
    """

    __slots__ = ("around", "scopes")

    def __init__(self, scopes: Scopes, around: Lambda) -> None:
        self.scopes = scopes
        self.around = around


def prepare(thunk: Lambda, scopes: Scopes) -> None:
    """Compile a program, without the lambdas that are left for later."""
    for lam, around in nested(thunk):
        lam.compiled.setdefault(_KEY, Later(scopes, around))  # another thread may have been first
    _compile(thunk, scopes)


def _compile(lam: Lambda, scopes: Scopes) -> None:
    for procedure in compile_separately(lam, scopes):
        procedure.lam.compiled[_KEY] = ProcedureCode(procedure)


def code_of(lam: Lambda) -> ProcedureCode:
    """Return the code of a lambda of a program that is prepared."""
    found = lam.compiled[_KEY]
    return found if type(found) is ProcedureCode else _entered(lam)


def known_code(lam: Lambda) -> ProcedureCode | None:
    """Return the code of a lambda, if it has been compiled."""
    found = lam.compiled.get(_KEY)
    return found if type(found) is ProcedureCode else None


def _entered(lam: Lambda) -> ProcedureCode:
    """Compile a lambda that is entered for the first time, unless another thread has done so."""
    found = procedure_of(lam)
    assert found is not None
    return found


def procedure_of(lam: Lambda) -> ProcedureCode | None:
    """Return the code of a lambda of a program that is prepared; None of one that is a loop of another."""
    with _lock:
        waiting, each = [lam], lam.compiled[_KEY]
        while type(each) is Later:
            waiting.append(each.around)
            each = each.around.compiled[_KEY]
        for inner in reversed(waiting[:-1]):
            left = inner.compiled[_KEY]
            if type(left) is Later:
                _compile(inner, left.scopes)
        found = lam.compiled[_KEY]
        return found if type(found) is ProcedureCode else None
