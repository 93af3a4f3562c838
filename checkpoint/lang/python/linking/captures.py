"""Replace the primitives of control in a linked program, as checkpoint.lang.control does in texts.

In: the functions of a program and its entry, translated, and whether it is given functions that may shift.
Out: its functions, with those of control.vlad that they use. What always holds: of the programs whose
functions meet in one run either all are converted or none, so that whoever calls a function that captures
knows of it. (What a program passes on to others, and what others tell it, is MayShift among its classes.)
Their names come from the program's own supply, and the entry ends where a shift without a reset fails.
"""

from __future__ import annotations

from itertools import chain

from checkpoint.ad.record import records
from checkpoint.lang.control import note_shifts
from checkpoint.lang.control.convert import Converter, uses_control
from checkpoint.lang.core import Const, Expr, Lambda, Letrec
from checkpoint.lang.deep import run
from checkpoint.lang.names import base, internal
from checkpoint.lang.python.context.builder import NOWHERE, Names
from checkpoint.lang.walk import binders, preorder


def without_control(
    names: Names, bindings: dict[str, Lambda], entry: Lambda, is_given: bool
) -> dict[str, Lambda]:
    """Return the functions of a program whose shifts and resets are calls of some of them.

    is_given: whether functions that come in may shift; without them a program that does not stays as it is.
    """
    program: Expr = Letrec(NOWHERE, tuple(bindings.items()), entry) if bindings else entry
    if not (is_given or uses_control(program)):
        return bindings
    used: dict[str, str] = {}

    def library(name: str) -> str:
        if name not in used:
            used[name] = names.fresh(name)
        return used[name]

    run(Converter(program, names.fresh, library, is_open=True).entered(program, entry))
    converted = {**_library(names, used), **bindings}
    inside = chain.from_iterable(map(preorder, (*converted.values(), entry)))
    note_shifts(expr for expr in inside if isinstance(expr, Lambda))
    return converted


def _library(names: Names, used: dict[str, str]) -> dict[str, Lambda]:
    """Return the procedures of control.vlad with these names, and those that they need."""
    # Loaded where they are needed: most programs neither shift nor read a text.
    from checkpoint.lang import prelude  # noqa: PLC0415
    from checkpoint.lang.expander import PRELUDE  # noqa: PLC0415
    from checkpoint.lang.rename import rename_by  # noqa: PLC0415

    arities = {name: record.arity for name, record in records().items() if "." not in name}
    made = prelude.with_prelude(Const(NOWHERE, None), used, arities, prelude.CONTROL)
    if not isinstance(made, Letrec):
        return {}
    final = {internal(name, PRELUDE): own for name, own in used.items()}
    for inner in preorder(made):
        for name in binders(inner):
            final.setdefault(name, names.fresh(base(name)))
    rename_by(made, final)
    return dict(made.bindings)
