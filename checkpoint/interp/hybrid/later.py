"""The code of lambdas, made when a run first enters them.

In: a program and its Scopes. Out: a ProcedureCode for each lambda, under compiled["hybrid"]. Most of what a
program of Python functions can reach is entered by no run: a lambda that may be compiled by itself
(checkpoint.cps.separate) has a Later there, until it is entered.
"""

from __future__ import annotations

from threading import RLock

from checkpoint.cps.passes import compile_separately
from checkpoint.interp.hybrid.code import ProcedureCode
from checkpoint.lang.closures import Scopes
from checkpoint.lang.core import Lambda
from checkpoint.locks import hold_at_fork

_KEY = "hybrid"
_lock = RLock()
hold_at_fork(_lock)


class Later:
    """What stands for the code of a lambda that no run has entered. scopes: those of its program."""

    __slots__ = ("scopes",)

    def __init__(self, scopes: Scopes) -> None:
        self.scopes = scopes


def compile_now(lam: Lambda, scopes: Scopes) -> None:
    """Compile a program, or a lambda inside it, without the lambdas that are left for later."""
    procedures, apart = compile_separately(lam, scopes)
    for left in apart:
        left.compiled[_KEY] = Later(scopes)
    for procedure in procedures:
        procedure.lam.compiled[_KEY] = ProcedureCode(procedure)


def code_of(lam: Lambda) -> ProcedureCode:
    """Return the code of a lambda of a program that is prepared."""
    found = lam.compiled[_KEY]
    return found if type(found) is ProcedureCode else _entered(lam)


def _entered(lam: Lambda) -> ProcedureCode:
    """Compile a lambda that is entered for the first time, unless another thread has done so."""
    with _lock:
        found = lam.compiled[_KEY]
        if type(found) is Later:
            compile_now(lam, found.scopes)
            found = lam.compiled[_KEY]
        assert type(found) is ProcedureCode
        return found
