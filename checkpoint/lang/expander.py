"""What every desugaring form needs: scopes, names, bodies, and the form that a datum is.

In: data, and the table of the keywords' forms. Out: core expressions whose binders have internal names. A
name that the text does not bind is, in this order: a keyword, a primitive, a name of the prelude, or an
error.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Mapping, Sequence

from checkpoint.ad.values import Symbol, list_value
from checkpoint.errors import SourceError, Span
from checkpoint.lang import names
from checkpoint.lang.core import App, Const, Expr, Lambda, Var
from checkpoint.lang.deep import Task
from checkpoint.lang.operators import apply_primitive, primitive_value
from checkpoint.lang.reader import Datum, Form, Literal, Name

# Prelude procedures that take several lists, with the number of operands before the first list. With
# one list the name denotes itself; with two, three, ... lists it denotes map2, map3, ...
FAMILIES: Mapping[str, int] = {"map": 1, "map-reduce": 3}

# Prelude procedures that may be applied to all operands but the lists (or the count), with the number of
# those operands: ((map f) l) is (map f l). So applied, map denotes curried-map.
CURRIED: Mapping[str, int] = {
    "map": 1,
    "map2": 1,
    "map3": 1,
    "map4": 1,
    "map-n": 1,
    "reduce": 2,
    "map-reduce": 3,
}

PRELUDE = "prelude"

# The least similarity of a name that is suggested for an unbound one (difflib).
_NEAR = 0.8


class Expander:
    """The desugaring of the data of one text.

    arities: the number of operands of each primitive.
    forms: the function that desugars each keyword's form.
    prelude: the names that the prelude defines.
    used: the prelude names that the text has used so far, in the order of their first use (the values have no
    meaning).
    later: the text's top-level names that are not yet in scope, and where each is defined.
    """

    def __init__(
        self,
        arities: Mapping[str, int],
        forms: Mapping[str, Callable[[Expander, Form], Task[Expr]]],
        prelude: Collection[str],
    ) -> None:
        self.arities = arities
        self.forms = forms
        self.prelude = prelude
        self.scope = names.Scope()
        self.used: dict[str, None] = {}
        self.later: dict[str, Span] = {}
        self._count = 0

    def fresh(self, name: str) -> str:
        """Return a new internal name."""
        self._count += 1
        return names.internal(name, self._count)

    def bind(self, name: Name) -> tuple[str, str]:
        """Return the surface name and the new internal name of a binder, for Scope.enter."""
        check_binder(name)
        return name.text, self.fresh(name.text)

    # Expressions

    def expr(self, datum: Datum) -> Task[Expr]:
        if isinstance(datum, Literal):
            return Const(datum.span, datum.value)
        if isinstance(datum, Name):
            return self._variable(datum)
        assert isinstance(datum, Form)
        if datum.tail is not None:
            raise SourceError("a dotted pair is not an expression; quote it: '(a . b)", datum.span)
        if not datum.items:
            raise SourceError("() is not an expression; write '() for the empty list", datum.span)
        result: Expr = yield self._form(datum)
        return result

    def body(self, form: Form, start: int) -> Task[Expr]:
        """Desugar the one expression that a form contains from position `start` on."""
        check_body(form, start)
        result: Expr = yield self.expr(form.items[start])
        return result

    def exprs(self, data: Sequence[Datum]) -> Task[list[Expr]]:
        result = []
        for datum in data:
            result.append((yield self.expr(datum)))
        return result

    def _form(self, form: Form) -> Task[Expr]:
        head = form.items[0]
        if isinstance(head, Name) and self._is_free(head.text):
            if head.text in names.KEYWORDS:
                result: Expr = yield self.forms[head.text](self, form)
                return result
            if names.is_primitive(head.text, self.arities):
                operands = yield self.exprs(form.items[1:])
                return apply_primitive(head, operands, form.span, self.arities)
        fn = self._operator(head, len(form.items) - 1) if isinstance(head, Name) else (yield self.expr(head))
        arguments = yield self.exprs(form.items[1:])
        return App(form.span, fn, tuple(arguments))

    # Names

    def _is_free(self, name: str) -> bool:
        """Return whether the text leaves a name its outside meaning."""
        return self.scope.lookup(name) is None and name not in self.later

    def means_keyword(self, datum: Datum, keyword: str) -> bool:
        """Return whether a datum denotes this keyword here."""
        return isinstance(datum, Name) and datum.text == keyword and self._is_free(keyword)

    def _operator(self, name: Name, count: int) -> Expr:
        """Return the variable at the head of an application to `count` arguments."""
        if name.text not in self.prelude or not self._is_free(name.text):
            return self._variable(name)
        if count == CURRIED.get(name.text):
            return self._prelude_variable(f"curried-{name.text}", name.span)
        lists = count - FAMILIES.get(name.text, count)
        if lists < 2:
            return self._variable(name)
        chosen = f"{name.text}{lists}"
        if chosen not in self.prelude:
            most = max(n for n in range(2, lists) if f"{name.text}{n}" in self.prelude)
            raise SourceError(
                f"{name.text} takes at most {most} lists; write a procedure of your own", name.span
            )
        return self._prelude_variable(chosen, name.span)

    def _prelude_variable(self, name: str, span: Span) -> Expr:
        self.used[name] = None
        return Var(span, names.internal(name, PRELUDE))

    def _variable(self, name: Name) -> Expr:
        text = name.text
        meaning = self.scope.lookup(text)
        if meaning is not None:
            return Var(name.span, meaning)
        if text in self.later:
            raise SourceError(
                f"{text} is used before its definition at {self.later[text]}; move the definition up",
                name.span,
            )
        if text in names.KEYWORDS:
            raise SourceError(f"{text} is a keyword, not a value; write {_as_value(text)}", name.span)
        if names.is_primitive(text, self.arities):
            return primitive_value(name, self.arities, self.fresh)
        if text in self.prelude:
            return self._prelude_variable(text, name.span)
        raise SourceError(f"unbound variable {text}; {self._instead(text)}", name.span)

    def _instead(self, name: str) -> str:
        if name in names.ABSENT:
            return names.ABSENT[name]
        primitives = [op for op in self.arities if names.is_primitive(op, self.arities)]
        known = [*self.scope.names(), *primitives, *self.prelude, *names.KEYWORDS]
        near = difflib.get_close_matches(name, known, 1, _NEAR)
        return f"did you mean {near[0]}?" if near else f"define it: (define {name} value)"


def _as_value(keyword: str) -> str:
    """Return what to write instead of a keyword as a value."""
    if keyword in ("list", "cons*", "and", "or"):
        return f"(lambda (a b) ({keyword} a b))"
    return names.KEYWORDS[keyword]


# Checks and small functions that the forms share


def bad_form(form: Form, keyword: str, span: Span | None = None) -> SourceError:
    return SourceError(f"a malformed {keyword}; write {names.KEYWORDS[keyword]}", span or form.span)


def check_binder(name: Name) -> None:
    """Refuse a name that cannot be bound."""
    if name.text in names.TOP_LEVEL:
        raise SourceError(f"{name.text} is a keyword; choose another name", name.span)
    if name.text.startswith("%"):
        raise SourceError(f"a name may not begin with %; write {name.text.lstrip('%') or 'x'}", name.span)


def check_body(form: Form, start: int) -> None:
    """Refuse a body that is not exactly one expression."""
    if len(form.items) <= start:
        raise SourceError("the body is missing; write one expression at the end of this form", form.span)
    first = form.items[start]
    if len(form.items) > start + 1 and not is_definition(first):
        raise SourceError(
            "a body is one expression; write (begin expression ... expression) for what they do, or "
            "(let ((name value)) body) for their values",
            form.items[start + 1].span,
        )


def is_definition(datum: Datum) -> bool:
    return _has_head(datum, "define")


def is_include(datum: Datum) -> bool:
    return _has_head(datum, "include")


def _has_head(datum: Datum, keyword: str) -> bool:
    if not isinstance(datum, Form) or not datum.items:
        return False
    head = datum.items[0]
    return isinstance(head, Name) and head.text == keyword


def named(expr: Expr, name: str) -> Expr:
    """Return the value of a variable; a procedure without a name receives the variable's."""
    if isinstance(expr, Lambda) and expr.name is None:
        expr.name = name
    return expr


def quoted(datum: Datum) -> Task[object]:
    """Return the constant that a quoted datum denotes."""
    if isinstance(datum, Literal):
        return datum.value
    if isinstance(datum, Name):
        return Symbol(datum.text)
    assert isinstance(datum, Form)
    items = []
    for item in datum.items:
        items.append((yield quoted(item)))
    tail = None if datum.tail is None else (yield quoted(datum.tail))
    return list_value(items, tail)
