"""Replace the primitives of control in a linked program, as checkpoint.lang.control does in texts.

In: the functions of a program and its entry, translated. Out: its functions, with those of control.vlad
that they use. Their names come from the program's own supply, and the entry ends where a shift without a
reset fails.
"""

from __future__ import annotations

from checkpoint.ad.record import records
from checkpoint.lang import prelude
from checkpoint.lang.control.convert import Converter, uses_control
from checkpoint.lang.core import Const, Expr, Lambda, Letrec
from checkpoint.lang.deep import run
from checkpoint.lang.expander import PRELUDE
from checkpoint.lang.names import base, internal
from checkpoint.lang.python.context.builder import NOWHERE, Names
from checkpoint.lang.rename import rename_by
from checkpoint.lang.walk import binders, preorder


def without_control(names: Names, bindings: dict[str, Lambda], entry: Lambda) -> dict[str, Lambda]:
    """Return the functions of a program whose shifts and resets are calls of some of them."""
    program: Expr = Letrec(NOWHERE, tuple(bindings.items()), entry) if bindings else entry
    if not uses_control(program):
        return bindings
    used: dict[str, str] = {}

    def library(name: str) -> str:
        if name not in used:
            used[name] = names.fresh(name)
        return used[name]

    run(Converter(program, names.fresh, library, is_open=True).entered(program, entry))
    return {**_library(names, used), **bindings}


def _library(names: Names, used: dict[str, str]) -> dict[str, Lambda]:
    """Return the procedures of control.vlad with these names, and those that they need."""
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
