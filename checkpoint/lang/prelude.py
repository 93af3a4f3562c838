"""The prelude: definitions written in the language, of which a program receives those that it can reach.

prelude.vlad contains only function definitions. A program's letrec of them encloses the program, so that
neither affects the other's names. They are desugared anew for every program, since an expression belongs to
one program; the text is read once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from checkpoint.errors import InternalError, Source
from checkpoint.lang.core import Expr, Lambda, Letrec
from checkpoint.lang.deep import run
from checkpoint.lang.definitions import Definition, definition
from checkpoint.lang.expander import PRELUDE, Expander, is_definition
from checkpoint.lang.forms import FORMS
from checkpoint.lang.names import internal
from checkpoint.lang.reader import Form, read

FILE = "prelude.vlad"


@cache
def definitions() -> Mapping[str, Definition]:
    """Return the definitions of the prelude by name, in their order."""
    text = files("checkpoint.lang").joinpath(FILE).read_text("utf-8")
    result: dict[str, Definition] = {}
    for datum in read(Source(FILE, text)):
        if not isinstance(datum, Form) or not is_definition(datum):
            raise InternalError("the prelude holds more than definitions", datum.span)
        one = definition(datum)
        if not one.params or one.name.text in result:
            raise InternalError(f"{one.name.text} is not a function, or is defined twice", datum.span)
        result[one.name.text] = one
    return result


def with_prelude(program: Expr, used: Iterable[str], arities: Mapping[str, int]) -> Expr:
    """Return a program inside the prelude definitions that it reaches, if there are any."""
    reached = _reached(used, arities)
    if not reached:
        return program
    bindings = tuple([(internal(name, PRELUDE), reached[name]) for name in definitions() if name in reached])
    first = bindings[0][1]
    return Letrec(first.span, bindings, program)


def _reached(used: Iterable[str], arities: Mapping[str, int]) -> dict[str, Lambda]:
    """Return the prelude procedures that these names need."""
    reached: dict[str, Lambda] = {}
    # One expander makes all names, so that they are unique; a mark keeps them apart from a program's.
    x = _PreludeExpander(arities, FORMS, definitions().keys())
    pending = list(used)
    while pending:
        name = pending.pop()
        if name in reached:
            continue
        value = run(definitions()[name].value(x))
        assert isinstance(value, Lambda)
        reached[name] = value
        pending.extend(x.used)
        x.used.clear()
    return reached


class _PreludeExpander(Expander):
    """An expander whose internal names differ from those of every program's text."""

    def fresh(self, name: str) -> str:
        return f"{super().fresh(name)} {PRELUDE}"
