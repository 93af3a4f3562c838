"""How a function is called, and the entry of its program: the procedure of one tuple of all arguments.

In: the meaning of the function, the shape of the call. Out: a Lambda that calls it, or returns it as a value.
With a state it begins with copies of what came in, and ends with the pair of the value and the state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from checkpoint.ad.attributes import stored
from checkpoint.ad.state import STATE
from checkpoint.lang.core import Expr, Lambda, Let, Var
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import NOWHERE, bind, const, prim
from checkpoint.lang.python.context.meanings import Reference
from checkpoint.lang.python.linking.entry import call_of_root, outcome_of_root, value_of_root
from checkpoint.lang.python.linking.linker import Linker


class Shape(NamedTuple):
    """How a function is called, with one tuple of all arguments.

    positional: the number of positional arguments; None: the function is not called, but is a value itself.
    keywords: the names of the other arguments.
    has_state: whether it may change what came in from outside, and returns what the run leaves of it.
    """

    positional: int | None
    keywords: tuple[str, ...] = ()
    has_state: bool = False


def entry_of(linker: Linker, root: Reference | str, shape: Shape) -> Lambda:
    """Return a procedure of one argument that calls the function, or returns it as a value."""
    name = linker.names.fresh("arguments")
    if shape.positional is None:
        return Lambda(NOWHERE, (name,), value_of_root(linker, root), name="value")
    count = shape.positional + len(shape.keywords)
    owned = linker.names.fresh("owned") if shape.has_state else name
    items = [prim(NOWHERE, "py.item", Var(NOWHERE, owned), const(NOWHERE, i)) for i in range(count)]
    body = _called(linker, root, items, shape)
    if shape.has_state:
        parts = prim(NOWHERE, "py.item", Var(NOWHERE, name), const(NOWHERE, 0))
        body = Let(NOWHERE, owned, prim(NOWHERE, "py.owned", parts, shared(name), const(NOWHERE, "")), body)
    label = str(stored(linker.inputs.value(0), "__name__", "function"))
    return Lambda(body.span, (name,), body, name=label)


def shared(arguments: str) -> Expr:
    """Return what lies at several places of the arguments and inputs of a run that has a state."""
    return prim(NOWHERE, "py.item", Var(NOWHERE, arguments), const(NOWHERE, 1))


def _called(linker: Linker, root: Reference | str, items: Sequence[Expr], shape: Shape) -> Expr:
    """Return the call of the function; with a state, the tuple of its value and of what it leaves."""
    assert shape.positional is not None
    count = shape.positional

    def passed(values: Sequence[Expr]) -> Arguments:
        return Arguments(list(values[:count]), None, dict(zip(shape.keywords, values[count:], strict=True)))

    if not shape.has_state:
        return call_of_root(linker, root, passed(items))
    return bind(linker.names, items, lambda v: outcome_of_root(linker, root, passed(v)), "argument")


def with_state(linker: Linker, entry: Lambda, shape: Shape, params: list[str]) -> Lambda:
    """Return the entry with its end, which makes the pair of the value and the state."""
    assert shape.positional is not None
    outcome = linker.names.fresh("outcome")

    def part(i: int) -> Expr:
        return prim(NOWHERE, "py.item", Var(NOWHERE, outcome), const(NOWHERE, i))

    args = prim(NOWHERE, "py.tuple", *[part(1 + i) for i in range(shape.positional)])
    kwargs = prim(NOWHERE, "py.dict")
    for i, name in enumerate(shape.keywords):
        kwargs = prim(NOWHERE, "py.set", kwargs, const(NOWHERE, name), part(1 + shape.positional + i))

    def whole(left: Expr) -> Expr:
        state = prim(NOWHERE, "py.record", const(NOWHERE, STATE), args, kwargs, left)
        return prim(NOWHERE, "py.tuple", part(0), state)

    body = Let(NOWHERE, outcome, entry.body, linker.left(params, whole))
    return Lambda(entry.span, entry.params, body, name=entry.name)
