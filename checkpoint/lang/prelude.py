"""The prelude: definitions written in the language, of which a program receives those that it can reach.

prelude.vlad contains only function definitions, and so does control.vlad, which programs cannot name. A
program's letrec of them encloses the program, so that neither affects the other's names. They are desugared
anew for every program, since an expression belongs to one program; each text is read once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from pkgutil import get_data

from checkpoint.errors import InternalError, Source
from checkpoint.lang.core import Expr, Lambda, Letrec
from checkpoint.lang.deep import Task, run
from checkpoint.lang.definitions import Definition, definition
from checkpoint.lang.expander import PRELUDE, Expander, is_definition
from checkpoint.lang.forms import FORMS
from checkpoint.lang.names import internal
from checkpoint.lang.reader import Form, read

FILE = "prelude.vlad"
CONTROL = "control/control.vlad"


@cache
def definitions(file: str = FILE) -> Mapping[str, Definition]:
    """Return the definitions of the prelude, or of another file, by name, in their order."""
    text = get_data("checkpoint.lang", file)
    if text is None:
        raise InternalError(f"{file} is not there")
    result: dict[str, Definition] = {}
    for datum in read(Source(file, text.decode("utf-8"))):
        if not isinstance(datum, Form) or not is_definition(datum):
            raise InternalError(f"{file} holds more than definitions", datum.span)
        one = definition(datum)
        if not one.params or one.name.text in result:
            raise InternalError(f"{one.name.text} is not a function, or is defined twice", datum.span)
        result[one.name.text] = one
    return result


def with_prelude(program: Expr, used: Iterable[str], arities: Mapping[str, int], file: str = FILE) -> Expr:
    """Return a program inside the definitions of a file that it reaches, if there are any."""
    reached = _reached(used, arities, file)
    if not reached:
        return program
    found = [name for name in definitions(file) if name in reached]
    bindings = tuple([(internal(name, PRELUDE), reached[name]) for name in found])
    first = bindings[0][1]
    return Letrec(first.span, bindings, program)


def _reached(used: Iterable[str], arities: Mapping[str, int], file: str) -> dict[str, Lambda]:
    """Return the procedures of a file that these names need."""
    reached: dict[str, Lambda] = {}
    # One expander makes all names, so that they are unique; a mark keeps them apart from a program's.
    x = _PreludeExpander(arities, FORMS, definitions(file).keys(), file)
    pending = list(used)
    while pending:
        name = pending.pop()
        if name in reached:
            continue
        value = run(definitions(file)[name].value(x))
        assert isinstance(value, Lambda)
        reached[name] = value
        pending.extend(x.used)
        x.used.clear()
    return reached


class _PreludeExpander(Expander):
    """An expander whose internal names differ from those of every program's text."""

    def __init__(
        self,
        arities: Mapping[str, int],
        forms: Mapping[str, Callable[[Expander, Form], Task[Expr]]],
        names: Collection[str],
        file: str,
    ) -> None:
        super().__init__(arities, forms, names)
        self.file = file

    def fresh(self, name: str) -> str:
        return f"{super().fresh(name)} {self.file}"
