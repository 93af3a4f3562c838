"""Counting and interrupting functions of Python within a program, by the same steps as outside of one.

    (py.primops functions f call x)          the number of steps of (f x)
    (py.interrupt functions f call x l)      the capsule after l of them

How many steps a Python function takes depends on the program that it is translated into: on the classes that
this knows, on whether any function in it takes a varying number of arguments. So f does not run as the
procedure that the surrounding program has made of it, but from its *own program*, which is the one that
`checkpoint.primops(f, x)` and `checkpoint.interrupt(f, x, l)` run outside. Hence both count alike, the
capsules of both have the same locations, and the cotangent of one fits the other (checkpoint.ad.identity).

functions: a Native of an OwnPrograms, a hidden input of the surrounding program, which knows for the
functions that it uses as values (its globals, what it closes over, partial objects, methods, derivatives)
which Python function each of its procedures is. Their hidden inputs are read when the surrounding program is
called, as its own are. A nested function that has captured data alone, in variables that no longer change, is
made anew as a Python function whose hidden inputs are what it has captured; an object with `__call__` is made
anew as well.

Any other procedure that is made within the program runs in `call`, a procedure of the tuple of its arguments
in the surrounding program: one that has captured functions or variables that change, one that calls
`interrupt` in turn, or an argument of the differentiated function. It takes as many steps as outside unless
that program has classes or functions of a varying number of arguments. Its capsules are the surrounding
program's own, so a cotangent from elsewhere is refused.
"""

from __future__ import annotations

from typing import Any, Protocol, cast

from checkpoint.ad.arrays import Native
from checkpoint.ad.containers import TUPLE, Record
from checkpoint.ad.record import Operator, lookup
from checkpoint.ad.values import Closure
from checkpoint.prims.operators import Context
from checkpoint.prims.python.support import operator


class OwnPrograms(Protocol):
    """The functions that a program uses as values."""

    def entered(self, f: Any, x: Any) -> tuple[Any, Any] | None:
        """Return the closure and argument that run f at x outside; None where f has no counterpart there."""
        ...


def _entered(functions: Native, f: Any, call: Any, x: Any) -> tuple[Any, Any]:
    programs: OwnPrograms = functions.value
    return programs.entered(f, x) or (call, Record(TUPLE, (x,)))


def _primops(context: Context, functions: Native, f: Any, call: Any, x: Any) -> Any:
    return _PRIMOPS.value(context, *_entered(functions, f, call, x))


def _interrupt(context: Context, functions: Native, f: Any, call: Any, x: Any, steps: Any) -> Any:
    entered, argument = _entered(functions, f, call, x)
    capsule = _INTERRUPT.value(context, entered, argument, steps)
    if entered is call and type(f) is Closure and capsule.origin is not None:
        capsule.origin.code.name = f"{f.lam.name}, a function made within the program,"
    return capsule


_PRIMOPS, _INTERRUPT = cast(Operator, lookup("primops")), cast(Operator, lookup("interrupt"))

operator("primops", 4, _PRIMOPS.doc, _primops, _PRIMOPS.derivative)
operator("interrupt", 5, _INTERRUPT.doc, _interrupt, _INTERRUPT.derivative)
