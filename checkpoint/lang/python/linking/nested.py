"""Functions that are made within a program, as the Python functions that they are outside of one.

In: the context of a nested function, and what its variables mean where it is made. Out: a Nested, from which
the Python function can be made anew (checkpoint.functions.own_programs), given what a closure has captured.
There is none where a captured variable may still change or may be unassigned, or holds a known function.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import CodeType
from typing import TYPE_CHECKING

from checkpoint.dataclass import dataclass
from checkpoint.errors import SourceError
from checkpoint.lang.core import Lambda, Prim, Var
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.meanings import Binding, Env, Reference
from checkpoint.lang.python.source.texts import code_of_node

if TYPE_CHECKING:
    from checkpoint.lang.python.linking.linker import Linker


@dataclass(frozen=True, slots=True)
class Nested:
    """A function that a program makes.

    function: the index of the input that is the outermost function around it.
    variables: for each free variable of `code` the core variable that holds it; None: the outermost function
    has it in a cell.
    """

    code: CodeType
    function: int
    variables: Mapping[str, str | None]


def nested(linker: Linker, t: FunctionContext, env: Env) -> Nested | None:
    """Return how to make the function of a context anew, where `env` is visible around it, if it can be."""
    if t.function_input is None:
        return None
    try:
        code = code_of_node(linker.inputs.value(t.function_input).__code__, t.text.tree, t.scope.node)
    except SourceError:
        return None
    if code is None:
        return None
    variables: dict[str, str | None] = {}
    for name in code.co_freevars:
        found = env[name] if name in env else t.globals(name)
        if isinstance(found, Binding):
            if found.cell or found.unbound or found.callee is not None or not found.core:
                return None
            variables[name] = found.core
        else:
            variables[name] = found if isinstance(found, str) else None
    return Nested(code, t.function_input, variables)


def functions_of(linker: Linker) -> dict[Lambda, Reference | int | Nested]:
    """Return which Python function each procedure is that stands for one used as a value."""
    found: dict[Lambda, Reference | int | Nested] = {}
    for made_here, t, env in linker.nested:
        function = nested(linker, t, env)
        if function is not None:
            found[made_here] = function
    for known, made in linker.used_as_values:
        for each in made.args[1:] if isinstance(made, Prim) else (made,):
            lam = linker.bindings.get(each.name) if isinstance(each, Var) else each
            if isinstance(lam, Lambda):
                found[lam] = Reference(known.value) if known.input is None else known.input
    return found
