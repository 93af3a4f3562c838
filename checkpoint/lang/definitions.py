"""Expand a whole text: its includes and definitions, and the one expression at its end.

    text       ::= definition ... expression
    definition ::= (define name value) | (define (name parameter ...) body)
                 | (define ((name parameter ...) parameter ...) body), curried, and so on

An include is replaced by the contents of its file. Consecutive function definitions become one letrec; a
value definition becomes a let. A function definition is one that has parameters, or whose value is written as
a lambda. What always holds: all names that a text defines are the text's own from its start on, so the use of
one before its definition is an error and never denotes a built-in of the same name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from checkpoint.dataclass import dataclass
from checkpoint.errors import Source, SourceError, Span
from checkpoint.lang import forms
from checkpoint.lang.core import Expr, Lambda, Let, Letrec
from checkpoint.lang.deep import Task
from checkpoint.lang.expander import (
    Expander,
    bad_form,
    check_binder,
    check_body,
    is_definition,
    is_include,
    named,
)
from checkpoint.lang.reader import Datum, Form, Literal, Name, read


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Definition:
    """A checked definition.

    form: the whole form. name: the defined name.
    params: the parameter lists, the outermost first; none for a value or a lambda.
    """

    form: Form
    name: Name
    params: tuple[tuple[Datum, ...], ...]

    def is_function(self, x: Expander) -> bool:
        return bool(self.params) or forms.is_lambda(x, self.form.items[2])

    def value(self, x: Expander) -> Task[Expr]:
        body = x.body(self.form, 2)
        for params in reversed(self.params):
            body = forms.procedure(x, self.form.span, params, body, self.name.text)
        return named((yield body), self.name.text)


def definition(form: Form) -> Definition:
    """Return the definition in a define form."""
    if len(form.items) < 2 or form.tail is not None:
        raise bad_form(form, "define")
    target, params = form.items[1], []
    while isinstance(target, Form) and target.items:
        params.append(forms.parameters(Form(target.span, target.items[1:], target.tail)))
        target = target.items[0]
    if not isinstance(target, Name):
        raise bad_form(form, "define", target.span)
    check_binder(target)
    if len(form.items) == 2:
        raise SourceError(f"{target.text} has no value; write {_complete(form)}", form.span)
    check_body(form, 2)
    return Definition(form, target, tuple(reversed(params)))


def _complete(form: Form) -> str:
    return "(define (name parameter ...) body)" if isinstance(form.items[1], Form) else "(define name value)"


# Files


def top_level(source: Source, include_path: Path | None) -> list[Datum]:
    """Return the data of a text, with the data of included files in place of the includes."""
    file = _file_of(source)
    directory = include_path or (file.parent if file else Path())
    opened = (file,) if file else ()
    result: list[Datum] = []
    pending = [_Texts(iter(read(source)), directory, opened)]
    while pending:
        texts = pending[-1]
        datum = next(texts.data, None)
        if datum is None:
            pending.pop()
        elif is_include(datum):
            pending.append(_included(datum, texts))
        else:
            result.append(datum)
    return result


@dataclass(frozen=True, slots=True)
class _Texts:
    """A text that is being read.

    data: the remaining data. directory: where its includes are. opened: it and the files that include it.
    """

    data: Iterator[Datum]
    directory: Path
    opened: tuple[Path, ...]


def _file_of(source: Source) -> Path | None:
    path = Path(source.name)
    try:
        return path.resolve() if path.is_file() else None
    except (OSError, ValueError):  # the name of a source need not be a valid path
        return None


def _included(form: Datum, texts: _Texts) -> _Texts:
    assert isinstance(form, Form)
    name = form.items[1] if len(form.items) == 2 else None
    if not isinstance(name, Literal) or not isinstance(name.value, str):
        raise bad_form(form, "include")
    path = texts.directory / name.value
    text = _text_of(path, name.span)
    resolved = path.resolve()
    if resolved in texts.opened:
        raise SourceError(f"{path} includes itself; remove this include", form.span)
    return _Texts(iter(read(Source(str(path), text))), path.parent, (*texts.opened, resolved))


def _text_of(path: Path, span: Span) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, ValueError) as error:
        reason = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else _reason(error)
        message = f"cannot include {path}: {reason}; write the path from this file's own directory"
        raise SourceError(message, span) from None


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


# The program


def program(x: Expander, data: Sequence[Datum], end: Span) -> Task[Expr]:
    """Return the expression of a whole text."""
    definitions, expression = _split(data, end)
    x.later.update({one.name.text: one.form.span for one in definitions})
    made: list[tuple[Span, list[tuple[str, Expr]], bool]] = []
    for is_function, run in groupby(definitions, lambda one: one.is_function(x)):
        if is_function:
            group = list(run)
            made.append((group[0].form.span, (yield _functions(x, group)), True))
        else:
            for one in run:
                made.append((one.form.span, [(yield _value(x, one))], False))
    result: Expr = yield x.expr(expression)
    for span, bindings, is_function in reversed(made):
        result = _bind(span, bindings, is_function, result)
    return result


def _split(data: Sequence[Datum], end: Span) -> tuple[list[Definition], Datum]:
    """Return the definitions of a text and its expression."""
    definitions: list[Definition] = []
    for i, datum in enumerate(data):
        if not is_definition(datum):
            if i + 1 < len(data):
                raise _after_the_end(data[i + 1])
            return _distinct(definitions), datum
        assert isinstance(datum, Form)
        definitions.append(definition(datum))
    raise SourceError("this text ends without an expression; write one at its end, such as (f 1)", end)


def _after_the_end(datum: Datum) -> SourceError:
    if is_definition(datum):
        return SourceError("this definition follows the text's expression; move it before that", datum.span)
    return SourceError(
        "a text ends with one expression, and this is a second one; "
        "write (define name value) for the first, or make a list of both",
        datum.span,
    )


def _distinct(definitions: list[Definition]) -> list[Definition]:
    first: dict[str, Definition] = {}
    for one in definitions:
        earlier = first.setdefault(one.name.text, one)
        if earlier is not one:
            raise SourceError(
                f"{one.name.text} is defined twice, first at {earlier.form.span}; choose another name",
                one.name.span,
            )
    return definitions


def _functions(x: Expander, group: Sequence[Definition]) -> Task[list[tuple[str, Expr]]]:
    bound = [_enter(x, one) for one in group]
    result = []
    for meaning, one in zip(bound, group, strict=True):
        result.append((meaning, (yield one.value(x))))
    return result


def _value(x: Expander, one: Definition) -> Task[tuple[str, Expr]]:
    value = yield one.value(x)
    return _enter(x, one), value


def _enter(x: Expander, one: Definition) -> str:
    """Put a defined name in scope, and return its internal name."""
    del x.later[one.name.text]
    bound = x.bind(one.name)
    x.scope.enter([bound])
    return bound[1]


def _bind(span: Span, bindings: list[tuple[str, Expr]], is_function: bool, body: Expr) -> Expr:
    if not is_function:
        return Let(span, *bindings[0], body)
    functions = [(name, value) for name, value in bindings if isinstance(value, Lambda)]
    assert len(functions) == len(bindings)
    return Letrec(span, tuple(functions), body)
