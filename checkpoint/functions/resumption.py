"""Which Function of the interface a thing is, and `resume`, which runs the rest of an interrupted run.

In: what a user passes as a function: one of Python, a procedure, `resume`. Out: a Function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any

from checkpoint import engines
from checkpoint.ad.values import Capsule, is_resume
from checkpoint.errors import RunError, an
from checkpoint.functions.interface import Call, Function
from checkpoint.functions.procedures import Procedure, ProcedureCall, to_language
from checkpoint.functions.public import within_programs
from checkpoint.functions.python_functions import (
    PythonCapsule,
    PythonFunction,
    PythonRest,
    Returned,
    ReturnedFunction,
    rest_of,
)
from checkpoint.functions.run import RESUME, Run


class Resumption(Function):
    """The function that `resume` is: it takes a capsule, and runs on the engine that made it."""

    __slots__ = ()

    def call(
        self,
        positional: Sequence[Any],
        named: Mapping[str, Any],
        engine: str | None,
        names: Sequence[str] = (),
    ) -> Call:
        """Return the call that runs the rest of a capsule, and leaves as the values of that run do."""
        if len(positional) != 1 or named:
            raise RunError(f"resume takes 1 argument, a capsule, not {len(positional) + len(named)}")
        z = positional[0]
        if type(z) is PythonCapsule:
            return PythonRest(rest_of(z, engine), positional)
        chosen = engines.get(z.engine if type(z) is Capsule and engine is None else engine)
        return ProcedureCall(Run(RESUME, to_language(z, chosen), chosen), positional, None)


_RESUMPTION = Resumption()


@within_programs
def resume(z: Capsule) -> Any:
    """Return the value of the run whose rest a capsule holds, on the engine that made it.

    Also a function for the others: `primops(resume, z)`, `vjp(resume, z, ybar)`.
    """
    if not isinstance(z, Capsule):
        raise RunError(f"resume takes a capsule, not {an(type(z).__name__)}")
    return _RESUMPTION.call((z,), {}, None).value()


def as_function(f: Any, has_state: bool = False) -> Function:
    """Return the Function that f is; RunError where it is none.

    has_state: whether it may change what came in from outside, and returns what it leaves of that.
    """
    if type(f) is FunctionType and not has_state and f is not resume:
        return PythonFunction(f)
    if has_state and callable(f) and f is not resume and not isinstance(f, Procedure):
        from checkpoint.functions.state import StatefulFunction  # noqa: PLC0415  (few calls need it)

        return StatefulFunction(f)
    if has_state:
        raise RunError("has_state is for Python functions: nothing else changes what it is given")
    if f is resume:
        return _RESUMPTION
    if isinstance(f, Procedure):
        return _RESUMPTION if is_resume(f.closure) else f
    if not callable(f):
        raise RunError(f"f must be a function, not {an(type(f).__name__)}")
    return ReturnedFunction(f) if isinstance(f, Returned) else PythonFunction(f)
